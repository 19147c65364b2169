# SPDX-License-Identifier: Apache-2.0
"""What capture.py runs. Each scenario: what it shows, SQL (lines with 2> on a second connection), global settings
before and after, which event types are kept, how the dump is asked for."""
import struct

SERVER_OPTIONS = ["--server-id=11", "--log-bin=binlog", "--gtid-mode=ON", "--enforce-gtid-consistency=ON",
                  "--secure-file-priv=", "--innodb-buffer-pool-size=64M", "--max-allowed-packet=64M",
                  "--default-time-zone=+00:00"]

LOAD_FILE = "/tmp/tidemark-capture-load.txt"  # written and read by the server, removed by capture.py

ALL_TYPES = """CREATE TABLE shop.types (
 id INT PRIMARY KEY,
 t TINYINT, tu TINYINT UNSIGNED, s SMALLINT, su SMALLINT UNSIGNED, m MEDIUMINT, mu MEDIUMINT UNSIGNED,
 iu INT UNSIGNED, b BIGINT, bu BIGINT UNSIGNED, y YEAR,
 de DECIMAL(12,3), du DECIMAL(65,30), f FLOAT, d DOUBLE, bit1 BIT(1), bit13 BIT(13), bit64 BIT(64),
 c CHAR(5), c300 CHAR(200) CHARACTER SET utf8mb4, vc VARCHAR(40) CHARACTER SET latin1, vcl VARCHAR(300), bi BINARY(6),
 vb VARBINARY(9), tt TINYTEXT, tx TEXT CHARACTER SET sjis, mt MEDIUMTEXT, lt LONGTEXT, tb TINYBLOB, bl BLOB, mb MEDIUMBLOB, lb LONGBLOB,
 da DATE, ti TIME, ti3 TIME(3), ti6 TIME(6), dt DATETIME, dt6 DATETIME(6), ts TIMESTAMP NULL, ts2 TIMESTAMP(2) NULL,
 en ENUM('small','größer','x,y') CHARACTER SET latin1, se SET('a','b','ß') CHARACTER SET utf8mb4, js JSON, pt POINT, ge GEOMETRY,
 ve VECTOR(3), gv INT GENERATED ALWAYS AS (id + 1) VIRTUAL, gs VARCHAR(20) GENERATED ALWAYS AS (CONCAT('#', id)) STORED,
 hid INT INVISIBLE DEFAULT 9, nn VARCHAR(3) NOT NULL DEFAULT 'nn', deu DECIMAL(5,1) UNSIGNED, fu FLOAT UNSIGNED, UNIQUE KEY (nn(2), su),
 KEY multi ((CAST(js->'$.a' AS CHAR(10) ARRAY)))) CHARACTER SET utf8mb4"""

ROW_1 = """INSERT INTO shop.types (id,t,tu,s,su,m,mu,iu,b,bu,y,de,du,f,d,bit1,bit13,bit64,c,c300,vc,vcl,bi,vb,tt,tx,mt,lt,tb,bl,mb,lb,
 da,ti,ti3,ti6,dt,dt6,ts,ts2,en,se,js,pt,ge,ve) VALUES
 (1,-128,255,-32768,65535,-8388608,16777215,4294967295,-9223372036854775808,18446744073709551615,2155,-123456789.125,
 1.000000000000000000000000000001,1.5,-2.25,b'1',b'1010101010101',b'1000000000000000000000000000000000000000000000000000000000000001',
 'ab','größe','é','long',x'0102',x'00ff','tiny','テ','medium','long',x'01',x'0203',x'040506',x'07080900',
 '2026-11-30','-12:34:56','838:59:58.999','-00:00:00.000001','2026-11-30 17:33:11','2026-11-30 17:33:11.123456',
 '2026-11-30 17:33:11','2026-11-30 17:33:11.25','größer','a,ß','{"a": ["1", "x"]}',ST_GeomFromText('POINT(1 2)'),
 ST_GeomFromText('LINESTRING(0 0,1 1)',4326),TO_VECTOR('[1,2,3]'))"""

TYPES_SQL = ["CREATE DATABASE IF NOT EXISTS shop", "DROP TABLE IF EXISTS shop.types", ALL_TYPES,
             "SET timestamp=1796060000", ROW_1, "INSERT INTO shop.types (id) VALUES (2)",
             "UPDATE shop.types SET t=5, vcl=NULL, js=NULL WHERE id=1", "DELETE FROM shop.types"]

DOC = "{" + ", ".join(f'"k{i}": "value {i}"' for i in range(20)) + ', "n": {"a": [1, 2, 3]}}'

ORDERS = """CREATE TABLE bench.orders (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, customer_id INT UNSIGNED NOT NULL,
 status ENUM('new', 'paid', 'shipped', 'done') NOT NULL, amount DECIMAL(12,2) NOT NULL, note VARCHAR(100),
 created DATETIME(3) NOT NULL, updated TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3), payload JSON, KEY (customer_id)) AUTO_INCREMENT=1000000"""


def all_but_tagged(uuid, last):
    return struct.pack("<Q", 1) + uuid + struct.pack("<QQQ", 1, 1, last + 1)


SCENARIOS = {
    "types": {
        "what": "rows of all column types, MINIMAL metadata", "before": ["SET GLOBAL binlog_row_metadata=MINIMAL"],
        "sql": TYPES_SQL,
    },
    "types_full": {
        "what": "table map of all column types, FULL metadata", "before": ["SET GLOBAL binlog_row_metadata=FULL"],
        "sql": TYPES_SQL + [
            "CREATE TABLE shop.prefixed (a VARCHAR(30), b BLOB, c INT, PRIMARY KEY (b(7), a), KEY (c))",
            "INSERT INTO shop.prefixed VALUES ('a', 'b', 1)",
            "CREATE TABLE shop.keyless (a VARCHAR(30) CHARACTER SET latin1, b VARCHAR(3) CHARACTER SET latin1, "
            "c VARCHAR(3) COLLATE utf8mb4_bin, e1 ENUM('x') CHARACTER SET ascii, e2 SET('y') CHARACTER SET ascii, e3 ENUM('z') CHARACTER SET utf8mb4)",
            "INSERT INTO shop.keyless VALUES ('a', 'b', 'c', 'x', 'y', 'z')"],
        "after": ["SET GLOBAL binlog_row_metadata=MINIMAL"],
    },
    "compressed": {
        "what": "a transaction compressed by zstd, more than one rows event inside",
        "sql": ["CREATE DATABASE IF NOT EXISTS shop", "DROP TABLE IF EXISTS shop.zip",
                "CREATE TABLE shop.zip (id INT PRIMARY KEY, v VARCHAR(200))", "SET SESSION binlog_transaction_compression=ON",
                "SET SESSION cte_max_recursion_depth=100000",
                "INSERT INTO shop.zip WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<2000) SELECT i, REPEAT(CHAR(97+i%20), 100) FROM n",
                "BEGIN", "DELETE FROM shop.zip WHERE id<10", "UPDATE shop.zip SET v='short' WHERE id=11", "COMMIT"],
    },
    "tagged": {
        "what": "GTIDs with tags", "sql": [
            "CREATE DATABASE IF NOT EXISTS shop", "DROP TABLE IF EXISTS shop.tag", "CREATE TABLE shop.tag (id INT PRIMARY KEY)",
            "SET gtid_next='AUTOMATIC:abc'", "INSERT INTO shop.tag VALUES (1)",
            "SET gtid_next='3e11fa47-71ca-11e1-9e33-c80aa9429562:a_tag_with_many_letters_12345678:5000000000'", "INSERT INTO shop.tag VALUES (2)",
            "SET gtid_next='AUTOMATIC:abc'", "INSERT INTO shop.tag VALUES (3)", "SET gtid_next='AUTOMATIC'", "INSERT INTO shop.tag VALUES (4)"],
    },
    "previous_tagged": {
        "what": "PREVIOUS_GTIDS with tags (run after tagged)", "sql": ["DO 1"],
    },
    "partial_json": {
        "what": "updates of JSON under PARTIAL_JSON", "sql": [
            "CREATE DATABASE IF NOT EXISTS shop", "DROP TABLE IF EXISTS shop.doc",
            "CREATE TABLE shop.doc (id INT PRIMARY KEY, a JSON, n INT, b JSON, c JSON)",
            f"INSERT INTO shop.doc VALUES (1, '{DOC}', 1, '{DOC}', '[1]'), (2, '{DOC}', 2, NULL, '[2]')",
            "SET SESSION binlog_row_value_options=PARTIAL_JSON",
            "UPDATE shop.doc SET a=JSON_SET(a, '$.k3', 'other')",
            "UPDATE shop.doc SET a=JSON_REMOVE(a, '$.k4', '$.k5'), b=JSON_SET(b, '$.new', 1, '$.n.a[1]', 7) WHERE id=1",
            "UPDATE shop.doc SET n=9 WHERE id=1", "UPDATE shop.doc SET a='{}', b=NULL WHERE id=1"],
    },
    "xa": {
        "what": "XA in two phases, rolled back, in one phase", "sql": [
            "CREATE DATABASE IF NOT EXISTS shop", "DROP TABLE IF EXISTS shop.xa", "CREATE TABLE shop.xa (id INT PRIMARY KEY)",
            "XA START 'ab','q',7", "INSERT INTO shop.xa VALUES (1)", "XA END 'ab','q',7", "XA PREPARE 'ab','q',7", "XA COMMIT 'ab','q',7",
            "XA START 'cd'", "INSERT INTO shop.xa VALUES (2)", "XA END 'cd'", "XA PREPARE 'cd'", "XA ROLLBACK 'cd'",
            "XA START 'ef'", "INSERT INTO shop.xa VALUES (3)", "XA END 'ef'", "XA COMMIT 'ef' ONE PHASE"],
    },
    "statements": {
        "what": "QUERY events with many status variables, ROWS_QUERY", "sql": [
            "SET NAMES latin1", "SET timestamp=1796060000.25", "CREATE DATABASE `o d`", "USE `o d`", "SET sql_mode='ANSI_QUOTES'",
            "CREATE TABLE \"o d\".t (id INT AUTO_INCREMENT PRIMARY KEY, d DATETIME(6), u INT)", "SET foreign_key_checks=0",
            "ALTER TABLE t ADD COLUMN s VARCHAR(10)", "SET foreign_key_checks=1", "CREATE DATABASE pd", "CREATE TABLE pd.a (i INT)", "CREATE TABLE pd.b (i INT)",
            "DROP TABLE pd.a, \"o d\".t, pd.b", "SET binlog_rows_query_log_events=ON", "CREATE TABLE t (id INT PRIMARY KEY)",
            "INSERT INTO t VALUES /* gr\u00f6\u00dfe */ (1),(2)", "SET time_zone='+02:00'", "UPDATE t SET id=id+UNIX_TIMESTAMP(NOW())",
            "DROP DATABASE pd", "DROP DATABASE \"o d\""],
    },
    "statement_format": {
        "what": "row changes in statement format", "sql": [
            "CREATE DATABASE IF NOT EXISTS shop", "DROP TABLE IF EXISTS shop.st", "CREATE TABLE shop.st (id INT AUTO_INCREMENT PRIMARY KEY, r DOUBLE, u VARCHAR(20))",
            "SET SESSION binlog_format=STATEMENT", "SET @v='text'", "SET @w=-5", "SET @x=NULL", "SET @y=1.50",
            "INSERT INTO shop.st (r, u) VALUES (RAND(), CONCAT(@v, @w, IFNULL(@x, ''), @y))",
            f"SELECT 'a' INTO OUTFILE '{LOAD_FILE}'", f"LOAD DATA INFILE '{LOAD_FILE}' INTO TABLE shop.st (u)"],
    },
    "partitions": {
        "what": "rows of a partitioned table", "sql": [
            "CREATE DATABASE IF NOT EXISTS shop", "DROP TABLE IF EXISTS shop.part",
            "CREATE TABLE shop.part (id INT, v INT) PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (20))",
            "INSERT INTO shop.part VALUES (1, 1), (11, 2)", "UPDATE shop.part SET id=id+9 WHERE id=1", "DELETE FROM shop.part"],
    },
    "short_images": {
        "what": "MINIMAL and NOBLOB row images", "sql": [
            "CREATE DATABASE IF NOT EXISTS shop", "DROP TABLE IF EXISTS shop.short", "CREATE TABLE shop.short (id INT PRIMARY KEY, a INT, b VARCHAR(5), t TEXT)",
            "SET SESSION binlog_row_image=MINIMAL", "INSERT INTO shop.short (id, b) VALUES (1, 'x')", "UPDATE shop.short SET a=5", "DELETE FROM shop.short",
            "SET SESSION binlog_row_image=NOBLOB", "INSERT INTO shop.short VALUES (1, 1, 'x', 'text')", "UPDATE shop.short SET a=5", "DELETE FROM shop.short"],
    },
    "no_checksum": {
        "what": "a log without checksums, asked for with", "before": ["SET GLOBAL binlog_checksum=NONE"],
        "sql": ["CREATE DATABASE IF NOT EXISTS shop", "DROP TABLE IF EXISTS shop.nc", "CREATE TABLE shop.nc (id INT PRIMARY KEY)", "INSERT INTO shop.nc VALUES (1)"],
        "after": ["SET GLOBAL binlog_checksum=CRC32"],
    },
    "checksum_not_asked": {
        "what": "a log with checksums, asked for without", "checksum": "NONE", "sql": ["CREATE DATABASE IF NOT EXISTS shop"],
    },
    "large": {
        "what": "an event over 16 MiB", "keep": [4, 15, 19, 30], "sql": [
            "CREATE DATABASE IF NOT EXISTS shop", "DROP TABLE IF EXISTS shop.big", "CREATE TABLE shop.big (id INT PRIMARY KEY, b LONGBLOB)",
            "INSERT INTO shop.big VALUES (1, REPEAT('z', 17000000))"],
    },
    "heartbeat": {
        "what": "a skipped end, told by a heartbeat of the second kind",
        "executed": all_but_tagged, "sql": ["CREATE DATABASE IF NOT EXISTS shop"],
    },
    "heartbeat_v1": {
        "what": "a skipped end, told by a heartbeat of the first kind", "flags": 0,
        "executed": all_but_tagged, "sql": ["CREATE DATABASE IF NOT EXISTS shop"],
    },
    "orders": {
        "what": "a transaction of inserts, one of updates, one of deletes, on the table of the benchmarks", "sql": [
            "CREATE DATABASE IF NOT EXISTS bench", ORDERS,
            "INSERT INTO bench.orders (customer_id, status, amount, note, created, payload) WITH RECURSIVE s (n) AS (SELECT 0 "
            "UNION ALL SELECT n + 1 FROM s WHERE n < 59) SELECT 12345 + n, 1 + n % 4, (n * 37 % 1000000) / 100, "
            "CONCAT('note for order number ', 98765 + n, ' with some text'), '2026-01-01 00:00:00.123' + INTERVAL n SECOND, "
            "JSON_OBJECT('sku', CONCAT('SKU-', n % 5000), 'qty', n % 9, 'gift', n % 2 = 0, 'tags', JSON_ARRAY('a', 'b', n)) FROM s",
            "UPDATE bench.orders SET status = 1 + id % 4, amount = amount + 1, note = CONCAT('changed ', id)",
            "DELETE FROM bench.orders"],
    },
    "anonymous": {
        "what": "transactions without GTIDs",
        "before": ["SET GLOBAL gtid_mode=ON_PERMISSIVE", "SET GLOBAL gtid_mode=OFF_PERMISSIVE", "SET GLOBAL gtid_mode=OFF"],
        "sql": ["CREATE DATABASE IF NOT EXISTS shop", "DROP TABLE IF EXISTS shop.an", "CREATE TABLE shop.an (id INT PRIMARY KEY)", "INSERT INTO shop.an VALUES (1)"],
        "after": ["SET GLOBAL gtid_mode=OFF_PERMISSIVE", "SET GLOBAL gtid_mode=ON_PERMISSIVE", "SET GLOBAL gtid_mode=ON"],
    },
}
