# SPDX-License-Identifier: Apache-2.0
"""load: the tables of the measurements, and how they are filled: each load is transactions of many or of single rows."""

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


def make(mysql):
    mysql.sql(ORDERS.format(table="orders"))


def mixed_tables():
    return [f"mixed{i}" for i in range(MIXED_TABLES)]


def make_tables(mysql, tables):
    for table in tables:
        mysql.sql(ORDERS.format(table=table))


def drop_tables(mysql, tables):
    mysql.sql("DROP TABLE IF EXISTS " + ", ".join(f"bench.{table}" for table in tables))


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
