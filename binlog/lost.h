/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lost: says what is missing when the server no longer has the log from a position on.
 *
 * The server's own error names neither the transactions that are gone nor the files that are left; it is asked for
 * them once, and the sentence for the operator gets the position, what is missing, what there is, and the ways out.
 *
 * Reader thread; may block for a statement.
 */
#ifndef TIDEMARK_BINLOG_LOST_H
#define TIDEMARK_BINLOG_LOST_H

#include "base/fail.h"
#include "binlog/gtid.h"
#include "binlog/position.h"
#include "binlog/source.h"

/* executed: NULL without GTIDs. When why is of a log that is gone, its text is replaced; kind, area and code stay.
 * A server that can't be asked leaves it as it is. src is for statements, and connected when it isn't. */
void lost_explain(struct source *src, const struct gtid_set *executed, const struct log_position *pos,
                  struct fail *why);

/* Where a stream was that can't go on by its position. Lent. */
struct lost_place {
    const char *server_uuid;         /* of the server then, and now */
    const struct gtid_set *executed; /* what was told */
    const struct log_position *pos;
    bool is_other_file; /* the server has a file of that name, and it is another one */
};

/*
 * Whether GTIDs can still say what comes next. RESET BINARY LOGS AND GTIDS, or the loss of the log's end, lets the server use
 * numbers of its own again for other transactions; what was told under them would hide those. So it is when the position's
 * file is another one, or the log ends before the position though its files are numbered on, and transactions that the
 * server numbered itself and that were told are not even among the purged ones. True: why says so (STOP, DATA,
 * SOURCE_OTHER_LOG). False also when the server can't be asked. src as above.
 */
bool lost_is_other_log(struct source *src, const struct lost_place *place, struct fail *why);

#endif
