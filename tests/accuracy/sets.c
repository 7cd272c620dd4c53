/* The sets: which rows of which file, and what they say about a plan. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/accuracy/accuracy.h"

static const double GIB = 1073741824.0;

static const char *text(ts_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
static const char *text(ts_arena *arena, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  const char *t = ts_arena_vprintf(arena, format, args);
  va_end(args);
  return t;
}

#define N(column) csv_number(t, i, column)
#define T(column) csv_cell(t, i, column)

/* -- nanotron on H100 -- */

static bool nanotron(ts_arena *arena, const csv *t, size_t i, acc_row *row)
{
  bool measured = csv_is(t, i, "status", "ok") && N("step_s") < 100 && csv_is(t, i, "gbs_matches_1m", "1");
  row->measured = N("step_s");
  row->memory = N("mem_gb") * GIB;
  row->group = text(arena, "%s", T("model_b"));
  row->name = text(arena, "%sB tp %s dp %s pp %s micro-batch %s x %s zero %s", T("model_b"), T("tp"), T("dp"), T("pp"), T("micro_batch"), T("grad_acc"), T("zero"));
  acc_define(arena, row, "kv_heads", *T("kv_heads_implied") ? T("kv_heads_implied") : T("heads"));
  return measured;
}

/* Whole models are fitted or validated on: the rows of one resemble one another. */
static bool nanotron_single(ts_arena *arena, const csv *t, size_t i, acc_row *row)
{
  bool one = nanotron(arena, t, i, row) && N("nodes") == 1;
  row->validation = !csv_is(t, i, "model_b", "1.34") && !csv_is(t, i, "model_b", "8.86");
  return one;
}

static bool nanotron_multi(ts_arena *arena, const csv *t, size_t i, acc_row *row) { return nanotron(arena, t, i, row) && N("nodes") > 1; }

/* -- Megatron-LM on A100 -- */

static bool from_source(const csv *t, size_t i, const char *who) { return strstr(T("source"), who) != NULL; }

static void megatron_row(ts_arena *arena, const csv *t, size_t i, acc_row *row)
{
  row->measured = N("step_s_derived");
  row->memory = NAN;
  row->group = text(arena, "%s", T("model"));
  row->name = text(arena, "%s tp %s pp %s x %s dp %s batch %s, %s%s", T("model"), T("tp"), T("pp"), *T("vp") ? T("vp") : "1", T("dp"), T("global_batch"), T("recompute"),
                   csv_is(t, i, "seq_parallel", "1") ? ", sequence parallel" : "");
  acc_define(arena, row, "chunks", *T("vp") ? T("vp") : "1");
  acc_define(arena, row, "sequence_parallel", csv_is(t, i, "seq_parallel", "1") ? "true" : "false");
  acc_define(arena, row, "recompute_all", strstr(T("recompute"), "full") ? "true" : "false");
  acc_define(arena, row, "recompute_attention", strstr(T("recompute"), "selective") ? "true" : "false");
  acc_define(arena, row, "vocab", *T("vocab") ? T("vocab") : "51200");
  acc_define(arena, row, "layers", T("layers"));
}

static bool korthikanti(ts_arena *arena, const csv *t, size_t i, acc_row *row)
{
  megatron_row(arena, t, i, row);
  return from_source(t, i, "Korthikanti");
}

static bool narayanan(ts_arena *arena, const csv *t, size_t i, acc_row *row)
{
  megatron_row(arena, t, i, row);
  row->validation = false; /* the power factor comes from here */
  return from_source(t, i, "Narayanan");
}

/* -- vTrain -- */

static bool vtrain(ts_arena *arena, const csv *t, size_t i, acc_row *row)
{
  row->measured = N("step_ms") / 1e3;
  row->group = text(arena, "h %s L %s", T("hidden"), T("layers"));
  row->name = text(arena, "h %s L %s tp %s dp %s pp %s micro-batch %s of %s", T("hidden"), T("layers"), T("tp"), T("dp"), T("pp"), T("micro_batch"), T("global_batch"));
  return true;
}

/* Rows of one (hidden, micro-batch, tp, dp, pp) depend on one another: the fit takes whole groups, those of two of the four hidden sizes. */
static bool vtrain_single(ts_arena *arena, const csv *t, size_t i, acc_row *row)
{
  vtrain(arena, t, i, row);
  row->group = text(arena, "h %s", T("hidden"));
  return true;
}

/* -- one GPU's operator trace -- */

const acc_set acc_sets[] = {
    {"nanotron", "Llama in nanotron, one node of 8 H100", "e2e/nanotron_h100.csv", "nanotron.ts",
     "layers=layers,hidden=hidden,heads=heads,ffn=ffn,vocab=vocab,seq=seq,micro=micro_batch,accumulation=grad_acc,tp=tp,dp=dp,pp=pp,zero=zero,tied=tied", "", nanotron_single,
     "launch, collective and message times the power factors and bandwidth, on 1.34B and 8.86B", "rows not fitted: mean 12 %, memory 8 %, rank correlation 0.95 within each size"},
    {"nanotron_multi", "the same on 2 to 64 nodes (noisy)", "e2e/nanotron_h100.csv", "nanotron.ts",
     "layers=layers,hidden=hidden,heads=heads,ffn=ffn,vocab=vocab,seq=seq,micro=micro_batch,accumulation=grad_acc,tp=tp,dp=dp,pp=pp,zero=zero,tied=tied", "", nanotron_multi, NULL, NULL},
    {"korthikanti", "GPT in Megatron-LM on A100, Korthikanti et al. 2022 table 5", "e2e/published_dense.csv", "megatron_a100.ts",
     "hidden=hidden,heads=heads,seq=seq,micro=micro_batch,global=global_batch,tp=tp,dp=dp,pp=pp", "", korthikanti, "the power factor of matrix products, on the rows of Narayanan et al.", "mean 5 % (Calculon on its 8 rows: 3.65 %)"},
    {"narayanan", "GPT in Megatron-LM on A100, Narayanan et al. 2021 table 1", "e2e/published_dense.csv", "megatron_a100.ts",
     "hidden=hidden,heads=heads,seq=seq,micro=micro_batch,global=global_batch,tp=tp,dp=dp,pp=pp", "", narayanan, "the power factor of matrix products", NULL},
    {"vtrain_multi", "GPT in Megatron-DeepSpeed on 512 A100", "vtrain/ground_truth_multi.csv", "vtrain.ts",
     "hidden=hidden,heads=heads,layers=layers,seq=seq,micro=micro_batch,global=global_batch,tp=tp,dp=dp,pp=pp", "", vtrain, "nothing: constants of the Megatron plan", "mean 15 % (its own paper: 14.73 %)"},
    {"vtrain_single", "the same on one node (rows depend on one another)", "vtrain/ground_truth_single.csv", "vtrain.ts",
     "hidden=hidden,heads=heads,layers=layers,seq=seq,micro=micro_batch,global=global_batch,tp=tp,dp=dp,pp=pp", "", vtrain_single, NULL, NULL},
};
const size_t acc_set_count = sizeof acc_sets / sizeof *acc_sets;
