/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draft_resolve: what the server makes of a column's type: its charset, binary types for binary charsets, the size class
 * of TEXT(n), TEXT for a VARCHAR that is too long, and what CONVERT TO CHARACTER SET does to all of these.
 *
 * Source: the manual, "Silent Column Specification Changes", "The BLOB and TEXT Types", ALTER TABLE ("Changing the
 * Character Set"); trials on a 9.7 server.
 */
#include "binlog/draft.h"

enum { VARCHAR_BYTES = 65535 };

static bool is_text(enum column_kind kind)
{
    return kind == COLUMN_CHAR || kind == COLUMN_VARCHAR || kind == COLUMN_TEXT || kind == COLUMN_ENUM ||
           kind == COLUMN_SET;
}

/* The size class of so many bytes: 1 TINY, 2, 3 MEDIUM, 4 LONG. */
static uint8_t blob_bytes_for(uint64_t bytes)
{
    return bytes < 1u << 8 ? 1 : bytes < 1u << 16 ? 2 : bytes < 1u << 24 ? 3 : 4;
}

static uint64_t blob_room(uint8_t blob_bytes)
{
    return (UINT64_C(1) << (8 * blob_bytes)) - 1;
}

static void name_type_as_server(struct column *c)
{
    c->type_text = view_of(shape_type_name(c));
}

/* ---- charset */

static struct view bin_collation(const struct draft *d, const struct charset *cs)
{
    if (cs->is_binary)
        return view_of(cs->default_collation);
    struct buf name;
    buf_init(&name);
    buf_printf(&name, "%s_bin", cs->name);
    struct view copy = arena_copy(d->p->memory, buf_view(&name));
    buf_fini(&name);
    return copy;
}

/* BINARY at a type without a charset stands over COLLATE, and over CONVERT TO. */
static bool bin_wins(const struct draft_column *col)
{
    return col->is_bin && !col->is_charset_written;
}

static void resolve_charset(struct draft *d, struct draft_column *col)
{
    struct column *c = &col->c;
    const struct charset *written = col->is_national ? charset_find(view_of("utf8mb3")) : col->charset;
    c->charset = written != NULL ? written : d->charset;
    if (col->collation.n > 0 && !bin_wins(col))
        c->collation = col->collation;
    else if (col->is_bin)
        c->collation = bin_collation(d, c->charset);
    else if (written != NULL)
        c->collation = draft_default_collation(d->p, written);
    else
        c->collation = d->collation;
}

/* Text of the charset binary is bytes, except for the labels of ENUM and SET. */
static void resolve_binary(struct column *c)
{
    if (c->charset == NULL || !c->charset->is_binary)
        return;
    if (c->kind == COLUMN_CHAR)
        c->kind = COLUMN_BINARY;
    else if (c->kind == COLUMN_VARCHAR)
        c->kind = COLUMN_VARBINARY;
    else if (c->kind == COLUMN_TEXT)
        c->kind = COLUMN_BLOB;
    else
        return;
    c->charset = NULL;
    c->collation = VIEW_NONE;
    name_type_as_server(c);
}

/* ---- sizes */

static uint64_t bytes_of_character(const struct column *c)
{
    return c->charset == NULL ? 1 : c->charset->max_bytes;
}

static void become_blob(struct column *c, uint64_t bytes)
{
    c->kind = c->kind == COLUMN_VARBINARY || c->kind == COLUMN_BINARY ? COLUMN_BLOB : COLUMN_TEXT;
    c->blob_bytes = blob_bytes_for(bytes);
    c->has_length = false;
    c->length = 0;
    name_type_as_server(c);
}

static void resolve_size(struct column *c)
{
    uint64_t bytes = c->length * bytes_of_character(c);
    if ((c->kind == COLUMN_VARCHAR || c->kind == COLUMN_VARBINARY) && bytes > VARCHAR_BYTES)
        become_blob(c, bytes);
    else if ((c->kind == COLUMN_TEXT || c->kind == COLUMN_BLOB) && c->has_length)
        c->blob_bytes = blob_bytes_for(bytes);
}

/* ---- labels and defaults */

static uint8_t digit_value(uint8_t c)
{
    return (uint8_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
}

static struct view bytes_of_hex(struct arena *memory, struct view digits)
{
    size_t n = (digits.n + 1) / 2;
    uint8_t *bytes = arena_zero(memory, n + 1, 1);
    for (size_t i = 0; i < digits.n; i++) { /* from the end: an odd count starts with half a byte */
        uint8_t value = digit_value(digits.p[digits.n - 1 - i]);
        bytes[n - 1 - i / 2] |= (uint8_t)(i % 2 == 0 ? value : value << 4);
    }
    return (struct view){bytes, n};
}

/* Bytes that are text, also where their charset is binary: what is no UTF-8 in them is told, and compared with what the
 * log says, as U+FFFD. */
static struct view text_of_bytes(const struct draft *d, const struct charset *cs, struct view bytes)
{
    return sql_utf8(cs->is_binary ? NULL : cs, bytes, d->p->memory);
}

/* Of charset binary, labels are the bytes that stood there; of others, they lose the blanks at their end. */
static void resolve_members(struct draft *d, struct draft_column *col)
{
    const struct charset *cs = col->c.charset;
    for (uint32_t i = 0; i < col->c.n_members; i++) {
        struct view *member = &col->c.members[i];
        const struct draft_label *label = &col->labels[i];
        if (label->is_hex)
            *member = text_of_bytes(d, cs, bytes_of_hex(d->p->memory, label->bytes));
        else if (cs->is_binary)
            *member = text_of_bytes(d, cs, label->bytes);
        while (member->n > 0 && member->p[member->n - 1] == ' ' && !cs->is_binary)
            member->n--;
    }
}

static bool is_plain_text(struct view bytes)
{
    for (size_t i = 0; i < bytes.n; i++)
        if (bytes.p[i] >= 0x80)
            return false;
    return true;
}

static struct view bytes_of_bits(struct arena *memory, struct view digits)
{
    size_t n = (digits.n + 7) / 8;
    uint8_t *bytes = arena_zero(memory, n + 1, 1);
    for (size_t i = 0; i < digits.n; i++) /* from the end: the first byte may be short of bits */
        if (digits.p[digits.n - 1 - i] == '1')
            bytes[n - 1 - i / 8] |= (uint8_t)(1 << (i % 8));
    return (struct view){bytes, n};
}

static void set_hex_default(struct draft *d, struct column *c, struct view bytes)
{
    static const char digits[] = "0123456789ABCDEF";
    uint8_t *hex = arena_alloc(d->p->memory, 2 * bytes.n);
    for (size_t i = 0; i < bytes.n; i++) {
        hex[2 * i] = (uint8_t)digits[bytes.p[i] >> 4];
        hex[2 * i + 1] = (uint8_t)digits[bytes.p[i] & 15];
    }
    c->default_kind = DEFAULT_HEX;
    c->default_text = (struct view){hex, 2 * bytes.n};
    c->default_is_quoted = false;
}

/* The bytes of one code unit. */
static size_t unit_bytes(const struct charset *cs)
{
    static const char *const two[] = {"ucs2", "utf16", "utf16le"};
    for (size_t i = 0; i < sizeof two / sizeof *two; i++)
        if (strcmp(cs->name, two[i]) == 0)
            return 2;
    return strcmp(cs->name, "utf32") == 0 ? 4 : 1;
}

/* Whole units: zeros are put in front. */
static struct view aligned(struct arena *memory, struct view bytes, size_t unit)
{
    size_t missing = (unit - bytes.n % unit) % unit;
    if (missing == 0)
        return bytes;
    uint8_t *padded = arena_zero(memory, missing + bytes.n, 1);
    if (bytes.n > 0)
        memcpy(padded + missing, bytes.p, bytes.n);
    return (struct view){padded, missing + bytes.n};
}

/* Digits are text for a text column: of the charset that is written in front of them, else (and behind _binary, which
 * changes no bytes) of its own. */
static void set_text_default(struct draft *d, struct draft_column *col, struct view bytes)
{
    bool is_own = col->default_charset == NULL || col->default_charset->is_binary;
    const struct charset *cs = is_own ? col->c.charset : col->default_charset;
    col->c.default_kind = DEFAULT_LITERAL;
    col->c.default_text = text_of_bytes(d, cs, aligned(d->p->memory, bytes, unit_bytes(cs)));
    col->c.default_is_quoted = true;
}

/* A default of a text column is text however it was written; that of a binary column is the bytes that stood there, and
 * those that are not ASCII are kept as digits. */
void draft_resolve_default(struct draft *d, struct draft_column *col)
{
    struct column *c = &col->c;
    bool is_bytes = c->kind == COLUMN_BINARY || c->kind == COLUMN_VARBINARY;
    struct view bytes = c->default_text;
    if (c->is_auto_increment) /* ALTER may set one; it is taken and forgotten */
        c->default_kind = DEFAULT_NONE;
    if (c->default_kind == DEFAULT_HEX && c->charset != NULL)
        set_text_default(d, col, bytes_of_hex(d->p->memory, bytes));
    else if (c->default_kind == DEFAULT_BITS && c->charset != NULL)
        set_text_default(d, col, bytes_of_bits(d->p->memory, bytes));
    else if (c->default_kind == DEFAULT_BITS && is_bytes)
        set_hex_default(d, c, bytes_of_bits(d->p->memory, bytes));
    else if (c->default_kind == DEFAULT_LITERAL && is_bytes && !is_plain_text(col->default_bytes))
        set_hex_default(d, c, col->default_bytes);
    else if (c->default_kind == DEFAULT_LITERAL && c->charset != NULL && c->charset->is_binary &&
             col->default_bytes.n > 0)
        c->default_text =
            text_of_bytes(d, c->charset, col->default_bytes); /* a label, by its bytes as the labels are */
}

void draft_resolve_column(struct draft *d, struct draft_column *col)
{
    struct column *c = &col->c;
    if (is_text(c->kind)) {
        resolve_charset(d, col);
        resolve_members(d, col);
        resolve_binary(c);
    }
    resolve_size(c);
    draft_resolve_default(d, col);
}

/* ---- CONVERT TO CHARACTER SET */

/* The characters that a number may need, as the server counts them. */
static uint64_t number_width(const struct column *c)
{
    static const uint8_t widths[] = {
        [COLUMN_TINYINT] = 4, [COLUMN_SMALLINT] = 6, [COLUMN_MEDIUMINT] = 9, [COLUMN_INT] = 11,
        [COLUMN_BIGINT] = 20, [COLUMN_FLOAT] = 12,   [COLUMN_DOUBLE] = 22,
    };
    if (c->kind == COLUMN_DECIMAL)
        return c->length + (c->scale > 0) + !c->is_unsigned;
    return c->has_length && c->length > 0 ? c->length : widths[c->kind];
}

static uint64_t longest_label(const struct column *c)
{
    uint64_t longest = 0;
    uint64_t all = 0;
    for (uint32_t i = 0; i < c->n_members; i++) {
        longest = c->members[i].n > longest ? c->members[i].n : longest;
        all += c->members[i].n + (i > 0);
    }
    return c->kind == COLUMN_SET ? all : longest;
}

uint64_t draft_room_of(const struct column *c)
{
    enum { DATE_WIDTH = 10, TIME_WIDTH = 10, DATETIME_WIDTH = 19, VECTOR_ITEM = 4 };
    uint64_t fraction = c->fsp > 0 ? c->fsp + 1u : 0;
    switch (c->kind) {
    case COLUMN_TEXT:
    case COLUMN_BLOB:
        return blob_room(c->blob_bytes) / bytes_of_character(c);
    case COLUMN_JSON:
    case COLUMN_GEOMETRY:
        return blob_room(4);
    case COLUMN_ENUM:
    case COLUMN_SET:
        return longest_label(c);
    case COLUMN_VECTOR:
        return (uint64_t)c->length * VECTOR_ITEM;
    case COLUMN_DATE:
        return DATE_WIDTH;
    case COLUMN_TIME:
        return TIME_WIDTH + fraction;
    case COLUMN_DATETIME:
    case COLUMN_TIMESTAMP:
        return DATETIME_WIDTH + fraction;
    case COLUMN_CHAR:
    case COLUMN_VARCHAR:
    case COLUMN_BINARY:
    case COLUMN_VARBINARY:
    case COLUMN_BIT:
    case COLUMN_YEAR:
        return c->length;
    default:
        return number_width(c);
    }
}

/* With CONVERT, a TEXT or BLOB that was a column before gets the size class that holds as many characters as the column
 * did, whatever class this statement may name; only LONG stays. */
static void convert_size(struct draft_column *col)
{
    struct column *c = &col->c;
    bool is_blob = c->kind == COLUMN_TEXT || c->kind == COLUMN_BLOB;
    if (!is_blob || (col->is_raw && c->has_length)) {
        resolve_size(c);
        return;
    }
    if (col->old == NULL || c->blob_bytes == 4)
        return;
    uint8_t needed = blob_bytes_for(draft_room_of(col->old) * bytes_of_character(c));
    if (needed == c->blob_bytes && !c->has_length)
        return;
    c->blob_bytes = needed;
    c->has_length = false;
    c->length = 0;
    name_type_as_server(c);
}

static bool is_national_name(struct view type)
{
    return type.n > 0 && type.p[0] == 'N';
}

static uint64_t characters(struct view text)
{
    uint64_t n = 0;
    for (size_t i = 0; i < text.n; i++)
        n += (text.p[i] & 0xc0) != 0x80;
    return n;
}

/* Where the session sees CHAR with the blanks at its end, a CHAR that becomes BINARY keeps those of its default. */
static void pad_default(const struct draft *d, struct column *c)
{
    if (c->kind != COLUMN_CHAR || c->default_kind != DEFAULT_LITERAL ||
        (d->p->ctx->sql_mode & DDL_MODE_PAD_CHAR_TO_FULL_LENGTH) == 0)
        return;
    uint64_t n = characters(c->default_text);
    size_t missing = n < c->length ? (size_t)(c->length - n) : 0;
    uint8_t *padded = arena_alloc(d->p->memory, c->default_text.n + missing + 1);
    if (c->default_text.n > 0)
        memcpy(padded, c->default_text.p, c->default_text.n);
    memset(padded + c->default_text.n, ' ', missing);
    c->default_text = (struct view){padded, c->default_text.n + missing};
}

static struct view bytes_of_text(const struct draft *d, const struct charset *cs, struct view text)
{
    struct buf bytes;
    buf_init(&bytes);
    charset_from_utf8(cs, text, &bytes);
    struct view copy = arena_copy(d->p->memory, buf_view(&bytes));
    buf_fini(&bytes);
    return copy;
}

static void set_binary_default(struct draft *d, struct column *c, struct view bytes)
{
    if (c->kind == COLUMN_ENUM || c->kind == COLUMN_SET)
        c->default_text = text_of_bytes(d, d->convert, bytes);
    else if (!is_plain_text(bytes))
        set_hex_default(d, c, bytes);
    else
        c->default_text = bytes;
}

/* Text that becomes binary keeps its bytes: labels and default, too. */
static void convert_to_bytes(struct draft *d, struct column *c)
{
    struct view *members = arena_alloc(d->p->memory, c->n_members * sizeof *members);
    for (uint32_t i = 0; i < c->n_members; i++)
        members[i] = text_of_bytes(d, d->convert, bytes_of_text(d, c->charset, c->members[i]));
    c->members = members;
    pad_default(d, c);
    if (c->default_kind == DEFAULT_LITERAL)
        set_binary_default(d, c, bytes_of_text(d, c->charset, c->default_text));
}

void draft_convert_column(struct draft *d, struct draft_column *col)
{
    struct column *c = &col->c;
    if (c->charset != NULL && !c->charset->is_binary) {
        if (d->convert->is_binary)
            convert_to_bytes(d, c);
        c->charset = d->convert;
        c->collation = bin_wins(col) ? bin_collation(d, d->convert) : d->convert_collation;
        if (is_text(c->kind) && is_national_name(c->type_text))
            name_type_as_server(c);
        resolve_binary(c);
    }
    convert_size(col);
}
