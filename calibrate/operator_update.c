#include "calibrate/operator_update.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/escape.h"
#include "calibrate/learners.h"

static bool operator_update_refuse(ts_fit_work *w, const char *what, const char *help)
{
  ts_diag *d = ts_diag_add(w->diags, TS_E0502, TS_NO_SPAN, "%s", what);
  ts_diag_help(d, "%s", help);
  return false;
}

/* The earlier rows and the new ones, which come of table 0. */
static ts_fit_rows joined(ts_arena *arena, const ts_fit_model *old, const ts_fit_rows *rows,
                          double share, uint32_t *replaced)
{
  ts_op_row_list all = {0};
  uint32_t width = old->model->feature_count;
  *replaced = 0;
  for (uint32_t i = 0; i < old->row_count; i++)
    ts_op_row_list_add(arena, &all, old->row + (size_t)i * width, width, old->row_us[i],
                       (uint32_t)old->row_table[i]);
  for (uint32_t i = 0; i < rows->count; i++) {
    const double *x = rows->feature + (size_t)i * width;
    size_t k = 0;
    while (k < all.us.count && (all.table.at[k] > 0 ||
                                memcmp(all.feature.at + k * width, x, width * sizeof *x) != 0))
      k++;
    if (k == all.us.count) {
      ts_op_row_list_add(arena, &all, x, width, rows->us[i], 0);
      continue;
    }
    all.us.at[k] = exp((1 - share) * log(all.us.at[k]) + share * log(rows->us[i]));
    ++*replaced;
  }
  return ts_op_row_list_sorted(&all, width);
}

static bool learned_by(const ts_fit_model *m, ts_op_learner learner)
{
  return m->learner && !strcmp(m->learner, ts_op_learner_name[learner]);
}

/* Whether a fit holds as many. */
static bool has_room(const ts_fit_model *old, uint32_t count, ts_error *wrong)
{
  return count <= TS_OP_MOST_ROWS || count <= old->row_count ||
         ts_fail(wrong, NULL, "%u rows, of which a fit holds %d", count, TS_OP_MOST_ROWS);
}

bool ts_op_update_model(ts_arena *arena, const ts_fit_model *old, const ts_fit_rows *rows,
                        double share, ts_op_fit *out, uint32_t *replaced, ts_error *wrong)
{
  *wrong = (ts_error){0};
  if (!has_room(old, rows->count, wrong))
    return false;
  ts_fit_rows all = joined(arena, old, rows, share, replaced);
  if (!has_room(old, all.count, wrong))
    return false;
  *out = (ts_op_fit){.model = *old, .noise = old->noise, .left_out = NAN};
  ts_fit_model *m = &out->model;
  out->weight = TS_NEW_ARRAY(arena, double, all.count + 1);
  bool good;
  if (m->learner) {
    ts_op_learner by = learned_by(m, TS_OP_TREES)  ? TS_OP_TREES :
                       learned_by(m, TS_OP_FOREST) ? TS_OP_FOREST :
                                                     TS_OP_ANALYTIC;
    good = ts_fit_learn_again(arena, m, &all, by, out->weight, wrong);
  } else if (m->kernel_count) {
    good = ts_fit_solve(arena, m, &all, m->noise, out->weight, &out->left_out);
  } else {
    good = ts_fit_train(arena, m, &all, &out->noise, out->weight, &out->left_out);
  }
  if (good)
    ts_op_fit_judge(arena, out, &all, &(ts_fit_rows){0});
  return good;
}

static bool takes_rows(ts_fit_work *w, const ts_fit_model *m)
{
  if (m->own_rows || (!m->row_count && !m->trees.root_count && !m->kernel_count))
    return true;
  return operator_update_refuse(
    w,
    ts_arena_printf(w->arena, "the model of `%s` was made of several devices together", m->family),
    "it keeps no rows of its own: fit all tables again with `--devices`");
}

/* Rows of the tables that a model is for; table 0 is what the fit speaks for. */
static ts_fit_rows rows_for(ts_fit_work *w, const ts_fit_model *m)
{
  ts_op_row_list all = {0};
  double value[TS_MODEL_MAX_FEATURES];
  for (size_t t = 0; t < w->tables.count; t++)
    for (uint32_t i = 0; i < w->tables.at[t].table->group_count; i++) {
      const ts_table_group *g = &w->tables.at[t].table->group[i];
      if (strcmp(g->family, m->family) || (g->dtype && strcmp(g->dtype, m->dtype)))
        continue;
      for (uint32_t r = 0; r < g->count; r++)
        if (ts_fit_row_features(g, r, m->model, value)) {
          ts_op_row_list_add(w->arena, &all, value, m->model->feature_count, 1e6 * g->seconds[r],
                             0);
          w->tables.at[t].rows++;
        }
    }
  return ts_op_row_list_sorted(&all, m->model->feature_count);
}

static double mean_error(const ts_fit_model *m, const ts_fit_rows *rows)
{
  double sum = 0;
  for (uint32_t i = 0; i < rows->count; i++)
    sum += fabs(ts_fit_evaluate(m, rows->feature + (size_t)i * m->model->feature_count) /
                  rows->us[i] -
                1);
  return sum / rows->count;
}

/* No rows for it. */
static ts_op_fit unchanged(ts_arena *arena, const ts_fit_model *m)
{
  ts_op_fit fit = {.model = *m, .noise = m->noise, .left_out = NAN,
                   .weight = TS_NEW_ARRAY(arena, double, m->row_count + 1)};
  for (uint32_t i = 0; i < m->row_count; i++) fit.weight[i] = (double)m->weight[i];
  return fit;
}

static bool update_model(ts_fit_work *w, const ts_fit_model *old, double share, bool *changed)
{
  ts_fit_rows rows = rows_for(w, old);
  uint32_t replaced;
  ts_error wrong;
  ts_op_fit fit;
  if (!rows.count) {
    TS_PUSH(w->arena, &w->fits, unchanged(w->arena, old));
    return true;
  }
  if (!takes_rows(w, old))
    return false;
  if (old->kernel_count && !(old->noise > 0))
    return operator_update_refuse(
      w, ts_arena_printf(w->arena, "the fit states no `noise` for `%s`", old->family),
      "fit its tables again");
  if (!ts_op_update_model(w->arena, old, &rows, share, &fit, &replaced, &wrong))
    return operator_update_refuse(
      w,
      ts_arena_printf(w->arena, "the rows of `%s` cannot be added%s%s", old->family,
                      *wrong.message ? ": " : "", wrong.message),
      "add fewer of them, or fit all tables again: that keeps a share (`--keep`)");
  ts_put_text(w->out,
              "%s %s: %u rows, %u of them at sizes that it had; mean error of the new rows before "
              "%.2f %%, with them %.2f %%\n",
              old->family, old->dtype, rows.count, replaced, 100 * mean_error(old, &rows),
              100 * mean_error(&fit.model, &rows));
  *changed = true;
  TS_PUSH(w->arena, &w->fits, fit);
  return true;
}

/* Earlier tables come first. */
static void keep_data(ts_fit_work *w, const ts_fit *old)
{
  ts_fit_tables all = {0};
  for (size_t i = 0; i < old->data.count; i++) {
    const ts_fit_data *d = &old->data.at[i];
    ts_table *nothing = TS_NEW(w->arena, ts_table);
    *nothing = (ts_table){.provenance = d->source, .device = ""};
    ts_fit_table t = {.name = d->file, .table = nothing, .rows = d->rows};
    strncpy(t.sha256, d->sha256, sizeof t.sha256 - 1);
    TS_PUSH(w->arena, &all, t);
  }
  for (size_t i = 0; i < w->tables.count; i++)
    TS_PUSH(w->arena, &all, w->tables.at[i]);
  w->tables = all;
}

/* "`gemm` bf16 (m, n, k), `norm` fp32 (rows, width)": what a fit has. */
static const char *kinds_of(ts_arena *arena, const ts_fit *fit)
{
  const char *text = "";
  for (uint32_t i = 0; i < fit->model_count; i++) {
    const ts_fit_model *m = &fit->model[i];
    text = ts_arena_printf(arena, "%s%s`%s` %s (", text, i ? ", " : "", m->family, m->dtype);
    for (uint32_t f = 0; f < m->model->feature_count; f++)
      text = ts_arena_printf(arena, "%s%s%s", text, f ? ", " : "", m->model->feature[f]);
    text = ts_arena_printf(arena, "%s)", text);
  }
  return text;
}

/* A table may call its device otherwise than the fit does. */
static void warn_of_device(ts_fit_work *w, const ts_fit_table *t, const ts_fit *fit)
{
  if (!*t->table->device || !strcasecmp(t->table->device, fit->device))
    return;
  ts_diag *d =
    ts_diag_add(w->diags, TS_W0531, TS_NO_SPAN, "`%s` was measured on `%s`, the fit is of `%s`",
                t->name, t->table->device, fit->device);
  ts_diag_help(d, "add rows of the fit's device alone");
}

bool ts_op_update(ts_fit_work *w, const ts_fit *old, double share)
{
  bool changed = false;
  for (uint32_t i = 0; i < old->model_count; i++)
    if (!update_model(w, &old->model[i], share, &changed))
      return false;
  if (!changed)
    return operator_update_refuse(
      w, "no table has rows of a family, type and sizes of the fit",
      ts_arena_printf(w->arena,
                      "it has %s; `--family` and `--dtype` name those of "
                      "tables that do not",
                      kinds_of(w->arena, old)));
  for (size_t i = 0; i < w->tables.count; i++) warn_of_device(w, &w->tables.at[i], old);
  keep_data(w, old);
  return true;
}
