# SPDX-License-Identifier: Apache-2.0
"""usage: ./dev bench [OPTION…] [ROW…]
       ./dev bench report [--svg FILE]
       ./dev bench micro [--keep]

Gives tidemark and Debezium the same work, from the same server to the same broker, in turn, and prints what came of it: the
median of the runs, the ratios, which are what counts, and which bars were met. A run that does not count warms the broker up.
Each row leaves a JSON file. Rows are those of test/bench/rows.py: catch-up when none is named, `all` for all of them (hours).
`report` prints the stored rows as a table for a page and draws them; `micro` counts instructions (test/bench/micro.py).
Ends with 1 when tidemark failed at something.
"""
import argparse
import os
import platform
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from harness import Kafka, MySql, Scratch, Unavailable  # noqa: E402
from harness.scratch import CHECKOUT  # noqa: E402

from bench import report  # noqa: E402
from bench.contender import CONTENDERS  # noqa: E402
from bench.figures import OURS  # noqa: E402
from bench.rows import ROWS  # noqa: E402
from bench.trial import Bench  # noqa: E402

SERVER = {"innodb_buffer_pool_size": "1G", "innodb_redo_log_capacity": "1G", "max_binlog_size": "1G", "sync_binlog": 0,
          "innodb_flush_log_at_trx_commit": 0, "cte_max_recursion_depth": 1000000}
BROKER = {"log.message.timestamp.type": "LogAppendTime", "message.max.bytes": 8388608,
          "broker.session.timeout.ms": 9000, "broker.heartbeat.interval.ms": 2000}  # Kafka's own; nobody restarts it here
WARM_SHARE = 0.2  # of a catch-up


class BenchKafka(Kafka):
    """As users run it: the full compiler, a heap of its usual size; and one long way to it."""

    def __init__(self, scratch, round_trip_ms):
        super().__init__(scratch, settings=BROKER, proxied=True)
        self.command = [part for part in self.command if "TieredStopAtLevel" not in part and "SerialGC" not in part]
        self.command = ["-Xmx1g" if part.startswith("-Xmx") else part for part in self.command]
        self.proxy.delay = round_trip_ms / 2000


def warm(bench):
    """The broker's compiler works before anything counts: whoever came first would pay for it."""
    bench.options = argparse.Namespace(**{**vars(bench.options), "scale": bench.options.scale * WARM_SHARE, "limit": False})
    ROWS["catch-up"].work(bench, CONTENDERS[OURS])


def machine():
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    return {"cpu": model, "cores": os.cpu_count(), "kernel": platform.release(), "load": os.getloadavg()[0],
            "when": time.strftime("%Y-%m-%d %H:%M")}


def run(bench, row):
    """[{contender: figures}], run by run, all contenders in each. One that fails is on record and the others go on."""
    runs = []
    for _ in range(bench.options.runs):
        runs.append({})
        for name in [OURS, *row.against]:
            if bench.options.only and name not in bench.options.only:
                continue
            try:
                runs[-1][name] = row.work(bench, CONTENDERS[name])
            except Exception as why:
                print(f"{name} failed:\n{traceback.format_exc()}", file=sys.stderr, flush=True)
                runs[-1][name] = {"failed": str(why).split("\n")[0]}
    return runs


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__, epilog=f"Rows: {', '.join(ROWS)}",
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wanted", nargs="*", metavar="ROW")
    parser.add_argument("--runs", type=int, default=3, help="of each row; the median counts (3)")
    parser.add_argument("--scale", type=float, default=1, help="for a part of the records, e.g. 0.01")
    parser.add_argument("--only", action="append", choices=list(CONTENDERS), help="without the others; may be given twice")
    parser.add_argument("--round-trip-ms", type=float, default=10, help="to the broker, in the rows `remote` (10)")
    parser.add_argument("--no-limit", dest="limit", action="store_false", help="don't measure what the rate is a share of")
    parser.add_argument("--out", type=Path, default=CHECKOUT / "build" / "bench", help="the folder of the results")
    parser.add_argument("--svg", type=Path, help="of `report`: where the chart goes (chart.svg in that folder)")
    options = parser.parse_args()
    options.wanted = {"": ["catch-up"], "all": list(ROWS)}.get(" ".join(options.wanted), options.wanted)
    unknown = [row for row in options.wanted if row not in ROWS]
    if unknown and options.wanted != ["report"]:
        parser.error(f"there is no row {unknown[0]}; there are {', '.join(ROWS)}")
    return options


def show_stored(options):
    results = report.load(options.out)
    if not results:
        sys.exit(f"bench: there are no results in {options.out}")
    path = options.svg or options.out / "chart.svg"
    path.write_text(report.svg(results))
    print(f"{report.markdown(results)}\n\nthe chart is {path}")


def measure(options):
    """Runs the rows; whether tidemark failed at none of them."""
    scratch, about, went_well = Scratch("bench"), machine(), True
    mysql = kafka = None
    try:
        mysql, kafka = MySql(scratch, options=SERVER), BenchKafka(scratch, options.round_trip_ms)
        mysql.start().create_user()
        kafka.start()
        print(f"{about['cpu']}, {about['cores']} cores, load {about['load']:.1f}, {about['when']}; median of {options.runs}",
              flush=True)
        warm(Bench(scratch, mysql, kafka, options))
        for name in options.wanted:
            told = {key: getattr(options, key) for key in ("scale", "runs", "round_trip_ms")}
            result = report.result_of(name, run(Bench(scratch, mysql, kafka, options), ROWS[name]), about, told)
            report.store(options.out, result)
            print(report.text(result), flush=True)
            went_well = went_well and not any(failure.startswith(OURS) for failure in result["failures"])
    except Unavailable as reason:
        sys.exit(f"bench: {reason}")
    finally:
        if kafka:
            kafka.close()
        if mysql:
            mysql.kill()
        scratch.close()
    return went_well


def main():
    options = arguments()
    if options.wanted == ["report"]:
        show_stored(options)
    elif not measure(options):
        sys.exit(1)


if __name__ == "__main__":
    main()
