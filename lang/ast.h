/* The syntax tree. One node type; what a node means is its kind, and lang/ast.def says which
 * children each kind has. Nodes live in the session's arena and are never changed after parsing.
 * `name` is interned: compare by pointer. */
#ifndef TS_LANG_AST_H
#define TS_LANG_AST_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/source.h"
#include "lang/units.h"

typedef enum ts_kind {
#define KIND(kind, word, notes) TS_AST_##kind,
#include "lang/ast.def"
  TS_AST_KINDS
} ts_kind;

/* What a child is to its parent. */
typedef enum ts_child_role {
#define ROLE(role) TS_AST_ROLE_##role,
#define ROLE_OF_MANY(role) TS_AST_ROLE_##role,
#include "lang/ast.def"
  TS_AST_ROLES
} ts_child_role;

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

enum { TS_LANGUAGE_VERSION = 1 }; /* `language 1` at the top of a file */

typedef struct ts_lang ts_lang; /* interned names, arena, source map, diagnostics of a session */
ts_lang *ts_lang_new(ts_arena *arena, ts_sources *sources, ts_diags *diags);
/* Shares the names of another one, which must stay and no longer change. */
ts_lang *ts_lang_over(ts_arena *arena, const ts_lang *below, ts_sources *sources, ts_diags *diags);
const char *ts_lang_intern(ts_lang *lang, const char *text, size_t length);

/* Parses a source of the map. Returns a FILE node, always: after a syntax error the declarations
 * that could be understood. Errors are in the queue. ts_parse_expr does the same for one expression
 * (-D NAME=EXPR); NULL after an error. */
ts_ast *ts_parse_file(ts_lang *lang, uint32_t file);
ts_ast *ts_parse_expr(ts_lang *lang, uint32_t file);

/* The canonical layout (tsfmt). Keeps comments. NULL when the file has syntax errors. Result in the
 * arena. */
char *ts_format(ts_lang *lang, uint32_t file, size_t *size);

/* The text with the words that replaced those of earlier versions; nothing else is changed. Result
 * in the arena. */
char *ts_upgrade(ts_lang *lang, uint32_t file, size_t *size);

const char *ts_kind_name(ts_kind kind);

/* ---- Children by their roles ----
 * ts_ast_value(node) is the child of `node` that is its value, ts_ast_items(node) are all of its
 * items. A function for each role, for all kinds that have it; other kinds fail an assertion. */

typedef struct ts_ast_list {
  ts_ast *const *at;
  uint32_t count;
} ts_ast_list;

/* One more than the index of the (first) child with a role; 0: no node of this kind has one. */
extern const uint8_t ts_ast_places[TS_AST_KINDS][TS_AST_ROLES];

/* Absent optional children are NULL. What a syntax error left has no children. */
static inline ts_ast *ts_ast_child(const ts_ast *node, ts_child_role role)
{
  uint32_t place = ts_ast_places[node->kind][role];
  assert(place || node->kind == TS_AST_ERROR);
  return place && place <= node->count ? node->child[place - 1] : NULL;
}

static inline ts_ast_list ts_ast_children(const ts_ast *node, ts_child_role role)
{
  uint32_t place = ts_ast_places[node->kind][role];
  assert(place || node->kind == TS_AST_ERROR);
  return place && place <= node->count ?
           (ts_ast_list){&node->child[place - 1], node->count - (place - 1)} :
           (ts_ast_list){0};
}

#define ROLE(role)                                                                                 \
  static inline ts_ast *ts_ast_##role(const ts_ast *node)                                          \
  {                                                                                                \
    return ts_ast_child(node, TS_AST_ROLE_##role);                                                 \
  }
#define ROLE_OF_MANY(role)                                                                         \
  static inline ts_ast_list ts_ast_##role(const ts_ast *node)                                      \
  {                                                                                                \
    return ts_ast_children(node, TS_AST_ROLE_##role);                                              \
  }
#include "lang/ast.def"

#endif
