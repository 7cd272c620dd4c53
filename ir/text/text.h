/* The text form of the IR: what its writer and its reader agree on (spelling, symbols, tokens). Its
 * grammar: doc/ir.md. */
#ifndef TS_IR_TEXT_TEXT_H
#define TS_IR_TEXT_TEXT_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/hash_table.h"
#include "ir/ir.h"
#include "ir/forms.h"
#include "ir/loops.h"

/* ---- quantities ---- */
/* A number with its unit, spelled so that it reads back exactly: in as few characters as it takes.
 * */
typedef struct ts_ir_spelling { char text[64]; } ts_ir_spelling;
ts_ir_spelling ts_ir_spell_plain(double value);
ts_ir_spelling ts_ir_spell_real(double value, ts_ir_dimension dimension);
ts_ir_spelling ts_ir_spell_bytes(uint64_t bytes);
ts_ir_spelling ts_ir_spell_time(uint64_t ps);

/* ---- words: names that need no quotes ---- */
size_t ts_ir_word_length(const char *text, size_t size); /* of the word that begins there, or 0 */

/* ---- symbols: names within a space, each with a number ---- */
typedef struct ts_ir_symbol { const char *name; uint32_t space, value; } ts_ir_symbol;

typedef struct ts_ir_symbols {
  ts_arena *arena;
  TS_VEC(ts_ir_symbol) all;
  ts_hash_table table;
} ts_ir_symbols;

/* or NULL */
ts_ir_symbol *ts_ir_find_symbol(ts_ir_symbols *symbols, uint32_t space, const char *name);
/* Adds it with value TS_IR_NONE if it is not there. Valid until the next call. */
ts_ir_symbol *ts_ir_symbol_of(ts_ir_symbols *symbols, uint32_t space, const char *name);

/* ---- tokens ---- */
typedef enum ts_ir_token {
  TS_IR_END_OF_FILE,
  TS_IR_END_OF_LINE,
  TS_IR_WORD,
  TS_IR_QUOTED,
  TS_IR_NUMBER,
  TS_IR_ARROW,
  TS_IR_DUPLEX,
  TS_IR_RANGE,
  TS_IR_MARK
} ts_ir_token; /* -> , -- , .. ; MARK: any other single character */

typedef struct ts_ir_lexer {
  const char *at, *end;
  uint32_t line;
  ts_ir_token token;
  char *text; /* of the token, quotes and escapes undone, NUL-terminated */
  size_t room;
  ts_arena *arena;
  ts_error *error;
  bool failed; /* the first error stands; from then on every token is END_OF_FILE */
} ts_ir_lexer;

void ts_ir_next(ts_ir_lexer *l);
void ts_ir_syntax(ts_ir_lexer *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ts_ir_expected(ts_ir_lexer *l, const char *what); /* "expected WHAT, found TOKEN" */
bool ts_ir_is(const ts_ir_lexer *l, const char *word); /* a bare word or a mark */
bool ts_ir_take(ts_ir_lexer *l, const char *word);     /* the same, and goes on */
void ts_ir_need(ts_ir_lexer *l, const char *word);
/* within a block; the end of the text lacks only the brace */
bool ts_ir_at_line_end(const ts_ir_lexer *l);
bool ts_ir_at_name(const ts_ir_lexer *l);              /* a word or a quoted string */
char *ts_ir_take_name(ts_ir_lexer *l, const char *what); /* a copy; "" after an error */
uint64_t ts_ir_take_count(ts_ir_lexer *l, const char *what, uint64_t most);
uint64_t ts_ir_take_whole(ts_ir_lexer *l, ts_ir_dimension dimension); /* exactly, in base units */
/* TS_IR_DIMENSIONS: a bare number */
double ts_ir_take_real(ts_ir_lexer *l, ts_ir_dimension dimension);
uint32_t ts_ir_take_choice(ts_ir_lexer *l, const char *what, const char *const *words);

/* ---- reader (read.c, cluster.c, play.c) ---- */
typedef struct ts_ir_reader {
  ts_ir_lexer lexer;
  ts_ir_builder *out;
  ts_arena *arena;
  ts_ir_symbols symbols;
  uint32_t index;          /* that the record in hand gets in its table */
  struct ts_ir_body *body; /* the fragment in hand */
  uint32_t played_micro_batches; /* 1 + the largest that an item names */
  ts_ir_unrolled unrolled;       /* of the programs so far */
  bool said[TS_IR_FORMS]; /* which statements there were */
} ts_ir_reader;

/* `NAME` at its declaration: reserved for record `value` of the kind; and where it is used: the
 * index, 0 after an error. */
void ts_ir_declare(ts_ir_reader *r, ts_ir_section_kind kind, const char *name, uint32_t value);
uint32_t ts_ir_use(ts_ir_reader *r, ts_ir_section_kind kind, const char *what);
uint32_t ts_ir_use_group(ts_ir_reader *r);
ts_ir_str ts_ir_take_string(ts_ir_reader *r, const char *what);
uint32_t ts_ir_take_loc(ts_ir_reader *r); /* SOURCE LINE:COLUMN[-END] */
/* Fields as their rows say, what is usual where nothing else is said: of a record that already has
 * this, and of a new one. */
void ts_ir_read_fields(ts_ir_reader *r, uint32_t kind, const ts_ir_field *fields, void *record);
void ts_ir_read_form(ts_ir_reader *r, uint32_t form, void *record);
void ts_ir_begin_block(ts_ir_reader *r);
/* goes to the next statement; false behind the closing brace */
bool ts_ir_in_block(ts_ir_reader *r);

uint32_t ts_ir_take_vertex(ts_ir_reader *r);
void ts_ir_read_after(struct ts_ir_body *fragment);
void ts_ir_read_mem(struct ts_ir_body *fragment, bool freed);
void ts_ir_read_block(ts_ir_reader *r, ts_ir_net_model *m);

void ts_ir_read_devices(ts_ir_reader *r);
void ts_ir_read_switches(ts_ir_reader *r);
void ts_ir_read_vertex(ts_ir_reader *r);
void ts_ir_read_place(ts_ir_reader *r);
void ts_ir_read_fragment(ts_ir_reader *r);
void ts_ir_read_program(ts_ir_reader *r);

#endif
