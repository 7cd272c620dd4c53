/* A fit made of a table when a plan is compiled: `fit(table("x.csv"), gpu)`. What `trainspec fit
 * ops` does, with fewer rows so that it takes seconds. */
#include <gsl/gsl_errno.h>
#include <stdlib.h>
#include <string.h>

#include "cost/fit.h"

enum { LEAST_ROWS = 8, MOST_ROWS = 256 }; /* learning takes the cube of them */

typedef struct sorted { const double *value; uint32_t width, row; } sorted;

static int by_features(const void *x, const void *y)
{
  const sorted *a = x, *b = y;
  for (uint32_t f = 0; f < a->width; f++)
    if (a->value[f] != b->value[f])
      return a->value[f] < b->value[f] ? -1 : 1;
  return a->row < b->row ? -1 : a->row > b->row;
}

/* Rows of a group in the order of the model's features, thinned evenly to what can be learned from.
 * */
static ts_fit_rows rows_of(ts_arena *arena, const ts_table_group *g, const ts_kernel_model *model)
{
  uint32_t width = model->feature_count, count = 0, distinct = 0;
  sorted *order = TS_NEW_ARRAY(arena, sorted, g->count);
  for (uint32_t i = 0; i < g->count; i++) {
    double value[TS_MODEL_MAX_FEATURES];
    if (ts_fit_row_features(g, i, model, value))
      order[count++] = (sorted){ts_arena_copy(arena, value, width * sizeof *value), width, i};
  }
  qsort(order, count, sizeof *order, by_features);
  uint32_t stride = (count + MOST_ROWS - 1) / MOST_ROWS;
  double *feature = TS_NEW_ARRAY(arena, double, (size_t)count *width),
         *us = TS_NEW_ARRAY(arena, double, count);
  for (uint32_t i = 0; i < count; i += stride) {
    if (distinct && memcmp(order[i].value, feature + (size_t)(distinct - 1) * width,
                           width * sizeof *feature) == 0)
      continue;
    memcpy(feature + (size_t)distinct * width, order[i].value, width * sizeof *feature);
    us[distinct++] = 1e6 * g->seconds[order[i].row];
  }
  return (ts_fit_rows){distinct, distinct, feature, us, TS_NEW_ARRAY(arena, double, count)};
}

static bool add_model(ts_arena *arena, ts_fit_model *m, const ts_table_group *g, double units)
{
  const ts_kernel_model *model = ts_fit_model_for(g, "stream");
  if (!model)
    return false;
  ts_fit_rows distinct = rows_of(arena, g, model);
  if (distinct.count < LEAST_ROWS)
    return false;
  double noise, left_out, *weight = TS_NEW_ARRAY(arena, double, distinct.count);
  *m = (ts_fit_model){.family = g->family,
                      .dtype = g->dtype,
                      .model = model,
                      .parameter = {[TS_PARAMETER_UNITS] = units}};
  if (!ts_fit_train(arena, m, &distinct, &noise, weight, &left_out))
    return false;
  ts_fit_prepare(arena, m, weight);
  return true;
}

ts_cost_source *ts_cost_fit_table(ts_arena *arena, const ts_cost_source *table, double units,
                                  ts_error *error)
{
  const ts_table *t = table->u.table;
  ts_fit_model *models = TS_NEW_ARRAY(arena, ts_fit_model, t->group_count);
  ts_fit *fit = TS_NEW(arena, ts_fit);
  *fit = (ts_fit){.device = t->device, .provenance = t->provenance, .model = models};
  gsl_error_handler_t *handler = gsl_set_error_handler_off();
  for (uint32_t g = 0; g < t->group_count; g++)
    fit->model_count += add_model(arena, &models[fit->model_count], &t->group[g], units);
  gsl_set_error_handler(handler);
  if (!fit->model_count)
    return ts_fail(error, NULL, "no kind of kernel has %d rows and a model", LEAST_ROWS), NULL;
  ts_cost_source *source = TS_NEW(arena, ts_cost_source);
  source->kind = TS_SOURCE_FIT;
  source->u.fit = fit;
  return source;
}
