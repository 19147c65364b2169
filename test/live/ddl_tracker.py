# SPDX-License-Identifier: Apache-2.0
"""ddl_tracker: what tidemark's reader makes of a server's statements, and what the server itself says.

`Tracker` feeds the statements of the log to test/tools/ddl_shape. `tracked` and `told` bring its shapes and those of
information_schema to one form, a dictionary a table, so that a difference is a difference of dictionaries.
"""
import json
import re
import subprocess
from decimal import ROUND_HALF_UP, Decimal, getcontext
from pathlib import Path

from harness.binlog import statements
from harness.program import binary, sanitizer_environment

getcontext().rounding = ROUND_HALF_UP
getcontext().prec = 200


def tool():
    return Path(binary()).parent / "tool_ddl_shape"


def escaped(text):
    data = text.encode() if isinstance(text, str) else text
    return data.replace(b"\\", b"\\\\").replace(b"\t", b"\\t").replace(b"\n", b"\\n").replace(b"\0", b"\\0")


class Tracker:
    def __init__(self, mysql):
        self.mysql = mysql
        self.process = subprocess.Popen([tool()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=sanitizer_environment())
        self.collations = {row[0]: row[1:] for row in mysql.sql(
            "SELECT id, collation_name, character_set_name FROM information_schema.collations")}
        self.file, self.position = mysql.position()
        for row in mysql.sql("SELECT schema_name, default_character_set_name, default_collation_name "
                             "FROM information_schema.schemata"):
            self.say("D", *row)

    def close(self):
        self.process.stdin.close()
        self.process.wait(30)
        return self.process.returncode

    def say(self, *fields):
        self.process.stdin.write(b"\t".join(escaped(field) for field in fields) + b"\n")
        self.process.stdin.flush()

    def ask(self, *fields):
        self.say(*fields)
        line = self.process.stdout.readline()
        assert line, f"ddl_shape ended with {self.process.wait(30)} at {fields}"
        return json.loads(line)

    def follow(self):
        """Reads what the log has gained; the statements with the answers to them."""
        found, self.file, self.position = statements(self.mysql, self.file, self.position)
        answers = []
        explicit = self.mysql.one("SELECT @@global.explicit_defaults_for_timestamp") if found else None
        for one in found:
            if one.sql in (b"BEGIN", b"COMMIT"):
                continue
            self.say("S", one.db, str(one.sql_mode), self._charset(one.client_collation), self._name(one.server_collation),
                     "0" if (explicit if one.explicit_timestamps is None else one.explicit_timestamps) else "1", self._name(one.utf8mb4_collation))
            answers.append((one, self.ask("Q", one.sql)))
        return answers

    def _name(self, collation):
        return self.collations.get(collation, ("", ""))[0]

    def _charset(self, collation):
        return self.collations.get(collation, ("", ""))[1]

    def shapes(self):
        return {(shape["db"], shape["table"]): shape for shape in self.ask("P")}

    def read(self, db, text):
        """The shape that SHOW CREATE TABLE text gives; it takes the place of the one that is followed."""
        answer = self.ask("C", db, text)
        assert answer["ok"], f"{answer['why']}: {text}"
        return answer["shape"]


# ---- one form for both

INTEGERS = ("tinyint", "smallint", "mediumint", "int", "bigint")
TEXTS = ("char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set")
BYTES = ("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob")


def quoted(labels):
    return ",".join("'" + label.replace("\\", "\\\\").replace("'", "''") + "'" for label in labels)


def column_type(c):
    kind, sign = c["type"].lower(), (" unsigned" if c.get("unsigned") else "") + (" zerofill" if c.get("zerofill") else "")
    if kind in INTEGERS:
        return kind + ("(1)" if kind == "tinyint" and c["length"] == 1 and not sign else "") + sign
    if kind == "decimal" or c.get("has_scale"):
        return f"{kind}({c['length']},{c['scale']}){sign}"
    if kind in ("float", "double"):
        return kind + sign
    if kind in ("char", "varchar", "binary", "varbinary", "bit", "vector"):
        return f"{kind}({c['length']})"
    if kind in ("enum", "set"):
        return f"{kind}({quoted(c['members'])})"
    if kind in ("time", "datetime", "timestamp"):
        return kind + (f"({c['fsp']})" if c["fsp"] else "")
    return kind


class Anything:
    """A default that the server changed (its type doesn't hold it, without strict mode) or doesn't show."""

    def __eq__(self, other):
        return True


def literal(kind, text, default_kind="literal"):
    try:
        return _literal(kind, text, default_kind)
    except (ValueError, ArithmeticError):
        return Anything()


def _literal(kind, text, default_kind):
    """A default as a value that compares: what the server does to a literal is done to both sides."""
    if kind in BYTES:  # BINARY is padded
        digits = text if default_kind == "hex" else text[2:] if text.startswith("0x") else text.encode().hex()
        return re.sub("(00)+$", "", digits.upper())
    if default_kind in ("hex", "bits") and kind not in TEXTS:
        text = str(int(text, 16 if default_kind == "hex" else 2))
    if kind in INTEGERS:
        return int(Decimal(text).quantize(0, ROUND_HALF_UP))
    if kind == "year":
        return int(text) + (2000 if int(text) < 70 else 1900 if int(text) < 100 else 0)
    if kind == "decimal":
        return Decimal(text)
    if kind in ("float", "double"):
        return round(float(text), 4)
    if kind == "bit":
        return int(text)
    if kind in ("date", "time", "datetime", "timestamp"):
        return "a time"
    return text.rstrip(" ") if kind == "char" else text  # padded, when the session had PAD_CHAR_TO_FULL_LENGTH


def tracked_default(c):
    kind = c["type"].lower()
    if c["default_kind"] in ("none", "null", "expression"):  # the server loses some expressions that ALTER sets on key columns
        return None
    if c["default_kind"] == "now":
        return "now"
    value = literal(kind, c["default"], c["default_kind"])
    return round(value, c["scale"]) if kind == "decimal" and isinstance(value, Decimal) else value


def told_default(c):
    text, kind = c["COLUMN_DEFAULT"], c["DATA_TYPE"]
    if text is None or "GENERATED" in c["EXTRA"] and "DEFAULT_GENERATED" not in c["EXTRA"]:
        return None
    if text.upper().startswith("CURRENT_TIMESTAMP"):
        return "now"
    if "DEFAULT_GENERATED" in c["EXTRA"]:
        return None
    if kind == "bit":
        return literal(kind, re.match(r"b'([01]*)'", text)[1], "bits")
    if kind in TEXTS and c["CHARACTER_SET_NAME"] is None and text.startswith("0x"):
        return bytes.fromhex(text[2:]).decode("utf8", "replace")  # of charset binary
    if kind in BYTES and text in ("", "0x"):
        return Anything()  # or bytes that begin with a zero, where this view ends
    return literal(kind, text)


def _shown(name):
    """information_schema doesn't show the charset binary of an ENUM."""
    return None if name in ("", "binary") else name


def tracked_column(c):
    return {
        "name": c["name"], "type": column_type(c), "nullable": c.get("nullable", False), "default": tracked_default(c),
        "charset": _shown(c["charset"]), "collation": _shown(c["collation"]), "comment": c["comment"],
        "auto_increment": c.get("auto_increment", False), "on_update": c.get("on_update", False),
        "generated": c.get("generated", False), "invisible": c.get("invisible", False), "srid": c.get("srid"),
    }


def told_column(c):
    extra = c["EXTRA"]
    return {
        "name": c["COLUMN_NAME"], "type": _told_type(c),
        "nullable": c["IS_NULLABLE"] == "YES", "default": told_default(c), "charset": c["CHARACTER_SET_NAME"],
        "collation": c["COLLATION_NAME"], "comment": c["COLUMN_COMMENT"], "auto_increment": "auto_increment" in extra,
        "on_update": "on update" in extra, "generated": "VIRTUAL GENERATED" in extra or "STORED GENERATED" in extra,
        "invisible": "INVISIBLE" in extra, "srid": c["SRS_ID"],
    }


def _told_type(c):
    """The server shows a width for ZEROFILL only, which nobody reads."""
    text = c["COLUMN_TYPE"]
    text = text.decode() if isinstance(text, bytes) else text
    return re.sub(r"int\(\d+\)", "int", text) if c["DATA_TYPE"] in INTEGERS and text.endswith("zerofill") else text


def tracked(shape):
    return {
        "charset": shape["charset"], "collation": shape["collation"], "comment": shape["comment"],
        "partitioned": shape.get("partitioned", False),
        "columns": [tracked_column(c) for c in shape["columns"]],
        "indexes": {index["name"]: told_index(index.get("unique", False), index["parts"]) for index in shape["indexes"]},
    }


def told_index(is_unique, parts):
    """What is compared of an index. How much of a column is in one that isn't unique nobody reads: the server cuts it to what
    the engine can hold, or ignores it (FULLTEXT)."""
    return is_unique, [(name, prefix if is_unique else None, order) for name, prefix, order in parts]


def told(mysql, databases, only=None):
    """The tables of some databases as information_schema describes them: all, or those of `only` that are there."""
    where = f"table_schema IN ({_listed((name,) for name in databases)})"
    if only is not None:
        where = f"(table_schema, table_name) IN ({_listed(only)})" if only else "FALSE"
    parted = set(mysql.sql(f"SELECT DISTINCT table_schema, table_name FROM information_schema.partitions "
                           f"WHERE {where} AND partition_name IS NOT NULL"))
    tables = {}
    for row in mysql.dicts(f"SELECT table_schema d, table_name t, table_collation c, table_comment m, character_set_name s "
                           f"FROM information_schema.tables LEFT JOIN information_schema.collation_character_set_applicability "
                           f"ON collation_name = table_collation WHERE {where} AND table_type = 'BASE TABLE'"):
        tables[row["d"], row["t"]] = {"charset": row["s"], "collation": row["c"], "comment": row["m"],
                                      "partitioned": (row["d"], row["t"]) in parted, "columns": [], "indexes": {}}
    for row in mysql.dicts(f"SELECT * FROM information_schema.columns WHERE {where} "
                           f"ORDER BY table_schema, table_name, ordinal_position"):
        if (row["TABLE_SCHEMA"], row["TABLE_NAME"]) in tables:
            tables[row["TABLE_SCHEMA"], row["TABLE_NAME"]]["columns"].append(told_column(row))
    for row in mysql.dicts(f"SELECT * FROM information_schema.statistics WHERE {where} "
                           f"ORDER BY table_schema, table_name, index_name, seq_in_index"):
        part = (row["COLUMN_NAME"], row["SUB_PART"] or 0, row["COLLATION"] or "A")
        indexes = tables[row["TABLE_SCHEMA"], row["TABLE_NAME"]]["indexes"]
        indexes.setdefault(row["INDEX_NAME"], (row["NON_UNIQUE"] == 0, []))[1].append(part)
    for table in tables.values():
        table["indexes"] = {name: told_index(*index) for name, index in table["indexes"].items()}
    return tables


def table_names(mysql, databases):
    return set(mysql.sql(f"SELECT table_schema, table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE' "
                         f"AND table_schema IN ({_listed((name,) for name in databases)})"))


def _listed(names):
    """Names, or pairs of them, for IN (…)."""
    texts = []
    for name in names:
        parts = ["'" + part.replace("\\", "\\\\").replace("'", "''") + "'" for part in name]
        texts.append(parts[0] if len(parts) == 1 else f"({', '.join(parts)})")
    return ", ".join(texts)


def _same(ours, theirs):
    """A label or text that its column's charset doesn't have is ? or nothing to the server, and U+FFFD or itself to us."""
    if ours == theirs:
        return True
    if not isinstance(ours, str) or not isinstance(theirs, str):
        return False
    if "\ufffd" in ours:
        return True
    return "?" in theirs + ours and re.sub(r"[^\0-\x7f]", "?", ours) == re.sub(r"[^\0-\x7f]", "?", theirs)


def difference(ours, theirs):
    """Where two tables differ, as text; empty where they don't."""
    lines = []
    for name in ("charset", "collation", "comment", "partitioned", "indexes"):
        if ours[name] != theirs[name]:
            lines.append(f"{name}: tracked {ours[name]!r}, server {theirs[name]!r}")
    if [c["name"] for c in ours["columns"]] != [c["name"] for c in theirs["columns"]]:
        lines.append(f"columns: tracked {[c['name'] for c in ours['columns']]}, server {[c['name'] for c in theirs['columns']]}")
    for a, b in zip(ours["columns"], theirs["columns"]):
        lines += [f"{a['name']}.{key}: tracked {a[key]!r}, server {b[key]!r}" for key in a
                  if not _same(a[key], b[key])]
    return "\n".join(lines)
