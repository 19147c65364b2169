# SPDX-License-Identifier: Apache-2.0
"""heart: random writers, random signals, kills and cuts beside a snapshot, and what a consumer may never see.

The tables are filled before the first start, so those rows reach the topic by snapshots alone; everything later is in the
stream. So the value of each key is known at every place of the topic, and a row that was read must be just that.

  H1  a row that is read holds the value of its key at the stream's place: it never goes back, nothing deleted comes back
  H2  no key is read more often than its table was asked for, over all kills: nothing comes twice
  H3  when a table was read whole, a consumer that applies the topic in order holds exactly the table
  H4  each change follows the row before it: none is missing, none comes twice
"""
import json
import random
import threading
import time

import pymysql

from harness import wait_for
from snapshot_run import Run

# Columns, and a random key. Its last part is odd in rows that nobody ever changes: what a snapshot loses of them stays lost.
TABLES = {
    "a": ("id INT PRIMARY KEY, v BIGINT", lambda rng, odd=0: (rng.randrange(200) * 2 + odd,)),
    "b": ("x VARCHAR(8) COLLATE utf8mb4_0900_ai_ci, y SMALLINT, v BIGINT, PRIMARY KEY (x, y DESC)",
          lambda rng, odd=0: (rng.choice("aBcéZ") * rng.randrange(1, 4), rng.randrange(-10, 10) * 2 + odd)),
    "c": ("id BIGINT UNSIGNED PRIMARY KEY, v BIGINT", lambda rng, odd=0: ((rng.randrange(300) << 55) + odd,)),
}
KEYS = {"a": ("id",), "b": ("x", "y"), "c": ("id",)}
GONE = (0, 1053, 1077, 1290, 1317, 2002, 2003, 2006, 2013, 2014, 2055)  # what a client is told when its server goes away


class Heart:
    """is_rough: the servers may go away too. is_lagging: chunks apart in time, and a stream so far behind the log that some
    windows close while others stay open; else that is left to chance. settings: more of the program's."""

    def __init__(self, seed, server, kafka, tidemark, names, wire=None, rows=150, breaks=None, is_rough=False, is_lagging=False,
                 **settings):
        self.seed, self.rng, self.server, self.wire = seed, random.Random(seed), server, wire
        self.source = getattr(server, "source", server)
        self.database = f"{names.database[:24]}_{seed}"
        self.names = type(names)(database=self.database, prefix=self.database, short=names.short)
        self.done, self.faults, self.asked = threading.Event(), [], {table: 0 for table in TABLES}
        self.version = self.checked = 0
        self.is_rough = is_rough
        self.lock = threading.Lock()
        self.known = {table: {} for table in TABLES}
        self.source.sql(f"CREATE DATABASE `{self.database}`")
        for table, (columns, key) in TABLES.items():
            self.source.sql(f"CREATE TABLE {table} ({columns})", database=self.database)
            self._fill(table, key, rows, 0)
            self._fill(table, key, rows // 2, 1)
        if server is not self.source:
            server.wait_for_source(300)
        self.chunk = self.rng.choice([7, 20] if is_lagging else [1, 2, 7, 7, 20, 50, 1000, 10000])
        is_slow = self.rng.random() < 0.8 and self.chunk in (7, 20, 50)
        self.rate = self.chunk * 12 if is_slow or is_lagging else 0
        self.asks_once = self.rng.random() < 0.6 or is_lagging  # else a later reading makes up for what an earlier one lost
        self._slow_down([100000] if is_lagging else [None, 200000, 100000])
        more = {**({"database_port": wire.port} if wire else {}), **settings}
        if server.options["gtid-mode"] == "OFF":
            more["tidemark_snapshot_for_share"] = "true"
        env = {"TIDEMARK_BREAK": breaks} if breaks else None
        self.run = Run(server, kafka, lambda *args, **settings: tidemark(*args, env=env, **settings), self.names,
                       incremental_snapshot_chunk_size=self.chunk, skipped_operations="none", bigint_unsigned_handling_mode="long",
                       tidemark_snapshot_rows_per_second=self.rate, snapshot_max_threads=self.rng.choice([1, 2, 3]), errors_retry_delay_initial_ms=50,
                       **more)

    def _slow_down(self, rates):
        """How long a transaction is in the log before it can be seen, and how far the stream lags behind the log."""
        delay = self.rng.choice([0, 0, 8000])
        for server in {self.server, self.source}:
            server.sql(f"SET GLOBAL binlog_group_commit_sync_delay={delay}")
        if self.wire:
            self.wire.bytes_per_second = self.rng.choice(rates)

    def _fill(self, table, key, rows, odd):
        statement = f"REPLACE INTO {table} ({','.join(KEYS[table])}, v) VALUES ({','.join(['%s'] * len(KEYS[table]))}, %s)"
        self.source.many(statement, [(*key(self.rng, odd), self._next()) for _ in range(rows)], database=self.database)
        for row in self.source.sql(f"SELECT {','.join(KEYS[table])}, v FROM {table}", database=self.database):
            self.known[table][_key(row[:-1])] = row[-1]

    def _next(self):
        with self.lock:
            self.version += 1
            return self.version

    # ---- writers

    def _write(self, cursor, rng):
        table = rng.choice(list(TABLES))
        names, key = KEYS[table], TABLES[table][1](rng)
        where = " AND ".join(f"{name}=%s" for name in names)
        kind = rng.random()
        if kind < 0.3:
            cursor.execute(f"REPLACE INTO {table} ({','.join(names)}, v) VALUES ({','.join(['%s'] * len(names))}, %s)",
                           (*key, self._next()))
        elif kind < 0.7:
            cursor.execute(f"UPDATE {table} SET v=%s WHERE {where}", (self._next(), *key))
        elif kind < 0.85:
            cursor.execute(f"DELETE FROM {table} WHERE {where}", key)
        elif kind < 0.97:
            other = TABLES[table][1](rng)
            cursor.execute(f"UPDATE IGNORE {table} SET {', '.join(f'{name}=%s' for name in names)}, v=%s WHERE {where}",
                           (*other, self._next(), *key))
        else:
            cursor.execute(f"UPDATE {table} SET v=v+1000000000 WHERE {names[-1]} % 10 = 0 AND v < 1000000000")

    def _writer(self, seed, xa):
        rng = random.Random(seed)
        while not self.done.is_set():
            try:
                self._write_until_done(rng, xa)
            except pymysql.err.MySQLError as fault:
                self._bear(fault)
            if xa:
                self.end_xa(rng)

    def _bear(self, fault):
        """A server that has gone away is waited for, where that may be."""
        if not self.is_rough or fault.args[0] not in GONE:
            raise fault
        time.sleep(0.1)

    def end_xa(self, rng, but=None):
        """Ends what a session that was lost had prepared, but what the writer is at."""
        try:
            for _, _, _, xid in self.source.sql("XA RECOVER"):
                if xid.startswith(f"x{self.seed}_") and xid != but:
                    self.source.sql(f"XA {rng.choice(['COMMIT', 'ROLLBACK'])} '{xid}'")
        except pymysql.err.MySQLError as fault:
            if fault.args[0] not in (1397, 1399, 1402):
                self._bear(fault)

    def _write_until_done(self, rng, xa):
        connection = self.source.connect(database=self.database, autocommit=False)
        with connection, connection.cursor() as cursor:
            cursor.execute("SET SESSION innodb_lock_wait_timeout=1, lock_wait_timeout=2")
            while not self.done.is_set():
                try:
                    self._transaction(connection, cursor, rng, xa and rng.random() < 0.5)
                except pymysql.err.MySQLError as fault:
                    if fault.args[0] not in (1205, 1213, 1062, 1397, 1399, 1402, 1614, 3101):
                        raise
                    self._undo(connection, cursor)

    def _transaction(self, connection, cursor, rng, xa):
        if xa:
            self.xid = f"x{self.seed}_{self._next()}"
            cursor.execute(f"XA START '{self.xid}'")
        for _ in range(rng.choice([1, 1, 1, 2, 5])):
            self._write(cursor, rng)
        if not xa:
            (connection.commit if rng.random() < 0.9 else connection.rollback)()
            return
        cursor.execute(f"XA END '{self.xid}'")
        cursor.execute(f"XA PREPARE '{self.xid}'")
        time.sleep(rng.random() / 10)
        cursor.execute(f"XA {rng.choice(['COMMIT', 'COMMIT', 'ROLLBACK'])} '{self.xid}'")

    def _undo(self, connection, cursor):
        for statement in (f"XA END '{getattr(self, 'xid', '')}'", f"XA ROLLBACK '{getattr(self, 'xid', '')}'", "ROLLBACK"):
            try:
                cursor.execute(statement)
            except pymysql.err.MySQLError:
                pass

    def _shaper(self, seed):
        rng = random.Random(seed)
        while not self.done.wait(0.3 + rng.random()):
            table = rng.choice(list(TABLES))
            statement = rng.choice([f"ALTER TABLE {table} ADD COLUMN extra INT DEFAULT 5", f"ALTER TABLE {table} DROP COLUMN extra",
                                    f"ALTER TABLE {table} ADD KEY by_v (v)", f"ALTER TABLE {table} DROP KEY by_v",
                                    f"TRUNCATE {table}", "FLUSH BINARY LOGS"])
            if statement.startswith("TRUNCATE") and rng.random() < 0.6:
                continue
            try:
                self.source.sql(f"SET SESSION lock_wait_timeout=1; {statement}", database=self.database)
            except pymysql.err.MySQLError as fault:
                if fault.args[0] not in (1060, 1061, 1091, 1205):
                    self._bear(fault)

    def _guarded(self, work, *args):
        def body():
            try:
                work(*args)
            except Exception as fault:
                self.faults.append(fault)
        thread = threading.Thread(target=body, daemon=True)
        thread.start()
        return thread

    # ---- the run

    def go(self, seconds=3, kills=True, between=None):
        """between(heart) is called after each act: more may happen there."""
        threads = [self._guarded(self._writer, self.seed * 100 + i, i == 0) for i in range(4)]
        threads.append(self._guarded(self._shaper, self.seed * 100 + 9))
        ids = []
        until = time.monotonic() + seconds
        while time.monotonic() < until or len(ids) < (1 if self.asks_once else 2):
            self._act(ids, kills)
            if between:
                between(self)
            time.sleep(self.rng.random() * 0.3)
        self._let_go_on()
        for id, _ in ids:
            self._wait_ended(id)
        whole = {table for id, tables in ids if self.run.outcome(id)["outcome"] == "done" for table in tables}
        for table in set(TABLES) - whole:
            self.asked[table] += 1
            self.run.snapshot(table, timeout=90)
        self.done.set()
        for thread in threads:
            thread.join(60)
        self.end_xa(self.rng)
        assert not self.faults, self.faults
        self._end()

    def _wait_ended(self, id):
        """Some read a few rows a second; what a lost session had prepared would hold its locks for ever."""
        until = time.monotonic() + 300
        while True:
            try:
                return self.run.wait_ended(id, 20)
            except TimeoutError:
                if time.monotonic() > until:
                    raise
                self.end_xa(self.rng, but=getattr(self, "xid", None))

    def _act(self, ids, kills):
        kind = self.rng.random()
        left = [table for table in TABLES if not (self.asks_once and self.asked[table])]
        if kind < 0.45 and left and len(ids) < 12:
            tables = self.rng.sample(left, self.rng.randint(1, len(left)))
            for table in tables:
                self.asked[table] += 1
            ids.append((self.run.snapshot(*tables, wait=False), tables))
        elif kind < 0.55:
            self.run.ask("pause-snapshot")
        elif kind < 0.75:
            self.run.ask("resume-snapshot")
        elif kind < 0.8:
            self.run.ask("stop-snapshot", data_collections=[f"{self.database}.{self.rng.choice(list(TABLES))}"])
        elif kind < 0.9 and kills:
            self.run.program.kill()
            self.run.start()
        elif self.wire:
            self.wire.cut()

    def _let_go_on(self):
        """What was asked for may end now: on a link slower than the writers it never would."""
        if self.wire:
            self.wire.bytes_per_second = None
        self.run.ask("resume-snapshot")

    def _end(self):
        """A last row in each table, and the checks."""
        for table in TABLES:
            self.source.sql("CREATE TABLE IF NOT EXISTS last (id INT PRIMARY KEY, v INT)", database=self.database)
        self.source.sql("INSERT INTO last VALUES (1, 1)", database=self.database)
        self.run.wait_rows_with(lambda row: row["id"] == 1, "last", 60)
        for table in TABLES:
            self.check(table)

    def check(self, table):
        names = KEYS[table]
        truth, held, read = dict(self.known[table]), {}, {}
        for place, (_, value) in enumerate(self.run.records(table)):
            if value is None:
                continue
            op, row = value["op"], value["before"] if value["op"] == "d" else value["after"]
            if op == "t":
                truth.clear()
                held.clear()
                continue
            key = _key(row[name] for name in names)
            where = f"seed {self.seed} chunk {self.chunk} {table}{key} record {place}"
            self.checked += 1
            if op in ("c", "u", "d"):
                before = value["before"] and value["before"]["v"]
                assert before == truth.get(key), f"{where}: {op} follows {before}, the stream has {truth.get(key)}"
            if op == "r":
                assert key in truth, f"{where}: a deleted row came back: {row}"
                assert truth[key] == row["v"], f"{where}: read as {row['v']} where the stream has {truth[key]}"
                read[key] = read.get(key, 0) + 1
                held[key] = row["v"]
            elif op == "d":
                truth.pop(key, None)
                held.pop(key, None)
            else:
                truth[key] = held[key] = row["v"]
        table_rows = {_key(_signed(part) for part in row[:-1]): row[-1]
                      for row in self.source.sql(f"SELECT {','.join(names)}, v FROM {table}", database=self.database)}
        assert held == table_rows, f"seed {self.seed} chunk {self.chunk} {table}: {_difference(held, table_rows)}"
        often = {key: count for key, count in read.items() if count > self.asked[table]}
        assert not often, f"seed {self.seed} {table}: read more often than asked ({self.asked[table]}): {often}"


def _signed(part):
    return part - (1 << 64) if isinstance(part, int) and part >= 1 << 63 else part


def _key(parts):
    return tuple(_signed(part) for part in parts)


def _difference(held, table):
    return {key: (held.get(key), table.get(key)) for key in {*held, *table} if held.get(key) != table.get(key)}
