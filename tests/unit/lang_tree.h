/* For tests of the parser and the formatter: a session of its own, and comparison of trees and
 * comments. */
#ifndef TS_TESTS_LANG_TREE_H
#define TS_TESTS_LANG_TREE_H

#include <stdlib.h>
#include <string.h>

#include "base/diag_record.h"
#include "lang/ast.h"

typedef struct lang_fixture {
  ts_arena *arena;
  ts_sources *sources;
  ts_diags *diags;
  ts_lang *lang;
} lang_fixture;

static inline lang_fixture lang_start(void)
{
  lang_fixture f = {.arena = ts_arena_new("test")};
  f.sources = ts_sources_new(f.arena);
  f.diags = ts_diags_new(f.arena, f.sources);
  f.lang = ts_lang_new(f.arena, f.sources, f.diags);
  return f;
}

static inline uint32_t lang_source(lang_fixture *f, const char *text, size_t size)
{
  return ts_sources_add(f->sources, "test.ts", "test", text, size);
}

static inline bool lang_same_name(const char *a, const char *b)
{
  return a == b || (a && b && strcmp(a, b) == 0);
}

/* Spelling of numbers may differ in blanks. */
static inline bool lang_same_literal(const char *a, const char *b)
{
  if (!a || !b)
    return a == b;
  for (;; a++, b++) {
    a += strspn(a, " \t");
    b += strspn(b, " \t");
    if (*a != *b)
      return false;
    if (!*a)
      return true;
  }
}

static inline bool lang_same_tree(const ts_ast *a, const ts_ast *b)
{
  if (!a || !b)
    return a == b;
  if (a->kind != b->kind || a->flags != b->flags || a->count != b->count || a->depth != b->depth ||
      memcmp(&a->u, &b->u, sizeof a->u) != 0 || !ts_dimension_equal(a->dimension, b->dimension) ||
      !lang_same_name(a->name, b->name))
    return false;
  if (a->kind == TS_AST_STRING ? strcmp(a->literal, b->literal) != 0 :
                                 !lang_same_literal(a->literal, b->literal))
    return false;
  for (uint32_t i = 0; i < a->count; i++) {
    if (!lang_same_tree(a->child[i], b->child[i]))
      return false;
  }
  return true;
}

/* The comments of a text that parses, one after another, without blanks and the slashes that begin
 * them. */
static inline char *lang_comments(const char *text)
{
  char *comments = calloc(1, strlen(text) + 1), *to = comments;
  bool string = false, comment = false;
  for (; *text; text++) {
    if (*text == '\n')
      string = comment = false;
    else if (comment)
      *to = *text, to += !strchr(" \t\r/", *text);
    else if (string && *text == '\\' && text[1] != '\n')
      text++;
    else if (*text == '"')
      string = !string;
    else if (!string && text[0] == '/' && text[1] == '/')
      comment = true;
  }
  *to = '\0';
  return comments;
}

/* Old words are errors; a text without errors has none, and nothing is left to replace after. */
static inline const char *lang_upgrade_fault(lang_fixture *f, uint32_t file, bool errors)
{
  const ts_source *source = ts_sources_get(f->sources, file);
  size_t once_size, twice_size;
  char *once = ts_upgrade(f->lang, file, &once_size);
  char *twice = ts_upgrade(f->lang, lang_source(f, once, once_size), &twice_size);
  if (!errors && (once_size != source->size || memcmp(once, source->text, once_size) != 0))
    return "a file without old words is left alone";
  if (once_size != twice_size || memcmp(once, twice, once_size) != 0)
    return "upgrading twice changes something";
  return NULL;
}

/* What is wrong with how `text` is formatted; NULL: nothing. A text with syntax errors is not
 * formatted at all. */
static inline const char *lang_format_fault(const char *text, size_t size)
{
  lang_fixture f = lang_start();
  uint32_t file = lang_source(&f, text, size);
  ts_ast *tree = ts_parse_file(f.lang, file);
  bool errors = ts_diags_errors(f.diags) > 0;
  size_t once_size, twice_size;
  char *once = ts_format(f.lang, file, &once_size);
  const char *fault = lang_upgrade_fault(&f, file, errors);
  if (!fault && errors != !once) {
    fault = "a file with errors is left alone, any other formatted";
  } else if (!fault && once) {
    uint32_t formatted = lang_source(&f, once, once_size);
    ts_ast *again = ts_parse_file(f.lang, formatted);
    char *twice = ts_format(f.lang, formatted, &twice_size);
    char *comments = lang_comments(text), *kept = lang_comments(once);
    if (!twice)
      fault = "what was formatted has a syntax error";
    else if (!lang_same_tree(tree, again))
      fault = "formatting changed the tree";
    else if (strcmp(comments, kept) != 0)
      fault = "formatting changed the comments";
    else if (once_size != twice_size || memcmp(once, twice, once_size) != 0)
      fault = "formatting twice changes something";
    free(comments);
    free(kept);
  }
  ts_arena_free(f.arena);
  return fault;
}

#endif
