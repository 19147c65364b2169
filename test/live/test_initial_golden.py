# SPDX-License-Identifier: Apache-2.0
"""The records of a first start against those that Debezium emitted for the same tables, case by case: the schema changes
told first and the rows that were there. What came by the stream is compared in test_golden.

Where tidemark differs on purpose, initial_different says how and why.
"""
import json

import pytest

from golden_compare import differences
from harness import golden, wait_for
from initial_different import DIFFERENT, NOT_YET


@pytest.mark.parametrize("case", golden.cases(), ids=lambda case: case.name)
def test_first_start_of(case, mysql, kafka, tidemark, names):
    if case.name in NOT_YET:
        pytest.skip(NOT_YET[case.name])
    golden.run_sql(mysql, case.folder / "setup.sql")
    prefixes = {True: f"{names.prefix}_s", False: f"{names.prefix}_p"}
    programs = [first_start(case, with_schemas, prefix, mysql, kafka, tidemark) for with_schemas, prefix in prefixes.items()]
    for prefix, program in zip(prefixes.values(), programs):
        wait_for(lambda: has_ended(kafka, prefix) or not program.is_running(), 60, lambda: program.tail(40))
        assert program.is_running(), program.tail(40)
        program.stop()
    for with_schemas, prefix in prefixes.items():
        expected = case.read(with_schemas)
        for change in DIFFERENT.get(case.name, ()):
            change(expected, with_schemas)
        found = differences(in_order(records(kafka, prefix)), in_order(expected))
        assert not found, f"schemas {with_schemas}: {len(found)} differences\n" + "\n".join(found)


def first_start(case, with_schemas, prefix, mysql, kafka, tidemark):
    properties = {"database.include.list": case.database, "include.schema.changes": "true", "snapshot.mode": "initial",
                  "schema.history.internal.store.only.captured.databases.ddl": "true", "read.only": "true",
                  "key.converter.schemas.enable": str(with_schemas).lower(),
                  "value.converter.schemas.enable": str(with_schemas).lower(), **case.properties()}
    return tidemark(mysql, kafka, prefix=prefix, also=properties).start()


def records(kafka, prefix):
    """Topic -> normalised records."""
    got = {}
    for record in kafka.consume(*[topic for topic in kafka.topics() if topic == prefix or topic.startswith(f"{prefix}.")]):
        text = golden.normalised(golden.taken(record), prefix)
        got.setdefault(golden.PREFIX + record.topic[len(prefix):], []).append(text)
    return got


def has_ended(kafka, prefix):
    stored = kafka.consume(f"{prefix}-offsets") if f"{prefix}-offsets" in kafka.topics() else []
    return stored and "snapshot" not in json.loads(stored[-1].value)


def in_order(topics):
    """The order of the CREATE TABLEs is another with every run of the reference."""
    schemas = topics.get(golden.PREFIX, [])
    creates = sorted((text for text in schemas if '"ddl":"CREATE TABLE' in str(text)), key=str)
    rest = [text for text in schemas if '"ddl":"CREATE TABLE' not in str(text)]
    return {**topics, golden.PREFIX: rest + creates} if schemas else topics
