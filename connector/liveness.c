/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/liveness.h"

#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

enum {
    TELL_SHARE = 4,
    SLEPT_MS = 5000, /* between two looks: it was we who stood still, stopped or without a processor */
};

void liveness_init(struct liveness *l, int64_t deadline_ms)
{
    *l = (struct liveness){.deadline_ms = deadline_ms};
}

static void begin(struct liveness *l, struct liveness_watched *w, int64_t now_ms)
{
    w->since_ms = now_ms;
    w->tell_ms = l->deadline_ms / TELL_SHARE;
}

static void tell(struct liveness_watched *w, int64_t for_ms, const char *what)
{
    log_warn("liveness", "nothing has moved for %lld s: %s", (long long)(for_ms / 1000), what);
    w->is_told = true;
    w->tell_ms = 2 * for_ms;
}

static void tell_end(struct liveness_watched *w, const char *what)
{
    log_info("liveness", "it goes on: %s", what);
    w->is_told = false;
}

int64_t liveness_look(struct liveness *l, enum liveness_part part, bool waits, uint64_t progress, int64_t now_ms,
                      const char *format, ...)
{
    struct liveness_watched *w = &l->parts[part];
    char what[512];
    va_list args;
    bool is_anew = !waits || !w->waits || progress != w->progress;
    bool has_slept = w->looked_ms != 0 && now_ms - w->looked_ms >= SLEPT_MS;
    int64_t for_ms = is_anew || has_slept ? 0 : now_ms - w->since_ms;
    bool is_due = for_ms > 0 && for_ms >= w->tell_ms;
    w->waits = waits;
    w->progress = progress;
    w->looked_ms = now_ms;
    if (is_due || (is_anew && w->is_told)) {
        va_start(args, format);
        vsnprintf(what, sizeof what, format, args);
        va_end(args);
        if (is_due)
            tell(w, for_ms, what);
        else
            tell_end(w, what);
    }
    if (is_anew || has_slept)
        begin(l, w, now_ms);
    return for_ms;
}
