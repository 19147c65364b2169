# SPDX-License-Identifier: Apache-2.0
"""The commands over the stored position, against real servers: each moves it where it says, a restart goes on exactly there;
what can't be is refused, a dry run changes nothing, and an instance that runs is left alone unless somebody wants it fenced.

docs/offsets.md shows these commands; each of them is run here.
"""
import json
import subprocess
import time

import pytest
from confluent_kafka.admin import AclBinding, AclOperation, AclPermissionType, ResourcePatternType, ResourceType

from harness import wait_for

PLAIN = {"key.converter.schemas.enable": False, "value.converter.schemas.enable": False}
FILE_STORE = {"offset.storage.file.filename": "offsets.json", "offset.storage.topic": None}


class Rows:
    """A table t(id, v), each row a transaction of its own; where the log stood behind each."""

    def __init__(self, mysql, names, kafka):
        self.mysql, self.kafka, self.database = mysql, kafka, names.database
        self.topic = f"{names.prefix}.{names.database}.t"
        self.places, self.gtids, self.times = {}, {}, {}
        mysql.sql(f"CREATE DATABASE {names.database}; CREATE TABLE {names.database}.t (id INT PRIMARY KEY, v VARCHAR(20))")

    def insert(self, *ids):
        for number in ids:
            self.mysql.sql(f"INSERT INTO {self.database}.t (id) VALUES (%s)", (number,))
            self.places[number], self.gtids[number] = self.mysql.position(), self.mysql.gtid_executed()

    def sql(self, text):
        self.mysql.sql(text, database=self.database)

    def told(self, count=None):
        """The ids as they were told, once there are so many (None: to the end)."""
        return [json.loads(record.value)["after"]["id"] for record in self.kafka.consume(self.topic, until=count) if record.value]


@pytest.fixture
def rows(mysql, kafka, names):
    yield Rows(mysql, names, kafka)
    mysql.sql(f"DROP DATABASE {names.database}")


@pytest.fixture
def follow(mysql, kafka, tidemark, names):
    """A program that follows the test's database."""
    def make(source=mysql, **more):
        return tidemark(source, kafka, database_include_list=names.database, also={**PLAIN, **more})
    return make


@pytest.fixture
def stopped(rows, follow):
    """Three rows were told, then it was stopped."""
    program = follow()
    program.start_ready()
    rows.insert(1, 2, 3)
    assert rows.told(3) == [1, 2, 3]
    program.stop()
    return program


def offsets(program, command, *arguments, code=0):
    return program.run("offsets", command, program, *arguments, code=code)


def offsets_json(program, command, *arguments):
    return json.loads(offsets(program, command, *arguments, "--json"))


def stored(program, code=None):
    return json.loads(program.run("offsets", "show", program, "--json", code=code))["stored"]


def refusal(program, command, *arguments, code=1):
    """What it says when it refuses; nothing goes to standard output."""
    done = subprocess.run([str(program.binary), "offsets", command, str(program.file), *map(str, arguments)],
                          capture_output=True, text=True, timeout=60, env=program.env, cwd=program.folder)
    assert done.returncode == code, done.stdout + done.stderr
    assert done.stdout == ""
    return done.stderr


# ---- set


def place(rows, how, number):
    """The options that go behind row `number`."""
    file, pos = rows.places[number]
    return {"gtid": ["--gtid", rows.gtids[number]], "position": ["--file", file, "--pos", pos],
            "equals": [f"--gtid={rows.gtids[number]}"]}[how]


@pytest.mark.parametrize("how", ["gtid", "equals", "position"])
def test_set_goes_on_exactly_there(rows, stopped, how):
    before = stored(stopped)
    changed = offsets_json(stopped, "set", *place(rows, how, 1))
    assert changed["is_stored"] and changed["before"]["gtids"] == before["gtids"]
    assert changed["after"]["gtids"] == rows.gtids[1]
    assert (changed["after"]["file"], changed["after"]["pos"]) == rows.places[1]
    assert json.loads(changed["after"]["tidemark_previous"])["gtids"] == before["gtids"]
    stopped.start_ready()
    assert rows.told(5) == [1, 2, 3, 2, 3]
    rows.insert(4)
    assert rows.told(6)[5:] == [4]
    stopped.stop()
    assert stored(stopped)["gtids"] == rows.mysql.gtid_executed()


def test_set_now_leaves_out_what_was_changed_meanwhile(rows, stopped):
    rows.insert(4, 5)
    assert "stored: the next start goes on there" in offsets(stopped, "set", "--now")
    stopped.start_ready()
    rows.insert(6)
    assert rows.told(4) == [1, 2, 3, 6]
    stopped.stop()
    assert stored(stopped)["gtids"] == rows.mysql.gtid_executed()


def test_set_to_a_time_begins_with_the_first_transaction_committed_then(rows, stopped):
    rows.sql("FLUSH BINARY LOGS")
    rows.insert(4)
    wait_for(lambda start=time.time(): time.time() > start + 1.1, what="another second")
    now = rows.mysql.one("SELECT CAST(UTC_TIMESTAMP(3) AS CHAR)").replace(" ", "T") + "Z"
    rows.sql("FLUSH BINARY LOGS")
    rows.insert(5, 6)
    changed = offsets_json(stopped, "set", "--timestamp", now)
    assert changed["after"]["gtids"] == rows.gtids[4]
    stopped.start_ready()
    assert rows.told(5) == [1, 2, 3, 5, 6]
    stopped.stop()
    assert "nothing was committed" in refusal(stopped, "set", "--timestamp", "2099-01-01T00:00:00+01:00")
    assert "begins only at" in refusal(stopped, "set", "--timestamp", "2001-01-01T00:00:00Z")
    assert "is no time such as" in refusal(stopped, "set", "--timestamp", "yesterday", code=2)


def test_set_before_the_first_start_is_where_it_begins(mysql, kafka, rows, follow):
    rows.insert(1, 2, 3)
    program = follow()
    assert offsets_json(program, "set", *place(rows, "gtid", 1))["before"] is None
    program.start_ready()
    assert rows.told(2) == [2, 3]
    program.stop()


def test_set_refuses_what_is_no_place_and_says_what_is_near(rows, stopped):
    file, pos = rows.places[2]
    end = rows.places[3][1]
    for inside in (pos + 1, pos + 79, end - 31):
        said = refusal(stopped, "set", "--file", file, "--pos", inside)
        assert f"begins at {pos} and ends at " in said and f"{end}; hint" in said, said
    assert "has no log file nothing.000001; its files go from" in refusal(stopped, "set", "--file", "nothing.000001", "--pos", 4)
    assert "the file goes from 4 to" in refusal(stopped, "set", "--file", file, "--pos", 999_999_999)
    uuid = rows.mysql.server_uuid()
    assert "has not executed" in refusal(stopped, "set", "--gtid", f"{uuid}:1-999999")
    for wrong in (["--gtid", "abc"], ["--file", file], ["--pos", "7"], [], ["--now", "--gtid", rows.gtids[1]],
                  ["--file", file, "--pos", "x"]):
        refusal(stopped, "set", *wrong, code=2)
    assert stored(stopped)["gtids"] == rows.gtids[3]


def test_set_refuses_what_is_purged_and_names_it(rough_mysql, kafka, names, tidemark):
    rows = Rows(rough_mysql, names, kafka)
    program = tidemark(rough_mysql, kafka, database_include_list=names.database, also=PLAIN)
    program.start_ready()
    rows.insert(1, 2)
    rows.sql("FLUSH BINARY LOGS")
    rows.insert(3)
    rows.told(3)
    program.stop()
    rough_mysql.sql(f"PURGE BINARY LOGS TO '{rough_mysql.binlogs()[-1][0]}'")
    said = refusal(program, "set", "--gtid", rows.gtids[1])
    assert "has purged from its log what the set leaves out" in said
    offsets(program, "set", "--gtid", rows.gtids[2])
    program.start_ready()
    assert rows.told(4) == [1, 2, 3, 3]
    program.stop()


def test_a_dry_run_changes_nothing(kafka, rows, stopped, follow, names):
    end = kafka.end_offsets(f"{names.prefix}-offsets")
    for command in (["set", *place(rows, "gtid", 1)], ["set", "--now"], ["reset"]):
        assert "dry run: nothing was changed" in offsets(stopped, *command, "--dry-run")
    assert not offsets_json(stopped, "set", "--now", "--dry-run")["is_stored"]
    assert kafka.end_offsets(f"{names.prefix}-offsets") == end
    other = follow(name=f"{names.prefix}-other", **{"offset.storage.topic": f"{names.prefix}-other-offsets"})
    offsets(other, "set", "--now", "--dry-run")
    assert f"{names.prefix}-other-offsets" not in kafka.topics()


# ---- while one runs


def test_a_running_instance_is_left_alone(rows, follow):
    program = follow()
    program.start_ready()
    rows.insert(1)
    rows.told(1)
    for command in (["set", "--now"], ["skip"], ["reset"], ["export"], ["import", "--from-topic", "nowhere"]):
        assert "an instance of" in wait_for(lambda command=command: refusal(program, *command), what="a refusal")
        assert "runs: the group tidemark-" in refusal(program, *command, "--dry-run")
    rows.insert(2)
    assert rows.told(2) == [1, 2]
    program.stop()
    offsets(program, "set", "--now")


def test_a_running_instance_is_fenced_when_that_is_wanted(rows, follow):
    program = follow()
    program.start_ready()
    rows.insert(1, 2)
    rows.told(2)
    offsets(program, "set", *place(rows, "gtid", 1), "--fence")
    rows.insert(3)
    assert program.wait_exit() == 5
    program.start_ready()
    assert rows.told(4)[2:] == [2, 3]
    program.stop()


def test_a_killed_instance_counts_until_its_session_ends(rows, follow):
    program = follow()
    program.start_ready()
    rows.insert(1)
    rows.told(1)
    wait_for(lambda: "runs: the group" in refusal(program, "set", "--now"), what="the instance to be seen")
    program.kill()
    wait_for(lambda: "stored" in program.run("offsets", "set", program, "--now", code=None), 30, "its session to end")


def test_without_the_right_to_the_group_its_user_has_to_say_that_none_runs(mysql, new_kafka, tidemark, names):
    broker = new_kafka({"authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                        "allow.everyone.if.no.acl.found": "true"})
    broker.admin().create_acls([AclBinding(ResourceType.GROUP, f"tidemark-{names.prefix}", ResourcePatternType.LITERAL, "User:*", "*",
                                           AclOperation.ALL, AclPermissionType.DENY)])
    rows = Rows(mysql, names, broker)
    program = tidemark(mysql, broker, database_include_list=names.database, also=PLAIN)
    program.start_ready()
    rows.insert(1, 2)
    rows.told(2)
    program.wait_for_log("other commands can't see that this instance runs", 60)
    program.stop()
    assert "can't be known without the right DESCRIBE on the group" in refusal(program, "set", "--now")
    offsets(program, "set", *place(rows, "gtid", 1), "--fence")
    program.start_ready()
    assert rows.told(3) == [1, 2, 2]
    program.stop()


def test_the_lock_of_the_file_store_is_final(rows, follow):
    program = follow(**FILE_STORE)
    program.start_ready()
    rows.insert(1, 2)
    rows.told(2)
    for more in ([], ["--fence"], ["--dry-run"]):
        assert "another tidemark uses this file" in refusal(program, "set", "--now", *more, code=5)
    program.stop()
    changed = offsets_json(program, "set", *place(rows, "position", 1))
    assert changed["stored_in"] == "file offsets.json" and changed["after"]["pos"] == rows.places[1][1]
    program.start_ready()
    assert rows.told(3) == [1, 2, 2]
    program.stop()


# ---- shapes at the new place


def test_a_rewind_reads_rows_by_the_shape_of_then(rows, stopped):
    rows.sql("ALTER TABLE t ADD w INT DEFAULT 7, DROP v")
    rows.insert(4)
    stopped.start_ready()
    rows.told(4)
    stopped.stop()
    offsets(stopped, "set", *place(rows, "gtid", 1))
    stopped.start_ready()
    records = rows.kafka.consume(rows.topic, until=7)[4:]
    stopped.stop()
    after = [json.loads(record.value)["after"] for record in records]
    assert after == [{"id": 2, "v": None}, {"id": 3, "v": None}, {"id": 4, "w": 7}]


def test_a_rewind_before_the_first_start_is_proven_or_refused(mysql, kafka, rows, follow):
    rows.insert(1)
    rows.sql("CREATE TABLE made (id INT PRIMARY KEY); INSERT INTO made VALUES (1)")
    rows.insert(2)
    program = follow()
    program.start_ready()
    rows.insert(3)
    rows.told(1)
    program.stop()
    offsets(program, "set", *place(rows, "gtid", 1))  # t was not named since; made was made since
    program.start_ready()
    assert rows.told(3) == [3, 2, 3]
    assert len(kafka.consume(f"{rows.topic[:-1]}made", until=1)) == 1
    program.stop()
    offsets(program, "reset")
    rows.sql("ALTER TABLE t ADD late INT")
    other = follow(**{"name": f"{program.properties['name']}-2"})
    other.start_ready()
    rows.insert(4)
    rows.told(4)
    other.stop()
    said = refusal(other, "set", *place(rows, "gtid", 2), code=6)
    assert f"the shape of {rows.database}.t is stored from" in said and "a statement changed the table" in said


# ---- skip


def test_skip_goes_behind_one_transaction_and_shows_it(rows, stopped):
    rows.sql("CREATE TABLE other (id INT PRIMARY KEY, v INT)")
    stopped.start_ready()
    wait_for(lambda: stored(stopped) and stored(stopped)["gtids"] == rows.mysql.gtid_executed(), 60, "the table to be passed")
    stopped.stop()
    rows.sql("START TRANSACTION; INSERT INTO t (id) VALUES (4), (5); UPDATE t SET v = 'x' WHERE id < 3; INSERT INTO other VALUES (1, 1); "
             "DELETE FROM t WHERE id = 5; COMMIT")
    rows.insert(6)
    would = offsets_json(stopped, "skip", "--dry-run")
    lines = offsets(stopped, "skip")
    skipped = would["skipped"]
    assert skipped["gtid"].startswith(rows.mysql.server_uuid()) and skipped["kind"] == "changes"
    assert [(t["table"], t["inserts"], t["updates"], t["deletes"], t["is_captured"]) for t in skipped["tables"]] == \
        [("t", 2, 2, 1, True), ("other", 1, 0, 0, True)]
    assert f"{rows.database}.t: 2 inserted, 2 updated, 1 deleted" in lines and skipped["gtid"] in lines
    stopped.start_ready()
    assert rows.told(4) == [1, 2, 3, 6]
    stopped.stop()
    assert stored(stopped)["gtids"] == rows.mysql.gtid_executed()
    assert "there is nothing to skip" in refusal(stopped, "skip")


def test_skip_of_a_statement_keeps_its_shape(rows, stopped):
    rows.sql("ALTER TABLE t ADD w INT DEFAULT 7")
    rows.insert(4)
    said = offsets(stopped, "skip")
    assert "ALTER TABLE t ADD w INT DEFAULT 7" in said and f"{rows.database}.t: stored as the statement left it" in said
    stopped.start_ready()
    assert json.loads(rows.kafka.consume(rows.topic, until=4)[3].value)["after"] == {"id": 4, "v": None, "w": 7}
    stopped.stop()


def test_skip_of_a_compressed_transaction_counts_its_rows(rows, stopped):
    rows.sql("SET SESSION binlog_transaction_compression = ON; INSERT INTO t (id) VALUES (4), (5)")
    rows.insert(6)
    skipped = offsets_json(stopped, "skip")["skipped"]
    assert [(t["table"], t["inserts"]) for t in skipped["tables"]] == [("t", 2)]
    stopped.start_ready()
    assert rows.told(4)[3:] == [6]
    stopped.stop()


def test_skip_passes_open_xa_transactions_and_skips_their_commit(rows, stopped):
    with rows.mysql.connect(database=rows.database) as session, session.cursor() as cursor:
        for statement in ("XA START 'a'", "INSERT INTO t (id) VALUES (10)", "XA END 'a'", "XA PREPARE 'a'"):
            cursor.execute(statement)
    stopped.start_ready()
    rows.insert(4)
    rows.told(4)
    stopped.stop()
    rows.insert(5)
    assert offsets_json(stopped, "skip")["skipped"]["tables"][0]["inserts"] == 1  # row 5, not the prepare
    rows.sql("XA COMMIT 'a'")
    changed = offsets_json(stopped, "skip")
    assert changed["skipped"]["kind"] == "xa commit"
    assert changed["after"]["gtids"] == rows.mysql.gtid_executed() and "tidemark_xa" not in changed["after"]
    stopped.start_ready()
    rows.insert(6)
    assert rows.told(5)[3:] == [4, 6]
    stopped.stop()


def test_set_keeps_xa_transactions_open_that_were_prepared_before(rows, stopped):
    with rows.mysql.connect(database=rows.database) as session, session.cursor() as cursor:
        for statement in ("XA START 'b'", "INSERT INTO t (id) VALUES (10)", "XA END 'b'", "XA PREPARE 'b'"):
            cursor.execute(statement)
    rows.insert(4)
    file, pos = rows.places[4]
    rows.sql("XA COMMIT 'b'")
    changed = offsets_json(stopped, "set", "--file", file, "--pos", pos)
    assert "X'62'" in changed["after"]["tidemark_xa"]
    stopped.start_ready()
    rows.insert(5)
    assert rows.told(5)[3:] == [10, 5]
    stopped.stop()
    assert stored(stopped)["gtids"] == rows.mysql.gtid_executed()


# ---- reset


def test_reset_makes_the_next_start_a_first_one(rows, stopped):
    said = offsets(stopped, "reset")
    assert "removed: the next start is a first one" in said and rows.gtids[3] in said
    assert stored(stopped) is None
    assert "nothing is stored under the name" in refusal(stopped, "reset")
    rows.insert(4)
    stopped.start_ready()
    assert "first start" in stopped.log_text()
    rows.insert(5)
    assert rows.told(4) == [1, 2, 3, 5]
    stopped.stop()


def test_only_the_last_record_of_the_position_counts(rows, stopped, kafka):
    topic, key = stopped.properties["offset.storage.topic"], f'["{stopped.properties["name"]}",{{"server":"{stopped.properties["topic.prefix"]}"}}]'
    records = [record.value for record in kafka.consume(topic, until=1) if record.value]
    kafka.produce(topic, "{}", key=key)
    assert "hint: tidemark offsets reset" in refusal(stopped, "show", code=6)
    assert "hint: tidemark offsets reset" in refusal(stopped, "set", "--now", code=6)
    kafka.produce(topic, records[-1], key=key)
    assert stored(stopped)["gtids"] == rows.gtids[3]
    stopped.start_ready()
    rows.insert(4)
    assert rows.told(4) == [1, 2, 3, 4]
    stopped.stop()
    kafka.produce(topic, "not json", key=key)
    assert "removed: the next start is a first one" in offsets(stopped, "reset")
    stopped.start_ready()
    rows.insert(5)
    assert rows.told(5) == [1, 2, 3, 4, 5]
    stopped.stop()


# ---- without GTIDs


def test_the_commands_without_gtids(plain_mysql, kafka, names, tidemark):
    rows = Rows(plain_mysql, names, kafka)
    program = tidemark(plain_mysql, kafka, database_include_list=names.database, also=PLAIN)
    program.start_ready()
    rows.insert(1, 2, 3)
    rows.told(3)
    program.stop()
    assert "gtid_mode is not ON" in refusal(program, "set", "--gtid", f"{plain_mysql.server_uuid()}:1")
    offsets(program, "set", *place(rows, "position", 1))
    assert offsets_json(program, "skip")["after"]["pos"] == rows.places[2][1]
    program.start_ready()
    assert rows.told(4) == [1, 2, 3, 3]
    program.stop()
    file, pos = rows.places[1]
    assert f"begins at {pos}" in refusal(program, "set", "--file", file, "--pos", pos + 1)
    rows.insert(4)
    offsets(program, "set", "--now")
    program.start_ready()
    rows.insert(5)
    assert rows.told(5)[4:] == [5]
    program.stop()


# ---- export and import


def test_what_was_exported_is_imported_again(kafka, rows, stopped, follow, names):
    offset = json.loads(offsets(stopped, "export"))["offsets"]
    assert offset[0]["partition"] == {"server": names.prefix}
    assert offset[0]["offset"]["gtids"] == rows.gtids[3] and not [key for key in offset[0]["offset"] if "tidemark" in key]
    kafka.create_topic(f"{names.prefix}-connect", partitions=5)
    offsets(stopped, "export", "--to", "offset.json", "--to-file-store", "offsets.dat", "--to-topic", f"{names.prefix}-connect",
            "--name", "inventory")
    assert json.loads((stopped.folder / "offset.json").read_text())["offsets"] == offset
    record = kafka.consume(f"{names.prefix}-connect", until=1)[0]
    assert record.key == f'["inventory",{{"server":"{names.prefix}"}}]'.encode() and json.loads(record.value) == offset[0]["offset"]
    rows.insert(4)
    for number, source in enumerate((["--from-path", stopped.folder / "offset.json"], ["--from-path", stopped.folder / "offsets.dat"],
                                     ["--from-topic", f"{names.prefix}-connect", "--name", "inventory"],
                                     ["--from-topic", f"{names.prefix}-connect"])):
        other = follow(**{"name": f"{names.prefix}-{number}"})
        changed = offsets_json(other, "import", *source)
        assert changed["after"]["gtids"] == rows.gtids[3]
        assert changed["after"]["tidemark_server_uuid"] == rows.mysql.server_uuid()
        other.start_ready()
        assert rows.told(4 + number)[3 + number:] == [4]
        other.stop()


def test_import_refuses_what_it_can_not_find(kafka, rows, stopped, follow, names):
    assert "there is no topic nowhere" in refusal(stopped, "import", "--from-topic", "nowhere")
    kafka.create_topic(f"{names.prefix}-connect")
    kafka.produce(f"{names.prefix}-connect", '{"file":"binlog.000001","pos":4}', key='["inventory",{"server":"other"}]')
    said = refusal(stopped, "import", "--from-topic", f"{names.prefix}-connect")
    assert "there are: inventory (topic.prefix other)" in said
    (stopped.folder / "odd").write_text("what?")
    assert "it is neither a file of Connect's" in refusal(stopped, "import", "--from-path", "odd", code=6)
    (stopped.folder / "initial").write_text(json.dumps({"file": "binlog.000001", "pos": 4, "snapshot": "INITIAL"}))
    assert "the initial snapshot" in refusal(stopped, "import", "--from-path", "initial", code=6)
    gone = {"file": "binlog.000001", "pos": 4, "gtids": "00000000-0000-0000-0000-000000000001:1-5"}
    (stopped.folder / "gone").write_text(json.dumps(gone))
    assert "has not executed 00000000" in refusal(stopped, "import", "--from-path", "gone")
    refusal(stopped, "import", code=2)
    assert stored(stopped)["gtids"] == rows.gtids[3]


# ---- a transaction told in part


def test_a_restart_inside_a_transaction_leaves_no_hole_in_the_gtids(mysql, kafka, follow, rows, new_proxy):
    wire = new_proxy((mysql.host, mysql.port))
    program = follow(**{"database.hostname": wire.host, "database.port": wire.port, "database.ssl.mode": "disabled"})
    program.start_ready()
    wire.bytes_per_second = 200_000
    mysql.many(f"INSERT INTO {rows.database}.t VALUES (%s, %s)", [(number, "x" * 20) for number in range(20_000)])
    kafka.consume(rows.topic, until=1000)
    program.kill()
    wire.bytes_per_second = None
    inside = stored(program)
    assert inside["event"] > 0
    assert "lies inside a transaction" in wait_for(
        lambda: (said := refusal(program, "export")) and "session" not in said and "runs" not in said and said, 30, "its session to end")
    program.start_ready()
    records = kafka.consume(rows.topic, until=20_000)
    assert all(json.loads(record.value)["source"]["gtid"] for record in records)
    program.stop()
    assert stored(program)["gtids"] == mysql.gtid_executed()
    assert rows.told() == list(range(20_000))
