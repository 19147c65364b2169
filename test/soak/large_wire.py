# SPDX-License-Identifier: Apache-2.0
"""large_wire: connections that are silent for long, or last for long."""
import re
import threading
import time

from harness import Proxy
from harness.replay import payload
from harness.tls_wire import TlsWire

from .ground import GIB, MIB, hold_memory

PAD, ROWS = 4000, 1000  # bytes of a row, rows of a transaction


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


class Writer(threading.Thread):
    """Transactions of some megabytes one behind the other, until it is stopped; never far ahead of what was read."""

    def __init__(self, source, ahead):
        super().__init__(daemon=True)
        self.source, self.ahead = source, ahead
        self.written = self.read = 0  # rows
        self.stopped = threading.Event()
        self.fault = None

    def run(self):
        try:
            with self.source.connect(database="large") as connection, connection.cursor() as cursor:
                while not self.stopped.is_set():
                    if self.written - self.read > self.ahead:
                        time.sleep(0.005)
                        continue
                    cursor.execute(f"INSERT INTO t WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS}) "
                                   f"SELECT {self.written} + i, REPEAT(CHAR(97 + i % 26), {PAD}) FROM n")
                    self.written += ROWS
        except Exception as why:  # told where the rows are read
            self.fault = why

    def end(self):
        self.stopped.set()
        self.join()
        assert self.fault is None, self.fault


def purge_read(source):
    """The log does not have to fit on the disk: what lies two files back was read."""
    files = source.binlogs()
    if len(files) > 3:
        source.sql(f"PURGE BINARY LOGS TO '{files[-3][0]}'")


def read_in_order(reader, seen, timeout=120):
    """Reads what is there, holds that the rows go on behind `seen`; the last one."""
    for record in reader.read_until(len, timeout):
        seen += 1
        assert payload(record.key)["id"] == seen, f"row {seen} is {record.key}"
    reader.records.clear()
    return seen


def tls(ground, minutes=60):
    """The log comes over one connection all the time, TLS 1.3 with new keys for each 4 MiB."""
    source = ground.source.restart(tls_version="TLSv1.3", max_binlog_size="256M", require_secure_transport="ON")
    source.sql("CREATE DATABASE large; USE large; CREATE TABLE t (id INT PRIMARY KEY, pad VARCHAR(4000) CHARACTER SET ascii) "
               "ENGINE=BLACKHOLE")
    wire = TlsWire((source.host, source.port), source.data / "server-cert.pem", source.data / "server-key.pem", 4 * MIB).start()
    program = ground.follow(database_include_list="large", column_exclude_list="large.t.pad", database_port=wire.port,
                            database_ssl_mode="verify_ca", database_ssl_truststore=source.data / "ca.pem").start_ready()
    writer, seen, began = Writer(source, 50 * ROWS), 0, time.monotonic()
    writer.start()
    try:
        with ground.broker.reader("large.large.t") as reader:
            while time.monotonic() - began < minutes * 60 and writer.fault is None:
                writer.read = seen = read_in_order(reader, seen)
                purge_read(source)
            writer.end()
            while seen < writer.written:
                seen = read_in_order(reader, seen)
    finally:
        writer.stopped.set()
    dumps = len(re.findall(r"reading the log of", program.log_text()))
    print(f"  {seen} rows, {wire.bytes_from_target / GIB:.1f} GiB in {(time.monotonic() - began) / 60:.1f} minutes; {wire.updates} changes "
          f"of keys, {wire.answers} in answer; {dumps} connection for the log", flush=True)
    assert dumps == 1 and not wire.faults, wire.faults
    assert wire.updates >= wire.bytes_from_target // (8 * MIB) and wire.answers > 0
    hold_memory(program, 64 * MIB, "over TLS")
    program.stop()
    wire.close()
