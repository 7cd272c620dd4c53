/* Answers from a table: the row itself, or interpolation between rows. Both are in logarithms, so
 * that times that are powers of sizes are met exactly. Inside the convex hull of the rows the
 * interpolation is linear on the Delaunay simplex around the query, which is the optimum of a
 * linear program: minimise sum w_i |x_i - q|^2 with sum w_i x_i = q, sum w_i = 1, w >= 0 (Rajan,
 * "Optimality of the Delaunay triangulation in R^d", 1994). It has no solution outside of the hull,
 * and then there is no answer. */
#include <math.h>
#include <string.h>

#include "base/order.h"
#include "cost/source.h"
#include "cost/table.h"

enum { MAX_BASIS = TS_TABLE_MAX_COLUMNS + 1, MAX_PIVOTS = 400, DANTZIG_PIVOTS = 100 };

typedef struct
  interpolate_program { /* the linear program of one query; artificial variables are -1, -2, ... */
  const ts_table_group *group;
  uint32_t size;                         /* rows of constraints */
  uint32_t feature[TS_TABLE_MAX_COLUMNS]; /* that are interpolated */
  double query[TS_TABLE_MAX_COLUMNS];    /* logarithms, in the order of `feature` */
  const double *full;                    /* the query's values */
  double penalty;                        /* cost of an artificial variable */
  int64_t basis[MAX_BASIS];
  double inverse[MAX_BASIS][MAX_BASIS], weight[MAX_BASIS];
} interpolate_program;

static int compare_values(const double *a, const double *b, uint32_t width)
{
  for (uint32_t f = 0; f < width; f++)
    if (a[f] != b[f])
      return a[f] < b[f] ? -1 : 1;
  return 0;
}

static int64_t find_row(const ts_table_group *g, const double *value)
{
  uint32_t at;
  TS_SEARCH(at, 0, g->count, compare_values(g->value + (size_t)at * g->width, value, g->width) < 0);
  return at < g->count && !compare_values(g->value + (size_t)at * g->width, value, g->width) ?
           (int64_t)at :
           -1;
}

/* Column of a row in the constraints: 1, then its distance from the query in each feature. False
 * when an exact feature differs. */
static bool interpolate_column_of(const interpolate_program *p, int64_t row, double *column,
                                  double *cost)
{
  const double *value = p->group->value + (size_t)row * p->group->width;
  for (uint32_t f = 0; f < p->group->width; f++)
    if (p->group->exact[f] && value[f] != p->full[f])
      return false;
  const double *log_value = p->group->log_value + (size_t)row * p->group->width;
  column[0] = 1;
  *cost = 0;
  for (uint32_t f = 0; f + 1 < p->size; f++) {
    column[f + 1] = log_value[p->feature[f]] - p->query[f];
    *cost += column[f + 1] * column[f + 1];
  }
  return true;
}

static double basis_cost(const interpolate_program *p, uint32_t i)
{
  double column[MAX_BASIS], cost = p->penalty;
  if (p->basis[i] >= 0)
    interpolate_column_of(p, p->basis[i], column, &cost);
  return cost;
}

/* The row to enter: the most promising, or after many pivots the first (Bland's rule, which cannot
 * cycle). -1: optimal. */
static int64_t entering(const interpolate_program *p, uint32_t pivots, double *column)
{
  double price[MAX_BASIS] = {0}, best = -1e-9, cost, candidate[MAX_BASIS];
  for (uint32_t i = 0; i < p->size; i++)
    for (uint32_t j = 0; j < p->size; j++)
      price[j] += basis_cost(p, i) * p->inverse[i][j];
  int64_t enter = -1;
  for (uint32_t row = 0; row < p->group->count; row++) {
    if (!interpolate_column_of(p, row, candidate, &cost))
      continue;
    for (uint32_t j = 0; j < p->size; j++) cost -= price[j] * candidate[j];
    if (cost < best) {
      best = cost, enter = row;
      memcpy(column, candidate, sizeof candidate);
      if (pivots > DANTZIG_PIVOTS)
        break;
    }
  }
  return enter;
}

static bool pivot(interpolate_program *p, int64_t enter, const double *column)
{
  double step[MAX_BASIS] = {0}, ratio = INFINITY;
  uint32_t leave = p->size;
  for (uint32_t i = 0; i < p->size; i++)
    for (uint32_t j = 0; j < p->size; j++) step[i] += p->inverse[i][j] * column[j];
  for (uint32_t i = 0; i < p->size; i++) {
    if (step[i] <= 1e-12)
      continue;
    double r = p->weight[i] / step[i];
    if (r < ratio - 1e-15 || (r <= ratio && leave < p->size && p->basis[i] < p->basis[leave]))
      ratio = r, leave = i;
  }
  if (leave == p->size)
    return false;
  for (uint32_t j = 0; j < p->size; j++) p->inverse[leave][j] /= step[leave];
  for (uint32_t i = 0; i < p->size; i++) {
    if (i == leave)
      continue;
    p->weight[i] = fmax(p->weight[i] - ratio * step[i], 0);
    for (uint32_t j = 0; j < p->size; j++) p->inverse[i][j] -= step[i] * p->inverse[leave][j];
  }
  p->weight[leave] = ratio;
  p->basis[leave] = enter;
  return true;
}

static bool interpolate(const ts_table_group *g, const double *value, double *seconds)
{
  interpolate_program p = {.group = g, .full = value, .size = 1};
  for (uint32_t f = 0; f < g->width; f++) {
    if (g->exact[f])
      continue;
    if (!(value[f] > 0))
      return false;
    p.feature[p.size - 1] = f;
    p.query[p.size++ - 1] = log(value[f]);
  }
  double column[MAX_BASIS], cost, widest = 0;
  for (uint32_t row = 0; row < g->count; row++)
    if (interpolate_column_of(&p, row, column, &cost))
      widest = fmax(widest, cost);
  p.penalty = 1e4 * (1 + widest);
  for (uint32_t i = 0; i < p.size; i++) {
    p.inverse[i][i] = 1;
    p.basis[i] = -1 - (int64_t)i;
  }
  p.weight[0] = 1;
  for (uint32_t pivots = 0;; pivots++) {
    int64_t enter = entering(&p, pivots, column);
    if (enter < 0)
      break;
    if (pivots == MAX_PIVOTS || !pivot(&p, enter, column))
      return false;
  }
  double log_seconds = 0, total = 0, off[MAX_BASIS] = {0};
  for (uint32_t i = 0; i < p.size; i++) {
    if (p.basis[i] < 0)
      continue;
    interpolate_column_of(&p, p.basis[i], column, &cost);
    total += p.weight[i];
    log_seconds += p.weight[i] * log(g->seconds[p.basis[i]]);
    for (uint32_t f = 1; f < p.size; f++) off[f] += p.weight[i] * column[f];
  }
  bool inside = fabs(total - 1) < 1e-6;
  for (uint32_t f = 1; f < p.size; f++) inside = inside && fabs(off[f]) < 1e-6;
  *seconds = exp(log_seconds);
  return inside;
}

static bool is_for(const ts_table_group *g, const ts_cost_query *query)
{
  return strcmp(g->family, query->family) == 0 &&
         (!g->dtype || (query->dtype && strcmp(g->dtype, query->dtype) == 0));
}

bool ts_table_ask(const ts_table *table, const ts_cost_query *query, ts_cost_answer *answer)
{
  double value[TS_TABLE_MAX_COLUMNS];
  for (int exactly = 1; exactly >= (table->exact ? 1 : 0); exactly--)
    for (uint32_t i = 0; i < table->group_count; i++) {
      const ts_table_group *g = &table->group[i];
      if (!is_for(g, query) || !ts_query_values(query, g->width, g->name, value))
        continue;
      int64_t row = exactly ? find_row(g, value) : -1;
      if (row >= 0) {
        *answer = (ts_cost_answer){
          .seconds = g->seconds[row], .basis = TS_COST_MEASURED, .row = g->line[row]};
        return true;
      }
      double seconds;
      if (!exactly && interpolate(g, value, &seconds)) {
        *answer = (ts_cost_answer){.seconds = seconds, .basis = TS_COST_INTERPOLATED};
        return true;
      }
    }
  return false;
}

/* Sum of squared differences in log2 of the features both have; one that is missing counts as far.
 * */
static double distance(const ts_table_group *g, uint32_t row, const ts_cost_query *query)
{
  double sum = query->dtype && g->dtype && strcmp(g->dtype, query->dtype) != 0 ? 100 : 0;
  for (uint32_t f = 0; f < g->width; f++) {
    double a = g->value[(size_t)row * g->width + f], b, d = 10;
    ts_cost_query one = *query;
    one.feature_count = 0;
    for (uint32_t i = 0; i < query->feature_count; i++)
      if (strcmp(query->feature[i].name, g->name[f]) == 0)
        one.feature = &query->feature[i], one.feature_count = 1;
    if (ts_query_values(&one, 1, &g->name[f], &b))
      d = a > 0 && b > 0 ? log2(a / b) : a == b ? 0 : 10;
    sum += d * d;
  }
  return sum;
}

uint32_t ts_table_nearest(const ts_cost_source *source, const ts_cost_query *query,
                          ts_table_near *near, uint32_t room)
{
  if (source->kind != TS_SOURCE_TABLE || !room)
    return 0;
  const ts_table *t = source->u.table;
  bool has_family = false;
  for (uint32_t i = 0; i < t->group_count; i++)
    has_family = has_family || strcmp(t->group[i].family, query->family) == 0;
  enum { MOST = 16 };
  double far[MOST];
  uint32_t count = 0;
  if (room > MOST)
    room = MOST;
  for (uint32_t i = 0; i < t->group_count; i++) {
    const ts_table_group *g = &t->group[i];
    if (has_family && strcmp(g->family, query->family) != 0)
      continue;
    for (uint32_t row = 0; row < g->count; row++) {
      double d = distance(g, row, query);
      if (count == room && d >= far[count - 1])
        continue;
      uint32_t at = count < room ? count++ : count - 1;
      for (; at > 0 && far[at - 1] > d; at--) far[at] = far[at - 1], near[at] = near[at - 1];
      far[at] = d;
      near[at] =
        (ts_table_near){g->family, g->dtype ? g->dtype : "",          g->line[row],   g->width,
                        g->name,   g->value + (size_t)row * g->width, g->seconds[row]};
    }
  }
  return count;
}
