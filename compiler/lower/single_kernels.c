#include "compiler/lower/single_kernels.h"

#include <math.h>
#include <string.h>

#include "compiler/eval/report.h"
#include "compiler/lower/costing.h"
#include "cost/fit.h"
#include "cost/table.h"

/* Rows of a kind that are taken of a table, evenly in the order of their features, so that a large
 * table does not drown the rows of models. */
enum { MOST_ROWS = 256 };

/* By the features that the rows have. */
static const ts_kernel_model *model_of(const ts_table_group *g)
{
  static const char *const computes[] = {"gemm", "attention_apart", "attention"};
  double feature[TS_MODEL_MAX_FEATURES];
  for (size_t i = 0; i < sizeof computes / sizeof *computes; i++) {
    const ts_kernel_model *m = ts_kernel_model_find(computes[i]);
    if (ts_fit_row_features(g, 0, m, feature))
      return m;
  }
  return NULL;
}

static bool only_bytes(const ts_table_group *g)
{
  return g->width == 1 && !strcmp(g->name[0], "bytes");
}

/* Kernels that were timed one call at a time hold what launching and timing takes, which the least
 * of a table is nearly all of; rows of traced tables come without it. */
static double launching(const ts_table *t)
{
  double min = INFINITY;
  for (uint32_t i = 0; i < t->group_count; i++)
    for (uint32_t k = 0; k < t->group[i].count; k++)
      min = fmin(min, 1e6 * t->group[i].seconds[k]);
  return min;
}

static void take_group(ts_session *s, const ts_table_group *g, double min, const ts_value *gpu,
                       ts_single_kernels *all)
{
  const ts_kernel_model *model = g->dtype ? model_of(g) : NULL;
  uint32_t stride = (g->count + MOST_ROWS - 1) / MOST_ROWS;
  for (uint32_t i = 0; (model || only_bytes(g)) && i < g->count; i += stride) {
    ts_single_kernel k = {.model = model,
                          .family = g->family,
                          .dtype = model ? g->dtype : "",
                          .us = 1e6 * g->seconds[i] - min,
                          .gpu = gpu};
    if (!model)
      k.feature[0] = g->value[i];
    else if (!ts_fit_row_features(g, i, model, k.feature))
      continue;
    if (k.us > min) /* shorter ones are launches */
      TS_PUSH(s->arena, all, k);
  }
}

static bool take_table(ts_session *s, const ts_plan *plan, const ts_value *table,
                       ts_single_kernels *all)
{
  ts_source_name name = {0};
  const ts_cost_chain *chain = ts_cost_chain_new(s, plan, *table, &name);
  if (!chain)
    return false;
  const ts_table *t = ts_cost_rows(ts_cost_chain_table(chain));
  double min = launching(t);
  size_t before = all->count;
  for (uint32_t i = 0; i < t->group_count; i++)
    take_group(s, &t->group[i], min, ts_record_find(&table->u.applied->args, "from"), all);
  if (all->count > before)
    return true;
  ts_diag *d = ts_report(s, TS_E0523, table->span, "`%s` has no row to learn from", name.name);
  ts_diag_here(d, "named beside a traced table");
  ts_diag_help(d, "rows need a `dtype` and m, n, k or the sizes of attention, or bytes alone, and "
                  "times of more than twice the shortest");
  return false;
}

bool ts_single_kernels_read(ts_session *s, const ts_plan *plan, const ts_graph *g,
                            ts_single_kernels *all)
{
  for (size_t i = 0; i < g->singles.count; i++)
    if (!take_table(s, plan, g->singles.at[i], all))
      return false;
  return true;
}
