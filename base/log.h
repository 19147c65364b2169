/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log: the story of a run, a line at a time, on standard error.
 *
 *   2026-11-30T17:33:11.123Z info  reader: connected server=db1:3306 gtid_mode=ON
 *
 * Levels: error a person must act, warn degraded, info the story of a run on one page, debug each decision.
 * Part is the file stem that speaks. Messages are lower case, without a full stop, facts as key=value.
 * With JSON lines the same parts become members. A text that was registered as secret is never printed:
 * it is replaced by ****** wherever it stands. Any thread.
 */
#ifndef TIDEMARK_BASE_LOG_H
#define TIDEMARK_BASE_LOG_H

#include "base/fail.h"

#include <stdbool.h>

enum log_level {
    LOG_ERROR,
    LOG_WARN,
    LOG_INFO,
    LOG_DEBUG,
};

/* Before any other thread starts. The default is info, as text. */
void log_setup(enum log_level level, bool as_json);

/* Keeps a copy of a secret of at least 4 bytes, to hide it from all later lines. Any thread. */
void log_hide(const char *secret);

void log_write(enum log_level level, const char *part, const char *format, ...) PRINTF_LIKE(3, 4);

/* One line for a failure: its kind and text. */
void log_fail(enum log_level level, const char *part, const struct fail *why);

#define log_error(part, ...) log_write(LOG_ERROR, part, __VA_ARGS__)
#define log_warn(part, ...) log_write(LOG_WARN, part, __VA_ARGS__)
#define log_info(part, ...) log_write(LOG_INFO, part, __VA_ARGS__)
#define log_debug(part, ...) log_write(LOG_DEBUG, part, __VA_ARGS__)

#endif
