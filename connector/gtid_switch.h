/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gtid_switch: gives a stored position its GTIDs, once the server has some.
 *
 * A stream that began without GTIDs goes on by file and offset; when gtid_mode was switched to ON since, the set of what lies
 * before the position can be had from the log: its file's PREVIOUS_GTIDS, and what the file holds up to there. From then on
 * the stream may follow another server, and rows are read without a lock.
 *
 * Reader thread; may block while the server sends that file.
 */
#ifndef TIDEMARK_CONNECTOR_GTID_SWITCH_H
#define TIDEMARK_CONNECTOR_GTID_SWITCH_H

#include "binlog/server.h"
#include "connector/config.h"
#include "connector/offsets.h"

/* Adds the set to st when there is one to add; *has_changed says so. Inside a transaction, or while an XA transaction is prepared,
 * and where the log can't say, st stays as it is: the next start tries again. False: RETRY, the server could not be asked. */
MUST_USE bool gtid_switch(struct source *src, const struct config *cfg, const struct server *server,
                          struct offset_state *st, bool *has_changed, struct fail *why);

#endif
