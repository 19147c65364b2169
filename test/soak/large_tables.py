# SPDX-License-Identifier: Apache-2.0
"""large_tables: many tables in the server, many captured."""
import time

from harness.replay import payload

from .ground import MIB, hold_memory


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
    hold_memory(program, 64 * MIB, f"{count} captured tables, each altered")
    program.stop()
    program.start_ready()
    told(3)
    hold_memory(program, 64 * MIB, "after a restart")
    program.stop()
    print(f"  {3 * count} rows of {count} tables in {time.monotonic() - began:.0f} s", flush=True)
