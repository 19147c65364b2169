# SPDX-License-Identifier: Apache-2.0
"""followed: databases beside programs that follow them, and what these tell of each table, row by row.

A program is started once for each set of settings and shared by the tests of a module; each test has tables of its own.
Where one has ended (a test failed), the next test gets a new one with a new database.
"""
import hashlib
import itertools
import json
from types import SimpleNamespace

from harness import Tidemark, wait_for
from harness.program import READY
from harness.replay import decode, decode_all
from snapshot_run import Run

MARK = "settled"  # a table whose rows tell how far the program has come
_decoder = json.JSONDecoder()


class Followed(Run):
    """A database and its program, with schemas. Databases whose names begin with its name and a dash are followed too."""

    def __init__(self, mysql, kafka, make, names, before="", **more):
        more.setdefault("database_include_list", f"{names.database}(-.*)?")
        more.setdefault("key_converter_schemas_enable", True)
        more.setdefault("value_converter_schemas_enable", True)
        self._marks = 0
        super().__init__(mysql, kafka, make, names, start=False, **more)
        self.sql(f"CREATE TABLE {MARK} (id INT PRIMARY KEY); {before}")
        self.start()

    def start(self):
        super().start()
        self.program.wait_for_log(READY)
        return self

    def settle(self, timeout=60):
        """Waits until all that was done so far is told; fails at once where the program has ended."""
        self._marks += 1
        self.sql(f"INSERT INTO {MARK} VALUES ({self._marks})")
        reader, number = self.reader(self.topic(MARK)), self._marks

        def told():
            assert self.program.is_running(), f"it ended with {self.program.popen.returncode}; {self.program.tail(20)}"
            return any(decode(record).key == {"id": number} for record in reader.read_to_end()[-3:])
        wait_for(told, timeout, lambda: f"mark {number} of {self.database}; {self.program.tail(20)}", every=0.05)
        return self

    def restart(self):
        self.program.stop()
        return self.start()

    def raw(self, table, topic=None):
        """All records of a table's topic so far."""
        return self.settle().kafka.consume(topic or self.topic(table))

    def raws(self, *tables):
        """Table -> all records of its topic so far, of many tables at once."""
        records = {self.topic(table): [] for table in tables}
        for record in self.settle().kafka.consume(*records):
            records[record.topic].append(record)
        return dict(zip(tables, records.values()))

    def told(self, table, topic=None):
        """The records as changes."""
        return decode_all(self.raw(table, topic))

    def afters(self, table, topic=None):
        """The after images of what is no snapshot's, in order."""
        return [change.after for change in self.told(table, topic) if change.op in ("c", "u")]

    def schema(self, table, topic=None):
        """Column -> its schema, as the last record with one has it."""
        return columns([record for record in self.raw(table, topic) if record.value][-1])

    def assert_snapshot_equal(self, *tables):
        """An incremental snapshot of tables gives, byte for byte, the rows that the stream told, under the same schema."""
        self.settle().snapshot(*tables)
        for table, records in self.raws(*tables).items():
            streamed, read = {}, {}
            for record in records:
                (read if decode(record).op == "r" else streamed)[record.key] = record
            streamed = {key: record for key, record in streamed.items() if record.value and decode(record).after}
            assert read.keys() == streamed.keys(), f"{table}: keys {sorted(read)} were read, {sorted(streamed)} streamed"
            for key, record in streamed.items():
                assert after_text(record) == after_text(read[key]), f"{table}, {key}: streamed, read by the snapshot"
                assert columns(record) == columns(read[key]), f"{table}, {key}: schemas streamed, read by the snapshot"

    def errors(self):
        return [line for line in self.program.log_text().splitlines() if " error " in line]


class Keeper:
    """The programs of a module. running(key=value…) is a Followed with these settings."""

    _numbers = itertools.count(1)  # a module whose tests are given to several workers is set up again in one of them

    def __init__(self, mysql, kafka, scratch, label):
        self.mysql, self.kafka, self.scratch, self.label = mysql, kafka, scratch, label
        self._kept = {}

    def running(self, **settings):
        key = json.dumps(settings, sort_keys=True, default=str)
        kept = self._kept.get(key)
        if kept is None or not kept.program.is_running():
            kept = self._kept[key] = self._start(key, settings)
        return kept

    def _start(self, key, settings):
        name = f"{self.label}_{hashlib.sha256(key.encode()).hexdigest()[:4]}_{next(self._numbers)}"

        def make(mysql, kafka, prefix=name, **more):
            env = more.pop("env", None)
            return Tidemark(self.scratch, Tidemark.base(mysql, kafka, prefix, **more), f"{name}-tidemark", env=env)
        return Followed(self.mysql, self.kafka, make, SimpleNamespace(prefix=name, database=name), **settings)

    def close(self):
        """Each must end in order."""
        for kept in self._kept.values():
            if kept.program.is_running():
                kept.program.stop()


def _parts(record):
    """(schema or None, before, after) of a value; each as (text, parsed)."""
    text = record.value.decode("utf-8", "surrogatepass")
    at, schema = 0, None

    def take(introduction):
        nonlocal at
        assert text.startswith(introduction, at), text[at:at + 80]
        start = at + len(introduction)
        value, at = _decoder.raw_decode(text, start)
        return text[start:at], value
    if text.startswith('{"schema":'):
        schema = take('{"schema":')
        assert text.startswith(',"payload":', at)
        at += len(',"payload":')
    return schema, take('{"before":'), take(',"after":')


def after_text(record):
    """The after image as its bytes on the wire."""
    return _parts(record)[2][0]


def columns(record):
    """Column -> its schema in the after image, without its name there."""
    schema = _parts(record)[0][1]
    after = next(field for field in schema["fields"] if field["field"] == "after")
    return {field["field"]: {name: value for name, value in field.items() if name != "field"} for field in after["fields"]}
