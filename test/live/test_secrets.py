# SPDX-License-Identifier: Apache-2.0
"""Secrets never stand in a log, an output or a list of processes, whatever fails."""
import json
import os

import pytest

from harness.replay import payload

SECRETS = {"database.password": "tide mark's \\ password", "database.ssl.truststore.password": "trust-me-not-9917",
           "database.ssl.keystore.password": "key-for-nobody-1234"}
PLAIN = {"key.converter.schemas.enable": False, "value.converter.schemas.enable": False}


def assert_hidden(text, *more):
    for secret in (*SECRETS.values(), *more):
        for form in (secret, secret.replace("\\", "\\\\"), json.dumps(secret)[1:-1], secret.replace("'", "\\'")):
            assert form not in text, f"{form} in {text}"


@pytest.mark.parametrize("form", ["text", "json"])
def test_no_secret_in_a_whole_life(mysql, kafka, tidemark, names, form):
    mysql.sql(f"CREATE DATABASE {names.database}; CREATE TABLE {names.database}.t (id INT PRIMARY KEY)")
    assert mysql.user_password == SECRETS["database.password"]
    program = tidemark(mysql, kafka, database_include_list=names.database, also={
        **PLAIN, "tidemark.log.level": "debug", "tidemark.log.format": form}).start_ready()
    mysql.sql(f"INSERT INTO {names.database}.t VALUES (1)")
    kafka.consume(f"{names.prefix}.{names.database}.t", until=1)
    with open(f"/proc/{program.pid}/cmdline") as file:
        assert_hidden(file.read())
    program.stop()
    assert_hidden(program.log_text())
    for line in program.log_text().splitlines() if form == "json" else ():
        json.loads(line)
    assert_hidden(program.run("check", program))
    for topic in kafka.topics():
        if topic.startswith(names.prefix):
            for record in kafka.consume(topic):
                assert_hidden((record.key or b"").decode() + (record.value or b"").decode())
    mysql.sql(f"DROP DATABASE {names.database}")


def test_no_secret_where_it_is_wrong(mysql, kafka, tidemark):
    """A refused login, a key file that does not open, a list of options that can't be read."""
    program = tidemark(mysql, kafka, also={"database.password": "not-the-right-one", "tidemark.log.level": "debug"}).start()
    program.wait_exit(code=3)
    assert_hidden(program.log_text(), "not-the-right-one")
    store = program.folder / "store.p12"
    store.write_bytes(b"no store at all")
    program.write(**{"database.password": SECRETS["database.password"], "database.ssl.mode": "verify_ca",
                     "database.ssl.truststore": store, "database.ssl.truststore.password": SECRETS["database.ssl.truststore.password"],
                     "database.ssl.keystore": store, "database.ssl.keystore.password": SECRETS["database.ssl.keystore.password"]})
    program.start().wait_exit()
    assert_hidden(program.log_text())
    program.write(**{"database.ssl.truststore": None, "database.ssl.keystore": None, "database.ssl.mode": "preferred",
                     "tombstones.on.delete": "perhaps"})
    program.start().wait_exit(code=2)
    assert_hidden(program.log_text())


def test_no_secret_of_kafka(mysql, kafka, tidemark):
    """A broker that does not answer as it should, and an unreadable login."""
    login = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="me" password="jaas-word-77";'
    program = tidemark(mysql, kafka, also={
        "producer.override.security.protocol": "SASL_PLAINTEXT", "producer.override.sasl.mechanism": "PLAIN",
        "producer.override.sasl.jaas.config": login, "producer.override.ssl.key.password": "ssl-word-78",
        "tidemark.log.level": "debug"}).start()
    program.wait_for_log(r"(?i)sasl")
    program.stop(code=None)
    assert_hidden(program.log_text(), "jaas-word-77", "ssl-word-78")
    program.write(producer_override_sasl_jaas_config=login[:-3]).start()
    program.wait_exit(code=2)
    assert_hidden(program.log_text(), "jaas-word-77", "ssl-word-78")


def test_secrets_from_the_environment_and_from_files(mysql, kafka, tidemark, names):
    mysql.sql(f"CREATE DATABASE {names.database}; CREATE TABLE {names.database}.t (id INT PRIMARY KEY)")
    program = tidemark(mysql, kafka, database_include_list=names.database, also={
        **PLAIN, "database.password": "${env:TIDEMARK_TEST_PASSWORD}", "tidemark.log.level": "debug"},
        env={"TIDEMARK_TEST_PASSWORD": SECRETS["database.password"]})
    topic = f"{names.prefix}.{names.database}.t"
    secrets = program.folder / "secrets.properties"
    secrets.write_text("pw=tide mark's \\\\ password\n")
    os.chmod(secrets, 0o600)
    for number, reference in enumerate(("${env:TIDEMARK_TEST_PASSWORD}", f"${{file:{secrets}:pw}}")):
        program.write(database_password=reference).start_ready()
        mysql.sql(f"INSERT INTO {names.database}.t VALUES ({number})")
        assert payload(kafka.consume(topic, until=number + 1)[-1].key)["id"] == number
        program.stop()
        assert_hidden(program.log_text())
    program.write(database_password="${env:TIDEMARK_NOT_SET}").start().wait_exit(code=2)
    assert "TIDEMARK_NOT_SET" in program.log_text() and "database.password" in program.log_text()
    mysql.sql(f"DROP DATABASE {names.database}")
