# SPDX-License-Identifier: Apache-2.0
"""load: the table of the measurements, and transactions of many or of single rows."""

ORDERS = """
CREATE DATABASE IF NOT EXISTS bench;
CREATE TABLE IF NOT EXISTS bench.orders (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, customer_id INT UNSIGNED NOT NULL,
  status ENUM('new', 'paid', 'shipped', 'done') NOT NULL, amount DECIMAL(12,2) NOT NULL, note VARCHAR(100),
  created DATETIME(3) NOT NULL, updated TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3), payload JSON, KEY (customer_id));
"""

BATCH = 1000

INSERT = """
INSERT INTO bench.orders (customer_id, status, amount, note, created, payload)
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
  DECLARE b BIGINT;
  SELECT MIN(id) INTO b FROM bench.orders;
  WHILE i < n DO
    UPDATE bench.orders SET status = 1 + (i % 4), amount = amount + 1, note = CONCAT('changed ', i) WHERE id = b + i;
    IF i % 10 = 9 THEN DELETE FROM bench.orders WHERE id = b + i; END IF;
    SET i = i + 1;
  END WHILE;
END
"""


def make(mysql):
    mysql.sql(ORDERS)


def insert(mysql, rows):
    """So many rows, in transactions of BATCH."""
    connection = mysql.connect()
    with connection.cursor() as cursor:
        cursor.execute("SET SESSION cte_max_recursion_depth = 1000000")
        for first in range(0, rows, BATCH):
            cursor.execute(INSERT, (first, min(first + BATCH, rows) - 1))
            connection.commit()
    connection.close()


def update(mysql, transactions):
    mysql.sql("DROP PROCEDURE IF EXISTS bench.upd")
    connection = mysql.connect(database="bench")
    with connection.cursor() as cursor:
        cursor.execute(UPDATES)
        cursor.execute("SET autocommit = 1")
        cursor.execute("CALL bench.upd(%s)", (transactions,))
    connection.close()
