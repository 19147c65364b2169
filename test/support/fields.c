/* SPDX-License-Identifier: Apache-2.0 */
#include "test/support/fields.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

void fields_open(struct fields *c, const char *name)
{
    char path[256];
    *c = (struct fields){0};
    snprintf(path, sizeof path, "test/data/%s", name);
    c->file = fopen(path, "r");
    if (c->file == NULL)
        fail_msg("%s can't be opened: tests run from the root of the tree", path);
}

void fields_close(struct fields *c)
{
    fclose(c->file);
    free(c->line);
}

bool fields_next(struct fields *c)
{
    do {
        ssize_t n = getline(&c->line, &c->room, c->file);
        if (n < 0)
            return false;
        if (c->line[n - 1] == '\n')
            c->line[n - 1] = '\0';
        c->number++;
    } while (c->line[0] == '#');
    c->n = 0;
    for (char *at = c->line; at != NULL && c->n < FIELDS_MAX;) {
        c->at[c->n++] = at;
        at = strchr(at, '\t');
        if (at != NULL)
            *at++ = '\0';
    }
    return true;
}

void fields_text(const char *field, struct buf *out)
{
    const char *fold;
    while ((fold = strstr(field, "<<")) != NULL) {
        buf_put(out, field, (size_t)(fold - field));
        const char *star = strchr(fold, '*');
        const char *close = star == NULL ? NULL : strstr(star, ">>");
        assert_non_null(close);
        for (long i = strtol(star + 1, NULL, 10); i > 0; i--)
            buf_put(out, fold + 2, (size_t)(star - fold - 2));
        field = close + 2;
    }
    buf_put_text(out, field);
}

static unsigned digit(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    assert_true((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
    return (c | 0x20) - 'a' + 10U;
}

void fields_bytes(const char *field, struct buf *out)
{
    struct buf hex;
    buf_init(&hex);
    if (strcmp(field, "-") != 0)
        fields_text(field, &hex);
    assert_int_equal(buf_size(&hex) % 2, 0);
    for (size_t i = 0; i < buf_size(&hex); i += 2)
        buf_put_u8(out, (uint8_t)(digit(hex.start[i]) << 4 | digit(hex.start[i + 1])));
    buf_fini(&hex);
}
