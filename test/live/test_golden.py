# SPDX-License-Identifier: Apache-2.0
"""The records of a real run against those that Debezium emitted for the same statements, case by case.

Two programs follow each case, one with schemas and one without. What is recorded of snapshots is left out. Where tidemark
differs on purpose, golden_different says how and why: it changes the recorded text into the right one, and must hit.
"""
import re

import pytest

from golden_compare import differences
from golden_different import DIFFERENT, NOT_YET, no_table
from harness import golden, wait_for

MARK = "zz_the_end"  # a table whose row comes last


def test_every_case_is_named_once():
    assert len({case.name for case in golden.cases()}) == 49


@pytest.mark.parametrize("case", golden.cases(), ids=lambda case: case.name)
def test_case(case, mysql, kafka, tidemark, names):
    if case.name in NOT_YET:
        pytest.skip(NOT_YET[case.name])
    golden.run_sql(mysql, case.folder / "setup.sql")
    programs = {}
    for with_schemas in (True, False):
        prefix = f"{names.prefix}_{'s' if with_schemas else 'p'}"
        programs[with_schemas] = (prefix, start(case, with_schemas, prefix, mysql, kafka, tidemark))
    golden.run_sql(mysql, case.folder / "stream.sql")
    mysql.sql(f"CREATE TABLE {MARK} (id INT PRIMARY KEY); INSERT INTO {MARK} VALUES (1)", database=case.database)
    got = {}
    for with_schemas, (prefix, program) in programs.items():
        got[with_schemas] = records(kafka, prefix, case)
        program.stop()
    for with_schemas in got:
        compare(case, with_schemas, got[with_schemas])


def short_images(mysql, kafka, tidemark, names, mode):
    """Runs case 56, whose session writes three short rows between two whole ones."""
    case = golden.Case("56-minimal-image")
    golden.run_sql(mysql, case.folder / "setup.sql")
    program = start(case, False, names.prefix, mysql, kafka, tidemark, **{"event.processing.failure.handling.mode": mode})
    golden.run_sql(mysql, case.folder / "stream.sql")
    return case, program, f"{names.prefix}.{case.database}.mi"


def test_a_short_row_image_stops_the_stream_before_it(mysql, kafka, tidemark, names):
    case, program, topic = short_images(mysql, kafka, tidemark, names, "fail")
    program.wait_exit(code=6)
    assert re.search(r"g_minimal_image\.mi.*binlog_row_image", program.log_text())
    recorded = case.streamed(False)[f"g.{case.database}.mi"]
    assert [golden.normalised(golden.taken(record), names.prefix) for record in kafka.consume(topic)] == recorded


@pytest.mark.parametrize("mode", ["warn", "skip"])
def test_short_row_images_can_be_left_out(mode, mysql, kafka, tidemark, names):
    _, program, topic = short_images(mysql, kafka, tidemark, names, mode)
    first, last = kafka.consume(topic, until=2)
    assert b'"after":{"id":3,"a":3,"b":"z"}' in first.value
    assert b'"after":{"id":5,"a":5,"b":"after"}' in last.value
    program.stop()


def start(case, with_schemas, prefix, mysql, kafka, tidemark, **more):
    properties = {"database.include.list": case.database, "include.schema.changes": "true",
                  "schema.history.internal.store.only.captured.databases.ddl": "true", "read.only": "true",
                  "key.converter.schemas.enable": str(with_schemas).lower(),
                  "value.converter.schemas.enable": str(with_schemas).lower(), **case.properties(), **more}
    program = tidemark(mysql, kafka, prefix=prefix, also=properties)
    program.start()
    wait_for(lambda: "reading the log of" in program.log_text() or not program.is_running(),
             what=lambda: f"{case.name} to stream; {program.tail()}")
    assert program.is_running(), program.tail()
    return program


def records(kafka, prefix, case):
    """Topic -> normalised records, up to the mark and without it."""
    end = f"{prefix}.{case.database}.{MARK}"
    wait_for(lambda: end in kafka.topics(), 60, f"the row of {end}")
    kafka.consume(end, until=1)
    topics = [topic for topic in kafka.topics() if topic == prefix or topic.startswith(f"{prefix}.")]
    got = {}
    for record in kafka.consume(*topics):
        parts = golden.taken(record)
        if record.topic == end or (record.topic == prefix and MARK.encode() in record.value) or golden.is_initial(parts["value"]):
            continue
        text = golden.normalised(parts, prefix)
        got.setdefault(golden.PREFIX + record.topic[len(prefix):], []).append(text)
    return got


def compare(case, with_schemas, got):
    expected = case.streamed(with_schemas)
    for change in (no_table, *DIFFERENT.get(case.name, ())):
        change(expected, with_schemas)
    found = differences(got, expected)
    assert not found, f"schemas {with_schemas}: {len(found)} differences\n" + "\n".join(found)
