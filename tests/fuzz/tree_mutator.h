/* Mutates a text of the language by its tree, for the fuzz targets of plans: parts of the tree are
 * deleted, doubled, swapped, put in the place of others of their kind, and literals changed, each
 * by its span in the text. So most texts still parse, and faults behind the parser are reached. A
 * text that does not parse, and now and then any, is changed byte by byte. */
#ifndef TS_TESTS_FUZZ_TREE_MUTATOR_H
#define TS_TESTS_FUZZ_TREE_MUTATOR_H

#include <ctype.h>
#include <stdint.h>

#include "tests/unit/lang_tree.h"

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most);

typedef struct tree_part { const ts_ast *node; uint32_t begin, end; } tree_part;
typedef TS_VEC(tree_part) tree_parts;
typedef struct tree_text { const char *at; size_t size; } tree_text;

/* xorshift32 (Marsaglia, 2003) */
static inline uint32_t tree_random(uint32_t *state, uint32_t below)
{
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return below ? *state % below : 0;
}

static inline void tree_collect(ts_arena *arena, const ts_ast *node, tree_parts *parts)
{
  if (node->span.end > node->span.begin && node->kind != TS_AST_FILE)
    TS_PUSH(arena, parts, (tree_part){node, node->span.begin, node->span.end});
  for (uint32_t i = 0; i < node->count; i++)
    if (node->child[i])
      tree_collect(arena, node->child[i], parts);
}

/* The parts of a text; none if it has syntax errors. */
static inline tree_parts tree_parse(lang_fixture *f, tree_text text)
{
  tree_parts parts = {0};
  ts_ast *tree = ts_parse_file(
    f->lang, lang_source(f, ts_arena_string(f->arena, text.at, text.size), text.size));
  if (!ts_diags_errors(f->diags))
    tree_collect(f->arena, tree, &parts);
  return parts;
}

static inline bool tree_is_expression(ts_kind kind)
{
  return kind >= TS_AST_INT && kind <= TS_AST_WITH;
}

/* Can one stand where the other does? */
static inline bool tree_equal(const ts_ast *a, const ts_ast *b)
{
  return a->kind == b->kind || (tree_is_expression(a->kind) && tree_is_expression(b->kind));
}

/* The text with what stands from `begin` to `end` replaced. */
static inline tree_text tree_splice(ts_arena *arena, tree_text text, uint32_t begin, uint32_t end,
                                    tree_text by)
{
  tree_text out = {ts_arena_alloc(arena, text.size + by.size + 1),
                   text.size - (end - begin) + by.size};
  char *to = (char *)out.at;
  memcpy(to, text.at, begin);
  memcpy(to + begin, by.at, by.size);
  memcpy(to + begin + by.size, text.at + end, text.size - end);
  return out;
}

static inline tree_text tree_of(tree_text text, tree_part p)
{
  return (tree_text){text.at + p.begin, p.end - p.begin};
}

/* With the comma behind it, or else the one before it. */
static inline tree_text tree_delete(ts_arena *arena, tree_text text, tree_part p)
{
  uint32_t end = p.end, begin = p.begin;
  while (end < text.size && (text.at[end] == ' ' || text.at[end] == '\n'))
    end++;
  if (end < text.size && text.at[end] == ',')
    return tree_splice(arena, text, p.begin, end + 1, (tree_text){"", 0});
  while (begin && (text.at[begin - 1] == ' ' || text.at[begin - 1] == '\n'))
    begin--;
  return tree_splice(arena, text, begin && text.at[begin - 1] == ',' ? begin - 1 : p.begin, p.end,
                     (tree_text){"", 0});
}

/* Before itself: statements on a line of their own, others behind a comma. */
static inline tree_text tree_double(ts_arena *arena, tree_text text, tree_part p)
{
  const char *between = tree_is_expression(p.node->kind) || p.node->kind == TS_AST_ARG ||
                            p.node->kind == TS_AST_FORMAL ?
                          ", " :
                          "\n";
  const char *copy =
    ts_arena_printf(arena, "%.*s%s", (int)(p.end - p.begin), text.at + p.begin, between);
  return tree_splice(arena, text, p.begin, p.begin, (tree_text){copy, strlen(copy)});
}

static inline tree_text tree_swap(ts_arena *arena, tree_text text, tree_part a, tree_part b)
{
  if (a.begin > b.begin)
    return tree_swap(arena, text, b, a);
  if (a.end > b.begin) /* one holds the other, which comes to stand in its place */
    return tree_splice(arena, text, a.begin, a.end, tree_of(text, b));
  tree_text out = tree_splice(arena, text, b.begin, b.end, tree_of(text, a));
  return tree_splice(arena, out, a.begin, a.end, tree_of(text, b));
}

/* Values at the borders of types and of what fields take. */
static inline tree_text tree_value(uint32_t *state)
{
  static const char *const values[] = {
    "0",
    "1",
    "2",
    "3",
    "-1",
    "7",
    "64",
    "255",
    "9223372036854775807",
    "0.5",
    "1e308",
    "-0.0",
    "1e-300",
    "0 B",
    "1 B",
    "16 EiB",
    "0 s",
    "1 ps",
    "-1 s",
    "1e9 s",
    "0 B/s",
    "1 TB/s",
    "1 FLOP/s",
    "0.5 GHz",
    "true",
    "false",
    "\"\"",
    "\"x\"",
    "\"*\"",
    "\"\\n\"",
    "[]",
    "[1]",
    "[1, 2]",
    "[[]]",
    "[\"a\", \"b\"]",
    "{}",
    "{ a: 1 }",
    "0..3",
    "3..0",
    "bf16",
    "fp32",
    "fp8",
    "none",
    "min",
    "sum",
    "[i for i in 0..3]",
    "[x for x in [1, 2] if x > 1]",
    "if true then 1 else 0",
    "1 / 0",
    "7 % 0",
    "not true",
    "\"a\" + \"b\"",
    "str(1)",
    "\"layer[*]\"",
    "[\"*.up\", \"head\"]",
    "ring",
    "own_part",
  };
  const char *value = values[tree_random(state, sizeof values / sizeof *values)];
  return (tree_text){value, strlen(value)};
}

static inline tree_text tree_wrap(ts_arena *arena, uint32_t *state, tree_text text, tree_part p)
{
  static const char *const around[] = {"(%.*s)",
                                       "-(%.*s)",
                                       "[%.*s]",
                                       "(%.*s) * 2",
                                       "(%.*s) + 1",
                                       "(%.*s) / 2",
                                       "(%.*s) % 2",
                                       "{ a: %.*s }",
                                       "max(0, %.*s)",
                                       "if 1 > 0 then (%.*s) else 0",
                                       "[%.*s for q in 0..2]",
                                       "(%.*s)[0]",
                                       "(%.*s).a",
                                       "len(%.*s)",
                                       "str(%.*s)",
                                       "ceil(%.*s)"};
  const char *form = around[tree_random(state, sizeof around / sizeof *around)],
             *hole = strstr(form, "%.*s");
  const char *wrapped = ts_arena_printf(arena, "%.*s%.*s%s", (int)(hole - form), form,
                                        (int)(p.end - p.begin), text.at + p.begin, hole + 4);
  return tree_splice(arena, text, p.begin, p.end, (tree_text){wrapped, strlen(wrapped)});
}

/* Another part that can stand there, of these; itself where there is none in some tries. */
static inline tree_part tree_other(uint32_t *state, const tree_parts *parts, tree_part like)
{
  for (int i = 0; i < 64 && parts->count; i++) {
    tree_part p = parts->at[tree_random(state, (uint32_t)parts->count)];
    if (p.node != like.node && tree_equal(p.node, like.node))
      return p;
  }
  return like;
}

/* One change. `from` is the text that parts are taken from: the same, or another one. */
static inline tree_text tree_change(ts_arena *arena, uint32_t *state, tree_text text,
                                    const tree_parts *parts, tree_text from,
                                    const tree_parts *others)
{
  tree_part p = parts->at[tree_random(state, (uint32_t)parts->count)],
            other = tree_other(state, others, p);
  bool expression = tree_is_expression(p.node->kind), own = other.node == p.node;
  switch (from.at != text.at ? 7 : tree_random(state, 8)) {
  case 0: return tree_delete(arena, text, p);
  case 1: return tree_double(arena, text, p);
  case 2: return tree_swap(arena, text, p, other);
  case 3:
    return expression ? tree_splice(arena, text, p.begin, p.end, tree_value(state)) :
                        tree_delete(arena, text, p);
  case 4: return expression ? tree_wrap(arena, state, text, p) : tree_double(arena, text, p);
  default: return own ? text : tree_splice(arena, text, p.begin, p.end, tree_of(from, other));
  }
}

static inline size_t tree_put(uint8_t *bytes, size_t most, tree_text text)
{
  size_t size = text.size < most ? text.size : most;
  memcpy(bytes, text.at, size);
  return size;
}

static inline size_t tree_mutate(uint8_t *bytes, size_t size, size_t most, unsigned seed)
{
  uint32_t state = seed * 2654435761u + 1;
  state += !state;
  lang_fixture f = lang_start();
  tree_text text = {ts_arena_string(f.arena, (const char *)bytes, size), size};
  size_t made = 0;
  for (uint32_t changes = 1 + tree_random(&state, 3); changes; changes--) {
    tree_parts parts = tree_parse(&f, text);
    if (!parts.count || tree_random(&state, 16) == 0)
      break;
    text = tree_change(f.arena, &state, text, &parts, text, &parts);
    made++;
  }
  size = made ? tree_put(bytes, most, text) : LLVMFuzzerMutate(bytes, size, most);
  ts_arena_free(f.arena);
  return size;
}

/* A part of the second text comes into the first one. */
static inline size_t tree_cross(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                uint8_t *out, size_t most, unsigned seed)
{
  uint32_t state = seed * 2654435761u + 1;
  state += !state;
  lang_fixture f = lang_start();
  tree_text text = {ts_arena_string(f.arena, (const char *)a, a_size), a_size},
            from = {ts_arena_string(f.arena, (const char *)b, b_size), b_size};
  tree_parts parts = tree_parse(&f, text), others = tree_parse(&f, from);
  size_t size = parts.count && others.count ?
                  tree_put(out, most, tree_change(f.arena, &state, text, &parts, from, &others)) :
                  tree_put(out, most, text);
  ts_arena_free(f.arena);
  return size;
}

#endif
