# SPDX-License-Identifier: Apache-2.0
"""random_rows: rows of random values for any table, and what the server itself says of a row, held against a record.

`Table` knows the columns from information_schema. `put` writes one random row as the server takes it (IGNORE, no strict mode: what
does not fit is made fit) and returns the server's own texts of it; `difference` compares them with a record's after image. The
texts are those of the default modes, with replace.null.with.default off.
"""
import base64
import datetime
import json
import re
import struct

SAMPLES = {  # text that the charset has
    "armscii8": "Հայ", "ascii": "plain", "big5": "中文字", "cp1250": "žluť €", "cp1251": "Жук №", "cp1256": "سلام", "cp1257": "ąžuolas",
    "cp850": "é±ß", "cp852": "žluť", "cp866": "Жук ё", "cp932": "潮～①", "dec8": "é ÿ", "eucjpms": "潮①", "euckr": "한국어",
    "gb18030": "中文🌊", "gb2312": "中文", "gbk": "中文", "geostd8": "საქ", "greek": "Ωμέγα", "hebrew": "שלום", "hp8": "é ñ",
    "keybcs2": "žluť", "koi8r": "Жук", "koi8u": "Їжак", "latin1": "ž€™", "latin2": "žluť", "latin5": "ığş", "latin7": "ąžuolas",
    "macce": "žluť", "macroman": "éΩ∑", "sjis": "潮ｱ", "swe7": "ÅÄÖ", "tis620": "ไทย", "ucs2": "ЖΩ", "ujis": "潮騒", "utf16": "🌊Ж",
    "utf16le": "🌊Ж", "utf32": "🌊Ж", "utf8mb3": "Žß中", "utf8mb4": "🌊é",
}
INTEGERS = {"tinyint": 8, "smallint": 16, "mediumint": 24, "int": 32, "bigint": 64}
TEXTS = ("char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set")
BYTES = ("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob")
SHAPES = {
    "point": ["POINT(1 2)", "POINT(-0.5 45.25)"], "linestring": ["LINESTRING(0 0,1 1,2 -3.25)"], "polygon": ["POLYGON((0 0,4 0,4 4,0 0))"],
    "multipoint": ["MULTIPOINT(1 1,2 2)"], "multilinestring": ["MULTILINESTRING((0 0,1 1),(2 2,3 3))"],
    "multipolygon": ["MULTIPOLYGON(((0 0,4 0,4 4,0 0)))"], "geomcollection": ["GEOMETRYCOLLECTION(POINT(1 1))", "GEOMETRYCOLLECTION EMPTY"],
}
SHAPES["geometry"] = [text for texts in SHAPES.values() for text in texts]
EPOCH = datetime.datetime(1970, 1, 1)


def quoted(*names):
    return ".".join("`" + name.replace("`", "``") + "`" for name in names)


class Table:
    def __init__(self, session, database, table):
        self.session, self.database, self.table = session, database, table
        self.columns = self._dicts(
            "SELECT column_name AS name, data_type AS type, column_type AS whole, character_set_name AS charset, is_nullable = 'YES' AS is_null, "
            "column_default AS `default`, extra AS extra, numeric_precision AS prec, numeric_scale AS scale, datetime_precision AS fsp, srs_id AS srs_id, "
            "character_maximum_length AS length FROM information_schema.columns WHERE table_schema = %s AND table_name = %s "
            "ORDER BY ordinal_position", (database, table))
        self.name = quoted(database, table)
        self.written = [column for column in self.columns if "GENERATED" not in column["extra"].replace("DEFAULT_GENERATED", "")]

    def _dicts(self, query, args=None):
        with self.session.cursor() as cursor:
            cursor.execute(query, args)
            names = [part[0] for part in cursor.description]
            return [dict(zip(names, row)) for row in cursor.fetchall()]

    def execute(self, statement):
        with self.session.cursor() as cursor:
            return cursor.execute(statement)

    def put(self, random, where=""):
        """Writes a row; its texts, or None where the table takes none (a check, a key, an engine without rows)."""
        names = ", ".join(quoted(column["name"]) for column in self.written)
        values = ", ".join(literal(random, column) for column in self.written)
        if not self.execute(f"INSERT IGNORE INTO {self.name} ({names}) VALUES ({values})"):
            return None
        rows = self.rows(where)
        return rows[0] if len(rows) == 1 else None

    def rows(self, rest=""):
        """The server's texts of rows."""
        return self._dicts(f"SELECT {', '.join(f'{text_of(column)} AS {quoted(column['name'])}' for column in self.columns)} "
                           f"FROM {self.name} {rest}")

    def difference(self, texts, after):
        """What is wrong with the after image, or None."""
        if list(after) != [column["name"] for column in self.columns]:
            return f"columns {list(after)}, the server has {[column['name'] for column in self.columns]}"
        for column in self.columns:
            name = column["name"]
            if not is_same(column, texts[name], after[name]):
                return f"{name} {column['whole']} {column['charset'] or ''}: {after[name]!r} is told, the server says {texts[name]!r}"
        return None


# ---- values to write


def literal(random, column):
    """An SQL expression."""
    kind = column["type"]
    if column["is_null"] and random.random() < 0.15:
        return "NULL"
    if "auto_increment" in column["extra"]:  # a high number would be the last
        return random.choice(["DEFAULT", str(random.randint(1, 100))])
    if kind in INTEGERS:
        bits = INTEGERS[kind]
        return str(random.choice([random.randint(-9, 99), 2 ** bits - 1, 2 ** (bits - 1) - 1, -2 ** (bits - 1), random.getrandbits(bits)]))
    if kind == "decimal":
        digits = "".join(random.choice("0123456789") for _ in range(column["prec"]))
        scale = column["scale"]
        text = (digits[:len(digits) - scale] or "0") + ("." + digits[len(digits) - scale:] if scale else "")
        return random.choice(["", "-"]) + random.choice([text, text[:3].strip("."), "0"])
    if kind in ("float", "double"):
        return random.choice(["0", "1.1", "-2.5e-7", "1e22", "123456.789", "0.1", "3.4e37", "1.5", "-0.001", repr(random.uniform(-1e6, 1e6))])
    if kind == "bit":
        return str(random.getrandbits(column["prec"]))
    if kind in ("enum", "set"):
        return str(random.choice([1, 1, 2, 3, 0]))
    if kind in TEXTS:
        text = random.choice(["", "a", " a b  ", "it''s \\\\ \\\"q\\\"", "x" * random.randint(0, 40)]) + random.choice(["", SAMPLES.get(column["charset"], "")])
        return f"'{text}'"
    if kind in BYTES:
        return "x'" + bytes(random.choice([0, 0, 1, 32, 255, random.getrandbits(8)]) for _ in range(random.randint(0, 12))).hex() + "'"
    if kind == "vector":
        return f"STRING_TO_VECTOR('[{','.join(str(random.choice([0, 1.5, -2, 1e-10, 3.25])) for _ in range(min(3, column['length'] // 4 or 1)))}]')"
    if kind in SHAPES:
        return f"ST_GeomFromText('{random.choice(SHAPES[kind])}', {column['srs_id'] or 0})"
    if kind == "json":
        return "'" + json.dumps(document(random, 3)).replace("\\", "\\\\").replace("'", "''") + "'"
    day = random.choice(["2024-02-29", "1999-12-31", "1970-01-01", "0000-00-00", "2024-00-10", "9999-12-31", "0050-05-05", "1000-01-01", "2038-01-19"])
    time = random.choice(["00:00:00", "23:59:59.999999", "12:34:56.5", "01:02:03.004", "03:14:07"])
    if kind == "time":
        return f"'{random.choice(['', '-'])}{random.choice(['', '1', '83'])}{time}'" if time[0] == "0" else f"'{time}'"
    if kind == "year":
        return str(random.choice([0, 1901, 2155, 1999, 2024]))
    return f"'{day}'" if kind == "date" else f"'{day} {time}'"


def document(random, depth):
    """Any JSON value."""
    kind = random.randrange(9 if depth else 7)
    if kind == 7:
        return [document(random, depth - 1) for _ in range(random.randint(0, 4))]
    if kind == 8:
        return {random.choice(["a", "bb", "é", "key \"q\"", "潮", ""]): document(random, depth - 1) for _ in range(random.randint(0, 4))}
    return [None, True, False, random.randint(-70000, 70000), random.randint(-2 ** 63, 2 ** 64 - 1),
            random.choice([0.5, -1.25e-7, 1e22, 12345678.9, -0.0, 0.1]), random.choice(["", "text", "é🌊\n\"\\", "x" * 300])][kind]


# ---- what the server says


def text_of(column):
    name = quoted(column["name"])
    kind = column["type"]
    if kind in TEXTS:
        return f"HEX(CONVERT({name} USING utf8mb4))"
    if kind in BYTES or kind in SHAPES or kind in ("vector", "bit"):
        return f"HEX({name})"
    if kind in ("float", "double"):
        return f"CAST({name} AS DOUBLE)"
    return f"CAST({name} AS CHAR)"


def is_same(column, text, told):
    """Whether a field of a record says what the server says."""
    kind = column["type"]
    if text is None:
        return told is None
    if kind in INTEGERS or kind == "year":
        value = int(text)
        return told == (value - 2 ** 64 if value >= 2 ** 63 else value)
    if kind in ("float", "double"):
        return told is not None and (single(told) == single(text) if kind == "float" else float(told) == float(text))
    if kind in ("enum", "set"):  # a label that its charset doesn't have is ? to the server, and stays itself in our shape
        if told is not None and "?" in bytes.fromhex(text).decode():
            told = re.sub(r"[^\0-\x7f]", "?", told)
    if kind == "set":  # before an empty label the server leaves the comma out
        return told is not None and [part for part in told.split(",") if part] == \
            [part for part in bytes.fromhex(text).decode().split(",") if part]
    if kind in TEXTS:
        return told == bytes.fromhex(text).decode()
    if kind == "json":
        return told is not None and plain(json.loads(told)) == plain(json.loads(text))
    if kind == "vector":
        data = bytes.fromhex(text)
        return told == list(map(shortest, struct.unpack(f"<{len(data) // 4}f", data)))
    if kind in SHAPES:
        data = bytes.fromhex(text)
        srid = struct.unpack("<I", data[:4])[0]
        return told is not None and (told["wkb"], told["srid"]) == (base64.b64encode(data[4:]).decode(), srid or None)
    return told == value_of(column, text)


def value_of(column, text):
    kind = column["type"]
    if kind == "decimal":
        unscaled = int(text.replace(".", ""))
        size = ((unscaled if unscaled >= 0 else ~unscaled).bit_length() // 8) + 1
        return base64.b64encode(unscaled.to_bytes(size, "big", signed=True)).decode()
    if kind == "bit":
        value = int(text or "0", 16)
        return bool(value) if column["prec"] == 1 else base64.b64encode(value.to_bytes((column["prec"] + 7) // 8, "little")).decode()
    if kind in BYTES:
        return base64.b64encode(bytes.fromhex(text)).decode()
    if kind == "time":
        sign, hours, minutes, seconds, fraction = re.fullmatch(r"(-?)(\d+):(\d+):(\d+)(?:\.(\d+))?", text).groups()
        count = (int(hours) * 3600 + int(minutes) * 60 + int(seconds)) * 1000000 + int((fraction or "0").ljust(6, "0"))
        return -count if sign else count
    return moment_of(column, text)


def moment_of(column, text):
    kind = column["type"]
    year, month, day = map(int, text[:10].split("-"))
    is_zero = text.startswith("0000-00-00") if kind == "timestamp" else 0 in (year, month, day)
    if is_zero:
        default = column["default"]
        if column["is_null"]:
            return None
        if default and re.match(r"[1-9]\d{3}-\d\d-\d\d", default):
            return moment_of(column, default)
        return "1970-01-01T00:00:00Z" if kind == "timestamp" else 0
    if kind == "timestamp":
        return text.replace(" ", "T") + "Z"
    year += 2000 if year < 70 else 1900 if year < 100 else 0
    days = (datetime.datetime(year, month, day) - EPOCH).days
    if kind == "date":
        return days
    hours, minutes, seconds = (text[11:] or "0:0:0").split(":")
    count = (days * 86400 + int(hours) * 3600 + int(minutes) * 60) * 1000000 + int(seconds.split(".")[0]) * 1000000 + \
        int((seconds.split(".") + ["0"])[1].ljust(6, "0"))
    return count if column["fsp"] > 3 else count // 1000


def single(value):
    return struct.unpack("f", struct.pack("f", float(value)))[0]


def shortest(value):
    """The shortest decimal that is this float of four bytes."""
    return next(float(f"{value:.{digits}g}") for digits in range(1, 10) if single(f"{value:.{digits}g}") == value)


def plain(value):
    """A document in which the server's and a record's forms are one: no last zeros of a fraction of a second, bare base64."""
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, list):
        return [plain(part) for part in value]
    if isinstance(value, bool) or value is None:
        return repr(value)
    if isinstance(value, str):
        value = re.sub(r"^base64:type\d+:", "", value)
        return re.sub(r"(:\d\d)(\.\d*?)0+$", lambda match: match[1] + match[2].rstrip("."), value) if re.match(r"[-\d:. ]+$", value) else value
    return float(value) if isinstance(value, float) else value
