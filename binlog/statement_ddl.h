/* SPDX-License-Identifier: Apache-2.0 */
/*
 * statement_ddl: in which circumstances the DDL reader has to see a statement of the log.
 *
 * Lends the statement and the server. Any thread.
 */
#ifndef TIDEMARK_BINLOG_STATEMENT_DDL_H
#define TIDEMARK_BINLOG_STATEMENT_DDL_H

#include "binlog/ddl.h"
#include "binlog/statement.h"
#include "binlog/stream.h"

/* is_captured is left to the caller. */
struct ddl_context statement_ddl_context(const struct statement *sm, const struct stream_server *server);

#endif
