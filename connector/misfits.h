/* SPDX-License-Identifier: Apache-2.0 */
/*
 * misfits: records that are wider than Kafka takes: found, named, and set aside where that is wanted.
 *
 * What the producer may send is a setting. What a topic takes is learnt when it refuses: a broker judges whole batches, after
 * compression, and its limit may be hidden from us. A refusal drops the Kafka transaction; what was sent is read again, with
 * a producer of smaller batches as long as the refused record may have shared its batch with others. A record that was
 * alone in it is known from then on: read again, it ends the run, or goes to the dead-letter topic in the transaction of
 * its neighbours.
 *
 * A dead-letter record has the key, the value where it fits there, and headers that say where it comes from:
 *   __connect.errors.topic, .connector.name, .stage, .exception.message    as Kafka Connect names them
 *   tidemark.table, .file, .pos, .event, .row, .gtid                       its place; file and pos are of its transaction's
 *                                                                          BEGIN, event and row count from there
 *   tidemark.size, .limit                                                  bytes of key and value; limit: where it is known
 *
 * Loop thread only.
 */
#ifndef TIDEMARK_CONNECTOR_MISFITS_H
#define TIDEMARK_CONNECTOR_MISFITS_H

#include "base/fail.h"
#include "binlog/position.h"
#include "connector/sink.h"

struct misfits;

/* Texts are lent, the topic is interned. */
struct misfit_settings {
    const char *name;              /* of the connector */
    size_t most_bytes;             /* the largest record that the producer sends */
    bool is_compressed;            /* else a record that is larger than the limit of its topic is not tried */
    const char *dead_letter_topic; /* NULL: a record that is too wide ends the run */
};

struct misfits *misfits_new(const struct misfit_settings *set);
void misfits_free(struct misfits **m);

/* A topic has refused a record for the size of its batch. True: once what was sent is read again it can be gone on with;
 * false: it was known before, and was sent since nothing else can be done. */
bool misfits_refused(struct misfits *m, const char *topic, size_t bytes);

/* How large a batch the next producer may make, and whether that is smaller than what the one in use was opened with. */
size_t misfits_open_with(struct misfits *m);
bool misfits_want_producer(const struct misfits *m);

/* A topic that has refused and whose max.message.bytes is not known; NULL: none. The answer: 0: it can't be known. */
const char *misfits_unasked(const struct misfits *m);
void misfits_answer(struct misfits *m, const char *topic, size_t limit);

/* Whether the record is too wide, as far as is known. */
bool misfits_has(const struct misfits *m, const struct sink_record *rec);

/* Where a record comes from. */
struct misfit_place {
    const char *table; /* db NUL table, as table_id has it; NULL: not a row */
    const struct log_position *pos;
    uint32_t event; /* 0: a row of a snapshot */
    uint32_t row;
    const char *gtid; /* "": none */
};

/* Makes its dead-letter record, which borrows from rec and from m until the next call; it is to be sent in its stead, and
 * told by misfits_told when it was. False (STOP, DATA): none is wanted, or the dead-letter topic does not take it either. */
MUST_USE bool misfits_set_aside(struct misfits *m, const struct sink_record *rec, const struct misfit_place *at,
                                struct sink_record *out, struct fail *why);
void misfits_told(struct misfits *m);

#endif
