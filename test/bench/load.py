# SPDX-License-Identifier: Apache-2.0
"""load: the tables of the measurements, and how they are filled: each load is transactions of many or of single rows."""
import json
import threading
import time

from pymysql.err import MySQLError

BATCH = 1000
MIXED_TABLES = 64

ORDERS = """
CREATE DATABASE IF NOT EXISTS bench;
CREATE TABLE IF NOT EXISTS bench.{table} (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, customer_id INT UNSIGNED NOT NULL,
  status ENUM('new', 'paid', 'shipped', 'done') NOT NULL, amount DECIMAL(12,2) NOT NULL, note VARCHAR(100),
  created DATETIME(3) NOT NULL, updated TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3), payload JSON, KEY (customer_id));
"""

INSERT = """
INSERT INTO bench.{table} (customer_id, status, amount, note, created, payload)
WITH RECURSIVE s (n) AS (SELECT %s UNION ALL SELECT n + 1 FROM s WHERE n < %s)
SELECT n %% 100000, 1 + n %% 4, (n * 37 %% 1000000) / 100, CONCAT('note for order number ', n, ' with some text'),
       '2026-01-01 00:00:00.123' + INTERVAL n SECOND,
       JSON_OBJECT('sku', CONCAT('SKU-', n %% 5000), 'qty', n %% 9, 'gift', n %% 2 = 0, 'tags', JSON_ARRAY('a', 'b', n))
FROM s
"""

ONE = ("INSERT INTO bench.orders (customer_id, status, amount, note, created, payload) "
       "VALUES (1, 'new', 1, 'the first', NOW(), '{}')")

# Single-row transactions, a tenth of them followed by a delete.
UPDATES = """
CREATE PROCEDURE bench.upd(n INT)
BEGIN
  DECLARE i INT DEFAULT 0;
  DECLARE b BIGINT DEFAULT 0;
  WHILE i < n DO
    SELECT MIN(id) INTO b FROM bench.orders WHERE id > b;
    UPDATE bench.orders SET status = 1 + (i % 4), amount = amount + 1, note = CONCAT('changed ', i) WHERE id = b;
    IF i % 10 = 9 THEN DELETE FROM bench.orders WHERE id = b; END IF;
    SET i = i + 1;
  END WHILE;
END
"""

# Single-row transactions at a steady rate, until somebody takes the lock. The server keeps the time: a client would cost more.
STEADY = """
CREATE PROCEDURE bench.steady(rate DOUBLE)
BEGIN
  DECLARE a BIGINT DEFAULT (SELECT MIN(id) FROM bench.orders);
  DECLARE span BIGINT DEFAULT (SELECT MAX(id) FROM bench.orders) - a + 1;
  DECLARE start DATETIME(6) DEFAULT SYSDATE(6);
  DECLARE early DOUBLE;
  DECLARE one BIGINT;
  SET @done = 0;
  WHILE IS_FREE_LOCK('bench.end') DO
    SET early = @done / rate - TIMESTAMPDIFF(MICROSECOND, start, SYSDATE(6)) / 1e6;
    IF early > 0 THEN DO SLEEP(early); END IF;
    SET one = a + FLOOR(RAND() * span); -- asked for within the UPDATE it would be another number for each row
    UPDATE bench.orders SET amount = amount + 1, note = CONCAT('load ', @done) WHERE id = one;
    SET @done = @done + 1, @seconds = TIMESTAMPDIFF(MICROSECOND, start, SYSDATE(6)) / 1e6;
  END WHILE;
END
"""

# Of a hundred columns: twenty of each of five types.
WIDE_TYPES = [("i", "INT", "n + {}"), ("v", "VARCHAR(40)", "CONCAT('text {} of row ', n)"), ("d", "DECIMAL(10,2)", "n / 100 + {}"),
              ("t", "DATETIME", "'2026-01-01' + INTERVAL n + {} MINUTE"), ("b", "BIGINT", "n * 1000003 + {}")]
WIDE_COLUMNS = [(f"{name}{i}", kind, value.format(i)) for i in range(20) for name, kind, value in WIDE_TYPES][:99]

WIDE = ("CREATE TABLE IF NOT EXISTS bench.wide (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, "
        + ", ".join(f"{name} {kind}" for name, kind, _ in WIDE_COLUMNS) + ")")

WIDE_INSERT = (f"INSERT INTO bench.wide ({', '.join(name for name, _, _ in WIDE_COLUMNS)}) "
               "WITH RECURSIVE s (n) AS (SELECT %s UNION ALL SELECT n + 1 FROM s WHERE n < %s) SELECT "
               + ", ".join(value for _, _, value in WIDE_COLUMNS) + " FROM s")

# Some ten kilobytes of JSON, of text with quotes and lines, and of bytes.
LARGE = ("CREATE TABLE IF NOT EXISTS bench.large (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, doc JSON, body TEXT, raw BLOB)")

LARGE_INSERT = """
INSERT INTO bench.large (doc, body, raw)
WITH RECURSIVE s (n) AS (SELECT %s UNION ALL SELECT n + 1 FROM s WHERE n < %s)
SELECT CAST(CONCAT('[', REPEAT(CONCAT('{{"sku": "SKU-', n, '", "qty": ', n %% 9, ', "price": 12.5, "gift": true}},'), 160), 'null]') AS JSON),
       REPEAT(CONCAT('line ', n, ' of a "quoted" text, with a break\\n'), 250), REPEAT(UNHEX(SHA2(n, 256)), 300)
FROM s
"""


PROBE = "CREATE TABLE bench.probe (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, at DATETIME(6))"
PROBE_ONE = "INSERT INTO bench.probe (at) VALUES (SYSDATE(6))"


def reset(mysql):
    """The empty table of orders, and nothing of earlier loads, neither tables nor log."""
    mysql.sql("DROP DATABASE IF EXISTS bench")
    mysql.sql(ORDERS.format(table="orders"))
    mysql.sql("FLUSH BINARY LOGS")
    mysql.sql("PURGE BINARY LOGS TO %s", (mysql.position()[0],))


def mixed_tables():
    return [f"mixed{i}" for i in range(MIXED_TABLES)]


def make_tables(mysql, tables):
    for table in tables:
        mysql.sql(ORDERS.format(table=table))


def _run(mysql, statement_of, rows, batch=BATCH):
    """So many rows, in transactions of `batch`; statement_of(i) is the i-th transaction's, with its first and last row."""
    connection = mysql.connect()
    with connection.cursor() as cursor:
        cursor.execute("SET SESSION cte_max_recursion_depth = 1000000")
        for i, first in enumerate(range(0, rows, batch)):
            cursor.execute(statement_of(i), (first, min(first + batch, rows) - 1))
            connection.commit()
    connection.close()


def insert(mysql, rows):
    statement = INSERT.format(table="orders")
    _run(mysql, lambda _: statement, rows)


def insert_mixed(mysql, rows):
    """Transactions of a hundred rows, each into the next table."""
    statements = [INSERT.format(table=table) for table in mixed_tables()]
    _run(mysql, lambda i: statements[i % MIXED_TABLES], rows, 100)


def insert_wide(mysql, rows):
    _run(mysql, lambda _: WIDE_INSERT, rows)


def insert_large(mysql, rows):
    statement = LARGE_INSERT.format()
    _run(mysql, lambda _: statement, rows, 100)


def update(mysql, transactions):
    mysql.sql("DROP PROCEDURE IF EXISTS bench.upd")
    connection = mysql.connect(database="bench")
    with connection.cursor() as cursor:
        cursor.execute(UPDATES)
        cursor.execute("SET autocommit = 1")
        cursor.execute("CALL bench.upd(%s)", (transactions,))
    connection.close()


class Steady(threading.Thread):
    """Single-row updates of bench.orders at so many a second, from `with` to its end; then `reached` is the rate."""

    def __init__(self, mysql, rate):
        super().__init__(daemon=True)
        self._mysql, self._rate, self.reached = mysql, rate, None
        mysql.sql("DROP PROCEDURE IF EXISTS bench.steady")
        mysql.sql(STEADY)
        self._connection = mysql.connect(database="bench")
        self._failed = None

    def __enter__(self):
        self.start()
        return self

    def run(self):
        try:
            with self._connection.cursor() as cursor:
                cursor.execute("CALL bench.steady(%s)", (self._rate,))
        except MySQLError as why:
            self._failed = why

    def __exit__(self, *_):
        with self._mysql.connect() as other, other.cursor() as cursor:
            cursor.execute("SELECT GET_LOCK('bench.end', 60)")
            self.join()
        if self._failed is not None:
            raise AssertionError(f"the steady load ended by itself: {self._failed}")
        with self._connection.cursor() as cursor:
            cursor.execute("SELECT @done / @seconds")
            self.reached = float(cursor.fetchone()[0])
        self._connection.close()


class Probes(threading.Thread):
    """Single inserts into bench.probe at so many a second, from `with` to its end; `sent` says when each began."""

    def __init__(self, mysql, rate):
        super().__init__(daemon=True)
        self._connection, self._rate, self._end = mysql.connect(), rate, threading.Event()
        self.sent, self._failed = {}, None  # id: time

    def __enter__(self):
        self.start()
        return self

    def run(self):
        start, n = time.time(), 0
        try:
            with self._connection.cursor() as cursor:
                while not self._end.wait(max(0, start + n / self._rate - time.time())):
                    now, n = time.time(), n + 1
                    cursor.execute(PROBE_ONE)
                    self.sent[cursor.lastrowid] = now
        except MySQLError as why:
            self._failed = why

    def __exit__(self, *_):
        self._end.set()
        self.join()
        self._connection.close()
        if self._failed is not None:
            raise AssertionError(f"the probes ended by themselves: {self._failed}")

    def lateness(self, seen, since, until):
        """Milliseconds from the start of each insert between the two moments to when its record was seen, {key: time}."""
        keys = {key: json.loads(key) for key in seen}
        at = {fields.get("payload", fields)["id"]: seen[key] for key, fields in keys.items()}
        missing = [id for id in self.sent if id not in at]
        if missing:
            raise AssertionError(f"{len(missing)} of {len(self.sent)} probes were not seen, the first of them {missing[0]}")
        return [(at[id] - when) * 1000 for id, when in self.sent.items() if since <= when <= until]
