/* Run by the build: prints the C file that holds the fits of the standard library
 * (cost/stored_fit.h), one for each file that is named, in their order. */
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/exit.h"
#include "base/output.h"
#include "base/source.h"
#include "cost/stored_fit.h"

typedef struct store {
  ts_arena *arena;
  TS_VEC(ts_stored_fit) fits;
  TS_VEC(ts_stored_model) models;
  TS_VEC(ts_stored_data) data;
  TS_VEC(double) numbers;
  TS_VEC(float) ready;
  TS_VEC(uint32_t) roots;
  TS_VEC(ts_tree_node) nodes;
  TS_VEC(char) letters;
} store;

/* Where it begins, + 1; 0: NULL. */
static uint32_t put_text(store *all, const char *text)
{
  uint32_t at = (uint32_t)all->letters.count + 1;
  for (size_t i = 0; text && i <= strlen(text); i++)
    TS_PUSH(all->arena, &all->letters, text[i]);
  return text ? at : 0;
}

static uint32_t put_numbers(store *all, const double *number, size_t count)
{
  uint32_t at = (uint32_t)all->numbers.count;
  for (size_t i = 0; i < count; i++)
    TS_PUSH(all->arena, &all->numbers, number[i]);
  return at;
}

static uint32_t put_ready(store *all, const float *number, size_t count)
{
  uint32_t at = (uint32_t)all->ready.count;
  for (size_t i = 0; i < count; i++)
    TS_PUSH(all->arena, &all->ready, number[i]);
  return at;
}

static void put_model(store *all, const ts_fit_model *m)
{
  ts_stored_model s = {.plain = *m,
                       .family = put_text(all, m->family),
                       .dtype = put_text(all, m->dtype),
                       .also = put_text(all, m->also),
                       .learner = put_text(all, m->learner),
                       .model = put_text(all, m->model->name),
                       .row =
                         put_numbers(all, m->row, (size_t)m->row_count * m->model->feature_count),
                       .row_us = put_numbers(all, m->row_us, m->row_count),
                       .weight = put_ready(all, m->weight, m->padded),
                       .root = (uint32_t)all->roots.count,
                       .node = (uint32_t)all->nodes.count};
  for (uint32_t c = 0; c < m->kernel_count; c++)
    s.point[c] = put_ready(all, m->point[c], (size_t)m->padded * m->input_count);
  for (uint32_t i = 0; i < m->trees.root_count; i++)
    TS_PUSH(all->arena, &all->roots, m->trees.root[i]);
  for (uint32_t i = 0; i < m->trees.node_count; i++)
    TS_PUSH(all->arena, &all->nodes, m->trees.node[i]);
  TS_PUSH(all->arena, &all->models, s);
}

static bool is_fit(const char *path)
{
  static const char end[] = ".fit.json";
  size_t length = strlen(path), tail = sizeof end - 1;
  return length > tail && !strcmp(path + length - tail, end);
}

/* False after a message: it cannot be read, or has errors. */
static bool put_fit(store *all, const char *path)
{
  size_t size = 0;
  int wrong = 0;
  ts_error error = {0};
  const char *text = ts_read_file(all->arena, path, &size, &wrong);
  const ts_fit *fit = text ? ts_fit_read(all->arena, text, size, &error) : NULL;
  if (!fit) {
    ts_put_text(stderr, "%s: %s\n", path, text ? error.message : strerror(wrong));
    return false;
  }
  ts_stored_fit s = {.device = put_text(all, fit->device),
                     .provenance = put_text(all, fit->provenance),
                     .data = (uint32_t)all->data.count,
                     .data_count = (uint32_t)fit->data.count,
                     .model = (uint32_t)all->models.count};
  for (size_t i = 0; i < fit->data.count; i++) {
    const ts_fit_data *d = &fit->data.at[i];
    TS_PUSH(all->arena, &all->data,
            ((ts_stored_data){put_text(all, d->file), put_text(all, d->sha256),
                              put_text(all, d->source), d->rows}));
  }
  bool named = true; /* the features of `powers` are of the file */
  for (uint32_t i = 0; i < fit->model_count; i++)
    named = named && !ts_kernel_model_is_powers(fit->model[i].model);
  for (uint32_t i = 0; named && i < fit->model_count; i++)
    put_model(all, &fit->model[i]);
  s.model_count = named ? fit->model_count : 0;
  TS_PUSH(all->arena, &all->fits, s);
  return true;
}

static void print_doubles(const double *number, uint32_t count)
{
  printf("{");
  for (uint32_t i = 0; i < count; i++)
    printf("%a,", number[i]);
  printf("0},");
}

static void print_model(const ts_stored_model *s)
{
  const ts_fit_model *m = &s->plain;
  printf("{{.parameter={");
  for (uint32_t i = 0; i < TS_MODEL_MAX_PARAMETERS; i++)
    printf("%a,", m->parameter[i]);
  printf("},.input_count=%u,.kernel_count=%u,.row_count=%u,.own_rows=%u,.padded=%u,.input={",
         m->input_count, m->kernel_count, m->row_count, m->own_rows, m->padded);
  for (uint32_t i = 0; i < m->input_count; i++)
    printf("{%u,%a,%a},", m->input[i].code, m->input[i].a, m->input[i].b);
  printf("},.kernel={");
  for (uint32_t c = 0; c < m->kernel_count; c++) {
    printf("{%a,%a,", m->kernel[c].smoothness, m->kernel[c].deviation);
    print_doubles(m->kernel[c].scale, m->input_count);
    printf("},");
  }
  printf("},.shift=%a,.noise=%a,.low={", m->shift, m->noise);
  for (uint32_t f = 0; f < TS_MODEL_MAX_FEATURES; f++)
    printf("%a,", m->low[f]);
  printf("},.high={");
  for (uint32_t f = 0; f < TS_MODEL_MAX_FEATURES; f++)
    printf("%a,", m->high[f]);
  printf("},.trees={.root_count=%u,.node_count=%u}},%u,%u,%u,%u,%u,%u,%u,%u,{%u,%u,%u},%u,%u},\n",
         m->trees.root_count, m->trees.node_count, s->family, s->dtype, s->also, s->learner,
         s->model, s->row, s->row_us, s->weight, s->point[0], s->point[1], s->point[2], s->root,
         s->node);
}

static void print_arrays(const store *all)
{
  printf("static const double numbers[] = {\n");
  for (size_t i = 0; i < all->numbers.count; i++)
    printf("%a,\n", all->numbers.at[i]);
  printf("0};\nstatic const float ready[] = {\n");
  for (size_t i = 0; i < all->ready.count; i++)
    printf("%af,\n", (double)all->ready.at[i]);
  printf("0};\nstatic const uint32_t roots[] = {\n");
  for (size_t i = 0; i < all->roots.count; i++)
    printf("%u,\n", all->roots.at[i]);
  printf("0};\nstatic const ts_tree_node nodes[] = {\n");
  for (size_t i = 0; i < all->nodes.count; i++) {
    const ts_tree_node *n = &all->nodes.at[i];
    printf("{%d,%af,%u,%u},\n", n->input, (double)n->value, n->less, n->otherwise);
  }
  printf("{0}};\nstatic const char letters[] = {\n");
  for (size_t i = 0; i < all->letters.count; i++)
    printf("%d,\n", all->letters.at[i]);
  printf("0};\n");
}

static void print_all(const store *all)
{
  printf("/* Made by tools/store_fits.c. */\n#include \"compiler/lower/stdlib_fits.h\"\n");
  printf("static const ts_stored_fit fits[] = {\n");
  for (size_t i = 0; i < all->fits.count; i++) {
    const ts_stored_fit *f = &all->fits.at[i];
    printf("{%u,%u,%u,%u,%u,%u},\n", f->device, f->provenance, f->data, f->data_count, f->model,
           f->model_count);
  }
  printf("};\nstatic const ts_stored_data data[] = {\n");
  for (size_t i = 0; i < all->data.count; i++) {
    const ts_stored_data *d = &all->data.at[i];
    printf("{%u,%u,%u,%u},\n", d->file, d->sha256, d->source, d->rows);
  }
  printf("};\nstatic const ts_stored_model models[] = {\n");
  for (size_t i = 0; i < all->models.count; i++)
    print_model(&all->models.at[i]);
  printf("};\n");
  print_arrays(all);
  printf("const ts_stored_fits ts_stdlib_fits = {%zu, fits, models, data, numbers, ready, roots, "
         "nodes, letters};\n",
         all->fits.count);
}

int main(int argc, char **argv)
{
  store all = {.arena = ts_arena_new("fits of the standard library")};
  bool good = true;
  for (int i = 1; i < argc && good; i++) {
    if (is_fit(argv[i]))
      good = put_fit(&all, argv[i]);
    else
      TS_PUSH(all.arena, &all.fits, (ts_stored_fit){0});
  }
  if (good)
    print_all(&all);
  ts_arena_free(all.arena);
  return good && fflush(stdout) == 0 ? TS_EXIT_DONE : TS_EXIT_ENVIRONMENT;
}
