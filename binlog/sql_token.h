/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sql_token: SQL text cut into tokens as MySQL's lexer cuts it.
 *
 * Tokens are views into the text, found one at a time; a scanner is plain memory, so a copy of it is a way back.
 * Comments are passed over. The inside of an executable comment (it opens with an exclamation mark, with a version or
 * without) is text like any other, unless its version is above the server's. Quotes, escapes and the second bytes of sjis, cp932, gbk, gb18030 and big5 are understood, so that
 * nothing inside a literal is mistaken for its end.
 *
 * Source: the MySQL 9.7 manual, chapter "Language Structure". Foreign bytes: a token never leaves the text, and every
 * byte is looked at a bounded number of times. Any thread.
 */
#ifndef TIDEMARK_BINLOG_SQL_TOKEN_H
#define TIDEMARK_BINLOG_SQL_TOKEN_H

#include "base/arena.h"
#include "binlog/charset.h"

enum sql_token_kind {
    SQL_END,      /* of the text */
    SQL_WORD,     /* a keyword or a name without quotes */
    SQL_NAME,     /* a name in backticks, or in double quotes under ANSI_QUOTES */
    SQL_STRING,   /* '…' or "…" */
    SQL_NATIONAL, /* N'…' */
    SQL_NUMBER,   /* 12, 1.5, .5, 1e-3; without a sign */
    SQL_HEX,      /* x'4142', 0x4142 */
    SQL_BITS,     /* b'01', 0b01 */
    SQL_SIGN,     /* one character: ( ) , . ; = @ + - … */
    SQL_BROKEN,   /* a literal, a name or a comment without its end */
};

struct sql_token {
    enum sql_token_kind kind;
    struct view text; /* all of it, quotes included */
    uint8_t sign;     /* SQL_SIGN: the character */
};

/* Which bytes open a pair whose second byte may look like ASCII. */
enum sql_pairs {
    SQL_PAIRS_NONE,
    SQL_PAIRS_SJIS, /* and cp932 */
    SQL_PAIRS_GBK,  /* and gb18030, whose four bytes are two such pairs */
    SQL_PAIRS_BIG5,
};

struct sql_scanner {
    struct cursor at;
    const uint8_t *name_end;       /* where the last word or name ended: a dot right there goes on with it */
    const struct charset *charset; /* of the text; NULL: UTF-8 */
    uint32_t version;              /* executable comments up to it are read; 0: all are */
    enum sql_pairs pairs;
    bool ansi_quotes;
    bool no_backslash_escapes;
    bool in_executable; /* inside an executable comment */
    bool is_after_dot;  /* what follows is a name, even if it starts with a digit */
};

void sql_scan(struct sql_scanner *s, struct view text, const struct charset *charset, bool ansi_quotes,
              bool no_backslash_escapes, uint32_t version);

/* The next token; SQL_END for ever at the end. */
struct sql_token sql_next(struct sql_scanner *s);

/* Is it this keyword (given in capitals)? Only words are, never quoted names. */
bool sql_is_word(const struct sql_token *t, const char *keyword);

/* The name that a SQL_WORD or SQL_NAME stands for, in UTF-8. */
struct view sql_name(const struct sql_scanner *s, const struct sql_token *t, struct arena *memory);

/* What a SQL_STRING or SQL_NATIONAL holds, escapes undone, in UTF-8; its bytes are of `charset` (an introducer's; NULL: the
 * text's own). */
struct view sql_string(const struct sql_scanner *s, const struct sql_token *t, const struct charset *charset,
                       struct arena *memory);

/* The digits of a SQL_HEX or SQL_BITS. */
struct view sql_digits(const struct sql_token *t);

/* Bytes of a charset (NULL: UTF-8) as valid UTF-8; lent when they are it already, else in memory. Bytes of the charset
 * binary stay what they are. */
struct view sql_utf8(const struct charset *charset, struct view text, struct arena *memory);

/* Writes a name between two of these quotes, doubled where they stand in it. */
void sql_put_quoted(struct buf *out, struct view name, char quote);

/* Writes a name in backticks, a string in quotes with backslash escapes. */
void sql_put_name(struct buf *out, struct view name);
void sql_put_string(struct buf *out, struct view text);

#endif
