#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""capture: makes the files of test/data/events from a real server; run it by hand when a new format is to be kept.

    ./dev in python3 test/data/capture/capture.py [SCENARIO…]

Starts a mysqld of its own in a scratch folder (ended at the end), runs the SQL of each scenario of scenarios.py into a
log file of its own, asks for that file as a replica does, and writes what came: one event a line as hex digits, a byte
that repeats many times as XX*COUNT. Lines with # tell the server's version, the SQL, and the type of the event below.
uuids, times and ids differ from run to run; tests must not depend on them except where a scenario sets them.
"""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pymysql
from pymysql.constants import COMMAND

sys.path.insert(0, str(Path(__file__).parent))
from scenarios import LOAD_FILE, SCENARIOS, SERVER_OPTIONS  # noqa: E402

EVENTS = Path(__file__).resolve().parents[1] / "events"
NON_BLOCK, HEARTBEAT_V2 = 1, 2
TYPES = {2: "QUERY", 3: "STOP", 4: "ROTATE", 5: "INTVAR", 9: "APPEND_BLOCK", 11: "DELETE_FILE", 13: "RAND", 14: "USER_VAR",
         15: "FORMAT_DESCRIPTION", 16: "XID", 17: "BEGIN_LOAD_QUERY", 18: "EXECUTE_LOAD_QUERY", 19: "TABLE_MAP",
         26: "INCIDENT", 27: "HEARTBEAT", 29: "ROWS_QUERY", 30: "WRITE_ROWS", 31: "UPDATE_ROWS", 32: "DELETE_ROWS",
         33: "GTID", 34: "ANONYMOUS_GTID", 35: "PREVIOUS_GTIDS", 38: "XA_PREPARE", 39: "PARTIAL_UPDATE_ROWS",
         40: "TRANSACTION_PAYLOAD", 41: "HEARTBEAT_V2", 42: "GTID_TAGGED"}


class Server:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="tidemark-capture.", dir="/tmp")
        os.chmod(self.folder, 0o755)
        data = self.folder + "/data"
        os.mkdir(data)
        user = []
        if os.getuid() == 0:
            shutil.chown(data, "mysql", "mysql")
            user = ["--user=mysql"]
        base = ["mysqld", "--no-defaults", f"--datadir={data}", *user]
        self.log = open(self.folder + "/log", "wb")
        subprocess.run([*base, "--initialize-insecure"], check=True, stderr=self.log, stdout=self.log)
        self.socket = data + "/sock"
        self.process = subprocess.Popen([*base, f"--socket={self.socket}", "--skip-networking", "--mysqlx=OFF",
                                         *SERVER_OPTIONS], stderr=self.log, stdout=self.log)
        for _ in range(300):
            try:
                self.connect().close()
                return
            except pymysql.err.OperationalError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
        raise SystemExit(f"the server did not start: see {self.folder}/log")

    def connect(self):
        return pymysql.connect(unix_socket=self.socket, user="root", charset="utf8mb4", autocommit=True)

    def stop(self):
        self.process.terminate()
        self.process.wait(60)
        shutil.rmtree(self.folder)


def dump(server, file, position=4, flags=HEARTBEAT_V2, gtids=None, checksum="CRC32"):
    """The events a replica gets, to the end of the log."""
    conn = server.connect()
    with conn.cursor() as cur:
        cur.execute("SET @source_binlog_checksum=%s, @replica_uuid='00000000-0000-0000-0000-000000000001'", (checksum,))
    if gtids is None:
        conn._execute_command(COMMAND.COM_BINLOG_DUMP, struct.pack("<IHI", position, flags | NON_BLOCK, 77) + file.encode())
    else:
        conn._execute_command(COMMAND.COM_BINLOG_DUMP_GTID, struct.pack("<HII", flags | NON_BLOCK | 4, 77, len(file)) + file.encode()
                              + struct.pack("<QI", position, len(gtids)) + gtids)
    events = []
    while True:
        packet = conn._read_packet()
        if packet.is_eof_packet():
            break
        events.append(bytes(packet.get_all_data()[1:]))
    conn._force_close()
    return events


def hex_of(data):
    """Hex digits; more than 64 equal bytes are XX*COUNT."""
    out, at = [], 0
    for run in re.finditer(rb"(?s)(.)\1{64,}", data):
        out += [data[at:run.start()].hex(), f"{run[1].hex()}*{len(run[0])}"]
        at = run.end()
    out.append(data[at:].hex())
    return " ".join(part for part in out if part)


def run_sql(server, statements):
    """Runs them on one connection, or on a second one where a line begins with 2>. Returns the lines as told."""
    conns = {}
    for statement in statements:
        which, text = (2, statement[2:].strip()) if statement.startswith("2>") else (1, statement)
        conn = conns.setdefault(which, server.connect())
        with conn.cursor() as cur:
            cur.execute(text)
            cur.fetchall()
    for conn in conns.values():
        conn.close()


def capture(server, name, scenario):
    root = server.connect()
    with root.cursor() as cur:
        for statement in scenario.get("before", []):
            cur.execute(statement)
        cur.execute("FLUSH BINARY LOGS")
        cur.execute("SELECT VERSION()")
        version = cur.fetchone()[0]
        cur.execute("SHOW BINARY LOG STATUS")
        file = cur.fetchone()[0]
    run_sql(server, scenario["sql"])
    gtids = None
    if "executed" in scenario:
        with root.cursor() as cur:
            cur.execute("SELECT @@server_uuid, @@gtid_executed")
            uuid, executed = cur.fetchone()
            last = int(re.search(uuid + r":1-(\d+)", executed)[1])
            gtids = scenario["executed"](bytes.fromhex(uuid.replace("-", "")), last)
    events = dump(server, "" if gtids is not None else file, flags=scenario.get("flags", HEARTBEAT_V2), gtids=gtids,
                  checksum=scenario.get("checksum", "CRC32"))
    if gtids is not None: # the server goes through all its files: keep the last
        events = events[max(i for i, event in enumerate(events) if event[4] == 15) - 1:]
    with root.cursor() as cur:
        for statement in scenario.get("after", []):
            cur.execute(statement)
    keep = scenario.get("keep")
    lines = [f"# MySQL {version}, {name}: {scenario['what']}"]
    for statement in scenario.get("before", []) + scenario["sql"]:
        lines += ["#   " + statement[:200].replace("\n", " ")]
    for event in events:
        if keep is None or event[4] in keep:
            lines += [f"# {TYPES.get(event[4], event[4])}", hex_of(event)]
    EVENTS.mkdir(exist_ok=True)
    (EVENTS / f"{name}.hex").write_text("\n".join(lines) + "\n")
    print(f"{name}: {len(events)} events, {[TYPES.get(e[4], e[4]) for e in events]}"[:300])


def main():
    wanted = sys.argv[1:] or list(SCENARIOS)
    Path(LOAD_FILE).unlink(missing_ok=True)
    server = Server()
    try:
        for name in wanted:
            capture(server, name, SCENARIOS[name])
    finally:
        server.stop()
        Path(LOAD_FILE).unlink(missing_ok=True)


if __name__ == "__main__":
    main()
