/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chunk: the statements that read a table in key order, a range of its key at a time.
 *
 *   SELECT `a`, `b`, … FROM `db`.`t` FORCE INDEX (`PRIMARY`)
 *    WHERE (`a` > ? OR (`a` = ? AND `b` > ?))              behind the last key
 *      AND (`a` < ? OR (`a` = ? AND (`b` < ? OR `b` = ?))) up to the largest
 *      AND (filter
 *          )
 *    ORDER BY `t`.`a`, `t`.`b` LIMIT n
 *
 * Always the expanded form, which scans a range where row constructors scan from the start; always the key's own index
 * forced; always the index's own directions. What a part is compared with follows from its type: text by its raw bytes
 * in its own collation, ENUM by lists of numbers, since the server does not scan ranges of it.
 *
 * A key that the server itself can't order and compare alike, or can't scan by range, is refused with its reason: prefix
 * parts, SET, functional parts, gb18030_chinese_ci, JSON and the like.
 *
 * Everything is the arena's. Any thread.
 */
#ifndef TIDEMARK_SNAPSHOT_CHUNK_H
#define TIDEMARK_SNAPSHOT_CHUNK_H

#include "base/arena.h"
#include "base/fail.h"
#include "binlog/shape.h"
#include "snapshot/chunk_key.h"

enum { CHUNK_PARTS_MAX = 32 };

struct chunk_part {
    uint16_t column;
    bool is_descending;
    bool is_nullable;
};

/* The order in which a table is read. */
struct chunk_path {
    const struct shape *shape; /* lent */
    struct view index;         /* its name */
    struct chunk_part parts[CHUNK_PARTS_MAX];
    unsigned n;
};

/* By the table's own key, or by a surrogate column and then that key. REFUSE, with the reason, when that can't be. */
MUST_USE bool chunk_choose_path(struct chunk_path *path, const struct shape *shape, const char *surrogate,
                                struct fail *why);

/* A digest of all that decides how keys are ordered and what their stored text means: 16 hex digits and a NUL. */
void chunk_path_digest(const struct chunk_path *path, char out[17]);

/* A value for a `?`, in order. */
struct chunk_param {
    const struct column *column;
    struct view value;
};

struct chunk_statement {
    struct buf sql; /* with its NUL; the arena's lifetime does not matter to it */
    struct chunk_param *params;
    unsigned n_params;
    unsigned room;
};

void chunk_statement_init(struct chunk_statement *st);
void chunk_statement_fini(struct chunk_statement *st);

/* The largest key: a SELECT of the key parts, in the path's order. */
void chunk_put_largest(struct chunk_statement *st, const struct chunk_path *path, bool for_share);

/* What one chunk reads. columns: which of the shape's are selected, in order. after and last: values of the path's parts
 * (NULL: from the start). with_json_typed: behind the columns come as many numbers as there are JSON ones among them, 1 for
 * a document that holds typed values (enum jsonb_typed). */
struct chunk_range {
    const uint16_t *columns;
    unsigned n_columns;
    const struct chunk_key_value *after;
    const struct chunk_key_value *last;
    const char *filter; /* NULL: none; checked (chunk_filter.h) */
    uint32_t limit;
    bool for_share;
    bool with_json_typed;
};

void chunk_put_select(struct chunk_statement *st, const struct chunk_path *path, const struct chunk_range *range);

/* All rows, as they come. with_json_typed as in a range. */
void chunk_put_whole(struct chunk_statement *st, const struct shape *shape, const uint16_t *columns, unsigned n_columns,
                     bool with_json_typed);

#endif
