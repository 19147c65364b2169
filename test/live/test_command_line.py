# SPDX-License-Identifier: Apache-2.0
"""The commands beside `run`, against real servers: what they print, what they leave untouched, how they end."""
import json

from harness import Tidemark, wait_for


def make_table(mysql, names):
    mysql.sql(f"CREATE DATABASE {names.database}; CREATE TABLE {names.database}.t (id INT PRIMARY KEY, v VARCHAR(20))")


def show(program, code=0):
    return json.loads(program.run("offsets", "show", program, "--json", code=code))


def test_offsets_show_before_the_first_start_says_so_and_makes_no_topic(mysql, kafka, tidemark, names):
    program = tidemark(mysql, kafka)
    shown = show(program, code=1)
    assert shown["stored"] is None
    assert shown["server"]["server_uuid"] == mysql.server_uuid()
    assert shown["lag_bytes"] is None
    assert "none: nothing was stored under this name yet" in program.run("offsets", "show", program, code=1)
    assert f"{names.prefix}-offsets" not in kafka.topics()


def test_offsets_show_follows_the_stream_and_counts_the_lag_when_it_stopped(mysql, kafka, tidemark, names):
    make_table(mysql, names)
    program = tidemark(mysql, kafka, table_include_list=f"{names.database}\\.t")
    program.start()
    mysql_at = f"INSERT INTO {names.database}.t VALUES (%s, 'x')"
    wait_for(lambda: show(program, code=None)["stored"], 60, "a first position")
    mysql.sql(mysql_at, (1,))
    kafka.consume(f"{names.prefix}.{names.database}.t", until=1)

    def caught_up():
        shown = show(program)
        return shown if shown["lag_transactions"] == 0 and shown["lag_bytes"] == 0 else None
    shown = wait_for(caught_up, 60, "no lag")
    assert shown["name"] == shown["topic_prefix"] == names.prefix
    assert shown["stored"]["server_uuid"] == mysql.server_uuid()
    assert shown["stored"]["gtids"] == mysql.gtid_executed().replace("\n", "")
    assert program.is_running()  # looking fenced nobody
    program.stop()
    before = show(program)["stored"]["position"]
    for number in range(2, 5):
        mysql.sql(mysql_at, (number,))
    mysql.sql("FLUSH BINARY LOGS")
    shown = show(program)
    assert shown["stored"]["position"] == before
    assert shown["lag_transactions"] == 3
    assert shown["lag_bytes"] > 600
    assert "lag            " in program.run("offsets", "show", program)


def test_offsets_show_reads_the_file_of_a_running_instance(mysql, kafka, tidemark, names):
    make_table(mysql, names)
    program = tidemark(mysql, kafka, also={"offset.storage.file.filename": "offsets.json", "offset.storage.topic": None})
    program.start()
    shown = wait_for(lambda: show(program, code=None).get("stored"), 60, "a first position")
    assert shown["position"]["file"].startswith("binlog.")
    program.stop()


def test_offsets_show_without_server_or_brokers_ends_with_their_codes(mysql, kafka, tidemark):
    program = tidemark(mysql, kafka, database_port=1, connect_timeout_ms=2000)
    assert "can't be asked" in program.run("offsets", "show", program, code=3)
    program.write(**{"database.port": mysql.port, "bootstrap.servers": "127.0.0.1:1"})
    assert program.run("offsets", "show", program, code=4) == ""


def test_check_online_asks_both_servers(mysql, kafka, tidemark, names):
    program = tidemark(mysql, kafka)
    lines = program.run("check", program, "--online")
    assert "runs MySQL 9." in lines and "can be followed" in lines
    assert f"the brokers at {kafka.bootstrap} answer; the topic {names.prefix}-offsets will be made" in lines
    assert f"{names.prefix}-offsets" not in kafka.topics()
    kafka.create_topic(f"{names.prefix}-offsets")
    assert "cleanup.policy is delete" in program.run("check", program, "--online", code=4)
    program.write(**{"database.password": "wrong one", "bootstrap.servers": "127.0.0.1:1"})
    shown = json.loads(program.run("check", program, "--online", "--json", code=3))
    assert shown["ok"] and not shown["source"]["ok"] and not shown["kafka"]["ok"]
    assert "Access denied" in shown["source"]["text"] and "wrong one" not in json.dumps(shown)


def test_check_touches_nothing_and_names_what_is_wrong(scratch, tidemark):
    program = tidemark(properties={**Tidemark.base(Nowhere, Nowhere, "shop"), "colour": "blue"})
    assert "the configuration of shop is in order" in program.run("check", program)
    program.write(**{"database.port": "33o6"})
    assert program.run("check", program, code=2) == ""
    program.write(**{"snapshot.mode": "never"})
    program.run("run", program, code=2)


class Nowhere:
    """An address that is never connected to."""
    host, port, user_name, user_password, bootstrap = "db.invalid", 3306, "cdc", "pw", "kafka.invalid:9092"
