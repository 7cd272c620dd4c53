/* The sets: which rows of which file, and what they say about a plan. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/accuracy.h"
#include "tests/accuracy/published.h"

static const double GIB = 1073741824.0;

#define N(column) csv_number(t, i, column)
#define T(column) csv_cell(t, i, column)

/* -- nanotron on H100 -- */

static bool nanotron(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  bool measured =
    csv_is(t, i, "status", "ok") && N("step_s") < 100 && csv_is(t, i, "gbs_matches_1m", "1");
  row->measured = N("step_s");
  row->memory = N("mem_gb") * GIB;
  row->group = ts_arena_printf(c->arena, "%s", T("model_b"));
  row->name =
    ts_arena_printf(c->arena, "%sB tp %s dp %s pp %s micro-batch %s x %s zero %s", T("model_b"),
                    T("tp"), T("dp"), T("pp"), T("micro_batch"), T("grad_acc"), T("zero"));
  acc_define(c->arena, row, "kv_heads",
             *T("kv_heads_implied") ? T("kv_heads_implied") : T("heads"));
  return measured;
}

/* Whole models are fitted or validated on: the rows of one resemble one another. */
static bool nanotron_single(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  bool one = nanotron(c, t, i, row) && N("nodes") == 1;
  row->validation = !csv_is(t, i, "model_b", "1.34") && !csv_is(t, i, "model_b", "8.86");
  return one;
}

/* Runs with pipelines between nodes come in two modes. In one of them each slot of the pipeline
 * takes about 0.5 s (two stages) or 1 s (more) besides its arithmetic, whatever the model:
 * something waits there that no plan describes. A row is of that mode if its slots take 0.45 s more
 * than their arithmetic at 400 TFLOP/s, which is what the best runs reach; no row with eight stages
 * and more lies between 0.3 and 0.7 s. Tensor parallelism over several nodes takes as long by
 * itself, so such rows are not judged. */
static bool stalled(const csv *t, size_t i)
{
  static const double sequence = 4096, rate = 400e12, stall = 0.45;
  double work = 6e9 * N("model_b") * sequence * N("micro_batch") / (N("tp") * N("pp")) / rate;
  return N("pp") > 1 && N("tp") <= 8 && N("step_s") / (N("grad_acc") + N("pp") - 1) > work + stall;
}

static bool nanotron_multi(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  return nanotron(c, t, i, row) && N("nodes") > 1 && !stalled(t, i);
}

static bool nanotron_stalled(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  return nanotron(c, t, i, row) && N("nodes") > 1 && stalled(t, i);
}

/* -- Megatron-LM on A100 -- */

static bool from_source(const csv *t, size_t i, const char *who)
{
  return strstr(T("source"), who) != NULL;
}

static void megatron_row(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  row->measured = N("step_s_derived");
  row->memory = NAN;
  row->group = ts_arena_printf(c->arena, "%s", T("model"));
  row->name =
    ts_arena_printf(c->arena, "%s tp %s pp %s x %s dp %s batch %s, %s%s", T("model"), T("tp"),
                    T("pp"), *T("vp") ? T("vp") : "1", T("dp"), T("global_batch"), T("recompute"),
                    csv_is(t, i, "seq_parallel", "1") ? ", sequence parallel" : "");
  acc_define(c->arena, row, "chunks", *T("vp") ? T("vp") : "1");
  acc_define(c->arena, row, "sequence_parallel",
             csv_is(t, i, "seq_parallel", "1") ? "true" : "false");
  acc_define(c->arena, row, "recompute_all", strstr(T("recompute"), "full") ? "true" : "false");
  acc_define(c->arena, row, "recompute_attention",
             strstr(T("recompute"), "selective") ? "true" : "false");
  acc_define(c->arena, row, "vocab", *T("vocab") ? T("vocab") : "51200");
  acc_define(c->arena, row, "layers", T("layers"));
}

static bool korthikanti(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  megatron_row(c, t, i, row);
  return from_source(t, i, "Korthikanti");
}

static bool narayanan(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  megatron_row(c, t, i, row);
  row->validation = false; /* the power factor comes from here */
  return from_source(t, i, "Narayanan");
}

/* -- vTrain -- */

static bool vtrain(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  row->measured = N("step_ms") / 1e3;
  row->group = ts_arena_printf(c->arena, "h %s L %s", T("hidden"), T("layers"));
  row->name =
    ts_arena_printf(c->arena, "h %s L %s tp %s dp %s pp %s micro-batch %s of %s", T("hidden"),
                    T("layers"), T("tp"), T("dp"), T("pp"), T("micro_batch"), T("global_batch"));
  return true;
}

/* Rows of one (hidden, micro-batch, tp, dp, pp) depend on one another: the fit takes whole groups,
 * those of one of the two hidden sizes. */
static bool vtrain_single(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  vtrain(c, t, i, row);
  row->group = ts_arena_printf(c->arena, "h %s", T("hidden"));
  row->validation = !csv_is(t, i, "hidden", "1024");
  return true;
}

/* -- mixtures of experts -- */

/* DeepEP and HybridEP send a token once to each rank that wants it. */
static bool moe_layer(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  bool twice = csv_is(t, i, "dispatcher", "a2a");
  row->measured = (N("forward_ms") + N("backward_ms")) / 1e3;
  row->memory = NAN;
  row->group = ts_arena_printf(c->arena, "%s", T("precision"));
  row->name = ts_arena_printf(c->arena, "%s", T("case"));
  acc_define(c->arena, row, "shared", *T("shared_expert_ffn") ? T("shared_expert_ffn") : "0");
  acc_define(c->arena, row, "fp8", csv_is(t, i, "precision", "fp8") ? "true" : "false");
  acc_define(c->arena, row, "once", twice ? "false" : "true");
  return true;
}

/* -- one GPU's operator trace -- */

/* as the measurements call it, whose table stands for it, in the stdlib */
typedef struct device {
  const char *name, *table, *kind;
} device;

static const device devices[] = {
  {"NVIDIA_H100_80GB_HBM3", "NVIDIA_H100_80GB_HBM3", "h100_sxm"},
  {"NVIDIA_A100_80GB_PCIe", "NVIDIA_A100_80GB_PCIe", "a100_pcie_80g"},
  {"NVIDIA_A100-SXM4-40GB", "NVIDIA_A100_80GB_PCIe", "a100_sxm_40g"}, /* no table of its own */
  {"Tesla_V100-PCIE-32GB", "Tesla_V100-PCIE-32GB", "v100_pcie_32g"},
  {"NVIDIA_L4", "NVIDIA_L4", "l4"},
};

static const char *layers_of(const csv *t, const char *model)
{
  for (size_t i = 0; i < t->rows; i++)
    if (csv_is(t, i, "model", model) && N("layers") > 0)
      return T("layers");
  return "";
}

/* `parallel`: empty, or a kind and a degree: dp4, tp4, pp4_1 (stages, micro-batches). */
static void parallel(const acc_context *c, const char *text, double batch, acc_row *row)
{
  char kind[3] = {0};
  int degree = 1, micro_batches = 1;
  if (sscanf(text, "%2[a-z]%d_%d", kind, &degree, &micro_batches) < 2)
    return;
  acc_define(c->arena, row, kind, ts_arena_printf(c->arena, "%d", degree));
  if (!strcmp(kind, "pp"))
    acc_define(c->arena, row, "micro", ts_arena_printf(c->arena, "%d", (int)batch / micro_batches));
}

/* The table of this batch; where it is missing, of the nearest one that is there: times are scaled
 * then. */
static const char *table_of(const acc_context *c, const char *device_, const char *model,
                            const char *seq, int batch)
{
  for (int step = 0; step < 14; step++) {
    int other = step % 2 ? batch >> ((step + 1) / 2) : batch << (step / 2);
    const char *name =
      ts_arena_printf(c->arena, "ops/optable_%s_%s_s%s_b%d.csv.gz", device_, model, seq, other);
    FILE *file = fopen(ts_arena_printf(c->arena, "%s/%s", c->data, name), "rb");
    if (!file)
      continue;
    fclose(file);
    return name;
  }
  return ts_arena_printf(c->arena, "ops/optable_%s_%s_s%s_b%d.csv.gz", device_, model, seq, batch);
}

static bool traced(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  const device *d = NULL;
  for (size_t k = 0; k < sizeof devices / sizeof *devices; k++)
    if (csv_is(t, i, "gpu", devices[k].name))
      d = &devices[k];
  if (!d || !csv_is(t, i, "mode", "train") || csv_is(t, i, "parallel", "fusion"))
    return false;
  int table_batch = (int)N("batch");
  if (!strncmp(T("parallel"), "dp", 2))
    table_batch /= atoi(T("parallel") + 2);
  row->measured = N("e2e_ms") / 1e3;
  row->group = ts_arena_printf(c->arena, "%s", d->name);
  row->name = ts_arena_printf(c->arena, "%s %s batch %s %s", d->kind, T("model"), T("batch"),
                              *T("parallel") ? T("parallel") : "one GPU");
  acc_define(
    c->arena, row, "table",
    ts_arena_printf(c->arena, "\"%s\"", table_of(c, d->table, T("model"), T("seq"), table_batch)));
  acc_define(c->arena, row, "model", ts_arena_printf(c->arena, "\"%s\"", T("model")));
  acc_define(c->arena, row, "kind", d->kind);
  if (!*layers_of(t, T("model")))
    row->missing = "no row names the layers of its model";
  acc_define(c->arena, row, "layers", layers_of(t, T("model")));
  parallel(c, T("parallel"), N("batch"), row);
  return true;
}

static bool traced_one(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  return csv_is(t, i, "parallel", "") && traced(c, t, i, row);
}
static bool traced_h100(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  return traced_one(c, t, i, row) && strstr(row->name, "h100");
}
static bool traced_other(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  return traced_one(c, t, i, row) && !strstr(row->name, "h100");
}
static bool traced_four(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  return !csv_is(t, i, "parallel", "") && traced(c, t, i, row);
}

/* -- collectives inside a node -- */

/* Messages of 1 MiB and more. Fitted on every second size, validated on the sizes between. int8
 * rows repeat the half rows of the same bytes. */
static bool collective(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  const char *kind = csv_is(t, i, "collective", "alltoall") ? "all_to_all" : T("collective");
  double bytes = N("bytes");
  int exponent = (int)floor(log2(bytes) + 0.5);
  row->measured = N("time_us") / 1e6;
  row->group = ts_arena_printf(c->arena, "%s of %s", kind, T("gpus"));
  row->name = ts_arena_printf(c->arena, "%s of %s, %s B", kind, T("gpus"), T("bytes"));
  row->validation = exponent % 2;
  acc_define(c->arena, row, "kind", ts_arena_printf(c->arena, "\"%s\"", kind));
  acc_define(c->arena, row, "size", ts_arena_printf(c->arena, "%.0f", bytes));
  return csv_is(t, i, "dtype", "half") && bytes >= 1048576;
}
static bool nccl_h100(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  return csv_is(t, i, "gpu", "h100_sxm") && collective(c, t, i, row);
}
static bool nccl_a100(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  return csv_is(t, i, "gpu", "a100_sxm") && collective(c, t, i, row);
}

/* -- zero bubble -- */

/* The schedules of the paper run without a barrier between steps (its section 4); 1F1B and its
 * interleaved form with Megatron-LM's. */
static bool zero_bubble(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  bool reference = !strncmp(T("schedule"), "1F1B", 4);
  row->measured = N("step_s_derived");
  row->memory = *T("mem_gb") ? N("mem_gb") * GIB : NAN;
  row->any_rank = true;
  row->unsynchronised = !reference;
  row->side = reference ? ACC_REFERENCE : ACC_COMPARED;
  row->group =
    ts_arena_printf(c->arena, "%s on %s, batch %s", T("model"), T("gpus"), T("global_batch"));
  row->name = ts_arena_printf(c->arena, "%s on %s, %s micro-batches of %s, %s", T("model"),
                              T("gpus"), T("microbatches"), T("micro_batch"), T("schedule"));
  acc_define(c->arena, row, "kind", ts_arena_printf(c->arena, "\"%s\"", T("schedule")));
  return *T("step_s_derived") != 0;
}

#define NANOTRON_COLUMNS                                                                           \
  "layers=layers,hidden=hidden,heads=heads,ffn=ffn,vocab=vocab,seq=seq,micro=micro_batch,"         \
  "accumulation=grad_acc,tp=tp,dp=dp,pp=pp,zero=zero,tied=tied"
#define MEGATRON_COLUMNS                                                                           \
  "hidden=hidden,heads=heads,seq=seq,micro=micro_batch,global=global_batch,tp=tp,dp=dp,pp=pp"
#define VTRAIN_COLUMNS MEGATRON_COLUMNS ",layers=layers"

const acc_set acc_sets[] = {
  {"zero_bubble", "GPT in Megatron-LM on A100 with the schedules of Qi et al. 2024",
   "e2e/zero_bubble.csv", "zero_bubble.ts",
   "layers=layers,hidden=hidden,heads=heads,seq=seq,pp=pp,micro=micro_batch,m=microbatches,chunks="
   "chunks_per_stage",
   "", zero_bubble, "nothing here: power on Narayanan et al.",
   "relative throughput against 1F1B and 1F1B-I: mean 5 %", false},
  {"trace_h100", "one H100 from its own operator table", "ops/neusight_e2e.csv", "traced_fx.ts",
   "batch=batch", "", traced_h100, NULL, "mean 3 %", false},
  {"trace_other", "A100 PCIe, V100 and L4 from their own tables", "ops/neusight_e2e.csv",
   "traced_fx.ts", "batch=batch", "", traced_other, NULL, "reported", false},
  {"trace_four", "four GPUs from the table of one", "ops/neusight_e2e.csv", "traced_fx.ts",
   "batch=batch", "", traced_four, NULL, "mean 8 %, and the right order of dp, tp, pp", false},
  {"nanotron", "Llama in nanotron, one node of 8 H100", "e2e/nanotron_h100.csv", "nanotron.ts",
   NANOTRON_COLUMNS, "", nanotron_single,
   "launch, collective and message times the power factors and bandwidth, on 1.34B and 8.86B",
   "rows not fitted: mean 12 %, memory 8 %, rank correlation 0.95 within each size", false},
  {"nanotron_multi", "the same on 2 to 64 nodes (noisy)", "e2e/nanotron_h100.csv", "nanotron.ts",
   NANOTRON_COLUMNS, "", nanotron_multi, NULL, NULL, false},
  {"nanotron_stalled", "runs of those nodes whose pipelines wait for something unknown, apart",
   "e2e/nanotron_h100.csv", "nanotron.ts", NANOTRON_COLUMNS, "", nanotron_stalled, NULL, NULL,
   false},
  {"korthikanti", "GPT in Megatron-LM on A100, Korthikanti et al. 2022 table 5",
   "e2e/published_dense.csv", "megatron_a100.ts", MEGATRON_COLUMNS, "", korthikanti,
   "the power factor of matrix products, on the rows of Narayanan et al.",
   "mean 5 % (Calculon on its 8 rows: 3.65 %)", false},
  {"narayanan", "GPT in Megatron-LM on A100, Narayanan et al. 2021 table 1",
   "e2e/published_dense.csv", "megatron_a100.ts", MEGATRON_COLUMNS, "", narayanan,
   "the power factor of matrix products", NULL, false},
  {"vtrain_multi", "GPT in Megatron-DeepSpeed on 512 A100", "vtrain/ground_truth_multi.csv",
   "vtrain.ts", VTRAIN_COLUMNS, "", vtrain,
   "nothing here: what the host spends on the single-node rows, power on Narayanan et al.",
   "mean 15 % (its own paper: 14.73 %)", false},
  {"vtrain_single", "the same on one node (rows depend on one another)",
   "vtrain/ground_truth_single.csv", "vtrain.ts", VTRAIN_COLUMNS, "", vtrain_single,
   "what the host spends, on the rows of hidden size 1024", "reported", false},
  {"moe_layer", "one layer of experts in Megatron-LM, forward and backward, 8 H100",
   "e2e/moe_layer_megatron.csv", "moe_layer.ts",
   "hidden=hidden,ffn=expert_ffn,experts=experts,top=topk,seq=seq,ep=ep", "", moe_layer, NULL,
   "reported", false},
  {"published_dense", "dense models as published: vendors' tables, benchmarks, papers",
   "e2e/published_dense.csv", "published.ts", "", "", acc_published,
   "old attention and torchtitan's machine; by hand, all rows in view: 4 bits, B300, GB300",
   "llm-foundry 7 %, torchtitan 12 %, NVIDIA bf16 3 %, its fp8, mxfp8 and nvfp4 7 %", true},
  {"published_moe", "mixtures of experts as published, all frameworks", "e2e/published_moe.csv",
   "published.ts", "", "", acc_published,
   "by hand, all rows in view: waits for counts of tokens, and when there are graphs",
   "mean 14 %, rank correlation of FLOP/s 0.85", true},
  {"mlperf", "submissions to MLPerf Training, no factor", "runs/mlperf_llm.csv", "published.ts", "",
   "", acc_mlperf,
   "by hand, all rows in view: 4 bits, B300, GB300, heads over context-parallel ranks",
   "median 12 %", true},
  {"nccl_h100", "NCCL inside a DGX H100 by the alpha-beta model alone", "ops/nccl_intra.csv.gz",
   "collective.ts", "ranks=gpus", "gpu=h100_sxm", nccl_h100,
   "base, hop, efficiency and ramp, on every second size", NULL, false},
  {"nccl_a100", "NCCL inside a DGX A100 by the alpha-beta model alone", "ops/nccl_intra.csv.gz",
   "collective.ts", "ranks=gpus", "gpu=a100_sxm_80g", nccl_a100,
   "base, hop, efficiency and ramp, on every second size", NULL, false},
};
const size_t acc_set_count = sizeof acc_sets / sizeof *acc_sets;
