/* The sets: which rows of which file, and what they say about a plan. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/accuracy.h"
#include "tests/accuracy/exchange.h"
#include "tests/accuracy/pairs.h"
#include "tests/accuracy/published.h"
#include "tests/accuracy/simumax.h"
#include "tests/accuracy/tpu.h"
#include "tests/accuracy/unseen.h"

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

/* -- Papers -- */

static bool own_papers(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  row->measured = *T("step_s") ? N("step_s") : 0;
  row->rate = *T("tflops") ? 1e12 * N("tflops") : 0;
  row->group = T("paper");
  double ranks = N("inner") * N("nodes") * N("tp") * N("cp") * N("pp") * N("dp");
  row->name = ts_arena_printf(c->arena, "%s, %.0f GPUs, %s tokens", T("paper"), ranks, T("seq"));
  return true;
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

static bool moe_layer(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  row->measured = (N("forward_ms") + N("backward_ms")) / 1e3;
  row->memory = NAN;
  row->group = ts_arena_printf(c->arena, "%s", T("precision"));
  row->name = ts_arena_printf(c->arena, "%s", T("case"));
  acc_define(c->arena, row, "shared", *T("shared_expert_ffn") ? T("shared_expert_ffn") : "0");
  acc_define(c->arena, row, "fp8", csv_is(t, i, "precision", "fp8") ? "true" : "false");
  acc_define(c->arena, row, "exchange",
             csv_is(t, i, "dispatcher", "deepep")   ? "\"deep_ep\"" :
             csv_is(t, i, "dispatcher", "hybridep") ? "\"hybrid_ep\"" :
                                                      "\"all_to_all\"");
  return true;
}

/* -- one GPU's operator trace -- */

/* as the measurements call it, whose table stands for it, in the stdlib, and the table's device
 * there */
typedef struct device {
  const char *name, *table, *kind, *from;
} device;

static const device devices[] = {
  {"NVIDIA_H100_80GB_HBM3", "NVIDIA_H100_80GB_HBM3", "h100_sxm", "h100_sxm"},
  {"NVIDIA_A100_80GB_PCIe", "NVIDIA_A100_80GB_PCIe", "a100_pcie_80g", "a100_pcie_80g"},
  /* no table of its own */
  {"NVIDIA_A100-SXM4-40GB", "NVIDIA_A100_80GB_PCIe", "a100_sxm_40g", "a100_pcie_80g"},
  {"Tesla_V100-PCIE-32GB", "Tesla_V100-PCIE-32GB", "v100_pcie_32g", "v100_pcie_32g"},
  {"NVIDIA_L4", "NVIDIA_L4", "l4", "l4"},
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

static const char *table_name(const acc_context *c, const char *device_, const char *model,
                              const char *seq, int batch)
{
  return ts_arena_printf(c->arena, "ops/optable_%s_%s_s%s_b%d.csv.gz", device_, model, seq, batch);
}

static bool is_there(const acc_context *c, const char *name)
{
  FILE *file = fopen(ts_arena_printf(c->arena, "%s/%s", c->data, name), "rb");
  return file && !fclose(file);
}

/* The table of this batch; where it is missing, or not wanted (`other`), of the nearest one that is
 * there: times are scaled then. */
static const char *table_of(const acc_context *c, const char *device_, const char *model,
                            const char *seq, int batch, bool other)
{
  for (int step = other ? 1 : 0; step < 14; step++) {
    int near = step % 2 ? batch >> ((step + 1) / 2) : batch << (step / 2);
    const char *name = table_name(c, device_, model, seq, near);
    if (near > 0 && !(other && near == batch) && is_there(c, name))
      return name;
  }
  return other ? NULL : table_name(c, device_, model, seq, batch);
}

static const device *device_named(const csv *t, size_t i)
{
  for (size_t k = 0; k < sizeof devices / sizeof *devices; k++)
    if (csv_is(t, i, "gpu", devices[k].name))
      return &devices[k];
  return NULL;
}

/* A row of a training step played from a table of `of`; NULL: of the row's own device. */
static bool traced_from(const acc_context *c, const csv *t, size_t i, const device *of, bool other,
                        acc_row *row)
{
  const device *d = device_named(t, i);
  if (!d || !csv_is(t, i, "mode", "train") || csv_is(t, i, "parallel", "fusion"))
    return false;
  of = of ? of : d;
  int table_batch = (int)N("batch");
  if (!strncmp(T("parallel"), "dp", 2))
    table_batch /= atoi(T("parallel") + 2);
  const char *table = table_of(c, of->table, T("model"), T("seq"), table_batch, other);
  if (!table || (of != d && !is_there(c, table)))
    return false;
  row->measured = N("e2e_ms") / 1e3;
  row->group = ts_arena_printf(c->arena, "%s", d->name);
  row->name = ts_arena_printf(c->arena, "%s %s batch %s %s", d->kind, T("model"), T("batch"),
                              *T("parallel") ? T("parallel") : "one GPU");
  acc_define(c->arena, row, "table", ts_arena_printf(c->arena, "\"%s\"", table));
  acc_define(c->arena, row, "model", ts_arena_printf(c->arena, "\"%s\"", T("model")));
  acc_define(c->arena, row, "kind", d->kind);
  acc_define(c->arena, row, "from", of->from);
  if (!*layers_of(t, T("model")))
    row->missing = "no row names the layers of its model";
  acc_define(c->arena, row, "layers", layers_of(t, T("model")));
  parallel(c, T("parallel"), N("batch"), row);
  return true;
}

static bool traced(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  return traced_from(c, t, i, NULL, false, row);
}

/* Tables to learn from beside the one of the row: the device's own of other models, or all of other
 * devices. */
static void define_beside(const acc_context *c, const device *target, const char *model, bool own,
                          acc_row *row)
{
  static const struct {
    const char *model, *seq;
    int batch;
  } traces[] = {{"bert_large", "512", 2}, {"bert_large", "512", 8},
                       {"gpt2_large", "1024", 1}, {"gpt2_large", "1024", 4},
                       {"opt_13", "2048", 1},     {"opt_13", "2048", 2}};
  const char *list = "";
  for (size_t k = 0; k < sizeof devices / sizeof *devices; k++)
    for (size_t m = 0; m < sizeof traces / sizeof *traces; m++) {
      const device *d = &devices[k];
      const char *table = table_name(c, d->table, traces[m].model, traces[m].seq,
                                     traces[m].batch);
      bool wanted = own ? d == target && strcmp(traces[m].model, model) : d != target;
      if (wanted && !strcmp(d->name, d->table) && is_there(c, table))
        list = ts_arena_printf(c->arena, "%s%s{ table: \"%s\", model: \"%s\", from: %s }", list,
                               *list ? ", " : "", table, traces[m].model, d->from);
    }
  acc_define(c->arena, row, "beside", ts_arena_printf(c->arena, "[%s]", list));
}

/* One GPU from the A100's table of the same batch (the A100 from the H100's); no row of its own
 * table is learned from. */
static bool traced_gpu(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  const device *d = device_named(t, i), *h100 = &devices[0], *a100 = &devices[1];
  if (!csv_is(t, i, "parallel", "") || !d ||
      !traced_from(c, t, i, d == a100 ? h100 : a100, false, row))
    return false;
  define_beside(c, d, T("model"), false, row);
  return true;
}

/* Tables of single products to learn from: of boards of the list but the target, or of it alone. */
static void define_singles(const acc_context *c, const device *target, bool own, acc_row *row)
{
  static const struct {
    const char *file, *gpu;
  } boards[] = {{"h100_sxm", "h100_sxm"},
                {"a100_pcie_80", "a100_pcie_80g"},
                {"a100_pcie_40", "a100_pcie_40g"},
                {"v100_pcie_32", "v100_pcie_32g"},
                {"l4", "l4"},
                {"p100_pcie", "p100_pcie"},
                {"t4", "t4"},
                {"p4", "p4"}};
  static const struct {
    const char *file, *family;
  } kinds[] = {{"linear", "linear alone"}, {"bmm", "batched_matmul alone"}};
  const char *list = "";
  for (size_t b = 0; b < sizeof boards / sizeof *boards; b++)
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
      const char *table =
        ts_arena_printf(c->arena, "ops/neusight_%s_%s.csv.gz", kinds[k].file, boards[b].file);
      if (!strcmp(boards[b].gpu, target->from) == own && is_there(c, table))
        list =
          ts_arena_printf(c->arena, "%s%s{ table: \"%s\", family: \"%s\", from: %s }", list,
                          *list ? ", " : "", table, kinds[k].family, boards[b].gpu);
    }
  acc_define(c->arena, row, "singles", ts_arena_printf(c->arena, "[%s]", list));
}

/* The same, beside single products of other boards. */
static bool traced_gpu_boards(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  if (!traced_gpu(c, t, i, row))
    return false;
  define_singles(c, device_named(t, i), false, row);
  return true;
}

/* Beside those of the board itself. */
static bool traced_gpu_products(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  if (!traced_gpu(c, t, i, row))
    return false;
  define_singles(c, device_named(t, i), true, row);
  return true;
}

/* One GPU from its table of another batch. */
static bool traced_batch(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  return csv_is(t, i, "parallel", "") && traced_from(c, t, i, NULL, true, row);
}

/* From the table of another batch, and the device's tables of other models. */
static bool traced_models(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  if (!traced_batch(c, t, i, row))
    return false;
  define_beside(c, device_named(t, i), T("model"), true, row);
  return true;
}

/* Where the step of the table's own batch was measured, too. */
static bool define_step(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  const device *d = device_named(t, i);
  const char *table =
    table_of(c, d->table, T("model"), T("seq"), (int)N("batch"), true);
  const char *batch = strrchr(table, 'b') + 1;
  for (size_t k = 0; k < t->rows; k++)
    if (csv_is(t, k, "gpu", d->name) && csv_is(t, k, "mode", "train") &&
        csv_is(t, k, "parallel", "") && csv_is(t, k, "model", T("model")) &&
        csv_is(t, k, "seq", T("seq")) && csv_number(t, k, "batch") == atoi(batch)) {
      acc_define(c->arena, row, "step_s",
                 ts_arena_printf(c->arena, "%.9g", csv_number(t, k, "e2e_ms") / 1e3));
      return true;
    }
  row->missing = "the step of its table's batch is not among the rows";
  return true;
}

static bool traced_step(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  return traced_batch(c, t, i, row) && define_step(c, t, i, row);
}

static bool traced_models_step(const acc_context *c, const csv *t, size_t i, acc_row *row)
{
  return traced_models(c, t, i, row) && define_step(c, t, i, row);
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

/* -- what is asked, and why what is missed is missed -- */

#define NEUSIGHT "NeuSight (Lee et al., ASPLOS 2025, github.com/sitar-lab/NeuSight): measured steps"
#define PLAYBOOK                                                                                   \
  "the Ultra-Scale Playbook (Hugging Face, 2025): figures `banner` and `benchmarks_interactive`"
#define VTRAIN                                                                                     \
  "vTrain (Bang et al., arXiv 2312.12391; github.com/VIA-Research/vTrain): measured steps"
#define MOE_LAYER_SOURCE "NVIDIA Megatron-LM (github.com): regression baselines of one layer"
#define NCCL_SOURCE                                                                                \
  "NVIDIA AIConfigurator (github.com/ai-dynamo/aiconfigurator): nccl-tests inside one node"

static const acc_ask zero_bubble_asks[] = {
  {"relative throughput", "all", ACC_MEAN, 5, NULL},
  {0},
};
static const acc_ask trace_h100_asks[] = {{"all rows", "all", ACC_MEAN, 3, NULL}, {0}};
static const acc_ask trace_four_asks[] = {
  {"all rows", "all", ACC_MEAN, 8, NULL},
  {"all rows", "?*_*", ACC_ORDER, 1, NULL}, /* dp, tp and pp on a machine */
  {0},
};
static const acc_ask trace_batch_asks[] = {
  {"all rows", "all", ACC_MEAN, 4,
   "steps of A100, V100 and L4 are 10 % off from tables of their own batch; the H100's are not"},
  {0},
};
static const acc_ask trace_step_asks[] = {
  {"all rows", "all", ACC_MEAN, 4,
   "the A100's forwards of GPT-2 and OPT take 1.02 and 1.07 times their table at one batch, 1.5 and "
   "1.6 times at the other, so its step of one batch does not tell that of another; the other twelve "
   "rows are 3 % off"},
  {0},
};
static const acc_ask trace_models_asks[] = {
  {"all rows", "NVIDIA_H100*", ACC_MEAN, 4, NULL},
  {"all rows", "all", ACC_MEAN, 4,
   "steps of A100, V100 and L4 are 10 % off from tables of their own batch"},
  {0},
};
static const acc_ask trace_gpu_asks[] = {
  {"all rows", "all", ACC_MEAN, 9, NULL},
  {0},
};
static const acc_ask trace_products_asks[] = {
  {"all rows", "all", ACC_MEAN, 9,
   "single products of the L4 take 1.6 times as long as the same ones in its traced tables (median); "
   "without the L4 the mean is 7 %"},
  {0},
};
static const acc_ask nanotron_asks[] = {
  {"rows not fitted", "all", ACC_MEAN, 12, NULL},
  {"rows not fitted", "*", ACC_ORDER, 0.95,
   "three rows with tensor parallelism out of order; the physical model of overlap brings their "
   "mean from 5.6 to 5.3 % and changes no order"},
  {"peak memory", "all", ACC_MEAN, 8,
   "rows with pipelines are 10 to 13 % low, more with tensor parallelism; not found (the tied "
   "embedding is the suspect, the 1.34B rows speak against it)"},
  {0},
};
static const acc_ask korthikanti_asks[] = {{"all rows", "all", ACC_MEAN, 5, NULL}, {0}};
static const acc_ask own_papers_asks[] = {
  {"all rows", "all", ACC_MEAN, 10, NULL},
  {0},
};
static const acc_ask vtrain_asks[] = {{"all rows", "all", ACC_MEAN, 15, NULL}, {0}};
static const acc_ask moe_layer_asks[] = {
  {"all rows", "all", ACC_MEAN, 10,
   "experts' products are priced from short bursts, and measured kernels of experts are up to "
   "eight times slower than their neighbours"},
  {0},
};
static const acc_ask dense_asks[] = {
  {"rows not fitted", "llm-foundry *", ACC_MEAN, 7,
   "large micro-batches: the logits' loss in fp32, and FlashAttention 1 at short sequences"},
  {"rows not fitted", "torchtitan", ACC_MEAN, 12, NULL},
  {"memory the allocator reserves", "all", ACC_MEAN, 8,
   "one row with pipelines, in fp8 with asynchronous tensor parallelism; buffers of messages are in "
   "the plan (2 GiB). Inputs that stay gathered for weight gradients would add 0.8 GiB, and make "
   "tensor-parallel steps, which are 5 to 9 % low, up to 2 % shorter; parts of 8 instead of 4 would "
   "add 6.5 GiB, but take 56 instead of 41 s. What holds the other 12 GiB was not found"},
  {"rows of the fit, reserved", "all", ACC_MEAN, 8, "torchtitan's rows; no memory was fitted"},
  {"rows not fitted", "NVIDIA bf16", ACC_MEAN, 3,
   "few rows; the host is not modelled beyond waits"},
  {"rows not fitted", "NVIDIA *fp8", ACC_MEAN, 7, NULL},
  {"rows not fitted", "NVIDIA nvfp4", ACC_MEAN, 7,
   "Llama 3 70B in tensor parallelism of 2 on the GB200, measured three times (releases 9 % apart), "
   "is 9 to 17 % low; 405B there is within 6 %, and what the 70B lacks is not products: its layer "
   "does half the work of 405B's in three quarters of the time"},
  {0},
};
static const acc_ask moe_asks[] = {
  {"rows not fitted", "all", ACC_MEAN, 14,
   "GPT-OSS in 16 bits is 15 to 27 % low on every machine: what its devices do besides is not "
   "known"},
  {"rows not fitted", "all", ACC_RATE_ORDER, 0.85, "the same rows"},
  {0},
};
static const acc_ask simumax_asks[] = {
  {"all rows", "all", ACC_MEAN, 4.5,
   "experts: SimuMax itself is 10 % low on these rows; kernels that choose experts and cut them to "
   "their capacity are not modelled, and long runs are a tenth slower than short ones"},
  {"peak memory", "all", ACC_MEAN, 1, "about 0.6 GiB in layers of experts, not found"},
  {0},
};
static const acc_ask mlperf_asks[] = {
  {"all rows", "all", ACC_MEDIAN, 12, NULL},
  {"one factor a kind*", "all", ACC_MEDIAN, 5, NULL},
  {"largest of a series*", "a *", ACC_MEDIAN, 6, NULL},
  {0},
};

static const acc_origin line_inside = {.origin = TS_IR_ORIGIN_NETWORK,
                                       .basis = TS_IR_NET_ALPHA_BETA};

static const acc_ask pairs_asks[] = {
  {"effects*", "all", ACC_SAME_SIGN, 100, NULL},
  {"effects*", "all", ACC_WITHIN_THIRD, 200.0 / 3,
   "Moonlight's steps are the host's (17 ms a layer, of which 8 are issued), and a module that is "
   "recomputed costs it 0.3 to 0.9 ms a layer besides (checkpoints save and set the states of random "
   "numbers), by rows that scatter as much: no constant was taken; gains from 8 and 4 bits in "
   "torchtitan are predicted half as large again; tensor parallelism of 8 is 18 % slower than "
   "predicted"},
  {0},
};

const acc_set acc_sets[] = {
  {.name = "zero_bubble",
   .title = "GPT in Megatron-LM on A100 with the schedules of Qi et al. 2024",
   .csv = "e2e/zero_bubble.csv",
   .plan = "zero_bubble.ts",
   .columns = "layers=layers,hidden=hidden,heads=heads,seq=seq,pp=pp,micro=micro_batch,"
              "m=microbatches,chunks=chunks_per_stage",
   .row = zero_bubble,
   .sources = "Qi et al., Zero Bubble Pipeline Parallelism (arXiv 2401.10241), tables",
   .fitted = "nothing here: power on Narayanan et al.",
   .asks = zero_bubble_asks},
  {.name = "trace_h100",
   .title = "one H100 from its own operator table",
   .csv = "ops/neusight_e2e.csv",
   .plan = "traced_fx.ts",
   .columns = "batch=batch",
   .row = traced_h100,
   .sources = NEUSIGHT,
   .asks = trace_h100_asks},
  {.name = "trace_other",
   .title = "A100 PCIe, V100 and L4 from their own tables",
   .csv = "ops/neusight_e2e.csv",
   .plan = "traced_fx.ts",
   .columns = "batch=batch",
   .row = traced_other,
   .sources = NEUSIGHT},
  {.name = "trace_four",
   .title = "four GPUs from the table of one",
   .csv = "ops/neusight_e2e.csv",
   .plan = "traced_fx.ts",
   .columns = "batch=batch",
   .row = traced_four,
   .sources = NEUSIGHT,
   .asks = trace_four_asks},
  {.name = "trace_batch",
   .title = "one GPU from its operator table of another batch",
   .csv = "ops/neusight_e2e.csv",
   .plan = "traced_fx.ts",
   .columns = "batch=batch",
   .row = traced_batch,
   .sources = NEUSIGHT,
   .asks = trace_batch_asks},
  {.name = "trace_step",
   .title = "the same, from that batch's measured step as well",
   .csv = "ops/neusight_e2e.csv",
   .plan = "traced_fx.ts",
   .columns = "batch=batch",
   .row = traced_step,
   .sources = NEUSIGHT,
   .asks = trace_step_asks},
  {.name = "trace_models_step",
   .title = "the same, beside the GPU's tables of other models",
   .csv = "ops/neusight_e2e.csv",
   .plan = "traced_fx.ts",
   .columns = "batch=batch",
   .row = traced_models_step,
   .sources = NEUSIGHT,
   .asks = trace_step_asks},
  {.name = "trace_models",
   .title = "one GPU from its table of another batch, beside its tables of other models",
   .csv = "ops/neusight_e2e.csv",
   .plan = "traced_fx.ts",
   .columns = "batch=batch",
   .row = traced_models,
   .sources = NEUSIGHT,
   .asks = trace_models_asks},
  {.name = "trace_gpu",
   .title = "one GPU from operator tables of others, none of its own",
   .csv = "ops/neusight_e2e.csv",
   .plan = "traced_fx.ts",
   .columns = "batch=batch",
   .row = traced_gpu,
   .sources = NEUSIGHT,
   .asks = trace_gpu_asks},
  {.name = "trace_boards",
   .title = "the same, beside single products of other boards",
   .csv = "ops/neusight_e2e.csv",
   .plan = "traced_fx.ts",
   .columns = "batch=batch",
   .row = traced_gpu_boards,
   .sources = NEUSIGHT,
   .asks = trace_gpu_asks},
  {.name = "trace_products",
   .title = "one GPU from operator tables of others, beside single products of its own",
   .csv = "ops/neusight_e2e.csv",
   .plan = "traced_fx.ts",
   .columns = "batch=batch",
   .row = traced_gpu_products,
   .sources = NEUSIGHT,
   .asks = trace_products_asks},
  {.name = "nanotron",
   .title = "Llama in nanotron, one node of 8 H100",
   .csv = "e2e/nanotron_h100.csv",
   .plan = "nanotron.ts",
   .columns = NANOTRON_COLUMNS,
   .row = nanotron_single,
   .sources = PLAYBOOK,
   .fitted = "launch, collective and message times, the power factors and the bandwidth inside a "
             "node, on 1.34B and 8.86B; nothing for memory",
   .asks = nanotron_asks},
  {.name = "nanotron_multi",
   .title = "the same on 2 to 64 nodes (noisy)",
   .csv = "e2e/nanotron_h100.csv",
   .plan = "nanotron.ts",
   .columns = NANOTRON_COLUMNS,
   .row = nanotron_multi,
   .sources = PLAYBOOK},
  {.name = "nanotron_stalled",
   .title = "runs of those nodes whose pipelines wait for something unknown, apart",
   .csv = "e2e/nanotron_h100.csv",
   .plan = "nanotron.ts",
   .columns = NANOTRON_COLUMNS,
   .row = nanotron_stalled,
   .sources = PLAYBOOK,
   .apart = true},
  {.name = "korthikanti",
   .title = "GPT in Megatron-LM on A100, Korthikanti et al. 2022 table 5",
   .csv = "e2e/published_dense.csv",
   .plan = "megatron_a100.ts",
   .columns = MEGATRON_COLUMNS,
   .row = korthikanti,
   .sources =
     "Korthikanti et al. (arXiv 2205.05198), table 5; Calculon is 3.65 % off on its 8 rows",
   .fitted = "the power factor of matrix products, on the rows of Narayanan et al.",
   .asks = korthikanti_asks},
  {.name = "narayanan",
   .title = "GPT in Megatron-LM on A100, Narayanan et al. 2021 table 1",
   .csv = "e2e/published_dense.csv",
   .plan = "megatron_a100.ts",
   .columns = MEGATRON_COLUMNS,
   .row = narayanan,
   .sources = "Narayanan et al. (arXiv 2104.04473), table 1",
   .fitted = "the power factor of matrix products"},
  {.name = "own_papers",
   .title = "Llama 3 405B on 8,192 and 16,384 H100, DeepSeek-V3 on 2,048 H800",
   .csv = "tests/accuracy/own_papers.csv",
   .here = true,
   .plan = "own_papers.ts",
   .columns = "inner=inner,nodes=nodes,tp=tp,cp=cp,pp=pp,dp=dp,seq=seq,batch=batch",
   .row = own_papers,
   .sources = "Grattafiori et al. (arXiv 2407.21783), table 4; DeepSeek-AI (arXiv 2412.19437), "
              "section 1",
   .assumed =
     "a layer a chunk of Llama's pipeline; FLOP of half the scores; stages of DeepSeek-V3, "
     "which keeps more in 8 bits than the plan",
   .asks = own_papers_asks,
   .apart = true},
  {.name = "vtrain_multi",
   .title = "GPT in Megatron-DeepSpeed on 512 A100",
   .csv = "vtrain/ground_truth_multi.csv",
   .plan = "vtrain.ts",
   .columns = VTRAIN_COLUMNS,
   .row = vtrain,
   .sources = VTRAIN " (its own error there: 14.73 %)",
   .fitted =
     "nothing here: what the host spends on the single-node rows, power on Narayanan et al.",
   .asks = vtrain_asks},
  {.name = "vtrain_single",
   .title = "the same on one node (rows depend on one another)",
   .csv = "vtrain/ground_truth_single.csv",
   .plan = "vtrain.ts",
   .columns = VTRAIN_COLUMNS,
   .row = vtrain_single,
   .sources = VTRAIN,
   .fitted = "what the host spends, on the rows of hidden size 1024"},
  {.name = "moe_layer",
   .title = "one layer of experts in Megatron-LM, forward and backward, 8 H100",
   .csv = "e2e/moe_layer_megatron.csv",
   .plan = "moe_layer.ts",
   .columns = "hidden=hidden,ffn=expert_ffn,experts=experts,top=topk,seq=seq,ep=ep",
   .row = moe_layer,
   .sources = MOE_LAYER_SOURCE,
   .asks = moe_layer_asks,
   .apart = true},
  {.name = "ep_bandwidth",
   .title = "dispatch and combine of tokens to experts by library, alone",
   .csv = "runs/ep_bandwidth.csv",
   .plan = "exchange.ts",
   .columns = "ranks=ranks,tokens=tokens_rank,hidden=hidden,top=topk",
   .row = acc_exchange,
   .sources = "deepseek-ai/DeepEP: README.md, docs/legacy.md, docs/README_Hybrid-EP.md",
   .fitted = "what a call and a copy take, rates of NICs, NVLink and processors",
   .apart = true},
  {.name = "published_dense",
   .title = "dense models as published: vendors' tables, benchmarks, papers",
   .csv = "e2e/published_dense.csv",
   .plan = "published.ts",
   .row = acc_published,
   .sources =
     "NVIDIA Megatron-Bridge (docs/performance-summary*.md, releases 25.09 to 26.06), NeMo "
     "(24.07) and dgxc-benchmarking; mosaicml/llm-foundry "
     "(scripts/train/benchmarking/README.md); pytorch/torchtitan (benchmarks/); arXiv "
     "2104.04473, 2201.11990, 2205.05198, 2407.21783",
   .fitted = "old attention and torchtitan's machine; by hand, all rows in view: 4 bits, B300, "
             "GB300",
   .assumed = "a micro-batch of 1 for the papers; torchtitan's pipelines cut a batch into as many "
              "parts as stages",
   .asks = dense_asks},
  {.name = "published_moe",
   .title = "mixtures of experts as published, all frameworks",
   .csv = "e2e/published_moe.csv",
   .plan = "published.ts",
   .row = acc_published,
   .sources = "NVIDIA Megatron-Bridge (docs/performance-summary*.md, releases 25.09 to 26.08), "
              "NeMo-Automodel (docs/performance-summary.mdx), dgxc-benchmarking",
   .fitted =
     "by hand, on the rows of the fit: what a product of experts and the sorting of tokens "
     "cost the host, and how much faster products in one operation are; with all rows in view, "
     "that NeMo 25.04 takes the softmax of DeepSeek-V3 on the GB200 in parts",
   .assumed = "recomputation where it is not stated: none, every second layer or all of them, the "
              "first that fits in memory; tokens spread evenly over experts",
   .asks = moe_asks},
  {.name = "mlperf",
   .title = "submissions to MLPerf Training, no factor",
   .csv = "runs/mlperf_llm.csv",
   .plan = "published.ts",
   .row = acc_mlperf,
   .sources = "MLCommons, training results v3.0 to v6.0 (github.com/mlcommons/training_results_*): "
              "steps from the logs, configurations of the submitters",
   .fitted = "by hand, all rows in view: 4 bits, B300, GB300, heads over context-parallel ranks",
   .assumed = "attention heads over the context-parallel ranks where nothing else splits a layer; "
              "no recomputation where the configuration names none",
   .asks = mlperf_asks},
  {.name = "simumax",
   .title = "Megatron-LM on eight B200 from the operator tables of SimuMax",
   .csv = "ops/simumax_b200.csv",
   .plan = "simumax.ts",
   .columns = "layers=layers,tp=tp,cp=cp,pp=pp,seq=seq,micro=micro_batch,"
              "micro_batches=microbatches",
   .row = acc_simumax,
   .sources = "SimuMax (github.com/MooreThreads/SimuMax): measured steps and operators",
   .asks = simumax_asks},
  {.name = "pairs",
   .title = "pairs of runs that differ in one thing",
   .csv = "runs/ab_effects.csv",
   .plan = "published.ts",
   .row = acc_pairs,
   .sources = "NVIDIA Megatron-Bridge (skills/, 067f987df), pytorch/torchtitan "
              "(components/quantization/nvfp4.md, b5bcd76c6), AMD-AGI/Primus and TraceLens",
   .assumed = "bf16 where no format is stated, as the frameworks have it; recomputation as the "
              "profile says where it is not what is switched, and in torchtitan the first of none, "
              "every second layer and all that fits; a rate alone gives the time of the "
              "model's FLOPs",
   .asks = pairs_asks},
  {.name = "tpu",
   .title = "MaxText on TPUs: v5e, v5p, v6e and TPU7x",
   .csv = "runs/tpu_steps.csv",
   .plan = "tpu.ts",
   .row = acc_tpu,
   .sources = "AI-Hypercomputer/tpu-recipes (c8cfe2f, tables and log lines) and "
              "AI-Hypercomputer/maxtext (bdc4d8d6d, README)",
   .fitted = "nothing: a chip's products are the H100's scaled to its rates, estimated",
   .assumed = "mesh arguments that are not given have MaxText's defaults; a chip of two cores is "
              "one device; offloading takes no time; a rate alone gives the time of the model's "
              "FLOPs, which MaxText counts without halving causal attention"},
  {.name = "unseen",
   .title = "dense runs of programs that have no profile",
   .csv = "runs/other_steps.csv",
   .plan = "unseen.ts",
   .row = acc_unseen,
   .sources = "InternEvo, foundation-model-stack/fms-fsdp, InternLM/xtuner, NVIDIA/JAX-Toolbox, "
              "hpcaitech/ColossalAI: tables of their documentation",
   .fitted = "nothing",
   .assumed = "what a reader of the manual writes: strategies with their defaults, an eager host"},
  {.name = "prime_rl",
   .title = "the same of prime-rl",
   .csv = "runs/prime_rl.csv",
   .plan = "unseen.ts",
   .row = acc_prime_rl,
   .sources = "PrimeIntellect-ai/prime-rl, benchmarks/baselines",
   .fitted = "nothing",
   .assumed = "as above; rows of adapters and of offloaded activations are left out"},
  {.name = "nccl_h100",
   .title = "NCCL inside a DGX H100 by the alpha-beta model alone",
   .csv = "ops/nccl_intra.csv.gz",
   .plan = "collective.ts",
   .columns = "ranks=gpus",
   .fixed = "gpu=h100_sxm",
   .row = nccl_h100,
   .sources = NCCL_SOURCE,
   .fitted = "base, hop, efficiency and ramp, on every second size",
   .figure = &line_inside},
  {.name = "nccl_a100",
   .title = "NCCL inside a DGX A100 by the alpha-beta model alone",
   .csv = "ops/nccl_intra.csv.gz",
   .plan = "collective.ts",
   .columns = "ranks=gpus",
   .fixed = "gpu=a100_sxm_80g",
   .row = nccl_a100,
   .sources = NCCL_SOURCE,
   .fitted = "base, hop, efficiency and ramp, on every second size",
   .figure = &line_inside},
};
const size_t acc_set_count = sizeof acc_sets / sizeof *acc_sets;
