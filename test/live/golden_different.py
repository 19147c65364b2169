# SPDX-License-Identifier: Apache-2.0
"""golden_different: what is right where a recording of Debezium is wrong, case by case, with the reason.

Each entry changes recorded, normalised texts (harness/golden.py) into what tidemark writes; it fails when what it is to
change is not there. The reasons in words for users: docs/differences.md.
"""
import re


def topic_of(expected, name):
    """Topics are named by their last part; g is that of the schema changes."""
    return next(topic for topic in expected if topic == name or topic.endswith(f".{name}"))


# ---- kinds of changes

def text(name, *changes, only_schemas=False):
    """In all records of a topic each old text becomes the new."""
    def change(expected, with_schemas):
        if only_schemas and not with_schemas:
            return
        topic = topic_of(expected, name)
        for old, new in changes:
            assert any(old in record for record in expected[topic]), f"{topic} has no {old}"
            expected[topic] = [record.replace(old, new) for record in expected[topic]]
    return change


def schema(name, *changes):
    """As text, where there are schemas."""
    return text(name, *changes, only_schemas=True)


def one(name, number, *changes):
    """As text, in one record; numbers count from 0, behind the changes made before."""
    def change(expected, _):
        topic = topic_of(expected, name)
        for old, new in changes:
            assert old in expected[topic][number], f"record {number} of {topic} has no {old}"
            expected[topic][number] = expected[topic][number].replace(old, new)
    return change


def fields(name, number, **values):
    """Fields of the images of one record."""
    def change(expected, _):
        topic = topic_of(expected, name)
        images, source, rest = expected[topic][number].partition(',"source":{"version"')
        for field, value in values.items():
            images, hits = re.subn(rf'([{{,]"{field}":)("(?:[^"\\]|\\.)*"|[-\w.]+)(?=[,}}])', rf"\g<1>{value}", images)
            assert hits, f"record {number} of {topic} has no {field}"
        expected[topic][number] = images + source + rest
    return change


def key(name, numbers, field_schemas, payload):
    """The key of records; payload None: no key."""
    def change(expected, with_schemas):
        topic = topic_of(expected, name)
        new = payload
        if payload is not None and with_schemas:
            new = f'{{"schema":{{"type":"struct","fields":[{field_schemas}],"optional":false,"name":"{topic}.Key"}},"payload":{payload}}}'
        for number in numbers:
            head, old, rest = expected[topic][number].split("\n", 2)
            assert old != f"key {new}", f"record {number} of {topic} has this key"
            expected[topic][number] = "\n".join([head, f"key {new}", rest])
    return change


def without(name, number, part):
    """A record that should not be there, known by a part of its text."""
    def change(expected, _):
        record = expected[topic_of(expected, name)].pop(number)
        assert part in record, record
    return change


def only(name, count):
    """The records that the reference wrote before it died; with and without schemas it was not at the same place."""
    def change(expected, _):
        del expected[topic_of(expected, name)][count:]
    return change


def like(name, number, template, *changes):
    """A record that is missing at a number: as another one of the topic is, but for these texts."""
    def change(expected, _):
        topic = topic_of(expected, name)
        record = expected[topic][template]
        for old, new in changes:
            assert old in record, f"record {template} of {topic} has no {old}"
            record = record.replace(old, new)
        expected[topic].insert(number, record)
    return change


class Holds:
    """Stands for a record of which only parts are known, because the reference never wrote it."""

    def __init__(self, *parts):
        self.parts = parts

    def __eq__(self, record):
        return all(part in record for part in self.parts)

    def __str__(self):
        return f"a record with {self.parts}"


def added(topic, number, *parts):
    """A record that the reference does not have."""
    def change(expected, _):
        expected.setdefault(topic, []).insert(number, Holds(*parts))
    return change


def no_table(expected, _):
    """Where a statement touches no table, source.table is null; the reference has an empty text in the stream."""
    if "g" in expected:
        expected["g"] = [record.replace('"table":"","server_id"', '"table":null,"server_id"') for record in expected["g"]]


# ---- pieces

def bool_field(name, optional="true", default=None):
    """BOOL is an int16."""
    form = '"type":"%s","optional":%s%s,"field":"%s"'
    number = {"true": "1", "false": "0", None: None}[default]
    old, new = (f',"default":{value}' if value is not None else "" for value in (default, number))
    return form % ("boolean", optional, old, name), form % ("int16", optional, new, name)


def real_field(name, was="float", becomes="double"):
    """REAL is a double."""
    return tuple(f'{{"type":"{word}","optional":true,"field":"{name}"}}' for word in (was, becomes))


def column(name, jdbc, word, charset, new_jdbc, new_word, new_charset):
    """A column of a table's description; the part that says its type."""
    form = '"name":"%s","jdbcType":%d,"nativeType":null,"typeName":"%s","typeExpression":"%s","charsetName":%s,'
    old, new = (form % (name, number, words, words, "null" if of is None else f'"{of}"')
                for number, words, of in ((jdbc, word, charset), (new_jdbc, new_word, new_charset)))
    return old, new


TEXT_GROWS = [('"typeName":"TEXT","typeExpression":"TEXT"', '"typeName":"MEDIUMTEXT","typeExpression":"MEDIUMTEXT"')]
INT_A, INT_B = ('{"type":"int32","optional":false,"field":"%s"}' % name for name in "ab")
STRING_B = '{"type":"string","optional":false,"field":"b"}'


# ---- the cases

NOT_YET = {
    "51-tx-metadata": "transaction records are not offered yet",
    "53-heartbeat": "heartbeat records are not offered yet",
    "54-incremental-signal": "belongs to the tests of snapshots",
    "56-minimal-image": "has tests of its own",
}

DIFFERENT = {
    # REAL is double; a single has its shortest text
    "05-float-double": [
        schema("fl2", real_field("r"), real_field("ru")),
        text("fl2", ('"r":123456.79', '"r":123456.789')),
        text("fl", ("1.17549435E-38", "1.1754944E-38")),
    ],
    # BOOL is int16
    "07-bit-bool": [
        schema("bb2", bool_field("bo"), bool_field("bn", "false", "true"), bool_field("bd", "true", "false")),
        fields("bb2", 0, bo="0", bn="0", bd="1"),
        fields("bb2", 1, bn="1", bd="0"),
        fields("bb2", 2, bo="1", bn="-5", bd="9"),
        schema("bb3", bool_field("v")),
        fields("bb3", 0, v="1"), fields("bb3", 1, v="0"), fields("bb3", 2, v="0"),
        text("g", ('"defaultValueExpression":"true"', '"defaultValueExpression":"1"')),
    ],
    # true defaults
    "10-binary-bytes": [
        schema("bin", ('"default":"YVwwXDA="', '"default":"YQAA"')),
        schema("bink", ('"default":"NDE0Mg=="', '"default":"QUI="')),
    ],
    "12-binary-base64": [schema("bin", ('"default":"YVwwXDA="', '"default":"YQAA"'))],
    # labels are raw
    "14-enum-set": [text("ec", (r'"e":"one\\,two"', '"e":"one,two"'))],
    # YEAR 0000 is 0
    "22-zero-dates": [fields("zd", 0, y="0", yn="0"), fields("zd", 1, y="0")],
    # a single has its shortest text
    "24-vector": [text("ve", ("-3.0000001E10", "-3.0E10"))],
    # true defaults, BOOL is int16, the statement's text is the server's
    "25-defaults": [
        schema("df", ('"default":9007199254740992', '"default":9007199254740993'), ('"default":9223372036854775807', '"default":-1'),
               ('''"default":"it''s''', '''"default":"it's'''), ('"default":"YWJcMA=="', '"default":"YWIA"')),
        fields("df", 1, bi="9007199254740993", bn='"YWIA"'),
        schema("df2", ('"default":9007199254740992', '"default":9007199254740993'), ('"default":9223372036854775807', '"default":-1'),
               ('''"default":"it''s''', '''"default":"it's'''), ('''"default":"dq ''x''"''', '''"default":"dq 'x'"'''),
               (r'"default":"a\\tb\\\\c"', r'"default":"a\tb\\c"'), ('"default":"414"', '"default":"AB"'),
               ('"default":"NDE0Mg=="', '"default":"QUI="'), ('{"length":"5"},"field":"b5"', '{"length":"5"},"default":"BQ==","field":"b5"'),
               bool_field("bo", "true", "true"),
               ('"name":"io.debezium.time.Date","version":1,"default":0,', '"name":"io.debezium.time.Date","version":1,"default":18263,')),
        fields("df2", 0, bo="1"), fields("df2", 1, bo="1"), fields("df2", 2, bo="1"),
        text("g", ("default 'dq ''x'''", r'''default \"dq 'x'\"'''), ('"defaultValueExpression":"414"', '"defaultValueExpression":"AB"'),
             ('"defaultValueExpression":"true"', '"defaultValueExpression":"1"'),
             ('"defaultValueExpression":"null"', '"defaultValueExpression":null')),
    ],
    # a UNIQUE column that may be NULL is no key
    "29-keys": [
        key("inl", (0, 2, 3), INT_B, '{"b":2}'), key("inl", (1, 4, 5), INT_B, '{"b":4}'),
        key("inl2", range(4), None, None),
        one("g", 0, ('"primaryKeyColumnNames":["a"]', '"primaryKeyColumnNames":["b"]')),
        one("g", 1, ('"primaryKeyColumnNames":["b"]', '"primaryKeyColumnNames":[]')),
    ],
    # (1) a table's new default charset counts for its later columns, (2) CHARACTER SET binary and BYTE make binary types,
    # (3) ASCII, UNICODE and a table's COLLATE say the charset, (4) TEXT grows with CONVERT as it does on the server
    "41-ddl-charset": [
        schema("ce", ('{"type":"string","optional":true,"field":"x"}', '{"type":"bytes","optional":true,"field":"x"}'),
               ('{"type":"string","optional":true,"field":"b"}', '{"type":"bytes","optional":true,"field":"b"}')),
        fields("ce", 0, x='"w6k="', b='"w6k="', u='"é"'),
        fields("cc", 3, d='"щ"'),
        one("g", 0, *TEXT_GROWS), one("g", 1, *TEXT_GROWS), one("g", 2, *TEXT_GROWS), one("g", 6, *TEXT_GROWS),
        one("g", 1, ('"defaultCharsetName":"utf8mb4"', '"defaultCharsetName":"cp1251"')),
        one("g", 2, ('"defaultCharsetName":"utf8mb4"', '"defaultCharsetName":"cp1251"'),
            ('"charsetName":"utf8mb4","length":9,"scale":null,"position":5', '"charsetName":"cp1251","length":9,"scale":null,"position":5')),
        one("g", 5, ('"defaultCharsetName":"latin2"', '"defaultCharsetName":"utf8mb3"'),
            column("x", 12, "VARCHAR", "binary", -3, "VARBINARY", None), column("b", 12, "VARCHAR", "latin2", -3, "VARBINARY", None),
            column("a", 1, "CHAR", "latin2", 1, "CHAR", "latin1"), column("u", 1, "CHAR", "latin2", 1, "CHAR", "ucs2")),
    ],
    # of tables that are not captured no schema change is told (schema.history.internal.store.only.captured.tables.ddl=true)
    "42-column-filters": [without("g", 0, '"ddl":"alter table hidden add x int"')],
    # BOOL, REAL; an empty comment is none
    "47-source-type-params": [
        schema("p2", ('"type":"boolean","optional":true,"parameters"', '"type":"int16","optional":true,"parameters"'),
               ('"type":"float","optional":true,"parameters"', '"type":"double","optional":true,"parameters"')),
        schema("p2", ('"optional":true,"doc":"","parameters"', '"optional":true,"parameters"')),
        fields("p2", 0, bo="1"), fields("p2", 1, bo="1"),
        one("g", 0, ('"comment":"","defaultValueExpression":null,"enumValues":null}],', '"comment":null,"defaultValueExpression":null,"enumValues":null}],')),
    ],
    # rows of an XA transaction come when it commits
    "50-xa": [without("xt", 2, '"after":{"id":3,"v":3}')],
    # a partial update is an update
    "58-partial-json": [
        like("pj", 0, 1, (r'"before":{"id":1,"j":"{\"a\":\"short\",', r'"before":{"id":1,"j":"{\"a\":\"a long enough text value\",'),
             (r'"after":{"id":1,"j":"{\"a\":\"later\",', r'"after":{"id":1,"j":"{\"a\":\"short\",')),
        added("g.g_partial_json.pj", 1, r'"before":{"id":2,"j":"{\"a\":1}"},"after":{"id":2,"j":"{\"whole\":1}"}', '"op":"u"'),
    ],
    # the reference died in the snapshot
    "59-decimal-zerofill": [added("g.g_decimal_zerofill.dz", 0, '"after":{"id":2,"h":"Bdw=","f":1.5,"i":7}', '"op":"c"')],
    # a date that does not exist loses itself, not the stream
    "62-invalid-date": [
        only("iv", 1),
        like("iv", 1, 0, ('{"id":3}', '{"id":4}'), ('"after":{"id":3,"d":18687,"n":1614556800000}', '"after":{"id":4,"d":null,"n":0}')),
        added("g.g_invalid_date.iv", 2, '"after":{"id":5,"d":18688,"n":1614643200000}'),
    ],
    # BOOL, REAL; FLOAT4 is a float; a fraction of no digits is no length
    "63-alias-types": [
        schema("ty", real_field("s", "double", "float"), bool_field("u"), bool_field("v")),
        fields("ty", 0, s="1.1", u="1", v="0"),
        schema("ty2", real_field("j")),
        text("g", ('"typeExpression":"DATETIME","charsetName":null,"length":0', '"typeExpression":"DATETIME","charsetName":null,"length":null')),
    ],
    # the reference could not read a statement of a session with ANSI_QUOTES
    "65-ansi-quotes": [
        added("g", 0, r'"ddl":"create table \"ansi q\"', r'"id":"\"g_ansi_quotes\".\"ansi q\""', '"primaryKeyColumnNames":["id"]'),
        added("g.g_ansi_quotes.ansi_q", 0, '"after":{"id":1,"v":"x"}', '"op":"c"'),
        added("g.g_ansi_quotes.seed", 0, '"after":{"id":2}', '"op":"c"'),
    ],
    # a key is what a new look at the table would find; the statement's text is the server's
    "71-key-by-index": [
        one("g", 0, ('"ddl":"unique index u on k1 (b)"', '"ddl":"create unique index u on k1 (b)"')),
        one("g", 2, ('"primaryKeyColumnNames":[]', '"primaryKeyColumnNames":["b"]')),
        one("g", 4, ('"primaryKeyColumnNames":[]', '"primaryKeyColumnNames":["a","b"]')),
        one("g", 5, ('"primaryKeyColumnNames":["b"]', '"primaryKeyColumnNames":["a","b"]')),
        key("k1", (3,), INT_B, '{"b":4}'),
        key("k2", (0,), f"{INT_A},{STRING_B}", '{"a":2,"b":"y"}'), key("k2", (1,), f"{INT_A},{STRING_B}", '{"a":3,"b":"z"}'),
    ],
    # true defaults
    "73-modes": [schema("t", ('"default":"615c305c30"', '"default":"610000"'))],
    # the statement's text is the server's
    "74-unseen": [text("g", ('"ddl":"unique index', '"ddl":"create unique index'))],
}
