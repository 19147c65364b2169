/* SPDX-License-Identifier: Apache-2.0 */
#include "record/loss.h"

#include "base/log.h"

#include <inttypes.h>
#include <stdio.h>

static atomic_ulong lost;

unsigned long loss_count(void)
{
    return atomic_load_explicit(&lost, memory_order_relaxed);
}

enum { DESCRIPTION_BYTES = 64 };

static void describe(const struct cell *c, char text[DESCRIPTION_BYTES])
{
    const struct cell_date *d = &c->date;
    switch (c->kind) {
    case CELL_NULL:
        snprintf(text, DESCRIPTION_BYTES, "NULL in a column that is NOT NULL");
        break;
    case CELL_DATE:
    case CELL_DATETIME:
        snprintf(text, DESCRIPTION_BYTES, "%04u-%02u-%02u %02u:%02u:%02u.%06" PRIu32, d->year, d->month, d->day,
                 d->hour, d->minute, d->second, d->micro);
        break;
    case CELL_TIME:
    case CELL_TIMESTAMP:
        snprintf(text, DESCRIPTION_BYTES, "%" PRId64 " microseconds", c->i);
        break;
    case CELL_UINT:
        snprintf(text, DESCRIPTION_BYTES, "%" PRIu64, c->u);
        break;
    case CELL_INT:
        snprintf(text, DESCRIPTION_BYTES, "%" PRId64, c->i);
        break;
    case CELL_BYTES:
    case CELL_JSON:
    case CELL_JSON_TEXT:
        snprintf(text, DESCRIPTION_BYTES, "%zu bytes", c->bytes.n);
        break;
    case CELL_ABSENT:
    case CELL_FLOAT:
    case CELL_DOUBLE:
    case CELL_DECIMAL:
        snprintf(text, DESCRIPTION_BYTES, "a value of kind %d", c->kind);
        break;
    }
}

static bool is_power_of_ten(unsigned long n)
{
    while (n >= 10 && n % 10 == 0)
        n /= 10;
    return n == 1;
}

bool loss_accept(const struct plan *plan, const struct step *s, const struct cell *c, struct fail *why)
{
    const struct shape *shape = plan->shape;
    const struct column *col = &shape->columns[s->column];
    if (c->kind == CELL_ABSENT)
        return fail_set(why, FAIL_REFUSE, FAIL_AREA_DATA, 0,
                        "%.*s.%.*s: column %.*s is not in the row image; hint: a session wrote with "
                        "binlog_row_image other than FULL",
                        VIEW_ARGS(shape->db), VIEW_ARGS(shape->table), VIEW_ARGS(col->name));
    char value[DESCRIPTION_BYTES];
    describe(c, value);
    if (plan->set->converting_failure == FAILURE_FAIL)
        return fail_set(why, FAIL_STOP, FAIL_AREA_DATA, 0,
                        "%.*s.%.*s.%.*s: %s can't be written as %s; hint: "
                        "event.converting.failure.handling.mode=warn goes on without the value",
                        VIEW_ARGS(shape->db), VIEW_ARGS(shape->table), VIEW_ARGS(col->name), value,
                        s->type->name != NULL ? s->type->name : s->type->type);
    atomic_fetch_add_explicit(&lost, 1, memory_order_relaxed);
    unsigned long n = atomic_fetch_add_explicit(&plan->failures[s->column], 1, memory_order_relaxed) + 1;
    if (plan->set->converting_failure == FAILURE_WARN && is_power_of_ten(n))
        log_warn("render",
                 "value has no form in the record, %.*s stands for it table=%.*s.%.*s column=%.*s value=%s "
                 "type=%s so_far=%lu",
                 VIEW_ARGS(s->if_none), VIEW_ARGS(shape->db), VIEW_ARGS(shape->table), VIEW_ARGS(col->name), value,
                 s->type->name != NULL ? s->type->name : s->type->type, n);
    return true;
}
