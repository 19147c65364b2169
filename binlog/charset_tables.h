/* SPDX-License-Identifier: Apache-2.0 */
/*
 * charset_tables: what MySQL says of its character sets, as tools/make_charsets.py wrote it down.
 *
 * A double-byte table is a chart: one row of UTF-8 text a lead byte, one character a trail byte, U+FFFD where there is
 * none; rows end at their last character. Runs of cells (counted row by row) then overwrite it: private use characters,
 * and in a table with a base, which has the base's chart, all that differs. Constant; any thread.
 */
#ifndef TIDEMARK_BINLOG_CHARSET_TABLES_H
#define TIDEMARK_BINLOG_CHARSET_TABLES_H

#include "binlog/charset.h"

enum { CHARSET_COUNT = 41, CHARSET_COLLATION_COUNT = 286 };

/* n cells from `cell` on hold code, code+1, …; all of them U+FFFD when code is that. */
struct charset_run {
    uint16_t cell;
    uint16_t n;
    uint16_t code;
};

struct charset_wide {
    uint8_t lead_min, lead_max;
    uint8_t trail_min, trail_max;
    const char *const *rows;         /* NULL: the base's */
    const struct charset_wide *base; /* NULL: rows */
    const struct charset_run *runs;
    unsigned n_runs;
    unsigned slot; /* where its unpacked table is kept */
};

/* Four-byte codes of GB 18030, counted from 81308130: n from `first` on hold code, code+1, … */
struct charset_linear {
    uint16_t first;
    uint16_t n;
    uint16_t code;
};

struct charset_collation {
    uint16_t id;
    uint8_t charset; /* index into charset_list */
    const char *name;
};

enum { CHARSET_SLOTS = 11 };

extern const struct charset charset_list[CHARSET_COUNT];                           /* by name */
extern const struct charset_collation charset_collations[CHARSET_COLLATION_COUNT]; /* by id */
extern const struct charset_linear charset_gb18030_linear[];                       /* by first */
extern const unsigned charset_gb18030_linear_count;

/* The steps that charset_list names; defined in charset.c. */
typedef struct utf8_step charset_step_fn(const struct charset *cs, const uint8_t *p, size_t n);
charset_step_fn charset_step_utf8, charset_step_ascii, charset_step_single, charset_step_wide, charset_step_kana,
    charset_step_euc, charset_step_gb18030, charset_step_ucs2, charset_step_utf16, charset_step_utf16le,
    charset_step_utf32;

#endif
