/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalog: the table shapes and database defaults in force at one position of the log.
 *
 * One shape per table, the newest the reader has passed; older ones live on as long as somebody holds them.
 * Databases are kept for the one thing a CREATE TABLE without a charset needs of them. Names compare as the
 * server's lower_case_table_names says: 0 by their bytes, else without case; with 1 they are kept in lower case.
 *
 * Beside the captured tables it knows some others, helpers, whose shape is needed should they be renamed into place
 * (online schema changers do that). They are bounded in number: the last resort for one that was forgotten is the server.
 *
 * Always true: the catalog holds one count on each shape in it; there are at most CATALOG_HELPERS_MAX helpers.
 * One thread at a time. Shapes and views that are handed out stay the catalog's until the next change of it.
 */
#ifndef TIDEMARK_BINLOG_CATALOG_H
#define TIDEMARK_BINLOG_CATALOG_H

#include "base/arena.h"
#include "base/map.h"
#include "binlog/shape.h"

enum { CATALOG_HELPERS_MAX = 1000 };

struct catalog {
    struct map shapes;    /* db NUL table -> struct shape, counted */
    struct map helpers;   /* the names of those that are helpers -> anything */
    struct map databases; /* db -> struct catalog_database */
    bool folds_case;
    bool stores_folded; /* the server keeps names in lower case, whatever a statement says */
    struct buf key;     /* scratch for the names that are looked up */
};

struct catalog_database {
    const struct charset *charset; /* NULL: not known */
    const char *collation;         /* its name */
    char *given_collation;         /* owned; NULL when it is the charset's own */
    size_t n_shapes;               /* of its tables, in the catalog */
};

void catalog_init(struct catalog *cat, unsigned lower_case_table_names);
void catalog_fini(struct catalog *cat);

/* The name under which the server keeps a database or table that a statement calls so; the name itself, or the arena's. */
struct view catalog_stored_name(const struct catalog *cat, struct view name, struct arena *memory);

/* The shape in force, or NULL when there is none that is known. */
const struct shape *catalog_find(struct catalog *cat, struct view db, struct view table);

/* Puts the shape in force under its own names; takes one count of it. */
void catalog_put(struct catalog *cat, const struct shape *s);

/* The same for a helper. Where there are too many, another one is forgotten. */
void catalog_put_helper(struct catalog *cat, const struct shape *s);

/* False when there was none. */
bool catalog_remove(struct catalog *cat, struct view db, struct view table);

/* Walks the shapes: start with *at = 0; NULL at the end. The catalog must not change meanwhile. */
const struct shape *catalog_next(const struct catalog *cat, size_t *at);

/* The default charset of a database. An empty collation stands for the charset's own. */
void catalog_put_database(struct catalog *cat, struct view db, const struct charset *charset, struct view collation);

/* NULL when its charset is not known. */
const struct catalog_database *catalog_find_database(struct catalog *cat, struct view db);

/* Is there a shape of a table in it? */
bool catalog_has_tables(struct catalog *cat, struct view db);

/* Is the shape's table in that database? */
bool catalog_is_in(const struct catalog *cat, const struct shape *s, struct view db);

/* Forgets a database and the shapes of its tables. */
void catalog_remove_database(struct catalog *cat, struct view db);

#endif
