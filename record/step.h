/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step: what a plan is made of: for each field its name as bytes, its writer and what stands for NULL.
 *
 * A writer appends the cell as JSON and returns true, or returns false when the value has no form in the record's
 * type (a date that does not exist, a TIME outside the day for Connect's Time); what it had appended by then is taken
 * back by its caller. A zero date is no such failure: the writer puts if_none for it.
 *
 * Inside of plan, column and render; nobody else looks. Immutable but for the counter; memory is the plan's arena.
 */
#ifndef TIDEMARK_RECORD_STEP_H
#define TIDEMARK_RECORD_STEP_H

#include "base/arena.h"
#include "base/bytes.h"
#include "binlog/cell.h"
#include "binlog/shape.h"
#include "record/settings.h"

#include <stdatomic.h>

struct step;

enum { STEP_PAD = 16 }; /* names are copied in pieces of so many bytes */

typedef bool step_write_fn(const struct step *s, const struct cell *c, struct buf *out);

/* A column's type as Connect has it, for one SQL type in one mode. */
struct field_type {
    const char *type;   /* Connect's word: "int32" */
    const char *name;   /* semantic name, version 1, or NULL */
    const char *doc;    /* of the type, or NULL */
    const char *inside; /* "fields":[…] or "items":{…}, or NULL */
    step_write_fn *write;
    step_write_fn *write_header; /* where SimpleHeaderConverter differs from JSON by more than escapes, or NULL */
    const char *fallback;        /* JSON for a required column without a default whose value is lost */
    const char *header_fallback; /* the same for write_header */
};

struct step {
    /* what each row touches */
    step_write_fn *write;
    struct view name;    /* "id": with the comma before it, except for the first; readable to STEP_PAD more */
    struct view if_null; /* JSON for NULL: null or the default; empty when a NULL can't be written */
    struct view if_none; /* JSON for a zero date and for what can't be converted */
    uint16_t column;     /* of the shape */
    uint8_t fsp;
    uint8_t scale;
    uint8_t n_bytes; /* BIT: bytes of the value */
    bool adjusts_years;
    const struct charset *charset;
    const struct view *labels; /* ENUM, SET: escaped, without quotes */
    uint32_t n_labels;

    /* what only schemas, headers and failures touch */
    bool is_required;
    const struct field_type *type;
    struct view field;      /* the field's name, adjusted, plain */
    struct view parameters; /* of the schema, as schema_text wants them */
    bool has_doc;
    struct view doc;
    struct view default_json;   /* empty: no default */
    struct view header_if_null; /* the texts of a key-change header */
    struct view header_if_none;
};

/* The parts of the records that are the same for each row. */
struct plan {
    const struct shape *shape;
    const struct record_settings *set;
    const char *topic;
    struct step *values; /* the fields of an image */
    unsigned n_values;
    struct step *keys; /* the fields of the record key */
    unsigned n_keys;
    struct view key_head;   /* up to the first field */
    struct view key_tail;   /* from behind the last */
    struct view value_head; /* up to "before": and with it */
    struct view value_tail; /* from behind the last clock */
    atomic_ulong *failures; /* by column of the shape: values that could not be converted */
    struct arena memory;
};

#endif
