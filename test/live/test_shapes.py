# SPDX-License-Identifier: Apache-2.0
"""Statements that change tables, at which connectors have stumbled: the rows behind each are told in the table's new shape."""
import pytest

from followed import Keeper, columns
from harness.replay import decode
from snapshot_run import Run


@pytest.fixture(scope="module")
def keeper(mysql, kafka, scratch):
    keeper = Keeper(mysql, kafka, scratch, "shapes")
    yield keeper
    keeper.close()


@pytest.fixture
def sea(keeper):
    """A database that is followed with the default settings."""
    return keeper.running()


def keys(changes):
    return [(change.op, change.key) for change in changes]


# ---- how a statement is written


def test_clauses_in_executable_comments_count_for_versions_that_the_server_has(sea):
    sea.sql("""CREATE TABLE /*!50000 IF NOT EXISTS */ ec (id INT PRIMARY KEY, a INT /*!80000 , b INT DEFAULT 4 */ /*!99999 ,
            never INT */ )
            /*!50100 ENGINE=InnoDB */ /* plain */;
        CREATE TABLE /*!50000 IF NOT EXISTS */ ec (other INT); INSERT INTO ec (id, a) VALUES (1, 2);
        ALTER TABLE ec /*!80000 ADD c INT DEFAULT 5 */ /*!50000 COMMENT 'x' , */ ADD d INT /*!999999 ,
            DROP a */ /*+ hint */ /*!AFTER a */;
        INSERT INTO ec (id) VALUES (2);
        /*!50003 ALTER TABLE ec DROP COLUMN b */; INSERT INTO ec (id) VALUES (3);
        ALTER TABLE ec /* /*! nested? */ RENAME COLUMN a TO `/*!not a comment*/`; INSERT INTO ec (id) VALUES (4)""")
    assert sea.afters("ec") == [
        {"id": 1, "a": 2, "b": 4}, {"id": 2, "a": None, "d": None, "b": 4, "c": 5}, {"id": 3, "a": None, "d": None, "c": 5},
        {"id": 4, "/*!not a comment*/": None, "d": None, "c": 5}]


def test_keywords_are_names_where_the_server_takes_them_for_names(sea):
    sea.sql("""CREATE TABLE kw (id INT PRIMARY KEY, sequence INT, encrypted INT, returning INT, geometry INT, national INT,
            buckets INT,
            `rank` INT, `order` INT, value INT, `key` INT, txt VARCHAR(20) DEFAULT 'FROM RANK');
        INSERT INTO kw (id, sequence, `rank`) VALUES (1, 2, 3);
        ALTER TABLE kw ADD COLUMN visible INT, ADD COLUMN instant INT, CHANGE `rank` `system` INT;
        INSERT INTO kw (id, `system`) VALUES (2, 9)""")
    assert sea.afters("kw") == [
        {"id": 1, "sequence": 2, "encrypted": None, "returning": None, "geometry": None, "national": None, "buckets": None,
            "rank": 3,
         "order": None, "value": None, "key": None, "txt": "FROM RANK"},
        {"id": 2, "sequence": None, "encrypted": None, "returning": None, "geometry": None, "national": None, "buckets": None,
            "system": 9,
         "order": None, "value": None, "key": None, "txt": "FROM RANK", "visible": None, "instant": None}]
    assert list(sea.afters("kw")[1]) == ["id", "sequence", "encrypted", "returning", "geometry", "national", "buckets", "system",
        "order",
                                         "value", "key", "txt", "visible", "instant"]


def test_every_word_that_needs_no_quotes_is_a_name_of_a_column_and_a_table(sea):
    """Each word that the server says is not reserved: as a column that is created, added, moved, renamed, dropped, and as a table."""
    words = [row[0].lower() for row in sea.sql("SELECT word FROM information_schema.keywords WHERE reserved = 0 ORDER BY word")]
    assert len(words) > 400
    half = len(words) // 2
    added = "".join((f", ADD {word} INT", f", ADD {word} INT AFTER id", f", ADD {word} INT FIRST", f", ADD COLUMN ({word} INT)")[number % 4]
                    for number, word in enumerate(words[half:]))
    changed = "".join((f", CHANGE {word} {word}_2 INT", f", RENAME COLUMN {word} TO {word}_2", f", ALTER {word} SET DEFAULT 3",
                       f", DROP {word}", f", MODIFY {word} BIGINT")[number % 5] for number, word in enumerate(words))
    sea.sql(f"""CREATE TABLE words (id INT PRIMARY KEY, {", ".join(f"{word} INT" for word in words[:half])});
        INSERT INTO words (id) VALUES (1); ALTER TABLE words ADD extra INT{added}; INSERT INTO words (id) VALUES (2)""")
    as_is = [row[0] for row in sea.sql("SHOW COLUMNS FROM words")]
    sea.sql(f"ALTER TABLE words DROP extra{changed}; INSERT INTO words (id) VALUES (3)")
    changed = [row[0] for row in sea.sql("SHOW COLUMNS FROM words")]
    assert [list(row) for row in sea.afters("words")] == [["id", *words[:half]], as_is, changed]
    chain = ["word", *words, "last"]
    sea.sql(f"""CREATE TABLE word (id INT PRIMARY KEY); RENAME TABLE {", ".join(f"{a} TO {b}" for a, b in zip(chain, chain[1:]))};
        INSERT INTO last VALUES (1); CREATE TABLE {words[0]} LIKE last; INSERT INTO {words[0]} VALUES (2)""")
    assert sea.afters("last") == [{"id": 1}] and sea.afters(words[0]) == [{"id": 2}]


def test_names_with_quotes_dots_blanks_and_foreign_letters_are_kept(sea):
    other, table = f"{sea.database}-1", "we``ird.t$\\"
    sea.sql(f"""CREATE DATABASE `{other}`; CREATE TABLE `{other}`.`{table}` (`i d` INT PRIMARY KEY, `c``1` INT, `潮` INT,
            `"q"` INT);
        INSERT INTO `{other}`.`{table}` VALUES (1, 2, 3, 4); ALTER TABLE `{other}`.`{table}` DROP `c``1`;
        INSERT INTO `{other}`.`{table}` VALUES (5, 6, 7)""")
    topic = f"{sea.prefix}.{other}.we_ird.t__"
    first, second = sea.told(None, topic)
    assert first.after == {"i d": 1, "c`1": 2, "潮": 3, '"q"': 4}
    assert second.after == {"i d": 5, "潮": 6, '"q"': 7}
    assert (second.source["db"], second.source["table"], second.key) == (other, "we`ird.t$\\", {"i d": 5})
    sea.sql(f"""SET sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES';
            ALTER TABLE "{other}" . "we`ird.t$\\" ADD "a""b'" VARCHAR(9) DEFAULT 'it''s\\' FIRST,
            RENAME COLUMN "潮" TO "Ärger\\";
        INSERT INTO "{other}"."we`ird.t$\\" ("i d") VALUES (8); RENAME TABLE "{other}"."we`ird.t$\\" TO "{other}"."1st.2nd";
        INSERT INTO "{other}" . "1st.2nd" ("i d") VALUES (9);
        ALTER TABLE "{other}"."1st.2nd" RENAME AS "{sea.database}". "ta'ble";
        INSERT INTO "{sea.database}"."ta'ble" ("i d") VALUES (10)""")
    row = {'a"b\'': "it's\\", "i d": 8, "Ärger\\": None, '"q"': None}
    assert sea.afters(None, topic)[2] == row
    assert sea.afters(None, f"{sea.prefix}.{other}.1st.2nd") == [{**row, "i d": 9}]
    assert sea.afters(None, f"{sea.prefix}.{sea.database}.ta_ble") == [{**row, "i d": 10}]


def test_names_are_lower_case_where_the_server_makes_them_so(new_mysql, kafka, tidemark, names):
    """lower_case_table_names=1: the log has statements as they were written, and rows by the names the server keeps."""
    run = Run(new_mysql({"lower-case-table-names": 1}), kafka, tidemark, names, table_include_list=f"{names.database.upper()}[.].*")
    run.sql(f"""CREATE TABLE `Gauge` (Id INT PRIMARY KEY); INSERT INTO GAUGE VALUES (1);
        ALTER TABLE {names.database.upper()}.gauGE ADD v INT; INSERT INTO {names.database.capitalize()}.Gauge VALUES (2, 3);
        CREATE TABLE Other LIKE GAUGE; RENAME TABLE OTHER TO `New`; INSERT INTO nEW VALUES (4, 5)""")
    expected = [{"Id": 1}, {"Id": 2, "v": 3}, {"Id": 6, "v": 7}]
    assert run.wait_rows("gauge", 2, op="c") == expected[:2]
    assert run.wait_rows("new", 1, op="c") == [{"Id": 4, "v": 5}]
    run.program.stop()
    run.start()
    run.sql("INSERT INTO GAUGE VALUES (6, 7)")
    assert run.wait_rows("gauge", 3, op="c") == expected
    run.snapshot("Gauge")
    assert len(run.rows("gauge")) == 3
    assert {topic for topic in kafka.topics() if topic.startswith(f"{run.prefix}.")} == {run.topic("gauge"), run.topic("new")}


def test_tables_that_share_a_topic_are_told_and_warned_of(sea):
    sea.sql("CREATE TABLE `a$b` (id INT PRIMARY KEY); CREATE TABLE a_b (id INT PRIMARY KEY); "
            "INSERT INTO `a$b` VALUES (1); INSERT INTO a_b VALUES (2)")
    assert [(change.key["id"], change.source["table"]) for change in sea.told("a_b")] == [(1, "a$b"), (2, "a_b")]
    assert "share a topic" in sea.program.log_text()


# ---- columns


def test_invisible_generated_and_index_columns_are_counted_right(sea):
    sea.sql("""CREATE TABLE hid (id INT PRIMARY KEY, secret INT INVISIBLE DEFAULT 3, v INT,
            g INT GENERATED ALWAYS AS (v*2) VIRTUAL,
            s INT GENERATED ALWAYS AS (v+1) STORED, KEY fx ((v*10)), KEY fd ((CAST(v AS CHAR(9))) DESC));
        INSERT INTO hid (id, v) VALUES (1, 5);
        ALTER TABLE hid ALTER COLUMN secret SET VISIBLE, ADD w INT INVISIBLE AFTER id; INSERT INTO hid (id, v) VALUES (2, 6)""")
    row = {"id": 2, "w": None, "secret": 3, "v": 6, "g": 12, "s": 7}
    assert sea.afters("hid") == [{"id": 1, "secret": 3, "v": 5, "g": 10, "s": 6}, row]
    assert list(sea.afters("hid")[1]) == list(row)
    sea.sql("UPDATE hid SET v = v + 1")  # so that both rows are told in the new shape
    sea.assert_snapshot_equal("hid")


def test_indexes_on_expressions_come_and_go_unseen(sea):
    """Also those that the server keeps as hidden columns, amid columns that are added at once and later."""
    sea.sql("""CREATE TABLE hx (id INT PRIMARY KEY, v INT, j JSON, t VARCHAR(20));
        CREATE INDEX f1 ON hx ((v + 1)); INSERT INTO hx VALUES (1, 1, '[1]', 'a');
        ALTER TABLE hx ADD INDEX f2 ((LOWER(t))), ADD a INT; INSERT INTO hx VALUES (2, 1, '[1]', 'a', 2);
        ALTER TABLE hx ADD INDEX mv ((CAST(j AS UNSIGNED ARRAY))); INSERT INTO hx VALUES (3, 1, '[1]', 'a', 3);
        ALTER TABLE hx ADD b INT, ALGORITHM = INSTANT; INSERT INTO hx VALUES (4, 1, '[1]', 'a', 4, 4);
        ALTER TABLE hx DROP INDEX f1, ADD c INT AFTER id; INSERT INTO hx VALUES (5, 5, 1, '[1]', 'a', 5, 5);
        DROP INDEX f2 ON hx; ALTER TABLE hx DROP a, RENAME INDEX mv TO mw; INSERT INTO hx VALUES (6, 6, 1, '[1]', 'a', 6)""")
    base = {"v": 1, "j": "[1]", "t": "a"}
    assert sea.afters("hx") == [{"id": 1, **base}, {"id": 2, **base, "a": 2}, {"id": 3, **base, "a": 3},
                                {"id": 4, **base, "a": 4, "b": 4},
                                {"id": 5, "c": 5, **base, "a": 5, "b": 5}, {"id": 6, "c": 6, **base, "b": 6}]


def test_a_changed_column_is_optional_unless_it_says_otherwise(sea):
    sea.sql("""SET sql_mode = ''; CREATE TABLE nn (id INT PRIMARY KEY, d DATE NOT NULL, n INT NOT NULL DEFAULT 5,
            t TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP);
        ALTER TABLE nn CHANGE d d DATE DEFAULT NULL, MODIFY n INT; INSERT INTO nn (id) VALUES (1);
        ALTER TABLE nn MODIFY n INT NOT NULL DEFAULT 0; INSERT INTO nn (id) VALUES (2);
        ALTER TABLE nn ALTER n SET DEFAULT 7, MODIFY d DATE NOT NULL DEFAULT '2020-01-01'; INSERT INTO nn (id) VALUES (3);
        ALTER TABLE nn ALTER COLUMN n DROP DEFAULT, CHANGE COLUMN t t TIMESTAMP NULL; INSERT INTO nn (id, n) VALUES (4, 1);
        ALTER TABLE nn MODIFY id BIGINT, CHANGE n m SMALLINT DEFAULT 3 FIRST; INSERT INTO nn (id, m) VALUES (5, NULL)""")
    records = sea.raw("nn")
    rows = [decode(record).after for record in records]
    found = [columns(record) for record in records]
    assert [(row["d"], row["n"]) for row in rows[:4]] == [(None, None), (None, 0), (18262, 7), (18262, 1)]
    assert [(schema["n"]["optional"], schema["n"].get("default")) for schema in found[:4]] == [
        (True, None), (False, 0), (False, 7), (False, None)]
    assert [(schema["d"]["optional"], schema["d"].get("default")) for schema in found] == [
        (True, None), (True, None), (False, 18262), (False, 18262), (False, 18262)]
    assert [schema["t"]["optional"] for schema in found] == [False, False, False, True, True]
    assert list(found[4]) == ["m", "id", "d", "t"] and found[4]["id"] == {"type": "int64", "optional": False}
    assert found[4]["m"] == {"type": "int16", "optional": True, "default": 3}


def test_timestamps_of_the_old_rule_are_required(sea):
    """Without explicit_defaults_for_timestamp a TIMESTAMP is NOT NULL with a default unless it says NULL."""
    sea.sql("""SET SESSION explicit_defaults_for_timestamp = OFF, sql_mode = '';
        CREATE TABLE ot (id INT PRIMARY KEY, a TIMESTAMP, b TIMESTAMP, c TIMESTAMP NULL); INSERT INTO ot (id) VALUES (1);
        ALTER TABLE ot ADD d TIMESTAMP(3), MODIFY c TIMESTAMP; INSERT INTO ot (id) VALUES (2);
        SET SESSION explicit_defaults_for_timestamp = ON; ALTER TABLE ot ADD e TIMESTAMP, MODIFY a TIMESTAMP;
        INSERT INTO ot (id) VALUES (3)""")
    found = [{name: schema["optional"] for name, schema in columns(record).items()} for record in sea.raw("ot")]
    assert found == [{"id": False, "a": False, "b": False, "c": True},
                     {"id": False, "a": False, "b": False, "c": False, "d": False}, {"id": False, "a": True, "b": False, "c": False, "d": False, "e": True}]


# ---- tables


@pytest.mark.parametrize("restarts", [False, True])
def test_tables_that_swap_names_are_told_by_their_own_columns(sea, restarts):
    """With restarts also while the old names are those that are stored."""
    a, b, c, tmp = (f"{name}{int(restarts)}" for name in ("a", "b", "c", "tmp"))
    for step in (f"CREATE TABLE {a} (id INT PRIMARY KEY, x INT); CREATE TABLE {b} (id INT PRIMARY KEY, y VARCHAR(9), z INT)",
                 f"RENAME TABLE {a} TO {tmp}, {b} TO {a}, {tmp} TO {b}",
                 f"INSERT INTO {a} VALUES (1, 'one', 11); INSERT INTO {b} VALUES (2, 22)", f"ALTER TABLE {b} RENAME AS {c}",
                 f"INSERT INTO {c} VALUES (3, 33)"):
        if restarts:
            sea.program.stop()
        sea.sql(step)
        if restarts:
            sea.start()
    assert [sea.afters(table) for table in (a, b, c)] == [[{"id": 1, "y": "one", "z": 11}], [{"id": 2, "x": 22}], [{"id": 3, "x": 33}]]


def test_views_that_swap_names_with_tables_are_passed_by(sea):
    sea.sql("""CREATE TABLE vt (id INT PRIMARY KEY, a INT); CREATE TABLE vu (id INT PRIMARY KEY, b VARCHAR(9));
        CREATE VIEW vv AS SELECT id, a FROM vt; RENAME TABLE vv TO vw; INSERT INTO vw VALUES (1, 1);
        RENAME TABLE vt TO vv, vw TO vt; DROP VIEW vt; CREATE VIEW vt AS SELECT id, b FROM vu; INSERT INTO vt VALUES (2, 'two');
        INSERT INTO vv VALUES (3, 3); RENAME TABLE vt TO vx, vu TO vt; INSERT INTO vt VALUES (4, 'four')""")
    assert sea.afters("vt") == [{"id": 1, "a": 1}, {"id": 4, "b": "four"}]
    assert sea.afters("vu") == [{"id": 2, "b": "two"}]
    assert sea.afters("vv") == [{"id": 3, "a": 3}]


def test_renames_across_databases_and_in_chains_are_followed(sea):
    other = f"{sea.database}-2"
    sea.sql(f"""CREATE DATABASE `{other}`; CREATE TABLE r1 (id INT PRIMARY KEY, a INT);
            CREATE TABLE r2 (id INT PRIMARY KEY, b VARCHAR(5));
        CREATE TABLE r3 (id INT PRIMARY KEY, c DATE); INSERT INTO r1 VALUES (1, 1);
        RENAME TABLE r1 TO `{other}`.r1, r2 TO r1, r3 TO r2, `{other}`.r1 TO r3;
        INSERT INTO r1 VALUES (2, 'b'); INSERT INTO r2 VALUES (3, '2020-01-01'); INSERT INTO r3 VALUES (4, 4);
        RENAME TABLE r3 TO `{other}`.r9; USE `{other}`; ALTER TABLE r9 ADD z INT, RENAME TO {sea.database}.r4; USE {sea.database};
        INSERT INTO r4 VALUES (5, 5, 5); LOCK TABLES r4 WRITE, r1 WRITE; ALTER TABLE r4 RENAME r5; UNLOCK TABLES;
        INSERT INTO r5 VALUES (6, 6, 6);
        RENAME TABLES r5 TO R5x, r2 TO r5; INSERT INTO R5x VALUES (7, 7, 7); INSERT INTO r5 VALUES (8, NULL)""")
    assert [sea.afters(table) for table in ("r1", "r2", "r3", "r4", "r5", "R5x")] == [
        [{"id": 1, "a": 1}, {"id": 2, "b": "b"}], [{"id": 3, "c": 18262}], [{"id": 4, "a": 4}], [{"id": 5, "a": 5, "z": 5}],
        [{"id": 6, "a": 6, "z": 6}, {"id": 8, "c": None}], [{"id": 7, "a": 7, "z": 7}]]


def test_tables_made_from_others_have_their_columns_and_temporary_ones_are_not_told(sea):
    sea.sql("""CREATE TABLE src (id INT PRIMARY KEY, v VARCHAR(9) CHARACTER SET latin1 DEFAULT 'é');
            INSERT INTO src VALUES (1, DEFAULT);
        CREATE TABLE l LIKE src; INSERT INTO l VALUES (2, DEFAULT);
        CREATE TABLE s (PRIMARY KEY (id)) AS SELECT id, v, id*2 AS w FROM src;
        CREATE TEMPORARY TABLE tmp1 (x INT); INSERT INTO tmp1 VALUES (1); DROP TEMPORARY TABLE tmp1""")
    assert [(change.key, change.after) for change in sea.told("l")] == [({"id": 2}, {"id": 2, "v": "é"})]
    assert [(change.key, change.after) for change in sea.told("s")] == [({"id": 1}, {"id": 1, "v": "é", "w": 2})]
    assert sea.topic("tmp1") not in sea.kafka.topics()


def test_a_temporary_table_hides_one_of_the_same_name_from_its_session_only(sea):
    sea.sql("""CREATE TABLE th (id INT PRIMARY KEY, a INT); INSERT INTO th VALUES (1, 1);
        CREATE TEMPORARY TABLE th (x VARCHAR(9)); INSERT INTO th VALUES ('not told'); ALTER TABLE th ADD y INT; TRUNCATE TABLE th;
        CREATE TEMPORARY TABLE tl LIKE th; DROP TABLE th; DROP TEMPORARY TABLE tl;
        INSERT INTO th VALUES (2, 2); CREATE TEMPORARY TABLE th SELECT 1 AS z; DROP TEMPORARY TABLE IF EXISTS th;
        ALTER TABLE th ADD b INT;
        CREATE TEMPORARY TABLE th (w INT)""")  # dropped with its session
    sea.sql("INSERT INTO th VALUES (3, 3, 3); CREATE TABLE tl LIKE th; INSERT INTO tl VALUES (4, 4, 4)")
    assert sea.afters("th") == [{"id": 1, "a": 1}, {"id": 2, "a": 2}, {"id": 3, "a": 3, "b": 3}]
    assert sea.afters("tl") == [{"id": 4, "a": 4, "b": 4}]


def test_tables_made_from_queries_have_the_types_of_the_query(sea):
    sea.sql("""CREATE TABLE q0 (id INT PRIMARY KEY, v VARCHAR(9) CHARACTER SET cp1251 NOT NULL DEFAULT 'Ж', e ENUM('a','b'),
            d DECIMAL(8,3), j JSON,
            t TIMESTAMP(2) NULL, i INT INVISIBLE, b BIT(9), g POINT);
        INSERT INTO q0 VALUES (1, 'Ж', 'b', 1.5, '[1]', NULL, b'1', POINT(1, 2));
        CREATE TABLE q1 AS SELECT *, 'text' AS c, 1.50 AS k, NOW() IS NULL AS n, CONCAT(v, e) AS x, NULL AS z, 1e0 AS f FROM q0;
        CREATE TABLE q2 (own BIGINT NOT NULL DEFAULT 9, v VARCHAR(30) CHARACTER SET utf8mb4, UNIQUE u (own)) SELECT v, e,
            id FROM q0;
        CREATE TABLE q3 SELECT q.id AS `left id`, q0.id + 0.5 AS `sum` FROM q0 q JOIN q0 USING (id) UNION ALL SELECT 1, 2;
        CREATE TABLE q4 AS TABLE q2; CREATE TABLE q5 AS VALUES ROW(1, 'x'), ROW(2, 'y'); CREATE TABLE q6 LIKE q2;
        CREATE TABLE IF NOT EXISTS q6 SELECT 1 AS never; REPLACE INTO q6 SELECT * FROM q2""")
    [row] = sea.afters("q1")
    assert row == {"id": 1, "v": "Ж", "e": "b", "d": "Bdw=", "j": "[1]", "t": None, "b": "AQA=",
                   "g": {"x": 1.0, "y": 2.0, "wkb": "AQEAAAAAAAAAAADwPwAAAAAAAABA", "srid": None},
                   "c": "text", "k": "AJY=", "n": 0, "x": "Жb", "z": None, "f": 1.0}
    assert [(change.key, change.after) for change in sea.told("q2")] == [({"own": 9}, {"own": 9, "v": "Ж", "e": "b", "id": 1})]
    assert sea.afters("q3") == [{"left id": 1, "sum": "Dw=="}, {"left id": 1, "sum": "FA=="}]
    assert sea.afters("q4") == [{"own": 9, "v": "Ж", "e": "b", "id": 1}] == sea.afters("q6")
    assert sea.afters("q5") == [{"column_0": 1, "column_1": "x"}, {"column_0": 2, "column_1": "y"}]


# ---- keys


def test_the_record_key_follows_the_primary_key(sea):
    sea.sql("""CREATE TABLE pk (id INT PRIMARY KEY, k INT NOT NULL, v INT); INSERT INTO pk VALUES (1, 10, 0);
        ALTER TABLE pk RENAME COLUMN id TO no; INSERT INTO pk VALUES (2, 20, 0);
        ALTER TABLE pk DROP PRIMARY KEY; INSERT INTO pk VALUES (3, 30, 0);
        ALTER TABLE pk ADD CONSTRAINT pk_name PRIMARY KEY (k, no); INSERT INTO pk VALUES (4, 40, 0);
        UPDATE pk SET k = 41 WHERE no = 4""")
    told = sea.told("pk")
    assert keys(told) == [("c", {"id": 1}), ("c", {"no": 2}), ("c", None), ("c", {"k": 40, "no": 4}), ("d", {"k": 40, "no": 4}),
                          (None, {"k": 40, "no": 4}), ("c", {"k": 41, "no": 4})]
    assert told[4].headers["__debezium.newkey"] == '{"k":41,"no":4}' and told[6].headers["__debezium.oldkey"] == '{"k":40,"no":4}'


def test_the_record_key_follows_changes_of_its_columns_and_unique_keys(sea):
    sea.sql("""CREATE TABLE pu (id INT, k INT NOT NULL, v VARCHAR(9), PRIMARY KEY (id)); INSERT INTO pu VALUES (1, 10, 'a');
        ALTER TABLE pu MODIFY id BIGINT AFTER v; INSERT INTO pu VALUES (10, 'b', 2);
        ALTER TABLE pu CHANGE id `the id` VARCHAR(9); INSERT INTO pu VALUES (10, 'c', 'three');
        ALTER TABLE pu DROP PRIMARY KEY, ADD PRIMARY KEY (v(3), k); INSERT INTO pu VALUES (10, 'four', '4');
        ALTER TABLE pu DROP PRIMARY KEY, ADD UNIQUE KEY uk (k, v(2)), ADD UNIQUE (`the id`); INSERT INTO pu VALUES (50, '5', '5');
        ALTER TABLE pu MODIFY v VARCHAR(9) NOT NULL, ADD COLUMN s INT NOT NULL AUTO_INCREMENT UNIQUE;
        INSERT INTO pu VALUES (60, '6', '6', 60);
        ALTER TABLE pu ADD PRIMARY KEY (s), DROP KEY s; INSERT INTO pu VALUES (70, '7', '7', 70);
        ALTER TABLE pu DROP COLUMN s, ADD x INT PRIMARY KEY AUTO_INCREMENT FIRST; INSERT INTO pu VALUES (80, 80, '8', '8')""")
    assert keys(sea.told("pu")) == [
        ("c", {"id": 1}), ("c", {"id": 2}), ("c", {"the id": "three"}), ("c", {"v": "four", "k": 10}), ("c", {"the id": "5"}),
        ("c", {"the id": "6"}), ("c", {"s": 70}), ("c", {"x": 80})]


def test_a_generated_invisible_key_is_a_key(sea):
    sea.sql("""SET SESSION sql_generate_invisible_primary_key = ON; CREATE TABLE gi (v INT); INSERT INTO gi (v) VALUES (5);
        ALTER TABLE gi ALTER COLUMN my_row_id SET VISIBLE; INSERT INTO gi VALUES (9, 6)""")
    assert [(change.key, change.after) for change in sea.told("gi")] == [
        ({"my_row_id": 1}, {"my_row_id": 1, "v": 5}), ({"my_row_id": 9}, {"my_row_id": 9, "v": 6})]


# ---- charsets


STEPS = [
    "CREATE DATABASE {db} CHARACTER SET utf8mb4", "USE {db}; ALTER DATABASE CHARACTER SET latin1",
    "USE {db}; CREATE TABLE n (id INT PRIMARY KEY, v VARCHAR(9), w VARCHAR(9) COLLATE cp1251_general_ci, x VARCHAR(9) COLLATE latin1_bin)",
    "INSERT INTO {db}.n VALUES (1, 'é', 'Ж', 'ü')", "ALTER TABLE {db}.n ADD y VARCHAR(9), DEFAULT CHARACTER SET utf8mb4",
    "INSERT INTO {db}.n VALUES (2, 'é', 'Ж', 'ü', 'é')", "ALTER TABLE {db}.n ADD q VARCHAR(9)",
    "INSERT INTO {db}.n VALUES (3, 'é', 'Ж', 'ü', 'é', '☃')",
]


@pytest.mark.parametrize("restarts", [False, True])
def test_charsets_of_databases_and_tables_are_those_of_their_time(sea, restarts):
    database = f"{sea.database}-h{int(restarts)}"
    for step in STEPS:
        sea.mysql.sql(step.format(db=f"`{database}`"))
        if restarts:
            sea.settle().restart()
    base = {"v": "é", "w": "Ж", "x": "ü"}
    assert sea.afters(None, f"{sea.prefix}.{database}.n") == [
        {"id": 1, **base}, {"id": 2, **base, "y": "é"}, {"id": 3, **base, "y": "é", "q": "☃"}]
    assert columns(sea.raw(None, f"{sea.prefix}.{database}.n")[0])["x"]["type"] == "string"


def test_charsets_come_from_every_place_where_a_statement_may_name_one(sea):
    database = f"{sea.database}-cs"
    sea.mysql.sql(f"""CREATE SCHEMA `{database}` COLLATE koi8r_bin; USE `{database}`;
        CREATE TABLE a (id INT PRIMARY KEY, v VARCHAR(9), n NCHAR(9), b VARCHAR(9) BINARY, u CHAR(9) UNICODE, y CHAR(3) BYTE);
        INSERT INTO a VALUES (1, 'Ж', 'é', 'ж', 'ü', 'é');
        ALTER SCHEMA `{database}` DEFAULT COLLATE = latin2_bin; ALTER TABLE a ADD c VARCHAR(9);
        INSERT INTO a VALUES (2, 'Ж', 'é', 'ж', 'ü', 'é', 'Ж');
        CREATE TABLE l LIKE a; ALTER TABLE l ADD d TEXT; INSERT INTO l (id, v, d) VALUES (3, 'Ж', 'ж');
        CREATE TABLE p (id INT PRIMARY KEY, v VARCHAR(9)); INSERT INTO p VALUES (4, 'ž');
        ALTER TABLE p CONVERT TO CHARACTER SET cp1250, ADD w VARCHAR(9) FIRST, ADD x VARCHAR(9) COLLATE greek_bin;
        INSERT INTO p VALUES ('€', 5, '€', 'ž');
        ALTER TABLE p COLLATE utf8mb4_bin; ALTER TABLE p ADD z TINYTEXT; INSERT INTO p VALUES ('€', 6, '€', 'ž', '🌊');
        DELETE FROM p; ALTER TABLE p CONVERT TO CHARSET DEFAULT; INSERT INTO p VALUES ('ž', 7, 'ž', 'ž', 'ž');
        DELETE FROM p; ALTER TABLE p MODIFY v VARCHAR(9) CHARACTER SET cp866, CHANGE w w2 CHAR(9) COLLATE utf16_bin;
        INSERT INTO p VALUES ('☃', 8, 'Ж', 'ž', 'ž');
        USE mysql; ALTER DATABASE `{database}` CHARSET ujis; CREATE TABLE `{database}`.j (id INT PRIMARY KEY, v TEXT);
        INSERT INTO `{database}`.j VALUES (9, '潮')""")
    told = [row for table in "alpj" for row in sea.afters(None, f"{sea.prefix}.{database}.{table}")]
    base = {"v": "Ж", "n": "é", "b": "ж", "u": "ü", "y": "w6kA"}
    assert told == [{"id": 1, **base}, {"id": 2, **base, "c": "Ж"}, {"id": 3, **dict.fromkeys("nbuyc"), "v": "Ж", "d": "ж"},
                    {"id": 4, "v": "ž"}, {"w": "€", "id": 5, "v": "€", "x": "ž"}, {"w": "€", "id": 6, "v": "€", "x": "ž", "z": "🌊"},
                    {"w": "ž", "id": 7, "v": "ž", "x": "ž", "z": "ž"}, {"w2": "☃", "id": 8, "v": "Ж", "x": "ž", "z": "ž"},
                    {"id": 9, "v": "潮"}]


# ---- partitions


def test_partitions_are_kept_apart_from_columns(sea):
    sea.sql("""CREATE TABLE pt (id INT, d DATE NOT NULL,
            PRIMARY KEY (id, d)) PARTITION BY RANGE COLUMNS(d) SUBPARTITION BY HASH(id) SUBPARTITIONS 2
            (PARTITION p0 VALUES LESS THAN ('2024-01-01'), PARTITION pm VALUES LESS THAN (MAXVALUE));
        CREATE TABLE px (id INT, d DATE NOT NULL, PRIMARY KEY (id, d)) PARTITION BY HASH(id) PARTITIONS 2;
        CREATE TABLE ex LIKE px; ALTER TABLE ex REMOVE PARTITIONING;
        ALTER TABLE px EXCHANGE PARTITION p0 WITH TABLE ex WITHOUT VALIDATION;
        ALTER TABLE pt REORGANIZE PARTITION pm INTO (PARTITION p1 VALUES LESS THAN ('2025-01-01'),
            PARTITION pm VALUES LESS THAN (MAXVALUE))""")
    sea.settle()
    before = sea.program.log_mark()
    sea.sql("""ALTER TABLE pt TRUNCATE PARTITION p0; ALTER TABLE pt DROP PARTITION p0; ALTER TABLE pt ADD v INT;
        INSERT INTO pt VALUES (1, '2024-06-01', 5)""")
    assert [(change.op, change.after) for change in sea.told("pt")] == [("c", {"id": 1, "d": 19875, "v": 5})]
    warnings = [line for line in sea.program.log_text()[before:].splitlines() if " warn " in line and f"{sea.database}.pt" in line]
    assert len(warnings) == 2, warnings
    for warning in warnings:
        assert "PARTITION p0" in warning and "does not hold the rows" in warning, warning


def test_rows_follow_tables_through_all_that_is_done_to_partitions(sea):
    sea.sql("""CREATE TABLE pr (id INT, v INT, PRIMARY KEY (id)); INSERT INTO pr VALUES (1, 1);
        ALTER TABLE pr ADD w INT PARTITION BY LINEAR KEY ALGORITHM = 2 (id) PARTITIONS 3; INSERT INTO pr VALUES (2, 2, 2);
        ALTER TABLE pr COALESCE PARTITION 1; ALTER TABLE pr ADD PARTITION PARTITIONS 2; ALTER TABLE pr REBUILD PARTITION ALL;
        INSERT INTO pr VALUES (3, 3, 3);
        ALTER TABLE pr PARTITION BY LIST (id) (PARTITION a VALUES IN (1, 2, 3) COMMENT = 'x, y (z)', PARTITION b VALUES IN (4, 5,
            6));
        ALTER TABLE pr ALGORITHM = INPLACE, ADD PARTITION (PARTITION c VALUES IN (7, 8)); INSERT INTO pr VALUES (4, 4, 4);
        ALTER TABLE pr DROP w, RENAME COLUMN v TO `partition`; ALTER TABLE pr OPTIMIZE PARTITION a, b;
        INSERT INTO pr VALUES (5, 5);
        ALTER TABLE pr ANALYZE PARTITION a; ALTER TABLE pr CHECK PARTITION ALL; ALTER TABLE pr REPAIR PARTITION b;
        INSERT INTO pr VALUES (6, 6);
        ALTER TABLE pr ADD x INT FIRST REMOVE PARTITIONING; INSERT INTO pr VALUES (7, 7, 7);
        CREATE TABLE pe LIKE pr; INSERT INTO pe VALUES (9, 9, 9);
        ALTER TABLE pr PARTITION BY RANGE (id) (PARTITION lo VALUES LESS THAN (10), PARTITION hi VALUES LESS THAN MAXVALUE);
        DELETE FROM pr WHERE id > 6; ALTER TABLE pr EXCHANGE PARTITION lo WITH TABLE pe; INSERT INTO pr VALUES (8, 8, 8)""")
    assert sea.afters("pr") == [{"id": 1, "v": 1}, {"id": 2, "v": 2, "w": 2}, {"id": 3, "v": 3, "w": 3},
                                {"id": 4, "v": 4, "w": 4}, {"id": 5, "partition": 5}, {"id": 6, "partition": 6},
                                {"x": 7, "id": 7, "partition": 7}, {"x": 8, "id": 8, "partition": 8}]
