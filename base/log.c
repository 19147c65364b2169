/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include "base/bytes.h"
#include "base/clock.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LINE_BYTES = 4096, MAX_SECRETS = 32, SHORTEST_SECRET = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all below, and keeps lines whole */
static enum log_level highest = LOG_INFO;
static bool json_lines;
static char *secrets[MAX_SECRETS];
static int n_secrets;

void log_setup(enum log_level level, bool as_json)
{
    pthread_mutex_lock(&lock);
    highest = level;
    json_lines = as_json;
    pthread_mutex_unlock(&lock);
}

void log_hide(const char *secret)
{
    if (secret == NULL || strlen(secret) < SHORTEST_SECRET)
        return;
    pthread_mutex_lock(&lock);
    bool known = false;
    for (int i = 0; i < n_secrets; i++)
        known = known || strcmp(secrets[i], secret) == 0;
    if (!known && n_secrets < MAX_SECRETS)
        secrets[n_secrets++] = mem_strdup(secret);
    pthread_mutex_unlock(&lock);
}

/* Overwrites each secret in place; a hidden text is as long as it was, with stars. */
static void hide_secrets(char *text)
{
    for (int i = 0; i < n_secrets; i++)
        for (char *at = text; (at = strstr(at, secrets[i])) != NULL;)
            memset(at, '*', strlen(secrets[i]));
}

static void print_time(char *out, size_t room)
{
    struct tm utc;
    int64_t now_ms = clock_wall_ns() / 1000000;
    time_t now_s = now_ms / 1000;
    gmtime_r(&now_s, &utc);
    size_t n = strftime(out, room, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(out + n, room - n, ".%03dZ", (int)(now_ms % 1000));
}

static void print_json_text(struct buf *line, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            buf_put_u8(line, '\\');
        if ((unsigned char)*c < 0x20)
            buf_printf(line, "\\u%04x", (unsigned)*c);
        else
            buf_put_u8(line, (uint8_t)*c);
    }
}

/* A line stays a line: control characters of a foreign text become blanks. */
static void flatten(char *text)
{
    for (char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20)
            *c = ' ';
}

static void print_line(enum log_level level, const char *part, char *text)
{
    static const char *const names[] = {"error", "warn", "info", "debug"};
    char when[40];
    struct buf line;
    print_time(when, sizeof when);
    buf_init(&line);
    if (json_lines) {
        buf_printf(&line, "{\"time\":\"%s\",\"level\":\"%s\",\"part\":\"%s\",\"message\":\"", when, names[level], part);
        print_json_text(&line, text);
        buf_put_literal(&line, "\"}\n");
    } else {
        flatten(text);
        buf_printf(&line, "%s %-5s %s: %s\n", when, names[level], part, text);
    }
    /* A log that can't be written has nowhere to be reported. */
    ssize_t written = write(STDERR_FILENO, line.start, buf_size(&line));
    (void)written;
    buf_fini(&line);
}

void log_write(enum log_level level, const char *part, const char *format, ...)
{
    if (level > highest)
        return;
    char text[LINE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pthread_mutex_lock(&lock);
    hide_secrets(text);
    print_line(level, part, text);
    pthread_mutex_unlock(&lock);
}

void log_fail(enum log_level level, const char *part, const struct fail *why)
{
    log_write(level, part, "%s", why->text);
}
