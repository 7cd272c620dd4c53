#include "tests/accuracy/power.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/account/energy.h"

/* Submissions measured watts of whole nodes; the steps of many are no rows of mlperf_llm.csv. So a
 * run stands beside the row of its benchmark with the nearest number of the same GPUs, within a
 * factor of 2.5: how busy devices are depends on it. */
static const double farthest = 2.5;

typedef struct group { /* runs of one system and benchmark */
  const char *submitter, *benchmark, *reading;
  double gpus, nodes;
  TS_VEC(double) watts; /* medians during the runs, of a node */
} group;
typedef TS_VEC(group) groups;

static int ascending(const void *x, const void *y)
{
  double a = *(const double *)x, b = *(const double *)y;
  return a < b ? -1 : a > b;
}

static void add_run(ts_arena *arena, groups *all, const csv *t, size_t i)
{
  double watts = csv_number(t, i, "node_w_median"), gpus = csv_number(t, i, "gpus");
  if (!(watts > 0))
    return;
  size_t k = 0;
  while (k < all->count && (!csv_is(t, i, "submitter", all->at[k].submitter) ||
                            !csv_is(t, i, "benchmark", all->at[k].benchmark) ||
                            all->at[k].gpus != gpus))
    k++;
  if (k == all->count)
    TS_PUSH(arena, all,
            ((group){.submitter = csv_cell(t, i, "submitter"),
                     .benchmark = csv_cell(t, i, "benchmark"),
                     .reading = csv_cell(t, i, "reading"),
                     .gpus = gpus,
                     .nodes = csv_number(t, i, "nodes")}));
  TS_PUSH(arena, &all->at[k].watts, watts);
}

static double median(group *g)
{
  qsort(g->watts.at, g->watts.count, sizeof *g->watts.at, ascending);
  return g->watts.at[g->watts.count / 2];
}

static const acc_row *row_for(const group *g, const csv *runs, const acc_rows *rows)
{
  const acc_row *best = NULL;
  double nearest = log(farthest);
  for (size_t i = 0; i < rows->count; i++) {
    const acc_row *r = &rows->at[i];
    double apart = fabs(log(r->size / g->gpus));
    if (r->missing || !csv_is(runs, r->csv_row, "benchmark", g->benchmark) ||
        !strstr(csv_cell(runs, r->csv_row, "gpu"), "H100") || !(apart < nearest))
      continue;
    nearest = apart;
    best = r;
  }
  return best;
}

/* W of a device with what serves it, and the share of the step that it computes. */
static bool predict(const acc_context *c, const acc_set *set, const acc_row *row, double *watts,
                    double *busy)
{
  ts_arena *arena = ts_arena_new("power");
  ts_session *s = ts_session_new(arena);
  ts_input input;
  ts_stop stop = {.arena = arena};
  bool opened = acc_open(c, set, row, NULL, 0, s, &input);
  ts_run *run = opened ? ts_run_new(&input.ir, &(ts_run_options){0}, &stop) : NULL;
  *watts = *busy = 0;
  if (run) {
    const ts_result *result = ts_run_result(run);
    *watts = ts_energy_of(&input.ir, result).watts;
    for (uint32_t k = 0; k < result->class_count; k++)
      for (uint32_t p = 0; p < TS_IR_PHASES; p++)
        *busy += (double)result->classes[k].phase[p] * result->classes[k].count /
                 ((double)result->step * input.ir.meta->world);
    ts_run_free(run);
  }
  if (opened)
    ts_input_close(&input);
  ts_arena_free(arena);
  return *watts > 0;
}

static const acc_set *mlperf(void)
{
  for (size_t i = 0; i < acc_set_count; i++)
    if (!strcmp(acc_sets[i].name, "mlperf"))
      return &acc_sets[i];
  return NULL;
}

void acc_power_report(const acc_context *c)
{
  static const char title[] = "power of nodes at the wall, against the model of energy";
  const acc_set *set = mlperf();
  csv *power = csv_read(c->arena, ts_arena_printf(c->arena, "%s/runs/mlperf_power.csv", c->data)),
      *runs = csv_read(c->arena, ts_arena_printf(c->arena, "%s/%s", c->data, set->csv));
  acc_rows rows;
  if (!power || !runs || !acc_read(c, set, &rows)) {
    printf("power: no runs/mlperf_power.csv or %s in %s\n\n", set->csv, c->data);
    return;
  }
  groups all = {0};
  for (size_t i = 0; i < power->rows; i++)
    add_run(c->arena, &all, power, i);
  acc_result *result = acc_result_new(c->arena, c->results, "power", title);
  acc_part *part = acc_part_new(c->arena, result, "watts of a node", ACC_PLAIN);
  acc_points points = {0};
  size_t left = 0;
  result->sources = "MLCommons, training results v4.0 and v4.1: power logs of the submitters";
  printf("power: %s\n", title);
  for (size_t i = 0; i < all.count; i++) {
    group *g = &all.at[i];
    const acc_row *row = row_for(g, runs, &rows);
    double watts, busy, measured = median(g);
    if (!row || !predict(c, set, row, &watts, &busy)) {
      left++;
      continue;
    }
    watts *= g->gpus / g->nodes;
    TS_PUSH(c->arena, &points, ((acc_point){.predicted = watts, .measured = measured}));
    printf("  %-16s %s, %4.0f GPUs (as %.0f): %.0f W measured at %s, computing %.1f %%, "
           "predicted %.0f W, %+.1f %%\n",
           g->submitter, g->benchmark, g->gpus, row->size, measured, g->reading, 100 * busy, watts,
           100 * (watts / measured - 1));
  }
  acc_line_add(c->arena, part, "all", &points);
  if (left)
    acc_note_add(c->arena, result, "not predicted",
                 ts_arena_printf(c->arena, "%zu systems and benchmarks that no row has", left));
  acc_note_add(c->arena, result, "fitted",
               "two constants of std.power, on these rows: what a board draws while it does not "
               "compute, and what of a node is not its boards");
  acc_result_print(c->arena, result);
  printf("\n");
}
