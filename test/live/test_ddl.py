# SPDX-License-Identifier: Apache-2.0
"""The shapes that are tracked through the statements of a real server's log are those the server has.

A history is a session with its own sql_mode, charsets and timestamp rule, and some hundred random statements. After each, every
table is compared with information_schema, and its key with the one that SHOW CREATE TABLE gives: a restart must not change it.
TIDEMARK_SEED repeats a run, TIDEMARK_ROUNDS makes it longer.
"""
import itertools
import os
import random
import time

import pymysql
import pytest

from ddl_histories import MODES, Statements, statements_of_every_kind
from ddl_tracker import Tracker, difference, table_names, told, tool, tracked


@pytest.fixture(scope="module")
def server(scratch):
    from conftest import available
    from harness import MySql, Unavailable
    if not tool().exists():
        pytest.skip(f"there is no {tool()}")
    server = available(lambda: MySql(scratch, "ddl-mysql", {"innodb-flush-log-at-trx-commit": "0"}))
    server.start()
    yield server
    server.kill()


@pytest.fixture
def tracker(server):
    tracker = Tracker(server)
    yield tracker
    assert tracker.close() == 0


class History:
    """One session's statements and what became of them."""

    def __init__(self, server, tracker, seed, databases):
        self.server, self.tracker, self.databases = server, tracker, databases
        self.random = random.Random(seed)
        self.statements = Statements(self.random, databases)
        self.story, self.refused, self.accepted = [f"seed {seed}"], 0, 0
        self.reread = Tracker(server)
        self.tables = {}

    def open(self):
        r = self.random
        self.statements.mode = r.choice(MODES)
        self.client = r.choice(["utf8mb4", "utf8mb4", "utf8mb4", "gbk", "latin1", "sjis"])
        explicit = r.choice(["ON", "ON", "OFF"])
        self.server.sql(f"SET GLOBAL explicit_defaults_for_timestamp={explicit}")  # the log doesn't always say what a session has
        settings = [f"sql_mode='{self.statements.mode}'", f"explicit_defaults_for_timestamp={explicit}",
                    f"collation_server={self.statements.collation()}", "foreign_key_checks=1",
                    f"sql_generate_invisible_primary_key={r.choice(['OFF', 'OFF', 'ON'])}",
                    f"default_collation_for_utf8mb4={r.choice(['utf8mb4_0900_ai_ci', 'utf8mb4_general_ci'])}"]
        self.session = self.server.connect(charset="utf8mb4", use_unicode=False)  # results are of the session's charset
        for statement in ["SET NAMES " + self.client, "SET " + ", ".join(settings)]:
            self.execute(statement, in_client=False)
        for database in self.databases:
            self.execute(f"DROP DATABASE IF EXISTS `{database}`")
            self.execute(f"CREATE DATABASE `{database}` {r.choice(['', 'CHARACTER SET latin1', 'COLLATE utf8mb4_bin'])}")
        self.execute(f"USE `{self.databases[0]}`")

    def open_plain(self):
        """A session as the server gives it."""
        self.client = "utf8mb4"
        self.session = self.server.connect(charset="utf8mb4")

    def execute(self, statement, in_client=True):
        """True when the server took it."""
        self.story.append(statement)
        try:
            data = statement.encode({"gbk": "gbk", "latin1": "latin1", "sjis": "cp932"}.get(self.client if in_client else "", "utf8"))
        except UnicodeEncodeError:
            return False
        try:
            with self.session.cursor() as cursor:
                cursor.execute(data)
                while cursor.nextset():
                    pass
            self.accepted += 1
            return True
        except pymysql.err.MySQLError as why:
            assert self.session.open, f"{self.told()}\n{why}"
            self.story[-1] += f"   -- {why}"
            self.refused += 1
            return False

    def check(self, everything=False):
        """Compares the tables that statements touched since the last check, or all of them."""
        touched = set()
        for one, answer in self.tracker.follow():
            text = one.sql.decode("utf8", "replace")
            assert answer["ok"], f"{self.told()}\nnot read: {text}\n{answer['why']}"
            for effect in answer["effects"]:
                assert effect["kind"] != "unreadable" and not effect.get("database_unknown"), f"{self.told()}\n{effect} by {text}"
                touched.add((effect["db"], effect["table"], effect.get("needs_shape", False)))
        if touched or everything:
            self.compare({name[:2] for name in touched}, {name[:2] for name in touched if name[2]}, everything)
        return self.tables

    def compare(self, touched, unknown, everything):
        ours = {name: shape for name, shape in self.tracker.shapes().items() if name[0] in self.databases}
        names = table_names(self.server, self.databases)
        assert set(ours) == names, f"{self.told()}\ntracked {set(ours)}, server has {names}"
        assert not unknown & names, f"{self.told()}\nneeds a shape: {unknown}"  # a view may be renamed: nobody follows those
        theirs = told(self.server, self.databases, None if everything else sorted(touched & names))
        for name in theirs:
            wrong = difference(tracked(ours[name]), theirs[name])
            assert not wrong, f"{self.told()}\n{name}\n{wrong}"
            self.check_key(name, ours[name])
        self.tables = {name: table for name, table in self.tables.items() if name in names} | theirs

    def check_key(self, name, shape):
        """What SHOW CREATE TABLE says is read as the same, its key too: a restart changes no key."""
        quoted = ".".join("`" + part.replace("`", "``") + "`" for part in name)
        text = self.server.sql(f"SHOW CREATE TABLE {quoted}")[0][1]
        again = self.reread.read(name[0], text)
        assert again["key"] == shape["key"], f"{self.told()}\n{name}: key {shape['key']} tracked, {again['key']} in\n{text}"
        wrong = difference(tracked(shape), tracked(again))
        assert not wrong, f"{self.told()}\n{name}: here the server is what SHOW CREATE TABLE says\n{wrong}\n{text}"

    def told(self):
        return "\n".join(self.story[-int(os.environ.get("TIDEMARK_STORY", 12)):] + [self.story[0]])

    def run(self, rounds):
        self.open()
        tables = self.check()
        for _ in range(rounds):
            if self.execute(self.statements.next(tables)):
                tables = self.check()
        self.check(everything=True)
        self.session.close()
        assert self.reread.close() == 0


@pytest.mark.long
@pytest.mark.timeout(600)
def test_statements_of_every_kind_leave_the_shapes_true(server, tracker):
    history = History(server, tracker, 0, ["st_one", "st_two", "st three", "st_four", "st_five", "st_six"])
    server.sql("SET GLOBAL explicit_defaults_for_timestamp = ON")
    history.open_plain()
    number = 0
    for number, statement in enumerate(statements_of_every_kind(), 1):
        assert history.execute(statement), f"the server refuses {history.story[-1]}"
        history.check()
    history.check(everything=True)
    history.session.close()
    assert number >= 300
    assert history.reread.close() == 0


TIMESTAMPS = ["TIMESTAMP NOT NULL", "TIMESTAMP NOT NULL DEFAULT NOW()", "TIMESTAMP NOT NULL DEFAULT '2001-01-01'",
              "TIMESTAMP NOT NULL DEFAULT '2001-01-01' ON UPDATE NOW()", "TIMESTAMP NOT NULL DEFAULT (1 + 2)", "TIMESTAMP NULL"]
TEXTS = ("c CHAR(7) DEFAULT 'AB', l CHAR(9) CHARACTER SET latin1 DEFAULT 'é', v VARCHAR(9) CHARACTER SET sjis DEFAULT '漢', "
         "n ENUM('b', 'ü') CHARACTER SET utf16 DEFAULT 'ü'")
CHANGES = ["", "ALTER TABLE {t} ALTER a DROP DEFAULT", "ALTER TABLE {t} ALTER a SET DEFAULT (1 + 2)"]
LATER = ["ADD x INT", "COMMENT 'x'", "RENAME COLUMN k TO kk", "RENAME TO {t}u", "ENABLE KEYS", "MODIFY k BIGINT FIRST", "DROP f", "FORCE",
         "ALTER a DROP DEFAULT", "ALTER a SET DEFAULT (2 + 2)", "CONVERT TO CHARACTER SET binary", "ALGORITHM = INSTANT"]
LATER = ["ALTER TABLE {t} " + action for action in LATER] + ["CREATE INDEX i ON {t} (k)", "DROP INDEX j ON {t}", "OPTIMIZE TABLE {t}",
                                                             "ANALYZE TABLE {t}"]


def test_timestamps_follow_the_clock_when_the_server_lets_them(server, tracker, seed):
    """Whoever makes the tables, the session that alters them has the old rule, and blanks behind CHAR. Some of all that is possible:
    TIDEMARK_ROUNDS tries more."""
    history = History(server, tracker, seed, ["ts_one"])
    history.open_plain()
    for statement in ["DROP DATABASE IF EXISTS ts_one", "CREATE DATABASE ts_one", "USE ts_one",
                      "SET GLOBAL explicit_defaults_for_timestamp = OFF", "SET sql_mode = 'PAD_CHAR_TO_FULL_LENGTH'"]:
        assert history.execute(statement)
    possible = list(itertools.product(["ON", "OFF"], TIMESTAMPS, ["", "f TIMESTAMP NULL, "], CHANGES, LATER))
    chosen = history.random.sample(possible, min(len(possible), int(os.environ.get("TIDEMARK_ROUNDS", 200))))
    for number, (explicit, kind, first, change, later) in enumerate(chosen):
        for statement in [f"SET explicit_defaults_for_timestamp = {explicit}", f"CREATE TABLE {{t}} ({first}a {kind}, k INT, {TEXTS}, KEY j (k))",
                          "SET explicit_defaults_for_timestamp = OFF", change, later]:
            if statement:
                history.execute(statement.format(t=f"t{number}"))  # some are refused
    history.check(everything=True)
    history.execute("DROP DATABASE ts_one")
    history.session.close()
    assert history.accepted > 4 * len(chosen)
    assert history.reread.close() == 0


def run_histories(server, tracker, seed, histories, rounds, seconds=None):
    end = time.monotonic() + (seconds or 1e9)
    accepted = refused = 0
    for number in range(histories):
        history = History(server, tracker, seed + number, ["ddl_one", "ddl two"])
        history.run(rounds)
        accepted, refused = accepted + history.accepted, refused + history.refused
        if time.monotonic() > end:
            break
    print(f"seeds {seed} to {seed + number}: {accepted} statements accepted, {refused} refused")
    assert accepted > refused / 5  # else the histories say little


def test_shapes_follow_random_histories(server, tracker, seed):
    run_histories(server, tracker, seed, 100, int(os.environ.get("TIDEMARK_ROUNDS", 60)), seconds=25)


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_shapes_follow_thousands_of_random_statements(server, tracker, seed):
    run_histories(server, tracker, seed, 200, 200, seconds=600)
