/* SPDX-License-Identifier: Apache-2.0 */
#include "binlog/statement_ddl.h"

/* The log has the session's rule only with statements that name a TIMESTAMP type; a replica takes its own for the others. */
static bool implies_timestamps(const struct statement *sm, const struct stream_server *server)
{
    return sm->has_explicit_timestamp_defaults ? !sm->explicit_timestamp_defaults : server->implicit_timestamp_defaults;
}

struct ddl_context statement_ddl_context(const struct statement *sm, const struct stream_server *server)
{
    const struct charset *own = sm->has_collations ? charset_of_collation_id(sm->server_collation) : NULL;
    return (struct ddl_context){
        .db = sm->db,
        .sql_mode = sm->has_sql_mode ? sm->sql_mode : 0,
        .server_version = server->version,
        .client_charset = sm->has_collations ? charset_of_collation_id(sm->client_collation) : NULL,
        .server_charset = own != NULL ? own : server->charset,
        .server_collation = own != NULL ? view_of(charset_collation_name(sm->server_collation)) : server->collation,
        .utf8mb4_collation =
            sm->utf8mb4_collation != 0 ? view_of(charset_collation_name(sm->utf8mb4_collation)) : VIEW_NONE,
        .implicit_timestamp_defaults = implies_timestamps(sm, server),
    };
}
