/* The embedded standard library: sorted, whole, and every file ends in a NUL. Its stored syntax
 * trees are those that parsing the texts makes. */
#include "compiler/eval/stdlib_embed.h"

#include <string.h>

#include <criterion/criterion.h>

#include "lang/stored.h"

Test(stdlib_embed, sorted_and_terminated) {
  cr_assert_gt(ts_stdlib_file_count, 0);
  for (size_t i = 0; i < ts_stdlib_file_count; i++) {
    const ts_embedded_file *f = &ts_stdlib_files[i];
    cr_assert_eq(f->bytes[f->size], 0, "%s", f->path);
    if (i > 0) cr_assert_lt(strcmp(ts_stdlib_files[i - 1].path, f->path), 0, "%s", f->path);
  }
}

static bool same_span(ts_span a, ts_span b)
{
  return a.file == b.file && a.begin == b.begin && a.end == b.end;
}

/* Names are interned in one place, so that they are the same pointers. */
static bool same_tree(const ts_ast *a, const ts_ast *b)
{
  if (!a || !b)
    return a == b;
  bool same = a->kind == b->kind && a->flags == b->flags && same_span(a->span, b->span) &&
              same_span(a->name_span, b->name_span) && a->name == b->name &&
              a->literal == b->literal && !memcmp(&a->u, &b->u, sizeof a->u) &&
              !memcmp(&a->dimension, &b->dimension, sizeof a->dimension) && a->depth == b->depth &&
              a->count == b->count;
  for (uint32_t i = 0; same && i < a->count; i++)
    same = same_tree(a->child[i], b->child[i]);
  return same;
}

Test(stdlib_embed, stored_trees_are_those_of_the_texts)
{
  size_t trees = 0;
  if (!ts_stdlib_trees.count)
    cr_skip_test("compiled for another machine than the one that built it");
  cr_assert_eq(ts_stdlib_trees.count, ts_stdlib_file_count);
  for (size_t i = 0; i < ts_stdlib_file_count; i++) {
    const ts_embedded_file *f = &ts_stdlib_files[i];
    ts_arena *arena = ts_arena_new("stored tree");
    ts_sources *sources = ts_sources_new(arena);
    ts_lang *lang = ts_lang_new(arena, sources, ts_diags_new(arena, sources));
    uint32_t file = ts_sources_add(sources, f->path, "stdlib", (const char *)f->bytes, f->size);
    const ts_ast *stored = ts_stored_file(lang, file, &ts_stdlib_trees, i);
    size_t length = strlen(f->path);
    cr_assert_eq(stored != NULL, length > 3 && !strcmp(f->path + length - 3, ".ts"), "%s", f->path);
    if (stored)
      cr_assert(same_tree(stored, ts_parse_file(lang, file)), "%s", f->path);
    trees += stored != NULL;
    ts_arena_free(arena);
  }
  cr_assert_gt(trees, 50);
}
