/* SPDX-License-Identifier: Apache-2.0 */
/* ALTER TABLE, CREATE INDEX, DROP INDEX: what they leave of a shape. */
#include "test/support/ddl_rig.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>

static int setup(void **state)
{
    static struct ddl_rig rig;
    ddl_rig_init(&rig);
    RUN(&rig, "CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(10))");
    *state = &rig;
    return 0;
}

static int teardown(void **state)
{
    ddl_rig_fini(*state);
    return 0;
}

/* ---- columns */

static void ddl_adds_columns_where_they_are_put(void **state)
{
    RUN(*state, "alter table t add c int");
    check_columns(*state, "t", "id,a,b,c");
    RUN(*state, "alter table t add column f int not null default 3 first, add column (g date, h time(2))");
    check_columns(*state, "t", "f,id,a,b,c,g,h");
    RUN(*state, "alter table t add m varchar(5) character set latin1 after a");
    check_columns(*state, "t", "f,id,a,m,b,c,g,h");
    check_column(*state, "t", "m", "VARCHAR(5) CHARACTER SET latin1 COLLATE latin1_swedish_ci NULL");
    RUN(*state, "alter table t add x int first, add y int first, add z int after x");
    check_columns(*state, "t", "y,x,z,f,id,a,m,b,c,g,h");
}

static void ddl_drops_columns_and_what_keys_had_of_them(void **state)
{
    RUN(*state, "ALTER TABLE t ADD UNIQUE u (a, b), ADD KEY k (a), ADD KEY e ((a + 1), b)", "ALTER TABLE t DROP a");
    check_columns(*state, "t", "id,b");
    check_keys(*state, "t", "PRIMARY(id) !u(b) e(*,b)");
    RUN(*state, "ALTER TABLE t DROP COLUMN b CASCADE");
    check_keys(*state, "t", "PRIMARY(id) e(*)");
}

static void ddl_puts_a_new_column_of_a_dropped_name_last(void **state)
{
    RUN(*state, "ALTER TABLE t DROP a, ADD a BIGINT");
    check_columns(*state, "t", "id,b,a");
    check_column(*state, "t", "a", "BIGINT NULL");
}

static void ddl_redefines_columns_wholly(void **state)
{
    RUN(*state, "ALTER TABLE t MODIFY a BIGINT UNSIGNED NOT NULL DEFAULT 5 COMMENT 'x'", "ALTER TABLE t MODIFY a INT");
    check_column(*state, "t", "a", "INT NULL");
    RUN(*state, "ALTER TABLE t CHANGE b bb VARCHAR(20) NOT NULL DEFAULT 'z' FIRST");
    check_columns(*state, "t", "bb,id,a");
    check_column(*state, "t", "bb", "VARCHAR(20) NOT NULL DEFAULT 'z'");
    RUN(*state, "ALTER TABLE t MODIFY bb DATE AFTER a2, CHANGE COLUMN a a2 TIME FIRST");
    check_columns(*state, "t", "a2,id,bb");
    RUN(*state, "ALTER TABLE t MODIFY ID BIGINT"); /* takes the name as it is written; stays NOT NULL in the key */
    check_columns(*state, "t", "a2,ID,bb");
    check_column(*state, "t", "ID", "BIGINT NOT NULL");
}

static void ddl_places_by_names_as_they_will_be(void **state)
{
    RUN(*state, "ALTER TABLE t ADD x INT AFTER bb, CHANGE b bb INT, DROP a");
    check_columns(*state, "t", "id,bb,x");
    RUN(*state, "ALTER TABLE t RENAME COLUMN bb TO cc, ADD y INT AFTER cc");
    check_columns(*state, "t", "id,cc,y,x");
}

static void ddl_renames_columns_at_once(void **state)
{
    RUN(*state, "ALTER TABLE t ADD KEY k (a, b)",
        "ALTER TABLE t RENAME COLUMN a TO b, RENAME COLUMN b TO a, RENAME COLUMN id TO no");
    check_columns(*state, "t", "no,b,a");
    check_column(*state, "t", "a", "VARCHAR(10) NULL");
    check_keys(*state, "t", "PRIMARY(no) k(b,a)");
    check_record_key(*state, "t", "no");
}

static void ddl_keeps_the_blanks_of_a_char_that_becomes_binary(void **state)
{
    struct ddl_rig *rig = *state;
    RUN(rig, "CREATE TABLE t (a CHAR(4) DEFAULT 'AB')", "ALTER TABLE t CONVERT TO CHARACTER SET binary");
    check_column(rig, "t", "a", "BINARY(4) NULL DEFAULT 'AB'");
    RUN(rig,
        "CREATE TABLE t (a CHAR(4) CHARACTER SET latin1 DEFAULT '\u00e9', e ENUM('x') CHARACTER SET utf16 DEFAULT 'x')",
        "ALTER TABLE t CONVERT TO CHARACTER SET binary");
    check_column(rig, "t", "a", "BINARY(4) NULL DEFAULT 0xE9");
    rig->ctx.sql_mode = DDL_MODE_PAD_CHAR_TO_FULL_LENGTH;
    RUN(rig, "CREATE TABLE t (a CHAR(4) DEFAULT 'AB', b VARCHAR(4) DEFAULT 'AB')",
        "ALTER TABLE t CONVERT TO CHARACTER SET binary");
    check_column(rig, "t", "a", "BINARY(4) NULL DEFAULT 'AB  '");
    check_column(rig, "t", "b", "VARBINARY(4) NULL DEFAULT 'AB'");
}

static void ddl_sets_defaults_and_visibility(void **state)
{
    RUN(*state, "ALTER TABLE t ALTER a SET DEFAULT 8, ALTER COLUMN b SET DEFAULT 'x'");
    check_column(*state, "t", "a", "INT NULL DEFAULT 8");
    check_column(*state, "t", "b", "VARCHAR(10) NULL DEFAULT 'x'");
    RUN(*state, "ALTER TABLE t ALTER a DROP DEFAULT, ALTER b SET DEFAULT x'4142'");
    check_column(*state, "t", "a", "INT NULL");
    check_column(*state, "t", "b", "VARCHAR(10) NULL DEFAULT 'AB'");
    RUN(*state, "ALTER TABLE t ALTER a SET DEFAULT (1 + 1), ALTER b SET DEFAULT NULL");
    check_column(*state, "t", "a", "INT NULL DEFAULT (1 + 1)");
    RUN(*state, "ALTER TABLE t ALTER a SET INVISIBLE");
    check_column(*state, "t", "a", "INT NULL DEFAULT (1 + 1) INVISIBLE");
    RUN(*state, "ALTER TABLE t ALTER COLUMN a SET VISIBLE, ALTER a DROP DEFAULT");
    check_column(*state, "t", "a", "INT NULL");
}

static void ddl_keeps_a_hidden_key_first(void **state)
{
    RUN(*state,
        "CREATE TABLE g (my_row_id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT INVISIBLE, a INT, PRIMARY KEY (my_row_id))",
        "ALTER TABLE g ADD b INT FIRST, MODIFY a INT FIRST");
    check_columns(*state, "g", "my_row_id,a,b");
    RUN(*state, "ALTER TABLE g DROP COLUMN my_row_id, DROP PRIMARY KEY, ADD c INT FIRST");
    check_columns(*state, "g", "c,a,b");
    RUN(*state, "CREATE TABLE v (my_row_id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, PRIMARY KEY (my_row_id))",
        "ALTER TABLE v ADD b INT FIRST"); /* is no hidden key */
    check_columns(*state, "v", "b,my_row_id");
}

static void ddl_reads_words_as_names_where_names_stand(void **state)
{
    RUN(*state, "ALTER TABLE t ADD COLUMN visible INT, ADD COLUMN instant INT, ADD algorithm INT, ADD COLUMN comment "
                "INT AFTER id, "
                "CHANGE a system INT, ADD engine INT, ADD `first` INT FIRST, ADD `after` INT AFTER `first`");
    check_columns(*state, "t", "first,after,id,comment,system,b,visible,instant,algorithm,engine");
}

/* ---- keys */

static void ddl_adds_and_drops_keys(void **state)
{
    RUN(*state, "ALTER TABLE t DROP PRIMARY KEY, ADD CONSTRAINT pk PRIMARY KEY (a, id), ADD UNIQUE KEY u (b(3)), ADD "
                "INDEX (b, a), ADD KEY (b)");
    check_keys(*state, "t", "PRIMARY(a,id) !u(b:3) b(b,a) b_2(b)");
    check_column(*state, "t", "a", "INT NOT NULL");
    RUN(*state, "ALTER TABLE t DROP INDEX b, DROP KEY u, ADD UNIQUE (b)");
    check_keys(*state, "t", "PRIMARY(a,id) !b(b) b_2(b)");
    RUN(*state, "ALTER TABLE t DROP INDEX `primary`, DROP CONSTRAINT b");
    check_keys(*state, "t", "b_2(b)");
    check_column(*state, "t", "a", "INT NOT NULL");
    check_record_key(*state, "t", "");
}

static void ddl_takes_the_prefix_of_an_enum_that_becomes_a_string(void **state)
{
    RUN(*state, "CREATE TABLE e (a ENUM('xy') CHARACTER SET latin1, b ENUM('xy'), KEY (a), KEY (b))",
        "ALTER TABLE e MODIFY a CHAR(5), MODIFY b CHAR(5)");
    check_keys(*state, "e", "a(a:1) b(b)");
}

static void ddl_renames_keys_at_once(void **state)
{
    RUN(*state, "ALTER TABLE t ADD KEY x (a), ADD UNIQUE y (b)",
        "ALTER TABLE t RENAME INDEX x TO y, RENAME KEY y TO x");
    check_keys(*state, "t", "PRIMARY(id) !x(b) y(a)");
}

static void ddl_promotes_a_unique_key_as_a_restart_would(void **state)
{
    RUN(*state, "CREATE TABLE k1 (a INT NOT NULL, b INT NOT NULL, c INT)", "CREATE UNIQUE INDEX u ON k1 (b)");
    check_record_key(*state, "k1", "b");
    RUN(*state, "ALTER TABLE k1 ADD PRIMARY KEY (a)");
    check_record_key(*state, "k1", "a");
    RUN(*state, "ALTER TABLE k1 DROP PRIMARY KEY");
    check_record_key(*state, "k1", "b");
    RUN(*state, "DROP INDEX u ON k1");
    check_record_key(*state, "k1", "");
    RUN(*state, "CREATE TABLE k2 (a INT, b VARCHAR(9) NOT NULL, UNIQUE KEY (a, b))",
        "ALTER TABLE k2 MODIFY a INT NOT NULL");
    check_record_key(*state, "k2", "a,b");
    RUN(*state, "ALTER TABLE k2 ADD UNIQUE (b)");
    check_record_key(*state, "k2", "a,b");
    RUN(*state, "ALTER TABLE k2 DROP INDEX a");
    check_record_key(*state, "k2", "b");
}

static void ddl_passes_constraints_that_are_no_keys(void **state)
{
    RUN(*state,
        "ALTER TABLE t ADD CHECK (a > 0), ADD CONSTRAINT ck CHECK (b <> '(') NOT ENFORCED, "
        "ADD CONSTRAINT fk FOREIGN KEY (a) REFERENCES o (id) ON DELETE SET NULL",
        "ALTER TABLE t ALTER CHECK ck ENFORCED, ALTER CONSTRAINT ck NOT ENFORCED, ALTER INDEX fk INVISIBLE",
        "ALTER TABLE t DROP CHECK ck, DROP CONSTRAINT t_chk_1, DROP FOREIGN KEY fk");
    check_keys(*state, "t", "PRIMARY(id) fk(a)");
}

static void ddl_lets_an_unknown_plain_key_go_but_no_unknown_unique_one(void **state)
{
    struct ddl_rig *rig = *state;
    RUN(rig, "ALTER TABLE t DROP INDEX nosuch");
    RUN(rig, "ALTER TABLE t ADD UNIQUE (a)");
    assert_false(ddl_rig_apply(rig, view_of("ALTER TABLE t DROP INDEX nosuch")));
    check_effects(rig, "unread d.t");
    check_keys(rig, "t", "PRIMARY(id) !a(a)");
}

static void ddl_makes_and_drops_indexes_by_their_statements(void **state)
{
    RUN(*state,
        "CREATE UNIQUE INDEX u USING BTREE ON d.t (a DESC, b(3)) COMMENT 'on x' ALGORITHM = INPLACE LOCK = NONE");
    check_effects(*state, "alter d.t unseen");
    RUN(*state, "CREATE INDEX i ON t ((a + 1))");
    check_effects(*state, "alter d.t unseen");
    RUN(*state, "CREATE FULLTEXT INDEX f ON t (b) WITH PARSER ngram", "CREATE SPATIAL INDEX s ON t (a)");
    check_keys(*state, "t", "PRIMARY(id) !u(-a,b:3) i(*) f(b) s(a)");
    RUN(*state, "DROP INDEX u ON t ALGORITHM = COPY", "DROP INDEX i ON t");
    check_effects(*state, "alter d.t unseen");
    check_keys(*state, "t", "PRIMARY(id) f(b) s(a)");
}

static void ddl_tells_a_change_where_an_index_may_give_the_records_a_key(void **state)
{
    RUN(*state, "CREATE TABLE k (a INT, b INT NOT NULL, c INT NOT NULL)", "CREATE UNIQUE INDEX w ON k ((a + 1))");
    check_effects(*state, "alter d.k unseen");
    RUN(*state, "CREATE UNIQUE INDEX x ON k (a)");
    check_effects(*state, "alter d.k");
    RUN(*state, "CREATE UNIQUE INDEX y ON k (b)");
    check_effects(*state, "alter d.k");
    RUN(*state, "CREATE UNIQUE INDEX z ON k (c)");
    check_effects(*state, "alter d.k unseen");
    check_record_key(*state, "k", "b");
}

/* ---- the table */

static void ddl_changes_the_default_charset_for_later_columns_only(void **state)
{
    RUN(*state, "ALTER TABLE t DEFAULT CHARACTER SET cp1251", "ALTER TABLE t ADD c VARCHAR(9)");
    check_column(*state, "t", "b", "VARCHAR(10) NULL");
    check_column(*state, "t", "c", "VARCHAR(9) CHARACTER SET cp1251 COLLATE cp1251_general_ci NULL");
    RUN(*state, "ALTER TABLE t ADD d VARCHAR(9), COLLATE latin1_bin, ADD e VARCHAR(9)");
    check_column(*state, "t", "d", "VARCHAR(9) CHARACTER SET latin1 COLLATE latin1_bin NULL");
    check_column(*state, "t", "e", "VARCHAR(9) CHARACTER SET latin1 COLLATE latin1_bin NULL");
}

static void ddl_converts_all_text_columns(void **state)
{
    RUN(*state, "ALTER TABLE t ADD c TEXT, ADD n NCHAR(5), ADD x VARBINARY(5), ADD l LONGTEXT",
        "ALTER TABLE t CONVERT TO CHARACTER SET latin1");
    check_column(*state, "t", "b", "VARCHAR(10) CHARACTER SET latin1 COLLATE latin1_swedish_ci NULL");
    check_column(*state, "t", "n", "CHAR(5) CHARACTER SET latin1 COLLATE latin1_swedish_ci NULL");
    check_column(*state, "t", "c", "TEXT CHARACTER SET latin1 COLLATE latin1_swedish_ci NULL");
    RUN(*state,
        "ALTER TABLE t MODIFY b VARCHAR(20) CHARACTER SET sjis, CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin");
    check_column(*state, "t", "b", "VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL");
    check_column(*state, "t", "x", "VARBINARY(5) NULL");
    check_column(*state, "t", "l", "LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL");
    RUN(*state, "ALTER TABLE t CONVERT TO CHARACTER SET binary");
    check_column(*state, "t", "b", "VARBINARY(20) NULL");
    RUN(*state, "ALTER DATABASE d CHARACTER SET greek", "ALTER TABLE t ADD g TEXT, CONVERT TO CHARACTER SET DEFAULT");
    check_column(*state, "t", "g", "TEXT CHARACTER SET greek COLLATE greek_general_ci NULL");
    RUN(*state, "ALTER TABLE t CONVERT TO CHARACTER SET ascii, ADD h VARCHAR(9) BINARY, ADD i VARCHAR(9)");
    check_column(*state, "t", "h", "VARCHAR(9) BINARY CHARACTER SET ascii COLLATE ascii_bin NULL");
    check_column(*state, "t", "i", "VARCHAR(9) CHARACTER SET ascii COLLATE ascii_general_ci NULL");
}

static void ddl_resizes_text_that_is_converted(void **state)
{
    RUN(*state,
        "CREATE TABLE r (a TEXT, b TINYTEXT, c MEDIUMTEXT, d LONGTEXT, e TEXT(10), f INT, v VARCHAR(300)) CHARACTER "
        "SET latin1",
        "ALTER TABLE r MODIFY f MEDIUMTEXT, MODIFY v LONGTEXT, ADD g TEXT, CONVERT TO CHARACTER SET utf8mb4");
    check_column(*state, "r", "a", "MEDIUMTEXT NULL");
    check_column(*state, "r", "b", "TEXT NULL");
    check_column(*state, "r", "c", "LONGTEXT NULL");
    check_column(*state, "r", "d", "LONGTEXT NULL");
    check_column(*state, "r", "e", "TEXT NULL");
    check_column(*state, "r", "f", "TINYTEXT NULL"); /* holds as many characters as the INT did */
    check_column(*state, "r", "v", "LONGTEXT NULL");
    check_column(*state, "r", "g", "TEXT NULL");
    RUN(*state, "ALTER TABLE r CONVERT TO CHARACTER SET latin1");
    check_column(*state, "r", "a", "MEDIUMTEXT CHARACTER SET latin1 COLLATE latin1_swedish_ci NULL");
}

static void ddl_renames_the_table_in_all_words(void **state)
{
    struct ddl_rig *rig = *state;
    RUN(rig, "ALTER TABLE t RENAME TO u");
    check_effects(rig, "alter d.u<d.t");
    assert_null(catalog_find(&rig->catalog, view_of("d"), view_of("t")));
    RUN(rig, "ALTER TABLE u RENAME AS `V`, ADD x INT");
    check_columns(rig, "V", "id,a,b,x");
    RUN(rig, "ALTER TABLE d.V RENAME = d.w", "ALTER TABLE w RENAME t");
    check_columns(rig, "t", "id,a,b,x");
    RUN(rig, "ALTER TABLE t RENAME un.t");
    check_effects(rig, "alter un.t<d.t other");
    assert_true(rig->result.effects[0].was_captured);
    RUN(rig, "ALTER TABLE un.t RENAME d.t"); /* its shape is remembered where it isn't captured */
    check_effects(rig, "alter d.t<un.t");
    check_columns(rig, "t", "id,a,b,x");
}

static void ddl_passes_what_changes_no_shape(void **state)
{
    static const char *const statements[] = {
        "ALTER TABLE t",
        "ALTER TABLE t ENGINE = InnoDB, AUTO_INCREMENT=5 ROW_FORMAT COMPACT",
        "ALTER TABLE t FORCE",
        "ALTER TABLE t ALGORITHM=INPLACE, LOCK NONE",
        "ALTER TABLE t DISABLE KEYS",
        "ALTER TABLE t WITHOUT VALIDATION",
        "ALTER TABLE t ORDER BY a, b DESC, id ASC",
        "ALTER TABLE t SECONDARY_LOAD",
        "ALTER TABLE t REBUILD PARTITION ALL",
        "ALTER TABLE t REORGANIZE PARTITION p0, p1 INTO (PARTITION p0 VALUES LESS THAN (5))",
        "ALTER TABLE t ANALYZE PARTITION p0, p1",
        "ALTER TABLE t COALESCE PARTITION 3",
        "ALTER TABLE t ADD PARTITION PARTITIONS 2",
        "ALTER TABLE t ADD PARTITION (PARTITION p9 VALUES IN (99) COMMENT 'add')",
        "ALTER TABLE t TABLESPACE = innodb_file_per_table",
    };
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        RUN(*state, statements[i]);
        check_effects(*state, "alter d.t");
        check_columns(*state, "t", "id,a,b");
    }
}

static void ddl_follows_partitioning(void **state)
{
    RUN(*state, "ALTER TABLE t ADD x INT PARTITION BY HASH (id) PARTITIONS 2");
    assert_true(ddl_rig_shape(*state, "t")->is_partitioned);
    RUN(*state, "ALTER TABLE t DROP x REMOVE PARTITIONING");
    assert_false(ddl_rig_shape(*state, "t")->is_partitioned);
    check_columns(*state, "t", "id,a,b");
}

static void ddl_tells_of_rows_that_go_without_events(void **state)
{
    RUN(*state, "ALTER TABLE t TRUNCATE PARTITION p0, p1");
    check_effects(*state, "alter d.t; data d.t");
    RUN(*state, "ALTER TABLE t DROP PARTITION p0");
    check_effects(*state, "alter d.t; data d.t");
    RUN(*state, "ALTER TABLE t DISCARD TABLESPACE");
    check_effects(*state, "alter d.t; data d.t");
    RUN(*state, "ALTER TABLE t IMPORT PARTITION p0 TABLESPACE");
    check_effects(*state, "alter d.t; data d.t");
    RUN(*state, "ALTER TABLE t EXCHANGE PARTITION p0 WITH TABLE d.e WITHOUT VALIDATION");
    check_effects(*state, "alter d.t; data d.t; data d.e");
    RUN(*state, "ALTER TABLE unknown EXCHANGE PARTITION p0 WITH TABLE t");
    check_effects(*state, "alter d.unknown other; data d.unknown other; data d.t");
}

/* ---- tables that aren't known, statements that aren't read */

static void ddl_needs_the_shape_of_an_unknown_table(void **state)
{
    struct ddl_rig *rig = *state;
    assert_true(ddl_rig_apply(rig, view_of("ALTER TABLE n ADD x NOTYPE")));
    check_effects(rig, "alter d.n needs");
    assert_true(ddl_rig_apply(rig, view_of("ALTER TABLE n ADD x INT, RENAME TO m")));
    check_effects(rig, "alter d.m<d.n needs");
    assert_true(ddl_rig_apply(rig, view_of("ALTER TABLE unseen ADD x NOTYPE, RENAME COLUMN a TO b, RENAME t")));
    check_effects(rig, "alter d.t<d.unseen needs"); /* what t was is gone */
    assert_null(catalog_find(&rig->catalog, view_of("d"), view_of("t")));
    assert_true(ddl_rig_apply(rig, view_of("ALTER TABLE unseen ADD x NOTYPE")));
    check_effects(rig, "alter d.unseen other");
}

static void ddl_leaves_the_shape_when_a_statement_is_not_read(void **state)
{
    static const char *const statements[] = {
        "ALTER TABLE t ADD x NOTYPE",
        "ALTER TABLE t ADD x INT, DROP nosuch",
        "ALTER TABLE t ADD x INT AFTER nosuch",
        "ALTER TABLE t MODIFY nosuch INT",
        "ALTER TABLE t RENAME COLUMN a",
        "ALTER TABLE t RENAME COLUMN b TO A",
        "ALTER TABLE t ADD x INT, ADD B INT",
        "ALTER TABLE t ADD KEY (nosuch)",
        "ALTER TABLE t ADD x INT DEFAULT 'open",
        "ALTER TABLE t ADD x ENUM('a'",
        "ALTER TABLE t CONVERT TO CHARACTER SET nosuch",
        "ALTER TABLE t ALTER a SET NOTHING",
        "ALTER TABLE t (",
        "CREATE INDEX i ON t (nosuch)",
    };
    struct ddl_rig *rig = *state;
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        if (ddl_rig_apply(rig, view_of(statements[i])))
            fail_msg("was read: %s", statements[i]);
        assert_int_equal(rig->why.kind, FAIL_REFUSE);
        check_effects(rig, "unread d.t");
        check_columns(rig, "t", "id,a,b");
        check_keys(rig, "t", "PRIMARY(id)");
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(ddl_adds_columns_where_they_are_put),
        TEST(ddl_drops_columns_and_what_keys_had_of_them),
        TEST(ddl_puts_a_new_column_of_a_dropped_name_last),
        TEST(ddl_redefines_columns_wholly),
        TEST(ddl_places_by_names_as_they_will_be),
        TEST(ddl_renames_columns_at_once),
        TEST(ddl_keeps_the_blanks_of_a_char_that_becomes_binary),
        TEST(ddl_sets_defaults_and_visibility),
        TEST(ddl_keeps_a_hidden_key_first),
        TEST(ddl_reads_words_as_names_where_names_stand),
        TEST(ddl_adds_and_drops_keys),
        TEST(ddl_takes_the_prefix_of_an_enum_that_becomes_a_string),
        TEST(ddl_renames_keys_at_once),
        TEST(ddl_promotes_a_unique_key_as_a_restart_would),
        TEST(ddl_passes_constraints_that_are_no_keys),
        TEST(ddl_lets_an_unknown_plain_key_go_but_no_unknown_unique_one),
        TEST(ddl_makes_and_drops_indexes_by_their_statements),
        TEST(ddl_tells_a_change_where_an_index_may_give_the_records_a_key),
        TEST(ddl_changes_the_default_charset_for_later_columns_only),
        TEST(ddl_converts_all_text_columns),
        TEST(ddl_resizes_text_that_is_converted),
        TEST(ddl_renames_the_table_in_all_words),
        TEST(ddl_passes_what_changes_no_shape),
        TEST(ddl_follows_partitioning),
        TEST(ddl_tells_of_rows_that_go_without_events),
        TEST(ddl_needs_the_shape_of_an_unknown_table),
        TEST(ddl_leaves_the_shape_when_a_statement_is_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
