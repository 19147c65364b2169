# SPDX-License-Identifier: Apache-2.0
"""snapshot_run: tidemark beside a table, asked for snapshots through Kafka, and what came of it."""
import json
import time

from harness import wait_for


class Run:
    """One program with a database of its own. Signals are sent by `ask`, records are read back by `rows`."""

    def __init__(self, mysql, kafka, tidemark, names, start=True, **more):
        self.mysql, self.kafka, self.prefix, self.database = mysql, kafka, names.prefix, names.database
        self.signals = f"{self.prefix}-signal"
        mysql_source = getattr(mysql, "source", mysql)
        mysql_source.sql(f"CREATE DATABASE IF NOT EXISTS `{self.database}`")
        more.setdefault("database_include_list", self.database)
        more.setdefault("key_converter_schemas_enable", "false")
        more.setdefault("value_converter_schemas_enable", "false")
        self.program = tidemark(mysql, kafka, also={"signal.kafka.topic": self.signals}, **more)
        self._readers = {}
        if start:
            self.start()

    def start(self):
        self.program.start()
        self.program.wait_for_log("signals are read from topic", 60)
        return self

    def sql(self, statements, args=None):
        return getattr(self.mysql, "source", self.mysql).sql(statements, args, database=self.database)

    def fill(self, table, rows):
        """Inserts rows (tuples) into a table."""
        rows = list(rows)
        marks = ",".join(["%s"] * len(rows[0]))
        getattr(self.mysql, "source", self.mysql).many(f"INSERT INTO {table} VALUES ({marks})", rows, database=self.database)

    # ---- asking

    def send(self, value, key=None):
        """A record of the signal topic as it stands."""
        if isinstance(value, dict):
            value = json.dumps(value)
        self.kafka.produce(self.signals, value, key=self.prefix if key is None else key, partition=0)

    def ask(self, kind, id=None, **data):
        """A signal; data's names are written with underscores."""
        data = {name.replace("_", "-"): value for name, value in data.items()}
        self.send({"id": id or f"{kind}-{time.monotonic_ns()}", "type": kind, "data": data})

    def snapshot(self, *tables, id=None, wait=True, timeout=60, **data):
        """Asks for a snapshot of tables of this database and waits until it is done."""
        id = id or f"snapshot-{time.monotonic_ns()}"
        self.ask("execute-snapshot", id, data_collections=[f"{self.database}.{table}" for table in tables], **data)
        if wait:
            self.wait_outcome(id, timeout=timeout)
        return id

    # ---- what came of it

    def reader(self, topic):
        if topic not in self._readers:
            self._readers[topic] = self.kafka.reader(topic)
        return self._readers[topic]

    def state(self):
        """The stored offset as a dictionary, {} before the first."""
        records = [record for record in self.reader(f"{self.prefix}-offsets").read_to_end()
                   if record.key and json.loads(record.key)[0] == self.prefix]
        return json.loads(records[-1].value) if records and records[-1].value else {}

    def progress(self):
        return json.loads(self.state().get("tidemark_snapshots") or '{"tables":[],"signals":[]}')

    def outcome(self, id):
        """The stored record of a signal, or None."""
        found = [signal for signal in self.progress()["signals"] if signal["id"] == id]
        return found[-1] if found else None

    def wait_outcome(self, id, outcome="done", timeout=60):
        def ended():
            record = self.outcome(id)
            return record and record["outcome"] != "running" and record
        record = wait_for(ended, timeout, lambda: f"signal {id} to end; {self.progress()}; {self.program.tail(30)}", every=0.05)
        assert record["outcome"] == outcome, (record, self.program.tail(30))
        return record

    def topic(self, table):
        return f"{self.prefix}.{self.database}.{table}"

    def records(self, table):
        """(key, value) of all records of a table's topic, parsed; value None for tombstones."""
        return [(json.loads(record.key), record.value and json.loads(record.value))
                for record in self.reader(self.topic(table)).read_to_end()]

    def rows(self, table, op="r"):
        """The after images (before images of deletes) of records with this op, in order."""
        return [value["before" if op == "d" else "after"] for _, value in self.records(table) if value and value["op"] == op]

    def wait_rows(self, table, count, op="r", timeout=30):
        return wait_for(lambda: len(self.rows(table, op)) >= count and self.rows(table, op), timeout,
                        lambda: f"{count} {op} rows of {table}, there are {len(self.rows(table, op))}; {self.program.tail(30)}")

    def table(self, table):
        """What a consumer that applies the topic in order ends with: key text -> after image."""
        held = {}
        for key, value in self.records(table):
            if value is None or value["op"] == "d":
                held.pop(json.dumps(key), None)
            elif value["op"] == "t":
                held.clear()
            else:
                held[json.dumps(key)] = value["after"]
        return held
