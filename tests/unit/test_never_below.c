/* Plans drawn at random, with layers that are frozen, tied, sharded, recomputed and offloaded in all
 * ways: no rank ever holds less of anything than it holds throughout, and in the end just that. */
#include "tests/unit/plan_text.h"

#include "runtime/account/memory.h"
#include "runtime/account/result.h"
#include "tests/unit/amount.h"

static const char *const model =
  "import std.ops.nn, std.clusters.dgx, std.gpus.nvidia, std.precision, std.optimizers.adam\n"
  "import std.strategies.data, std.strategies.deepspeed, std.strategies.offload, "
  "std.strategies.recompute, std.strategies.tied\n"
  "import std.schedules.single, std.schedules.one_f_one_b, std.schedules.interleaved, "
  "std.schedules.zero_bubble, std.schedules.gpipe, std.schedules.dual_pipe\n"
  "op norm(x: Tensor, frozen: Bool) {\n"
  "  weight g: [last(x.shape)] trained if not frozen\n  output y: x.shape\n  whole x dim -1\n"
  "  forward { kernel elementwise { reads = [x, g], writes = [y] } }\n"
  "  backward(input) { kernel elementwise { reads = [dy, x, g], writes = [dx] } }\n"
  "  backward(weight) { kernel elementwise if not frozen { reads = [dy, x], writes = [dg] } }\n"
  "  saves [x, 4 B * rows(x)]\n}\n"
  "model net(layers: Int, frozen: Int, adapters: Bool, table: Bool, ends: Bool) {\n"
  "  ids = input([batch, 128], int64)\n"
  "  x = embedding(ids, 4096, 256, frozen: table) as embed\n"
  "  repeat layers as layer {\n"
  "    n = norm(x, layer < frozen) as ln\n"
  "    u = linear(n, out: 512, frozen: layer < frozen) as up\n"
  "    if adapters {\n"
  "      a = linear(n, out: 8) as adapter.in\n"
  "      b = linear(a, out: 512) as adapter.out\n"
  "      u = add(u, b) as adapted\n"
  "    }\n"
  "    g = gelu(u) as act\n"
  "    d = linear(g, out: 256, frozen: layer < frozen) as down\n"
  "    x = add(x, d) as residual\n"
  "  }\n"
  "  n = norm(x, ends) as final_norm\n"
  "  logits = linear(n, out: 4096, frozen: ends) as head\n"
  "  loss = cross_entropy(logits) as loss\n}\n";

typedef struct drawn { uint64_t state; } drawn;

static uint32_t below(drawn *d, uint32_t n)
{
  d->state = d->state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(d->state >> 33) % n;
}

static const char *truth(drawn *d) { return below(d, 2) ? "true" : "false"; }

#define ONE_OF(d, list) (list)[below(d, sizeof(list) / sizeof *(list))]

static const char *plan_of(ts_arena *arena, drawn *d, int *ranks)
{
  static const char *const data[] = {
    "data_parallel(dp)", "zero1(dp)", "zero1(dp, beside: true)", "zero2(dp)", "zero3(dp)",
    "zero3(dp, prefetch: 1)", "fsdp(dp)", "fsdp(dp, reshard: false)", "fsdp(dp, keep_last: true)",
    "fsdp(dp, copied: true)", "fsdp(dp, units: [\"layer[*]\", \"embed\", \"head\"])",
    "fsdp(dp, units: \"layer[*].up\")", "fsdp_in_pipeline(dp)",
    "fsdp_in_pipeline(dp, copied: true)", "deepspeed_zero2(dp)", "deepspeed_zero3(dp)",
    "deepspeed_zero3(dp, max_live_parameters: 0, max_reuse_distance: 0, prefetch_bucket_size: 0)",
    ("deepspeed_zero3(dp, max_reuse_distance: 300_000, prefetch_bucket_size: 200_000, "
     "param_persistence_threshold: 300)")};
  static const char *const schedules[] = {
    "one_f_one_b(p: pp, m: 4)", "gpipe(p: pp, m: 4)", "zb_h1(p: pp, m: 4)",
    "interleaved_one_f_one_b(p: pp, m: 4, v: 2)", "zb_v(p: pp, m: 4)", "dual_pipe(p: pp, m: 4)"};
  static const char *const recomputes[] = {"none", "none", "full()", "full(every: 2)",
                                           "selective(\"act\")", "selective(\"up\", discard: true)"};
  static const char *const extras[] = {"none", "none", "offload_activations()",
                                       "offload_optimizer()", "update_on_host()"};
  bool piped = below(d, 3) == 0;
  uint32_t layers = piped ? 4 : 1 + below(d, 4), frozen = below(d, layers + 1);
  const char *tied = below(d, 3) ? "" : ", tied_embeddings()";
  *ranks = piped ? 4 : 2;
  return ts_arena_printf(
    arena,
    "%splan test {\n  model = net(%u, %u, %s, %s, %s)\n  cluster = dgx_h100(nodes: 1)\n"
    "  mesh = { dp: 2, pp: %d }\n  apply = [%s, %s%s]\n  schedule = %s\n  recompute = %s\n"
    "  batch = { micro: 1 }\n  precision = mixed(bf16) with { free_gradients = %s }\n  optimizer = adam()\n"
    "  costs = [roofline(h100_sxm)]\n}\n",
    model, layers, frozen, truth(d), truth(d), truth(d), piped ? 2 : 1, ONE_OF(d, data),
    ONE_OF(d, extras), tied, piped ? ONE_OF(d, schedules) : below(d, 2) ? "accumulate(3)" : "none",
    ONE_OF(d, recomputes), truth(d));
}

typedef struct seen { const char *plan; bool begun; int64_t base[TS_IR_CATEGORIES], last[TS_IR_CATEGORIES]; } seen;

static void see(void *closure, uint64_t time, const int64_t category[TS_IR_CATEGORIES])
{
  seen *s = closure;
  for (int k = 0; k < TS_IR_CATEGORIES; k++) {
    cr_expect_geq(category[k], s->base[k], "category %d at %llu: %lld bytes below\n%s", k,
                  (unsigned long long)time, (long long)(s->base[k] - category[k]), s->plan);
    s->last[k] = category[k];
  }
}

static void check(const ts_ir *ir, const ts_run *run, uint32_t rank, const char *text)
{
  const ts_result *result = ts_run_result(run);
  const ts_ir_program *p = &ir->programs[result->classes[result->class_of[rank]].program];
  seen s = {.plan = text};
  for (uint32_t h = 0; h < p->holding_count; h++)
    s.base[ir->holdings[p->first_holding + h].category] +=
      (int64_t)ir->holdings[p->first_holding + h].bytes;
  ts_memory_curve(ir, run, rank, see, &s);
  for (int k = 0; k < TS_IR_CATEGORIES; k++)
    cr_expect_eq(s.last[k], s.base[k], "category %d: %lld bytes are never given back\n%s", k,
                 (long long)(s.last[k] - s.base[k]), text);
}

Test(never_below, plans_drawn_at_random)
{
  drawn d = {.state = 30};
  for (unsigned n = 0; n < amount(60, 240); n++) {
    ts_arena *arena = ts_arena_new("test");
    int ranks;
    const char *text = plan_of(arena, &d, &ranks);
    plan_text plan = plan_open(text);
    ts_stop stop = {.arena = arena};
    ts_run *run = ts_run_new(&plan.input.ir, &(ts_run_options){0}, &stop);
    cr_assert(run, "%s", text);
    for (int r = 0; r < ranks; r++)
      check(&plan.input.ir, run, (uint32_t)r, text + strlen(model));
    ts_run_free(run);
    plan_close(&plan);
    ts_arena_free(arena);
  }
}
