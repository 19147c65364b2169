/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name: names of columns, keys and tables, compared as the server compares them.
 *
 * Column and key names never tell upper from lower case; table and database names do or don't, by
 * lower_case_table_names. Case is folded letter by letter (É is é, but not e), for ASCII and for the Latin, Greek,
 * Cyrillic and Armenian alphabets; other letters are taken as they stand. Names are UTF-8.
 * Source: utf8mb3_general_ci's case table, which the server uses for identifiers. Any thread.
 */
#ifndef TIDEMARK_BINLOG_NAME_H
#define TIDEMARK_BINLOG_NAME_H

#include "base/bytes.h"

bool name_equal(struct view a, struct view b);

/* Appends the name in lower case. */
void name_fold(struct view name, struct buf *out);

#endif
