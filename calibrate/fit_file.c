/* Writes fit files. */
#include "calibrate/fit_file.h"

#include <string.h>

#include "base/escape.h"

/* The lines `# source:` of a table. */
static void put_sources(ts_arena *arena, FILE *out, const char *lines)
{
  for (const char *separator = ", \"source\": ["; *lines; separator = ", ") {
    size_t length = strcspn(lines, "\n");
    ts_put_raw(out, separator);
    ts_put_json_string(out, ts_arena_string(arena, lines, length));
    lines += length + (lines[length] != 0);
    if (!*lines)
      fputs("]", out);
  }
}

static void put_score(FILE *out, const char *name, const ts_op_score *s, const char *after)
{
  ts_put_json(out,
              "    \"%s\": {\"rows\": %u, \"mean\": %.4f, \"median\": %.4f, \"worst\": %.4f, "
              "\"within_5\": %.3f, \"within_10\": %.3f, \"within_20\": %.3f}%s\n",
              name, s->rows, s->mean, s->median, s->worst, (double)s->within[0] / s->rows,
              (double)s->within[1] / s->rows, (double)s->within[2] / s->rows, after);
}

static const char *input_name(const ts_fit_model *m, uint32_t d)
{
  if (m->input[d].code < TS_MODEL_MAX_FEATURES)
    return m->model->feature[m->input[d].code];
  return m->model->input[d] ? m->model->input[d] : "table";
}

static void put_range(FILE *out, const ts_fit_model *m)
{
  for (uint32_t f = 0; m->high[0] > 0 && f < m->model->feature_count; f++)
    fprintf(out, f ? ", [%.10g, %.10g]" : "   \"range\": [[%.10g, %.10g]", m->low[f], m->high[f]);
  if (m->high[0] > 0)
    fputs("],\n", out);
}

/* Nine digits give a float back. */
static void put_trees(FILE *out, const ts_trees *trees)
{
  for (uint32_t t = 0; t < trees->root_count; t++) {
    uint32_t first = trees->root[t],
             end = t + 1 < trees->root_count ? trees->root[t + 1] : trees->node_count;
    fprintf(out, t ? ",\n" : ",\n    \"trees\": [\n");
    for (uint32_t i = first; i < end; i++) {
      const ts_tree_node *n = &trees->node[i];
      bool leaf = n->input == TS_TREE_LEAF;
      ts_put_json(out, "%s[%d,%.9g,%u,%u]", i == first ? "[" : ",", n->input, (double)n->value,
                  leaf ? 0 : n->less - first, leaf ? 0 : n->otherwise - first);
    }
    fprintf(out, "]");
  }
  if (trees->root_count)
    fprintf(out, "]");
}

static void put_model(FILE *out, const ts_op_fit *t)
{
  const ts_fit_model *m = &t->model;
  uint32_t width = m->model->feature_count;
  ts_put_json(out, "  {\"family\": \"%s\", \"dtype\": \"%s\", \"model\": \"%s\",", m->family,
              m->dtype, m->model->name);
  if (m->also) {
    fprintf(out, " \"also\": ");
    ts_put_json_string(out, m->also);
    fprintf(out, ",");
  }
  fprintf(out, "\n   \"parameters\": {");
  for (uint32_t i = 0; i < m->model->parameter_count; i++)
    ts_put_json(out, "%s\"%s\": %.6g", i ? ", " : "", m->model->parameter[i], m->parameter[i]);
  fprintf(out, "},\n");
  put_range(out, m);
  fprintf(out, "   \"validation\": {\n");
  if (t->fit.rows) {
    put_score(out, "fit", &t->fit, ",");
    put_score(out, "physical alone", &t->physical, ",");
    put_score(out, "roofline", &t->roofline, "");
  }
  fprintf(out, "   },\n   \"residual\": {\"shift\": %.3f, \"noise\": %.6g, \"inputs\": [", m->shift,
          t->noise);
  for (uint32_t d = 0; d < m->input_count; d++)
    ts_put_json(out, "%s\"%s\"", d ? ", " : "", input_name(m, d));
  fprintf(out, "],\n    \"kernels\": [");
  for (uint32_t c = 0; c < m->kernel_count; c++) {
    fputs(c ? ",\n     " : "", out);
    fprintf(out, "{\"smoothness\": %.1f, \"deviation\": %.6g, \"scale\": [",
            m->kernel[c].smoothness, m->kernel[c].deviation);
    for (uint32_t d = 0; d < m->input_count; d++)
      ts_put_json(out, "%s%.6g", d ? ", " : "", m->kernel[c].scale[d]);
    fprintf(out, "]}");
  }
  fprintf(out, "],\n    \"row\": [");
  for (uint32_t f = 0; f < width; f++) ts_put_json(out, "\"%s\", ", m->model->feature[f]);
  fprintf(out, "\"us\", \"weight\", \"table\"],\n    \"rows\": [");
  for (uint32_t i = 0; i < m->row_count; i++) {
    fputs(i ? ",\n[" : "\n[", out);
    for (uint32_t f = 0; f < width; f++) fprintf(out, "%.10g,", m->row[(size_t)i * width + f]);
    fprintf(out, "%.5g,%.7g,%g]", m->row_us[i], t->weight[i], m->row_table[i]);
  }
  fprintf(out, "]");
  put_trees(out, &m->trees);
  fprintf(out, "}}");
}

void ts_fit_file_write(const ts_fit_file *f, FILE *out)
{
  fprintf(out, "{\"trainspec-fit\": %d, \"device\": ", TS_FIT_VERSION);
  ts_put_json_string(out, f->device);
  if (f->keep > 0)
    fprintf(out, ", \"keep\": %g", f->keep);
  fprintf(out, ",\n \"data\": [");
  for (size_t i = 0; i < f->tables->count; i++) {
    const ts_fit_table *t = &f->tables->at[i];
    ts_put_json(out, "%s\n  {\"file\": ", i ? "," : "");
    ts_put_json_string(out, t->name);
    ts_put_json(out, ", \"sha256\": \"%s\", \"rows\": %u", t->sha256, t->rows);
    if (f->keep > 0)
      fprintf(out, ", \"kept\": %u", t->kept);
    put_sources(f->arena, out, t->table->provenance);
    fprintf(out, "}");
  }
  fprintf(out, "],\n \"models\": [\n");
  for (size_t i = 0; i < f->fits->count; i++) {
    fputs(i ? ",\n" : "", out);
    put_model(out, &f->fits->at[i]);
  }
  fprintf(out, "]}\n");
}
