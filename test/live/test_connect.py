# SPDX-License-Identifier: Apache-2.0
"""Connections: kinds of login, kinds of encryption, and what is said where they don't fit (R068)."""
import pytest

PLAIN = {"key.converter.schemas.enable": False, "value.converter.schemas.enable": False}
LOGINS = {
    "long": "IDENTIFIED BY '" + "pässword " * 25 + "'",
    "plain": "IDENTIFIED BY 'secret-plain'",
    "empty": "IDENTIFIED BY ''",
    "ssl": "IDENTIFIED BY 'secret-ssl' REQUIRE SSL",
    "x509": "IDENTIFIED BY 'secret-x509' REQUIRE X509",
}


def password_of(login):
    return LOGINS[login].split("'")[1]


@pytest.fixture
def user(mysql, names, request):
    """A user of the kind of login that the test is about, and the test's database."""
    login = getattr(request, "param", "ssl")
    mysql.sql(f"CREATE DATABASE {names.database}; CREATE TABLE {names.database}.t (id INT PRIMARY KEY);"
              f"CREATE USER '{names.short}' {LOGINS[login]};"
              f"GRANT SELECT, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO '{names.short}'")
    yield {"database.user": names.short, "database.password": password_of(login)}
    mysql.sql(f"DROP USER '{names.short}'; DROP DATABASE {names.database}")


def assert_streams(program, mysql, kafka, names):
    program.start_ready()
    mysql.sql(f"INSERT INTO {names.database}.t VALUES (1)")
    kafka.consume(f"{names.prefix}.{names.database}.t", until=1)
    program.stop()


def client_pem(mysql, program):
    """The certificate and key that the server made for clients, in one file."""
    path = program.folder / "client.pem"
    path.write_text((mysql.data / "client-cert.pem").read_text() + (mysql.data / "client-key.pem").read_text())
    return path


@pytest.mark.parametrize("user", ["long", "empty", "ssl"], indirect=True)
@pytest.mark.parametrize("mode", ["preferred", "required"])
def test_logins_under_encryption(mysql, kafka, tidemark, names, user, mode):
    assert_streams(tidemark(mysql, kafka, database_include_list=names.database,
                            also={**PLAIN, **user, "database.ssl.mode": mode}), mysql, kafka, names)


@pytest.mark.parametrize("user", ["plain", "empty"], indirect=True)
def test_logins_without_encryption_also_the_first_time(mysql, kafka, tidemark, names, user):
    """The server's cache of logins is empty then, and the password goes under the server's public key."""
    mysql.sql("FLUSH PRIVILEGES")
    assert_streams(tidemark(mysql, kafka, database_include_list=names.database,
                            also={**PLAIN, **user, "database.ssl.mode": "disabled"}), mysql, kafka, names)


@pytest.mark.parametrize("user", ["x509"], indirect=True)
def test_a_client_certificate(mysql, kafka, tidemark, names, user):
    program = tidemark(mysql, kafka, database_include_list=names.database, also={**PLAIN, **user, "database.ssl.mode": "required"})
    program.start().wait_exit(code=3)
    program.write(database_ssl_keystore=client_pem(mysql, program))
    assert_streams(program, mysql, kafka, names)


def test_the_servers_certificate_is_verified(mysql, kafka, tidemark, names, user):
    program = tidemark(mysql, kafka, database_include_list=names.database, also={
        **PLAIN, **user, "database.ssl.mode": "verify_ca", "database.ssl.truststore": mysql.data / "ca.pem"})
    assert_streams(program, mysql, kafka, names)
    program.write(**{"database.ssl.mode": "verify_identity"}).start().wait_exit(code=3)
    assert "verify_identity" in program.log_text() or "certificate" in program.log_text(), program.log_text()
    program.write(**{"database.ssl.mode": "verify_ca", "database.ssl.truststore": str(client_pem(mysql, program))})
    program.start().wait_exit(code=3)
    assert "certificate" in program.log_text(), program.log_text()


def test_an_account_that_wants_encryption_says_so(mysql, kafka, tidemark, names, user):
    program = tidemark(mysql, kafka, database_include_list=names.database, also={**PLAIN, **user, "database.ssl.mode": "disabled"})
    program.start().wait_exit(code=3)
    assert names.short in program.log_text()


def test_a_wrong_password_ends_at_once_and_locks_nobody_out(mysql, kafka, tidemark, names, user):
    mysql.sql(f"ALTER USER '{names.short}' FAILED_LOGIN_ATTEMPTS 3 PASSWORD_LOCK_TIME 1")
    program = tidemark(mysql, kafka, database_include_list=names.database,
                       also={**PLAIN, **user, "database.password": "wrong-one"}).start()
    program.wait_exit(code=3)
    assert "Access denied" in program.log_text() and "wrong-one" not in program.log_text()
    program.write(database_password=password_of("ssl"))
    assert_streams(program, mysql, kafka, names)
