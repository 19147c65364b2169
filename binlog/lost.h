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

/*
 * Where a position is refused and GTIDs would say what comes next: whether they still can. RESET BINARY LOGS AND GTIDS, or the
 * loss of the log's end, lets the server use numbers of its own again for other transactions; what was told under them would
 * hide those. So it is when its log ends before the position, though its files are numbered on, and transactions that it
 * numbered itself and that were told are not even among the purged ones. True: why says so (STOP, DATA, SOURCE_OTHER_LOG).
 * False also when the server can't be asked. src as above.
 */
bool lost_is_other_log(struct source *src, const char *server_uuid, const struct gtid_set *executed,
                       const struct log_position *pos, struct fail *why);

#endif
