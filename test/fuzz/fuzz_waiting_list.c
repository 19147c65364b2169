/* SPDX-License-Identifier: Apache-2.0 */
/* Records of waiting tables: a key and its value, line by line; a list that is whole is loaded, and what it holds is printed to
 * a list that loads to the same queue. */
#include "connector/progress.h"
#include "connector/waiting_list.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char refers[] = "{\"tables\":[],\"version\":2,\"waiting\":{\"list\":%d,\"from\":0},\"signals\":[]}";

static struct view next_line(struct view *rest)
{
    const uint8_t *newline = rest->n == 0 ? NULL : memchr(rest->p, '\n', rest->n);
    size_t n = newline == NULL ? rest->n : (size_t)(newline - rest->p);
    struct view line = {rest->p, n};
    size_t passed = newline == NULL ? n : n + 1;
    *rest = (struct view){rest->p + passed, rest->n - passed};
    return line;
}

/* NULL: it can't be loaded. */
static struct incremental *load(const struct waiting_list *list)
{
    struct incremental *inc = progress_queue_new();
    struct signal_log log;
    struct fail why;
    struct buf text;
    buf_init(&text);
    buf_printf(&text, refers, (int)list->number);
    buf_put_u8(&text, 0);
    signal_log_init(&log);
    if (!progress_load(inc, &log, (const char *)text.start, list, &why)) {
        ASSERT(why.kind == FAIL_STOP);
        incremental_free(&inc, 0);
    }
    signal_log_fini(&log);
    buf_fini(&text);
    return inc;
}

static void check_list(struct waiting_list *list)
{
    static const struct waiting_place nothing = {.list = 0};
    struct signal_log none;
    signal_log_init(&none);
    struct incremental *inc = load(list);
    char *text = inc == NULL ? NULL : progress_print(inc, &none, &nothing);
    if (text != NULL) {
        struct waiting_list *fresh = waiting_list_new(list->number, inc);
        if (fresh->n == list->n) {
            struct incremental *again = load(fresh);
            char *same = progress_print(again, &none, &nothing);
            ASSERT(strcmp(text, same) == 0);
            free(same);
            incremental_free(&again, 0);
        }
        waiting_list_free(&fresh);
    }
    free(text);
    if (inc != NULL)
        incremental_free(&inc, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct view rest = {data, size};
    struct waiting_found found;
    waiting_found_init(&found);
    while (rest.n > 0) {
        struct view key = next_line(&rest);
        bool has_value = rest.n > 0;
        struct view value = next_line(&rest);
        if (waiting_found_is_part(key, "n", "p"))
            waiting_found_take(&found, key, has_value, value);
    }
    for (int number = 1; number <= 4; number++) {
        struct waiting_list *list = waiting_found_list(&found, (uint64_t)number);
        if (list != NULL)
            check_list(list);
        waiting_list_free(&list);
    }
    waiting_found_fini(&found);
    return 0;
}
