# SPDX-License-Identifier: Apache-2.0
"""Every kind of key is read whole, in ranges of its index; and nothing that snapshots say to the server writes or locks."""
from snapshot_run import Run, ids
from statement_log import assert_untouched

ROWS, CHUNK = 200, 10

# What the table is, and its values (of all columns, or those named) in terms of n, 1 to ROWS.
MADE = {
    "int_key": ("k INT PRIMARY KEY", "n*7-1000"),
    "big_unsigned": ("k BIGINT UNSIGNED PRIMARY KEY", "18446744073709551615-n*3"),
    "decimals": ("k DECIMAL(30,12) PRIMARY KEY", "n*1.000000070001-100"),
    "singles": ("k FLOAT PRIMARY KEY", "n*0.37"),
    "doubles": ("k DOUBLE PRIMARY KEY", "n/3"),
    "chars": ("k CHAR(20) PRIMARY KEY", "CONCAT(CHAR(97+n%26 USING utf8mb4), n, ' ')"),
    "latin": ("k VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_german1_ci PRIMARY KEY", "CONCAT('x', n*7)"),
    "latin_general": ("k VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_general_cs PRIMARY KEY", "CONCAT('x', n*7)"),
    "exact": ("k VARCHAR(20) COLLATE utf8mb4_bin PRIMARY KEY", "CONCAT(CHAR(65+n%58 USING utf8mb4), n)"),
    "old_utf8": ("k VARCHAR(20) CHARACTER SET utf8mb3 PRIMARY KEY", "CONCAT('k', n)"),
    "var_bytes": ("k VARBINARY(20) PRIMARY KEY", "UNHEX(LPAD(HEX(n*7919),8,'0'))"),
    "uuids": ("k BINARY(16) PRIMARY KEY", "UNHEX(LEFT(SHA2(n, 256), 32))"),
    "dates": ("k DATE PRIMARY KEY", "'2000-01-01' + INTERVAL n DAY"),
    "datetimes": ("k DATETIME(6) PRIMARY KEY", "'2000-01-01 00:00:00.000001' + INTERVAL n*1000003 MICROSECOND"),
    "stamps": ("k TIMESTAMP(3) PRIMARY KEY", "'2020-01-01 00:00:00.001' + INTERVAL n*7003 SECOND"),
    "times": ("k TIME(6) PRIMARY KEY", "SEC_TO_TIME(n*29000-2900000+0.000001)"),
    "years": ("k YEAR PRIMARY KEY", "1901+n"),
    "bits": ("k BIT(20) PRIMARY KEY", "n*5003"),
    "enums": ("k ENUM('e','d','c','b','a'), id INT, PRIMARY KEY (k, id)", "n%5+1, n"),
    "enums_left": ("k ENUM('e','d','c','b','a'), id INT, PRIMARY KEY (k, id)", "n%3+1, n"),
    "enums_down": ("k ENUM('e','d','c'), id INT, PRIMARY KEY (k DESC, id)", "n%3+1, n"),
    "enums_inside": ("a INT, k ENUM('e','d','c'), id INT, PRIMARY KEY (a, k, id)", "n%4, n%3+1, n"),
    "enums_twice": ("k ENUM('e','d'), l ENUM('x','y'), id INT, PRIMARY KEY (k, l, id)", "n%2+1, n%4 DIV 2 + 1, n"),
    "mixed": ("a INT, b VARCHAR(10), c DATE, PRIMARY KEY (a DESC, b, c DESC)", "n%3, CONCAT('b', n%7), '2000-01-01' + INTERVAL n DAY"),
    "many_parts": ("a INT, b INT, c INT, d INT, e INT, PRIMARY KEY (a, b, c, d, e)", "n%2, n%3, n%5, n%7, n"),
    "computed (v)": ("g INT AS (v*2) STORED PRIMARY KEY, v INT", "n"),
    "spread": ("k INT PRIMARY KEY, v INT) PARTITION BY HASH (k) PARTITIONS 8", "n*3, n"),
    "unique_only": ("k INT NOT NULL, v INT, UNIQUE KEY by_k (k)", "n*3, n"),
    "by_column": ("id INT PRIMARY KEY, s INT NULL, KEY by_s (s)", "n, IF(n%5=0, NULL, n%17)"),
    "by_column_down": ("id INT PRIMARY KEY, s VARCHAR(10) NULL, KEY by_s (s DESC)", "n, IF(n%5=0, NULL, CONCAT('s', n%17))"),
}
KINDS = [name.split()[0] for name in MADE]
SURROGATE = [name for name in KINDS if name.startswith("by_column")]


def create(server, database):
    for name, (columns, values) in MADE.items():
        server.sql(f"CREATE TABLE {name.split()[0]} ({columns}{'' if 'PARTITIONS' in columns else ')'};"
                   f"INSERT INTO {name} WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r WHERE n < {ROWS})"
                   f" SELECT {values} FROM r ORDER BY SHA2(n, 256)", database=database)


def test_every_kind_of_key_is_read_whole_in_ranges_of_its_index(new_mysql, kafka, tidemark, names):
    server = new_mysql(general_log=True)
    r = Run(server, kafka, tidemark, names, incremental_snapshot_chunk_size=CHUNK, snapshot_max_threads=2)
    create(server, r.database)
    r.wait_rows("by_column_down", ROWS, op="c")
    before = handlers(server)
    r.snapshot(*(name for name in KINDS if name not in SURROGATE))
    r.snapshot(*SURROGATE, surrogate_key="s")
    after = handlers(server)
    for name in KINDS:
        keys = [str(key) + str(value["after"]) for key, value in r.records(name) if value["op"] == "r"]
        assert len(keys) == len(set(keys)) == ROWS, (name, len(keys), len(set(keys)))
    # Rows, and a little for each chunk: of the end of its range, of each member of an ENUM, of each partition.
    chunks = len(KINDS) * ROWS // CHUNK
    assert after["Handler_read_next"] + after["Handler_read_prev"] - before["Handler_read_next"] - before["Handler_read_prev"] < \
        len(KINDS) * ROWS + 3 * chunks
    assert after["Sort_rows"] == before["Sort_rows"]
    said = server.statements("tidemark")
    assert_untouched(said)
    for name in KINDS:
        explain(server, r.database, name, [text for command, text in said if command == "Execute"])


def handlers(server):
    return {name: int(value) for name, value in server.sql("SHOW GLOBAL STATUS WHERE Variable_name LIKE 'Handler_read%'"
                                                           " OR Variable_name = 'Sort_rows'")}


def explain(server, database, name, executed):
    """The plan of a chunk in the middle of the table, as it was executed."""
    chunks = [text for text in executed if f"`{name}` FORCE INDEX" in text and f"LIMIT {CHUNK}" in text
              and not text.startswith("EXPLAIN")]
    assert len(chunks) >= ROWS // CHUNK, (name, len(chunks))
    with server.connect(database=database, charset="latin1") as connection, connection.cursor() as cursor:
        cursor.execute("SET SESSION time_zone='+00:00', sql_mode='ALLOW_INVALID_DATES'")
        cursor.execute(f"EXPLAIN FORMAT=TREE {chunks[len(chunks) // 2]}".encode("utf-8", "surrogateescape"))
        plan = cursor.fetchone()[0]
    steps = [line.strip() for line in plan.splitlines()]
    assert any("ndex range scan on " in step for step in steps), (name, plan)
    assert not any(step.startswith(("-> Sort", "-> Table scan", "-> Index scan", "-> Covering index scan")) for step in steps), (name, plan)


def test_statements_of_all_kinds_of_snapshots_write_and_lock_nothing(new_mysql, kafka, tidemark, names):
    """With a filter, a surrogate key, a refused filter, a pause, a kill, DDL and TRUNCATE beside it, on a replica nobody may write to."""
    source = new_mysql()
    replica = new_mysql(replica_of=source, general_log=True)
    r = Run(replica, kafka, tidemark, names, incremental_snapshot_chunk_size=20, tidemark_snapshot_rows_per_second=2000,
            database_query_timeout_ms=1000)
    r.sql("CREATE TABLE a (id INT PRIMARY KEY, s INT NULL, KEY by_s (s)); CREATE TABLE b (id INT PRIMARY KEY); CREATE TABLE nokey (a INT)")
    r.fill("a", ((i, i % 7) for i in range(600)))
    r.fill("b", ((i,) for i in range(600)))
    r.wait_rows("b", 600, op="c")
    r.snapshot("a", "nokey", id="some", wait=False, additional_conditions=[{"data-collection": ".*a", "filter": "id % 2 = 0"}])
    r.snapshot("a", id="surrogate", wait=False, surrogate_key="s")
    r.snapshot("b", id="bad", wait=False, additional_conditions=[{"data-collection": ".*b", "filter": "no_such = 1"}])
    r.snapshot("b", id="last", wait=False)
    r.wait_rows("a", 100)
    r.ask("pause-snapshot", "p")
    r.wait_outcome("p")
    r.program.kill()
    r.start()
    r.ask("resume-snapshot")
    r.sql("ALTER TABLE a ADD COLUMN w INT; INSERT INTO b VALUES (9999)")
    r.wait_rows("b", 100)
    r.sql("TRUNCATE b; INSERT INTO b VALUES (5)")
    r.wait_outcome("last")
    assert [r.outcome(id)["outcome"] for id in ("some", "surrogate", "bad")] == ["refused", "done", "refused"]
    r.program.run("signal", "execute-snapshot", r.program, "--tables", rf"{r.database}\.(a|nokey)", "--dry-run", code=1)
    said = assert_untouched(replica.statements("tidemark"))
    assert sum("FORCE INDEX" in text for text in said) > 50


def test_statements_without_gtids_lock_rows_for_share_and_nothing_else(new_mysql, kafka, tidemark, names):
    server = new_mysql({"gtid-mode": "OFF", "enforce-gtid-consistency": "OFF"}, general_log=True)
    r = Run(server, kafka, tidemark, names, incremental_snapshot_chunk_size=20, tidemark_snapshot_for_share="true")
    r.sql("CREATE TABLE a (id INT PRIMARY KEY)")
    r.fill("a", ((i,) for i in range(100)))
    r.program.run("signal", "execute-snapshot", r.program, "--tables", rf"{r.database}\.a", "--dry-run")
    assert_untouched(server.statements("tidemark"))
    r.snapshot("a")
    assert ids(r.rows("a")) == list(range(100))
    chunks = [text for text in assert_untouched(server.statements("tidemark"), may_share=True)
              if "FORCE INDEX" in text and "LIMIT 20" in text and not text.startswith("EXPLAIN")]
    assert chunks and all(text.rstrip().endswith("FOR SHARE") for text in chunks)
