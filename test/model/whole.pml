/* SPDX-License-Identifier: Apache-2.0 */
/* Whole: a model of how a table without a usable key is read (snapshot/chunk_whole.h, table_read.h), to be searched exhaustively with spin.
 *
 * The server of server.pml, of which the keys are only names for rows here: no record has one, a consumer adds and takes away rows. A
 * connector streams the log, reads the table in one view, sends its rows one by one, and crashes at most once. Its stream may run ahead while
 * the view is opened, as it does in a pause; the program halts it then, too, so that the view's place is not passed, and it behaves as one of
 * the runs here.
 *
 * Claims   C1  at the end the records, added up, are the table
 *          C2  at no time a record takes away a row that the records before it have not brought
 * counted from the first start on; of a blocking snapshot (-DBLOCKING), and of a reading that a crash broke off after something of it was stored,
 * from the first row of the view on: what was told before is told again. And, by spin's search for invalid end states, nobody waits for ever.
 * As it stands this is the algorithm; -DBREAK=a+b+... alters it, here or in server.pml:
 */
#define NO_PROOF           1     /* a view is taken though not all that was logged up to its place was executed before */
#define LATE_PROOF         2     /* gtid_executed is read after the view was opened */
#define NO_MUTE            4     /* what the stream says of the table is sent before its first row, too */
#define NO_HALT            8     /* the stream goes on past the view whose rows have not all been sent */
#define NO_SECOND_LOOK    16     /* the log may move on between its end and the view */
#define NO_LOW            32     /* what was handed over is not waited for, before it is proven */
#define BEFORE
#include "server.pml"
#ifdef BLOCKING
#define IS_MUTED     false
#else
#define IS_MUTED     true
#endif
mtype = { IDLE, ASKED, LOW, PLACED, VIEWED, OPEN, SENDING, DONE };     /* the reading */

mtype at = IDLE;
byte  s0, low, place, view[2];   /* place: of the view, or before it of the log's end; view: the rows that it has and that are not sent yet */
bool  muted = IS_MUTED;
bool  is_told = IS_MUTED;        /* records are added up */
byte  there[2], owed[2];         /* per row: the values that records brought; that they took away without having brought them */
bool  doubled;                   /* a record brought what was there already */
bool  saved, crashed, over;
byte  saved_got, saved_there[2], saved_owed[2];
bool  saved_doubled, saved_muted, saved_done;

inline bring(r, x)
{
    if
    :: x == ABSENT -> skip
    :: x != ABSENT && (owed[r] & bit(x)) -> owed[r] = owed[r] & ~bit(x)
    :: else -> doubled = doubled || (there[r] & bit(x)); there[r] = there[r] | bit(x)
    fi
}

inline take_away(r, x)
{
    if
    :: x == ABSENT -> skip
    :: x != ABSENT && (there[r] & bit(x)) -> there[r] = there[r] & ~bit(x)
    :: else -> assert(!is_told || CLAIMS == 1); owed[r] = owed[r] | bit(x)                         /* C2 */
    fi
}

inline tell()
{
    if
    :: !is_told || (muted && !with(NO_MUTE)) -> skip
    :: else -> take_away(row, before[2 * src + row]); bring(row, v)
    fi
}

inline drop_view() { at = IDLE; s0 = 0; low = 0; place = 0; view[0] = 0; view[1] = 0 }

#define halts ((at == OPEN || at == SENDING) && pos >= place && !with(NO_HALT))

active proctype Stream()
{
    first_start();
    do
    :: d_step { pos < logged && !halts -> hand_over() }
    :: d_step {                      /* the Kafka transaction that the crash will find as the last one */
        !saved && !with(NO_CRASH) && row == 0 && pos >= start ->
        saved = true; saved_got = got; saved_muted = muted; saved_done = (at == DONE);
        if
        :: at == SENDING -> skip     /* the reading will be broken off: nothing of it counts */
        :: else ->
            saved_there[0] = there[0]; saved_there[1] = there[1]; saved_owed[0] = owed[0]; saved_owed[1] = owed[1]; saved_doubled = doubled
        fi }
    :: d_step {                      /* crash and restart */
        saved && !crashed ->
        crashed = true; restart(saved_got); drop_view(); at = (saved_done -> DONE : IDLE);
        muted = saved_muted; is_told = saved_muted || saved_done;
        there[0] = saved_there[0]; there[1] = saved_there[1]; owed[0] = saved_owed[0]; owed[1] = saved_owed[1]; doubled = saved_doubled;
        saved_got = 0; saved_there[0] = 0; saved_there[1] = 0; saved_owed[0] = 0; saved_owed[1] = 0;
        saved_doubled = false; saved_muted = false; saved_done = false }
    :: d_step {                      /* the end */
        finished == N && pos == logged && at == DONE ->
        for (k : 0 .. 1) {
            assert((!doubled && !owed[k] && there[k] == (table[k] == ABSENT -> 0 : bit(table[k]))) || CLAIMS == 2)         /* C1 */
        }
        over = true }
        break
    od
}

active proctype Reading()
{
    do
    :: d_step { started && at == IDLE && pos >= start && !(xa_earlier && prepared) ->      /* the order */
        at = ASKED; s0 = got }
    :: d_step { at == ASKED && (inside(s0, executed) || with(NO_LOW)) ->            /* the server's answer */
        at = LOW; s0 = 0; low = executed }
    :: d_step { at == LOW -> at = PLACED; place = logged }                                 /* the log's end */
    :: d_step { at == PLACED ->                                                            /* the view */
        at = VIEWED; view[0] = table[0]; view[1] = table[1] }
    :: d_step { at == VIEWED ->                                                            /* the log's end again */
        low = (with(LATE_PROOF) -> executed : low);
        if
        :: place == logged || with(NO_SECOND_LOOK) -> at = OPEN
        :: else -> low = executed; view[0] = 0; view[1] = 0; place = 0; at = LOW
        fi }
    :: d_step { at == OPEN && pos >= place ->                                              /* proven, and the first row may go */
        if
        :: inside(got, low) || with(NO_PROOF) ->
            at = SENDING; muted = false; low = 0;
            if :: !is_told -> is_told = true; there[0] = 0; there[1] = 0; owed[0] = 0; owed[1] = 0; doubled = false :: else fi
        :: else -> drop_view()
        fi }
    :: d_step { at == SENDING && view[0] -> bring(0, view[0]); view[0] = 0 }
    :: d_step { at == SENDING && view[1] -> bring(1, view[1]); view[1] = 0 }
    :: d_step { at == SENDING && !view[0] && !view[1] -> drop_view(); at = DONE }
    :: over -> break
    od
}
