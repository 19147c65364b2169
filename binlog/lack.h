/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lack: tells that a server has not executed yet what was told already, from another server's log.
 *
 * After a switch to a replica that lags behind, its log brings nothing new until it has caught up, and a SELECT on it is
 * older than the topic. The stream and the windows bear that; the operator should know why nothing comes.
 *
 * Reader thread; blocks for a statement.
 */
#ifndef TIDEMARK_BINLOG_LACK_H
#define TIDEMARK_BINLOG_LACK_H

#include "base/fail.h"
#include "binlog/gtid.h"
#include "binlog/source.h"

/* One warning with how many and which, or nothing. False: the server could not be asked. src is connected. */
MUST_USE bool lack_tell(struct source *src, const struct gtid_set *told, struct fail *why);

#endif
