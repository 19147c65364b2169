/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fail: what went wrong, in one sentence, and what its reader should do about it.
 *
 * Every function that can fail returns bool, is marked MUST_USE and takes a struct fail last. The kind is
 * what code branches on, never the text:
 *   RETRY   the world may heal: a connection broke, a server is starting
 *   REFUSE  this one input is bad; go on with the next
 *   STOP    an operator must act; the process ends with the area as its exit code
 *
 * The text says what was tried, on what, what came back, and a hint when there is one. Layers put what they
 * were doing in front with fail_add. One place per task logs it. A struct fail is plain memory: copy it freely.
 */
#ifndef TIDEMARK_BASE_FAIL_H
#define TIDEMARK_BASE_FAIL_H

#include <stdarg.h>
#include <stdbool.h>

#define MUST_USE __attribute__((warn_unused_result))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

enum fail_kind {
    FAIL_NONE,
    FAIL_RETRY,
    FAIL_REFUSE,
    FAIL_STOP,
};

/* Who has to act; the values are the exit codes of the program (`tidemark help exit-codes`). */
enum fail_area {
    FAIL_AREA_REFUSED = 1, /* asked for and refused, not found, or stopped in order */
    FAIL_AREA_CONFIG = 2,  /* the configuration is wrong */
    FAIL_AREA_SOURCE = 3,  /* the MySQL server, its settings or our rights there */
    FAIL_AREA_KAFKA = 4,   /* the Kafka cluster, its topics or our rights there */
    FAIL_AREA_FENCED = 5,  /* another instance of this name has taken over */
    FAIL_AREA_DATA = 6,    /* the data needs a decision: position purged, shape unknown, short row image */
    FAIL_AREA_SYSTEM = 7,  /* this machine: files, memory, descriptors */
};

struct fail {
    enum fail_kind kind;
    enum fail_area area;
    int code; /* the foreign library's or errno's number, 0 when there is none */
    char text[1024];
};

/* Fills `why` (which may be NULL) and returns false, so that `return fail_set(…)` reads well. */
bool fail_set(struct fail *why, enum fail_kind kind, enum fail_area area, int code, const char *format, ...)
    PRINTF_LIKE(5, 6);

/* Puts "doing something: " in front of the text; returns false. */
bool fail_add(struct fail *why, const char *format, ...) PRINTF_LIKE(2, 3);

/* Foreign bytes that do not follow their format: kind REFUSE, area DATA. All such finds pass here, so one
 * breakpoint meets the first. Returns false. */
bool fail_malformed(struct fail *why, const char *format, ...) PRINTF_LIKE(2, 3);

const char *fail_kind_name(enum fail_kind kind);

/* An impossible thing: prints and aborts, in release builds too. Never for foreign bytes. */
#define ASSERT(claim) ((claim) ? (void)0 : assert_failed(#claim, __FILE__, __LINE__))
_Noreturn void assert_failed(const char *claim, const char *file, int line);

#endif
