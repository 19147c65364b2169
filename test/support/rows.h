/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows: shapes from SQL and cells from literals, to render rows in tests.
 *
 * The settings are those that the golden records were made with: topic.prefix=g, everything else default.
 */
#ifndef TIDEMARK_TEST_SUPPORT_ROWS_H
#define TIDEMARK_TEST_SUPPORT_ROWS_H

#include "binlog/cell.h"
#include "binlog/shape.h"
#include "record/render.h"
#include "record/settings.h"

struct record_settings rows_settings(bool with_schemas);

/* Of CREATE TABLE text without a database; fails the test when it can't be read. The caller frees it. */
const struct shape *rows_shape(const char *db, const char *sql);

struct cell rows_null(void);
struct cell rows_int(int64_t i);
struct cell rows_uint(uint64_t u);
struct cell rows_float(float f);
struct cell rows_double(double d);
struct cell rows_text(const char *text);
struct cell rows_bytes(const void *bytes, size_t n);
struct cell rows_decimal(const char *text, unsigned scale);
struct cell rows_date(unsigned year, unsigned month, unsigned day);
struct cell rows_datetime(unsigned year, unsigned month, unsigned day, unsigned hour, unsigned minute, unsigned second,
                          unsigned micro);
struct cell rows_time(int64_t micros);
struct cell rows_timestamp(int64_t micros);
struct cell rows_json(const char *text);

/* The bytes of a literal, its end aside. */
#define ROWS_BYTES(literal) rows_bytes(literal, sizeof(literal) - 1)

/* One row rendered by a plan made for it. */
struct rows_result {
    struct buf out;
    struct rendered_row row;
    bool is_good;
    struct fail why;
};

struct rows_result rows_render(const struct shape *shape, const struct record_settings *set,
                               const struct row_source *src, enum row_op op, uint32_t row, const struct cell *before,
                               const struct cell *after);
void rows_result_fini(struct rows_result *r);

struct view rows_key(const struct rows_result *r, unsigned i);
struct view rows_value(const struct rows_result *r, unsigned i);
struct view rows_header(const struct rows_result *r, unsigned i);

/* A row of a golden case; nth counts the streamed records of its topic, from 0. */
struct rows_golden {
    const char *name; /* "01-int-types" */
    const char *topic;
    unsigned nth;       /* of the row's first record */
    const char *create; /* the table as it was then */
    enum row_op op;
    const struct cell *before, *after;
    void (*change)(struct record_settings *set); /* NULL: the default settings */
};

/* As `change`: leaves the comparison with schemas out, where the reference's schema is wrong. */
void rows_without_schemas(struct record_settings *set);

/* The record of an insert into a table of (id, another column) holds a text: a member of the payload or of the schema. */
void rows_check_field(const char *create, struct cell c, void (*change)(struct record_settings *set),
                      const char *expected);

/* Renders the row with schemas and without and compares each record it makes with the golden ones, byte by byte. */
void rows_check_golden(const struct rows_golden *g);

#endif
