/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 2, 0))) static void print_text(struct fail *why, const char *format, va_list args)
{
    vsnprintf(why->text, sizeof why->text, format, args);
}

bool fail_set(struct fail *why, enum fail_kind kind, enum fail_area area, int code, const char *format, ...)
{
    if (why == NULL)
        return false;
    why->kind = kind;
    why->area = area;
    why->code = code;
    va_list args;
    va_start(args, format);
    print_text(why, format, args);
    va_end(args);
    return false;
}

bool fail_add(struct fail *why, const char *format, ...)
{
    if (why == NULL)
        return false;
    char old[sizeof why->text];
    memcpy(old, why->text, sizeof old);
    va_list args;
    va_start(args, format);
    print_text(why, format, args);
    va_end(args);
    size_t used = strlen(why->text);
    snprintf(why->text + used, sizeof why->text - used, ": %s", old);
    return false;
}

bool fail_malformed(struct fail *why, const char *format, ...)
{
    if (why == NULL)
        return false;
    why->kind = FAIL_REFUSE;
    why->area = FAIL_AREA_DATA;
    why->code = 0;
    va_list args;
    va_start(args, format);
    print_text(why, format, args);
    va_end(args);
    return false;
}

const char *fail_kind_name(enum fail_kind kind)
{
    switch (kind) {
    case FAIL_NONE:
        return "none";
    case FAIL_RETRY:
        return "retry";
    case FAIL_REFUSE:
        return "refuse";
    case FAIL_STOP:
        return "stop";
    }
    return "unknown";
}

_Noreturn void assert_failed(const char *claim, const char *file, int line)
{
    fprintf(stderr, "%s:%d: this can't be: %s is false\n", file, line, claim);
    abort();
}
