# SPDX-License-Identifier: Apache-2.0
"""large: what users have at full size, where the suite has it scaled down.

  transaction  one transaction of 5 GiB: a log file past 4 GiB, killed inside it, small transactions behind it; R067
  tables       20,000 tables of which 10 are captured; R070
  captured     1,000 captured tables that all change
  beside       a snapshot of 10,000,000 rows beside 500 transactions a second (beside.py)
  seek         a server that needs three minutes to find the place; R071

BLACKHOLE tables log their rows and keep none, so the source stays small. Memory is held against its bound in each.
"""
import re
import threading
import time

from harness import Kafka, MySql, Proxy, Scratch, Tidemark
from harness.replay import decode, payload

from soak import beside

MIB, GIB = 1 << 20, 1 << 30
SERVER = {"max-binlog-size": "1G", "sync-binlog": 1, "table-open-cache": 2000, "table-definition-cache": 2000,
          "open-files-limit": 20000, "cte-max-recursion-depth": 10_000_000}
PLAIN = {"key_converter_schemas_enable": False, "value_converter_schemas_enable": False,
         "producer_override_compression_type": "lz4"}


class Ground:
    """A server, a broker and one program of the part's own."""

    def __init__(self, label):
        self.scratch = Scratch("large")
        self.source = MySql(self.scratch, "source", SERVER).start().create_user()
        self.broker = Kafka(self.scratch, "kafka", heap="1g").start()
        self.label, self.program = label, None

    def follow(self, **more):
        properties = Tidemark.base(self.source, self.broker, self.label, **PLAIN, **more)
        self.program = Tidemark(self.scratch, properties, "tidemark")
        return self.program

    def close(self, keep):
        for process in (self.program, self.source):
            if process:
                process.kill()
        self.broker.close()
        self.scratch.keep = self.scratch.keep or keep
        return self.scratch.close()


def hold_memory(program, most, what):
    peak = program.peak_rss()
    print(f"  {what}: {peak / MIB:.1f} MiB at most", flush=True)
    assert peak < most, f"{what}: {peak} bytes of memory, the bound is {most}"


def transaction(ground):
    """Each row is told once and in order, though the program is killed three times inside."""
    rows, width, source = 1_340_000, 4000, ground.source
    source.sql("CREATE DATABASE large; USE large; CREATE TABLE big (id INT PRIMARY KEY, pad VARCHAR(4000) CHARACTER SET ascii) "
               "ENGINE=BLACKHOLE; CREATE TABLE small (id INT PRIMARY KEY)")
    program = ground.follow(database_include_list="large", column_exclude_list="large.big.pad").start_ready()
    done = threading.Event()

    def write_small():
        number = 0
        with source.connect(database="large") as connection, connection.cursor() as cursor:
            while not done.is_set():
                number += 1
                cursor.execute("INSERT INTO small VALUES (%s)", (number,))
                time.sleep(0.01)
    writer = threading.Thread(target=write_small)
    writer.start()
    began = time.monotonic()
    try:
        source.sql(f"INSERT INTO big WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows}) "
                   f"SELECT i, REPEAT(CHAR(97 + i % 26), {width}) FROM n", database="large")
        time.sleep(1)
    finally:
        done.set()
        writer.join()
    file, size = max(source.binlogs(), key=lambda entry: entry[1])
    print(f"  {file} has {size / GIB:.2f} GiB, logged in {time.monotonic() - began:.0f} s", flush=True)
    assert size > 5 * GIB
    kills, seen, behind = [rows // 10, rows // 2, rows * 9 // 10], 0, 0
    began = time.monotonic()
    with ground.broker.reader("large.large.big") as reader:
        while seen < rows:
            for record in reader.read_until(len, 300):
                seen += 1
                assert payload(record.key)["id"] == seen, f"row {seen} is {record.key}"
            reader.records.clear()
            if kills and seen >= kills[0]:
                kills.pop(0)
                hold_memory(program, 64 * MIB, f"killed at row {seen}")
                program.kill()
                program.start()
    print(f"  {rows} rows told once, in order, in {time.monotonic() - began:.0f} s with three kills", flush=True)
    last = source.one("SELECT MAX(id) FROM large.small")
    small = ground.broker.consume("large.large.small", timeout=120,
                                  until=lambda records: records and payload(records[-1].key)["id"] == last)
    assert [payload(record.key)["id"] for record in small] == list(range(1, last + 1))
    behind = sum(decode(record).source["pos"] > 4 * GIB for record in small)
    print(f"  {last} small transactions told once, {behind} of them behind 4 GiB of their file", flush=True)
    hold_memory(program, 64 * MIB, "at the end")
    program.stop()
    program.start_ready().stop()


def tables(ground):
    """A start takes seconds and little memory, whatever else the server has."""
    source, databases, each = ground.source, 200, 100
    for number in range(databases):
        source.sql(f"CREATE DATABASE many{number}; USE many{number}; " + ";".join(
            f"CREATE TABLE t{table} (id INT PRIMARY KEY, " + ", ".join(f"c{column} VARCHAR(50)" for column in range(20)) + ") "
            "ENGINE=BLACKHOLE" for table in range(each)))
    captured = [f"many{number}.t7" for number in range(0, databases, databases // 10)]
    program = ground.follow(table_include_list=",".join(name.replace(".", r"\.") for name in captured))
    for run in (1, 2):
        began = time.monotonic()
        program.start_ready()
        took = time.monotonic() - began
        print(f"  {databases * each} tables: start {run} took {took:.1f} s", flush=True)
        assert took < 20
        for name in captured:
            source.sql(f"INSERT INTO {name} (id) VALUES ({run})")
        for name in captured:
            ground.broker.consume(f"large.{name}", until=run)
        hold_memory(program, 64 * MIB, "ten of them captured")
        program.stop()


def captured(ground):
    """All are told, in little memory, also after a restart and a statement for each."""
    source, count = ground.source, 1000
    source.sql("CREATE DATABASE large; USE large; " + ";".join(
        f"CREATE TABLE t{table} (id INT PRIMARY KEY, " + ", ".join(f"c{column} VARCHAR(50)" for column in range(20)) + ")"
        for table in range(count)))
    program = ground.follow(database_include_list="large").start_ready()
    topics = [f"large.large.t{table}" for table in range(count)]

    def told(number):
        source.sql(";".join(f"INSERT INTO t{table} (id) VALUES ({number})" for table in range(count)), database="large")
        records = ground.broker.consume(*topics, timeout=300, until=lambda records: len(records) >= number * count)
        assert sorted((record.topic, payload(record.key)["id"]) for record in records) == sorted(
            (topic, id) for topic in topics for id in range(1, number + 1))
    began = time.monotonic()
    told(1)
    source.sql(";".join(f"ALTER TABLE t{table} ADD COLUMN extra INT DEFAULT 7" for table in range(count)), database="large")
    told(2)
    hold_memory(program, 128 * MIB, f"{count} captured tables, each altered")
    program.stop()
    program.start_ready()
    told(3)
    hold_memory(program, 128 * MIB, "after a restart")
    program.stop()
    print(f"  {3 * count} rows of {count} tables in {time.monotonic() - began:.0f} s", flush=True)


def seek(ground):
    """It gets through without a change of settings, with twice the patience each time."""
    source = ground.source
    wire = Proxy((source.host, source.port)).start()
    source.sql("CREATE DATABASE large; CREATE TABLE large.t (id INT PRIMARY KEY)")
    program = ground.follow(database_include_list="large", database_port=wire.port, database_ssl_mode="disabled",
                            connect_keep_alive_interval_ms=10_000).start_ready()
    source.sql("INSERT INTO large.t VALUES (1)")
    ground.broker.consume("large.large.t", until=1)
    wire.hold_dump = 180
    wire.cut()
    source.sql("INSERT INTO large.t VALUES (2)")
    began = time.monotonic()
    ground.broker.consume("large.large.t", until=2, timeout=900)
    waits = [int(ms) for ms in re.findall(r"did not find the place in its log within (\d+) ms", program.log_text())]
    print(f"  through after {time.monotonic() - began:.0f} s; it had waited {waits} ms", flush=True)
    assert waits == [10_000 << doubling for doubling in range(len(waits))] and len(waits) <= 5
    program.stop()
    wire.close()


def beside_load(ground):
    """The stream stays in time, and the topic ends equal to the table."""
    beside.run(ground, lambda program: hold_memory(program, 64 * MIB, "beside the load"))


PARTS = {"transaction": transaction, "tables": tables, "captured": captured, "beside": beside_load, "seek": seek}


def run(names):
    """True when all was well."""
    unknown = [name for name in names if name not in PARTS]
    if unknown:
        raise ValueError(f"there is no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    failed = []
    for name in names or PARTS:
        print(f"{name}: {re.split(r'[.:]', PARTS[name].__doc__)[0]}", flush=True)
        ground, fault = Ground("large"), None
        try:
            PARTS[name](ground)
        except (AssertionError, TimeoutError) as why:
            fault = why
            failed.append(name)
        kept = ground.close(keep=fault is not None)
        print(f"  {'all well' if fault is None else f'FAILED: {fault}; files: {kept}'}", flush=True)
    return not failed
