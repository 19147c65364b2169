/* SPDX-License-Identifier: Apache-2.0 */
/* CREATE TABLE: types, charsets, defaults, attributes, keys, options; what the server implies by them. */
#include "test/support/ddl_rig.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>

static int setup(void **state)
{
    static struct ddl_rig rig;
    ddl_rig_init(&rig);
    *state = &rig;
    return 0;
}

static int teardown(void **state)
{
    ddl_rig_fini(*state);
    return 0;
}

/* A table with one column of this definition beside its key. */
static void check_definition(struct ddl_rig *rig, const char *definition, const char *expected)
{
    struct buf sql;
    buf_init(&sql);
    buf_printf(&sql, "CREATE TABLE t (id INT PRIMARY KEY, c %s)", definition);
    buf_put_u8(&sql, 0);
    RUN(rig, (const char *)sql.start);
    check_column(rig, "t", "c", expected);
    buf_fini(&sql);
}

static const struct column *column(struct ddl_rig *rig, const char *name)
{
    const struct shape *s = ddl_rig_shape(rig, "t");
    return &s->columns[shape_column(s, view_of(name))];
}

/* ---- types */

static void ddl_reads_numbers_by_all_their_names(void **state)
{
    check_definition(*state, "int", "INT NULL");
    check_definition(*state, "INT1 UNSIGNED", "INT1 UNSIGNED NULL");
    check_definition(*state, "middleint(5) zerofill unsigned", "MIDDLEINT(5) ZEROFILL UNSIGNED NULL");
    check_definition(*state, "DECIMAL", "DECIMAL(10,0) NULL");
    check_definition(*state, "FIXED(7)", "FIXED(7,0) NULL");
    check_definition(*state, "dec(0)", "DEC(10,0) NULL");
    check_definition(*state, "NUMERIC(8, 2) SIGNED", "NUMERIC(8,2) SIGNED NULL");
    check_definition(*state, "DOUBLE PRECISION(12,3)", "DOUBLE PRECISION(12,3) NULL");
    check_definition(*state, "BIT", "BIT(1) NULL");
    check_definition(*state, "BOOLEAN", "BOOLEAN NULL");
}

static void check_kind(struct ddl_rig *rig, const char *definition, enum column_kind kind)
{
    struct buf sql;
    buf_init(&sql);
    buf_printf(&sql, "CREATE TABLE t (c %s)", definition);
    buf_put_u8(&sql, 0);
    RUN(rig, (const char *)sql.start);
    if (column(rig, "c")->kind != kind)
        fail_msg("%s is of kind %d, not %d", definition, (int)column(rig, "c")->kind, (int)kind);
    buf_fini(&sql);
}

static void ddl_gives_each_name_its_kind(void **state)
{
    static const struct {
        const char *name;
        enum column_kind kind;
    } kinds[] = {
        {"TINYINT", COLUMN_TINYINT},
        {"INT1", COLUMN_TINYINT},
        {"BOOL", COLUMN_TINYINT},
        {"INT2", COLUMN_SMALLINT},
        {"INT3", COLUMN_MEDIUMINT},
        {"INTEGER", COLUMN_INT},
        {"INT4", COLUMN_INT},
        {"INT8", COLUMN_BIGINT},
        {"FLOAT(24)", COLUMN_FLOAT},
        {"FLOAT(25)", COLUMN_DOUBLE},
        {"FLOAT(30,2)", COLUMN_FLOAT},
        {"FLOAT4", COLUMN_FLOAT},
        {"FLOAT8", COLUMN_DOUBLE},
        {"REAL", COLUMN_DOUBLE},
        {"CHARACTER", COLUMN_CHAR},
        {"NATIONAL CHARACTER VARYING(3)", COLUMN_VARCHAR},
        {"NCHAR VARCHAR(3)", COLUMN_VARCHAR},
        {"LONG", COLUMN_TEXT},
        {"LONG VARBINARY", COLUMN_BLOB},
        {"YEAR(4)", COLUMN_YEAR},
        {"JSON", COLUMN_JSON},
        {"VECTOR", COLUMN_VECTOR},
        {"GEOMCOLLECTION", COLUMN_GEOMETRY},
        {"SET('a')", COLUMN_SET},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        check_kind(*state, kinds[i].name, kinds[i].kind);
}

static void ddl_takes_real_for_float_under_real_as_float(void **state)
{
    struct ddl_rig *rig = *state;
    rig->ctx.sql_mode = DDL_MODE_REAL_AS_FLOAT;
    check_definition(rig, "REAL(7,2) UNSIGNED", "FLOAT(7,2) UNSIGNED NULL");
    assert_int_equal(column(rig, "c")->kind, COLUMN_FLOAT);
}

static void ddl_sizes_text_by_its_length(void **state)
{
    static const struct {
        const char *definition;
        uint8_t bytes;
    } sizes[] = {
        {"TEXT", 2},           {"TEXT(0)", 1},          {"TEXT(63)", 1},
        {"TEXT(64)", 2},       {"TEXT(16383)", 2},      {"TEXT(16384)", 3},
        {"TEXT(5000000)", 4},  {"BLOB(255)", 1},        {"BLOB(256)", 2},
        {"TINYTEXT", 1},       {"LONG VARCHAR", 3},     {"LONGBLOB", 4},
        {"VARCHAR(70000)", 3}, {"VARBINARY(65536)", 3}, {"TEXT(255) CHARACTER SET latin1", 1},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check_kind(*state, sizes[i].definition, strstr(sizes[i].definition, "B") != NULL ? COLUMN_BLOB : COLUMN_TEXT);
        assert_int_equal(column(*state, "c")->blob_bytes, sizes[i].bytes);
    }
    check_definition(*state, "VARCHAR(70000)", "MEDIUMTEXT NULL");
}

static void ddl_reads_labels_without_blanks_at_their_end(void **state)
{
    check_definition(*state, "ENUM('a ', \"b's\", 'c\\\\d', x'4142', 'é') NOT NULL",
                     "ENUM('a','b''s','c\\\\d','AB','é') NOT NULL");
    check_definition(*state, "SET('x' 'y', 'z') CHARSET latin1",
                     "SET('xy','z') CHARACTER SET latin1 COLLATE latin1_swedish_ci NULL");
}

static void ddl_repairs_binary_labels_that_are_no_utf8(void **state)
{
    check_definition(*state, "ENUM(x'844720', 0xC3A9, 'b') CHARACTER SET binary DEFAULT x'844720'",
                     "ENUM('\xef\xbf\xbdG ','é','b') CHARACTER SET binary COLLATE binary NULL "
                     "DEFAULT '\xef\xbf\xbdG '");
    check_definition(*state, "SET(x'FF41') CHARACTER SET binary",
                     "SET('\xef\xbf\xbd"
                     "A') CHARACTER SET binary COLLATE binary NULL");
}

static void ddl_keeps_fractions_dimensions_and_reference_systems(void **state)
{
    check_definition(*state, "DATETIME(6)", "DATETIME(6) NULL");
    check_definition(*state, "TIME(0)", "TIME NULL");
    check_definition(*state, "VECTOR(3)", "VECTOR(3) NULL");
    check_definition(*state, "VECTOR", "VECTOR(2048) NULL");
    check_definition(*state, "POINT NOT NULL SRID 4326", "POINT NOT NULL SRID 4326");
}

/* ---- charsets */

static void ddl_takes_the_charset_from_column_table_database_in_turn(void **state)
{
    struct ddl_rig *rig = *state;
    RUN(rig, "CREATE TABLE t (a VARCHAR(5), b VARCHAR(5) CHARACTER SET cp1251, c VARCHAR(5) COLLATE latin1_bin) "
             "DEFAULT CHARACTER SET = latin2");
    check_column(rig, "t", "a", "VARCHAR(5) CHARACTER SET latin2 COLLATE latin2_general_ci NULL");
    check_column(rig, "t", "b", "VARCHAR(5) CHARACTER SET cp1251 COLLATE cp1251_general_ci NULL");
    check_column(rig, "t", "c", "VARCHAR(5) CHARACTER SET latin1 COLLATE latin1_bin NULL");
    RUN(rig, "CREATE TABLE t (a VARCHAR(5)) COLLATE koi8r_bin");
    check_column(rig, "t", "a", "VARCHAR(5) CHARACTER SET koi8r COLLATE koi8r_bin NULL");
    RUN(rig, "CREATE TABLE t (a VARCHAR(5))");
    check_column(rig, "t", "a", "VARCHAR(5) NULL");
    RUN(rig, "ALTER DATABASE d CHARACTER SET latin5", "CREATE TABLE t (a VARCHAR(5))");
    check_column(rig, "t", "a", "VARCHAR(5) CHARACTER SET latin5 COLLATE latin5_turkish_ci NULL");
}

static void ddl_tells_when_a_database_is_not_known(void **state)
{
    struct ddl_rig *rig = *state;
    rig->ctx.is_captured = NULL;
    RUN(rig, "CREATE TABLE other.t (a VARCHAR(5))");
    assert_true(rig->result.effects[0].database_unknown);
    assert_string_equal(rig->result.effects[0].shape->charset->name, "latin1"); /* the server's */
    RUN(rig, "CREATE TABLE other.t (a VARCHAR(5)) CHARSET utf8mb4");
    assert_false(rig->result.effects[0].database_unknown);
}

static void ddl_reads_the_short_forms_of_charsets(void **state)
{
    check_definition(*state, "CHAR(5) ASCII", "CHAR(5) CHARACTER SET latin1 COLLATE latin1_swedish_ci NULL");
    check_definition(*state, "CHAR(5) UNICODE", "CHAR(5) CHARACTER SET ucs2 COLLATE ucs2_general_ci NULL");
    check_definition(*state, "CHAR(5) BYTE", "BINARY(5) NULL");
    check_definition(*state, "CHAR(5) BINARY", "CHAR(5) BINARY CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL");
    check_definition(*state, "CHAR(5) BINARY ASCII", "CHAR(5) BINARY CHARACTER SET latin1 COLLATE latin1_bin NULL");
    check_definition(*state, "NCHAR(5)", "NCHAR(5) CHARACTER SET utf8mb3 COLLATE utf8mb3_general_ci NULL");
    check_definition(*state, "NVARCHAR(5) COLLATE utf8mb3_bin",
                     "NVARCHAR(5) CHARACTER SET utf8mb3 COLLATE utf8mb3_bin NULL");
    check_definition(*state, "CHAR(5) BINARY COLLATE latin1_general_ci",
                     "CHAR(5) BINARY CHARACTER SET latin1 COLLATE latin1_bin NULL");
    check_definition(*state, "CHAR(5) CHARACTER SET latin1 BINARY COLLATE latin1_general_ci",
                     "CHAR(5) BINARY CHARACTER SET latin1 COLLATE latin1_general_ci NULL");
}

static void ddl_makes_binary_types_of_text_of_charset_binary(void **state)
{
    check_definition(*state, "VARCHAR(9) CHARACTER SET binary", "VARBINARY(9) NULL");
    check_definition(*state, "CHAR CHARACTER SET binary", "BINARY NULL");
    check_definition(*state, "TEXT(300) CHARACTER SET binary", "BLOB(300) NULL");
    check_definition(*state, "MEDIUMTEXT CHARSET binary", "MEDIUMBLOB NULL");
    check_definition(*state, "ENUM('a') CHARACTER SET binary", "ENUM('a') CHARACTER SET binary COLLATE binary NULL");
    RUN(*state, "CREATE TABLE t (c VARCHAR(9)) CHARACTER SET binary");
    check_column(*state, "t", "c", "VARBINARY(9) NULL");
}

static void ddl_takes_the_sessions_collation_for_plain_utf8mb4(void **state)
{
    struct ddl_rig *rig = *state;
    rig->ctx.utf8mb4_collation = view_of("utf8mb4_general_ci");
    check_definition(rig, "CHAR(3) CHARACTER SET utf8mb4",
                     "CHAR(3) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NULL");
}

/* ---- defaults */

static void ddl_reads_literal_defaults(void **state)
{
    check_definition(*state, "INT DEFAULT 5", "INT NULL DEFAULT 5");
    check_definition(*state, "INT DEFAULT - 7 NOT NULL", "INT NOT NULL DEFAULT -7");
    check_definition(*state, "INT DEFAULT +4", "INT NULL DEFAULT +4");
    check_definition(*state, "DOUBLE DEFAULT .5", "DOUBLE NULL DEFAULT .5");
    check_definition(*state, "INT DEFAULT '6'", "INT NULL DEFAULT '6'");
    check_definition(*state, "INT DEFAULT NULL", "INT NULL DEFAULT NULL");
    check_definition(*state, "BOOL DEFAULT TRUE", "BOOL NULL DEFAULT 1");
    check_definition(*state, "BIT(5) DEFAULT b'101'", "BIT(5) NULL DEFAULT 0b101");
    check_definition(*state, "INT DEFAULT 0x1F", "INT NULL DEFAULT 0x1F");
    check_definition(*state, "VARCHAR(9) DEFAULT ' x '", "VARCHAR(9) NULL DEFAULT ' x '");
    check_definition(*state, "VARCHAR(9) DEFAULT \"it's\"", "VARCHAR(9) NULL DEFAULT 'it''s'");
    check_definition(*state, "VARCHAR(9) DEFAULT 'a' 'b'", "VARCHAR(9) NULL DEFAULT 'ab'");
    check_definition(*state, "VARCHAR(9) DEFAULT N'n'", "VARCHAR(9) NULL DEFAULT 'n'");
    check_definition(*state, "DATE DEFAULT DATE'2020-01-02'", "DATE NULL DEFAULT '2020-01-02'");
}

static void ddl_turns_digits_into_text_for_text_columns(void **state)
{
    check_definition(*state, "VARCHAR(9) DEFAULT 0x4142", "VARCHAR(9) NULL DEFAULT 'AB'");
    check_definition(*state, "VARCHAR(9) DEFAULT b'01000001'", "VARCHAR(9) NULL DEFAULT 'A'");
    check_definition(*state, "VARCHAR(9) DEFAULT _latin1 x'E9'", "VARCHAR(9) NULL DEFAULT 'é'");
    check_definition(*state, "VARCHAR(9) CHARACTER SET ucs2 DEFAULT x'41'",
                     "VARCHAR(9) CHARACTER SET ucs2 COLLATE ucs2_general_ci NULL DEFAULT 'A'");
    check_definition(*state, "VARCHAR(9) CHARACTER SET latin1 DEFAULT _binary x'E9'",
                     "VARCHAR(9) CHARACTER SET latin1 COLLATE latin1_swedish_ci NULL DEFAULT 'é'");
    check_definition(*state, "VARCHAR(9) DEFAULT _latin1'\xe9'", "VARCHAR(9) NULL DEFAULT 'é'");
    check_definition(*state, "VARCHAR(9) DEFAULT _utf8mb4'é'", "VARCHAR(9) NULL DEFAULT 'é'");
}

static void ddl_keeps_the_bytes_of_binary_defaults(void **state)
{
    struct ddl_rig *rig = *state;
    check_definition(rig, "VARBINARY(9) DEFAULT 'ab'", "VARBINARY(9) NULL DEFAULT 'ab'");
    check_definition(rig, "VARBINARY(9) DEFAULT x'00FF'", "VARBINARY(9) NULL DEFAULT 0x00FF");
    check_definition(rig, "VARBINARY(9) DEFAULT b'100000001'", "VARBINARY(9) NULL DEFAULT 0x0101");
    check_definition(rig, "VARBINARY(9) DEFAULT 'é'", "VARBINARY(9) NULL DEFAULT 0xC3A9");
    rig->ctx.client_charset = charset_find(view_of("latin1"));
    check_definition(rig, "VARBINARY(9) DEFAULT '\xe9'", "VARBINARY(9) NULL DEFAULT 0xE9");
    check_definition(rig, "VARCHAR(9) DEFAULT '\xe9'", "VARCHAR(9) NULL DEFAULT 'é'");
}

static void ddl_reads_clocks_and_expressions_as_defaults(void **state)
{
    check_definition(*state, "DATETIME DEFAULT NOW()", "DATETIME NULL DEFAULT CURRENT_TIMESTAMP");
    check_definition(*state, "TIMESTAMP(3) NOT NULL DEFAULT LOCALTIME(3) ON UPDATE CURRENT_TIMESTAMP(3)",
                     "TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP");
    check_definition(*state, "DATETIME ON UPDATE NOW()", "DATETIME NULL ON UPDATE CURRENT_TIMESTAMP");
    check_definition(*state, "CHAR(36) DEFAULT (uuid())", "CHAR(36) NULL DEFAULT (uuid())");
    check_definition(*state, "TEXT DEFAULT (concat('a)', /* x */ \"b('\"))",
                     "TEXT NULL DEFAULT (concat('a)', 'b('''))");
}

static void ddl_keeps_tokens_of_expressions_apart(void **state)
{
    check_definition(*state, "TEXT DEFAULT (('a'\"b\"))", "TEXT NULL DEFAULT (('a' 'b'))");
    check_definition(*state, "TEXT DEFAULT (x\"41\")", "TEXT NULL DEFAULT (x '41')"); /* no hexadecimal literal */
    check_definition(*state, "TEXT DEFAULT (a/**/b/*c*/`d`)", "TEXT NULL DEFAULT (a b `d`)");
    check_definition(*state, "TEXT DEFAULT (1/*c*/-/*c*/-1)", "TEXT NULL DEFAULT (1 - -1)");
}

static void ddl_gives_auto_increment_no_default_and_no_null(void **state)
{
    RUN(*state, "CREATE TABLE t (a INT NULL AUTO_INCREMENT KEY)", "ALTER TABLE t ALTER a SET DEFAULT 5");
    check_column(*state, "t", "a", "INT NOT NULL AUTO_INCREMENT");
}

static void ddl_implies_timestamps_only_without_explicit_defaults(void **state)
{
    struct ddl_rig *rig = *state;
    RUN(rig, "CREATE TABLE t (a TIMESTAMP)");
    check_column(rig, "t", "a", "TIMESTAMP NULL");
    rig->ctx.implicit_timestamp_defaults = true;
    RUN(rig, "CREATE TABLE t (a TIMESTAMP, b TIMESTAMP, c TIMESTAMP NULL, d TIMESTAMP ON UPDATE NOW())");
    check_column(rig, "t", "a", "TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP");
    check_column(rig, "t", "b", "TIMESTAMP NOT NULL DEFAULT '0000-00-00 00:00:00'");
    check_column(rig, "t", "c", "TIMESTAMP NULL");
    check_column(rig, "t", "d", "TIMESTAMP NOT NULL DEFAULT '0000-00-00 00:00:00' ON UPDATE CURRENT_TIMESTAMP");
    RUN(rig, "CREATE TABLE t (c TIMESTAMP NULL, a TIMESTAMP)"); /* only the very first may follow the clock */
    check_column(rig, "t", "a", "TIMESTAMP NOT NULL DEFAULT '0000-00-00 00:00:00'");
}

static void ddl_implies_a_clock_when_a_table_is_rewritten(void **state)
{
    struct ddl_rig *rig = *state;
    RUN(rig, "CREATE TABLE t (a TIMESTAMP NOT NULL, k INT, KEY j (k))");
    rig->ctx.implicit_timestamp_defaults = true;
    RUN(rig, "ALTER TABLE t ENABLE KEYS", "ALTER TABLE t RENAME TO u", "RENAME TABLE u TO t", "ANALYZE TABLE t");
    check_column(rig, "t", "a", "TIMESTAMP NOT NULL");
    RUN(rig, "OPTIMIZE TABLE t");
    check_column(rig, "t", "a", "TIMESTAMP NOT NULL ON UPDATE CURRENT_TIMESTAMP");
    rig->ctx.implicit_timestamp_defaults = false;
    RUN(rig, "CREATE TABLE t (a TIMESTAMP NOT NULL DEFAULT NOW(), k INT, KEY j (k))");
    rig->ctx.implicit_timestamp_defaults = true;
    RUN(rig, "ALTER TABLE t ALTER a DROP DEFAULT", "DROP INDEX j ON t"); /* it is gone, and counts on */
    check_column(rig, "t", "a", "TIMESTAMP NOT NULL");
    RUN(rig, "ALTER TABLE t ALTER a SET DEFAULT (1 + 2)");
    check_column(rig, "t", "a", "TIMESTAMP NOT NULL DEFAULT (1 + 2) ON UPDATE CURRENT_TIMESTAMP");
}

/* ---- attributes */

static void ddl_reads_attributes_in_any_order(void **state)
{
    check_definition(*state, "INT COMMENT 'it''s' INVISIBLE DEFAULT 3 NOT NULL",
                     "INT NOT NULL DEFAULT 3 INVISIBLE COMMENT 'it''s'");
    check_definition(*state, "INT /*!80023 INVISIBLE */ STORAGE DISK COLUMN_FORMAT FIXED ENGINE_ATTRIBUTE='{}'",
                     "INT NULL INVISIBLE");
    check_definition(*state, "INT AS (id + (1)) STORED NOT NULL COMMENT 'g'", "INT AS (0) NOT NULL COMMENT 'g'");
    check_definition(*state, "INT GENERATED ALWAYS AS (concat(')', \"(\")) VIRTUAL", "INT AS (0) NULL");
    check_definition(*state, "INT CONSTRAINT x CHECK (c > 0) NOT ENFORCED NOT NULL", "INT NOT NULL");
    check_definition(*state,
                     "INT NOT NULL REFERENCES o (a, b) MATCH FULL ON DELETE SET NULL ON UPDATE NO ACTION COMMENT 'r'",
                     "INT NOT NULL COMMENT 'r'");
    check_definition(*state, "INT NOT SECONDARY", "INT NULL");
}

/* ---- keys */

static void ddl_reads_keys_of_all_forms(void **state)
{
    RUN(*state,
        "CREATE TABLE t (a INT, b VARCHAR(20), c TEXT, d INT, p POINT NOT NULL, PRIMARY KEY USING BTREE (a DESC), "
        "UNIQUE (b), UNIQUE INDEX u USING BTREE (b(5), a) COMMENT 'x, (y', CONSTRAINT cu UNIQUE (d), "
        "CONSTRAINT cv UNIQUE KEY named (d, a), KEY (c(10)), INDEX k (b) KEY_BLOCK_SIZE = 8, FULLTEXT ft (c) WITH "
        "PARSER ngram, "
        "SPATIAL (p), KEY fx ((a + 1)), KEY ((a * 2) DESC, b), CHECK (a > 0), CONSTRAINT ck CHECK (b <> 'x') "
        "ENFORCED)");
    check_keys(*state, "t",
               "PRIMARY(-a) !b(b) !cu(d) !named(d,a) !u(b:5,a) c(c:10) k(b) p(p) fx(*) functional_index(-*,b) ft(c)");
    check_column(*state, "t", "a", "INT NOT NULL");
}

static void ddl_names_keys_as_the_server_does(void **state)
{
    RUN(*state,
        "CREATE TABLE t (a INT UNIQUE, `PRIMARY` INT, UNIQUE (a), KEY (a), KEY a_5 (a), KEY (a), KEY (`PRIMARY`))");
    check_keys(*state, "t", "!a(a) !a_2(a) a_3(a) a_5(a) a_4(a) PRIMARY_2(PRIMARY)");
}

static void ddl_reads_keys_written_at_columns(void **state)
{
    RUN(*state, "CREATE TABLE t (a INT UNIQUE KEY COMMENT 'x' PRIMARY KEY, b INT UNIQUE, c SERIAL, e INT SERIAL "
                "DEFAULT VALUE)");
    check_keys(*state, "t", "PRIMARY(a) !a(a) !c(c) !e(e) !b(b)");
    check_column(*state, "t", "c", "BIGINT UNSIGNED NOT NULL AUTO_INCREMENT");
    check_column(*state, "t", "e", "INT NOT NULL AUTO_INCREMENT");
    RUN(*state, "CREATE TABLE t (a INT KEY)");
    check_keys(*state, "t", "PRIMARY(a)");
}

static void ddl_adds_the_key_of_a_foreign_key_where_none_serves(void **state)
{
    RUN(*state, "CREATE TABLE t (a INT, b INT, c INT, KEY k (b, c), FOREIGN KEY (a) REFERENCES o (x), "
                "CONSTRAINT fk FOREIGN KEY mine (b) REFERENCES o (x) ON DELETE CASCADE, CONSTRAINT fc FOREIGN KEY (c) "
                "REFERENCES o (x))");
    check_keys(*state, "t", "k(b,c) a(a) fc(c)");
    RUN(*state, "ALTER TABLE t ADD INDEX better (a, b)"); /* takes the place of the one the server made */
    check_keys(*state, "t", "k(b,c) fc(c) better(a,b)");
}

static void ddl_orders_keys_as_the_server_does(void **state)
{
    RUN(*state, "CREATE TABLE t (a INT, b INT NOT NULL, c VARCHAR(9) NOT NULL, KEY k (a), UNIQUE n (a), UNIQUE p "
                "(c(3)), UNIQUE u (b))");
    check_keys(*state, "t", "!p(c:3) !u(b) !n(a) k(a)");
    check_record_key(*state, "t", "b"); /* without a prefix, if there is one */
}

static void ddl_chooses_the_record_key(void **state)
{
    RUN(*state, "CREATE TABLE t (a INT NOT NULL, b INT NOT NULL, UNIQUE (b, a), PRIMARY KEY (a, b))");
    check_record_key(*state, "t", "a,b");
    RUN(*state, "CREATE TABLE t (a INT UNIQUE, b INT NOT NULL UNIQUE, c INT)");
    check_record_key(*state, "t", "b");
    RUN(*state, "CREATE TABLE t (a INT, b INT UNIQUE)");
    check_record_key(*state, "t", "");
    RUN(*state, "CREATE TABLE t (a INT NOT NULL, b INT NOT NULL, UNIQUE e ((a + 1)), UNIQUE p (b))");
    check_record_key(*state, "t", "b");
    RUN(*state, "CREATE TABLE t (a TEXT NOT NULL, UNIQUE (a(4)))");
    check_record_key(*state, "t", "a");
}

static void ddl_drops_prefixes_that_are_the_whole_column(void **state)
{
    RUN(*state, "CREATE TABLE t (a VARCHAR(10), b CHAR(5), c BLOB, KEY (a(10), b(3), c(9)))");
    check_keys(*state, "t", "a(a,b:3,c:9)");
}

/* ---- options, partitions, queries */

static void ddl_passes_options_and_partitions(void **state)
{
    struct ddl_rig *rig = *state;
    RUN(rig,
        "CREATE TABLE t (a VARCHAR(5)) ENGINE = InnoDB, AUTO_INCREMENT 7 COMMENT='partition by' UNION = (x, y) "
        "DATA DIRECTORY '/tmp' STATS_PERSISTENT=DEFAULT CHARACTER SET latin1 TABLESPACE ts STORAGE DISK "
        "PARTITION BY RANGE (a) SUBPARTITION BY HASH (b) (PARTITION p0 VALUES LESS THAN (10) COMMENT = 'as select', "
        "PARTITION p1 VALUES LESS THAN MAXVALUE)");
    assert_true(ddl_rig_shape(rig, "t")->is_partitioned);
    assert_true(view_is(ddl_rig_shape(rig, "t")->comment, "partition by"));
    check_column(rig, "t", "a", "VARCHAR(5) CHARACTER SET latin1 COLLATE latin1_swedish_ci NULL");
    RUN(rig, "CREATE TABLE t (a INT) /*!50100 PARTITION BY HASH (a) PARTITIONS 2 */");
    assert_true(ddl_rig_shape(rig, "t")->is_partitioned);
    RUN(rig, "CREATE TABLE t (a INT) COMMENT 'x' START TRANSACTION");
    assert_false(ddl_rig_shape(rig, "t")->is_partitioned);
}

static void ddl_settles_charset_and_collation_options_together(void **state)
{
    struct ddl_rig *rig = *state;
    RUN(rig, "CREATE TABLE t (a INT) COLLATE latin1_bin CHARACTER SET latin1");
    assert_true(view_is(ddl_rig_shape(rig, "t")->collation, "latin1_bin"));
    RUN(rig, "CREATE TABLE t (a INT) CHARACTER SET latin1 COLLATE latin1_bin");
    assert_true(view_is(ddl_rig_shape(rig, "t")->collation, "latin1_bin"));
    RUN(rig, "CREATE TABLE t (a INT) CHARSET=sjis");
    assert_true(view_is(ddl_rig_shape(rig, "t")->collation, "sjis_japanese_ci"));
}

static void ddl_needs_a_shape_for_a_query(void **state)
{
    static const char *const queries[] = {
        "CREATE TABLE t AS SELECT 1",
        "CREATE TABLE t SELECT 1",
        "CREATE TABLE t (SELECT 1)",
        "CREATE TABLE t ((SELECT 1))",
        "CREATE TABLE t (id INT) ENGINE=InnoDB IGNORE SELECT 1",
        "CREATE TABLE t (id INT) PARTITION BY HASH (id) AS SELECT 1",
        "CREATE TABLE t AS WITH w AS (SELECT 1) SELECT * FROM w",
        "CREATE TABLE t TABLE o",
        "CREATE TABLE t VALUES ROW(1)",
        "CREATE TABLE t REPLACE (SELECT 1)",
    };
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        assert_true(ddl_rig_apply(*state, view_of(queries[i])));
        check_effects(*state, "create d.t needs; data d.t");
    }
}

static void ddl_copies_a_table_by_like(void **state)
{
    struct ddl_rig *rig = *state;
    RUN(rig, "CREATE TABLE s (id INT PRIMARY KEY, v VARCHAR(9) CHARACTER SET latin1 DEFAULT 'é')",
        "CREATE TABLE l LIKE s", "CREATE TABLE m (LIKE d.s)");
    check_column(rig, "l", "v", "VARCHAR(9) CHARACTER SET latin1 COLLATE latin1_swedish_ci NULL DEFAULT 'é'");
    check_record_key(rig, "m", "id");
    assert_true(ddl_rig_apply(rig, view_of("CREATE TABLE n LIKE nosuch")));
    check_effects(rig, "create d.n needs");
    assert_null(catalog_find(&rig->catalog, view_of("d"), view_of("n")));
}

static void ddl_leaves_a_table_that_is_there(void **state)
{
    struct ddl_rig *rig = *state;
    RUN(rig, "CREATE TABLE /*!50000 IF NOT EXISTS */ t (id INT PRIMARY KEY, a INT /*!80000 , b INT DEFAULT 4 */ "
             "/*!99999 , never INT */ ) "
             "/*!50100 ENGINE=InnoDB */ /* plain */");
    check_effects(rig, "create d.t if");
    RUN(rig, "CREATE TABLE IF NOT EXISTS t (other INT)");
    check_effects(rig, "none d.t if");
    check_columns(rig, "t", "id,a,b");
    RUN(rig, "CREATE TABLE IF NOT EXISTS t LIKE nosuch");
    check_effects(rig, "none d.t if");
}

static void ddl_ignores_temporary_tables(void **state)
{
    struct ddl_rig *rig = *state;
    RUN(rig, "CREATE TEMPORARY TABLE t (a INT)");
    check_effects(rig, "");
    assert_null(catalog_find(&rig->catalog, view_of("d"), view_of("t")));
}

static void ddl_reads_odd_names(void **state)
{
    struct ddl_rig *rig = *state;
    RUN(rig, "CREATE TABLE d.`we``ird.t$\\` (`i d` INT PRIMARY KEY, `c``1` INT, `潮` INT, `\"q\"` INT)");
    check_columns(rig, "we`ird.t$\\", "i d,c`1,潮,\"q\"");
    RUN(rig, "CREATE TABLE t (id INT PRIMARY KEY, sequence INT, encrypted INT, returning INT, geometry INT, national "
             "INT, `rank` INT, "
             "value INT, `key` INT, comment INT, date DATE, time TIME, enum INT, position INT, serial INT, txt "
             "VARCHAR(20) DEFAULT 'FROM RANK')");
    check_columns(
        rig, "t",
        "id,sequence,encrypted,returning,geometry,national,rank,value,key,comment,date,time,enum,position,serial,txt");
    RUN(rig, "CREATE TABLE d . 1t (2a INT, $b INT, ünï INT)");
    check_columns(rig, "1t", "2a,$b,ünï");
}

static void ddl_reads_names_in_double_quotes_under_ansi_quotes(void **state)
{
    struct ddl_rig *rig = *state;
    rig->ctx.sql_mode = DDL_MODE_ANSI_QUOTES;
    RUN(rig, "create table \"ansi q\" (\"id\" int primary key, \"v\"\"w\" varchar(5) default 'x\"y')");
    check_columns(rig, "ansi q", "id,v\"w");
    check_column(rig, "ansi q", "v\"w", "VARCHAR(5) NULL DEFAULT 'x\"y'");
}

static void ddl_reads_backslashes_as_they_stand_without_escapes(void **state)
{
    struct ddl_rig *rig = *state;
    rig->ctx.sql_mode = DDL_MODE_NO_BACKSLASH_ESCAPES;
    RUN(rig, "CREATE TABLE t (a VARCHAR(9) DEFAULT 'a\\', b TEXT DEFAULT ('\\'))");
    check_column(rig, "t", "a", "VARCHAR(9) NULL DEFAULT 'a\\\\'");
    check_column(rig, "t", "b", "TEXT NULL DEFAULT ('\\\\')"); /* as it reads without sql_mode */
}

static void ddl_reads_the_servers_own_words_as_utf8(void **state)
{
    struct ddl_rig *rig = *state;
    rig->ctx.client_charset = charset_find(view_of("latin1"));
    rig->ctx.sql_mode = DDL_MODE_NO_BACKSLASH_ESCAPES;
    RUN(rig, "CREATE TABLE `t` (\n  `é` varchar(5) DEFAULT 'a\\\\b'\n) START TRANSACTION");
    check_column(rig, "t", "é", "VARCHAR(5) NULL DEFAULT 'a\\\\b'");
    RUN(rig, "CREATE TABLE t (`\xe9` INT)"); /* a client's */
    check_columns(rig, "t", "é");
}

static void ddl_reads_the_clients_charset(void **state)
{
    struct ddl_rig *rig = *state;
    rig->ctx.client_charset = charset_find(view_of("latin1"));
    RUN(rig,
        "CREATE TABLE t (a VARCHAR(9) DEFAULT '\xe9', b VARCHAR(9) DEFAULT N'é', c VARCHAR(9) DEFAULT _utf8mb4'é')");
    check_column(rig, "t", "a", "VARCHAR(9) NULL DEFAULT 'é'");
    check_column(rig, "t", "b", "VARCHAR(9) NULL DEFAULT 'é'");
    check_column(rig, "t", "c", "VARCHAR(9) NULL DEFAULT 'é'");
    rig->ctx.client_charset = charset_find(view_of("sjis"));
    RUN(rig, "CREATE TABLE t (a VARCHAR(9) DEFAULT '\x83\x5c', `\x95\x5c` INT COMMENT '\x83\x5c''s')");
    check_columns(rig, "t", "a,表");
    check_column(rig, "t", "a", "VARCHAR(9) NULL DEFAULT 'ソ'");
    check_column(rig, "t", "表", "INT NULL COMMENT 'ソ''s'");
    RUN(rig, "CREATE TABLE l (e ENUM('\x84\x47 ') BYTE, f ENUM('\x84\x47 '))"); /* a label's bytes stay, or its text */
    check_column(rig, "l", "e", "ENUM('\xef\xbf\xbdG ') CHARACTER SET binary COLLATE binary NULL");
    check_column(rig, "l", "f", "ENUM('\xd0\x96') NULL");
}

/* ---- SHOW CREATE TABLE */

static void ddl_reads_what_show_create_table_says(void **state)
{
    struct ddl_rig *rig = *state;
    static const char text[] =
        "CREATE TABLE `we``ird` (\n"
        "  `my_row_id` bigint unsigned NOT NULL AUTO_INCREMENT /*!80023 INVISIBLE */,\n"
        "  `d` decimal(8,3) DEFAULT '1.500',\n"
        "  `b` bit(5) DEFAULT b'10101',\n"
        "  `v` varbinary(9) DEFAULT 0xE9,\n"
        "  `g` int GENERATED ALWAYS AS ((`d` * 2)) VIRTUAL,\n"
        "  `p` point NOT NULL /*!80003 SRID 4326 */,\n"
        "  `t` timestamp NULL DEFAULT NULL ON UPDATE CURRENT_TIMESTAMP,\n"
        "  `s` varchar(5) CHARACTER SET latin1 COLLATE latin1_swedish_ci DEFAULT 'x' COMMENT 'it''s',\n"
        "  PRIMARY KEY (`my_row_id`),\n"
        "  UNIQUE KEY `u` (`d`,`b` DESC),\n"
        "  KEY `f` (((`d` + 1))) /*!80000 INVISIBLE */,\n"
        "  CONSTRAINT `fk` FOREIGN KEY (`b`) REFERENCES `other` (`x`) ON DELETE CASCADE,\n"
        "  CONSTRAINT `ck` CHECK ((`d` > 0)) /*!80016 NOT ENFORCED */\n"
        ") ENGINE=InnoDB AUTO_INCREMENT=5 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci COMMENT='c'\n"
        "/*!50100 PARTITION BY RANGE (`d`)\n(PARTITION p0 VALUES LESS THAN (10) ENGINE = InnoDB) */";
    const struct shape *s = ddl_read_create(&rig->catalog, &rig->ctx, view_of(text), &rig->why);
    assert_non_null(s);
    assert_true(view_is(s->db, "d"));
    assert_true(view_is(s->table, "we`ird"));
    catalog_put(&rig->catalog, s);
    check_column(rig, "we`ird", "my_row_id", "BIGINT UNSIGNED NOT NULL AUTO_INCREMENT INVISIBLE");
    check_column(rig, "we`ird", "b", "BIT(5) NULL DEFAULT 0b10101");
    check_column(rig, "we`ird", "p", "POINT NOT NULL SRID 4326");
    check_column(rig, "we`ird", "t", "TIMESTAMP NULL DEFAULT NULL ON UPDATE CURRENT_TIMESTAMP");
    check_keys(rig, "we`ird", "PRIMARY(my_row_id) !u(d,-b) f(*) fk(b)");
    assert_true(s->is_partitioned);
}

static void ddl_tells_a_default_label_by_its_bytes(void **state)
{
    struct ddl_rig *rig = *state;
    rig->ctx.client_charset = charset_find(view_of("latin1"));
    RUN(rig,
        "CREATE TABLE e (a ENUM('\xe9', '1') CHARSET binary DEFAULT '\xe9', b ENUM('1') CHARSET binary DEFAULT '1')");
    check_column(rig, "e", "a",
                 "ENUM('\xef\xbf\xbd','1') CHARACTER SET binary COLLATE binary NULL DEFAULT '\xef\xbf\xbd'");
    check_column(rig, "e", "b", "ENUM('1') CHARACTER SET binary COLLATE binary NULL DEFAULT '1'");
}

/* AUTO_INCREMENT NULL, in this order: the server's text shows it by not saying NOT NULL. */
static void ddl_reads_that_a_counted_column_may_be_null(void **state)
{
    struct ddl_rig *rig = *state;
    RUN(rig, "CREATE TABLE s (d INT AUTO_INCREMENT NULL, KEY (d))",
        "CREATE TABLE n (d INT NULL AUTO_INCREMENT, KEY (d))");
    check_column(rig, "s", "d", "INT NULL AUTO_INCREMENT");
    check_column(rig, "n", "d", "INT NOT NULL AUTO_INCREMENT");
    const char *text = "CREATE TABLE `t` (`d` int AUTO_INCREMENT, KEY `d` (`d`))";
    const struct shape *s = ddl_read_create(&rig->catalog, &rig->ctx, view_of(text), &rig->why);
    assert_non_null(s);
    assert_true(s->columns[0].is_nullable);
    shape_free(&s);
}

static void ddl_refuses_text_that_is_no_table(void **state)
{
    static const char *const texts[] = {
        "",
        "CREATE",
        "CREATE VIEW v AS SELECT 1",
        "CREATE TABLE",
        "CREATE TABLE t",
        "CREATE TABLE t (",
        "CREATE TABLE t ()",
        "CREATE TABLE t (a)",
        "CREATE TABLE t (a INT",
        "CREATE TABLE t (a INT,)",
        "CREATE TABLE t (a NOTYPE)",
        "CREATE TABLE t (a INT) AS SELECT 1",
        "CREATE TABLE t (a INT, KEY (b))",
        "CREATE TABLE t (a INT, b INT, A TEXT)",
        "CREATE TABLE t (a VARCHAR(5) CHARACTER SET nosuch)",
        "CREATE TABLE t (a VARCHAR(5) COLLATE nosuch_ci)",
        "CREATE TABLE t (a INT DEFAULT)",
        "CREATE TABLE t (a INT DEFAULT 'x)",
        "CREATE TABLE t (a INT) COMMENT",
        "CREATE TABLE t (a INT) ; DROP TABLE t (",
    };
    struct ddl_rig *rig = *state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const struct shape *s = ddl_read_create(NULL, &rig->ctx, view_of(texts[i]), &rig->why);
        if (s != NULL && i + 1 < sizeof texts / sizeof *texts)
            fail_msg("read as a table: %s", texts[i]);
        if (s == NULL)
            assert_int_equal(rig->why.kind, FAIL_REFUSE);
        shape_free(&s);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(ddl_reads_numbers_by_all_their_names),
        TEST(ddl_gives_each_name_its_kind),
        TEST(ddl_takes_real_for_float_under_real_as_float),
        TEST(ddl_sizes_text_by_its_length),
        TEST(ddl_reads_labels_without_blanks_at_their_end),
        TEST(ddl_repairs_binary_labels_that_are_no_utf8),
        TEST(ddl_keeps_fractions_dimensions_and_reference_systems),
        TEST(ddl_takes_the_charset_from_column_table_database_in_turn),
        TEST(ddl_tells_when_a_database_is_not_known),
        TEST(ddl_reads_the_short_forms_of_charsets),
        TEST(ddl_makes_binary_types_of_text_of_charset_binary),
        TEST(ddl_takes_the_sessions_collation_for_plain_utf8mb4),
        TEST(ddl_reads_literal_defaults),
        TEST(ddl_turns_digits_into_text_for_text_columns),
        TEST(ddl_keeps_the_bytes_of_binary_defaults),
        TEST(ddl_reads_clocks_and_expressions_as_defaults),
        TEST(ddl_keeps_tokens_of_expressions_apart),
        TEST(ddl_gives_auto_increment_no_default_and_no_null),
        TEST(ddl_implies_timestamps_only_without_explicit_defaults),
        TEST(ddl_implies_a_clock_when_a_table_is_rewritten),
        TEST(ddl_reads_attributes_in_any_order),
        TEST(ddl_reads_keys_of_all_forms),
        TEST(ddl_names_keys_as_the_server_does),
        TEST(ddl_reads_keys_written_at_columns),
        TEST(ddl_adds_the_key_of_a_foreign_key_where_none_serves),
        TEST(ddl_orders_keys_as_the_server_does),
        TEST(ddl_chooses_the_record_key),
        TEST(ddl_drops_prefixes_that_are_the_whole_column),
        TEST(ddl_passes_options_and_partitions),
        TEST(ddl_settles_charset_and_collation_options_together),
        TEST(ddl_needs_a_shape_for_a_query),
        TEST(ddl_copies_a_table_by_like),
        TEST(ddl_leaves_a_table_that_is_there),
        TEST(ddl_ignores_temporary_tables),
        TEST(ddl_reads_odd_names),
        TEST(ddl_reads_names_in_double_quotes_under_ansi_quotes),
        TEST(ddl_reads_backslashes_as_they_stand_without_escapes),
        TEST(ddl_reads_the_servers_own_words_as_utf8),
        TEST(ddl_reads_the_clients_charset),
        TEST(ddl_reads_what_show_create_table_says),
        TEST(ddl_tells_a_default_label_by_its_bytes),
        TEST(ddl_reads_that_a_counted_column_may_be_null),
        TEST(ddl_refuses_text_that_is_no_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
