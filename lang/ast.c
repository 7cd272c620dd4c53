#include "lang/ast.h"

#include <string.h>

#include "lang/parser.h"

ts_lang *ts_lang_new(ts_arena *arena, ts_sources *sources, ts_diags *diags)
{
  ts_lang *lang = TS_NEW(arena, ts_lang);
  *lang = (ts_lang){
    .arena = arena, .sources = sources, .diags = diags, .spellings = TS_NEW(arena, ts_intern)};
  lang->spellings->arena = arena;
  return lang;
}

ts_lang *ts_lang_over(ts_arena *arena, const ts_lang *below, ts_sources *sources, ts_diags *diags)
{
  ts_lang *lang = ts_lang_new(arena, sources, diags);
  lang->below = below;
  return lang;
}

const char *ts_lang_intern(ts_lang *lang, const char *text, size_t length)
{
  for (const ts_lang *l = lang; l; l = l->below) {
    uint32_t found = ts_intern_find(l->spellings, text, length);
    if (found != TS_HASH_NONE)
      return l->spellings->all.at[found].at;
  }
  return ts_intern_at(lang->spellings, text, length);
}

const char *ts_kind_name(ts_kind kind)
{
  static const char *const names[] = {
#define KIND(kind, word, notes) word,
#include "lang/ast.def"
  };
  return kind < TS_AST_KINDS ? names[kind] : "?";
}

/* Places count from 1 in each kind. */
enum {
#define KIND(kind, word, notes) TS_AST_PLACE_##kind = 0,
#define ONE(kind, role, what) TS_AST_PLACE_##kind##_##role,
#include "lang/ast.def"
};

const uint8_t ts_ast_places[TS_AST_KINDS][TS_AST_ROLES] = {
#define ONE(kind, role, what) [TS_AST_##kind][TS_AST_ROLE_##role] = TS_AST_PLACE_##kind##_##role,
#include "lang/ast.def"
};

static uint32_t depth_of(const ts_nodes *children)
{
  uint32_t depth = 0;
  for (uint32_t i = 0; children && i < children->count; i++) {
    if (children->at[i] && children->at[i]->depth > depth)
      depth = children->at[i]->depth;
  }
  return depth + 1;
}

ts_ast *ts_ast_make(ts_parser *parser, ts_kind kind, ts_span span, ts_word name, uint32_t flags,
                    const ts_nodes *children)
{
  ts_arena *arena = parser->lang->arena;
  ts_ast *node = TS_NEW(arena, ts_ast);
  *node = (ts_ast){.kind = kind,
                   .flags = flags,
                   .span = span,
                   .name = name.text,
                   .name_span = name.span,
                   .depth = depth_of(children)};
  if (node->depth > TS_DEEPEST_NODE) {
    ts_too_deep(parser, span);
    node->kind = TS_AST_ERROR;
    node->depth = 1;
    return node;
  }
  if (children && children->count) {
    node->count = children->count;
    node->child = ts_arena_copy(arena, children->at, children->count * sizeof *children->at);
  }
  return node;
}

ts_nodes *ts_nodes_of(ts_parser *parser, uint32_t count, ts_ast *const *nodes)
{
  ts_nodes *list = TS_NEW(parser->lang->arena, ts_nodes);
  *list = (ts_nodes){0};
  for (uint32_t i = 0; i < count; i++)
    ts_nodes_push(parser, list, nodes[i]);
  return list;
}

ts_nodes *ts_nodes_push(ts_parser *parser, ts_nodes *list, ts_ast *node)
{
  TS_PUSH(parser->lang->arena, list, node);
  return list;
}

ts_nodes *ts_nodes_join(ts_parser *parser, ts_nodes *list, const ts_nodes *more)
{
  for (uint32_t i = 0; i < more->count; i++)
    ts_nodes_push(parser, list, more->at[i]);
  return list;
}

ts_ast *ts_ast_operator(ts_parser *parser, ts_operator op, ts_span span, ts_ast *left,
                        ts_ast *right)
{
  ts_ast *operands[] = {left, right};
  ts_ast *node = ts_ast_make(parser, right ? TS_AST_BINARY : TS_AST_UNARY, span, (ts_word){0}, 0,
                             ts_nodes_of(parser, right ? 2 : 1, operands));
  node->u.op = op;
  return node;
}

ts_ast *ts_ast_string(ts_parser *parser, ts_word text)
{
  ts_ast *node = ts_ast_make(parser, TS_AST_STRING, text.span, (ts_word){0}, 0, NULL);
  node->literal = text.text;
  return node;
}

ts_nodes *ts_ast_sourced(ts_parser *parser, ts_nodes *children, ts_ast *source)
{
  const ts_ast *value = children->at[children->count - 1];
  bool numbers = value->kind != TS_AST_STRING && value->kind != TS_AST_BOOL;
  if (source && (!numbers || !*source->literal)) {
    ts_diag *d =
      ts_syntax_diag(parser, TS_E0118, source->span,
                     numbers ? "a source is not empty" :
                               "only numbers, and records and lists of them, have a source");
    if (numbers)
      ts_diag_help(d, "say where the number was read: the paper, the page and its date");
    else
      ts_diag_label(d, value->span, value->kind == TS_AST_STRING ? "a text" : "a truth value");
  }
  return source ? ts_nodes_push(parser, children, source) : children;
}

bool ts_ast_is_any(const ts_ast *pattern)
{
  return pattern->kind == TS_AST_ID && !strcmp(pattern->name, "_");
}

ts_ast *ts_ast_truth(ts_parser *parser, ts_span span, bool truth)
{
  ts_ast *node = ts_ast_make(parser, TS_AST_BOOL, span, (ts_word){0}, 0, NULL);
  node->u.truth = truth;
  return node;
}

ts_word ts_word_dotted(ts_parser *parser, ts_word left, ts_word right)
{
  const char *text = ts_arena_printf(parser->lang->arena, "%s.%s", left.text, right.text);
  return (ts_word){ts_lang_intern(parser->lang, text, strlen(text)),
                   ts_span_join(left.span, right.span)};
}

ts_nodes *ts_ast_arrays(ts_parser *parser, const ts_nodes *arrays, ts_ast *class_, uint32_t flags)
{
  ts_nodes *list = ts_nodes_of(parser, 0, NULL);
  for (uint32_t i = 0; i < arrays->count; i++) {
    ts_ast *array = arrays->at[i];
    ts_nodes *children = ts_nodes_join(parser, ts_nodes_of(parser, 1, &class_),
                                       &(ts_nodes){array->child, array->count, array->count});
    ts_nodes_push(parser, list,
                  ts_ast_make(parser, TS_AST_ARRAY, array->span,
                              (ts_word){array->name, array->name_span}, flags, children));
  }
  return list;
}

ts_ast *ts_ast_nest(ts_parser *parser, ts_span span, const ts_nodes *loops, ts_ast *condition,
                    const ts_nodes *body)
{
  ts_ast *nest = NULL;
  for (uint32_t i = loops->count; i > 0; i -= 2) {
    ts_ast *variable = loops->at[i - 2];
    ts_nodes *children =
      ts_nodes_of(parser, 2, (ts_ast *[]){loops->at[i - 1], nest ? NULL : condition});
    if (nest)
      ts_nodes_push(parser, children, nest);
    else
      ts_nodes_join(parser, children, body);
    ts_span from = {span.file, i > 2 ? variable->span.begin : span.begin, span.end};
    nest =
      ts_ast_make(parser, TS_AST_FOR, from, (ts_word){variable->name, variable->span}, 0, children);
  }
  return nest;
}
