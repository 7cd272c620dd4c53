/* Writes fit files. */
#include "calibrate/fit_file.h"

#include <math.h>
#include <string.h>

#include "base/json_writer.h"

/* The lines `# source:` of a table. */
static void put_sources(ts_arena *arena, ts_json_writer *w, const char *lines)
{
  if (!*lines)
    return;
  ts_json_begin(w, "source", '[');
  while (*lines) {
    size_t length = strcspn(lines, "\n");
    ts_json_put_text(w, NULL, ts_arena_string(arena, lines, length));
    lines += length + (lines[length] != 0);
  }
  ts_json_end(w, ']');
}

static void put_score(ts_json_writer *w, const char *key, const ts_op_score *s)
{
  static const char *const within[] = {"within_5", "within_10", "within_20"};
  ts_json_line(w, 4);
  ts_json_begin(w, key, '{');
  ts_json_put_count(w, "rows", s->rows);
  ts_json_put_number(w, "mean", "%.4f", s->mean);
  ts_json_put_number(w, "median", "%.4f", s->median);
  ts_json_put_number(w, "worst", "%.4f", s->worst);
  for (int i = 0; i < 3; i++)
    ts_json_put_number(w, within[i], "%.3f", (double)s->within[i] / s->rows);
  ts_json_end(w, '}');
}

static const char *input_name(const ts_fit_model *m, uint32_t d)
{
  const char *word = ts_model_input_word(&m->input[d]);
  if (m->input[d].code < TS_MODEL_MAX_FEATURES)
    return m->model->feature[m->input[d].code];
  return word ? word : m->model->input[d];
}

/* Of left-out rows, by who learned. */
static void put_choice(ts_json_writer *w, const ts_op_fit *t)
{
  if (!t->compared)
    return;
  ts_json_line(w, 3);
  ts_json_begin(w, "left_out", '{');
  for (int l = 0; l < TS_OP_LEARNERS; l++)
    if (isfinite(t->error[l]))
      ts_json_put_number(w, ts_op_learner_name[l], "%.4f", t->error[l]);
  ts_json_end(w, '}');
}

static void put_range(ts_json_writer *w, const ts_fit_model *m)
{
  if (!(m->high[0] > 0))
    return;
  ts_json_line(w, 3);
  ts_json_begin(w, "range", '[');
  for (uint32_t f = 0; f < m->model->feature_count; f++) {
    ts_json_begin(w, NULL, '[');
    ts_json_put_number(w, NULL, "%.10g", m->low[f]);
    ts_json_put_number(w, NULL, "%.10g", m->high[f]);
    ts_json_end(w, ']');
  }
  ts_json_end(w, ']');
}

/* Nine digits give a float back. */
static void put_trees(ts_json_writer *w, const ts_trees *trees)
{
  if (!trees->root_count)
    return;
  ts_json_line(w, 4);
  ts_json_begin(w, "trees", '[');
  for (uint32_t t = 0; t < trees->root_count; t++) {
    uint32_t first = trees->root[t],
             end = t + 1 < trees->root_count ? trees->root[t + 1] : trees->node_count;
    ts_json_line(w, 0);
    ts_json_writer tree = {.out = w->out};
    ts_json_begin(&tree, NULL, '[');
    for (uint32_t i = first; i < end; i++) {
      const ts_tree_node *n = &trees->node[i];
      bool leaf = n->input == TS_TREE_LEAF;
      ts_json_put_number(&tree, NULL, "[%d,%.9g,%u,%u]", n->input, (double)n->value,
                         leaf ? 0 : n->less - first, leaf ? 0 : n->otherwise - first);
    }
    ts_json_end(&tree, ']');
    w->comma = true;
  }
  ts_json_end(w, ']');
}

static void put_rows(ts_json_writer *w, const ts_op_fit *t)
{
  const ts_fit_model *m = &t->model;
  uint32_t width = m->model->feature_count;
  ts_json_line(w, 4);
  ts_json_begin(w, "row", '[');
  for (uint32_t f = 0; f < width; f++)
    ts_json_put_text(w, NULL, m->model->feature[f]);
  ts_json_put_text(w, NULL, "us");
  ts_json_put_text(w, NULL, "weight");
  ts_json_put_text(w, NULL, "table");
  ts_json_end(w, ']');
  ts_json_line(w, 4);
  ts_json_begin(w, "rows", '[');
  for (uint32_t i = 0; i < m->row_count; i++) {
    ts_json_line(w, 0);
    ts_json_writer row = {.out = w->out};
    ts_json_begin(&row, NULL, '[');
    for (uint32_t f = 0; f < width; f++)
      ts_json_put_number(&row, NULL, "%.10g", m->row[(size_t)i * width + f]);
    ts_json_put_number(&row, NULL, "%.5g,%.7g,%g", m->row_us[i], t->weight[i], m->row_table[i]);
    ts_json_end(&row, ']');
    w->comma = true;
  }
  ts_json_end(w, ']');
}

static void put_residual(ts_json_writer *w, const ts_op_fit *t)
{
  const ts_fit_model *m = &t->model;
  ts_json_line(w, 3);
  ts_json_begin(w, "residual", '{');
  ts_json_put_number(w, "shift", "%.3f", m->shift);
  ts_json_put_number(w, "noise", "%.6g", t->noise);
  ts_json_begin(w, "inputs", '[');
  for (uint32_t d = 0; d < m->input_count; d++)
    ts_json_put_text(w, NULL, input_name(m, d));
  ts_json_end(w, ']');
  ts_json_line(w, 4);
  ts_json_begin(w, "kernels", '[');
  for (uint32_t c = 0; c < m->kernel_count; c++) {
    if (c)
      ts_json_line(w, 5);
    ts_json_begin(w, NULL, '{');
    ts_json_put_number(w, "smoothness", "%.1f", m->kernel[c].smoothness);
    ts_json_put_number(w, "deviation", "%.6g", m->kernel[c].deviation);
    ts_json_begin(w, "scale", '[');
    for (uint32_t d = 0; d < m->input_count; d++)
      ts_json_put_number(w, NULL, "%.6g", m->kernel[c].scale[d]);
    ts_json_end(w, ']');
    ts_json_end(w, '}');
  }
  ts_json_end(w, ']');
  put_rows(w, t);
  put_trees(w, &m->trees);
  ts_json_end(w, '}');
}

static void put_model(ts_json_writer *w, const ts_op_fit *t)
{
  const ts_fit_model *m = &t->model;
  ts_json_line(w, 2);
  ts_json_begin(w, NULL, '{');
  ts_json_put_text(w, "family", m->family);
  ts_json_put_text(w, "dtype", m->dtype);
  ts_json_put_text(w, "model", m->model->name);
  if (m->also)
    ts_json_put_text(w, "also", m->also);
  if (m->learner)
    ts_json_put_text(w, "learner", m->learner);
  if (ts_kernel_model_is_powers(m->model)) {
    ts_json_begin(w, "features", '[');
    for (uint32_t f = 0; f < m->model->feature_count; f++)
      ts_json_put_text(w, NULL, m->model->feature[f]);
    ts_json_end(w, ']');
  }
  ts_json_line(w, 3);
  ts_json_begin(w, "parameters", '{');
  for (uint32_t i = 0; i < m->model->parameter_count; i++)
    ts_json_put_number(w, m->model->parameter[i], "%.6g", m->parameter[i]);
  ts_json_end(w, '}');
  put_range(w, m);
  put_choice(w, t);
  ts_json_line(w, 3);
  ts_json_begin(w, "validation", '{');
  if (t->fit.rows) {
    put_score(w, "fit", &t->fit);
    put_score(w, "physical alone", &t->physical);
    if (!ts_kernel_model_is_powers(m->model))
      put_score(w, "roofline", &t->roofline);
  }
  ts_json_last_line(w, 3);
  ts_json_end(w, '}');
  put_residual(w, t);
  ts_json_end(w, '}');
}

void ts_fit_file_write(const ts_fit_file *f, FILE *out)
{
  ts_json_writer writer = {.out = out, .spaced = true}, *w = &writer;
  ts_json_begin(w, NULL, '{');
  ts_json_put_count(w, "trainspec-fit", TS_FIT_VERSION);
  ts_json_put_text(w, "device", f->device);
  if (f->keep > 0)
    ts_json_put_number(w, "keep", "%g", f->keep);
  ts_json_line(w, 1);
  ts_json_begin(w, "data", '[');
  for (size_t i = 0; i < f->tables->count; i++) {
    const ts_fit_table *t = &f->tables->at[i];
    ts_json_line(w, 2);
    ts_json_begin(w, NULL, '{');
    ts_json_put_text(w, "file", t->name);
    ts_json_put_text(w, "sha256", t->sha256);
    ts_json_put_count(w, "rows", t->rows);
    if (f->keep > 0)
      ts_json_put_count(w, "kept", t->fitted);
    put_sources(f->arena, w, t->table->provenance);
    ts_json_end(w, '}');
  }
  ts_json_end(w, ']');
  ts_json_line(w, 1);
  ts_json_begin(w, "models", '[');
  for (size_t i = 0; i < f->fits->count; i++)
    put_model(w, &f->fits->at[i]);
  ts_json_end(w, ']');
  ts_json_end(w, '}');
  ts_json_end_document(w);
}
