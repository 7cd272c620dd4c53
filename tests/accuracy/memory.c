#include "tests/accuracy/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/compile.h"
#include "runtime/account/memory.h"

/* bytes of rank 0 at its peak; state: parameters, gradients, optimizer */
typedef struct held { double activations, state; } held;

typedef TS_VEC(double) errors;

static int ascending(const void *x, const void *y)
{
  double a = *(const double *)x, b = *(const double *)y;
  return a < b ? -1 : a > b;
}

static void print_errors(const char *title, errors *e)
{
  double sum = 0;
  if (!e->count)
    return;
  TS_SORT(e, ascending);
  for (size_t i = 0; i < e->count; i++)
    sum += e->at[i];
  printf("  %-58s %4zu   mean %5.1f %%  median %5.1f %%  worst %5.1f %%\n", title, e->count,
         100 * sum / (double)e->count, 100 * e->at[e->count / 2], 100 * e->at[e->count - 1]);
}

/* Plays the plan of the Megatron papers. False: it cannot be compiled. */
static bool predict(const acc_context *c, const csv *t, size_t row, const char *recompute,
                    bool sequence_parallel, held *out)
{
  ts_arena *arena = ts_arena_new("memory");
  ts_session *s = ts_session_new(arena);
  double pp = csv_number(t, row, "pp"), vp = csv_number(t, row, "vp");
  ts_define define[] = {
    {"layers", csv_cell(t, row, "layers")},
    {"hidden", csv_cell(t, row, "hidden")},
    {"heads", csv_cell(t, row, "heads")},
    {"tp", csv_cell(t, row, "tp")},
    {"pp", csv_cell(t, row, "pp")},
    {"chunks", csv_cell(t, row, "vp")},
    {"micro", csv_cell(t, row, "micro_batch")},
    {"seq", csv_cell(t, row, "seq")},
    {"global",
     ts_arena_printf(arena, "%.0f", csv_number(t, row, "micro_batch") * pp * (vp > 1 ? 2 : 1) * 2)},
    {"sequence_parallel", sequence_parallel ? "true" : "false"},
    {"recompute_all", strcmp(recompute, "full") ? "false" : "true"},
    {"recompute_attention", strncmp(recompute, "selective", 9) ? "false" : "true"}};
  const char *dirs[] = {c->data};
  ts_compile_options o = {.stdlib_dir = ts_arena_printf(arena, "%s/stdlib", c->source),
                          .import_dirs = dirs,
                          .import_dir_count = 1,
                          .defines = define,
                          .define_count = sizeof define / sizeof *define};
  ts_input input;
  ts_stop stop = {.arena = arena};
  bool opened = ts_input_open(
    s, ts_arena_printf(arena, "%s/tests/accuracy/plans/megatron_a100.ts", c->source), &o, &input);
  ts_run *run = opened ? ts_run_new(&input.ir, &(ts_run_options){0}, &stop) : NULL;
  if (run) {
    const ts_memory_class *m =
      &ts_memory_new(arena, &input.ir, run)->classes[ts_run_result(run)->class_of[0]];
    *out = (held){(double)m->category[TS_IR_ACTIVATIONS],
                  (double)(m->category[TS_IR_PARAMETERS] + m->category[TS_IR_GRADIENTS] +
                           m->category[TS_IR_OPTIMIZER])};
    ts_run_free(run);
  } else if (c->verbose) {
    ts_diags_print(s->diags, stdout, TS_COLOR_NEVER);
  }
  if (opened)
    ts_input_close(&input);
  ts_arena_free(arena);
  return run != NULL;
}

static void published(const acc_context *c)
{
  csv *t = csv_read(c->arena, ts_arena_printf(c->arena, "%s/e2e/published_memory.csv", c->data));
  errors state = {0}, activations = {0}, shares = {0};
  size_t left = 0;
  if (!t)
    return;
  for (size_t i = 0; i < t->rows; i++) {
    const char *quantity = csv_cell(t, i, "quantity");
    held with, without;
    double value = csv_number(t, i, "value"), found;
    bool share = csv_is(t, i, "unit", "%");
    if (!predict(c, t, i, csv_cell(t, i, "recompute"), csv_is(t, i, "seq_parallel", "1"), &with) ||
        (share && !predict(c, t, i, "none", false, &without))) {
      left++;
      continue;
    }
    found = share ?
              100 * with.activations / without.activations :
              (strcmp(quantity, "activations") ? with.state : with.activations) / 1073741824.0;
    if (c->verbose)
      printf("    %-6s %-22s sp %s  %-40s %8.2f %-4s predicted %8.2f\n", csv_cell(t, i, "model"),
             csv_cell(t, i, "recompute"), csv_cell(t, i, "seq_parallel"), quantity, value,
             csv_cell(t, i, "unit"), found);
    TS_PUSH(c->arena,
            share                           ? &shares :
            strcmp(quantity, "activations") ? &state :
                                              &activations,
            fabs(found / value - 1));
  }
  print_errors("Korthikanti et al.: parameters, gradients, optimizer", &state);
  print_errors("Korthikanti et al.: activations", &activations);
  print_errors("Korthikanti et al.: activations against no savings", &shares);
  if (left)
    printf("  %zu rows left out: no such plan\n", left);
}

static void print_row(const acc_row *r)
{
  printf("    measured %7.2f GiB, held by tensors %7.2f, reserved %7.2f:", r->memory / 0x1p30,
         r->predicted_memory / 0x1p30, r->reserved_memory / 0x1p30);
  for (uint32_t d = 0; d < r->define_count; d++)
    printf(" %s=%s", r->define[d].name, r->define[d].expression);
  printf("\n");
}

/* Sets whose rows have measured memory: against what tensors hold, and what the caching allocator
 * reserves for them. */
static void measured(const acc_context *c)
{
  for (size_t k = 0; k < acc_set_count; k++) {
    acc_rows rows;
    errors tensors = {0}, reserved = {0};
    if (strncmp(acc_sets[k].csv, "e2e/nanotron", 12) != 0 || !acc_read(c, &acc_sets[k], &rows))
      continue;
    for (size_t i = 0; i < rows.count; i++) {
      acc_row *r = &rows.at[i];
      if (!isfinite(r->memory))
        continue;
      acc_predict(c, &acc_sets[k], r, NULL, 0);
      if (!r->done)
        continue;
      if (c->verbose)
        print_row(r);
      TS_PUSH(c->arena, &tensors, fabs(r->predicted_memory / r->memory - 1));
      TS_PUSH(c->arena, &reserved, fabs(r->reserved_memory / r->memory - 1));
    }
    print_errors(ts_arena_printf(c->arena, "%s: held by tensors", acc_sets[k].name), &tensors);
    print_errors(ts_arena_printf(c->arena, "%s: reserved", acc_sets[k].name), &reserved);
  }
}

/* What a recording of a small model's step holds by category, as shares of its peak: the plan of
 * that run is not stated, so only its shape is reported. */
static void profiled(const acc_context *c)
{
  csv *t = csv_read(c->arena, ts_arena_printf(c->arena, "%s/e2e/nanotron_memprofile.csv", c->data));
  static const char *const columns[] = {"parameter_gb", "gradient_gb", "optimizer_state_gb",
                                        "activation_gb"};
  size_t peak = 0;
  if (!t || !t->rows)
    return;
  for (size_t i = 1; i < t->rows; i++)
    if (csv_number(t, i, "total_gb") > csv_number(t, peak, "total_gb"))
      peak = i;
  printf("  nanotron_memprofile: peak %.1f GB of", csv_number(t, peak, "total_gb"));
  for (int k = 0; k < 4; k++)
    printf(" %s %.0f %%", columns[k],
           100 * csv_number(t, peak, columns[k]) / csv_number(t, peak, "total_gb"));
  double parameters = csv_number(t, peak, "parameter_gb");
  printf("\n    gradients are %.2f, optimizer states %.2f times the parameters (batch and sequence "
         "are not stated: no plan to compare with)\n",
         csv_number(t, peak, "gradient_gb") / parameters,
         csv_number(t, peak, "optimizer_state_gb") / parameters);
}

void acc_memory_report(const acc_context *c)
{
  printf("memory: errors of what devices hold at most\n");
  published(c);
  fflush(stdout);
  measured(c);
  profiled(c);
}
