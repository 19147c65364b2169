#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check: what must be true of the tree itself, told file by file.

  arrows    a folder includes only from the folders below it, written from the root
  doors     a foreign library's header is included only in the files that are its doors
  headers   each header compiles alone, by the compiler given as first argument
  clocks    only base/clock asks for a time; wall time, which may jump, is only for people and records
  licence   each source begins with its SPDX line
  places    nothing names a machine's own folders or a package registry
"""
import concurrent.futures
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

BELOW = {  # folder: the folders it may include from, beside itself
    "base": [],
    "binlog": ["base"],
    "record": ["binlog", "base"],
    "snapshot": ["record", "binlog", "base"],
    "signal": ["base"],
    "connector": ["snapshot", "signal", "record", "binlog", "base"],
    "test": ["connector", "snapshot", "signal", "record", "binlog", "base"],
}

DOORS = {  # foreign header: the files (stems) that may include it; a test may include any
    "mysql.h": ["binlog/source", "binlog/source_state", "snapshot/query", "snapshot/query_bind"],
    "rdkafka.h": ["connector/client", "connector/sink", "connector/context", "connector/pace", "connector/commit", "connector/admin", "connector/state_topic", "connector/member", "connector/presence", "connector/lease",
                  "signal/consumer", "signal/topic_id"],
    "cJSON.h": ["connector/properties", "connector/offsets", "connector/shape_store", "connector/progress", "connector/waiting_list",
               "connector/debezium_progress", "connector/schema_history", "connector/connect_offsets", "signal/parse"],
    "ev.h": ["connector/connector_state", "connector/connector", "connector/metrics"],
    "pcre2.h": ["connector/regex"],
    "microhttpd.h": ["connector/metrics"],
}

CLOCK_CALLS = r"\b(clock_gettime|gettimeofday|pthread_\w+_?timed\w+|sem_timedwait|time\s*\(\s*NULL)\b"

WALL = {  # who may ask for wall time, and for what
    "base/clock": "it gives it", "base/log": "the time of a line", "binlog/reader": "ts_ms of records",
    "connector/snapshots": "ts_ms of records", "connector/start": "ts_ms of records", "connector/notices": "the time of a notification",
    "connector/offsets_show": "the age of a position, for people", "connector/signal_command": "an id that is new",
    "connector/offsets_export": "the time of a record",
}

SPDX = "SPDX-License-Identifier: Apache-2.0"
COMPILED = {".c", ".h"}
SCRIPTS = {".py", ".sh"}

# Written in pieces, so that this file does not name what it looks for.
PLACES = [r"(?<!\w)/wo" r"rk/", r"\.\./sha" r"red", r"\.lib" r"rary", r"(?<!\w)/ho" r"me/[a-z]", r"(?<!\w)/ro" r"ot/[a-z.]"]
REGISTRIES = [r"deb\.deb" r"ian\.org", r"repo1?\.maven" r"\.", r"py" r"pi\.org", r"registry\.np" r"mjs", r"crat" r"es\.io"]


def tracked():
    """Files of the tree: those git knows or would take, else all outside build/."""
    try:
        out = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                             capture_output=True, check=True).stdout.decode()
        names = [name for name in out.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        names = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*")
                 if not {"build", ".git"} & set(path.relative_to(ROOT).parts)]
    return sorted(Path(name) for name in names if (ROOT / name).is_file())


def text_of(path):
    data = (ROOT / path).read_bytes()
    return None if b"\0" in data else data.decode("utf-8", "replace")


def includes(text):
    """(line number, bracket, name) of each include."""
    for number, line in enumerate(text.split("\n"), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)', line)
        if match:
            yield number, match[1], match[2]


def check_arrows(path, text):
    folder = path.parts[0]
    for number, bracket, name in includes(text):
        if bracket != '"':
            continue
        target = name.split("/")[0]
        if not (ROOT / name).is_file():
            yield f"{path}:{number}: \"{name}\" is not written from the root, or is not there"
        elif target != folder and target not in BELOW[folder]:
            yield f"{path}:{number}: {folder} may not include from {target}"


def check_doors(path, text):
    if path.parts[0] == "test":
        return
    for number, bracket, name in includes(text):
        doors = DOORS.get(name.split("/")[-1]) if bracket == "<" else None
        if doors is not None and str(path.with_suffix("")) not in doors:
            yield f"{path}:{number}: <{name}> is only for {', '.join(doors)}"


def check_clocks(path, text):
    stem = str(path.with_suffix(""))
    if path.parts[0] == "test" or stem == "base/clock":
        return
    for number, line in enumerate(text.split("\n"), 1):
        if re.search(CLOCK_CALLS, line):
            yield f"{path}:{number}: times come from base/clock: {line.strip()[:80]}"
        if "clock_wall_ns" in line and stem not in WALL:
            yield f"{path}:{number}: wall time may jump and is for {', '.join(WALL)} only"


def check_licence(path, text):
    first = text.split("\n", 2)[:2]
    if path.suffix in COMPILED and first[0] != f"/* {SPDX} */":
        yield f"{path}:1: the first line is /* {SPDX} */"
    elif (path.suffix in SCRIPTS or first[0].startswith("#!")) and not any(SPDX in line for line in first):
        yield f"{path}:1: the first or second line is # {SPDX}"


def check_places(path, text):
    if path.name == "LICENSE":
        return
    for number, line in enumerate(text.split("\n"), 1):
        for pattern in PLACES + REGISTRIES:
            if re.search(pattern, line):
                yield f"{path}:{number}: names a place of one machine or a registry: {line.strip()[:80]}"


def check_header(compiler, path):
    packages = ["mysqlclient", "rdkafka", "libcjson", "libzstd", "libpcre2-8"]
    flags = subprocess.run(["pkg-config", "--cflags", *packages], capture_output=True, text=True).stdout.split()
    run = subprocess.run([compiler, "-std=c17", "-D_GNU_SOURCE", "-DPCRE2_CODE_UNIT_WIDTH=8", "-fsyntax-only", "-Wall", "-Wextra",
                          "-Wno-unused-function", "-I", str(ROOT), *flags, "-include", str(ROOT / path), "-x", "c", os.devnull],
                         capture_output=True, text=True)
    if run.returncode != 0:
        yield f"{path}: does not compile alone: {run.stderr.strip().splitlines()[0]}"


def main():
    compiler = sys.argv[1] if len(sys.argv) > 1 else "cc"
    files = tracked()
    faults = []
    headers = []
    for path in files:
        text = text_of(path)
        if text is None:
            continue
        faults += check_licence(path, text)
        faults += check_places(path, text)
        if path.suffix in COMPILED and path.parts[0] in BELOW:
            faults += check_arrows(path, text)
            faults += check_doors(path, text)
            faults += check_clocks(path, text)
            if path.suffix == ".h":
                headers.append(path)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for found in pool.map(lambda path: list(check_header(compiler, path)), headers):
            faults += found
    print("\n".join(faults) if faults else f"structure: {len(files)} files, {len(headers)} headers alone, all in order")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
