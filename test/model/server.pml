/* SPDX-License-Identifier: Apache-2.0 */
/* Server: what the models of this folder have in common: the server with its log, and how the stream goes through the log.
 *
 * A table of two keys, a log, N transactions with freely chosen changes (insert, update, delete, key change, two rows at once), one of them
 * perhaps XA. Everybody runs at his own pace: a transaction rests between logged, visible and executed for as long as it likes
 * (semi-synchronous replication) and overtakes others there (binlog_order_commits=OFF).
 *
 * A model that includes it says what becomes of a row event, by an inline tell(): key `row` becomes `v`, and the bit of the transaction in the
 * sets of GTIDs is `c`. -DBREAK=a+b+... alters what is common:
 */
#define START_EMITS       64     /* rows between the first start's GTID set and its log position are sent */
#define XA_NAIVE         128     /* rows sent at XA PREPARE, XA COMMIT and XA ROLLBACK ignored */
#define XA_BY_PREPARE    256     /* rows sent at XA COMMIT, but compared with LOW by the GTID of the prepare */
#define XA_STORED        512     /* the prepare counts as handed over at once */
#define XA_EARLIER      1024     /* the snapshot does not wait for XA transactions prepared before the first start */
#define ORDERED         2048     /* the setting, binlog_order_commits=ON */
#define NO_CRASH        8192     /* a smaller search */
#ifndef BREAK
#define BREAK 0
#endif
#ifndef CLAIMS
#define CLAIMS 3                 /* 1: check C1; 2: check the others; 3: all */
#endif
#ifndef N
#define N 3                      /* transactions */
#endif
#ifndef ROW1
#define ROW1 0                   /* what key 1 holds at first; key 0 holds 1 */
#endif
#define with(x)      (((BREAK) & (x)) != 0)
#define ABSENT       0           /* no such row */
#define KEEP         7           /* in a change: this key is not touched */
#define bit(i)       (1 << (i))  /* sets of log entries, which is to say of GTIDs, and sets of keys are bit masks */
#define inside(a, b) (((a) & ~(b)) == 0)
mtype = { TX, PREPARE, COMMIT, ROLLBACK };                        /* log entries */

/* ---- the server ---- */
mtype kind[N + 1];               /* the log: an entry per transaction, and one more to end the XA transaction */
byte  rows[N + 1];               /* the entry that carries the rows: this one, or the XA PREPARE */
byte  image[2 * N + 2];          /* per entry and key: the new value, ABSENT or KEEP */
#ifdef BEFORE
byte  before[2 * N + 2];         /* per entry and key: the value that it replaces */
#endif
byte  logged;                    /* entries 0 .. logged-1 are there for the dump thread and for SHOW BINARY LOG STATUS */
byte  executed;                  /* @@global.gtid_executed */
byte  table[2] = { 1, ROW1 };    /* what a SELECT that starts now sees */
byte  locked;                    /* keys under a row lock, which is taken before a transaction is logged and given back when it is visible */
byte  begun, finished;           /* transactions that are logged; that are executed */
bool  xa_used, prepared;         /* prepared: what XA RECOVER shows */
/* ---- the stream ---- */
bool  started, xa_earlier;       /* xa_earlier: XA RECOVER at the first start */
byte  start;                     /* the log position at the first start */
byte  pos, row;                  /* entries passed, and row events handed over of the entry under way */
byte  got;                       /* GTIDs handed over, the transaction under way among them */
byte  have;                      /* XA prepares whose rows wait in memory */
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
#ifdef BEFORE
            before[2 * logged + k] = (mine & bit(k) -> table[k] : ABSENT);
#endif
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

/* The first start: the set to ask with, then the position. */
inline first_start() { got = executed; d_step { start = logged; xa_earlier = prepared && !with(XA_EARLIER); started = true } }

/* The server sends again all that is not in the set, from its oldest log on. */
inline restart(from) { pos = 0; row = 0; have = 0; start = 0; got = from }

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
                c = bit((with(XA_BY_PREPARE) -> src : pos)); tell()
            :: else
            fi;
            if :: row == 1 || image[2 * src + 1] == KEEP -> row = 0; pos++; have = have & ~bit(src) :: else -> row = 1 fi
        fi
    fi;
    start = (pos < start -> start : 0)
}
