/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waiting_list: the tables of a long queue whose turn has not come, stored beside the offset.
 *
 *   key    ["<name>",{"server":"<topic.prefix>"},"waiting",<slot>,<part>]      among the shapes
 *   value  {"version":1,"list":7,"parts":2,"tables":[{"db":"shop","table":"orders",…},…]}      tables as in progress.h
 *
 * The offset is stored with each commit and must stay small; what thousands of tables wait for stays the same for hours. So
 * the offset says only which list it means, and how many of its first tables have had their turn since (progress.h).
 *
 * Always true:
 *   L1  a list never changes: what must be told anew is another list with the next number, in the other of the two slots.
 *       So the list that the stored offset means is whole until an offset that means the next one is stored, also where
 *       list and offset are not stored as one
 *   L2  no record is longer than PART_BYTES and one table
 *
 * The last list stays where it is after its tables were read, until another one takes its slot.
 * A list may be held by any thread. The rest: one thread at a time.
 */
#ifndef TIDEMARK_CONNECTOR_WAITING_LIST_H
#define TIDEMARK_CONNECTOR_WAITING_LIST_H

#include "base/bytes.h"
#include "base/fail.h"
#include "snapshot/incremental.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { WAITING_PART_BYTES = 128 * 1024, WAITING_SLOTS = 2 };

struct waiting_list {
    atomic_uint counts;
    uint64_t number; /* from 1 */
    uint32_t n;      /* tables */
    uint32_t n_parts;
    char **parts; /* JSON arrays of tables, in the order of the queue */
};

/* All tables of the queue whose turn has not come. */
struct waiting_list *waiting_list_new(uint64_t number, const struct incremental *inc);
struct waiting_list *waiting_list_hold(struct waiting_list *list); /* NULL-safe */
void waiting_list_free(struct waiting_list **list);                /* NULL-safe, leaves NULL behind */

/* Of all its parts. */
size_t waiting_list_bytes(const struct waiting_list *list);

/* Appends the record that keeps a part. */
void waiting_list_print_key(const struct waiting_list *list, uint32_t part, const char *name, const char *topic_prefix,
                            struct buf *out);
void waiting_list_print(const struct waiting_list *list, uint32_t part, struct buf *out);

/* ---- reading ---- */

/* What was found of lists among the shapes; the newest record of each key. */
struct waiting_found {
    struct waiting_record {
        uint64_t number;
        uint32_t n_parts;
        char *tables; /* owned; NULL: none, or of a version that is not known here */
    } *slots[WAITING_SLOTS];
    uint32_t n[WAITING_SLOTS];
};

void waiting_found_init(struct waiting_found *found);
void waiting_found_fini(struct waiting_found *found);

/* Whether the key is of a part of a list of this connector. */
bool waiting_found_is_part(struct view key, const char *name, const char *topic_prefix);

/* Takes such a record. */
void waiting_found_take(struct waiting_found *found, struct view key, bool has_value, struct view value);

/* The list with that number, with one count; NULL when it isn't there as a whole. */
struct waiting_list *waiting_found_list(const struct waiting_found *found, uint64_t number);

#endif
