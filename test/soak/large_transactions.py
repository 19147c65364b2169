# SPDX-License-Identifier: Apache-2.0
"""large_transactions: transactions of gigabytes, plain and compressed."""
import threading
import time

from harness.replay import decode, payload

from .ground import GIB, MIB, hold_memory

WIDTH = 4000  # bytes of a row
EASY = "REPEAT(CHAR(97 + i % 26), 4000)"  # compresses to a thousandth
HARD = "CONCAT(RANDOM_BYTES(1000), RANDOM_BYTES(1000), RANDOM_BYTES(1000), RANDOM_BYTES(1000))"  # does not


def follow_big(ground):
    """The table that large transactions go to, one for small ones, and the program that follows them."""
    ground.source.sql("CREATE DATABASE large; USE large; CREATE TABLE big (id INT PRIMARY KEY, pad VARBINARY(4000)) ENGINE=BLACKHOLE; "
                      "CREATE TABLE small (id INT PRIMARY KEY)")
    return ground.follow(database_include_list="large", column_exclude_list="large.big.pad").start_ready()


def write_big(source, first, rows, pad, compression):
    """One transaction with the rows behind `first`."""
    source.sql(f"SET SESSION binlog_transaction_compression={compression}; "
               f"INSERT INTO big WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows}) "
               f"SELECT {first} + i, {pad} FROM n", database="large")


def read_with_kills(program, reader, seen, last, kills, most):
    """Each row behind `seen` is told once and in order up to the last, though the program is killed at some of them."""
    kills = list(kills)
    while seen < last:
        for record in reader.read_until(len, 300):
            seen += 1
            assert payload(record.key)["id"] == seen, f"row {seen} is {record.key}"
        reader.records.clear()
        if kills and seen >= kills[0]:
            kills.pop(0)
            hold_memory(program, most, f"killed at row {seen}")
            program.kill()
            program.start()


def transaction(ground):
    """Each row is told once and in order, though the program is killed three times inside."""
    rows, source = 1_340_000, ground.source
    program = follow_big(ground)
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
        write_big(source, 0, rows, EASY, "OFF")
        time.sleep(1)
    finally:
        done.set()
        writer.join()
    file, size = max(source.binlogs(), key=lambda entry: entry[1])
    print(f"  {file} has {size / GIB:.2f} GiB, logged in {time.monotonic() - began:.0f} s", flush=True)
    assert size > 5 * GIB
    began = time.monotonic()
    with ground.broker.reader("large.large.big") as reader:
        read_with_kills(program, reader, 0, rows, [rows // 10, rows // 2, rows * 9 // 10], 64 * MIB)
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


def compressed(ground):
    """One event holds the transaction: however large it is inside, memory grows with the event and no further.

    The server looks only at what comes out: 5 GiB of rows become one payload of some MiB, and one that would pass 1 GiB is
    written without compression.
    """
    source, program, done = ground.source, follow_big(ground), 0
    pieces = (("5 GiB that compress well", 1_340_000, EASY, "ZSTD"), ("a payload close to 1 GiB", 262_000, HARD, "ZSTD"),
              ("a payload that would be larger", 270_000, HARD, "NONE"))
    with ground.broker.reader("large.large.big") as reader:
        for what, rows, pad, kind in pieces:
            source.sql("FLUSH BINARY LOGS; TRUNCATE performance_schema.binary_log_transaction_compression_stats")
            began = time.monotonic()
            write_big(source, done, rows, pad, "ON")
            packed, plain = source.sql("SELECT COMPRESSED_BYTES_COUNTER, UNCOMPRESSED_BYTES_COUNTER FROM "
                                       "performance_schema.binary_log_transaction_compression_stats WHERE LOG_TYPE='BINARY' AND "
                                       f"COMPRESSION_TYPE='{kind}' ORDER BY 2 DESC LIMIT 1")[0]
            print(f"  {what}: {plain / GIB:.2f} GiB as {kind} of {packed / MIB:.1f} MiB, logged in {time.monotonic() - began:.0f} s", flush=True)
            assert plain > rows * WIDTH, "another transaction than the one meant"
            most = 64 * MIB + 3 * (packed if kind == "ZSTD" else 0)
            began = time.monotonic()
            read_with_kills(program, reader, done, done + rows, [done + rows // 2], most)
            done += rows
            print(f"  {rows} rows told once, in order, in {time.monotonic() - began:.0f} s with a kill", flush=True)
            hold_memory(program, most, "behind it")
            program.stop()
            program.start_ready()
    program.stop()
