/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_stream: what Java's object serialisation wrote, as values that can be looked into.
 *
 *   aced 0005, then one content:
 *     70 null                                  71 handle (from 7e0000 on, in order of appearance)
 *     74 u16 length, text                      7c u64 length, text
 *     72 class: name, u64 uid, u8 flags, u16 fields (type, name, for objects the type's name), annotation, superclass
 *     73 object: class, then for each class of its line, ancestors first, its fields and, by its flags, an annotation
 *     75 array: class, i32 length, elements
 *   An annotation is blocks (77 u8 length, 7a i32 length) and contents up to 78. Numbers are big-endian, text is
 *   "modified UTF-8": NUL in two bytes, what is beyond the basic plane as two halves of three bytes each.
 *
 * Debezium keeps two things in this form: keys of snapshots under way, and the file of FileOffsetBackingStore. Classes are
 * not known here: what has a layout of its own (enums, proxies, exceptions) is refused.
 *
 * Values may be shared and may be rings, as handles make them; who walks deeper than he knows counts. All is the arena's,
 * bytes lend the text that was read. Any thread. Source: Java Object Serialization Specification, chapter 6.
 */
#ifndef TIDEMARK_CONNECTOR_JAVA_STREAM_H
#define TIDEMARK_CONNECTOR_JAVA_STREAM_H

#include "base/arena.h"
#include "base/fail.h"

#include <stdint.h>

enum java_kind { JAVA_NULL, JAVA_TEXT, JAVA_BYTES, JAVA_ARRAY, JAVA_OBJECT };

struct java_field {
    char type; /* B C D F I J S Z, or L and [ */
    struct view name;
};

struct java_class {
    struct view name;
    uint8_t flags;
    unsigned n_fields;
    struct java_field *fields;
    struct java_class *super;
};

/* A field's value: bits of a number, or another value. */
struct java_slot {
    uint64_t bits;
    struct java_value *value;
};

/* What one class of an object's line holds. */
struct java_part {
    const struct java_class *class;
    struct java_slot *slots;   /* by field */
    struct view block;         /* of the annotation: its first block; empty when none */
    struct java_value **items; /* of the annotation: the contents in it */
    unsigned n_items;
};

struct java_value {
    enum java_kind kind;
    struct view bytes; /* TEXT: UTF-8; BYTES */
    const struct java_class *class;
    struct java_value **items; /* ARRAY */
    unsigned n_items;
    struct java_part *parts; /* OBJECT, ancestors first */
    unsigned n_parts;
};

/* Reads a whole stream that holds one content; REFUSE when it is anything else. */
MUST_USE bool java_stream_read(struct view bytes, struct arena *memory, const struct java_value **out,
                               struct fail *why);

/* The part of the class of that name, or NULL. */
const struct java_part *java_value_part(const struct java_value *v, const char *class_name);

/* A field of a part, or NULL. */
const struct java_slot *java_part_slot(const struct java_part *part, const char *name);

#endif
