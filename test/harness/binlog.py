# SPDX-License-Identifier: Apache-2.0
"""binlog: the statements in a server's binary log as they lie in the file, byte for byte.

SHOW BINLOG EVENTS and mysqlbinlog convert what they show; a reader of statements has to be tried with the real bytes and the
session's settings beside them. Layout: common header of 19 bytes, then Query_event of the MySQL source, statement_events.h.
"""
import struct
from dataclasses import dataclass

QUERY, ROTATE, HEADER = 2, 4, 19
SIZES = {0: 4, 1: 8, 3: 4, 4: 6, 7: 2, 8: 2, 9: 8, 10: 4, 13: 3, 16: 1, 17: 8, 18: 2, 19: 1, 20: 1}  # of status variables


@dataclass
class Statement:
    db: bytes
    sql: bytes
    sql_mode: int = 0
    client_collation: int = 0
    server_collation: int = 0
    utf8mb4_collation: int = 0
    explicit_timestamps: bool | None = None  # not told: the server's own


def statements(mysql, file, position):
    """The statements of the log from a position of one file on, and the file and position behind them."""
    found, following = [], file
    while following:
        file, following = following, None
        data = (mysql.data / file).read_bytes()[position:]
        at = 0
        while at + HEADER <= len(data):
            kind, length = data[at + 4], struct.unpack_from("<I", data, at + 9)[0]
            if length < HEADER or at + length > len(data):
                break  # being written
            body = data[at + HEADER:at + length - 4]  # 4: the checksum
            if kind == QUERY:
                found.append(_statement(body))
            if kind == ROTATE:
                following = body[8:].decode()
            at += length
        position = 4 if following else position + at
    return found, file, position


def _statement(body):
    db_length, _, status_length = struct.unpack_from("<BHH", body, 8)
    status = body[13:13 + status_length]
    db = body[13 + status_length:13 + status_length + db_length]
    statement = Statement(bytes(db), bytes(body[13 + status_length + db_length + 1:]))
    at = 0
    while at < len(status):
        code, at = status[at], at + 1
        if code in (5, 6):
            size = 1 + status[at]
        elif code == 12:
            size = 1
            for _ in range(status[at] if status[at] != 254 else 0):
                size = status.index(0, at + size) + 1 - at
        elif code == 11:
            size = 1 + status[at]
            size += 1 + status[at + size]
        else:
            size = SIZES[code]
        _take(statement, code, status[at:at + size])
        at += size
    return statement


def _take(statement, code, value):
    if code == 1:
        statement.sql_mode = int.from_bytes(value, "little")
    elif code == 4:
        statement.client_collation, _, statement.server_collation = struct.unpack("<3H", value)
    elif code == 16:
        statement.explicit_timestamps = value != b"\0"
    elif code == 18:
        statement.utf8mb4_collation = int.from_bytes(value, "little")
