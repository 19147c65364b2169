/* SPDX-License-Identifier: Apache-2.0 */
/*
 * position: a place in the binary log: file and 64-bit offset.
 *
 * Files order by the number behind their last dot (which may grow past six digits), then by offset. Names of
 * another server mean nothing here: compare only within one server_uuid.
 */
#ifndef TIDEMARK_BINLOG_POSITION_H
#define TIDEMARK_BINLOG_POSITION_H

#include "base/bytes.h"
#include "base/fail.h"

#include <stdbool.h>
#include <stdint.h>

enum { LOG_FILE_BYTES = 256 };

struct log_position {
    char file[LOG_FILE_BYTES]; /* "" : no position */
    uint64_t offset;
};

/* A log file, and when the server made it: after RESET BINARY LOGS AND GTIDS another file has the same name. */
struct log_birth {
    char file[LOG_FILE_BYTES]; /* "": unknown */
    uint32_t sec;              /* of its FORMAT_DESCRIPTION event */
};

/* The number behind the last dot; false when there is none. */
MUST_USE bool position_file_number(const char *file, uint64_t *number);

/* Whether both are of one row of numbered files: a server that is given another name for its log begins at 1 again. */
bool position_is_of_one_log(const struct log_position *a, const struct log_position *b);

/* <0, 0, >0 as a lies before, at or behind b. */
int position_compare(const struct log_position *a, const struct log_position *b);

/* Sets the file name from foreign bytes; fails when it is empty or too long. */
MUST_USE bool position_set(struct log_position *pos, struct view file, uint64_t offset, struct fail *why);

#endif
