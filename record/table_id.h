/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_id: one pointer per table name, for the life of the process: equal names, equal pointers.
 *
 * The loop knows by it which window a row concerns, without comparing names for each. Any thread.
 */
#ifndef TIDEMARK_RECORD_TABLE_ID_H
#define TIDEMARK_RECORD_TABLE_ID_H

#include "base/bytes.h"

const char *table_id(struct view db, struct view table);

#endif
