# SPDX-License-Identifier: Apache-2.0
"""What is told of signals against what Debezium told; rows that are read against the same rows as they were streamed, for
every type and setting of the recorded cases."""
import json
import re
import time

import pytest

from golden_different import NOT_YET
from harness import golden, wait_for

CASE = golden.Case("54-incremental-signal")


def ask(kafka, prefix, value, key=None):
    kafka.produce(f"{prefix}-signal", json.dumps(value), key=prefix if key is None else key, partition=0)


# ---- what is told of signals

def without_places(text, prefix):
    text = text.replace(f'"connector_name":"{prefix}"', '"connector_name":"g"').replace('"thread":null', '"thread":<any>')
    text = re.sub(r'"timestamp":\d+', '"timestamp":<any>', text)
    return re.sub(r',"reason":"[^"]*"', "", text)  # ours: why a table was not read


def told(records, prefix):
    """The notices and the rows of the incremental snapshots, as texts."""
    notices, rows = [], []
    for record in records:
        text = without_places(golden.normalised(record, prefix), prefix)
        if "Incremental Snapshot" in text:
            notices.append(text)
        elif '"snapshot":"incremental"' in text:
            rows.append(text)
    return notices, rows


def test_signals_are_answered_as_recorded(mysql, kafka, tidemark, names):
    golden.run_sql(mysql, CASE.folder / "setup.sql")
    prefix, notes = names.prefix, f"{names.prefix}.notes"
    properties = {"database.include.list": CASE.database, "key.converter.schemas.enable": "false",
                  "value.converter.schemas.enable": "false", **CASE.properties(), "notification.sink.topic.name": notes,
                  "signal.kafka.topic": f"{prefix}-signal"}
    program = tidemark(mysql, kafka, prefix=prefix, also=properties)
    program.start()
    program.wait_for_log("ready: all that is committed", 60)
    golden.run_sql(mysql, CASE.folder / "stream.sql")
    wait_for(lambda: f"{prefix}.{CASE.database}.t1" in kafka.topics(), what="the streamed row")
    count = 0
    for line in (CASE.folder / "signals.jsonl").read_text().splitlines():
        step = json.loads(line)
        if "sql" in step:
            golden.run_sql(mysql, CASE.folder / step["sql"])
        elif "value" in step:
            ask(kafka, prefix, step["value"], None if step["key"] == "g" else step["key"])
            count += step["key"] == "g" and step["value"]["type"] == "execute-snapshot"
            kafka.reader(notes).read_until(lambda records: sum(b'"COMPLETED","aggregate_type":"Incremental' in r.value for r in records) >= count, 30)
    program.wait_for_log(r"signal says: hello \{")
    wait_for(lambda: any(b'"id":9' in r.value for r in kafka.consume(f"{prefix}.{CASE.database}.t1")), what="the last row")
    program.stop()
    topics = [notes, f"{prefix}.{CASE.database}.t1", f"{prefix}.{CASE.database}.t2"]
    ours = told([golden.taken(record) for topic in topics for record in kafka.consume(topic)], prefix)
    text = (CASE.folder / "plain.jsonl").read_text(encoding="utf-8", newline="\n")
    theirs = told([golden._cut(line) for line in text.split("\n") if line], golden.PREFIX)
    # The largest key is read without the filter: it need only be large enough.
    filtered = [i for i, notice in enumerate(theirs[0]) if '"inc-2"' in notice]
    for i in filtered:
        theirs[0][i] = theirs[0][i].replace('"maximum_key":"7"', '"maximum_key":"8"')
    assert ours[0] == theirs[0]
    assert ours[1] == theirs[1]


# ---- rows

SOURCE = re.compile(r'"source":\{"version".*?"query":(?:null|"(?:[^"\\]|\\.)*")\},', re.DOTALL)
OURS = [case for case in golden.cases() if case.name not in NOT_YET and case.name not in ("54-incremental-signal", "56-minimal-image")]


def image(value):
    """Schema and after image of a record's value, as text."""
    text = value.decode("utf-8", "surrogatepass")
    images = text[:[*SOURCE.finditer(text)][-1].start()]
    head, _, after = images.rpartition(',"after":')
    return head[:head.index('"before":')], after


def op(value):
    return re.search(rb'"op":"(.)","ts_ms"', value)[1].decode()


@pytest.mark.parametrize("case", OURS, ids=lambda case: case.name)
def test_row_that_is_read_is_the_row_that_was_streamed(case, mysql, kafka, tidemark, names):
    properties = {"database.include.list": case.database, **case.properties(), "skip.messages.without.change": "false",
                  "skipped.operations": "none", "signal.kafka.topic": f"{names.prefix}-signal"}
    mysql.sql(f"DROP DATABASE IF EXISTS {case.database}")
    program = tidemark(mysql, kafka, also=properties)
    program.start()
    program.wait_for_log("ready: all that is committed", 60)
    golden.run_sql(mysql, case.folder / "setup.sql")
    golden.run_sql(mysql, case.folder / "stream.sql")
    ask(kafka, names.prefix, {"id": "all", "type": "execute-snapshot", "data": {"data-collections": [rf"{case.database}\..*"]}})
    program.wait_for_log(r"requests: snapshot all: \d+ tables", 60)
    wait_for(lambda: '"id":"all"' in stored(kafka, names.prefix) and '"running"' not in stored(kafka, names.prefix), 60,
             lambda: program.tail(40))
    program.stop()
    compared = 0
    for topic in kafka.topics():
        if topic.startswith(f"{names.prefix}.{case.database}."):
            compared += compare(kafka.consume(topic), topic)
    assert compared or case.name in NOTHING_LEFT, program.tail(40)


NOTHING_LEFT = ("32-tombstones-off", "33-truncate", "36-ddl-alter", "37-ddl-rename", "68-no-data", "73-modes")


def stored(kafka, prefix):
    records = kafka.consume(f"{prefix}-offsets")
    return json.loads(records[-1].value).get("tidemark_snapshots", "") if records else ""


def compare(records, topic):
    """Each row that was read is, byte for byte, one that was streamed with its key and under the schema it is read with;
    returns how many there are. (Keys of zero dates are not unique.)"""
    streamed, compared = {}, 0
    for record in records:
        if record.value is None:
            continue
        kind = op(record.value)
        if kind in "td":
            (streamed.clear if kind == "t" else lambda: streamed.pop(record.key, None))()
        elif kind != "r":
            schema, after = image(record.value)
            streamed.setdefault(record.key, {}).setdefault(schema, []).append(after)
        else:
            schema, after = image(record.value)
            wanted = streamed.get(record.key, {}).get(schema)
            assert wanted is None or after in wanted, f"{topic} {record.key}\n read     {after}\n streamed {wanted}"
            compared += wanted is not None
    return compared
