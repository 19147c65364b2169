/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block: the rows of a closed window on their way to Kafka: whole records, in one piece of memory that is lent.
 *
 * Frees itself when the last record is back and its maker has let go of it. Loop thread only.
 */
#ifndef TIDEMARK_SNAPSHOT_BLOCK_H
#define TIDEMARK_SNAPSHOT_BLOCK_H

#include "base/bytes.h"
#include "base/loan.h"
#include "record/plan.h"
#include "record/render.h"
#include "snapshot/window.h"

#include <stdbool.h>
#include <stdint.h>

struct block_record {
    struct view key; /* empty p: null */
    struct view value;
};

struct block {
    struct loan loan; /* first: the loan is the block */
    const char *topic;
    const char *table; /* as table_id has it */
    struct block_record *records;
    uint32_t n;
    uint32_t n_given; /* to the producer, in order */
    uint32_t n_lent;
    bool is_let_go;
    size_t bytes;
    uint8_t memory[];
};

/* What source.snapshot says of the rows of a block, by their place in it. */
struct block_marks {
    const char *only; /* of a row that is alone */
    const char *first;
    const char *between;
    const char *last;
};

/* Whole records of the rows that the window keeps; src names the place where they leave, but for what the marks say. */
struct block *block_new(const struct window *win, const struct plan *plan, const char *table,
                        const struct row_source *src, const struct block_marks *marks);

/* The next record to give, or NULL when all are given. After the producer took it: block_lend first, then block_step. */
const struct block_record *block_next(const struct block *b);
struct loan *block_lend(struct block *b);
void block_step(struct block *b);

/* The maker's last word; NULL-safe, leaves NULL behind. */
void block_let_go(struct block **b);

#endif
