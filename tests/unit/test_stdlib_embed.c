/* The embedded standard library: sorted, whole, and every file ends in a NUL. Its stored syntax
 * trees and fits are those that reading the texts makes. */
#include "compiler/eval/stdlib_embed.h"

#include <string.h>

#include <criterion/criterion.h>

#include "compiler/lower/stdlib_fits.h"
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

static bool same_text(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

static bool same_bytes(const void *a, const void *b, size_t size)
{
  return !size || !memcmp(a, b, size);
}

static bool same_rows(const ts_fit_model *a, const ts_fit_model *b)
{
  bool same = same_bytes(a->row, b->row, sizeof *a->row * a->row_count * a->model->feature_count) &&
              same_bytes(a->row_us, b->row_us, sizeof *a->row_us * a->row_count) &&
              same_bytes(a->weight, b->weight, sizeof *a->weight * a->padded);
  for (uint32_t c = 0; same && c < a->kernel_count; c++)
    same = same_bytes(a->point[c], b->point[c], sizeof *a->point[c] * a->padded * a->input_count);
  return same &&
         same_bytes(a->trees.root, b->trees.root, sizeof *a->trees.root * a->trees.root_count) &&
         same_bytes(a->trees.node, b->trees.node, sizeof *a->trees.node * a->trees.node_count);
}

static bool same_model(const ts_fit_model *a, const ts_fit_model *b)
{
  bool same =
    same_text(a->family, b->family) && same_text(a->dtype, b->dtype) &&
    same_text(a->also, b->also) && same_text(a->learner, b->learner) && a->model == b->model &&
    a->input_count == b->input_count && a->kernel_count == b->kernel_count &&
    a->row_count == b->row_count && a->own_rows == b->own_rows && a->padded == b->padded &&
    a->trees.root_count == b->trees.root_count && a->trees.node_count == b->trees.node_count &&
    a->shift == b->shift && a->noise == b->noise &&
    same_bytes(a->parameter, b->parameter, sizeof a->parameter) &&
    same_bytes(a->low, b->low, sizeof a->low) && same_bytes(a->high, b->high, sizeof a->high);
  for (uint32_t i = 0; same && i < a->input_count; i++)
    same = a->input[i].code == b->input[i].code && a->input[i].a == b->input[i].a &&
           a->input[i].b == b->input[i].b;
  for (uint32_t c = 0; same && c < a->kernel_count; c++)
    same = a->kernel[c].smoothness == b->kernel[c].smoothness &&
           a->kernel[c].deviation == b->kernel[c].deviation &&
           same_bytes(a->kernel[c].scale, b->kernel[c].scale,
                      sizeof *a->kernel[c].scale * a->input_count);
  return same && same_rows(a, b);
}

static bool same_fit(const ts_fit *a, const ts_fit *b)
{
  bool same = same_text(a->device, b->device) && same_text(a->provenance, b->provenance) &&
              a->data.count == b->data.count && a->model_count == b->model_count;
  for (size_t i = 0; same && i < a->data.count; i++)
    same = same_text(a->data.at[i].file, b->data.at[i].file) &&
           same_text(a->data.at[i].sha256, b->data.at[i].sha256) &&
           same_text(a->data.at[i].source, b->data.at[i].source) &&
           a->data.at[i].rows == b->data.at[i].rows;
  for (uint32_t i = 0; same && i < a->model_count; i++)
    same = same_model(&a->model[i], &b->model[i]);
  return same;
}

Test(stdlib_embed, stored_fits_are_those_of_the_files)
{
  size_t fits = 0;
  if (!ts_stdlib_fits.count)
    cr_skip_test("compiled for another machine than the one that built it");
  cr_assert_eq(ts_stdlib_fits.count, ts_stdlib_file_count);
  for (size_t i = 0; i < ts_stdlib_file_count; i++) {
    const ts_embedded_file *f = &ts_stdlib_files[i];
    ts_arena *arena = ts_arena_new("stored fit");
    const ts_fit *stored = ts_stored_fit_of(arena, &ts_stdlib_fits, i);
    cr_assert_eq(stored != NULL, strstr(f->path, ".fit.json") != NULL, "%s", f->path);
    ts_error error = {0};
    if (stored)
      cr_assert(same_fit(ts_fit_read(arena, (const char *)f->bytes, f->size, &error), stored), "%s",
                f->path);
    fits += stored != NULL;
    ts_arena_free(arena);
  }
  cr_assert_gt(fits, 40);
}
