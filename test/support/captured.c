/* SPDX-License-Identifier: Apache-2.0 */
#include "test/support/captured.h"

#include <cmocka.h>
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void captured_hex(const char *text, struct buf *out)
{
    for (const char *p = text; *p != '\0';) {
        unsigned byte;
        if (isspace((unsigned char)*p)) {
            p++;
            continue;
        }
        if (sscanf(p, "%2x", &byte) != 1)
            fail_msg("not hex: %.20s", p);
        p += 2;
        unsigned long times = 1;
        if (*p == '*') {
            char *end;
            times = strtoul(p + 1, &end, 10);
            p = end;
        }
        buf_need(out, times);
        memset(out->p, (int)byte, times);
        out->p += times;
    }
}

void captured_load(struct captured *cap, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "test/data/events/%s.hex", name);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        fail_msg("%s can't be opened", path);
    *cap = (struct captured){0};
    buf_init(&cap->bytes);
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, file) > 0) {
        if (line[0] == '#')
            continue;
        size_t before = buf_size(&cap->bytes);
        captured_hex(line, &cap->bytes);
        cap->events = mem_resize(cap->events, (cap->n + 1) * sizeof *cap->events);
        cap->events[cap->n++].n = buf_size(&cap->bytes) - before;
    }
    free(line);
    fclose(file);
    const uint8_t *at = cap->bytes.start; /* it stands still now */
    for (size_t i = 0; i < cap->n; i++) {
        cap->events[i].p = at;
        at += cap->events[i].n;
    }
}

void captured_free(struct captured *cap)
{
    free(cap->events);
    buf_fini(&cap->bytes);
}

struct event captured_event(const struct captured *cap, uint8_t type, size_t which)
{
    struct decoder d;
    struct event ev;
    struct fail why = {0};
    decoder_init(&d);
    decoder_set_checksum(&d, CHECKSUM_CRC32);
    for (size_t i = 0; i < cap->n; i++) {
        if (!decoder_read(&d, cap->events[i], &ev, &why))
            fail_msg("event %zu: %s", i, why.text);
        if (ev.header.type == type && which-- == 0)
            return ev;
    }
    fail_msg("there is no such event of type %s", decoder_type_name(type));
    return ev;
}
