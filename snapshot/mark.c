/* SPDX-License-Identifier: Apache-2.0 */
#include "snapshot/mark.h"

struct block_marks mark_rows(const struct table_read *t, bool ends_table, bool is_last_table)
{
    if (t->kind == READ_INCREMENTAL)
        return (struct block_marks){"incremental", "incremental", "incremental", "incremental"};
    bool begins_table = t->rows_sent == 0;
    struct block_marks marks = {.first = "true", .between = "true", .last = "true"};
    if (begins_table)
        marks.first = t->is_first ? "first" : "first_in_data_collection";
    if (ends_table)
        marks.last = is_last_table ? "last" : "last_in_data_collection";
    bool last_wins = ends_table && (is_last_table || !begins_table || !t->is_first);
    marks.only = last_wins ? marks.last : marks.first;
    return marks;
}
