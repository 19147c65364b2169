/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/offsets_place.h"

#include "binlog/scan.h"
#include "binlog/temporal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST_EVENT_AT = 4, MICROS = 1000000 };

struct log_file {
    struct log_position start; /* offset 4 */
    uint64_t bytes;
};

struct search {
    const struct config *cfg;
    const struct server *server;
    struct source *asked; /* for statements */
    struct source *dump;
    struct log_file *files; /* oldest first */
    size_t n_files;
    struct log_position end; /* of the log */
    struct offset_state *st; /* GTIDs and XA are collected in it */
};

void place_wish_init(struct place_wish *wish)
{
    *wish = (struct place_wish){.kind = PLACE_NOW};
    gtid_set_init(&wish->gtids);
}

void place_wish_fini(struct place_wish *wish)
{
    gtid_set_fini(&wish->gtids);
}

static bool refuse(struct fail *why, const char *format, ...) PRINTF_LIKE(2, 3);

static bool refuse(struct fail *why, const char *format, ...)
{
    char text[900];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return fail_set(why, FAIL_STOP, FAIL_AREA_REFUSED, 0, "%s", text);
}

/* ---- a time ---- */

static bool read_millis(const char *text, int64_t *time_us)
{
    char *end;
    size_t n = strspn(text, "0123456789");
    if (n == 0 || n > 15 || text[n] != '\0')
        return false;
    *time_us = strtoll(text, &end, 10) * 1000;
    return true;
}

/* Behind the seconds: Z, or +hh:mm. */
static bool read_zone(const char *text, int64_t *offset_us)
{
    unsigned hours;
    unsigned minutes;
    int n = 0;
    *offset_us = 0;
    if (strcmp(text, "Z") == 0 || strcmp(text, "z") == 0)
        return true;
    if ((*text != '+' && *text != '-') || !isdigit((unsigned char)text[1]) ||
        sscanf(text + 1, "%2u:%2u%n", &hours, &minutes, &n) != 2 || text[1 + n] != '\0' || hours > 18 || minutes > 59)
        return false;
    *offset_us = (int64_t)(hours * 60 + minutes) * 60 * MICROS * (*text == '-' ? -1 : 1);
    return true;
}

static const char *read_fraction(const char *text, uint32_t *micro)
{
    *micro = 0;
    if (*text != '.')
        return text;
    uint32_t unit = MICROS / 10;
    for (text++; isdigit((unsigned char)*text); text++, unit /= 10)
        *micro += unit * (uint32_t)(*text - '0');
    return text;
}

static bool read_date_time(const char *text, int64_t *time_us)
{
    unsigned v[6];
    int n = 0;
    int64_t offset_us;
    if (sscanf(text, "%4u-%2u-%2u%*1[Tt ]%2u:%2u:%2u%n", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &n) != 6 || n != 19)
        return false;
    struct cell_date date = {
        (uint16_t)v[0], (uint8_t)v[1], (uint8_t)v[2], (uint8_t)v[3], (uint8_t)v[4], (uint8_t)v[5], 0};
    if (v[3] > 23 || v[4] > 59 || v[5] > 59 || !temporal_day_exists(&date) ||
        !read_zone(read_fraction(text + n, &date.micro), &offset_us))
        return false;
    *time_us = temporal_epoch_micros(&date) - offset_us;
    return true;
}

bool place_read_time(struct view text, int64_t *time_us, struct fail *why)
{
    char *copy = view_to_string(text);
    bool ok = read_millis(copy, time_us) || read_date_time(copy, time_us);
    free(copy);
    return ok || fail_set(why, FAIL_STOP, FAIL_AREA_CONFIG, 0,
                          "%.*s is no time such as 2026-11-30T17:33:11Z or 1796060000000 (milliseconds since 1970)",
                          VIEW_ARGS(text));
}

/* ---- what the server has ---- */

static void add_file(void *ctx, struct view file, uint64_t bytes)
{
    struct search *s = ctx;
    struct log_file f = {.bytes = bytes};
    struct fail why;
    if (!position_set(&f.start, file, FIRST_EVENT_AT, &why))
        return;
    s->files = mem_resize(s->files, (s->n_files + 1) * sizeof *s->files);
    s->files[s->n_files++] = f;
}

static const struct log_file *find_file(const struct search *s, const char *name)
{
    for (size_t i = 0; i < s->n_files; i++)
        if (strcmp(s->files[i].start.file, name) == 0)
            return &s->files[i];
    return NULL;
}

/* The end first: what is in the list then is at least that long. */
static bool look_at_log(struct search *s, struct fail *why)
{
    if (!server_read_end(s->asked, s->server, &s->end, why) || !server_read_logs(s->asked, add_file, s, why))
        return false;
    return s->n_files > 0 || refuse(why, "%s has no log files", source_name(s->asked));
}

/* ---- walking through the log ---- */

static struct scan *walk_from(struct search *s, const struct log_position *pos, struct fail *why)
{
    const struct source_start start = {.pos = pos};
    return scan_open(s->dump, &start, false, why);
}

/* The prepare of an XA transaction stays out of the set until it ends. */
static void pass_transaction(struct search *s, const struct scan_transaction *trx)
{
    struct offset_state *st = s->st;
    st->ts_sec = trx->ts_us / MICROS;
    if (trx->kind == SCAN_XA_PREPARE) {
        offset_state_remove_xa(st, trx->xid);
        offset_state_add_xa(st, trx->xid, &trx->gtid, &trx->begin, trx->ts_us / 1000000);
        return;
    }
    for (uint32_t i = 0; trx->kind != SCAN_CHANGES && i < st->n_xa; i++)
        if (view_is(trx->xid, st->xa[i].xid) && st->xa[i].gtid.n > 0)
            gtid_set_add(&st->gtids, &st->xa[i].gtid);
    if (trx->kind != SCAN_CHANGES)
        offset_state_remove_xa(st, trx->xid);
    if (trx->gtid.n > 0)
        gtid_set_add(&st->gtids, &trx->gtid);
}

/* What was logged before the files that were read; and what can't be had any more, which nobody can ask for. */
static bool complete_gtids(struct search *s, const struct scan *sc, struct fail *why)
{
    struct gtid_set purged;
    struct offset_state *st = s->st;
    st->has_gtids = s->server->gtid_mode == SERVER_GTID_ON;
    if (!st->has_gtids) {
        gtid_set_fini(&st->gtids);
        return true;
    }
    if (scan_previous(sc) == NULL)
        return refuse(why, "the log of %s tells no GTIDs", source_name(s->asked));
    gtid_set_init(&purged);
    bool ok = server_read_purged(s->asked, &purged, why);
    gtid_set_union(&st->gtids, scan_previous(sc));
    gtid_set_union(&st->gtids, &purged);
    for (uint32_t i = 0; i < st->n_xa; i++)
        gtid_set_remove(&st->gtids, &st->xa[i].gtid);
    gtid_set_fini(&purged);
    return ok;
}

static void set_place(struct search *s, const struct log_position *pos)
{
    struct offset_state *st = s->st;
    bool waits = s->server->gtid_mode != SERVER_GTID_ON && st->n_xa > 0;
    st->pos = waits ? st->xa[0].pos : *pos;
    st->reached = waits ? *pos : (struct log_position){.file = ""};
    snprintf(st->server_uuid, sizeof st->server_uuid, "%s", s->server->uuid);
}

/* ---- by position ---- */

static bool refuse_inside(struct search *s, struct scan *sc, const struct log_position *pos, struct log_position begin,
                          struct fail *why)
{
    const struct scan_transaction *trx = NULL;
    char gtid[GTID_TEXT_BYTES] = "";
    if (!scan_next(sc, &s->end, &trx, why))
        return false;
    if (trx != NULL && trx->gtid.n > 0)
        gtid_print(&trx->gtid, gtid);
    return refuse(why,
                  "%s:%llu on %s is no place between transactions: one%s%s begins at %llu and ends at %s:%llu; "
                  "hint: take one of these",
                  pos->file, (unsigned long long)pos->offset, source_name(s->asked), gtid[0] == '\0' ? "" : ", ", gtid,
                  (unsigned long long)begin.offset, trx == NULL ? begin.file : trx->end.file,
                  (unsigned long long)(trx == NULL ? s->end.offset : trx->end.offset));
}

/* Steps to pos; begin is where the transaction started that the last step was in, or would have. */
static bool walk_to(struct search *s, struct scan *sc, const struct log_position *pos, struct fail *why)
{
    struct log_position begin = find_file(s, pos->file)->start;
    while (strcmp(scan_place(sc)->file, pos->file) != 0 || position_compare(scan_place(sc), pos) < 0) {
        const struct scan_transaction *trx;
        struct log_position before = *scan_place(sc);
        (void)scan_is_inside(sc, &begin);
        if (!scan_step(sc, &trx, why))
            return false;
        if (trx != NULL && position_compare(&trx->end, pos) <= 0) {
            pass_transaction(s, trx);
            continue;
        }
        if (trx != NULL && before.file[0] != '\0')
            return refuse(why,
                          "%s:%llu on %s is no place between transactions: one begins at %llu and ends at %llu; hint: "
                          "take one of these",
                          pos->file, (unsigned long long)pos->offset, source_name(s->asked),
                          (unsigned long long)trx->begin.offset, (unsigned long long)trx->end.offset);
    }
    bool is_inside = scan_is_inside(sc, &begin);
    if (is_inside)
        return refuse_inside(s, sc, pos, begin, why);
    if (position_compare(scan_place(sc), pos) > 0)
        return refuse(why, "%s:%llu on %s lies inside an event that ends at %llu; hint: take that", pos->file,
                      (unsigned long long)pos->offset, source_name(s->asked),
                      (unsigned long long)scan_place(sc)->offset);
    return true;
}

static bool refuse_file(const struct search *s, const char *file, struct fail *why)
{
    return refuse(why, "%s has no log file %s; its files go from %s to %s", source_name(s->asked), file,
                  s->files[0].start.file, s->files[s->n_files - 1].start.file);
}

/* The log's end is asked for anew: the file may have grown, and an event that isn't there yet is waited for for ever. */
static bool find_position(struct search *s, const struct log_position *pos, struct fail *why)
{
    const struct log_file *f = find_file(s, pos->file);
    if (f == NULL)
        return refuse_file(s, pos->file, why);
    uint64_t end = strcmp(s->end.file, pos->file) == 0 ? s->end.offset : f->bytes;
    if (pos->offset > end || pos->offset < FIRST_EVENT_AT)
        return refuse(why, "%s:%llu is not in the log of %s: the file goes from %d to %llu", pos->file,
                      (unsigned long long)pos->offset, source_name(s->asked), FIRST_EVENT_AT, (unsigned long long)end);
    struct scan *sc = walk_from(s, &f->start, why);
    bool ok = sc != NULL && walk_to(s, sc, pos, why);
    /* At the file's very start nothing was read: the set stands in its next event. */
    const struct scan_transaction *trx;
    while (ok && scan_previous(sc) == NULL && scan_place(sc)->offset < end &&
           scan_place(sc)->offset < f->start.offset + 1024)
        ok = scan_step(sc, &trx, why);
    ok = ok && complete_gtids(s, sc, why);
    scan_close(&sc);
    if (ok)
        set_place(s, pos);
    return ok;
}

/* ---- by time ---- */

static bool read_file_time(struct search *s, size_t i, uint32_t *sec, struct fail *why)
{
    struct scan *sc = walk_from(s, &s->files[i].start, why);
    const struct scan_transaction *trx;
    bool ok = sc != NULL;
    while (ok && scan_file_time(sc) == 0)
        ok = scan_step(sc, &trx, why);
    if (ok)
        *sec = scan_file_time(sc);
    scan_close(&sc);
    return ok;
}

/* The newest file that was made at or before that time: what was committed after it is not in an older one. */
static bool choose_file(struct search *s, int64_t time_us, size_t *chosen, struct fail *why)
{
    size_t low = 0;
    size_t high = s->n_files;
    uint32_t sec = 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (!read_file_time(s, middle, &sec, why))
            return false;
        if ((int64_t)sec * MICROS <= time_us)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return refuse(why,
                      "the log of %s begins only at %lld (seconds since 1970), with %s; hint: --file %s --pos 4 is "
                      "its start",
                      source_name(s->asked), (long long)sec, s->files[0].start.file, s->files[0].start.file);
    *chosen = low - 1;
    return true;
}

static bool find_time(struct search *s, int64_t time_us, struct fail *why)
{
    const struct scan_transaction *trx = NULL;
    size_t file = 0;
    if (!choose_file(s, time_us, &file, why))
        return false;
    struct scan *sc = walk_from(s, &s->files[file].start, why);
    bool ok = sc != NULL;
    while (ok) {
        ok = scan_next(sc, &s->end, &trx, why);
        if (!ok || trx == NULL || trx->ts_us >= time_us)
            break;
        pass_transaction(s, trx);
    }
    if (ok && trx == NULL)
        ok = refuse(why, "nothing was committed on %s at that time or later; hint: --now is the end of its log",
                    source_name(s->asked));
    struct log_position found = ok ? trx->begin : (struct log_position){.file = ""};
    ok = ok && complete_gtids(s, sc, why);
    scan_close(&sc);
    if (ok)
        set_place(s, &found);
    return ok;
}

/* ---- by GTIDs ---- */

static bool refuse_set(const char *what, const struct gtid_set *set, const struct search *s, struct fail *why)
{
    struct buf text;
    buf_init(&text);
    gtid_set_print(set, &text);
    bool is_long = buf_size(&text) > 400;
    refuse(why, "%s %s%.*s%s", source_name(s->asked), what, (int)(is_long ? 400 : buf_size(&text)), (char *)text.start,
           is_long ? "…" : "");
    buf_fini(&text);
    return false;
}

/* *missing: what the server has and the wish has not. */
static bool check_set(struct search *s, const struct gtid_set *wish, struct gtid_set *missing, struct fail *why)
{
    struct gtid_set other;
    gtid_set_init(&other);
    bool ok = server_read_executed(s->asked, missing, why);
    if (ok) {
        gtid_set_copy(&other, wish);
        gtid_set_minus(&other, missing);
        ok = gtid_set_is_empty(&other) || refuse_set("has not executed ", &other, s, why);
    }
    ok = ok && server_read_purged(s->asked, &other, why);
    if (ok) {
        gtid_set_minus(&other, wish);
        ok = gtid_set_is_empty(&other) ||
             refuse_set("has purged from its log what the set leaves out: ", &other, s, why);
    }
    if (ok)
        gtid_set_minus(missing, wish);
    gtid_set_fini(&other);
    return ok;
}

/* The server sends first what is missing first in its log. */
static bool find_first_missing(struct search *s, const struct gtid_set *wish, struct log_position *pos,
                               struct fail *why)
{
    const struct source_start start = {.executed = wish};
    const struct scan_transaction *trx = NULL;
    struct scan *sc = scan_open(s->dump, &start, false, why);
    bool ok = sc != NULL && scan_find(sc, &s->end, &trx, why);
    *pos = trx != NULL ? trx->begin : s->end;
    scan_close(&sc);
    return ok;
}

static bool find_gtids(struct search *s, const struct gtid_set *wish, struct fail *why)
{
    struct log_position pos = s->end;
    struct gtid_set missing;
    if (s->server->gtid_mode != SERVER_GTID_ON)
        return refuse(why, "gtid_mode is not ON on %s: a position is given by file and offset there",
                      source_name(s->asked));
    gtid_set_init(&missing);
    bool ok = check_set(s, wish, &missing, why);
    if (ok && !gtid_set_is_empty(&missing))
        ok = server_read_end(s->asked, s->server, &s->end, why) && find_first_missing(s, wish, &pos, why);
    gtid_set_fini(&missing);
    if (!ok)
        return false;
    s->st->has_gtids = true;
    gtid_set_copy(&s->st->gtids, wish);
    set_place(s, &pos);
    return true;
}

/* ---- a position that comes from elsewhere ---- */

/* Sources of which it knows nothing it asks for from the oldest that there is: what is purged of them counts as told, as
 * Debezium has it. */
static bool add_purged_of_others(struct search *s, struct fail *why)
{
    struct gtid_set purged;
    gtid_set_init(&purged);
    bool ok = server_read_purged(s->asked, &purged, why);
    for (uint32_t i = 0; ok && i < purged.n_sources; i++) {
        const struct gtid_source *from = &purged.sources[i];
        bool is_known = false;
        for (uint32_t k = 0; k < s->st->gtids.n_sources && !is_known; k++)
            is_known = memcmp(s->st->gtids.sources[k].uuid, from->uuid, sizeof from->uuid) == 0;
        for (uint32_t k = 0; !is_known && k < from->n_intervals; k++)
            gtid_set_add_range(&s->st->gtids, from->uuid, from->tag, from->intervals[k]);
    }
    gtid_set_fini(&purged);
    return ok;
}

static bool is_at(const struct log_position *a, const struct log_position *b)
{
    return strcmp(a->file, b->file) == 0 && a->offset == b->offset;
}

/* The next transaction, by the set, begins where st says. */
static bool match_gtids(struct search *s, bool *is_placed, struct fail *why)
{
    struct offset_state *st = s->st;
    const struct source_start start = {.executed = &st->gtids};
    const struct scan_transaction *trx = NULL;
    struct scan *sc = scan_open(s->dump, &start, false, why);
    bool ok = sc != NULL && scan_find(sc, &s->end, &trx, why);
    bool is_inside = offset_state_is_inside(st);
    if (ok && trx == NULL)
        *is_placed = !is_inside && is_at(&st->pos, &s->end);
    else if (ok)
        *is_placed =
            is_at(&st->pos, is_inside ? &trx->opened : &trx->begin) || (!is_inside && is_at(&st->pos, &trx->opened));
    if (ok && *is_placed && trx != NULL && !is_inside)
        st->pos = trx->begin;
    scan_close(&sc);
    return ok;
}

static bool check_gtids(struct search *s, bool *is_placed, struct fail *why)
{
    struct offset_state *st = s->st;
    struct gtid_set missing;
    if (s->server->gtid_mode != SERVER_GTID_ON)
        return refuse(why, "the position is a GTID set, but gtid_mode is not ON on %s", source_name(s->asked));
    gtid_set_init(&missing);
    bool ok = add_purged_of_others(s, why) && check_set(s, &st->gtids, &missing, why);
    bool is_at_end = ok && gtid_set_is_empty(&missing);
    gtid_set_fini(&missing);
    if (!ok || !server_read_end(s->asked, s->server, &s->end, why))
        return false;
    if (is_at_end)
        *is_placed = !offset_state_is_inside(st) && is_at(&st->pos, &s->end);
    else if (!match_gtids(s, is_placed, why))
        return false;
    if (!*is_placed)
        st->event = st->row = 0; /* another log may have cut the transaction otherwise */
    return true;
}

static bool check_event_start(struct search *s, const struct log_position *pos, struct fail *why)
{
    const struct log_file *f = find_file(s, pos->file);
    if (f == NULL)
        return refuse_file(s, pos->file, why);
    struct scan *sc = walk_from(s, &f->start, why);
    const struct scan_transaction *trx;
    bool ok = sc != NULL;
    while (ok && (strcmp(scan_place(sc)->file, pos->file) != 0 || position_compare(scan_place(sc), pos) < 0) &&
           position_compare(scan_place(sc), &s->end) < 0)
        ok = scan_step(sc, &trx, why);
    bool is_one = ok && is_at(scan_place(sc), pos);
    scan_close(&sc);
    return ok && (is_one || refuse(why, "no transaction begins at %s:%llu on %s", pos->file,
                                   (unsigned long long)pos->offset, source_name(s->asked)));
}

/* Without GTIDs nothing else says that this is the log: the place must at least be one. */
static bool check_file_position(struct search *s, struct fail *why)
{
    struct offset_state *st = s->st;
    struct offset_state found;
    const struct log_position pos = st->pos;
    if (st->event > 0 || st->row > 0)
        return check_event_start(s, &pos, why);
    offset_state_init(&found);
    s->st = &found;
    bool ok = find_position(s, &pos, why);
    offset_state_fini(&found);
    s->st = st;
    return ok;
}

/* ---- the door ---- */

static void forget_place(struct offset_state *st)
{
    while (st->n_xa > 0)
        offset_state_remove_xa(st, view_of(st->xa[0].xid));
    gtid_set_fini(&st->gtids);
    st->has_gtids = false;
    st->pos = st->reached = (struct log_position){.file = ""};
    offset_state_leave(st);
    st->server_id = 0;
    st->ts_sec = 0;
    st->snapshot[0] = '\0';
    st->server_uuid[0] = '\0';
}

bool offsets_place_find(struct source *src, const struct config *cfg, const struct server *server,
                        const struct place_wish *wish, struct offset_state *st, struct fail *why)
{
    struct search s = {.cfg = cfg, .server = server, .asked = src, .st = st};
    bool ok = false;
    s.dump = source_new(&cfg->source);
    forget_place(st);
    if (look_at_log(&s, why)) {
        switch (wish->kind) {
        case PLACE_GTIDS:
            ok = find_gtids(&s, &wish->gtids, why);
            break;
        case PLACE_POSITION:
            ok = find_position(&s, &wish->pos, why);
            break;
        case PLACE_TIME:
            ok = find_time(&s, wish->time_us, why);
            break;
        case PLACE_NOW:
            ok = find_position(&s, &s.end, why);
            break;
        }
    }
    source_free(&s.dump);
    free(s.files);
    return ok;
}

bool offsets_place_check(struct source *src, const struct config *cfg, const struct server *server,
                         struct offset_state *st, bool *is_placed, struct fail *why)
{
    struct search s = {.cfg = cfg, .server = server, .asked = src, .st = st};
    *is_placed = false;
    s.dump = source_new(&cfg->source);
    bool ok = look_at_log(&s, why);
    if (ok && st->has_gtids) {
        ok = check_gtids(&s, is_placed, why);
    } else if (ok) {
        ok = check_file_position(&s, why);
        *is_placed = ok;
    }
    snprintf(st->server_uuid, sizeof st->server_uuid, "%s", ok && *is_placed ? server->uuid : "");
    source_free(&s.dump);
    free(s.files);
    return ok;
}
