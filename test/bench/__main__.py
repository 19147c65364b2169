# SPDX-License-Identifier: Apache-2.0
"""usage: ./dev bench [OPTION…] [ROW…]
       ./dev bench micro [--keep]

Gives tidemark and Debezium the same work, from the same server to the same broker, in one run, and prints what came of it:
the median of the runs, and the ratio, which is what counts. Rows are those of test/bench/rows.py; catch-up when none is named.
`micro` counts instructions instead (test/bench/micro.py).
"""
import argparse
import os
import platform
import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from harness import Kafka, MySql, Scratch, Unavailable  # noqa: E402

from bench import load  # noqa: E402
from bench.contender import DebeziumContender, TidemarkContender  # noqa: E402
from bench.measure import MORE_IS_BETTER, print_json  # noqa: E402
from bench.rows import ROWS  # noqa: E402

SERVER = {"innodb_buffer_pool_size": "1G", "innodb_redo_log_capacity": "1G", "max_binlog_size": "1G", "sync_binlog": 0,
          "innodb_flush_log_at_trx_commit": 0}
BROKER = {"log.message.timestamp.type": "LogAppendTime", "message.max.bytes": 8388608}
CONTENDERS = {"tidemark": TidemarkContender, "debezium": DebeziumContender}


@dataclass
class Bench:
    scratch: Scratch
    mysql: MySql
    kafka: Kafka
    options: argparse.Namespace


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


def run(bench, row):
    """Contender -> the median of its figures."""
    results = {}
    for name in bench.options.only or CONTENDERS:
        runs = [ROWS[row](bench, CONTENDERS[name]) for _ in range(bench.options.runs)]
        results[name] = {column: statistics.median(one[column] for one in runs) for column in runs[0]}
    return results


def number(value):
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def show(row, results):
    columns = list(next(iter(results.values())))
    print(f"\n{row}\n  {'':10}" + "".join(f"{column:>20}" for column in columns))
    for name, figures in results.items():
        print(f"  {name:10}" + "".join(f"{number(figures[column]):>20}" for column in columns))
    if len(results) == 2:
        ours, theirs = results["tidemark"], results["debezium"]
        ratios = [(ours[c], theirs[c]) if c in MORE_IS_BETTER else (theirs[c], ours[c]) for c in columns]
        print(f"  {'ratio':10}" + "".join(f"{'' if column == 'records' else number(a / max(b, 1e-6)) + '×':>20}"
                                           for column, (a, b) in zip(columns, ratios)), flush=True)


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__, epilog=f"Rows: {', '.join(ROWS)}",
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wanted", nargs="*", metavar="ROW")
    parser.add_argument("--rows", type=int, default=1_000_000, help="of catch-up; wide has a tenth, large a 50th, mixed half")
    parser.add_argument("--debezium-rows", type=int, default=1_000_000, help="of catch-up")
    parser.add_argument("--update-transactions", type=int, default=300_000)
    parser.add_argument("--snapshot-rows", type=int, default=2_000_000)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--only", action="append", choices=list(CONTENDERS), help="without the other one")
    parser.add_argument("--json", type=Path, help="where the figures go as JSON")
    options = parser.parse_args()
    unknown = [row for row in options.wanted if row not in ROWS]
    if unknown:
        parser.error(f"there is no row {unknown[0]}; there are {', '.join(ROWS)}")
    return options


def main():
    options = arguments()
    scratch = Scratch()
    try:
        mysql = MySql(scratch, options=SERVER).start()
        kafka = BenchKafka(scratch, BROKER)
        kafka.start()
    except Unavailable as reason:
        sys.exit(f"bench: {reason}")
    about, table = machine(), {}
    print(f"{about['cpu']}, {about['cores']} cores, load {about['load']:.1f}, {about['when']}; median of {options.runs}", flush=True)
    try:
        load.make(mysql)
        mysql.create_user()
        for row in options.wanted or ["catch-up"]:
            table[row] = run(Bench(scratch, mysql, kafka, options), row)
            show(row, table[row])
    finally:
        kafka.close()
        mysql.stop()
    if options.json:
        print_json(options.json, about, table)


if __name__ == "__main__":
    main()
