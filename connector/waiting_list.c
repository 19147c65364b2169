/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/waiting_list.h"

#include "connector/json_text.h"
#include "connector/offsets.h"
#include "connector/progress.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_VERSION = 1, PARTS_MAX = 100000 /* more is no list of ours */ };

/* ---- a list ---- */

static void add_part(struct waiting_list *list, struct buf *tables)
{
    buf_put_u8(tables, ']');
    list->parts = mem_resize(list->parts, (list->n_parts + 1) * sizeof *list->parts);
    list->parts[list->n_parts++] = view_to_string(buf_view(tables));
    buf_clear(tables);
}

struct waiting_list *waiting_list_new(uint64_t number, const struct incremental *inc)
{
    struct waiting_list *list = mem_zero(1, sizeof *list);
    struct buf part;
    buf_init(&part);
    atomic_init(&list->counts, 1);
    list->number = number;
    for (const struct table_read *t = incremental_tables(inc); t != NULL; t = t->next_in_queue) {
        if (!table_read_is_fresh(t))
            continue;
        buf_put_u8(&part, buf_size(&part) == 0 ? '[' : ',');
        progress_print_table(t, &part);
        list->n++;
        if (buf_size(&part) >= WAITING_PART_BYTES)
            add_part(list, &part);
    }
    if (buf_size(&part) > 0)
        add_part(list, &part);
    buf_fini(&part);
    return list;
}

struct waiting_list *waiting_list_hold(struct waiting_list *list)
{
    if (list != NULL)
        atomic_fetch_add(&list->counts, 1);
    return list;
}

void waiting_list_free(struct waiting_list **held)
{
    struct waiting_list *list = *held;
    *held = NULL;
    if (list == NULL || atomic_fetch_sub(&list->counts, 1) > 1)
        return;
    for (uint32_t i = 0; i < list->n_parts; i++)
        free(list->parts[i]);
    free(list->parts);
    free(list);
}

size_t waiting_list_bytes(const struct waiting_list *list)
{
    size_t n = 0;
    for (uint32_t i = 0; i < list->n_parts; i++)
        n += strlen(list->parts[i]);
    return n;
}

/* ---- printing ---- */

/* ["name",{"server":"prefix"},"waiting", : no table has such a key, for behind a database its name follows in quotes */
static void print_key_begin(const char *name, const char *topic_prefix, struct buf *out)
{
    offsets_print_key(name, topic_prefix, out);
    out->p[-1] = ',';
    buf_put_literal(out, "\"waiting\",");
}

void waiting_list_print_key(const struct waiting_list *list, uint32_t part, const char *name, const char *topic_prefix,
                            struct buf *out)
{
    print_key_begin(name, topic_prefix, out);
    buf_printf(out, "%u,%u]", (unsigned)(list->number % WAITING_SLOTS), part);
}

void waiting_list_print(const struct waiting_list *list, uint32_t part, struct buf *out)
{
    buf_printf(out, "{\"version\":%d,\"list\":%llu,\"parts\":%u,\"tables\":", LIST_VERSION,
               (unsigned long long)list->number, list->n_parts);
    buf_put_text(out, list->parts[part]);
    buf_put_u8(out, '}');
}

/* ---- reading ---- */

void waiting_found_init(struct waiting_found *found)
{
    *found = (struct waiting_found){.n = {0}};
}

void waiting_found_fini(struct waiting_found *found)
{
    for (unsigned slot = 0; slot < WAITING_SLOTS; slot++) {
        for (uint32_t i = 0; i < found->n[slot]; i++)
            free(found->slots[slot][i].tables);
        free(found->slots[slot]);
    }
    waiting_found_init(found);
}

bool waiting_found_is_part(struct view key, const char *name, const char *topic_prefix)
{
    struct buf begin;
    buf_init(&begin);
    print_key_begin(name, topic_prefix, &begin);
    size_t n = buf_size(&begin);
    bool is_part = key.n > n && memcmp(key.p, begin.start, n) == 0 && key.p[n] >= '0' && key.p[n] < '0' + WAITING_SLOTS;
    buf_fini(&begin);
    return is_part;
}

static struct waiting_record *record_at(struct waiting_found *found, unsigned slot, uint32_t part)
{
    if (part >= found->n[slot]) {
        uint32_t n = part + 1;
        found->slots[slot] = mem_resize(found->slots[slot], n * sizeof *found->slots[slot]);
        memset(found->slots[slot] + found->n[slot], 0, (n - found->n[slot]) * sizeof *found->slots[slot]);
        found->n[slot] = n;
    }
    return &found->slots[slot][part];
}

/* 0: no whole number that a double holds exactly. */
static uint64_t number_of(const cJSON *object, const char *name)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(object, name);
    bool is_exact = cJSON_IsNumber(v) && v->valuedouble >= 0 && v->valuedouble <= 9007199254740992.0;
    return is_exact ? (uint64_t)v->valuedouble : 0;
}

/* A record that can't be read is no part of any list; whoever needs the list says so. */
static void read_record(struct waiting_record *rec, struct view value)
{
    static const char begin[] = "\"tables\":";
    cJSON *object = cJSON_ParseWithLength((const char *)value.p, value.n);
    const uint8_t *at = memmem(value.p, value.n, begin, sizeof begin - 1);
    if (number_of(object, "version") == LIST_VERSION && at != NULL) {
        size_t from = (size_t)(at - value.p) + sizeof begin - 1;
        rec->number = number_of(object, "list");
        rec->n_parts = (uint32_t)number_of(object, "parts");
        rec->tables = view_to_string((struct view){value.p + from, json_text_skip(value, from) - from});
    }
    cJSON_Delete(object);
}

void waiting_found_take(struct waiting_found *found, struct view key, bool has_value, struct view value)
{
    cJSON *array = cJSON_ParseWithLength((const char *)key.p, key.n);
    const cJSON *slot = cJSON_GetArrayItem(array, 3), *part = cJSON_GetArrayItem(array, 4);
    if (cJSON_IsNumber(slot) && slot->valueint >= 0 && slot->valueint < WAITING_SLOTS && cJSON_IsNumber(part) &&
        part->valueint >= 0 && part->valueint < PARTS_MAX) {
        struct waiting_record *rec = record_at(found, (unsigned)slot->valueint, (uint32_t)part->valueint);
        free(rec->tables);
        *rec = (struct waiting_record){.tables = NULL};
        if (has_value)
            read_record(rec, value);
    }
    cJSON_Delete(array);
}

static bool is_whole(const struct waiting_record *records, uint32_t n, uint64_t number)
{
    if (n == 0 || records[0].n_parts == 0 || records[0].n_parts > n)
        return false;
    for (uint32_t i = 0; i < records[0].n_parts; i++)
        if (records[i].tables == NULL || records[i].number != number || records[i].n_parts != records[0].n_parts)
            return false;
    return true;
}

static uint32_t count_tables(const char *text)
{
    cJSON *array = cJSON_Parse(text);
    int n = cJSON_GetArraySize(array);
    cJSON_Delete(array);
    return (uint32_t)n;
}

struct waiting_list *waiting_found_list(const struct waiting_found *found, uint64_t number)
{
    unsigned slot = (unsigned)(number % WAITING_SLOTS);
    const struct waiting_record *records = found->slots[slot];
    if (!is_whole(records, found->n[slot], number))
        return NULL;
    struct waiting_list *list = mem_zero(1, sizeof *list);
    atomic_init(&list->counts, 1);
    list->number = number;
    list->n_parts = records[0].n_parts;
    list->parts = mem_zero(list->n_parts, sizeof *list->parts);
    for (uint32_t i = 0; i < list->n_parts; i++) {
        list->parts[i] = mem_strdup(records[i].tables);
        list->n += count_tables(list->parts[i]);
    }
    return list;
}
