# SPDX-License-Identifier: Apache-2.0
"""The snapshot of a first start: all rows that are there, beside a stream that goes on."""
import json
import random
import threading
from collections import Counter

import pytest

from harness import wait_for
from snapshot_run import Run, ids


@pytest.fixture
def run(mysql, kafka, tidemark, names):
    def make(mode="initial", server=mysql, env=None, names=names, **more):
        return Run(server, kafka, lambda *args, **settings: tidemark(*args, env=env, **settings), names, start=False,
                   snapshot_mode=mode, **more)
    return make


def wait_done(r, timeout=60):
    """Until the initial snapshot is stored as ended."""
    wait_for(lambda: r.state() and "snapshot" not in r.state(), timeout,
             lambda: f"the initial snapshot to end; {r.state()}; {r.program.tail(30)}")
    r._settle()


def marks(r, table):
    return [value["source"]["snapshot"] for _, value in r.records(table) if value and value["op"] == "r"]


def source_rows(r, table):
    columns = [row[0] for row in r.sql(f"SHOW COLUMNS FROM {table}")]
    return [dict(zip(columns, row)) for row in r.sql(f"SELECT {', '.join(columns)} FROM {table}")]


def bag(rows):
    return Counter(json.dumps(row) for row in rows)


def told_bag(r, table):
    """What the records of a table without a key add up to."""
    held = Counter()
    for _, value in r.records(table):
        if value is not None:
            held.update(bag([value["after"]]) if value["after"] else {})
            held.subtract(bag([value["before"]]) if value["before"] else {})
    return +held


# ---- what comes

def test_all_rows_come_with_their_markers(run):
    r = run()
    r.sql("CREATE TABLE a (id INT PRIMARY KEY, v INT); INSERT INTO a VALUES (1,1),(2,2),(3,3);"
          "CREATE TABLE b (id INT PRIMARY KEY, v INT); INSERT INTO b VALUES (7,7);"
          "CREATE TABLE c (v INT); INSERT INTO c VALUES (5),(5),(6)")
    r.start()
    wait_done(r)
    assert ids(r.rows("a")) == [1, 2, 3] and ids(r.rows("b")) == [7]
    assert [row["v"] for row in r.rows("c")] == [5, 5, 6]
    assert marks(r, "a") == ["first", "true", "last_in_data_collection"]
    assert marks(r, "b") == ["last_in_data_collection"]
    assert marks(r, "c") == ["first_in_data_collection", "true", "last"]
    for _, value in r.records("a"):
        source = value["source"]
        assert (source["server_id"], source["gtid"], source["thread"], source["row"]) == (0, None, None, 0)
        assert source["file"] and source["pos"] > 0 and value["transaction"] is None
    r.sql("INSERT INTO c VALUES (6)")
    assert r.wait_rows("c", 1, op="c") == [{"v": 6}]


def test_tables_come_in_the_order_of_the_include_list_and_only_those_wanted(run, names):
    r = run(table_include_list=rf"{names.database}\.z.*,{names.database}\.a,{names.database}\.b",
            snapshot_include_collection_list=rf"{names.database}\.(z1|a)",
            notification_enabled_channels="sink", notification_sink_topic_name=f"{names.prefix}.notes")
    for table in ("a", "b", "z1", "z2"):
        r.sql(f"CREATE TABLE {table} (id INT PRIMARY KEY); INSERT INTO {table} VALUES (1),(2)")
    r.start()
    wait_done(r)
    assert marks(r, "z1") == ["first", "last_in_data_collection"]
    assert marks(r, "a") == ["first_in_data_collection", "last"]
    assert r.rows("b") == [] and r.rows("z2") == []
    r.sql("INSERT INTO b VALUES (3)")
    assert ids(r.wait_rows("b", 1, op="c")) == [3]
    notes = [json.loads(record.value) for record in r.read(f"{r.prefix}.notes")]
    assert [(note["type"], note["aggregate_type"]) for note in notes] == [
        (kind, "Initial Snapshot") for kind in ("STARTED", "IN_PROGRESS", "TABLE_SCAN_COMPLETED", "IN_PROGRESS",
                                                "TABLE_SCAN_COMPLETED", "COMPLETED")]
    assert notes[0]["additional_data"] == notes[-1]["additional_data"] == {"connector_name": r.prefix}
    assert notes[1]["additional_data"] == {"current_collection_in_progress": f"{r.database}.z1", "connector_name": r.prefix,
                                           "data_collections": f"{r.database}.z1,{r.database}.a"}
    assert notes[4]["additional_data"] == {"scanned_collection": f"{r.database}.a", "connector_name": r.prefix,
                                           "total_rows_scanned": "2", "data_collections": f"{r.database}.a", "status": "SUCCEEDED"}
    assert len({note["id"] for note in notes}) == len(notes)
    r.program.stop()
    r.start()
    wait_for(lambda: [json.loads(record.value)["type"] for record in r.read(f"{r.prefix}.notes")][-1] == "SKIPPED",
             what="SKIPPED to be told")


def test_a_table_that_is_altered_before_its_turn_and_one_that_goes(run):
    r = run(snapshot_delay_ms=3000, skipped_operations="none")
    r.sql("CREATE TABLE a (id INT PRIMARY KEY, v INT); INSERT INTO a VALUES (1,1);"
          "CREATE TABLE b (id INT PRIMARY KEY); INSERT INTO b VALUES (1);"
          "CREATE TABLE c (v INT); INSERT INTO c VALUES (1),(2)")
    r.start()
    assert r.state()["snapshot"] == "INITIAL"
    assert [table["table"] for table in r.progress()["tables"]] == ["a", "b", "c"]
    r.sql("ALTER TABLE a ADD w INT DEFAULT 9; DROP TABLE b; ALTER TABLE c ADD id INT AUTO_INCREMENT PRIMARY KEY;"
          "UPDATE c SET v = 7 WHERE id = 2")
    wait_done(r)
    assert r.rows("a") == [{"id": 1, "v": 1, "w": 9}]
    assert r.rows("b") == [] and "if it was renamed" in r.program.log_text()
    assert sorted(row["v"] for row in r.table("c").values()) == [1, 7]


def test_a_view_is_of_the_table_that_had_the_name_at_its_place(run, mysql, new_proxy):
    """Another one is about to take it when the view is there and its rows are not yet asked for."""
    wire = new_proxy((mysql.host, mysql.port))
    r = run(database_hostname=wire.host, database_port=wire.port, database_ssl_mode="disabled")
    r.sql("CREATE TABLE bag (v INT); INSERT INTO bag VALUES (1), (1); CREATE TABLE other (v INT); INSERT INTO other VALUES (2)")
    swap = threading.Thread(target=r.sql, args=("RENAME TABLE bag TO old, other TO bag; INSERT INTO bag VALUES (3)",))

    def begin_swap():
        swap.start()
        swap.join(0.5)

    wire.before = (b"SELECT TABLE_ROWS FROM information_schema.TABLES", begin_swap)
    r.start()
    wait_done(r)
    swap.join(30)
    assert [row["v"] for row in r.wait_rows("bag", 1, op="c")] == [3]
    assert [row["v"] for row in r.rows("bag")] == [1, 1]


# ---- beside writers, over kills

class Writer:
    """Changes rows of three tables until it is told to stop: one with a key, one whose key chunks can't follow, one without."""

    def __init__(self, r, seed):
        self.r, self.random, self.is_told = r, random.Random(seed), threading.Event()
        self.error = None
        self.thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self.thread.start()

    def __exit__(self, kind, value, trace):
        self.is_told.set()
        self.thread.join(30)
        if kind is None:
            assert not self.thread.is_alive() and self.error is None, self.error

    def _run(self):
        try:
            connection = self.r.mysql.connect(database=self.r.database, autocommit=True)
            cursor = connection.cursor()
            while not self.is_told.wait(0.002):
                self._change(cursor)
            connection.close()
        except Exception as error:  # told at the end
            self.error = error

    def _change(self, cursor):
        id, v = self.random.randrange(1, 9000), self.random.randrange(1000)
        table = self.random.choice(("a_keyed", "b_prefix", "c_bag"))
        name = f"name {id % 2000:05}" if table == "b_prefix" else id
        column = "name" if table == "b_prefix" else "id"
        kind = self.random.choice(("insert", "update", "delete", "rekey"))
        if kind == "insert":
            verb = "INSERT" if table == "c_bag" else "REPLACE"
            cursor.execute(f"{verb} INTO {table} VALUES (%s, %s)", (name, v))
        elif kind == "update":
            cursor.execute(f"UPDATE {table} SET v = %s WHERE {column} = %s LIMIT 1", (v, name))
        elif kind == "delete":
            cursor.execute(f"DELETE FROM {table} WHERE {column} = %s LIMIT 1", (name,))
        elif table != "b_prefix":
            cursor.execute(f"UPDATE IGNORE {table} SET id = %s WHERE id = %s LIMIT 1", (self.random.randrange(1, 9000), id))


def make_tables(r):
    r.sql("CREATE TABLE a_keyed (id INT PRIMARY KEY, v INT); CREATE TABLE c_bag (id INT, v INT);"
          "CREATE TABLE b_prefix (name TEXT NOT NULL, v INT, PRIMARY KEY (name(12)))")
    r.fill("a_keyed", ((i, 0) for i in range(1, 8001)))
    r.fill("b_prefix", ((f"name {i:05}", 0) for i in range(2000)))
    r.fill("c_bag", ((i % 500, i % 3) for i in range(2000)))


def assert_equal_to_the_source(r):
    r.sql("INSERT INTO a_keyed VALUES (99999, 1)")
    r.wait_rows_with(lambda row: row["id"] == 99999, "a_keyed")
    for table in ("a_keyed", "b_prefix"):
        assert bag(r.table(table).values()) == bag(source_rows(r, table)), table
    assert told_bag(r, "c_bag") == bag(source_rows(r, "c_bag"))


def snapshot_beside_a_writer(r, seed):
    make_tables(r)
    with Writer(r, seed):
        r.start()
        wait_done(r)
    assert_equal_to_the_source(r)
    assert len(r.rows("a_keyed")) > 4000


@pytest.mark.parametrize("threads", [1, 3])
def test_topics_end_equal_to_tables_that_change_meanwhile(run, threads):
    snapshot_beside_a_writer(run(incremental_snapshot_chunk_size=100, snapshot_max_threads=threads), threads)


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("broken", ["no-mute", "no-halt"])
def test_each_step_of_a_view_that_is_left_out_is_noticed(run, names, broken):
    for seed in range(20):
        own = type(names)(database=f"{names.database}_{seed}", prefix=f"{names.prefix}_{seed}", short=names.short)
        r = run(env={"TIDEMARK_BREAK": broken}, names=own, incremental_snapshot_chunk_size=100, snapshot_max_threads=3)
        try:
            snapshot_beside_a_writer(r, seed)
        except AssertionError:
            return
        r.program.stop()
    pytest.fail(f"nothing was noticed without {broken}")


def test_killed_amid_a_table_goes_on_behind_the_last_finished_chunk(run):
    r = run(incremental_snapshot_chunk_size=200, tidemark_snapshot_rows_per_second=1000)
    make_tables(r)
    with Writer(r, 7):
        r.start()
        r.wait_rows("a_keyed", 1000)
        r.program.kill()
        state = r.state()
        assert state["snapshot"] == "INITIAL" and not any(name.startswith("incremental_snapshot") for name in state)
        done = r.progress()["tables"][0]["done"][0]
        assert done >= 800
        r.program.write(tidemark_snapshot_rows_per_second=None)
        r.start()
        wait_done(r)
    assert_equal_to_the_source(r)
    read = ids(r.rows("a_keyed"))
    assert max(Counter(read).values()) == 1, "a chunk was read twice"
    assert read == sorted(read)
    assert marks(r, "a_keyed").count("first") == 1
    assert f'"done":[{done}]' in json.dumps(state).replace("\\", "")


def test_killed_amid_a_table_without_a_key_says_that_rows_come_twice(run):
    r = run(incremental_snapshot_chunk_size=50, tidemark_snapshot_rows_per_second=100)
    r.sql("CREATE TABLE bag (v INT)")
    r.fill("bag", ((i,) for i in range(600)))
    r.start()
    r.wait_rows("bag", 100)
    r.sql("INSERT INTO bag VALUES (1000)")
    r.program.kill()
    r.program.write(tidemark_snapshot_rows_per_second=None)
    r.start()
    wait_done(r)
    r.program.wait_for_log("bag: its reading broke off after .* rows come twice")
    assert Counter(row["v"] for row in r.rows("bag")[-601:]) == Counter([*range(600), 1000])
    r.sql("DELETE FROM bag WHERE v = 5")
    assert [row["v"] for row in r.wait_rows("bag", 1, op="d")] == [5]


def test_pause_and_resume_but_not_stop(run):
    r = run(incremental_snapshot_chunk_size=100, tidemark_snapshot_rows_per_second=2000)
    r.sql("CREATE TABLE gauge (id INT PRIMARY KEY, v INT)")
    r.fill("gauge", ((i, 0) for i in range(3000)))
    r.start()
    r.ask("pause-snapshot", "p")
    r.wait_outcome("p")
    r.ask("stop-snapshot", "s")
    r.wait_outcome("s")
    r.program.stop()
    r.start()
    assert r.state()["snapshot"] == "INITIAL" and len(r.rows("gauge")) < 3000
    r.ask("resume-snapshot", "q")
    wait_done(r)
    assert ids(r.rows("gauge")) == list(range(3000))


def test_killed_amid_a_table_goes_on_from_a_file_of_offsets(run):
    """Without transactions rows may come twice, but not those of chunks that are stored as done."""
    r = run(store="file", incremental_snapshot_chunk_size=200, tidemark_snapshot_rows_per_second=2000)
    make_tables(r)
    with Writer(r, 11):
        r.start()
        r.wait_rows("a_keyed", 1000)
        r.program.kill()
        done = r.progress()["tables"][0]["done"][0]
        assert r.state()["snapshot"] == "INITIAL" and done >= 400
        r.program.write(tidemark_snapshot_rows_per_second=None)
        r.start()
        wait_done(r)
    assert_equal_to_the_source(r)
    assert max(Counter(id for id in ids(r.rows("a_keyed")) if id <= done).values()) == 1, "a finished chunk was read again"


@pytest.mark.parametrize("threads", [1, 3])
def test_a_table_that_is_asked_for_as_well_is_read_by_each_in_turn(run, threads):
    r = run(snapshot_max_threads=threads, incremental_snapshot_chunk_size=50, snapshot_delay_ms=4000)
    r.sql("CREATE TABLE gauge (id INT PRIMARY KEY, v INT); CREATE TABLE bag (v INT); INSERT INTO bag VALUES (1),(1)")
    r.fill("gauge", ((i, 0) for i in range(600)))
    r.start()
    first = r.snapshot("gauge", wait=False)
    second = r.snapshot("gauge", "bag", wait=False, type="BLOCKING")
    r.sql("INSERT INTO bag VALUES (2); UPDATE gauge SET v = 1 WHERE id = 599")
    r.wait_outcome(first)
    r.wait_outcome(second)
    wait_done(r)
    read = [(value["source"]["snapshot"] == "incremental", value["after"]["id"])
            for _, value in r.records("gauge") if value and value["op"] == "r"]
    assert read == [(is_incremental, id) for is_incremental in (False, True, False) for id in range(600)]
    assert bag(r.table("gauge").values()) == bag(source_rows(r, "gauge"))
    assert [row["v"] for row in r.rows("bag")] == [1, 1, 2, 1, 1, 2]


@pytest.mark.parametrize("key", ["none", "prefix"])
def test_a_table_that_loses_its_key_before_its_turn(run, key):
    """Told of until then; whole from its first row on."""
    r = run(snapshot_delay_ms=4000)
    r.sql("CREATE TABLE gauge (name VARCHAR(30) NOT NULL PRIMARY KEY, v INT); INSERT INTO gauge VALUES ('a', 1), ('b', 1), ('c', 1)")
    r.start()
    r.sql("INSERT INTO gauge VALUES ('d', 1); UPDATE gauge SET v = 2 WHERE name = 'b'; DELETE FROM gauge WHERE name = 'c'")
    r.sql("ALTER TABLE gauge DROP PRIMARY KEY" + (", ADD PRIMARY KEY (name(20))" if key == "prefix" else ""))
    r.sql("INSERT INTO gauge VALUES ('e', 1); UPDATE gauge SET v = 3 WHERE name = 'd'; DELETE FROM gauge WHERE name = 'a'")
    wait_done(r)
    assert r.rows("gauge") == source_rows(r, "gauge")
    r.sql("INSERT INTO gauge VALUES ('f', 1); DELETE FROM gauge WHERE name = 'e'")
    r.wait_rows("gauge", 3, op="c")
    r.wait_rows("gauge", 3, op="d")
    has_warned = "gauge lost its key before its turn: what was told of it since the start is in its rows once more" in r.program.log_text()
    assert has_warned == (key == "none")
    if key == "prefix":
        assert bag(r.table("gauge").values()) == bag(source_rows(r, "gauge"))
    else:
        records = r.records("gauge")
        first = next(i for i, (_, value) in enumerate(records) if value and value["op"] == "r")
        held = Counter()
        for _, value in records[first:]:
            if value:
                held.update(bag([value["after"]]) if value["after"] else {})
                held.subtract(bag([value["before"]]) if value["before"] else {})
        assert +held == bag(source_rows(r, "gauge"))


def test_a_table_that_loses_its_key_amid_its_reading_is_read_whole(run):
    r = run(incremental_snapshot_chunk_size=50, tidemark_snapshot_rows_per_second=500)
    r.sql("CREATE TABLE gauge (id INT PRIMARY KEY, v INT)")
    r.fill("gauge", ((i, 0) for i in range(1000)))
    r.start()
    r.wait_rows("gauge", 100)
    r.sql("UPDATE gauge SET v = 1 WHERE id < 10; ALTER TABLE gauge DROP PRIMARY KEY; INSERT INTO gauge VALUES (5, 5)")
    wait_done(r)
    r.program.wait_for_log("gauge: its reading broke off after .* rows come twice")
    assert bag(r.rows("gauge")[-1001:]) == bag(source_rows(r, "gauge"))


def test_rows_that_come_by_one_statement_before_and_amid_the_reading(run, names):
    """LOAD DATA, CREATE ... SELECT, INSERT ... SELECT, TRUNCATE: of tables that wait and of one that is being read."""
    r = run(incremental_snapshot_chunk_size=50, tidemark_snapshot_rows_per_second=500, skipped_operations="none")
    for table in ("a", "b", "c"):
        r.sql(f"CREATE TABLE {table} (id INT PRIMARY KEY, v INT)")
        r.fill(table, ((i, 0) for i in range(600 if table == "a" else 20)))
    r.start()
    r.wait_rows("a", 100)
    file = f"{r.mysql.data}/{names.short}.txt"
    r.sql(f"SELECT id + 1000, 1 FROM a WHERE id < 100 INTO OUTFILE '{file}'; LOAD DATA INFILE '{file}' INTO TABLE a;"
          f"LOAD DATA INFILE '{file}' REPLACE INTO TABLE b; INSERT INTO a SELECT id + 2000, 2 FROM b; TRUNCATE b;"
          f"INSERT INTO b SELECT id + 1, 3 FROM c; TRUNCATE c; CREATE TABLE d (PRIMARY KEY (id)) AS SELECT * FROM a WHERE id < 30")
    wait_done(r)
    r.sql("INSERT INTO a VALUES (9999, 9)")
    r.wait_rows_with(lambda row: row["id"] == 9999, "a")
    for table in ("a", "b", "c", "d"):
        assert bag(r.table(table).values()) == bag(source_rows(r, table)), table


# ---- modes

def test_initial_only_ends_by_itself(run):
    r = run("initial_only")
    r.sql("CREATE TABLE gauge (id INT PRIMARY KEY); INSERT INTO gauge VALUES (1),(2)")
    r.program.start()
    r.program.wait_exit(code=0)
    assert ids(r.rows("gauge")) == [1, 2] and "snapshot" not in r.state()
    r.sql("INSERT INTO gauge VALUES (3)")
    r.program.start()
    r.program.wait_exit(code=0)
    assert ids(r.rows("gauge")) == [1, 2]


def test_when_needed_reads_all_again_after_a_purge(run, rough_mysql):
    r = run("when_needed", rough_mysql)
    r.sql("CREATE TABLE gauge (id INT PRIMARY KEY); INSERT INTO gauge VALUES (1),(2)")
    r.start()
    wait_done(r)
    r.ask("log", "l", message="here")
    r.wait_outcome("l")
    r.program.stop()
    r.sql("INSERT INTO gauge VALUES (3); FLUSH BINARY LOGS; INSERT INTO gauge VALUES (4)")
    rough_mysql.sql(f"PURGE BINARY LOGS TO '{rough_mysql.position()[0]}'")
    signal_offset = r.state()["tidemark_signal_offset"]
    r.program.start()
    r.program.wait_for_log("when_needed: a new snapshot is taken")
    r.wait_rows("gauge", 6)
    wait_done(r)
    assert ids(r.rows("gauge")) == [1, 2, 1, 2, 3, 4]
    assert "is purged" in r.program.log_text() or "was purged" in r.program.log_text()
    r.sql("INSERT INTO gauge VALUES (5)")
    assert ids(r.wait_rows("gauge", 1, op="c")) == [5]
    assert r.state()["tidemark_signal_offset"] == signal_offset
    r.program.stop()
    r.program.start()
    r.sql("INSERT INTO gauge VALUES (6)")
    assert ids(r.wait_rows("gauge", 2, op="c")) == [5, 6]
    assert len(r.rows("gauge")) == 6


def test_always_reads_all_at_every_start(run):
    r = run("always")
    r.sql("CREATE TABLE gauge (id INT PRIMARY KEY); INSERT INTO gauge VALUES (1),(2)")
    r.start()
    wait_done(r)
    r.program.stop()
    r.sql("INSERT INTO gauge VALUES (3)")
    r.program.start()
    r.wait_rows("gauge", 5)
    wait_done(r)
    assert ids(r.rows("gauge")) == [1, 2, 1, 2, 3] and r.rows("gauge", "c") == []


def test_recovery_goes_on_where_it_was_with_the_shapes_of_the_server(run, kafka):
    r = run("no_data", offset_storage="kafka")
    r.sql("CREATE TABLE gauge (id INT PRIMARY KEY); INSERT INTO gauge VALUES (1)")
    r.start()
    r.program.stop()
    kafka.delete_topic(f"{r.prefix}-offsets-shapes")
    r.sql("INSERT INTO gauge VALUES (2)")
    schemas = len(r.read(r.prefix))
    r.program.write(snapshot_mode="recovery")
    r.program.start()
    assert ids(r.wait_rows("gauge", 1, op="c")) == [2]
    assert r.rows("gauge") == []
    told = [json.loads(record.value) for record in r.read(r.prefix)[schemas:]]
    assert told[-1]["ddl"].startswith("CREATE TABLE `gauge`") and told[-1]["source"]["snapshot"] == "last"


def test_recovery_goes_on_after_a_change_of_columns_that_the_log_does_not_have(run):
    r = run("no_data")
    r.sql("CREATE TABLE gauge (id INT PRIMARY KEY, a INT, b VARCHAR(9))")
    r.start()
    r.sql("INSERT INTO gauge VALUES (1, 2, 'x'); SET sql_log_bin = 0; ALTER TABLE gauge DROP a, ADD c INT; SET sql_log_bin = 1;"
          "INSERT INTO gauge VALUES (2, 'y', 3)")
    r.program.wait_exit(code=6)
    assert "column 2 (a): the type is VARCHAR" in r.program.log_text() and "hint: it may have been altered with sql_log_bin=0" in \
        r.program.log_text()
    r.program.write(snapshot_mode="recovery")
    r.program.start()
    assert r.wait_rows("gauge", 2, op="c") == [{"id": 1, "a": 2, "b": "x"}, {"id": 2, "b": "y", "c": 3}]


def test_recovery_needs_a_position(run):
    r = run("recovery")
    r.program.start()
    r.program.wait_exit(code=6)
    assert "none is stored" in r.program.log_text() and "snapshot.mode=initial" in r.program.log_text()


def test_an_unfinished_snapshot_is_not_taken_for_complete(run):
    r = run(snapshot_delay_ms=60000)
    r.sql("CREATE TABLE gauge (id INT PRIMARY KEY); INSERT INTO gauge VALUES (1)")
    r.start()
    r.program.stop()
    exported = json.loads(r.program.run("offsets", "export", r.program))
    assert exported["offsets"][0]["offset"]["snapshot"] == "INITIAL"
    r.program.write(snapshot_mode="no_data")
    r.program.start()
    r.program.wait_exit(code=6)
    assert "an initial snapshot that did not end" in r.program.log_text()
    r.program.write(snapshot_mode="initial", snapshot_delay_ms=None)
    r.program.start()
    wait_done(r)
    assert ids(r.rows("gauge")) == [1]


@pytest.fixture
def stuck(run):
    """Ended by table b, which can't be read."""
    r = run(event_converting_failure_handling_mode="fail")
    r.sql("CREATE TABLE a (id INT PRIMARY KEY, d DATE); INSERT INTO a VALUES (1,'2024-01-01');"
          "CREATE TABLE b (id INT PRIMARY KEY, d DATE); SET sql_mode='ALLOW_INVALID_DATES'; INSERT INTO b VALUES (1,'2024-02-31')")
    r.program.start()
    r.program.wait_exit()
    assert f"read {r.database}.b for the initial snapshot" in r.program.log_text()
    assert r.state()["snapshot"] == "INITIAL" and [table["table"] for table in r.progress()["tables"]] == ["b"]
    return r


def test_a_table_that_cannot_be_read_can_be_left_out(stuck):
    stuck.program.write(snapshot_include_collection_list=rf"{stuck.database}\.a").start()
    wait_done(stuck)
    assert ids(stuck.rows("a")) == [1] and stuck.rows("b") == []


def test_a_table_that_cannot_be_read_ends_the_run_and_is_tried_again(stuck):
    r = stuck
    r.sql("DELETE FROM b; INSERT INTO b VALUES (2,'2024-02-28')")
    r.program.write(event_converting_failure_handling_mode=None)
    r.program.start()
    wait_done(r)
    assert ids(r.rows("a")) == [1] and ids(r.table("b").values()) == [2]  # the second may come by the stream


def test_without_gtids_it_is_refused_unless_allowed(run, plain_mysql):
    r = run(server=plain_mysql)
    r.sql("CREATE TABLE gauge (id INT PRIMARY KEY); INSERT INTO gauge VALUES (1)")
    r.program.start()
    r.program.wait_exit(code=3)
    assert "tidemark.snapshot.for.share" in r.program.log_text() and "gtid_mode=ON" in r.program.log_text()
    r.program.write(tidemark_snapshot_for_share=True)
    r.program.start()
    wait_done(r)
    assert ids(r.rows("gauge")) == [1]
