/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/notes.h"

#include "base/bytes.h"

#include <stdio.h>
#include <stdlib.h>

void config_notes_add(struct config_notes *notes, enum log_level level, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int n = vasprintf(&text, format, args);
    va_end(args);
    ASSERT(n >= 0);
    notes->items = mem_resize(notes->items, (notes->n + 1) * sizeof *notes->items);
    notes->items[notes->n++] = (struct config_note){level, text};
}

size_t config_notes_count(const struct config_notes *notes, enum log_level level)
{
    size_t n = 0;
    for (size_t i = 0; i < notes->n; i++)
        n += notes->items[i].level == level;
    return n;
}

const char *config_notes_first(const struct config_notes *notes, enum log_level level)
{
    for (size_t i = 0; i < notes->n; i++)
        if (notes->items[i].level == level)
            return notes->items[i].text;
    return NULL;
}

void config_notes_fini(struct config_notes *notes)
{
    for (size_t i = 0; i < notes->n; i++)
        free(notes->items[i].text);
    free(notes->items);
    *notes = (struct config_notes){0};
}
