# SPDX-License-Identifier: Apache-2.0
"""usage: ./dev bench [--rows N] [--debezium-rows N] [--runs N] [--json FILE] [ROW…]

Rows: catch-up (default), catch-up-schemas, updates. For each, both programs drain the same log in the same run; the
figure is the median of the runs, the ratio is what counts.
"""
import argparse
import os
import platform
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from harness import Kafka, MySql, Scratch, Unavailable  # noqa: E402

from bench import load  # noqa: E402
from bench.contender import DebeziumContender, TidemarkContender  # noqa: E402
from bench.measure import Figures, drain, print_json  # noqa: E402

SERVER = {"innodb_buffer_pool_size": "1G", "innodb_redo_log_capacity": "1G", "max_binlog_size": "1G", "sync_binlog": 0,
          "innodb_flush_log_at_trx_commit": 0}
BROKER = {"log.message.timestamp.type": "LogAppendTime"}


class BenchKafka(Kafka):
    """As users run it: the full compiler, a heap of its usual size."""

    def __init__(self, scratch, settings):
        super().__init__(scratch, settings=settings)
        self.command = [part for part in self.command if "TieredStopAtLevel" not in part and "SerialGC" not in part]
        self.command = ["-Xmx1g" if part.startswith("-Xmx") else part for part in self.command]


def machine():
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    return {"cpu": model, "cores": os.cpu_count(), "kernel": platform.release(), "load": os.getloadavg()[0],
            "when": time.strftime("%Y-%m-%d %H:%M")}


def warm(program, mysql, kafka, topic):
    """Gives the program a position: it streams one row and stops."""
    base = sum(kafka.end_offsets(topic).values()) if topic in kafka.topics() else 0
    program.start()
    program.wait_streaming()
    mysql.sql(load.ONE)
    kafka.consume(topic, until=lambda records: len(records) > 0, timeout=120) if base == 0 else None
    program.stop()


def catch_up(mysql, kafka, scratch, options, schemas):
    """Inserts, drained by each from its own position before them."""
    results = {}
    for name, rows in (("tidemark", options.rows), ("debezium", options.debezium_rows)):
        figures = []
        for run in range(options.runs):
            prefix = f"{name}{'-s' if schemas else ''}-{run}-{int(time.time())}"
            make = TidemarkContender if name == "tidemark" else DebeziumContender
            program = make(scratch, mysql, kafka, prefix, schemas=schemas)
            topic = f"{prefix}.bench.orders"
            kafka.create_topic(topic)
            warm(program, mysql, kafka, topic)
            load.insert(mysql, rows)
            figures.append(drain(program, kafka, topic, rows, skip=1, keys=rows))
            kafka.delete_topic(topic)
        results[name] = figures
    return results


def updates(mysql, kafka, scratch, options):
    """Single-row transactions: updates, and a delete with its tombstone for each tenth."""
    results = {}
    n = options.update_transactions
    for name in ("tidemark", "debezium"):
        figures = []
        for run in range(options.runs):
            prefix = f"{name}-u-{run}-{int(time.time())}"
            make = TidemarkContender if name == "tidemark" else DebeziumContender
            program = make(scratch, mysql, kafka, prefix)
            topic = f"{prefix}.bench.orders"
            kafka.create_topic(topic)
            mysql.sql("TRUNCATE bench.orders")
            load.insert(mysql, n)
            warm(program, mysql, kafka, topic)
            load.update(mysql, n)
            figures.append(drain(program, kafka, topic, n + n // 10 * 2, skip=1))
            kafka.delete_topic(topic)
        results[name] = figures
    return results


ROWS = {
    "catch-up": lambda *args: catch_up(*args, schemas=False),
    "catch-up-schemas": lambda *args: catch_up(*args, schemas=True),
    "updates": updates,
}


def median(figures):
    return Figures(*(statistics.median(getattr(one, field) for one in figures)
                     for field in ("records", "rate", "cpu_us", "peak_mib", "first_s")))


def show(row, ours, theirs):
    print(f"\n{row}")
    print(f"  {'':10} {'records':>10} {'records/s':>11} {'µs CPU/record':>14} {'peak MiB':>9} {'first record s':>15}")
    for name, f in (("tidemark", ours), ("debezium", theirs)):
        print(f"  {name:10} {f.records:10.0f} {f.rate:11.0f} {f.cpu_us:14.2f} {f.peak_mib:9.0f} {f.first_s:15.2f}")
    print(f"  {'ratio':10} {'':10} {ours.rate / theirs.rate:10.1f}× {theirs.cpu_us / max(ours.cpu_us, 0.01):13.1f}× "
          f"{theirs.peak_mib / ours.peak_mib:8.1f}× {theirs.first_s / max(ours.first_s, 0.01):14.1f}×", flush=True)


def main():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows_wanted", nargs="*", metavar="ROW", default=[])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--debezium-rows", type=int, default=1_000_000)
    parser.add_argument("--update-transactions", type=int, default=300_000)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    unknown = [row for row in options.rows_wanted if row not in ROWS]
    if unknown:
        parser.error(f"there is no row {unknown[0]}; there are {', '.join(ROWS)}")
    scratch = Scratch()
    try:
        mysql = MySql(scratch, options=SERVER).start()
        kafka = BenchKafka(scratch, BROKER)
        kafka.start()
    except Unavailable as reason:
        sys.exit(f"bench: {reason}")
    about, table = machine(), {}
    print(f"{about['cpu']}, {about['cores']} cores, load {about['load']:.1f}, {about['when']}; median of {options.runs}")
    try:
        load.make(mysql)
        mysql.create_user()
        for row in options.rows_wanted or ["catch-up"]:
            results = ROWS[row](mysql, kafka, scratch, options)
            ours, theirs = median(results["tidemark"]), median(results["debezium"])
            show(row, ours, theirs)
            table[row] = {"tidemark": ours.as_dict(), "debezium": theirs.as_dict()}
    finally:
        kafka.close()
        mysql.stop()
    if options.json:
        print_json(options.json, about, table)


if __name__ == "__main__":
    main()
