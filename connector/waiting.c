/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/waiting.h"

#include <stdlib.h>
#include <string.h>

void waiting_init(struct waiting *w)
{
    *w = (struct waiting){.list = NULL};
}

size_t waiting_table_bytes(size_t texts)
{
    enum { MEMBERS_BYTES = 160 };
    return MEMBERS_BYTES + texts;
}

static size_t text_bytes(const char *text)
{
    return text == NULL ? 0 : strlen(text);
}

size_t waiting_bytes(const struct incremental *inc)
{
    size_t n = 0;
    for (const struct table_read *t = incremental_tables(inc); t != NULL; t = t->next_in_queue)
        if (table_read_is_fresh(t))
            n += waiting_table_bytes(text_bytes(t->db) + text_bytes(t->table) + text_bytes(t->filter) +
                                     text_bytes(t->surrogate) + text_bytes(t->signal_id));
    return n;
}

static void drop_list(struct waiting *w)
{
    waiting_list_free(&w->list);
    free(w->serials);
    w->serials = NULL;
    w->from = 0;
}

void waiting_fini(struct waiting *w)
{
    drop_list(w);
}

void waiting_avoid(struct waiting *w, const struct waiting_list *stored)
{
    if (stored != NULL && stored->number > w->last_number)
        w->last_number = stored->number;
}

void waiting_take_up(struct waiting *w, struct waiting_list *list, uint32_t from, const struct incremental *inc)
{
    uint32_t others = 0;
    drop_list(w);
    waiting_avoid(w, list);
    if (list == NULL)
        return;
    w->list = waiting_list_hold(list);
    w->from = from;
    w->serials = mem_zero(list->n, sizeof *w->serials);
    for (const struct table_read *t = incremental_tables(inc); t != NULL; t = t->next_in_queue)
        others++;
    others -= list->n - from;
    for (const struct table_read *t = incremental_tables(inc); t != NULL; t = t->next_in_queue) {
        if (others > 0)
            others--;
        else
            w->serials[from++] = t->serial;
    }
}

/* Moves on to the first table that still waits. False: what waits is not just the rest of the list. */
static bool move_on(struct waiting *w, const struct incremental *inc)
{
    bool has_first = false;
    uint32_t at = w->from;
    for (const struct table_read *t = incremental_tables(inc); t != NULL; t = t->next_in_queue) {
        if (!table_read_is_fresh(t))
            continue;
        while (!has_first && at < w->list->n && w->serials[at] != t->serial)
            at++;
        if (!has_first)
            w->from = at;
        has_first = true;
        if (at == w->list->n || w->serials[at] != t->serial)
            return false;
        at++;
    }
    return has_first && at == w->list->n;
}

static void note_serials(struct waiting *w, const struct incremental *inc)
{
    uint32_t n = 0;
    w->serials = mem_zero(w->list->n, sizeof *w->serials);
    for (const struct table_read *t = incremental_tables(inc); t != NULL; t = t->next_in_queue)
        if (table_read_is_fresh(t))
            w->serials[n++] = t->serial;
}

void waiting_follow(struct waiting *w, const struct incremental *inc)
{
    if (w->list != NULL && move_on(w, inc))
        return;
    drop_list(w);
    struct waiting_list *list = waiting_list_new(w->last_number + 1, inc);
    if (waiting_list_bytes(list) <= WAITING_INLINE_BYTES) {
        waiting_list_free(&list);
        return;
    }
    w->list = list;
    w->last_number = list->number;
    note_serials(w, inc);
}
