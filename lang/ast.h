/* The syntax tree. One node type; what a node means is its kind, and each kind's children are laid
 * out as lang/ast.def says. Nodes live in the session's arena and are never changed after parsing.
 * `name` is interned: compare by pointer. */
#ifndef TS_LANG_AST_H
#define TS_LANG_AST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/source.h"
#include "lang/units.h"

typedef enum ts_kind {
#define KIND(kind, name, children) TS_AST_##kind,
#include "lang/ast.def"
#undef KIND
  TS_AST_KINDS
} ts_kind;

typedef struct ts_ast ts_ast;
struct ts_ast {
  ts_kind kind;
  uint32_t flags;      /* kind-specific bits, see ast.def */
  ts_span span;        /* the whole construct */
  ts_span name_span;   /* of `name` */
  const char *name;    /* interned, or NULL */
  union {
    int64_t integer;   /* INT */
    double real;       /* REAL, QUANTITY: in base units */
    bool truth;        /* BOOL */
    ts_operator op;    /* UNARY, BINARY */
  } u;
  ts_dimension dimension; /* QUANTITY */
  /* the source spelling of numbers and quantities, for the printer; text of STRING (unescaped) */
  const char *literal;
  uint32_t depth;      /* of the tree below, itself included */
  uint32_t count;
  ts_ast **child;      /* absent optional children are NULL */
};

typedef struct ts_lang ts_lang; /* interned names, arena, source map, diagnostics of a session */
ts_lang *ts_lang_new(ts_arena *arena, ts_sources *sources, ts_diags *diags);
const char *ts_lang_intern(ts_lang *lang, const char *text, size_t length);

/* Parses a source of the map. Returns a FILE node, always: after a syntax error the declarations
 * that could be understood. Errors are in the queue. ts_parse_expr does the same for one expression
 * (-D NAME=EXPR); NULL after an error. */
ts_ast *ts_parse_file(ts_lang *lang, uint32_t file);
ts_ast *ts_parse_expr(ts_lang *lang, uint32_t file);

/* The canonical layout (tsfmt). Keeps comments. NULL when the file has syntax errors. Result in the
 * arena. */
char *ts_format(ts_lang *lang, uint32_t file, size_t *size);

const char *ts_kind_name(ts_kind kind);

#endif
