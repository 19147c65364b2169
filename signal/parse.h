/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse: a record of the signal topic becomes a signal, or a reason why it does not.
 *
 * Any bytes may come; what is wrong is said in a sentence that names the member. Members that are not known are passed
 * by. `data` may be missing where nothing in it is needed. Any thread.
 */
#ifndef TIDEMARK_SIGNAL_PARSE_H
#define TIDEMARK_SIGNAL_PARSE_H

#include "base/fail.h"
#include "signal/signals.h"

enum signal_parsed {
    SIGNAL_IS_OURS,
    SIGNAL_IS_FOREIGN, /* another key: not for us; why says which */
    SIGNAL_IS_EMPTY,   /* no value: nothing was asked */
    SIGNAL_IS_BAD,     /* why says what is wrong; sig->id is set when it could be read */
};

/* key and value have p NULL for Kafka null. */
MUST_USE enum signal_parsed signal_parse(struct view key, struct view value, const char *topic_prefix,
                                         struct arena *memory, struct signal *sig, struct fail *why);

#endif
