/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regex: one regular expression as a Debezium user writes it, in Java's language, matched by PCRE2.
 *
 * The reference matches the whole text and ignores the case of ASCII letters only. PCRE2 has no such mode for UTF-8, so the
 * pattern is read construct by construct and written anew for it: each ASCII letter becomes [aA], each escape the
 * character it means, a class gets both cases of its letters. What only Java knows, or what the two understand
 * differently, is refused by its name: [a[b]] and [a&&b], \p{java…}, \G, back references, flags other than i, m, s.
 * (java.util.regex.Pattern, "Summary of regular-expression constructs"; pcre2pattern(3).)
 *
 * Matching can't fail: where the backtracking matcher gives up on a hostile pattern, the automaton of
 * pcre2_dfa_match, which needs no backtracking, gives the answer. A regex is immutable; any thread may match.
 */
#ifndef TIDEMARK_CONNECTOR_REGEX_H
#define TIDEMARK_CONNECTOR_REGEX_H

#include "base/bytes.h"
#include "base/fail.h"

struct regex;

/* NULL and why (STOP, CONFIG), naming pattern and construct, when it can't be compiled. */
MUST_USE struct regex *regex_new(struct view pattern, struct fail *why);
void regex_free(struct regex **re);

/* The pattern as it was given. Lent. */
const char *regex_text(const struct regex *re);

/* Whether the whole subject matches. Bytes that are not UTF-8 count as U+FFFD. */
bool regex_matches(const struct regex *re, struct view subject);

/* The pattern in PCRE2's language; for tests and the fuzzer. */
MUST_USE bool regex_translate(struct view java, struct buf *out, struct fail *why);

#endif
