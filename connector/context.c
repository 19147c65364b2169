/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/context.h"

#include "base/bytes.h"
#include "base/fail.h"

#include <stdlib.h>

void context_init(struct context *c, rd_kafka_headers_t *headers)
{
    *c = (struct context){.template = headers, .n = headers == NULL ? 0 : rd_kafka_header_cnt(headers)};
    ASSERT(c->n != 1);
    if (headers != NULL)
        c->spare = mem_alloc(CONTEXT_SPARE_MAX * sizeof *c->spare);
}

void context_fini(struct context *c)
{
    while (c->n_spare > 0)
        rd_kafka_headers_destroy(c->spare[--c->n_spare]);
    free(c->spare);
    if (c->template != NULL)
        rd_kafka_headers_destroy(c->template);
    *c = (struct context){0};
}

rd_kafka_headers_t *context_get(struct context *c)
{
    if (c->n_spare > 0)
        return c->spare[--c->n_spare];
    return c->template == NULL ? NULL : rd_kafka_headers_copy(c->template);
}

void context_return(struct context *c, rd_kafka_headers_t *headers)
{
    if (rd_kafka_header_cnt(headers) == c->n && c->n_spare < CONTEXT_SPARE_MAX)
        c->spare[c->n_spare++] = headers;
    else
        rd_kafka_headers_destroy(headers);
}

/* The message is librdkafka's own and not constant there; only its events say so. */
void context_reclaim(struct context *c, const rd_kafka_message_t *msg)
{
    rd_kafka_headers_t *headers;
    if (c->n > 0 && c->n_spare < CONTEXT_SPARE_MAX &&
        rd_kafka_message_detach_headers((rd_kafka_message_t *)(uintptr_t)msg, &headers) == RD_KAFKA_RESP_ERR_NO_ERROR)
        context_return(c, headers);
}

void context_append(const struct context *c, rd_kafka_headers_t *headers)
{
    const char *name;
    const void *value;
    size_t n;
    for (size_t i = 0; i < c->n && rd_kafka_header_get_all(c->template, i, &name, &value, &n) == 0; i++)
        rd_kafka_header_add(headers, name, -1, value, (ssize_t)n);
}
