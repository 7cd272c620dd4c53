/* What modules declare, by what it is to a plan: for lists of names, references and completion.
 * Nothing is evaluated. */
#ifndef TS_COMPILER_CATALOG_H
#define TS_COMPILER_CATALOG_H

#include "compiler/eval/module.h"

typedef struct ts_catalog_item {
  const ts_entry *entry;
  /* what it gives: a type of the language, or Costs, Network, Op, Block, RecordType, Protocol,
   * Plan, Search; NULL: its text does not say */
  const char *type;
  /* the comment above it, or above the first declaration of its group (no line is left empty
   * between two of a group); "": none */
  const char *comment;
  const ts_entry *first; /* that declaration, where the comment is not its own; else NULL */
} ts_catalog_item;

typedef struct ts_catalog {
  TS_VEC(const ts_module *) modules; /* those of the paths and what they import first, then std */
  TS_VEC(ts_catalog_item) items;     /* without private ones, by modules, as they stand there */
} ts_catalog;

/* Reads files of the user, and all of the standard library. False after errors, in the queue. */
bool ts_catalog_load(ts_session *s, const char *const *paths, size_t count, ts_catalog *catalog);

typedef struct ts_catalog_kind {
  const char *word, *type, *about; /* "models", "Model", ... */
} ts_catalog_kind;
/* The kinds of things that a plan is put together from; NULL at the end. */
const ts_catalog_kind *ts_catalog_kind_at(size_t i);

/* As an import names it: "std.models.x", or the file in quotes. */
const char *ts_catalog_import(ts_session *s, const ts_module *m);
/* The comment at the top of its file; "": none. */
const char *ts_catalog_about(ts_session *s, const ts_module *m);
/* A call in short: "x(layers, hidden, seq=4096)"; the name alone where it takes nothing. */
const char *ts_catalog_call(ts_session *s, const ts_ast *decl);
/* The first sentence, on one line; it ends before a table. */
const char *ts_catalog_sentence(ts_session *s, const char *comment);

#endif
