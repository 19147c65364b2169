# SPDX-License-Identifier: Apache-2.0
"""Values that went wrong for users elsewhere, or came out otherwise from a snapshot than from the log: here a row that is read
by a first start is the row that is streamed, and both are what the table holds."""
import pytest

from snapshot_run import Run
from harness import wait_for

ZERO_DATES = ("SET sql_mode='';"
              "CREATE TABLE v (id INT PRIMARY KEY, dn DATE NULL, d DATE NOT NULL, tn DATETIME NULL, t DATETIME NOT NULL, "
              "sn TIMESTAMP NULL, s TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP)",
              "SET sql_mode='', time_zone='+00:00';"
              "INSERT INTO v VALUES (1,'0000-00-00','0000-00-00','0000-00-00 00:00:00','0000-00-00 00:00:00','0000-00-00 00:00:00',"
              "'0000-00-00 00:00:00'),(2,'2024-00-15','2024-05-00','0000-05-05 01:02:03','2024-01-01',NULL,'2024-01-01')",
              [{"id": 1, "dn": None, "d": 0, "tn": None, "t": 0, "sn": None, "s": "1970-01-01T00:00:00Z"},
               {"id": 2, "dn": None, "d": 0, "tn": None, "t": 1704067200000, "sn": None, "s": "2024-01-01T00:00:00Z"}])

TIMESTAMPS = ("CREATE TABLE v (id INT PRIMARY KEY, a TIMESTAMP NULL, b TIMESTAMP(3) NULL, c TIMESTAMP(6) NULL)",
              "SET time_zone='+05:30';"
              "INSERT INTO v VALUES (1,'2023-01-11 06:04:10','2023-01-11 06:04:10.000','2023-01-11 06:04:10.100000')",
              [{"id": 1, "a": "2023-01-11T00:34:10Z", "b": "2023-01-11T00:34:10.000Z", "c": "2023-01-11T00:34:10.100000Z"}])

CHARSETS = ("CREATE TABLE v (id INT PRIMARY KEY, l VARCHAR(20) CHARACTER SET latin1, g VARCHAR(20) CHARACTER SET gbk, "
            "u VARCHAR(20) CHARACTER SET utf16, m VARCHAR(20) CHARACTER SET utf8mb4, k TEXT CHARACTER SET sjis, "
            "b VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin)",
            "SET NAMES utf8mb4; INSERT INTO v VALUES (1,'café €','中文','ЖΩ','🌊','潮','bin')",
            [{"id": 1, "l": "café €", "g": "中文", "u": "ЖΩ", "m": "🌊", "k": "潮", "b": "bin"}])

BINARY = ("CREATE TABLE v (id BINARY(4) PRIMARY KEY, u BINARY(16), v VARBINARY(8), x BLOB)",
          "INSERT INTO v VALUES (x'AB', x'651AED08390F4893B2F136923E7B7400', x'0100', x'00')",
          [{"id": "qwAAAA==", "u": "ZRrtCDkPSJOy8TaSPnt0AA==", "v": "AQA=", "x": "AA=="}])
HEX = (*BINARY[:2], [{"id": "ab000000", "u": "651aed08390f4893b2f136923e7b7400", "v": "0100", "x": "00"}])

YEARS = ("CREATE TABLE v (id INT PRIMARY KEY, y YEAR, v VECTOR(3))",
         "INSERT INTO v VALUES (1,0000,STRING_TO_VECTOR('[1.5,-2,0.25]')),(2,1901,NULL),(3,2155,NULL),(4,NULL,NULL)",
         [{"id": 1, "y": 0, "v": [1.5, -2.0, 0.25]}, {"id": 2, "y": 1901, "v": None}, {"id": 3, "y": 2155, "v": None},
          {"id": 4, "y": None, "v": None}])

HIDDEN = ("CREATE TABLE v (id INT PRIMARY KEY, w INT INVISIBLE, secret INT INVISIBLE DEFAULT 3, v INT, "
          "g INT GENERATED ALWAYS AS (v*2) VIRTUAL, s INT GENERATED ALWAYS AS (v+1) STORED, KEY fx ((v*10)), "
          "KEY fd ((CAST(v AS CHAR(9))) DESC))",
          "INSERT INTO v (id,v) VALUES (1,5)", [{"id": 1, "w": None, "secret": 3, "v": 5, "g": 10, "s": 6}])

DOCUMENTS = ("CREATE TABLE v (id INT, doc JSON, w JSON)",  # without a key: read whole
             "INSERT INTO v VALUES (1, JSON_ARRAY(CAST('10:00:00.5' AS TIME(1)), x'0001'), '[\"10:00:00.500000\"]')",
             [{"id": 1, "doc": '["10:00:00.5","AAE="]', "w": '["10:00:00.500000"]'}])

CASES = {"R020-zero-dates": (ZERO_DATES, {}), "R022-timestamp-fraction-digits": (TIMESTAMPS, {}), "R023-old-charsets": (CHARSETS, {}),
         "R032-binary-bytes": (BINARY, {}), "R032-binary-base64": (BINARY, {"binary_handling_mode": "base64"}),
         "R032-binary-hex": (HEX, {"binary_handling_mode": "hex"}), "R035-year-zero-and-vector": (YEARS, {}),
         "R038-hidden-columns": (HIDDEN, {}), "documents": (DOCUMENTS, {})}


@pytest.mark.parametrize("name", CASES)
def test_read_and_streamed_alike(name, mysql, kafka, tidemark, names):
    (create, insert, rows), settings = CASES[name]
    r = Run(mysql, kafka, tidemark, names, start=False, snapshot_mode="initial", **settings)
    r.sql(create)
    r.sql(insert)
    r.start()
    assert r.wait_rows("v", len(rows)) == rows
    wait_for(lambda: "snapshot" not in r.state(), what="the end of the snapshot")
    r.sql("DELETE FROM v")
    r.sql(insert)
    assert r.wait_rows("v", len(rows), op="c") == rows
    read, streamed = (([key for key, value in r.records("v") if value and value["op"] == op]) for op in "rc")
    assert read == streamed
