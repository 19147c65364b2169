/* SPDX-License-Identifier: Apache-2.0 */
/*
 * context: the headers that are the same on every record of a table, made once and used again.
 *
 * librdkafka wants a list of headers for each record and owns it from then on: six allocations and as many frees a record
 * for four headers. But it gives the list up again when the record is reported, and the next record takes it.
 *
 * Loop thread only.
 */
#ifndef TIDEMARK_CONNECTOR_CONTEXT_H
#define TIDEMARK_CONNECTOR_CONTEXT_H

#include <librdkafka/rdkafka.h>
#include <stddef.h>

enum { CONTEXT_SPARE_MAX = 8192 }; /* some 500 bytes each */

struct context {
    rd_kafka_headers_t *template; /* NULL: there are none */
    size_t n;
    rd_kafka_headers_t **spare;
    size_t n_spare;
};

/* Starts with the headers given (taken; NULL: none). One alone is refused by an assertion: it could not be told from the
 * header of a key change. */
void context_init(struct context *c, rd_kafka_headers_t *headers);
void context_fini(struct context *c);

/* The headers for one more record, for the producer to take; NULL when there are none. What the producer does not take is
 * given back by context_return. */
rd_kafka_headers_t *context_get(struct context *c);
void context_return(struct context *c, rd_kafka_headers_t *headers);

/* A record that was reported: keeps its headers if they are of the context. */
void context_reclaim(struct context *c, const rd_kafka_message_t *msg);

/* Appends the context to headers that begin with another. */
void context_append(const struct context *c, rd_kafka_headers_t *headers);

#endif
