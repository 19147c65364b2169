/* SPDX-License-Identifier: Apache-2.0 */
#include "snapshot/chunk_fault.h"

#include "snapshot/query.h"

#include <string.h>

/* Numbers of the server's errors, MySQL manual "Server Error Message Reference". */
enum {
    ER_SERVER_SHUTDOWN_NO = 1053,
    ER_BAD_DB = 1049,
    ER_BAD_FIELD = 1054,
    ER_NO_SUCH_TABLE_NO = 1146,
    ER_KEY_DOES_NOT_EXIST = 1176, /* of FORCE INDEX: dropped, or made invisible */
    ER_LOCK_WAIT = 1205,
    ER_DEADLOCK = 1213,
    ER_INTERRUPTED = 1317,
    ER_TABLE_CHANGED = 1412,
    ER_REPREPARE = 1615,
    ER_TABLESPACE_DISCARDED_NO = 1814, /* between DISCARD and IMPORT TABLESPACE */
    ER_TOO_SLOW = 3024,
    CR_COLUMNS_CHANGED = 2057,
};

enum chunk_outcome chunk_fault_outcome(const struct fail *why)
{
    switch (why->code) {
    case ER_BAD_DB:
    case ER_BAD_FIELD:
    case ER_NO_SUCH_TABLE_NO:
    case ER_KEY_DOES_NOT_EXIST:
    case CR_COLUMNS_CHANGED:
    case QUERY_OTHER_COLUMNS:
        return CHUNK_OTHER_SHAPE;
    case ER_REPREPARE:
    case ER_TABLESPACE_DISCARDED_NO:
        return CHUNK_AGAIN;
    default:
        return why->kind == FAIL_RETRY ? CHUNK_AGAIN : CHUNK_REFUSED;
    }
}

bool chunk_fault_breaks_connection(const struct fail *why)
{
    switch (why->code) {
    case ER_LOCK_WAIT:
    case ER_DEADLOCK:
    case ER_INTERRUPTED:
    case ER_TABLE_CHANGED:
    case ER_TOO_SLOW:
        return false;
    default:
        return why->kind == FAIL_RETRY && why->area == FAIL_AREA_SOURCE;
    }
}

bool chunk_fault_is_timeout(const struct fail *why)
{
    return why->code == ER_TOO_SLOW;
}

/* ---- plans ---- */

static bool begins(struct view v, const char *text)
{
    size_t n = strlen(text);
    return v.n >= n && memcmp(v.p, text, n) == 0;
}

/* A step reads "Index range scan on t using PRIMARY over …"; what the user's names are stands behind its first words. */
static bool is_good_step(struct view step, bool may_scan)
{
    if (begins(step, "Sort") || begins(step, "Table scan"))
        return false;
    return may_scan || !(begins(step, "Index scan") || begins(step, "Covering index scan"));
}

bool chunk_plan_is_good(struct view plan, bool may_scan, struct view *step)
{
    struct view rest = plan;
    while (rest.n > 0) {
        const uint8_t *end = memchr(rest.p, '\n', rest.n);
        size_t n = end == NULL ? rest.n : (size_t)(end - rest.p);
        struct view line = {rest.p, n};
        rest = (struct view){rest.p + n, rest.n - n};
        if (rest.n > 0)
            rest = (struct view){rest.p + 1, rest.n - 1};
        while (line.n > 0 && *line.p == ' ')
            line = (struct view){line.p + 1, line.n - 1};
        if (!begins(line, "-> "))
            continue;
        *step = (struct view){line.p + 3, line.n - 3};
        if (!is_good_step(*step, may_scan))
            return false;
    }
    return true;
}
