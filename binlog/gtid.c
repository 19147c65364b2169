/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The algebra. Text and bytes are in gtid_format.c.
 *
 * Always true of a set between calls: sources ascend and none is empty; the intervals of a source ascend, are
 * not empty and leave a gap of at least one number between them. So equal sets have equal memory.
 */
#include "binlog/gtid.h"

#include <stdlib.h>
#include <string.h>

static int compare_source(const struct gtid_source *s, const uint8_t uuid[16], const char *tag)
{
    int order = memcmp(s->uuid, uuid, 16);
    return order != 0 ? order : strcmp(s->tag, tag);
}

/* Where the source is, or where it belongs. */
static uint32_t find_place(const struct gtid_set *set, const uint8_t uuid[16], const char *tag, bool *found)
{
    uint32_t low = 0;
    uint32_t high = set->n_sources;
    *found = false;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = compare_source(&set->sources[middle], uuid, tag);
        if (order == 0) {
            *found = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const struct gtid_source *find_source(const struct gtid_set *set, const uint8_t uuid[16], const char *tag)
{
    bool found;
    uint32_t at = find_place(set, uuid, tag, &found);
    return found ? &set->sources[at] : NULL;
}

static uint32_t room_for(uint32_t room, uint32_t need)
{
    uint32_t more = room < 4 ? 4 : room;
    while (more < need)
        more *= 2;
    return more;
}

static void make_room(struct gtid_source *s, uint32_t need)
{
    if (need <= s->room)
        return;
    s->room = room_for(s->room, need);
    s->intervals = mem_resize(s->intervals, s->room * sizeof *s->intervals);
}

/* The source, made empty when it is not there: the caller puts something in or takes it out again. */
static struct gtid_source *take_source(struct gtid_set *set, const uint8_t uuid[16], const char *tag)
{
    bool found;
    uint32_t at = find_place(set, uuid, tag, &found);
    if (found)
        return &set->sources[at];
    ASSERT(strlen(tag) <= GTID_TAG_BYTES);
    if (set->n_sources == set->room) {
        set->room = room_for(set->room, set->n_sources + 1);
        set->sources = mem_resize(set->sources, set->room * sizeof *set->sources);
    }
    struct gtid_source *s = &set->sources[at];
    memmove(s + 1, s, (set->n_sources - at) * sizeof *s);
    set->n_sources++;
    *s = (struct gtid_source){0};
    memcpy(s->uuid, uuid, 16);
    memcpy(s->tag, tag, strlen(tag));
    return s;
}

static void drop_source(struct gtid_set *set, uint32_t at)
{
    struct gtid_source *s = &set->sources[at];
    free(s->intervals);
    set->n_sources--;
    memmove(s, s + 1, (set->n_sources - at) * sizeof *s);
}

/* The first interval that ends at or behind n. */
static uint32_t first_reaching(const struct gtid_source *s, int64_t n)
{
    uint32_t low = 0;
    uint32_t high = s->n_intervals;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->intervals[middle].end < n)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Puts `with` in the place of the intervals from..to-1. */
static void replace_intervals(struct gtid_source *s, uint32_t from, uint32_t to, const struct gtid_interval *with,
                              uint32_t n)
{
    uint32_t n_after = s->n_intervals - to;
    make_room(s, from + n + n_after);
    memmove(&s->intervals[from + n], &s->intervals[to], n_after * sizeof *s->intervals);
    if (n > 0)
        memcpy(&s->intervals[from], with, n * sizeof *with);
    s->n_intervals = from + n + n_after;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void add_interval(struct gtid_source *s, struct gtid_interval add)
{
    struct gtid_interval *last = s->n_intervals > 0 ? &s->intervals[s->n_intervals - 1] : NULL;
    if (last != NULL && add.first == last->end) { /* the next number: what nearly every call brings */
        last->end = add.end;
        return;
    }
    uint32_t from = first_reaching(s, add.first);
    uint32_t to = from;
    for (; to < s->n_intervals && s->intervals[to].first <= add.end; to++) {
        add.first = smaller(add.first, s->intervals[to].first);
        add.end = larger(add.end, s->intervals[to].end);
    }
    replace_intervals(s, from, to, &add, 1);
}

static void remove_interval(struct gtid_source *s, struct gtid_interval take)
{
    uint32_t from = first_reaching(s, take.first + 1);
    uint32_t to = from;
    struct gtid_interval left[2];
    uint32_t n = 0;
    for (; to < s->n_intervals && s->intervals[to].first < take.end; to++) {
        const struct gtid_interval *i = &s->intervals[to];
        if (i->first < take.first)
            left[n++] = (struct gtid_interval){i->first, take.first};
        if (i->end > take.end)
            left[n++] = (struct gtid_interval){take.end, i->end};
    }
    if (to > from)
        replace_intervals(s, from, to, left, n);
}

/* ---- sets ---- */

void gtid_set_init(struct gtid_set *set)
{
    *set = (struct gtid_set){0};
}

void gtid_set_fini(struct gtid_set *set)
{
    for (uint32_t i = 0; i < set->n_sources; i++)
        free(set->sources[i].intervals);
    free(set->sources);
    gtid_set_init(set);
}

void gtid_set_copy(struct gtid_set *to, const struct gtid_set *from)
{
    if (to == from)
        return;
    gtid_set_fini(to);
    if (from->n_sources == 0)
        return;
    to->room = to->n_sources = from->n_sources;
    to->sources = mem_alloc(to->room * sizeof *to->sources);
    for (uint32_t i = 0; i < from->n_sources; i++) {
        const struct gtid_source *s = &from->sources[i];
        struct gtid_source *copy = &to->sources[i];
        *copy = *s;
        copy->room = s->n_intervals;
        copy->intervals = mem_alloc(copy->room * sizeof *copy->intervals);
        memcpy(copy->intervals, s->intervals, copy->room * sizeof *copy->intervals);
    }
}

bool gtid_set_is_empty(const struct gtid_set *set)
{
    return set->n_sources == 0;
}

void gtid_set_add_range(struct gtid_set *set, const uint8_t uuid[16], const char *tag, struct gtid_interval range)
{
    ASSERT(range.first >= 1 && range.first < range.end);
    add_interval(take_source(set, uuid, tag), range);
}

void gtid_set_add(struct gtid_set *set, const struct gtid *g)
{
    gtid_set_add_range(set, g->uuid, g->tag, (struct gtid_interval){g->n, g->n + 1});
}

void gtid_set_remove(struct gtid_set *set, const struct gtid *g)
{
    bool found;
    uint32_t at = find_place(set, g->uuid, g->tag, &found);
    if (!found)
        return;
    remove_interval(&set->sources[at], (struct gtid_interval){g->n, g->n + 1});
    if (set->sources[at].n_intervals == 0)
        drop_source(set, at);
}

bool gtid_set_has(const struct gtid_set *set, const struct gtid *g)
{
    const struct gtid_source *s = find_source(set, g->uuid, g->tag);
    if (s == NULL)
        return false;
    uint32_t at = first_reaching(s, g->n + 1);
    return at < s->n_intervals && s->intervals[at].first <= g->n;
}

bool gtid_set_equal(const struct gtid_set *a, const struct gtid_set *b)
{
    if (a->n_sources != b->n_sources)
        return false;
    for (uint32_t i = 0; i < a->n_sources; i++) {
        const struct gtid_source *sa = &a->sources[i];
        const struct gtid_source *sb = &b->sources[i];
        if (compare_source(sa, sb->uuid, sb->tag) != 0 || sa->n_intervals != sb->n_intervals ||
            memcmp(sa->intervals, sb->intervals, sa->n_intervals * sizeof *sa->intervals) != 0)
            return false;
    }
    return true;
}

static bool source_contains(const struct gtid_source *outer, const struct gtid_source *inner)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < inner->n_intervals; i++) {
        const struct gtid_interval *want = &inner->intervals[i];
        while (at < outer->n_intervals && outer->intervals[at].end < want->end)
            at++;
        if (at == outer->n_intervals || outer->intervals[at].first > want->first)
            return false;
    }
    return true;
}

bool gtid_set_contains(const struct gtid_set *outer, const struct gtid_set *inner)
{
    for (uint32_t i = 0; i < inner->n_sources; i++) {
        const struct gtid_source *s = &inner->sources[i];
        const struct gtid_source *other = find_source(outer, s->uuid, s->tag);
        if (other == NULL || !source_contains(other, s))
            return false;
    }
    return true;
}

/* Both lists merged into a new one: linear, however many holes there are. */
static void source_union(struct gtid_source *s, const struct gtid_source *other)
{
    struct gtid_source both = {0};
    make_room(&both, s->n_intervals + other->n_intervals);
    uint32_t a = 0;
    uint32_t b = 0;
    while (a < s->n_intervals || b < other->n_intervals) {
        bool from_a =
            b == other->n_intervals || (a < s->n_intervals && s->intervals[a].first <= other->intervals[b].first);
        const struct gtid_interval *next = from_a ? &s->intervals[a++] : &other->intervals[b++];
        struct gtid_interval *last = both.n_intervals > 0 ? &both.intervals[both.n_intervals - 1] : NULL;
        if (last != NULL && next->first <= last->end)
            last->end = larger(last->end, next->end);
        else
            both.intervals[both.n_intervals++] = *next;
    }
    free(s->intervals);
    s->intervals = both.intervals;
    s->n_intervals = both.n_intervals;
    s->room = both.room;
}

void gtid_set_union(struct gtid_set *set, const struct gtid_set *other)
{
    if (set == other)
        return;
    for (uint32_t i = 0; i < other->n_sources; i++) {
        const struct gtid_source *s = &other->sources[i];
        source_union(take_source(set, s->uuid, s->tag), s);
    }
}

static void source_minus(struct gtid_source *s, const struct gtid_source *other)
{
    struct gtid_source rest = {0};
    make_room(&rest, s->n_intervals + other->n_intervals);
    uint32_t b = 0;
    for (uint32_t a = 0; a < s->n_intervals; a++) {
        struct gtid_interval i = s->intervals[a];
        while (b < other->n_intervals && other->intervals[b].end <= i.first)
            b++;
        for (uint32_t at = b; at < other->n_intervals && other->intervals[at].first < i.end; at++) {
            if (i.first < other->intervals[at].first)
                rest.intervals[rest.n_intervals++] = (struct gtid_interval){i.first, other->intervals[at].first};
            i.first = smaller(i.end, other->intervals[at].end);
        }
        if (i.first < i.end)
            rest.intervals[rest.n_intervals++] = i;
    }
    free(s->intervals);
    s->intervals = rest.intervals;
    s->n_intervals = rest.n_intervals;
    s->room = rest.room;
}

void gtid_set_minus(struct gtid_set *set, const struct gtid_set *other)
{
    if (set == other) {
        gtid_set_fini(set);
        return;
    }
    for (uint32_t i = set->n_sources; i-- > 0;) { /* from the end: sources may go */
        struct gtid_source *s = &set->sources[i];
        const struct gtid_source *take = find_source(other, s->uuid, s->tag);
        if (take == NULL)
            continue;
        source_minus(s, take);
        if (s->n_intervals == 0)
            drop_source(set, i);
    }
}

uint64_t gtid_set_count(const struct gtid_set *set)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < set->n_sources; i++)
        for (uint32_t j = 0; j < set->sources[i].n_intervals; j++)
            n += (uint64_t)(set->sources[i].intervals[j].end - set->sources[i].intervals[j].first);
    return n;
}
