# SPDX-License-Identifier: Apache-2.0
"""stream_run: one table, a program that follows it, and what its topic should hold."""
from harness.replay import Replay, decode_all, payload

PLAIN = {"key.converter.schemas.enable": False, "value.converter.schemas.enable": False}


class Stream:
    """A table t (id, v, pad), a program that follows it, and what its topic should hold."""

    def __init__(self, mysql, kafka, tidemark, names, table="CREATE TABLE t (id INT PRIMARY KEY, v INT, pad LONGTEXT)", **more):
        self.mysql, self.kafka, self.database = mysql, kafka, names.database
        self.topic = f"{names.prefix}.{names.database}.t"
        mysql.sql(f"CREATE DATABASE {names.database}; USE {names.database}; {table}")
        self.program = tidemark(mysql, kafka, database_include_list=names.database, also={**PLAIN, **more})
        self.program.start_ready()
        self.next = 1

    def sql(self, statements, args=None):
        return self.mysql.sql(statements, args, database=self.database)

    def insert(self, count=1):
        """So many rows in one transaction; their ids."""
        ids = range(self.next, self.next + count)
        self.next += count
        self.mysql.many("INSERT INTO t (id, v) VALUES (%s, 0)", [(number,) for number in ids], database=self.database)
        return ids

    def wait(self, number, timeout=60):
        """Until the row is told."""
        return self.kafka.consume(self.topic, timeout=timeout,
                                  until=lambda records: any(payload(r.key)["id"] == number for r in reversed(records[-500:])))

    def settled(self, timeout=60, **how):
        """One more row; all records up to it, held against the table."""
        last = self.insert()[0]
        records = self.wait(last, timeout)
        Replay(**how).apply(records).end().assert_equals(self.mysql, self.topic.split(".")[0], self.database, "t")
        return decode_all(records)
