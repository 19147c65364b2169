/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/position.h"

#include <string.h>

bool position_file_number(const char *file, uint64_t *number)
{
    const char *dot = strrchr(file, '.');
    if (dot == NULL || dot[1] == '\0')
        return false;
    uint64_t n = 0;
    for (const char *p = dot + 1; *p != '\0'; p++) {
        if (*p < '0' || *p > '9')
            return false;
        if (__builtin_mul_overflow(n, 10u, &n) || __builtin_add_overflow(n, (unsigned)(*p - '0'), &n))
            return false;
    }
    *number = n;
    return true;
}

/* The bytes before the number. */
static size_t base_bytes(const char *file)
{
    const char *dot = strrchr(file, '.');
    return dot == NULL ? strlen(file) : (size_t)(dot - file);
}

bool position_is_of_one_log(const struct log_position *a, const struct log_position *b)
{
    size_t n = base_bytes(a->file);
    return n == base_bytes(b->file) && memcmp(a->file, b->file, n) == 0;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Names without a number (none that a server makes) order as text, before those with one. */
static int compare_files(const char *a, const char *b)
{
    uint64_t na = 0;
    uint64_t nb = 0;
    bool has_a = position_file_number(a, &na);
    bool has_b = position_file_number(b, &nb);
    if (has_a && has_b)
        return compare_numbers(na, nb);
    if (has_a != has_b)
        return has_a ? 1 : -1;
    return strcmp(a, b);
}

int position_compare(const struct log_position *a, const struct log_position *b)
{
    int files = compare_files(a->file, b->file);
    return files != 0 ? files : compare_numbers(a->offset, b->offset);
}

bool position_set(struct log_position *pos, struct view file, uint64_t offset, struct fail *why)
{
    if (file.n == 0)
        return fail_malformed(why, "a log position without a file name");
    if (file.n >= sizeof pos->file)
        return fail_malformed(why, "a log file name of %zu bytes, longer than %zu", file.n, sizeof pos->file - 1);
    if (memchr(file.p, '\0', file.n) != NULL)
        return fail_malformed(why, "a log file name with a zero byte in it");
    memcpy(pos->file, file.p, file.n);
    pos->file[file.n] = '\0';
    pos->offset = offset;
    return true;
}
