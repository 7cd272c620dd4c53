#include "tests/accuracy/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/compile.h"
#include "runtime/account/memory.h"

/* bytes of rank 0 at its peak; state: parameters, gradients, optimizer */
typedef struct held {
  double activations, state;
} held;

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
  const char *dirs[] = {c->data}, *anywhere[] = {"/"};
  ts_compile_options o = {.stdlib_dir = ts_arena_printf(arena, "%s/stdlib", c->source),
                          .import_dirs = dirs,
                          .import_dir_count = 1,
                          .read_dirs = anywhere,
                          .read_dir_count = 1,
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

static void published(const acc_context *c, acc_result *result)
{
  csv *t = csv_read(c->arena, ts_arena_printf(c->arena, "%s/e2e/published_memory.csv", c->data));
  acc_points state = {0}, activations = {0}, shares = {0};
  size_t left = 0;
  if (!t) {
    acc_note_add(c->arena, result, "skipped", "there is no e2e/published_memory.csv");
    return;
  }
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
            (acc_point){.name = ts_arena_printf(c->arena, "%s, %s, %s", csv_cell(t, i, "model"),
                                                csv_cell(t, i, "recompute"), quantity),
                        .predicted = found * (share ? 1 : 0x1p30),
                        .measured = value * (share ? 1 : 0x1p30)});
  }
  acc_part *bytes = acc_part_new(c->arena, result, "Korthikanti et al.", ACC_BYTES),
           *against = acc_part_new(c->arena, result, "Korthikanti et al., shares", ACC_PLAIN);
  acc_line_add(c->arena, bytes, "parameters, gradients, optimizer", &state);
  acc_line_add(c->arena, bytes, "activations", &activations);
  acc_line_add(c->arena, against, "activations against no savings", &shares);
  bytes->drawn = true;
  if (left)
    acc_note_add(c->arena, result, "left out",
                 ts_arena_printf(c->arena, "%zu rows: no such plan", left));
}

/* What a recording of a small model's step holds by category, as shares of its peak: the plan of
 * that run is not stated, so only its shape is reported. */
static void profiled(const acc_context *c, acc_result *result)
{
  csv *t = csv_read(c->arena, ts_arena_printf(c->arena, "%s/e2e/nanotron_memprofile.csv", c->data));
  static const char *const columns[] = {"parameter_gb", "gradient_gb", "optimizer_state_gb",
                                        "activation_gb"};
  size_t peak = 0;
  if (!t || !t->rows) {
    acc_note_add(c->arena, result, "skipped", "there is no e2e/nanotron_memprofile.csv");
    return;
  }
  for (size_t i = 1; i < t->rows; i++)
    if (csv_number(t, i, "total_gb") > csv_number(t, peak, "total_gb"))
      peak = i;
  double total = csv_number(t, peak, "total_gb"), parameters = csv_number(t, peak, "parameter_gb");
  char *shares = "";
  for (int k = 0; k < 4; k++)
    shares = ts_arena_printf(c->arena, "%s, %s %.0f %%", shares, columns[k],
                             100 * csv_number(t, peak, columns[k]) / total);
  acc_note_add(
    c->arena, result, "nanotron_memprofile",
    ts_arena_printf(c->arena,
                    "peak %.1f GB%s; gradients are %.2f, optimizer states %.2f times the "
                    "parameters (batch and sequence are not stated: no plan to compare "
                    "with)",
                    total, shares, csv_number(t, peak, "gradient_gb") / parameters,
                    csv_number(t, peak, "optimizer_state_gb") / parameters));
}

void acc_memory_report(const acc_context *c)
{
  static const char title[] = "what devices hold at most, against published figures";
  acc_result *result = acc_result_new(c->arena, c->results, "memory", title);
  printf("memory: %s\n", title);
  result->sources = "Korthikanti et al. (arXiv 2205.05198), tables and figures of memory; "
                    "the Ultra-Scale Playbook (Hugging Face, 2025)";
  published(c, result);
  profiled(c, result);
  acc_note_add(c->arena, result, "see also",
               "nanotron, zero_bubble: their rows have measured memory");
  acc_result_print(c->arena, result);
  printf("\n");
}
