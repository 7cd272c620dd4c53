/* Rows of traced tables as a table of costs. */
#include "compiler/measured_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/heap.h"
#include "compiler/model/graph.h"
#include "compiler/model/traced.h"
#include "compiler/plan/plan.h"

enum { MOST_COLUMNS = 32 };

typedef struct measured_rows_sample {
  const char *key;
  double seconds;
} measured_rows_sample;

/* Directions with a time of several kernels: shared out, and left out as no gpu is named. */
typedef struct measured_rows_listing {
  ts_session *s;
  const char *columns[MOST_COLUMNS];
  uint32_t column_count, shared, left;
  TS_VEC(measured_rows_sample) samples;
} measured_rows_listing;

static double quantity(const ts_value *gpu, const char *name)
{
  const ts_value *v = gpu ? ts_record_find(gpu->u.record, name) : NULL;
  return v && v->type == TS_T_QUANTITY ? v->u.real : 0;
}

/* What the kernel takes by the roofline of the gpu that ran the table; 0: not known. */
static double roofline(const ts_measured *m, const ts_kernel *k)
{
  const ts_value *peaks = m->gpu ? ts_record_find(m->gpu->u.record, "peak") : NULL,
                 *peak = peaks && peaks->type == TS_T_RECORD ?
                           ts_dtype_peak(peaks->u.record, k->dtype->name) :
                           NULL;
  double rate = quantity(m->gpu, "bandwidth") / 8, moves = rate > 0 ? k->bytes / rate : 0,
         flops = peak && peak->type == TS_T_QUANTITY ? peak->u.real : 0,
         computes = flops > 0 ? k->flops / flops : 0;
  return k->flops > 0 && !(flops > 0) ? 0 : moves > computes ? moves : computes;
}

/* What is done with a kernel and its time. */
typedef void take_fn(measured_rows_listing *l, const ts_kernel *k, ts_direction direction,
                     double seconds);

/* A time of several kernels is shared out by rooflines, as plans share it out by their costs. */
static void measured_rows_share(measured_rows_listing *l, const ts_measured *m,
                                ts_direction direction, take_fn *take)
{
  const ts_kernel *of[64];
  double part[64], all = 0;
  uint32_t count = 0;
  bool known = true;
  for (int p = 0; p < TS_PHASES; p++)
    for (uint32_t i = 0; ts_direction_of((ts_phase)p) == direction && i < m->work.phase[p].count;
         i++) {
      const ts_kernel *k = &m->work.phase[p].at[i];
      if (k->host_only || count == 64)
        continue;
      of[count] = k;
      part[count] = roofline(m, k);
      known &= part[count] > 0;
      all += part[count++];
    }
  if (m->seconds[direction] <= 0 || !count)
    return;
  if (count > 1 && !known) {
    l->left++;
    return;
  }
  l->shared += count > 1;
  for (uint32_t i = 0; i < count; i++)
    take(l, of[i], direction,
         count > 1 ? m->seconds[direction] * part[i] / all : m->seconds[direction]);
}

static void add_columns(measured_rows_listing *l, const ts_kernel *k, ts_direction direction,
                        double seconds)
{
  (void)direction, (void)seconds;
  for (uint32_t i = 0; i < k->feature_count; i++) {
    uint32_t c = 0;
    while (c < l->column_count && strcmp(l->columns[c], k->features[i].name) != 0)
      c++;
    if (c == l->column_count && c < MOST_COLUMNS)
      l->columns[l->column_count++] = k->features[i].name;
  }
}

/* "family,dtype,", the features by column, and the bytes of what has none: that is of the family of
 * its op, as ops that move as many bytes take times of their own. */
static const char *measured_rows_key_of(measured_rows_listing *l, const ts_kernel *k,
                                        ts_direction direction)
{
  char of_op[TS_COST_OP];
  const char *family = k->feature_count || !k->op ?
                         k->family :
                         ts_cost_op_family(of_op, k->op, direction == TS_TRACED_BACKWARD);
  const char *key = ts_arena_printf(l->s->arena, "%s,%s", family, k->dtype->name);
  for (uint32_t c = 0; c < l->column_count; c++) {
    const char *cell = "";
    for (uint32_t i = 0; i < k->feature_count; i++)
      if (!strcmp(k->features[i].name, l->columns[c]))
        cell = ts_arena_printf(l->s->arena, "%.17g", k->features[i].value);
    key = ts_arena_printf(l->s->arena, "%s,%s", key, cell);
  }
  return k->feature_count ? ts_arena_printf(l->s->arena, "%s,", key) :
                            ts_arena_printf(l->s->arena, "%s,%.17g", key, k->bytes);
}

static int measured_rows_by_key(const void *a, const void *b)
{
  const measured_rows_sample *x = a, *y = b;
  int order = strcmp(x->key, y->key);
  return order ? order : (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

static void add_sample(measured_rows_listing *l, const ts_kernel *k, ts_direction direction,
                       double seconds)
{
  TS_PUSH(l->s->arena, &l->samples,
          ((measured_rows_sample){measured_rows_key_of(l, k, direction), seconds}));
}

static void each(measured_rows_listing *l, const ts_graph *g, take_fn *take)
{
  l->left = l->shared = 0;
  for (size_t i = 0; i < g->samples.count; i++)
    for (int d = 0; d < TS_TRACED_DIRECTIONS; d++)
      measured_rows_share(l, g->samples.at[i], (ts_direction)d, take);
}

static void measured_rows_put(measured_rows_listing *l, const char *device, FILE *out)
{
  if (device)
    ts_put_text(out, "# device: %s\n", device);
  fprintf(out,
          "# times of %zu kernels; of %u times of several kernels each, shared out by rooflines\n",
          l->samples.count, l->shared);
  if (l->left)
    fprintf(out, "# %u times of several kernels are left out: the table names no gpu (`from`)\n",
            l->left);
  fputs("family,dtype", out);
  for (uint32_t c = 0; c < l->column_count; c++)
    ts_put_text(out, ",%s", l->columns[c]);
  fputs(",bytes,time_us\n", out);
  TS_SORT(&l->samples, measured_rows_by_key);
  for (size_t i = 0, end; i < l->samples.count; i = end) {
    const char *key = l->samples.at[i].key;
    for (end = i + 1; end < l->samples.count && !strcmp(l->samples.at[end].key, key);)
      end++;
    size_t middle = i + (end - i) / 2;
    double seconds = l->samples.at[middle].seconds;
    if ((end - i) % 2 == 0)
      seconds = (seconds + l->samples.at[middle - 1].seconds) / 2;
    ts_put_text(out, "%s,%.6g\n", l->samples.at[i].key, seconds * 1e6);
  }
}

const char *ts_list_measured(ts_session *s, const char *path, const ts_compile_options *o)
{
  ts_compile_settings(s, o);
  ts_plan *plan = ts_plan_load(s, path, o->plan_name);
  ts_graph *graph = plan && !ts_diags_errors(s->diags) ? ts_graph_build(s, plan) : NULL;
  if (!graph || ts_diags_errors(s->diags))
    return NULL;
  measured_rows_listing l = {.s = s};
  each(&l, graph, add_columns);
  each(&l, graph, add_sample);
  if (!l.samples.count) {
    ts_diag *d = ts_diag_add(s->diags, TS_E0523, plan->span_of[TS_PLAN_model],
                             "the model has no measured times of kernels");
    ts_diag_here(d, "%s", graph->traced ? "its rows are of several kernels, and name no gpu (`from`)" :
                                     "no table of operators");
    ts_diag_help(d, "take a model from a table of operators: `trace(\"table.csv\", OPS)`");
    return NULL;
  }
  char *text = NULL;
  size_t size = 0;
  FILE *out = ts_heap_print(&text, &size);
  measured_rows_put(&l, graph->samples.at[0]->device, out);
  ts_heap_printed(out);
  const char *copy = ts_arena_string(s->arena, text, size);
  free(text);
  return copy;
}
