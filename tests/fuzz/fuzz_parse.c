/* Any bytes are parsed without harm; what parses keeps its tree and its comments when it is
 * formatted, and is formatted for good. */
#include <stdint.h>
#include <stdio.h>

#include "tests/unit/lang_tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Spans lie in the text, and children in their parents. */
static bool spans_nest(const ts_ast *node, uint32_t size)
{
  if (node->span.begin > node->span.end || node->span.end > size)
    return false;
  for (uint32_t i = 0; i < node->count; i++) {
    const ts_ast *child = node->child[i];
    /* the class stands behind all arrays of a statement */
    bool shared = node->kind == TS_AST_ARRAY && i == 0;
    if (child &&
        ((!shared && (child->span.begin < node->span.begin || child->span.end > node->span.end)) ||
         !spans_nest(child, size)))
      return false;
  }
  return true;
}

static void fail(const char *why)
{
  fprintf(stderr, "%s\n", why);
  abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  char *text = malloc(size + 1);
  memcpy(text, bytes, size);
  text[size] = '\0';
  lang_fixture f = lang_start();
  ts_ast *tree = ts_parse_file(f.lang, lang_source(&f, text, size));
  if (!spans_nest(tree, (uint32_t)size))
    fail("a span lies outside its parent");
  ts_parse_expr(f.lang, lang_source(&f, text, size));
  ts_arena_free(f.arena);
  const char *fault = lang_format_fault(text, size);
  if (fault)
    fail(fault);
  free(text);
  return 0;
}
