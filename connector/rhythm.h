/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rhythm: when what was sent is committed.
 *
 * A commit costs the broker some four requests, and nothing can be given to the producer while it runs. So
 *   under load     one every interval_ms: large transactions, and gaps in the input that are no end of it
 *   in a trickle   at once when the input is dry, so that nobody waits for what came, but never sooner than pause_ms after
 *                  the last commit, which bounds what is spent on it
 * What is sent and committed in one turn is also cheaper: the partitions of the records and of the position are made known
 * to the transaction together, in one request.
 *
 * It is a trickle while little was sent since the last commit. Within a transaction of the log the rest is waited for: a
 * few ms later it is most often there, and readers get it whole.
 *
 * Pure: all times are those of the caller, in ms of one clock.
 */
#ifndef TIDEMARK_CONNECTOR_RHYTHM_H
#define TIDEMARK_CONNECTOR_RHYTHM_H

#include <stdbool.h>
#include <stdint.h>

struct rhythm {
    int interval_ms;          /* tidemark.commit.interval.ms */
    int dry_ms;               /* tidemark.commit.dry.ms */
    int pause_ms;             /* tidemark.commit.pause.ms */
    int position_interval_ms; /* tidemark.offset.interval.ms */
    int64_t stored_ms;        /* end of the last commit, or the start */
    uint64_t stored_bytes;    /* of all that was sent, what was sent until then */
    int64_t dry_since_ms;     /* when the input was first found empty; 0: it is not */
};

/* What is sent and not committed. */
struct rhythm_sent {
    int64_t opened_ms;  /* when the first record of it was sent; 0: there is none, state alone is to be stored */
    uint64_t all_bytes; /* since the producer was opened */
    bool is_inside;     /* a transaction of the log is under way */
    bool has_more;      /* more is on its way, though the log may be dry: rows of snapshots */
    bool is_uneven;     /* a commit a little later would be cheaper (pace_is_uneven) */
};

/* All that was sent, so many bytes since the producer was opened, is committed; also: the producer is new. */
void rhythm_stored(struct rhythm *r, uint64_t all_bytes, int64_t now_ms);

/* The input was found empty; something came. */
void rhythm_dry(struct rhythm *r, int64_t now_ms);
void rhythm_wet(struct rhythm *r);

/* When records are to be committed, were nothing more to come. */
int64_t rhythm_due_ms(const struct rhythm *r, const struct rhythm_sent *sent);

/* The same for a position that moved without records. */
int64_t rhythm_position_due_ms(const struct rhythm *r);

#endif
