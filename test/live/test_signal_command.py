# SPDX-License-Identifier: Apache-2.0
"""tidemark signal and tidemark status: what they write is read by a running instance, and how it goes is seen in its state."""
import json
import re
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
    unknown = call(program.write(name="another"), "status")
    assert unknown.returncode == 1 and "another: nothing is stored under this name" in unknown.stdout


def test_an_id_that_was_used_before_is_waited_for_anew(running, kafka, names):
    program = running()
    for number in (1, 2):
        assert call(program, "signal", "execute-snapshot", "--tables", rf"{names.database}\.t", "--id", "nightly", "--wait").returncode == 0
        kafka.consume(f"{names.prefix}.{names.database}.t", until=lambda found: len(found) >= ROWS * number)
    program.stop()
    command = [str(program.binary), "signal", "execute-snapshot", str(program.file), "--tables", rf"{names.database}\.t", "--id", "nightly", "--wait"]
    waiting = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=program.env, cwd=program.folder)
    assert "no instance of" in waiting.stderr.readline()
    program.start()
    assert waiting.wait(60) == 0
    program.stop()
    assert call(program, "signal", "stop-snapshot", "--tables", "").returncode == 2


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


def test_a_dry_run_says_what_would_be_read_and_what_refused_and_why(running, mysql, kafka, names):
    db = names.database
    program = running(**{"table.exclude.list": r".*\.hidden"})
    mysql.sql(f"CREATE TABLE {db}.pair (b INT, a INT, PRIMARY KEY (a, b)); CREATE TABLE {db}.nokey (a INT);"
              f"CREATE TABLE {db}.byset (s SET('a') PRIMARY KEY); INSERT INTO {db}.byset VALUES ('a');"
              f"CREATE TABLE {db}.hidden (id INT PRIMARY KEY); ANALYZE TABLE {db}.t")
    wait_for(lambda: b"byset" in b"".join(record.key or b"" for record in kafka.consume(f"{names.prefix}-offsets-shapes")),
             20, "the new tables to be known")

    def dry(*more, tables=rf"{db}\.(t|pair|nokey|byset),{db}\.hidden,{db}\.nothere", code=1):
        done = call(program, "signal", "execute-snapshot", "--tables", tables, "--dry-run", *more)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout
    lines = dict(line.split("  ", 1) for line in dry().splitlines() if "  " in line)
    assert list(lines) == [f"{db}.{table}" for table in ("byset", "nokey", "pair", "t", "hidden", "nothere")]
    assert re.fullmatch(r"by id \(index PRIMARY\)  about [23]\d\d\d rows", lines[f"{db}.t"])
    assert lines[f"{db}.pair"] == "by a,b (index PRIMARY)  empty"
    assert "refused: " in lines[f"{db}.byset"] and "SET" in lines[f"{db}.byset"]
    assert "neither a primary key" in lines[f"{db}.nokey"]
    assert "not captured" in lines[f"{db}.hidden"] and "no such table" in lines[f"{db}.nothere"]

    one = json.loads(dry("--json", "--where", "id < 7", tables=rf"{db}\.t", code=0))["tables"]
    assert [table | {"estimated_rows": 0} for table in one] == [
        {"table": f"{db}.t", "refused": None, "filter": "id < 7", "key": ["id"], "index": "PRIMARY", "estimated_rows": 0}]
    assert "Unknown column 'no'" in dry("--where", "no = 7", tables=rf"{db}\.t")
    done = call(program, "signal", "execute-snapshot", "--tables", rf"{db}\.t", "--where", "1) OR (1", "--dry-run")
    assert done.returncode == 1 and "breaks out of its parentheses" in done.stderr and done.stdout == ""
    program.run("signal", "log", program, "--message", "the first signal")
    program.wait_for_log("signal says: the first signal")
    stored = json.loads(program.run("status", program, "--json"))["snapshots"]
    assert stored["tables"] == [] and [signal["offset"] for signal in stored["signals"]] == [0], "a dry run was a signal"


def test_waiting_shows_a_bar_for_each_table_and_the_status_a_rate(running, mysql, kafka, names):
    program = running(**{"incremental.snapshot.chunk.size": 50, "tidemark.snapshot.rows.per.second": 1000,
                         "snapshot.max.threads": 2})
    mysql.sql(f"CREATE TABLE {names.database}.u (id INT PRIMARY KEY); ANALYZE TABLE {names.database}.t")
    mysql.many(f"INSERT INTO {names.database}.u VALUES (%s)", [(n,) for n in range(1000)])
    kafka.consume(f"{names.prefix}.{names.database}.u", until=lambda found: len(found) >= 1000)
    waiting = subprocess.Popen([str(program.binary), "signal", "execute-snapshot", str(program.file), "--tables",
                                rf"{names.database}\..", "--wait"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=program.env, cwd=program.folder)
    line = wait_for(lambda: next((line for line in status(program).splitlines() if f"{names.database}.t" in line
                                  and " 0 rows/s" not in line), None), 30, "a rate in the status")
    assert 0 < int(line.split(", ")[-1].split(" ")[0]) <= 1500
    _, shown = waiting.communicate(timeout=60)
    assert waiting.returncode == 0
    for table in "tu":
        bars = [text for text in shown.splitlines() if text.startswith(f"{names.database}.{table} [")]
        assert len(bars) >= 2 and "#" in bars[-1] and len(set(bars)) > 1, shown
    program.stop()
