/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shapes: definitions of the tables whose rows were captured, put together by hand.
 *
 * So the tests of decoders stand apart from the reader of DDL. A test may change its copy. What is allocated is the
 * arena's.
 */
#ifndef TIDEMARK_TEST_SUPPORT_SHAPES_H
#define TIDEMARK_TEST_SUPPORT_SHAPES_H

#include "base/arena.h"
#include "binlog/shape.h"

/* A table of the given columns, without indexes; names and charsets are resolved. */
struct shape *shapes_make(struct arena *a, const char *table, const struct column *columns, uint32_t n);

/* shop.types of test/data/capture/scenarios.py, with its primary key. */
struct shape *shapes_types(struct arena *a);

/* A column for shapes_make. */
#define COLUMN(column_name, column_kind, ...)                           \
    {.name = {(const uint8_t *)(column_name), sizeof(column_name) - 1}, \
     .kind = (column_kind),                                             \
     .is_nullable = true,                                               \
     __VA_ARGS__}

/* .charset of a column is set by name in its comment, which shapes_make takes away again. */
#define IN_CHARSET(charset_name) .comment = {(const uint8_t *)(charset_name), sizeof(charset_name) - 1}

#endif
