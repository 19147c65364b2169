#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_values: stores values in a MySQL server and writes down the bytes its binary log has for them.

  python3 tools/make_values.py SOCKET FOLDER     run from the root of the tree, as root of a scratch server (row format,
                                                 full images, no compression) whose logs lie in FOLDER (needs PyMySQL)

test/data/values       column definition, wire type, metadata, value bytes, the server's text of it
test/data/json         binary document, the server's text of it, 1 when it holds typed scalars (see jsonb_tidy_text)
test/data/json_diffs   document before, differences of a PARTIAL_UPDATE_ROWS event, the server's text of the document after
Fields are parted by tabs; bytes are hex; what repeats is folded, <<78*400>>. Text of floats is the exact double's; of BIT,
ENUM and SET the number; of texts and binary types the hex of their bytes.
"""
import random
import re
import struct
import sys

import pymysql

SEED = 20261130
TABLE_MAP, WRITE_ROWS, PARTIAL_UPDATE = 19, 30, 39

NUMBER, HEX, TEXT, DOUBLE = "cast({} as unsigned)", "hex({})", "{}", "{}+0e0"

COLUMNS = [  # definition, how its text is asked for, values as SQL
    ("tinyint", TEXT, ["0", "1", "-1", "127", "-128"]),
    ("tinyint unsigned", TEXT, ["0", "255"]),
    ("smallint", TEXT, ["0", "-1", "32767", "-32768"]),
    ("smallint unsigned", TEXT, ["65535"]),
    ("mediumint", TEXT, ["0", "1", "-1", "8388607", "-8388608"]),
    ("mediumint unsigned", TEXT, ["16777215"]),
    ("int", TEXT, ["0", "-1", "2147483647", "-2147483648"]),
    ("int unsigned", TEXT, ["4294967295"]),
    ("bigint", TEXT, ["0", "-1", "9223372036854775807", "-9223372036854775808"]),
    ("bigint unsigned", TEXT, ["0", "18446744073709551615"]),
    ("year", TEXT, ["0", "1901", "1970", "2155"]),
    ("float", DOUBLE, ["0", "-0e0", "0.1", "16777217", "3.402823466e38", "1.17549435e-38", "1.4e-45"]),
    ("double", DOUBLE, ["0", "-0e0", "0.1", "1e21", "1.7976931348623157e308", "5e-324", "-2.5"]),
    ("decimal(1,0)", TEXT, ["0", "9", "-9"]),
    ("decimal(1,1)", TEXT, ["0.9", "-0.9", "0"]),
    ("decimal(4,2)", TEXT, ["-0.01", "99.99", "5"]),
    ("decimal(9,0)", TEXT, ["999999999", "-1"]),
    ("decimal(10,2)", TEXT, ["5", "-1", "12345678.90", "-99999999.99", "0"]),
    ("decimal(18,9)", TEXT, ["0.000000001", "999999999.999999999", "-123456789.000000001"]),
    ("decimal(20,6)", TEXT, ["-12345678901234.567891"]),
    ("decimal(30,10)", TEXT, ["0.0000000001", "-123.45", "12345678901234567890.0987654321"]),
    ("decimal(65,0)", TEXT, ["repeat('9',65)", "-1", "0", "concat('-',repeat('1234567890',6))"]),
    ("decimal(65,30)", TEXT, ["concat(repeat('9',35),'.',repeat('9',30))", "concat('-0.',repeat('0',29),'1')"]),
    ("decimal(30,30)", TEXT, ["concat('0.',repeat('123456789',3),'123')"]),
    ("bit(1)", NUMBER, ["0", "1"]),
    ("bit(8)", NUMBER, ["165"]),
    ("bit(9)", NUMBER, ["257", "511"]),
    ("bit(33)", NUMBER, ["4294967297"]),
    ("bit(64)", NUMBER, ["0x8000000000000001", "0"]),
    ("date", TEXT, ["'2024-02-29'", "'1000-01-01'", "'9999-12-31'", "'0000-00-00'", "'2024-00-15'", "'2021-02-31'"]),
    ("time", TEXT, ["'00:00:00'", "'23:59:59'", "'-00:00:01'", "'838:59:59'", "'-838:59:59'"]),
    ("time(1)", TEXT, ["'12:13:14.5'", "'-00:00:00.1'", "'-01:00:00.9'"]),
    ("time(2)", TEXT, ["'-00:00:01.01'", "'-838:59:59.00'"]),
    ("time(3)", TEXT, ["'04:05:11.789'", "'-04:05:11.789'", "'-00:00:01.000'"]),
    ("time(4)", TEXT, ["'-23:00:00.0001'"]),
    ("time(5)", TEXT, ["'-00:00:00.00001'"]),
    ("time(6)", TEXT, ["'23:59:59.999999'", "'-00:00:00.000001'", "'-838:59:58.999999'", "'838:59:59.000000'"]),
    ("datetime", TEXT, ["'2026-08-04 09:50:22'", "'0000-00-00'", "'1000-01-01'", "'9999-12-31 23:59:59'", "'2024-05-00 01:02:03'"]),
    ("datetime(1)", TEXT, ["'2026-08-04 09:50:22.5'"]),
    ("datetime(2)", TEXT, ["'2026-08-04 09:50:22.12'"]),
    ("datetime(3)", TEXT, ["'2026-08-04 09:50:22.999'"]),
    ("datetime(4)", TEXT, ["'2026-08-04 09:50:22.0001'"]),
    ("datetime(5)", TEXT, ["'2026-08-04 09:50:22.00001'"]),
    ("datetime(6)", TEXT, ["'2026-08-04 09:50:22.000001'", "'9999-12-31 23:59:59.499999'"]),
    ("timestamp null", TEXT, ["'1970-01-01 00:00:01'", "'2038-01-19 03:14:07'", "'0000-00-00'"]),
    ("timestamp(1) null", TEXT, ["'2023-01-11 00:34:10.1'"]),
    ("timestamp(3) null", TEXT, ["'2023-01-11 00:34:10.000'", "'2023-01-11 00:34:10.012'"]),
    ("timestamp(6) null", TEXT, ["'2023-01-11 00:34:10.100000'", "'1970-01-01 00:00:01.000001'"]),
    ("char(8)", HEX, ["'a'", "'pad  '", "''", "'ünï'"]),
    ("char(100)", HEX, ["'a'", "repeat('é',100)"]),
    ("char(255)", HEX, ["repeat('z',255)"]),
    ("varchar(10) character set latin1", HEX, ["'café €'", "''", "'trail  '"]),
    ("varchar(300)", HEX, ["'a'", "repeat('b',300)"]),
    ("binary(4)", HEX, ["x'AB'", "x'00'", "x'01020304'", "''", "x'2020'"]),
    ("binary(255)", HEX, ["x'01'"]),
    ("varbinary(8)", HEX, ["x'0100'", "''"]),
    ("tinyblob", HEX, ["x'00'"]),
    ("blob", HEX, ["x'00ff'", "repeat('x',300)"]),
    ("mediumblob", HEX, ["repeat('y',66000)"]),
    ("longtext", HEX, ["'long'"]),
    ("enum('a','b','c')", NUMBER, ["'b'", "0"]),
    ("enum(" + ",".join(f"'m{i}'" for i in range(1, 301)) + ")", NUMBER, ["'m300'", "'m1'"]),
    ("set('a','b','c')", NUMBER, ["'c,a'", "''"]),
    ("set(" + ",".join(f"'m{i}'" for i in range(1, 21)) + ")", NUMBER, ["'m20,m1'"]),
    ("set(" + ",".join(f"'m{i}'" for i in range(1, 65)) + ")", NUMBER, ["'m64,m1'"]),
    ("geometry", HEX, ["st_geomfromtext('point(1 2)')", "st_geomfromtext('linestring(0 0,1 1)',4326)"]),
    ("vector(3)", HEX, ["string_to_vector('[1.5,-2,0.25]')"]),
]

DOCUMENTS = [
    "'null'", "'true'", "'false'", "'[]'", "'{}'", "'\"\"'", "'\"text\"'", "'0'", "'-1'", "'32768'", "'-32769'", "'65535'", "'65536'",
    "'2147483648'", "'-2147483649'", "'4294967295'", "'4294967296'", "'9223372036854775807'", "'-9223372036854775808'",
    "'18446744073709551615'", "'1.5'", "'1e1'", "'-0.0'", "'1e308'",
    r"""'{"b":1,"a":{"z":[1,2,{"q":null}],"y":true,"x":false},"long key":"v"}'""",
    r"""'[0,-1,127,128,-32768,32767,65535,2147483647,-2147483648,4294967295,9223372036854775807,1e0]'""",
    r"""'{"":"","a":"","A":1,"aa":2,"b":3,"é":4,"\\u0001":5}'""", r"""'[[[[[[]]]]]]'""",
    r"""'"quotes \\" backslash \\\\ slash \\/ \\n \\t \\b \\f \\r \\u0001 \\u001f \\u007f \\u2028 ünï 🐳"'""",
    "json_array(cast(1.50 as decimal(10,2)), cast(-0.05 as decimal(30,20)), cast(repeat('9',65) as decimal(65,0)))",
    "json_array(cast('12:13:14.5' as time(1)), cast('-838:59:59' as time), cast('-00:00:00.000001' as time(6)), cast('00:00:00' as time))",
    "json_array(timestamp'2015-01-15 23:24:25.12', cast('2015-01-15 23:24:25' as datetime), date'2015-01-15', timestamp'9999-12-31 23:59:59.999999')",
    "json_object('blob', x'0102', 'bit', b'101', 'long', repeat(unhex('ff'), 100), 'empty', x'')",
    "json_object('g', st_geomfromtext('point(1 2)'))", "json_array(true, null, 'base64:type15:AQI=')",
    "json_object('a', repeat('x', 127), 'b', repeat('y', 128), 'c', repeat('z', 20000))",
    "json_object('a', repeat('x', 70000), 'l', json_array(1, 70000, 4294967295, -70000, 1.5, null))",
    "cast(concat('[', repeat('1,', 30000), '2]') as json)",
    "cast(concat(repeat('[', 99), '0', repeat(']', 99)) as json)",
]


def folded(text, unit):
    """Repeats of a unit as <<unit*n>>."""
    return re.sub(unit, lambda m: f"<<{m[1]}*{len(m[0]) // len(m[1])}>>", text)


def hexed(data):
    """Hex, with its repeats of one and five bytes folded, or - for none."""
    text = data.hex()
    for digits, least in ((2, 16), (10, 16)):
        out, at = "", 0
        while at < len(text):
            unit, n = text[at:at + digits], 1
            while "<" not in unit and ">" not in unit and text.startswith(unit, at + n * digits):
                n += 1
            take = text.index(">>", at) + 2 - at if text.startswith("<<", at) else n * digits if n >= least else 2
            out += f"<<{unit}*{n}>>" if n >= least and take == n * digits else text[at:at + take]
            at += take
        text = out
    return text or "-"


class Server:
    def __init__(self, socket, folder):
        self.folder = folder
        self.cursor = pymysql.connect(unix_socket=socket, user="root", charset="utf8mb4", autocommit=True).cursor()
        for text in ("set sql_mode = 'ALLOW_INVALID_DATES'", "set time_zone = '+00:00'", "create database if not exists made_values",
                     "use made_values"):
            self.ask(text)

    def ask(self, text):
        self.cursor.execute(text)
        return self.cursor.fetchall()

    def events(self, text):
        """The events that a statement wrote: (type, body without checksum)."""
        file, start = self.ask("show binary log status")[0][:2]
        self.ask(text)
        with open(f"{self.folder}/{file}", "rb") as log:
            log.seek(start)
            data = log.read()
        at = 0
        while at < len(data):
            kind, length = struct.unpack("<xxxxBxxxxI", data[at:at + 13])
            yield kind, data[at + 19:at + length - 4]
            at += length


def table_map_type(body):
    """Wire type and metadata bytes of the only column."""
    at = 8
    for _ in range(2):
        at += body[at] + 2
    return body[at + 1], body[at + 3:at + 3 + body[at + 2]]


def values(server, out):
    for definition, how, literals in COLUMNS:
        server.ask("drop table if exists t")
        server.ask(f"create table t (c {definition})")
        for literal in literals:
            server.ask("delete from t")
            for kind, body in server.events(f"insert into t values ({literal})"):
                if kind == TABLE_MAP:
                    wire, meta = table_map_type(body)
                elif kind == WRITE_ROWS:
                    value = body[13:]  # id 6, flags 2, extra 2, width 1, present 1, null bits 1
            text = server.ask(f"select concat({how.format('c')}) from t")[0][0]
            if text and len(text) > 100 and re.fullmatch("[0-9A-F]*", text):
                text = hexed(bytes.fromhex(text))
            out.write(f"{definition}\t{wire}\t{meta.hex() or '-'}\t{hexed(value)}\t{text}\n")


def documents(server, out):
    rng = random.Random(SEED)
    doubles = [struct.unpack("<d", rng.randbytes(8))[0] for _ in range(60)]
    doubles += [rng.random() * 10.0**rng.randrange(-18, 18) for _ in range(60)] + [10.0**e for e in range(-17, 24)]
    doubles += [rng.randrange(10**6) / 10**rng.randrange(0, 12) for _ in range(40)]
    lists = [",".join(repr(x) + ("" if "e" in repr(x) else "e0") for x in doubles[i:i + 20] if x == x) for i in range(0, len(doubles), 20)]
    server.ask("drop table if exists t")
    server.ask("create table t (c json)")
    for literal in DOCUMENTS + [f"json_array({text})" for text in lists]:
        server.ask("delete from t")
        for kind, body in server.events(f"insert into t values ({literal})"):
            if kind == WRITE_ROWS:
                document = body[17:]
        text, typed = server.ask("select c, not (c <=> cast(cast(c as char) as json)) from t")[0]
        text = folded(folded(text, r"([xyz])\1{99,}"), r"(1, )(?:1, ){99,}")
        out.write(f"{hexed(document)}\t{text}\t{typed}\n")


def random_json(rng, depth=0):
    kind = rng.randrange(9 if depth < 3 else 6)
    if kind < 6:
        return ["null", "true", str(rng.randrange(-10**rng.randrange(1, 12), 10**rng.randrange(1, 12))), "1.25",
                '"' + "x" * rng.randrange(0, 200) + '"', '"é🐳"'][kind]
    inner = [random_json(rng, depth + 1) for _ in range(rng.randrange(4))]
    if kind < 8:
        return "{" + ",".join(f'"{rng.choice("abcdef") * rng.randrange(1, 4)}{i}": {x}' for i, x in enumerate(inner)) + "}"
    return "[" + ",".join(inner) + "]"


def random_path(rng, value, path="$"):
    """A path into a Python value, with its end one beyond at times."""
    import json
    while isinstance(value, (dict, list)) and (path == "$" or rng.random() < 0.7):
        if isinstance(value, dict):
            key = rng.choice(list(value) + ["new", "a b", "k\"q"])
            path, value = f"{path}.{json.dumps(key)}", value.get(key)
        else:
            at = rng.randrange(len(value) + 2)
            path, value = f"{path}[{at}]", value[at] if at < len(value) else None
    return path


def differences(server, out):
    import json
    rng = random.Random(SEED)
    server.ask("set binlog_row_value_options = 'PARTIAL_JSON'")
    server.ask("drop table if exists t")
    server.ask("create table t (c json)")
    made = 0
    while made < 80:
        server.ask("delete from t")
        root = '{"a": ' + random_json(rng) + ', "bb": [' + random_json(rng) + ", " + random_json(rng) + '], "pad": "' + "p" * 400 + '"}'
        if made == 79:
            root = root[:-1] + ', "wide": "' + "w" * 66000 + '"}'
        server.cursor.execute("insert into t values (%s)", (root,))
        for _ in range(4):
            value = json.loads(server.ask("select c from t")[0][0])
            calls = []
            for _ in range(rng.randrange(1, 4)):
                name = rng.choice(["json_set", "json_replace", "json_remove", "json_set", "json_set"])
                path = random_path(rng, value).replace("\\", "\\\\").replace("'", "''")
                if path == "$" and name == "json_remove":
                    continue
                new = "" if name == "json_remove" else ", cast('" + random_json(rng, 1) + "' as json)"
                calls.append((name, f"'{path}'{new}"))
            text = "c"
            for name, arguments in calls:
                text = f"{name}({text}, {arguments})"
            for kind, body in server.events(f"update t set c = {text}"):
                if kind != PARTIAL_UPDATE:
                    continue
                length = struct.unpack("<I", body[14:18])[0]  # id 6, flags 2, extra 2, width 1, present 2, null bits 1
                before, rest = body[18:18 + length], body[18 + length:]
                if rest[1] & 1:  # options, partial bits, null bits, u32, differences
                    after = server.ask("select c from t")[0][0]
                    after = folded(after, r"([pwx])\1{99,}")
                    out.write(f"{hexed(before)}\t{hexed(rest[7:])}\t{after}\n")
                    made += 1


def main():
    server = Server(sys.argv[1], sys.argv[2])
    version = server.ask("select version()")[0][0].split("-")[0]
    for name, make in (("values", values), ("json", documents), ("json_diffs", differences)):
        with open(f"test/data/{name}", "w", encoding="utf8") as out:
            out.write(f"# Made by tools/make_values.py from MySQL {version}, seed {SEED}.\n")
            make(server, out)
    server.ask("drop database made_values")


if __name__ == "__main__":
    main()
