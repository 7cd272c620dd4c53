/* The order of work of fits of operators: what is fitted, and what is reported meanwhile. */
#include "calibrate/operator_fit.h"

#include <math.h>

#include "base/escape.h"

enum { LEAST_ROWS = 8 };

/* False: what is wrong is in the queue. */
static bool operator_fit_refuse(ts_fit_work *w, const char *why, const char *help)
{
  ts_diag *d = ts_diag_add(w->diags, TS_E0502, TS_NO_SPAN, "%s", why);
  if (help)
    ts_diag_help(d, "%s", help);
  return false;
}

/* ---- One device ---- */

static void print_score(FILE *out, const char *what, const ts_op_score *s)
{
  ts_put_text(out,
              "  %-14s mean %6.2f %%  median %6.2f %%  worst %6.1f %%  within 5/10/20 %%: %3.0f "
              "%3.0f %3.0f %%\n",
              what, 100 * s->mean, 100 * s->median, 100 * s->worst, 100.0 * s->within[0] / s->rows,
              100.0 * s->within[1] / s->rows, 100.0 * s->within[2] / s->rows);
}

/* Before training, which takes a while. */
static void print_rows(FILE *out, const ts_table_group *g, const ts_fit_rows *fitted, uint32_t rest)
{
  ts_put_text(out, "%s %s: %u rows kept", g->family, g->dtype, fitted->own);
  if (fitted->own < fitted->count)
    fprintf(out, " and %u of other tables", fitted->count - fitted->own);
  fprintf(out, ", %u to compare with\n", rest);
  fflush(out);
}

/* Who learns, by rows or devices left out. */
static void print_choice(FILE *out, const char *what, const double *error)
{
  ts_put_text(out, "  on %s left out, mean of |log(predicted / measured)|:", what);
  for (int l = 0; l < TS_OP_LEARNERS; l++)
    if (isfinite(error[l]))
      ts_put_text(out, "%s %s %.3f", l ? "," : "", ts_op_learner_name[l], error[l]);
  ts_put_text(out, "; taken: %s\n", ts_op_learner_name[ts_op_best(error)]);
}

static void print_fit(FILE *out, const ts_op_fit *t)
{
  const ts_fit_model *m = &t->model;
  if (t->compared)
    print_choice(out, "kept rows", t->error);
  if (!isnan(t->left_out) && !m->learner)
    fprintf(out, "  cross-validated: each kept row from all others, mean %.2f %%\n",
            100 * t->left_out);
  if (!t->fit.rows)
    return;
  print_score(out, "fit", &t->fit);
  print_score(out, "physical alone", &t->physical);
  if (!ts_kernel_model_is_powers(m->model))
    print_score(out, "roofline", &t->roofline);
  fprintf(out, "  fit, by time: ");
  for (int r = 0, n = 0; r < TS_OP_RANGES; r++)
    if (t->fit.of[r])
      ts_put_text(out, "%s%s mean %.2f %% (%u)", n++ ? ", " : "", ts_op_range_name(r),
                  100 * t->fit.mean_of[r], t->fit.of[r]);
  fprintf(out, "\n");
  if (t->fit.outside)
    fprintf(out, "  %u of these rows lie beyond the kept ones: extrapolated\n", t->fit.outside);
  fprintf(out, "  worst row:");
  for (uint32_t f = 0; f < m->model->feature_count; f++)
    ts_put_text(out, " %s %.10g", m->model->feature[f], t->fit.worst_row[f]);
  fprintf(out, "\n");
  fflush(out);
}

static void not_fitted(ts_fit_work *w, const ts_table_group *g, const char *why)
{
  ts_put_text(w->out, "%s %s: not fitted: %s\n", g->family, g->dtype ? g->dtype : "of no type",
              why);
}

static bool no_trees(ts_fit_work *w, const ts_error *wrong)
{
  ts_diag_add(w->diags, TS_E0701, TS_NO_SPAN, "no trees: %s", wrong->message);
  return false;
}

static bool cannot_fit(ts_fit_work *w, const char *table, const char *family)
{
  return operator_fit_refuse(
    w, ts_arena_printf(w->arena, "%s: the rows of `%s` cannot be fitted", table, family), NULL);
}

/* Rows that lack a size of the model, or have it as 0. */
static uint32_t without_sizes(const ts_table_group *g, const ts_kernel_model *model)
{
  double feature[TS_MODEL_MAX_FEATURES];
  uint32_t count = 0;
  for (uint32_t i = 0; i < g->count; i++) count += !ts_fit_row_features(g, i, model, feature);
  return count;
}

static const char *too_few(ts_arena *arena, uint32_t fitted, uint32_t all, uint32_t without,
                           const char *model)
{
  const char *text = ts_arena_printf(arena, "%u of its %u rows are kept, %d are needed (--keep)",
                                     fitted, all, LEAST_ROWS);
  return without ? ts_arena_printf(arena, "%s; %u more lack a size of `%s`, or have it as 0", text,
                                   without, model) :
                   text;
}

/* The physical model of a kind of kernel; powers of its sizes where nobody knows another. */
static const ts_kernel_model *model_for(ts_fit_work *w, const ts_table_group *g)
{
  const ts_kernel_model *model = w->choice.model ? w->choice.model : ts_fit_model_for(g, "stream");
  return model ? model : ts_kernel_model_powers(w->arena, g->name, g->width);
}

static bool fit_group(ts_fit_work *w, size_t table, const ts_table_group *g, double units,
                      double share, bool trees)
{
  const ts_kernel_model *model = model_for(w, g);
  ts_fit_rows fitted, rest;
  if (!ts_op_first_chosen(&w->tables, table, g, &w->choice))
    return true;
  if (!model || !g->dtype)
    return not_fitted(w, g,
                      model ? "its rows have no type (--dtype)" :
                              "it has no sizes, or too many (--model)"),
           true;
  ts_op_collect(w->arena, &w->tables, table, g, model, share, &fitted, &rest);
  if (fitted.own < LEAST_ROWS)
    return not_fitted(w, g,
                      too_few(w->arena, fitted.own, fitted.own + rest.count,
                              without_sizes(g, model), model->name)),
           true;
  print_rows(w->out, g, &fitted, rest.count);
  ts_op_fit fit = {.model = {.family = g->family,
                             .dtype = g->dtype,
                             .also = w->also,
                             .model = model,
                             .parameter = {[TS_PARAMETER_UNITS] = units}}};
  ts_error wrong;
  if (!ts_op_fit_rows(w->arena, &fit, &fitted, &rest, trees, &wrong))
    return *wrong.message ? no_trees(w, &wrong) :
                            cannot_fit(w, w->tables.at[table].name, g->family);
  print_fit(w->out, &fit);
  TS_PUSH(w->arena, &w->fits, fit);
  return true;
}

bool ts_op_fit_tables(ts_fit_work *w, double units, double share, bool trees)
{
  for (size_t t = 0; t < w->tables.count; t++)
    for (uint32_t i = 0; i < w->tables.at[t].table->group_count; i++) {
      const ts_table_group *g = &w->tables.at[t].table->group[i];
      uint32_t groups = w->tables.at[t].table->group_count;
      ts_tick(w->progress, "fitting", ((double)t + (double)i / groups) / (double)w->tables.count);
      if (!fit_group(w, t, g, units, share, trees))
        return false;
    }
  if (w->fits.count)
    return true;
  return operator_fit_refuse(
    w,
    ts_arena_printf(
      w->arena, "nothing to fit: no table has %d rows to keep of one family and type%s", LEAST_ROWS,
      w->choice.family || w->choice.dtype ? " and of what `--family` and `--dtype` say" : ""),
    "keep more of them with `--keep`; the lines \"not fitted\" say what is wrong with each family");
}

/* ---- Several devices ---- */

/* Each device predicted from the others: errors by family, and by how long the operators take. */
static void print_left_out(ts_fit_work *w, const ts_op_class *c, const ts_op_device *device,
                           const char *name, const ts_op_gathered *rows)
{
  for (size_t f = 0; f < rows->count; f++)
    for (int range = 0; range < TS_OP_RANGES; range++) {
      ts_op_left_out s = ts_op_judge_left_out(w->arena, c, device, &rows->at[f], range);
      if (!s.rows)
        continue;
      ts_put_text(w->out,
                  "  %-18s %-16s %-12s %6u rows  median %5.1f %%  mean %5.1f %%  worst %6.1f %%",
                  name, rows->at[f].family, ts_op_range_name(range), s.rows, 100 * s.median,
                  100 * s.mean, 100 * s.worst);
      if (s.outside)
        fprintf(w->out, "  (%u extrapolated)", s.outside);
      fprintf(w->out, "\n");
    }
}

/* In the way chosen, or NULL after an error. */
static const ts_op_class *train_ops(ts_fit_work *w, const ts_kernel_model *model,
                                    const ts_device_sheets *s, const ts_op_gathered *rows,
                                    ts_op_learner learner)
{
  const ts_op_class *c =
    ts_op_train(w->arena, model, s->at, s->count, rows->at, (uint32_t)rows->count, NULL);
  ts_error wrong = {0};
  if (learner != TS_OP_GAUSSIAN)
    c = ts_op_learned_by(w->arena, c, learner, &wrong);
  if (!c)
    no_trees(w, &wrong);
  return c;
}

/* What is better on devices left out. */
static bool operator_fit_choose(ts_fit_work *w, const ts_kernel_model *model,
                                const ts_device_sheets *s, const ts_op_gathered *all, bool trees,
                                ts_op_learner *best)
{
  double error[TS_OP_LEARNERS];
  ts_error wrong = {0};
  *best = TS_OP_GAUSSIAN;
  if (!trees)
    return true;
  if (ts_op_compare(w->arena, model, s->at, s->count, all->at, (uint32_t)all->count, NULL, error,
                    best, &wrong))
    print_choice(w->out, "devices", error);
  return !*wrong.message || no_trees(w, &wrong);
}

static bool judge_devices(ts_fit_work *w, ts_fit_class kind, const ts_device_sheets *s,
                          ts_op_learner learner)
{
  for (uint32_t d = 0; d < s->count; d++) {
    ts_tick(w->progress, "fitting each device", (double)d / s->count);
    ts_op_gathered out = ts_op_gather(w->arena, &w->tables, &w->choice, kind, d, TS_OP_ONLY);
    ts_op_gathered others = ts_op_gather(w->arena, &w->tables, &w->choice, kind, d, TS_OP_WITHOUT);
    if (!out.count || !others.count)
      continue;
    const ts_op_class *c = train_ops(w, kind.model, s, &others, learner);
    if (!c)
      return false;
    print_left_out(w, c, &s->at[d], s->at[d].name, &out);
  }
  return true;
}

/* One device: each half of its rows predicted from the other, in both ways where trees are asked
 * for. */
static bool judge_halves(ts_fit_work *w, const ts_kernel_model *model, const ts_device_sheets *s,
                         uint32_t device, const ts_op_gathered *all, bool trees,
                         ts_op_learner *best)
{
  const ts_op_class *c[TS_OP_LEARNERS][2] = {{NULL}};
  ts_op_gathered half[2];
  double error[TS_OP_LEARNERS] = {0};
  *best = TS_OP_GAUSSIAN;
  ts_op_halve(w->arena, all, model, half);
  if (!half[0].count || !half[1].count)
    return true;
  for (ts_op_learner way = 0; way < (trees ? TS_OP_LEARNERS : 1); way++)
    for (int h = 0; h < 2; h++) {
      if (!(c[way][h] = train_ops(w, model, s, &half[!h], way)))
        return false;
      error[way] += ts_op_mean_log(c[way][h], &s->at[device], half[h].at,
                                   (uint32_t)half[h].count) / 2;
    }
  if (trees) {
    *best = ts_op_best(error);
    print_choice(w->out, "halves", error);
  }
  for (int h = 0; h < 2; h++)
    print_left_out(w, c[*best][h], &s->at[device], h ? "second half" : "first half", &half[h]);
  return true;
}

/* The only device that was measured, or the number of devices. */
static uint32_t only_device(const ts_fit_tables *tables, uint32_t devices)
{
  for (size_t t = 1; t < tables->count; t++)
    if (tables->at[t].device != tables->at[0].device)
      return devices;
  return tables->at[0].device;
}

static bool fit_class(ts_fit_work *w, ts_fit_class kind, const ts_device_sheets *s, uint32_t target,
                      const ts_op_gathered *all, bool trees)
{
  ts_op_learner learner;
  uint32_t only = only_device(&w->tables, s->count);
  ts_put_text(w->out, "%s %s: %s\n", kind.model->name, kind.dtype,
              only < s->count ? "each half of the rows from the other half" :
                                "each device from the others");
  if (only < s->count ? !judge_halves(w, kind.model, s, only, all, trees, &learner) :
                        !operator_fit_choose(w, kind.model, s, all, trees, &learner) ||
                          !judge_devices(w, kind, s, learner))
    return false;
  const ts_op_class *c = train_ops(w, kind.model, s, all, learner);
  for (uint32_t f = 0; c && f < c->family_count; f++) {
    ts_op_fit fit = {.noise = c->family[f].kernel.deviation};
    ts_op_instantiate(w->arena, c, &c->family[f], kind.dtype, &s->at[target], &fit.model,
                      &fit.weight);
    fit.model.also = w->also;
    if (learner != TS_OP_GAUSSIAN)
      fit.model.learner = ts_op_learner_name[learner];
    ts_op_fit_round(&fit);
    TS_PUSH(w->arena, &w->fits, fit);
  }
  return c != NULL;
}

bool ts_op_fit_devices(ts_fit_work *w, const ts_device_sheets *s, uint32_t target, bool trees)
{
  w->choice.caches = s->count > 0;
  for (uint32_t d = 0; d < s->count; d++)
    w->choice.caches &= s->at[d].cache_megabytes > 0;
  ts_fit_classes kinds = ts_fit_classes_of(w->arena, &w->tables, &w->choice);
  for (size_t k = 0; k < kinds.count; k++) {
    ts_op_gathered all = ts_op_gather_all(w->arena, &w->tables, &w->choice, kinds.at[k]);
    if (all.count && !fit_class(w, kinds.at[k], s, target, &all, trees))
      return false;
  }
  return w->fits.count ||
         operator_fit_refuse(w, "no table has rows of a family with a model",
                             "rows need a type: name that of tables without one with `--dtype`");
}
