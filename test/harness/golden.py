# SPDX-License-Identifier: Apache-2.0
"""golden: the cases of test/data/golden, and what makes a recorded and a new record comparable.

A record is compared as text, so that number forms, escapes and the order of members count. Replaced by <any> are only what no
two runs share: clocks, positions, GTIDs, thread and server ids, the run's id; and the topic prefix, which was g there.
"""
import json
import re
import shutil
import subprocess
from pathlib import Path

from .scratch import Unavailable

FOLDER = Path(__file__).resolve().parents[1] / "data" / "golden"
PREFIX = "g"

SOURCE = re.compile(r'"source":\{"version":"[^"]*","connector":"mysql",.*?,"query":(?:null|"(?:[^"\\]|\\.)*")\}', re.DOTALL)
CLOCKS = re.compile(r'"ts_(ms|us|ns)":\d+')
PLACES = re.compile(r'"(pos|thread)":\d+|"(file|gtid)":"[^"]*"|"(server_id)":[1-9]\d*')


class Case:
    """One folder: NN-name."""

    def __init__(self, name):
        self.name = name
        self.folder = FOLDER / name
        self.database = "g_" + name.split("-", 1)[1].replace("-", "_")

    def properties(self):
        """Keys that the case adds; the file's syntax is plain, a backslash is a backslash."""
        path = self.folder / "connector.properties"
        lines = path.read_text().splitlines() if path.exists() else []
        return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))

    def streamed(self, with_schemas):
        """Topic -> the recorded records that were not read by a snapshot, normalised."""
        return self._records(with_schemas, is_streamed)

    def read(self, with_schemas):
        """Topic -> the recorded records of the initial snapshot, normalised."""
        return self._records(with_schemas, is_initial)

    def _records(self, with_schemas, wanted):
        text = (self.folder / ("records.jsonl" if with_schemas else "plain.jsonl")).read_text(encoding="utf-8", newline="\n")
        topics = {}
        for line in text.split("\n"):
            if line:
                record = _cut(line)
                if wanted(record["value"]):
                    topics.setdefault(record["topic"], []).append(normalised(record, PREFIX))
        return topics


def cases():
    return [Case(path.name) for path in sorted(FOLDER.iterdir()) if path.is_dir()]


def run_sql(mysql, path):
    """A file, statement by statement, through the command line client, as the recordings were made."""
    client = shutil.which("mysql")
    if not client:
        raise Unavailable("there is no mysql client here")
    with open(path, "rb") as stdin:
        done = subprocess.run([client, "--no-defaults", f"--socket={mysql.socket}", "-uroot", "--comments",
                               "--default-character-set=utf8mb4"], stdin=stdin, capture_output=True, text=True)
    assert done.returncode == 0, f"{path}: {done.stderr}"


# ---- records

def _value_end(text, start):
    """The index behind the JSON value that begins at start."""
    depth, i = 0, start
    while True:
        c = text[i]
        if c == '"':
            i += 1
            while text[i] != '"':
                i += 2 if text[i] == "\\" else 1
        elif c in "{[":
            depth += 1
        elif c in "}]":
            depth -= 1
        elif depth == 0 and c == ",":
            return i
        i += 1
        if depth == 0 and (c in '"}]' or text[i] in ",}]"):
            return i


def _cut(line):
    """A recorded line's parts; key and value as their text on the wire, None for null."""
    record, at = {}, 1
    while line[at] != "}":
        name_end = _value_end(line, at)
        name = line[at + 1:name_end - 1]
        start = name_end + 1
        while line[start] == " ":
            start += 1
        end = _value_end(line, start)
        record[name] = line[start:end]
        at = end + (line[end] == ",")
    return {"topic": json.loads(record["topic"]),
            "key": None if record["key"] == "null" else record["key"],
            "value": None if record["value"] == "null" else record["value"],
            "headers": json.loads(record["headers"])}


def taken(record):
    """What a consumer got, in the same parts. Headers become a dictionary; their order is looked at elsewhere."""
    return {"topic": record.topic,
            "key": None if record.key is None else record.key.decode("utf-8", "surrogatepass"),
            "value": None if record.value is None else record.value.decode("utf-8", "surrogatepass"),
            "headers": {name: value.decode("utf-8") for name, value in record.headers}}


def is_streamed(value):
    """Not read by a snapshot. A tombstone is none's but the stream's."""
    source = SOURCE.search(value or "")
    return source is None or '"snapshot":"false"' in source[0] or '"snapshot":null' in source[0]


def is_initial(value):
    """Read by the snapshot of a first start, or told of the tables there."""
    source = SOURCE.search(value or "")
    return source is not None and re.search(r'"snapshot":"(true|first|last|first_in_data_collection|last_in_data_collection)"', source[0]) is not None


def _without_places(match):
    name = next(group for group in match.groups() if group)
    return f'"{name}":<any>'


def _normalised_value(value, is_schema_change):
    sources = list(SOURCE.finditer(value))
    if not sources:  # transaction, heartbeat
        return re.sub(r'("status":"[A-Z]+","id":)"[^"]*"', r"\1<any>", CLOCKS.sub(r'"ts_\1":<any>', value))
    last = sources[0 if is_schema_change else -1]  # others would be text in a column or a statement
    source = PLACES.sub(_without_places, CLOCKS.sub(r'"ts_\1":<any>', last[0]))
    if is_schema_change:  # the reference leaves the last row's index there, and has the tables in the order of a set
        source = re.sub(r'"row":\d+', '"row":<any>', source)
        source = re.sub(r'"table":"([^"]*,[^"]*)"', lambda names: f'"table":"{",".join(sorted(names[1].split(",")))}"', source)
    behind = re.sub(r'("transaction":\{"id":)"[^"]*"', r"\1<any>", CLOCKS.sub(r'"ts_\1":<any>', value[last.end():]))
    return value[:last.start()] + source + behind


def normalised(record, prefix):
    """The record as one text, the same for the same record of any run."""
    def without_prefix(text):
        if text is None or prefix == PREFIX:
            return text
        text = text.replace(f'"name":"{prefix}"', f'"name":"{PREFIX}"').replace(f'"serverName":"{prefix}"', f'"serverName":"{PREFIX}"')
        return re.sub(rf'"name":"{re.escape(prefix)}\.', f'"name":"{PREFIX}.', text)

    topic = PREFIX + record["topic"][len(prefix):] if record["topic"].startswith(prefix) else record["topic"]
    value = without_prefix(record["value"])
    value = None if value is None else _normalised_value(value, topic == PREFIX)
    key = without_prefix(record["key"])
    if key is not None and topic.endswith(".transaction"):
        key = re.sub(r'"id":"[^"]*"', '"id":<any>', key)
    headers = {name: "<any>" if name.endswith(".runId") else PREFIX if text == prefix else text
               for name, text in record["headers"].items()}
    return f"topic {topic}\nkey {key}\nvalue {value}\nheaders {json.dumps(headers, ensure_ascii=False)}"
