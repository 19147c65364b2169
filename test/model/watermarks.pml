/* SPDX-License-Identifier: Apache-2.0 */
/* Watermarks: a model of the windows of snapshot/snapshot.h, to be searched exhaustively with spin (check runs the variants).
 *
 * A table of two keys, a log, N transactions with freely chosen changes (insert, update, delete, key change, two rows at once), one of them
 * perhaps XA; a connector that streams the log, snapshots the table as one chunk of two keys or two chunks of one, and crashes at most once.
 * Everybody runs at his own pace: a transaction rests between logged, visible and executed for as long as it likes (semi-synchronous
 * replication) and overtakes others there (binlog_order_commits=OFF).
 *
 * Claims   C1  a row read (op=r) equals the key's value at the stream's position: never stale, never ahead, no deleted row revived
 *          C2  at the end the consumer's last word on each key is the table's
 *          C3  a row that is there at the end was sent, by the snapshot or by the stream
 * and, by spin's search for invalid end states, nobody waits for ever. As it stands this is the algorithm; -DBREAK=a+b+... alters it:
 */
#define NO_BARRIER         1     /* low does not wait for S0 */
#define NO_DROP            2     /* streamed changes leave the held rows alone */
#define HIGH_BEFORE_SELECT 4
#define HIGH_GTIDS         8     /* high is gtid_executed, not a log position */
#define S0_WHOLE          16     /* S0 lacks the transaction that is half handed over */
#define ANY_ORDER         32     /* the chunks of a table close in any order, with the last key as the cursor all the same */
#define START_EMITS       64     /* rows between the first start's GTID set and its log position are sent */
#define XA_NAIVE         128     /* rows sent at XA PREPARE, XA COMMIT and XA ROLLBACK ignored */
#define XA_BY_PREPARE    256     /* rows sent at XA COMMIT, but compared with LOW by the GTID of the prepare */
#define XA_STORED        512     /* the prepare counts as handed over at once */
#define XA_EARLIER      1024     /* the snapshot does not wait for XA transactions prepared before the first start */
#define ORDERED         2048     /* the setting, binlog_order_commits=ON */
#define FOR_SHARE       4096     /* no GTIDs: locking reads instead of LOW */
#define NO_CRASH        8192     /* a smaller search */
#define REFERENCE      (NO_BARRIER + HIGH_GTIDS)
#ifndef BREAK
#define BREAK 0
#endif
#ifndef CLAIMS
#define CLAIMS 3                 /* 1: check C1; 2: check C2 and C3; 3: all */
#endif
#ifndef N
#define N 3                      /* transactions */
#endif
#ifndef CHUNKS
#define CHUNKS 1                 /* 1: both keys in one chunk; 2: a chunk each, and both windows may be open together */
#endif
#ifndef ROW1
#define ROW1 0                   /* what key 1 holds at first; key 0 holds 1 */
#endif
#define with(x)      (((BREAK) & (x)) != 0)
#define ABSENT       0           /* no such row */
#define KEEP         7           /* in a change: this key is not touched */
#define NEVER        7           /* at the consumer: no word on this key yet */
#define bit(i)       (1 << (i))  /* sets of log entries, which is to say of GTIDs, and sets of keys are bit masks */
#define inside(a, b) (((a) & ~(b)) == 0)
#define chunk(k)     ((k) * (CHUNKS - 1))
mtype = { TX, PREPARE, COMMIT, ROLLBACK };                        /* log entries */
mtype = { IDLE, OPEN, LOWERED, READ, LISTENING, DONE };           /* a chunk */

/* ---- the server ---- */
mtype kind[N + 1];               /* the log: an entry per transaction, and one more to end the XA transaction */
byte  rows[N + 1];               /* the entry that carries the rows: this one, or the XA PREPARE */
byte  image[2 * N + 2];          /* per entry and key: the new value, ABSENT or KEEP */
byte  logged;                    /* entries 0 .. logged-1 are there for the dump thread and for SHOW BINARY LOG STATUS */
byte  executed;                  /* @@global.gtid_executed */
byte  table[2] = { 1, ROW1 };    /* what a SELECT that starts now sees */
byte  locked;                    /* keys under a row lock, which is taken before a transaction is logged and given back when it is visible */
byte  begun, finished;           /* transactions that are logged; that are executed */
bool  xa_used, prepared;         /* prepared: what XA RECOVER shows */
/* ---- the connector ---- */
bool  started, xa_earlier;       /* xa_earlier: XA RECOVER at the first start */
byte  start;                     /* the log position at the first start */
byte  pos, row;                  /* the stream: entries passed, and row events handed over of the entry under way */
byte  got;                       /* GTIDs handed over, the transaction under way among them */
byte  have;                      /* XA prepares whose rows wait in memory */
byte  cursor;                    /* chunks before this one are sent */
byte  topic[2] = NEVER;          /* the consumer's last word on each key */
mtype at[CHUNKS] = IDLE;
byte  s0[CHUNKS], low[CHUNKS], high[CHUNKS], upto[CHUNKS];        /* upto: rows of the chunk read so far */
byte  held[2], touched[2];       /* per key: the value read; until it is, the transactions streamed since the window opened that changed it */
bool  saved, crashed, over;
byte  saved_got, saved_cursor, saved_topic[2];
hidden byte i, k, v, c, src;     /* scratch within one step */

inline append(what, carrier) { rows[logged] = carrier; kind[logged] = what; me = logged; logged++ }
#define in_turn (!with(ORDERED) || executed == bit(me) - 1)

active [N] proctype Transaction()        /* _pid 0 .. N-1 is the order of logging */
{
    byte me, mine;
    atomic {                         /* LOGGED; a key that is locked by another waits, a free one has its newest value in the table */
        begun == _pid && locked != 3 ->
        if :: !(locked & 1) -> mine = 1 :: !(locked & 2) -> mine = 2 :: !locked -> mine = 3 fi;
        for (k : 0 .. 1) {
            if
            :: !(mine & bit(k)) -> image[2 * logged + k] = KEEP
            :: (mine & bit(k)) -> image[2 * logged + k] = _pid + 2
            :: (mine & bit(k)) && table[k] -> image[2 * logged + k] = ABSENT
            fi
        }
        locked = locked | mine; begun++;
        if :: append(TX, logged) :: !xa_used -> xa_used = true; append(PREPARE, logged) fi
    }
    if
    :: kind[me] == PREPARE ->        /* its GTID is executed now, its rows stay invisible and locked */
        d_step { in_turn -> executed = executed | bit(me); prepared = true };
        atomic { if :: append(COMMIT, rows[me]) :: append(ROLLBACK, rows[me]) fi }
    :: else
    fi;
    d_step { in_turn ->              /* VISIBLE */
        for (k : 0 .. 1) {
            v = image[2 * rows[me] + k]; table[k] = (v == KEEP || kind[me] == ROLLBACK -> table[k] : v)
        }
        locked = locked & ~mine; mine = 0; prepared = prepared && kind[me] == TX; xa_earlier = xa_earlier && prepared
    }
    d_step { executed = executed | bit(me); finished++ }     /* EXECUTED */
}

inline snapshot_from(n)          /* drop all windows */
{
    cursor = n; held[0] = 0; held[1] = 0; touched[0] = 0; touched[1] = 0;
    for (c : 0 .. CHUNKS - 1) { at[c] = (c < n -> DONE : IDLE); s0[c] = 0; low[c] = 0; high[c] = 0; upto[c] = 0 }
}

inline hand_over()               /* the next event of the stream */
{
    src = rows[pos];
    if
    :: row == 0 && (got & bit(pos)) -> pos++                         /* the server skips it: it was in the set that we asked with */
    :: else ->
        if
        :: kind[pos] == PREPARE && !with(XA_NAIVE) ->            /* the position moves on, the set of GTIDs does not */
            have = have | bit(pos); got = got | (with(XA_STORED) -> bit(pos) : 0); pos++
        :: kind[pos] == ROLLBACK || (kind[pos] == COMMIT && (with(XA_NAIVE) || !(have & bit(src)))) ->
            got = got | bit(pos) | bit(src); have = 0; pos++ /* no rows, or (prepared before the first start) unknown ones */
        :: else ->                                               /* a row event, and the first one puts the GTID into S0 */
            got = got | bit(pos) | bit(src); row = (image[2 * src] == KEEP -> 1 : row); v = image[2 * src + row];
            if
            :: (pos >= start || with(START_EMITS)) ->
                topic[row] = v; c = chunk(row); v = bit((with(XA_BY_PREPARE) -> src : pos));
                if
                :: at[c] != IDLE && at[c] != DONE && !(low[c] & v) && !with(NO_DROP) ->
                    held[row] = ABSENT; touched[row] = touched[row] | (at[c] == OPEN || at[c] == LOWERED -> v : 0)
                :: else
                fi
            :: else
            fi;
            if :: row == 1 || image[2 * src + 1] == KEEP -> row = 0; pos++; have = have & ~bit(src) :: else -> row = 1 fi
        fi
    fi;
    start = (pos < start -> start : 0)
}

active proctype Stream()
{
    if                               /* the first start: the set to ask with, then the position; without GTIDs only the position */
    :: with(FOR_SHARE) -> d_step { start = logged; got = bit(logged) - 1; started = true }
    :: else -> got = executed; d_step { start = logged; xa_earlier = prepared && !with(XA_EARLIER); started = true }
    fi;
    do
    :: d_step { pos < logged -> hand_over() }
    :: d_step {                      /* the Kafka transaction that the crash will find as the last one: rows, GTIDs and cursor together */
        !saved && !with(NO_CRASH) && row == 0 && pos >= start ->
        saved = true; saved_got = got; saved_cursor = cursor; saved_topic[0] = topic[0]; saved_topic[1] = topic[1] }
    :: d_step {                      /* crash and restart: the server sends again all that is not in the set, from its oldest log on */
        saved && !crashed ->
        crashed = true; pos = 0; row = 0; have = 0; start = 0; snapshot_from(saved_cursor);
        got = saved_got; topic[0] = saved_topic[0]; topic[1] = saved_topic[1];
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
