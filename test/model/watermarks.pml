/* SPDX-License-Identifier: Apache-2.0 */
/* Watermarks: a model of the windows of snapshot/snapshot.h, to be searched exhaustively with spin (check runs the variants).
 *
 * The server of server.pml, and a connector that streams the log, snapshots the table as one chunk of two keys or two chunks of one, and
 * crashes at most once.
 *
 * Claims   C1  a row read (op=r) equals the key's value at the stream's position: never stale, never ahead, no deleted row revived
 *          C2  at the end the consumer's last word on each key is the table's
 *          C3  a row that is there at the end was sent, by the snapshot or by the stream
 * and, by spin's search for invalid end states, nobody waits for ever. As it stands this is the algorithm; -DBREAK=a+b+... alters it, here or
 * in server.pml:
 */
#define NO_BARRIER         1     /* low does not wait for S0 */
#define NO_DROP            2     /* streamed changes leave the held rows alone */
#define HIGH_BEFORE_SELECT 4
#define HIGH_GTIDS         8     /* high is gtid_executed, not a log position */
#define S0_WHOLE          16     /* S0 lacks the transaction that is half handed over */
#define ANY_ORDER         32     /* the chunks of a table close in any order, with the last key as the cursor all the same */
#define FOR_SHARE       4096     /* no GTIDs: locking reads instead of LOW */
#define REFERENCE      (NO_BARRIER + HIGH_GTIDS)
#include "server.pml"
#ifndef CHUNKS
#define CHUNKS 1                 /* 1: both keys in one chunk; 2: a chunk each, and both windows may be open together */
#endif
#ifdef BLOCKING                  /* from the table's turn on the stream stands still where it is, and goes on to HIGH only */
#define halts        (cursor < CHUNKS && pos >= start && !(xa_earlier && prepared) && !(at[cursor] == LISTENING && pos < high[cursor]))
#else
#define halts        false
#endif
#define NEVER        7           /* at the consumer: no word on this key yet */
#define chunk(k)     ((k) * (CHUNKS - 1))
mtype = { IDLE, OPEN, LOWERED, READ, LISTENING, DONE };           /* a chunk */

byte  cursor;                    /* chunks before this one are sent */
byte  topic[2] = NEVER;          /* the consumer's last word on each key */
mtype at[CHUNKS] = IDLE;
byte  s0[CHUNKS], low[CHUNKS], high[CHUNKS], upto[CHUNKS];        /* upto: rows of the chunk read so far */
byte  held[2], touched[2];       /* per key: the value read; until it is, the transactions streamed since the window opened that changed it */
bool  saved, crashed, over;
byte  saved_got, saved_cursor, saved_topic[2];

inline snapshot_from(n)          /* drop all windows */
{
    cursor = n; held[0] = 0; held[1] = 0; touched[0] = 0; touched[1] = 0;
    for (c : 0 .. CHUNKS - 1) { at[c] = (c < n -> DONE : IDLE); s0[c] = 0; low[c] = 0; high[c] = 0; upto[c] = 0 }
}

inline tell()                    /* a row event: sent, and newer truth than what a window holds or will read */
{
    topic[row] = v; v = c; c = chunk(row);
    if
    :: at[c] != IDLE && at[c] != DONE && !(low[c] & v) && !with(NO_DROP) ->
        held[row] = ABSENT; touched[row] = touched[row] | (at[c] == OPEN || at[c] == LOWERED -> v : 0)
    :: else
    fi
}

active proctype Stream()
{
    if
    :: with(FOR_SHARE) -> d_step { start = logged; got = bit(logged) - 1; started = true }      /* without GTIDs only the position */
    :: else -> first_start()
    fi;
    do
    :: d_step { pos < logged && !halts -> hand_over() }
    :: d_step {                      /* the Kafka transaction that the crash will find as the last one: rows, GTIDs and cursor together */
        !saved && !with(NO_CRASH) && row == 0 && pos >= start ->
        saved = true; saved_got = got; saved_cursor = cursor; saved_topic[0] = topic[0]; saved_topic[1] = topic[1] }
    :: d_step {                      /* crash and restart */
        saved && !crashed ->
        crashed = true; restart(saved_got); snapshot_from(saved_cursor);
        topic[0] = saved_topic[0]; topic[1] = saved_topic[1];
        saved_got = 0; saved_cursor = 0; saved_topic[0] = 0; saved_topic[1] = 0 }
    :: d_step {                      /* the end */
        finished == N && pos == logged && at[0] == DONE && at[CHUNKS - 1] == DONE ->
        for (k : 0 .. 1) {
            assert(table[k] == ABSENT || topic[k] != NEVER || CLAIMS == 1);                                /* C3 */
            assert(table[k] == topic[k] || (table[k] == ABSENT && topic[k] == NEVER) || CLAIMS == 1)       /* C2 */
        }
        over = true }
        break
    od
}

inline at_stream(key)            /* v = the key's value at the stream's position: by the newest committed change handed over */
{
    v = (key == 0 -> 1 : ROW1);
    for (i : 0 .. logged - 1) {
        src = 2 * rows[i] + key;         /* of the entry under way only the first row counts */
        c = (got & bit(i)) && (kind[i] == TX || kind[i] == COMMIT) && image[src] != KEEP && !(i == pos && row <= key && row > 0);
        v = (c -> image[src] : v)
    }
}

inline read(key) { held[key] = (inside(touched[key], low[me]) -> table[key] : ABSENT); touched[key] = 0 }

active [CHUNKS] proctype Window()
{
    byte me = _pid - N - 1;
    do
    :: d_step { started && at[me] == IDLE && pos >= start && !(xa_earlier && prepared) ->  /* open */
        at[me] = OPEN; s0[me] = (row > 0 && with(S0_WHOLE) -> got & ~bit(pos) : got) }
    :: d_step { at[me] == OPEN && !with(FOR_SHARE) && (inside(s0[me], executed) || with(NO_BARRIER)) ->    /* low */
        at[me] = LOWERED; s0[me] = 0; low[me] = executed; high[me] = (with(HIGH_BEFORE_SELECT) -> logged : 0) }
    :: d_step { at[me] == LOWERED ->                                                       /* read: one view */
        at[me] = READ; read(me);
        if :: CHUNKS == 1 -> read(1) :: else fi }
    :: d_step { at[me] == OPEN && with(FOR_SHARE) && !(locked & bit(me + upto[me])) ->     /* read: row by row, as the locks go */
        read(me + upto[me]); upto[me]++;
        if :: upto[me] == 3 - CHUNKS -> at[me] = READ; s0[me] = 0; upto[me] = 0 :: else fi }
    :: d_step { at[me] == READ ->                                                          /* high */
        at[me] = LISTENING; high[me] = (with(HIGH_GTIDS) -> executed : (with(HIGH_BEFORE_SELECT) -> high[me] : logged)) }
    :: d_step { at[me] == LISTENING && (cursor == me || with(ANY_ORDER)) &&                /* close */
            (with(HIGH_GTIDS) -> inside(high[me], got) : pos >= high[me]) ->
        for (k : 0 .. 1) {
            if
            :: chunk(k) == me ->
                if
                :: held[k] != ABSENT ->
                    at_stream(k); assert(held[k] == v || CLAIMS == 2);             /* C1 */
                    topic[k] = held[k]; held[k] = ABSENT
                :: else
                fi
            :: else
            fi
        }
        at[me] = DONE; low[me] = 0; high[me] = 0; cursor = (cursor > me -> cursor : me + 1) }
    :: over -> break
    od
}
