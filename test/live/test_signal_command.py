# SPDX-License-Identifier: Apache-2.0
"""tidemark signal and tidemark status: what they write is read by a running instance, and how it goes is seen in its state."""
import json
import subprocess

import pytest
from harness import wait_for

ROWS = 3000


@pytest.fixture
def running(mysql, kafka, tidemark, names):
    """An instance that streams a database with one table of ROWS rows."""
    def make(**more):
        db = names.database
        mysql.sql(f"CREATE DATABASE {db}; CREATE TABLE {db}.t (id INT PRIMARY KEY, v VARCHAR(20))")
        mysql.many(f"INSERT INTO {db}.t VALUES (%s, %s)", [(n, f"row {n}") for n in range(ROWS)])
        program = tidemark(mysql, kafka, database_include_list=db, also=more)
        program.start()
        program.wait_for_log("pump: ready")
        return program
    return make


def call(program, *arguments):
    return subprocess.run([str(program.binary), *arguments[:2], str(program.file), *arguments[2:]], capture_output=True,
                          text=True, timeout=60, env=program.env, cwd=program.folder)


def status(program):
    return program.run("status", program)


def test_a_snapshot_is_asked_for_and_waited_for(running, kafka, names):
    program = running()
    done = call(program, "signal", "execute-snapshot", "--tables", rf"{names.database}\.t", "--where", "id < 1000", "--id",
                "mine", "--wait")
    assert (done.returncode, done.stdout.strip()) == (0, "mine"), done.stderr
    assert "mine: done" in done.stderr
    records = kafka.consume(f"{names.prefix}.{names.database}.t", until=lambda found: len(found) >= 1000)
    assert len(records) == 1000 and all(b'"op":"r"' in record.value for record in records)
    stored = json.loads(program.run("status", program, "--json"))
    assert stored["snapshots"]["signals"][-1] | {"offset": 0} == {"id": "mine", "offset": 0, "outcome": "done"}
    assert "no snapshot is running" in status(program)
    program.stop()


def test_a_refused_snapshot_ends_the_wait_with_its_reason(running, names):
    program = running()
    done = call(program, "signal", "execute-snapshot", "--tables", rf"{names.database}\.nosuch", "--wait")
    assert done.returncode == 1 and "refused" in done.stderr and "nosuch" in done.stderr
    program.stop()


def test_a_snapshot_is_paused_resumed_and_stopped_by_commands(running, names):
    program = running(**{"incremental.snapshot.chunk.size": 10, "tidemark.snapshot.rows.per.second": 200})
    program.run("signal", "execute-snapshot", program, "--tables", rf"{names.database}\.t")
    wait_for(lambda: f"{names.database}.t" in status(program), 20, "the snapshot in the status")
    program.run("signal", "pause", program)
    wait_for(lambda: ": snapshot, paused" in status(program), 20, "the pause in the status")
    program.run("signal", "resume", program)
    wait_for(lambda: ": snapshot, paused" not in status(program), 20, "the end of the pause")
    program.run("signal", "stop", program)
    wait_for(lambda: "no snapshot" in status(program), 20, "the end of the snapshot")
    program.run("signal", "log", program, "--message", "here is {}")
    program.wait_for_log("signal says: here is .*binlog")
    program.stop()


def test_a_snapshot_without_tables_is_refused_before_it_is_sent(mysql, kafka, tidemark):
    program = tidemark(mysql, kafka)
    done = call(program, "signal", "execute-snapshot")
    assert done.returncode == 2 and "which tables" in done.stderr
