# SPDX-License-Identifier: Apache-2.0
"""The shapes that are tracked through the statements of a real server's log are those the server has.

A history is a session with its own sql_mode, charsets and timestamp rule, and some hundred random statements. After each, every
table is compared with information_schema, and its key with the one that SHOW CREATE TABLE gives: a restart must not change it.
TIDEMARK_SEED repeats a run, TIDEMARK_ROUNDS makes it longer.
"""
import os
import random
import time

import pymysql
import pytest

from ddl_histories import COLLATIONS, MODES, Statements
from ddl_tracker import Tracker, difference, told, tool, tracked


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

    def open(self):
        r = self.random
        self.statements.mode = r.choice(MODES)
        self.client = r.choice(["utf8mb4", "utf8mb4", "utf8mb4", "gbk", "latin1", "sjis"])
        settings = [f"sql_mode='{self.statements.mode}'", f"explicit_defaults_for_timestamp={r.choice(['ON', 'ON', 'OFF'])}",
                    f"collation_server={r.choice(COLLATIONS)}", "foreign_key_checks=1",
                    f"sql_generate_invisible_primary_key={r.choice(['OFF', 'OFF', 'ON'])}",
                    f"default_collation_for_utf8mb4={r.choice(['utf8mb4_0900_ai_ci', 'utf8mb4_general_ci'])}"]
        self.session = self.server.connect(charset="utf8mb4")
        for statement in ["SET NAMES " + self.client, "SET " + ", ".join(settings)]:
            self.execute(statement, in_client=False)
        for database in self.databases:
            self.execute(f"DROP DATABASE IF EXISTS `{database}`")
            self.execute(f"CREATE DATABASE `{database}` {r.choice(['', 'CHARACTER SET latin1', 'COLLATE utf8mb4_bin'])}")
        self.execute(f"USE `{self.databases[0]}`")

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
            self.accepted += 1
            return True
        except (pymysql.err.MySQLError, UnicodeDecodeError) as why:
            self.story[-1] += f"   -- {why}"
            self.refused += 1
            return False

    def check(self):
        answers = self.tracker.follow()
        for one, answer in answers:
            text = one.sql.decode("utf8", "replace")
            assert answer["ok"], f"{self.told()}\nnot read: {text}\n{answer['why']}"
            for effect in answer["effects"]:
                assert not effect.get("needs_shape") and effect["kind"] != "unreadable", f"{self.told()}\n{effect} by {text}"
        ours = {name: shape for name, shape in self.tracker.shapes().items() if name[0] in self.databases}
        theirs = told(self.server, self.databases)
        assert set(ours) == set(theirs), f"{self.told()}\ntracked {set(ours)}, server has {set(theirs)}"
        for name, shape in ours.items():
            wrong = difference(tracked(shape), theirs[name])
            assert not wrong, f"{self.told()}\n{name}\n{wrong}"
        if answers:
            self.check_keys(ours)
        return theirs

    def check_keys(self, ours):
        for (db, table), shape in ours.items():
            text = self.server.sql("SHOW CREATE TABLE `{}`.`{}`".format(db.replace("`", "``"), table.replace("`", "``")))[0][1]
            again = self.reread.read(db, text)
            assert again["key"] == shape["key"], f"{self.told()}\n{table}: key {shape['key']} tracked, {again['key']} in\n{text}"
            wrong = difference(tracked(again), tracked(shape))
            assert not wrong, f"{self.told()}\n{table}: tracked is what the server shows\n{wrong}\n{text}"

    def told(self):
        return "\n".join(self.story[-12:] + [self.story[0]])

    def run(self, rounds):
        self.open()
        tables = self.check()
        for _ in range(rounds):
            if self.execute(self.statements.next(tables)):
                tables = self.check()
        self.session.close()
        assert self.reread.close() == 0


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


def test_shapes_follow_random_histories(server, tracker):
    seed = int(os.environ.get("TIDEMARK_SEED", random.randrange(1 << 30)))
    print("TIDEMARK_SEED", seed)
    run_histories(server, tracker, seed, 100, int(os.environ.get("TIDEMARK_ROUNDS", 60)), seconds=60)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_shapes_follow_thousands_of_random_statements(server, tracker):
    seed = int(os.environ.get("TIDEMARK_SEED", random.randrange(1 << 30)))
    print("TIDEMARK_SEED", seed)
    run_histories(server, tracker, seed, 200, 200, seconds=1800)
