# SPDX-License-Identifier: Apache-2.0
"""mysql: a real MySQL server in the scratch folder, and replicas of it.

A data directory is initialised once on a machine and copied for each server; certificates come with it, each server gets a
server_uuid of its own. Settings are small, so that several run at once; a commit survives kill -9 of the server (not of the
machine). The superuser enters by the socket without a password; tidemark's user by TCP.
"""
import hashlib
import itertools
import os
import shutil
import subprocess

import pymysql
from pymysql.constants import CLIENT

from .process import Process
from .scratch import Unavailable, free_port, made_once

OPTIONS = {
    "bind-address": "127.0.0.1",
    "mysqlx": "OFF",
    "gtid-mode": "ON",
    "enforce-gtid-consistency": "ON",
    "secure-file-priv": "",
    "local-infile": "ON",
    "skip-name-resolve": "ON",
    "performance-schema": "OFF",
    "innodb-buffer-pool-size": "96M",
    "innodb-redo-log-capacity": "64M",
    "innodb-flush-log-at-trx-commit": "2",
    "sync-binlog": "0",
    "max-connections": "60",
    "table-open-cache": "400",
}

_server_ids = itertools.count(101)


class MySql(Process):
    """A server; options are mysqld's long options without dashes in front, and None takes a default away."""

    def __init__(self, scratch, name="mysql", options=None, general_log=False):
        if not shutil.which("mysqld"):
            raise Unavailable("there is no mysqld here (./dev in makes one available)")
        self.folder = scratch.folder(name)
        self.data = self.folder / "data"
        self.socket = self.folder / "data" / "s"
        self.port = free_port()
        self.host = "127.0.0.1"
        self.options = {**OPTIONS, "server-id": next(_server_ids), "log-bin": "binlog", **(options or {})}
        self.general_log = general_log
        self._copy_template()
        super().__init__(name, [], self.folder / "log", user="mysql")

    # ---- running

    def _copy_template(self):
        case = self.options.get("lower-case-table-names", 0)  # a data directory is made for one value of it
        template = made_once(f"mysql-{_template_key()}{f'-case-{case}' if case else ''}", lambda path: _make_template(path, case))
        subprocess.run(["cp", "-a", "--reflink=auto", template, self.data], check=True)
        if os.getuid() == 0:
            subprocess.run(["chown", "-R", "mysql:mysql", self.data], check=True)

    def start(self, wait=True, **options):
        """Starts the server, with options added to (or by None taken from) those it has."""
        self.options.update({key.replace("_", "-"): value for key, value in options.items()})
        given = [f"--{key}={value}" for key, value in self.options.items() if value is not None]
        self.command = ["mysqld", "--no-defaults", f"--datadir={self.data}", f"--socket={self.socket}",
                        f"--port={self.port}", f"--pid-file={self.data}/pid", *given]
        super().start()
        if wait:
            self.wait_ready()
            if self.general_log:
                self.sql("SET GLOBAL log_output = 'TABLE'; SET GLOBAL general_log = ON")
        return self

    def answers(self):
        try:
            self.connect().close()
            return True
        except pymysql.err.OperationalError:
            return False

    def restart(self, **options):
        self.stop(150)  # a replica waits a minute for the rest of a transaction that its source has not sent
        return self.start(**options)

    # ---- asking it

    def connect(self, user="root", password="", database=None, **settings):
        """A new connection through the socket: for a session of its own, or another user."""
        settings = {"autocommit": True, "charset": "utf8mb4", "client_flag": CLIENT.MULTI_STATEMENTS,
                    "unix_socket": str(self.socket), "local_infile": True, **settings}
        return pymysql.connect(user=user, password=password, database=database, **settings)

    def sql(self, statements, args=None, database=None):
        """Runs one or more statements as superuser; the rows of the last that has some, as tuples."""
        with self.connect(database=database) as connection, connection.cursor() as cursor:
            cursor.execute(statements, args)
            rows = cursor.fetchall()
            while cursor.nextset():
                rows = cursor.fetchall() or rows
            return list(rows)

    def one(self, query, args=None, database=None):
        """The first column of the first row."""
        return self.sql(query, args, database)[0][0]

    def dicts(self, query, args=None, database=None):
        """Rows as dictionaries."""
        with self.connect(database=database, cursorclass=pymysql.cursors.DictCursor) as connection:
            with connection.cursor() as cursor:
                cursor.execute(query, args)
                return list(cursor.fetchall())

    def many(self, statement, rows, database=None):
        """One statement for many rows, in one transaction."""
        with self.connect(database=database, autocommit=False) as connection, connection.cursor() as cursor:
            cursor.executemany(statement, rows)
            connection.commit()

    def create_user(self, name="tidemark", password="tide mark's \\ password",
                    grants="SELECT, REPLICATION SLAVE, REPLICATION CLIENT"):
        """The user tidemark connects as, with exactly these rights; on a replica, make it on the source."""
        self.user_name, self.user_password = self.make_user(name, password, grants)
        return self

    def make_user(self, name, password="another's password", grants="SELECT, REPLICATION SLAVE, REPLICATION CLIENT"):
        """Any other user; its name and password."""
        self.sql("CREATE USER IF NOT EXISTS %s@'%%' IDENTIFIED BY %s", (name, password))
        self.sql(f"GRANT {grants} ON *.* TO %s@'%%'", (name,))
        return name, password

    # ---- its log

    def gtid_executed(self):
        return self.one("SELECT @@global.gtid_executed").replace("\n", "")

    def server_uuid(self):
        return self.one("SELECT @@server_uuid")

    def binlogs(self):
        """(file, size) of each binary log."""
        return [(row[0], row[1]) for row in self.sql("SHOW BINARY LOGS")]

    def position(self):
        """(file, position) of the end of the binary log."""
        return self.sql("SHOW BINARY LOG STATUS")[0][:2]

    def statements(self, user=None):
        """(command, text) that clients sent since start, of all users or of one, where general_log is on."""
        where = "" if user is None else "WHERE user_host LIKE %s"
        rows = self.sql(f"SELECT command_type, argument FROM mysql.general_log {where} ORDER BY event_time",
                        None if user is None else (f"{user}[%",))
        return [(command, text.decode("utf-8", "surrogateescape")) for command, text in rows]

    # ---- replicas

    def make_replica(self, scratch, name="replica", options=None, workers=4, general_log=False):
        """A running replica by GTID position that nobody, not even the superuser, may write to."""
        self.sql("CREATE USER IF NOT EXISTS 'replication'@'%' IDENTIFIED BY 'replication';"
                 "GRANT REPLICATION SLAVE ON *.* TO 'replication'@'%'")
        replica = MySql(scratch, name, {"replica-parallel-workers": workers, "super-read-only": "ON",
                                        "skip-replica-start": "ON", **(options or {})}, general_log=False)
        replica.start()
        replica.sql("SET GLOBAL super_read_only = OFF;"
                    "CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = %s, SOURCE_USER = 'replication', "
                    "SOURCE_PASSWORD = 'replication', SOURCE_AUTO_POSITION = 1, GET_SOURCE_PUBLIC_KEY = 1, "
                    "SOURCE_CONNECT_RETRY = 1, SOURCE_RETRY_COUNT = 100000;"
                    "START REPLICA; SET GLOBAL super_read_only = ON", (self.port,))
        replica.options["skip-replica-start"] = "OFF"
        replica.source = self
        replica.user_name, replica.user_password = getattr(self, "user_name", None), getattr(self, "user_password", None)
        if general_log:
            replica.general_log = True
            replica.sql("SET GLOBAL log_output = 'TABLE'; SET GLOBAL general_log = ON")
        replica.wait_for_source()
        return replica

    def wait_for_source(self, timeout=60):
        """On a replica: until it has executed what its source has now."""
        late = self.one("SELECT WAIT_FOR_EXECUTED_GTID_SET(%s, %s)", (self.source.gtid_executed(), timeout))
        if late:
            status = self.dicts("SHOW REPLICA STATUS")[0]
            raise TimeoutError(f"{self.name} did not catch up in {timeout} s: "
                               f"{status['Last_IO_Error']} {status['Last_SQL_Error']}")


def _template_key():
    version = subprocess.run(["mysqld", "--no-defaults", "--version"], capture_output=True, text=True, check=True).stdout
    return hashlib.sha256((version + "1").encode()).hexdigest()[:12]


def _make_template(path, case):
    """Initialises a data directory, lets a server write its certificates there, stops it."""
    from .scratch import Scratch
    scratch = Scratch("template")
    try:
        folder = scratch.folder("t")
        data = folder / "data"
        data.mkdir()
        if os.getuid() == 0:
            shutil.chown(data, "mysql", "mysql")
        common = ["mysqld", "--no-defaults", f"--datadir={data}", f"--socket={data}/s", "--skip-networking", "--mysqlx=OFF",
                  "--secure-file-priv=", "--innodb-redo-log-capacity=8M", f"--lower-case-table-names={case}"]
        first = Process("mysqld --initialize", [*common, "--initialize-insecure"], folder / "log", user="mysql").start()
        if first.wait(300) != 0:
            raise Unavailable(f"mysqld could not initialise a data directory; {first.tail()}")
        second = Process("mysqld", [*common, "--skip-log-bin"], folder / "log", user="mysql").start()
        second.wait_for_log("ready for connections", 120)
        second.stop(120)
        (data / "auto.cnf").unlink()
        subprocess.run(["cp", "-a", data, path], check=True)
    finally:
        scratch.close()
