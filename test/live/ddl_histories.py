# SPDX-License-Identifier: Apache-2.0
"""ddl_histories: statements for servers: some of every kind, and random ones on a few tables.

Of the random ones nothing is done to be accepted always: what the server refuses isn't in its log. `Statements` knows the
tables by what information_schema last said (see ddl_tracker.told).
"""
from harness.program import CHECKOUT

CHARSETS = ["utf8mb4", "latin1", "latin2", "cp1251", "utf8mb3", "ascii", "binary", "ucs2", "sjis", "gbk", "koi8u", "utf16"]
COLLATIONS = ["utf8mb4_bin", "utf8mb4_0900_as_ci", "utf8mb4_general_ci", "latin1_bin", "latin1_swedish_ci", "latin2_general_ci",
              "cp1251_general_ci", "utf8mb3_general_ci", "ucs2_bin", "utf8mb4_ja_0900_as_cs"]
COLUMNS = ["a", "b", "c", "d", "e", "f", "id", "Name", "É", "we`ird", "select", "ключ", "x y", "order", "1st", "$d", "comment",
           "status", "date", "position", "first", "after", "key", "value", "a.b", "q\"uote", "it's", "back\\slash", "visible"]
TABLES = ["t", "u", "V", "we`ird", "tab le", "таблица"]
KEYS = ["k1", "k2", "K3", "a", "b", "a_2", "key", "ключ"]
MODES = ["", "STRICT_TRANS_TABLES", "ANSI_QUOTES", "NO_BACKSLASH_ESCAPES", "REAL_AS_FLOAT", "ANSI_QUOTES,NO_BACKSLASH_ESCAPES",
         "TRADITIONAL", "PAD_CHAR_TO_FULL_LENGTH",
         # ANSI by its parts: under ANSI itself the server leaves the table's options out of statements it logs in its own words
         "REAL_AS_FLOAT,PIPES_AS_CONCAT,ANSI_QUOTES,IGNORE_SPACE"]
PLAIN = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$0123456789")
RESERVED = {"select", "order", "key", "first", "after", "date", "value", "1st"}


def statements_of_every_kind():
    """The statements of test/data/statements.sql: each ends with a semicolon at the end of a line."""
    statement = []
    for line in (CHECKOUT / "test" / "data" / "statements.sql").read_text().splitlines():
        if statement or line.strip() and not line.startswith("--"):
            statement.append(line)
        if line.endswith(";"):
            yield "\n".join(statement)[:-1]
            statement = []


class Statements:
    def __init__(self, random, databases):
        self.r = random
        self.databases = databases
        self.mode = ""
        # The server's CONVERT takes the bytes of ENUM labels for bytes of the new charset: a history either converts, or has
        # labels and charsets for which that is not the same.
        self.odd_labels = random.random() < 0.5
        self.tables = {}

    # ---- small things

    def maybe(self, text, chance=0.5):
        return text if self.r.random() < chance else ""

    def pick(self, *options):
        return self.r.choice(options)

    def name(self, name):
        if set(name) <= PLAIN and name not in RESERVED and self.r.random() < 0.6:
            return name
        if "ANSI" in self.mode and self.r.random() < 0.5:
            return '"' + name.replace('"', '""') + '"'
        return "`" + name.replace("`", "``") + "`"

    def string(self, text):
        quote = "'" if "ANSI" in self.mode or self.r.random() < 0.7 else '"'
        if "NO_BACKSLASH" not in self.mode:
            text = text.replace("\\", "\\\\")
        return quote + text.replace(quote, quote * 2) + quote

    def blank(self):
        return self.pick(" ", " ", " ", "\n", "\t", " /* c */ ", " /*!80000 */ ", " -- x\n", " # y\n")

    def case(self, word):
        return self.pick(word, word.lower(), word.capitalize())

    def words(self, text):
        """Keywords with other blanks and other case."""
        return "".join(self.case(word) + (self.blank() if self.r.random() < 0.2 else " ") for word in text.split())

    def table(self):
        return self.r.choice(list(self.tables)) if self.tables and self.r.random() < 0.97 else self.new_table()

    def new_table(self):
        return self.r.choice(self.databases), self.r.choice(TABLES)

    def table_name(self, table):
        return f"{self.name(table[0])}{self.pick('.', '.', ' . ')}{self.name(table[1])}"

    def old_column(self, table):
        columns = self.tables.get(table, {}).get("columns") or [{"name": "a"}]
        name = self.r.choice(columns)["name"]
        return name.upper() if self.r.random() < 0.05 else name

    def old_key(self, table):
        keys = list(self.tables.get(table, {}).get("indexes") or ["k1"])
        return self.r.choice(keys)

    # ---- types

    def charset(self):
        text = self.pick("CHARACTER SET", "CHARSET", "CHAR SET")
        return self.words(text) + self.charset_name()

    def charset_name(self):
        return self.r.choice([name for name in CHARSETS if self.odd_labels or name not in ("ucs2", "utf16")])

    def collation(self):
        return self.r.choice([name for name in COLLATIONS if self.odd_labels or name != "ucs2_bin"])

    def text_attributes(self):
        roll = self.r.random()
        if roll < 0.5:
            return ""
        if roll < 0.75:
            return " " + self.charset()
        return " " + self.words(self.pick("BINARY", "ASCII", "BYTE", "ASCII BINARY",
                                               *(["UNICODE", "BINARY UNICODE"] if self.odd_labels else [])))

    def signs(self):
        return self.pick("", "", "", " UNSIGNED", " SIGNED", " ZEROFILL", " UNSIGNED ZEROFILL", " ZEROFILL UNSIGNED")

    def integer(self):
        word = self.pick("TINYINT", "SMALLINT", "MEDIUMINT", "INT", "INTEGER", "BIGINT", "INT1", "INT2", "INT3", "INT4", "INT8",
                         "MIDDLEINT")
        return word + self.pick("", "", "(1)", "(5)", "(20)") + self.signs()

    def number(self):
        kind = self.r.randrange(4)
        if kind == 0:
            word = self.pick("DECIMAL", "NUMERIC", "DEC", "FIXED")
            return word + self.pick("", "(7)", "(10,2)", "(65,30)", "(0)", "(5, 5)") + self.signs()
        if kind == 1:
            return self.pick("FLOAT", "FLOAT4") + self.pick("", "(7)", "(24)", "(25)", "(53)", "(7,2)") + self.signs()
        if kind == 2:
            return self.pick("DOUBLE", "DOUBLE PRECISION", "FLOAT8", "REAL") + self.pick("", "(12,3)") + self.signs()
        return self.pick("BIT", "BIT(1)", "BIT(7)", "BIT(64)", "BOOL", "BOOLEAN")

    def text(self):
        n = self.pick("1", "5", "20", "0", "100")
        roll = self.r.randrange(5)
        if roll == 0:
            return self.pick("CHAR", "CHARACTER", f"CHAR({n})", f"CHARACTER({n})") + self.text_attributes()
        if roll == 1:
            n = n if self.r.random() < 0.9 else self.pick("20000", "70000", "300")
            return self.pick("VARCHAR", "CHAR VARYING", "CHARACTER VARYING", "VARCHARACTER") + f"({n})" + self.text_attributes()
        if roll == 2:
            return self.pick("NCHAR", f"NCHAR({n})", f"NATIONAL CHAR({n})", f"NVARCHAR({n})", f"NATIONAL VARCHAR({n})",
                             f"NCHAR VARYING({n})", f"NATIONAL CHARACTER VARYING({n})", f"NCHAR VARCHAR({n})") + \
                self.maybe(" BINARY", 0.1)
        if roll == 3:
            return self.pick("TINYTEXT", "TEXT", "MEDIUMTEXT", "LONGTEXT", "LONG", "LONG VARCHAR", "TEXT(10)", "TEXT(300)",
                             "TEXT(20000)", "TEXT(70000)", "TEXT(0)", "LONG CHAR VARYING") + self.text_attributes()
        labels = self.r.sample(["x", "y", "a b", "it's", "", "1", *(["Ж ", "é"] if self.odd_labels else [])],
                               self.r.randint(1, 4))
        return self.pick("ENUM", "SET") + "(" + ",".join(self.string(label) for label in labels) + ")" + self.text_attributes()

    def other(self):
        return self.pick(
            "BINARY", "BINARY(3)", "VARBINARY(9)", "TINYBLOB", "BLOB", "MEDIUMBLOB", "LONGBLOB", "BLOB(10)", "BLOB(300)",
            "LONG VARBINARY", "DATE", "TIME", "TIME(3)", "DATETIME", "DATETIME(6)", "TIMESTAMP", "TIMESTAMP(2)", "YEAR",
            "YEAR(4)", "JSON", "GEOMETRY", "POINT", "LINESTRING", "POLYGON", "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON",
            "GEOMETRYCOLLECTION", "GEOMCOLLECTION", "VECTOR", "VECTOR(3)")

    def type(self):
        kind = self.r.choice([self.integer, self.integer, self.number, self.text, self.text, self.text, self.other, self.other])
        return kind()

    # ---- defaults and attributes

    def default(self, kind):
        word = kind.split("(")[0].split(" ")[0]
        if word in ("TINYTEXT", "TEXT", "MEDIUMTEXT", "LONGTEXT", "LONG", "JSON", "BLOB", "TINYBLOB") or self.r.random() < 0.1:
            return self.pick("NULL", "('x')", "(1 + 1)", "(uuid())", "(concat('a','\"',\"b\"))", "(json_array())")
        if word in ("DATETIME", "TIMESTAMP"):
            fsp = kind[kind.index("("):] if "(" in kind else ""
            return self.pick("'2020-01-02 03:04:05'", "CURRENT_TIMESTAMP" + fsp, "NOW(" + fsp.strip("()") + ")", "LOCALTIME" + fsp,
                             "NULL", "TIMESTAMP'2020-01-02 03:04:05'", "localtimestamp" + fsp,
                             f"CURRENT_TIMESTAMP{fsp} ON UPDATE CURRENT_TIMESTAMP{fsp}")
        if word in ("DATE", "TIME", "YEAR"):
            return {"DATE": self.pick("'2020-01-02'", "DATE '2020-01-02'", "20200102"), "YEAR": self.pick("2020", "'2021'"),
                    "TIME": self.pick("'-12:30:00'", "TIME '1:2:3'")}[word]
        if word in ("BIT", "BOOL", "BOOLEAN"):
            return self.pick("b'1'", "0b1", "1", "TRUE", "false", "NULL")
        if word in ("ENUM", "SET"):
            return self.string(self.pick("x", "y", "é", "1"))
        if word in ("CHAR", "VARCHAR", "CHARACTER", "NCHAR", "NATIONAL", "NVARCHAR", "BINARY", "VARBINARY", "VARCHARACTER"):
            return self.pick(self.string("ab"), self.string(""), self.string("it's"), self.string("a\\b"), self.string("é"),
                             "'a' 'b'", "_latin1'x'", "_utf8mb4'é'", "N'n'", "x'4142'", "0x41", "12", "NULL", "TRUE",
                             "b'01000001'", "_utf8mb4 x'C3A9'")
        return self.pick("5", "-7", "+4", "'6'", "1.7", "NULL", "0", "1e1", "0x41", "b'101'", "TRUE", ".5")

    def attributes(self, kind):
        r, found = self.r, []
        if r.random() < 0.4:
            found.append(self.words(self.pick("NOT NULL", "NULL", "NOT NULL")))
        if r.random() < 0.4:
            found.append(self.case("DEFAULT") + " " + self.default(kind))
        if r.random() < 0.15:
            found.append(self.case("COMMENT") + " " + self.string(self.pick("note", "it's", "é \\ \"", "", "a\nb")))
        if r.random() < 0.1:
            found.append(self.case("COLLATE") + " " + self.string(self.collation()) if r.random() < 0.2
                         else "COLLATE " + self.collation())
        if r.random() < 0.08:
            found.append(self.words(self.pick("PRIMARY KEY", "UNIQUE", "UNIQUE KEY", "KEY")))
        if r.random() < 0.05:
            found.append(self.words("AUTO_INCREMENT"))
        if r.random() < 0.07:
            found.append(self.pick("INVISIBLE", "VISIBLE", "/*!80023 INVISIBLE */"))
        if r.random() < 0.05:
            found.append(self.pick("CHECK (1 > 0)", "CONSTRAINT CHECK (1) NOT ENFORCED", "COLUMN_FORMAT DYNAMIC", "STORAGE DISK",
                                   "ENGINE_ATTRIBUTE '{}'", "NOT SECONDARY"))
        if r.random() < 0.05:
            found.append("SRID 4326" if kind.split("(")[0] in ("POINT", "GEOMETRY", "POLYGON", "LINESTRING") else "")
        r.shuffle(found)
        return "".join(" " + attribute for attribute in found)

    def generated(self, kind, table):
        body = self.pick("1", "(1) + 2", f"{self.name(self.old_column(table))}", "concat('a', ')', \"(\")")
        return f"{self.maybe(' GENERATED ALWAYS', 0.5)} AS ({body}){self.pick('', ' VIRTUAL', ' STORED')}{self.maybe(' NOT NULL', .2)}"

    def definition(self, table):
        roll = self.r.random()
        if roll < 0.02:
            return "SERIAL"
        if roll < 0.04:
            return self.integer() + " SERIAL DEFAULT VALUE"
        kind = self.type()
        if roll < 0.12:
            return kind + self.generated(kind, table)
        return kind + self.attributes(kind)

    def column(self, table, name=None):
        return f"{self.name(name or self.r.choice(COLUMNS))} {self.definition(table)}"

    # ---- keys

    def part(self, columns):
        if self.r.random() < 0.07:
            return self.pick("((1 + 1))", "((cast('a' as char(3))))", f"(({self.name(self.r.choice(columns))} + 1))") + \
                self.maybe(" DESC", 0.3)
        prefix = self.pick("", "", "", "(3)", "(5)", "(20)")
        return self.name(self.r.choice(columns)) + prefix + self.pick("", "", " DESC", " ASC")

    def parts(self, columns):
        return "(" + ", ".join(self.part(columns) for _ in range(self.r.choice([1, 1, 1, 2, 3]))) + ")"

    def key_options(self):
        return self.pick("", "", "", " COMMENT 'k, (x'", " USING BTREE", " INVISIBLE", " KEY_BLOCK_SIZE = 8")

    def key(self, columns):
        r = self.r
        symbol = self.maybe(f"CONSTRAINT {self.maybe(self.name(r.choice(KEYS)), .6)} ", 0.3)
        name = self.maybe(" " + self.name(r.choice(KEYS)), 0.5)
        roll = r.random()
        if roll < 0.2:
            return symbol + self.words("PRIMARY KEY") + self.parts(columns) + self.key_options()
        if roll < 0.55:
            return symbol + self.words(self.pick("UNIQUE", "UNIQUE KEY", "UNIQUE INDEX")) + name + self.maybe(" USING BTREE ", .1) + \
                self.parts(columns) + self.key_options()
        if roll < 0.85:
            return self.words(self.pick("KEY", "INDEX")) + name + self.parts(columns) + self.key_options()
        if roll < 0.9:
            return self.words(self.pick("FULLTEXT", "FULLTEXT KEY", "SPATIAL INDEX")) + name + f"({self.name(r.choice(columns))})"
        if roll < 0.95:
            return symbol + "CHECK (1 <> 2)" + self.pick("", " NOT ENFORCED", " ENFORCED")
        return self.foreign_key(columns, symbol, name)

    def foreign_key(self, columns, symbol, name):
        others = [table for table in self.tables if self.tables[table]["indexes"]]
        if not others:
            return f"{symbol}CHECK (2)"
        other = self.r.choice(others)
        parts = self.r.choice(list(self.tables[other]["indexes"].values()))[1]
        theirs = [part[0] for part in parts if part[0]] or ["a"]
        ours = [self.r.choice(columns) for _ in theirs]
        return (f"{symbol}FOREIGN KEY{name} ({', '.join(map(self.name, ours))}) REFERENCES {self.table_name(other)} "
                f"({', '.join(map(self.name, theirs))}){self.pick('', ' ON DELETE CASCADE', ' ON UPDATE SET NULL ON DELETE NO ACTION')}")

    # ---- tables

    def option(self):
        return self.pick(
            "ENGINE=InnoDB", "ENGINE = InnoDB", "AUTO_INCREMENT=7", "ROW_FORMAT=DYNAMIC", "COMMENT=" + self.string("tab 'le"),
            "COMMENT " + self.string(""), "STATS_PERSISTENT=DEFAULT", "KEY_BLOCK_SIZE=0", "MAX_ROWS=100", "COMPRESSION='none'",
            "DEFAULT " + self.charset(), self.charset(), "DEFAULT CHARACTER SET = " + self.charset_name(),
            "COLLATE " + self.collation(), "DEFAULT COLLATE = " + self.collation(), "CHECKSUM 1",
            "AUTOEXTEND_SIZE=4M", "INSERT_METHOD=NO", "STATS_SAMPLE_PAGES 5", "ENCRYPTION='N'", "PACK_KEYS=DEFAULT")

    def options(self):
        return self.pick(" ", " ", ", ").join([""] + [self.option() for _ in range(self.r.choice([0, 0, 1, 1, 2, 3]))]).lstrip(",")

    def partitions(self, columns):
        column = self.name(self.r.choice(columns))
        return self.pick(
            f" PARTITION BY HASH ({column}) PARTITIONS 3", f" PARTITION BY KEY ({column}) PARTITIONS 2",
            " PARTITION BY KEY ()", f" /*!50100 PARTITION BY RANGE ({column}) (PARTITION p0 VALUES LESS THAN (10) ENGINE = InnoDB,"
            " PARTITION p1 VALUES LESS THAN MAXVALUE ENGINE = InnoDB) */",
            f" PARTITION BY LIST ({column}) (PARTITION p0 VALUES IN (1, 2), PARTITION p1 VALUES IN (3))",
            f" PARTITION BY RANGE COLUMNS ({column}) SUBPARTITION BY HASH ({column}) SUBPARTITIONS 2 "
            f"(PARTITION p0 VALUES LESS THAN (10) COMMENT = 'as select')")

    def create(self):
        table, columns = self.new_table(), []
        for _ in range(self.r.randint(1, 6)):
            columns.append(self.r.choice([name for name in COLUMNS if name not in columns]))
        self.tables[table] = {"columns": [{"name": name} for name in columns], "indexes": {}}
        items = [self.column(table, name) for name in columns]
        items += [self.key(columns) for _ in range(self.r.choice([0, 1, 1, 2, 3]))]
        if self.r.random() < 0.2:
            self.r.shuffle(items)
        body = ("," + self.blank()).join(items)
        tail = self.options() + (self.partitions(columns) if self.r.random() < 0.1 else "")
        return f"{self.words('CREATE TABLE')}{self.maybe('IF NOT EXISTS ', .2)}{self.table_name(table)}{self.blank()}({body}){tail}"

    def create_like(self):
        like = f"LIKE {self.table_name(self.table())}"
        return f"CREATE TABLE {self.maybe('IF NOT EXISTS ', .2)}{self.table_name(self.new_table())} {self.pick(like, f'({like})')}"

    def create_select(self):
        extra = self.pick("", "(id INT PRIMARY KEY AUTO_INCREMENT)", "ENGINE=InnoDB", "CHARACTER SET latin1")
        return f"CREATE TABLE {self.table_name(self.new_table())} {extra} {self.maybe('AS ')}SELECT * FROM {self.table_name(self.table())}"

    def place(self, table):
        roll = self.r.random()
        if roll < 0.6:
            return ""
        return " FIRST" if roll < 0.75 else " AFTER " + self.name(self.pick(self.old_column(table), self.r.choice(COLUMNS)))

    def action(self, table):
        r, column = self.r, self.case("COLUMN") + " " if self.r.random() < 0.5 else ""
        old = self.name(self.old_column(table))
        columns = [c["name"] for c in self.tables.get(table, {}).get("columns", [])] or ["a"]
        kind = r.choice(["add"] * 5 + ["modify"] * 4 + ["change"] * 3 + ["drop"] * 3 + ["rename column"] * 2 + ["default"] * 2 +
                        ["add key"] * 4 + ["drop key"] * 3 + ["rename key", "convert", "option", "option", "list", "other",
                                                             "rename", "partition", "visible"])
        if kind == "add":
            return f"ADD {column}{self.column(table)}{self.place(table)}"
        if kind == "list":
            return f"ADD {column}({', '.join(self.column(table) for _ in range(r.randint(1, 3)))})"
        if kind == "modify":
            return f"MODIFY {column}{old} {self.definition(table)}{self.place(table)}"
        if kind == "change":
            new = self.name(r.choice(COLUMNS)) if r.random() < 0.7 else old
            return f"CHANGE {column}{old} {new} {self.definition(table)}{self.place(table)}"
        if kind == "drop":
            return f"DROP {column}{old}"
        if kind == "rename column":
            return f"RENAME COLUMN {old} TO {self.name(r.choice(COLUMNS))}"
        if kind == "default":
            return f"ALTER {column}{old} " + self.pick("DROP DEFAULT", "SET DEFAULT 7", "SET DEFAULT 'ab'", "SET DEFAULT NULL",
                                                       "SET DEFAULT (1 + 2)", "SET DEFAULT b'1'", "SET DEFAULT x'4142'")
        if kind == "visible":
            return f"ALTER {column}{old} SET {self.pick('VISIBLE', 'INVISIBLE')}"
        if kind == "add key":
            return "ADD " + self.key(columns + [r.choice(COLUMNS)])
        if kind == "drop key":
            name = self.name(self.old_key(table))
            return self.pick("DROP PRIMARY KEY", f"DROP INDEX {name}", f"DROP KEY {name}", f"DROP CONSTRAINT {name}")
        if kind == "rename key":
            return f"RENAME {self.pick('KEY', 'INDEX')} {self.name(self.old_key(table))} TO {self.name(r.choice(KEYS))}"
        if kind == "convert" and not self.odd_labels:
            return f"CONVERT TO {self.charset()}{self.maybe(' COLLATE ' + self.collation(), .3)}"
        if kind == "option":
            return self.option()
        if kind == "rename":
            return f"RENAME {self.pick('', 'TO ', 'AS ', '= ')}{self.table_name(self.new_table())}"
        if kind == "partition":
            return self.pick(self.partitions(columns), "REMOVE PARTITIONING", "TRUNCATE PARTITION p0", "DROP PARTITION p0",
                             "COALESCE PARTITION 1", "ADD PARTITION PARTITIONS 1", "REBUILD PARTITION ALL",
                             "ADD PARTITION (PARTITION p9 VALUES IN (99))").strip()
        return self.pick("FORCE", "ALGORITHM=INPLACE", "ALGORITHM = COPY", "LOCK=NONE", "LOCK DEFAULT", "ENABLE KEYS", "DISABLE KEYS",
                         "WITHOUT VALIDATION", f"ALTER INDEX {self.name(self.old_key(table))} INVISIBLE", "ALGORITHM=DEFAULT")

    def alter(self):
        table = self.table()
        actions = [self.action(table) for _ in range(self.r.choice([1, 1, 1, 2, 2, 3, 4]))]
        if self.r.random() < 0.03:
            actions.append("ORDER BY " + self.name(self.old_column(table)))
        return f"{self.words('ALTER TABLE')}{self.table_name(table)}{self.blank()}{(', ' + self.maybe(' ')).join(actions)}"

    def rename(self):
        pairs, old = [], list(self.tables)
        if len(old) > 1 and self.r.random() < 0.5:
            one, two = self.r.sample(old, 2)
            tmp = (one[0], "tmp")
            pairs = [(one, tmp), (two, one), (tmp, two)]
        else:
            pairs = [(self.table(), self.new_table()) for _ in range(self.r.choice([1, 1, 2]))]
        text = ", ".join(f"{self.table_name(a)} TO {self.table_name(b)}" for a, b in pairs)
        return f"{self.words(self.pick('RENAME TABLE', 'RENAME TABLES'))}{text}"

    def drop(self):
        tables = [self.table() for _ in range(self.r.choice([1, 1, 2]))]
        return f"DROP TABLE {self.maybe('IF EXISTS ', .5)}{', '.join(map(self.table_name, tables))}{self.pick('', ' CASCADE')}"

    def index(self):
        table = self.table()
        columns = [c["name"] for c in self.tables.get(table, {}).get("columns", [])] or ["a"]
        if self.r.random() < 0.4:
            return f"DROP INDEX {self.name(self.old_key(table))} ON {self.table_name(table)}{self.pick('', ' ALGORITHM=INPLACE')}"
        return (f"CREATE {self.pick('', 'UNIQUE ', 'UNIQUE ', 'FULLTEXT ', 'SPATIAL ')}INDEX {self.name(self.r.choice(KEYS))}"
                f"{self.maybe(' USING BTREE', .2)} ON {self.table_name(table)} {self.parts(columns)}{self.key_options()}"
                f"{self.pick('', ' LOCK=NONE', ' ALGORITHM = INPLACE')}")

    def database(self):
        what = self.pick(f"{self.charset()}", f"DEFAULT CHARACTER SET = {self.charset_name()}", f"COLLATE {self.collation()}",
                         "ENCRYPTION='N'", f"{self.charset()} COLLATE {self.collation()}")
        return f"ALTER {self.pick('DATABASE', 'SCHEMA')} {self.maybe(self.name(self.r.choice(self.databases)), .7)} {what}"

    def passing(self):
        table = self.table_name(self.table())
        return self.pick(
            f"TRUNCATE {self.maybe('TABLE ')}{table}", f"ANALYZE TABLE {table}", f"OPTIMIZE TABLE {table}",
            f"CREATE OR REPLACE VIEW {self.name(self.databases[0])}.vw AS SELECT 1 AS a", "CREATE TEMPORARY TABLE tmp (a INT)",
            f"FLUSH TABLES {table}", "DROP TEMPORARY TABLE IF EXISTS tmp", f"INSERT INTO {table} () VALUES ()",
            f"DROP TRIGGER IF EXISTS {self.name(self.databases[0])}.tr")

    def next(self, tables):
        """One statement, of what the server has now."""
        self.tables = dict(tables)
        if len(tables) < 2:
            return self.create()
        make = self.r.choice([self.create] * 4 + [self.create_like, self.create_select] + [self.alter] * 16 + [self.rename, self.drop]
                             + [self.index] * 3 + [self.database, self.passing])
        return make()
