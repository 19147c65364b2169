# SPDX-License-Identifier: Apache-2.0
"""statement_log: whether what a program said to the server wrote or locked anything, by the server's general log."""
import re

# What may be said. FOR UPDATE, FOR SHARE, INTO OUTFILE and functions with effects are looked for apart.
ALLOWED = re.compile(r"\s*(SELECT|SHOW|EXPLAIN|SET\s+(SESSION\b|@@?SESSION\.|@|NAMES\b|TIME_ZONE\b|SQL_MODE\b|AUTOCOMMIT\b"
                     r"|CHARACTER\b|NET_\w+\b|TRANSACTION\b)|XA\s+RECOVER|START\s+TRANSACTION\b.*\bREAD\s+ONLY|COMMIT\s*$)", re.I)
FORBIDDEN = re.compile(r"\bFOR\s+UPDATE\b|\bLOCK\b|\bINTO\s+(OUT|DUMP)FILE\b|\bGET_LOCK\b|\bGLOBAL\b\s*\w+\s*=", re.I)
SHARES = re.compile(r"\bFOR\s+SHARE\b|\bLOCK\s+IN\s+SHARE\b", re.I)
COMMANDS = {"Connect", "Quit", "Query", "Prepare", "Execute", "Close stmt", "Reset stmt", "Fetch", "Ping", "Statistics",
            "Init DB", "Register Slave", "Binlog Dump", "Binlog Dump GTID"}


def assert_untouched(said, may_share=False):
    """said: (command, text) of all that a user sent. may_share: rows may be read FOR SHARE. Returns the statements."""
    assert {command for command, _ in said} <= COMMANDS
    statements = []
    for command, text in said:
        if command not in ("Query", "Prepare", "Execute"):
            continue
        statements.append(text)
        for statement in filter(str.strip, text.split(";") if command == "Query" else [text]):  # a prepared one stands alone
            assert ALLOWED.match(statement) and not FORBIDDEN.search(statement), statement
            assert may_share or not SHARES.search(statement), statement
    return statements
