# SPDX-License-Identifier: Apache-2.0
"""usage: ./dev bench micro [--keep]

Counts the instructions of the hot path's steps by callgrind, for each row, and compares them with those kept in
test/bench/micro.counts; --keep keeps the new ones. Ends with 1 when one differs by more than the tolerance, in whichever
direction: what became cheaper is to be kept too. Other compilers than the one named in the file give other counts: then
the difference is shown, but means nothing.

The steps (test/bench/micro.c): `decode` is events to cells, with the checksum; `record` is that and rendering, the hand-over
and what comes back; `orders` has inserts, updates and deletes of the benchmarks' table, `types` rows of all column types;
`window` is a chunk's row.
"""
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]
PROGRAM = CHECKOUT / "build" / "release" / "micro"
COUNTS = HERE / "micro.counts"
STEPS = ["decode orders", "record orders", "decode types", "record types", "window"]
TOLERANCE = 0.03


def compiler():
    first = subprocess.run(["cc", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    return f"{first}, {platform.machine()}"


def count(step):
    """Instructions a row."""
    run = subprocess.run(["valgrind", "--tool=callgrind", "--toggle-collect=measured", "--callgrind-out-file=/dev/null",
                          PROGRAM, *step.split()], capture_output=True, text=True, cwd=CHECKOUT)
    rows, counted = re.search(r"^rows (\d+)", run.stdout, re.M), re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or not rows or not counted or int(rows[1]) == 0:
        sys.exit(f"micro {step} ended with {run.returncode}: {run.stdout}{run.stderr}")
    return round(int(counted[1]) / int(rows[1]))


def kept():
    """(compiler, {step: instructions})"""
    lines = COUNTS.read_text().splitlines() if COUNTS.exists() else ["# "]
    return lines[0].removeprefix("# "), {line.rsplit(maxsplit=1)[0]: int(line.rsplit(maxsplit=1)[1]) for line in lines[1:]}


def main():
    if not set(sys.argv[1:]) <= {"--keep"}:
        sys.exit(__doc__)
    if not shutil.which("valgrind"):
        sys.exit("bench micro: there is no valgrind here")
    made_by, before = kept()
    now = {step: count(step) for step in STEPS}
    worst = 0
    print(f"{'instructions a row':20} {'now':>8} {'kept':>8}")
    for step, n in now.items():
        change = n / before[step] - 1 if step in before else 0
        worst = max(worst, abs(change))
        print(f"{step:20} {n:8} {before.get(step, '-'):>8} {change:+8.1%}")
    if "--keep" in sys.argv:
        COUNTS.write_text(f"# {compiler()}\n" + "".join(f"{step} {n}\n" for step, n in now.items()))
    elif made_by != compiler():
        print(f"the kept ones were made by another compiler: {made_by}")
    elif worst > TOLERANCE:
        sys.exit(f"differs by more than {TOLERANCE:.0%}; if that is meant, keep it: ./dev bench micro --keep")


if __name__ == "__main__":
    main()
