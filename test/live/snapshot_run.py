# SPDX-License-Identifier: Apache-2.0
"""snapshot_run: tidemark beside a table, asked for snapshots through Kafka, and what came of it."""
import json
import time

from confluent_kafka import KafkaException

from harness import wait_for


class Run:
    """One program with a database of its own. Signals are sent by `ask`, records are read back by `rows`."""

    def __init__(self, mysql, kafka, tidemark, names, start=True, store="topic", **more):
        self.mysql, self.kafka, self.prefix, self.database = mysql, kafka, names.prefix, names.database
        self.signals = f"{self.prefix}-signal"
        mysql_source = getattr(mysql, "source", mysql)
        mysql_source.sql(f"CREATE DATABASE IF NOT EXISTS `{self.database}`")
        more.setdefault("database_include_list", self.database)
        more.setdefault("key_converter_schemas_enable", "false")
        more.setdefault("value_converter_schemas_enable", "false")
        also = {"signal.kafka.topic": self.signals}
        if store == "file":
            also |= {"offset.storage.file.filename": "offsets", "offset.storage.topic": None}
        self.store = store
        self.program = tidemark(mysql, kafka, prefix=self.prefix, also=also, **more)
        self._readers, self._parsed = {}, {}
        self.was_ready = False
        if start:
            self.start()

    def start(self):
        self.program.start()
        self.program.wait_for_log("signals are read from topic", 60)
        if not self.was_ready:
            self.program.wait_for_log("ready: all that is committed", 60)
        self.was_ready = True
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

    def read(self, topic):
        """All records of a topic so far; a busy broker is asked again."""
        for _ in range(20):
            try:
                return self.reader(topic).read_to_end()
            except KafkaException as fault:
                last = fault
                time.sleep(0.2)
        raise last

    def _stored(self, what):
        """(key, value) of all that was stored of offsets (""), or of shapes ("shapes"), both parsed, the newest last."""
        if self.store == "file":
            file = self.program.folder / ("offsets" + (what and f".{what}"))
            lines = file.read_text().splitlines() if file.exists() else []
            return [(line["key"], line["value"]) for line in map(json.loads, lines)]
        records = self.read(f"{self.prefix}-offsets" + (what and f"-{what}"))
        return [(json.loads(record.key), record.value and json.loads(record.value)) for record in records]

    def state(self):
        """The stored offset as a dictionary, {} before the first."""
        values = [value for key, value in self._stored("") if key[0] == self.prefix]
        return values[-1] or {} if values else {}

    def waiting_list(self, number):
        """The tables of a list that is stored beside the offset."""
        parts = {key[4]: value for key, value in self._stored("shapes") if key[2] == "waiting" and value and value["list"] == number}
        assert parts and sorted(parts) == list(range(parts[0]["parts"])), f"list {number} is not whole"
        return [table for part in sorted(parts) for table in parts[part]["tables"]]

    def progress(self):
        """What is stored of snapshots, with the tables that are left to a list."""
        progress = json.loads(self.state().get("tidemark_snapshots") or '{"tables":[],"signals":[]}')
        if "waiting" in progress:
            progress["tables"] += self.waiting_list(progress["waiting"]["list"])[progress["waiting"]["from"]:]
        return progress

    def outcome(self, id):
        """The stored record of a signal, or None."""
        found = [signal for signal in self.progress()["signals"] if signal["id"] == id]
        return found[-1] if found else None

    def wait_ended(self, id, timeout=60):
        def ended():
            record = self.outcome(id)
            return record and record["outcome"] != "running" and record
        return wait_for(ended, timeout, lambda: f"signal {id} to end; {str(self.progress())[:2000]}; {self.program.tail(30)}",
                        every=0.05)

    def wait_outcome(self, id, outcome="done", timeout=60):
        record = self.wait_ended(id, timeout)
        assert record["outcome"] == outcome, (record, self.program.tail(30))
        self._settle()
        return record

    def _settle(self):
        """Until what was committed with the state is to be seen in all topics: each partition is told of it by itself."""
        uncommitted = {topic: self._ends(topic, "read_uncommitted") for topic in self.kafka.topics()
                       if topic.startswith(f"{self.prefix}.")}
        for topic, ends in uncommitted.items():
            wait_for(lambda: all(self._ends(topic, "read_committed").get(number, 0) >= end for number, end in ends.items()),
                     30, f"the end of {topic}")

    def _ends(self, topic, isolation):
        try:
            return self.kafka.end_offsets(topic, isolation)
        except KafkaException:
            return {}

    def topic(self, table):
        return f"{self.prefix}.{self.database}.{table}"

    def records(self, table):
        """(key, value) of all records of a table's topic, parsed; None for what is null."""
        parsed = self._parsed.setdefault(table, [])
        for record in self.read(self.topic(table))[len(parsed):]:
            parsed.append((record.key and json.loads(record.key), record.value and json.loads(record.value)))
        return parsed

    def rows(self, table, op="r"):
        """The after images (before images of deletes) of records with this op, in order."""
        return [value["before" if op == "d" else "after"] for _, value in self.records(table) if value and value["op"] == op]

    def wait_rows(self, table, count, op="r", timeout=30):
        return wait_for(lambda: len(self.rows(table, op)) >= count and self.rows(table, op), timeout,
                        lambda: f"{count} {op} rows of {table}, there are {len(self.rows(table, op))}; {self.program.tail(30)}")

    def wait_rows_with(self, condition, table, timeout=30):
        """Until a record whose after image meets the condition has come."""
        wait_for(lambda: any(value and value["after"] and condition(value["after"]) for _, value in self.records(table)), timeout,
                 lambda: f"a row of {table}; {self.program.tail(30)}")

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


def ids(rows):
    return [row["id"] for row in rows]
