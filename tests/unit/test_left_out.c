/* Rounds that an order leaves out: a plan played without them is the plan played with all of them, to
 * the picosecond and byte, on random plans. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/compile.h"
#include "runtime/account/memory.h"
#include "runtime/account/run.h"
#include "runtime/report/summary.h"
#include "tests/unit/amount.h"
#include "tests/unit/random_ir.h"

enum { DEFINES = 8 };

typedef struct left_out_plan {
  const char *file, *text;
  ts_define defines[DEFINES];
  uint32_t define_count;
} left_out_plan;

typedef struct left_out_play {
  ts_arena *arena;
  ts_input input;
  ts_run *run;
  ts_stop stop;
  const ts_memory *memory;
} left_out_play;

static bool play(left_out_play *to, const left_out_plan *plan, uint32_t listed)
{
  const char *root = getenv("top_srcdir");
  *to = (left_out_play){.arena = ts_arena_new("test")};
  to->stop.arena = to->arena;
  ts_session *s = ts_session_new(to->arena);
  ts_compile_options o = {
    .defines = plan->defines, .define_count = plan->define_count, .listed = listed};
  const char *path = ts_arena_printf(to->arena, "%s/%s", root ? root : ".", plan->file);
  if (!(plan->text ? ts_input_compile(s, path, plan->text, strlen(plan->text), &o, &to->input) :
                     ts_input_open(s, path, &o, &to->input)))
    cr_assert_fail("%s: %s", ts_diags_first_error(s->diags), plan->text);
  to->run = ts_run_new(&to->input.ir, &(ts_run_options){.threads = 1}, &to->stop);
  to->memory = to->run ? ts_memory_new(to->arena, &to->input.ir, to->run) : NULL;
  return true;
}

static void end(left_out_play *p)
{
  ts_run_free(p->run);
  ts_input_close(&p->input);
  ts_arena_free(p->arena);
}

static void same_comms(const ts_class_result *a, const ts_class_result *b, const char *what)
{
  cr_assert_eq(a->comm_count, b->comm_count, "%s", what);
  for (uint32_t i = 0; i < a->comm_count; i++)
    cr_assert(!memcmp(&a->comms[i], &b->comms[i], sizeof a->comms[i]), "traffic %u of %s", i, what);
}

static void same_classes(const ts_result *a, const ts_result *b, const char *what)
{
  for (uint32_t c = 0; c < a->class_count; c++) {
    ts_class_result x = a->classes[c], y = b->classes[c];
    cr_assert_eq(x.end, y.end, "end of %u of %s", c, what);
    cr_assert_eq(x.bubble, y.bubble, "bubble of %u of %s", c, what);
    cr_assert_eq(x.host, y.host, "host of %u of %s", c, what);
    same_comms(&x, &y, what);
    x.comms = y.comms = NULL;
    cr_assert(!memcmp(&x, &y, sizeof x), "class %u of %s", c, what);
  }
}

static void same_moment(const ts_memory_moment *a, const ts_memory_moment *b,
                        const left_out_play *x, const left_out_play *y, const char *what)
{
  const ts_ir *p = &x->input.ir, *q = &y->input.ir;
  cr_assert_eq(a->time, b->time, "moment of %s", what);
  cr_assert_eq(!a->node, !b->node, "%s", what);
  if (!a->node)
    return;
  cr_assert_eq(a->node - p->nodes, b->node - q->nodes, "%s", what);
  cr_assert_eq(p->items[a->item].micro_batch, q->items[b->item].micro_batch, "%s", what);
  cr_assert_eq(p->items[a->item].fragment, q->items[b->item].fragment, "%s", what);
}

static void same_memory(const left_out_play *a, const left_out_play *b, const char *what)
{
  for (uint32_t c = 0; c < a->memory->class_count; c++) {
    const ts_memory_class *x = &a->memory->classes[c], *y = &b->memory->classes[c];
    cr_assert_eq(x->peak, y->peak, "peak of %u of %s", c, what);
    cr_assert_eq(x->over, y->over, "%s", what);
    cr_assert(!memcmp(x->category, y->category, sizeof x->category), "%s", what);
    same_moment(&x->at_peak, &y->at_peak, a, b, what);
    same_moment(&x->first_over, &y->first_over, a, b, what);
    cr_assert_eq(x->holder_count, y->holder_count, "%s", what);
    for (uint32_t h = 0; h < x->holder_count; h++) {
      cr_assert_eq(x->holders[h].bytes, y->holders[h].bytes, "%s", what);
      cr_assert_eq(x->holders[h].count, y->holders[h].count, "%s", what);
    }
  }
}

static void same_path(const left_out_play *a, const left_out_play *b, const char *what)
{
  ts_critical_parts x = ts_run_critical(a->run), y = ts_run_critical(b->run);
  uint64_t sum = 0;
  cr_assert_eq(x.count, y.count, "%s", what);
  for (uint32_t i = 0; i < x.count; i++) {
    cr_assert_eq(x.at[i].time, y.at[i].time, "path %u of %s", i, what);
    cr_assert_eq(x.at[i].count, y.at[i].count, "path %u of %s", i, what);
    cr_assert_str_eq(x.at[i].name, y.at[i].name, "%s", what);
    sum += y.at[i].time;
  }
  cr_assert_eq(sum, ts_run_result(b->run)->step, "path of %s", what);
}

static void same_figures(const left_out_play *a, const left_out_play *b, const char *what)
{
  const ts_result *x = ts_run_result(a->run), *y = ts_run_result(b->run);
  cr_assert_eq(x->step, y->step, "step of %s: %llu, not %llu", what, (unsigned long long)y->step,
               (unsigned long long)x->step);
  cr_assert_eq(x->class_count, y->class_count, "%s", what);
  cr_assert_eq(x->nodes, y->nodes, "%s", what);
  cr_assert_eq(x->nodes_played, y->nodes_played, "%s", what);
  cr_assert(!memcmp(&x->fullest, &y->fullest, sizeof x->fullest), "%s", what);
  for (uint32_t i = 0; x->network_uses && i < 2 * (a->input.ir.net_models_count + 1); i++)
    cr_assert_eq(x->network_uses[i].calls, y->network_uses[i].calls, "%s", what);
  same_classes(x, y, what);
  same_memory(a, b, what);
  same_path(a, b, what);
}

/* Whether rounds were left out, and the play showed what they come to. */
static bool compare(const left_out_plan *plan, const char *what)
{
  left_out_play all, some;
  bool steady = false;
  bool good = play(&all, plan, 0);
  if (good) {
    cr_assert(all.run, "%s: %s", what, all.stop.title);
    cr_assert(play(&some, plan, 8), "%s is refused with fewer rounds", what);
    cr_assert(some.run || some.stop.unsteady, "%s: %s", what, some.stop.title);
    steady = some.run && some.input.ir.left_out;
    if (some.run)
      same_figures(&all, &some, what);
    end(&some);
  }
  end(&all);
  return steady;
}

static const char *among(random_ir *g, const char *const *texts, uint32_t count)
{
  return texts[random_between(g, 0, count - 1)];
}
#define AMONG(g, ...)                                                                              \
  among(g, (const char *const[]){__VA_ARGS__},                                                     \
        sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static const char orders[] =
  "schedule slack(p: Axis, m: Int, more: Int) {\n  stages p\n  at s in 0..p {\n"
  "    let warm = min(p - 1 - s + more, m)\n    for i in 0..warm { F(i) }\n"
  "    for i in warm..m { F(i) B(i - warm) }\n    for i in m - warm..m { B(i) }\n  }\n}\n"
  "schedule split(p: Axis, m: Int) {\n  stages p\n  at s in 0..p {\n"
  "    let warm = min(p - 1 - s, m)\n    for i in 0..warm { F(i) }\n"
  "    for i in warm..m { F(i) I(i - warm) W(i - warm) }\n"
  "    for i in m - warm..m { I(i) W(i) }\n  }\n}\n"
  "schedule paired(p: Axis, m: Int) {\n  stages p\n  at s in 0..p {\n"
  "    let warm = min(2 * (p - s), m)\n    for i in 0..warm { F(i) }\n"
  "    for i in warm..m { pair F(i) with B(i - warm) }\n"
  "    for i in m - warm..m { B(i) }\n  }\n}\n"
  "schedule late(p: Axis, m: Int) {\n  stages p\n  at s in 0..p {\n"
  "    let warm = min(p - 1 - s, m)\n    for i in 0..warm { F(i) }\n"
  "    for i in warm..m { F(i) I(i - warm) if i > warm + 2 { W(i - warm - 3) } }\n"
  "    for i in m - warm..m { I(i) }\n    for i in max(m - warm - 3, 0)..m { W(i) }\n  }\n}\n";

/* Orders of several chunks a rank, by `next`, by conditions and by policies. */
static const char *random_chunks(random_ir *g, uint32_t pp)
{
  return AMONG(g, "interleaved_one_f_one_b(p: pp, m: pp * div(%u, 4), v: 2)",
               "interleaved_one_f_one_b(p: pp, m: 2 * pp * div(%u, 4), v: 2, group: 2 * pp)",
               "one_f_one_b_beside(p: pp, m: pp * div(%u, 4), v: 2)", "zb_1p(p: pp, m: pp * %u)",
               "zb_1p(p: pp, m: pp * div(%u, 4), v: 2)", "zb_h2(p: pp, m: %u)",
               "zb_v_fixed(p: pp, m: %u)", "v_half(p: pp, m: %u)", "one_f_one_b_v(p: pp, m: %u)",
               "dual_pipe_v(p: pp, m: %u)",
               pp > 1 ? "dual_pipe(p: pp, m: 2 * %u)" : "accumulate(m: %u)",
               "eager_one_f_one_b(p: pp, m: %u)");
}

static left_out_plan random_plan(ts_arena *arena, random_ir *g)
{
  bool deep = !random_between(g, 0, 9); /* a pipeline that takes longer to fill than to settle */
  uint32_t pp = deep ? 64 : 1u << random_between(g, 0, 3),
           layers = 2 * pp * random_between(g, 1, 2);
  const char *schedule =
    random_between(g, 0, 1) ?
      random_chunks(g, pp) :
      AMONG(g, "one_f_one_b(p: pp, m: %u)", "one_f_one_b(p: pp, m: %u, balanced: true)",
            "slack(p: pp, m: %u, more: 0)", "slack(p: pp, m: %u, more: 3)", "split(p: pp, m: %u)",
            "paired(p: pp, m: %u)", "late(p: pp, m: %u)", "gpipe(p: pp, m: %u)",
            "zb_h1(p: pp, m: %u)");
  uint32_t m = random_between(g, 50, 160) + 4 * (deep ? pp : 0);
  char order[128];
  const char *at = strchr(schedule, '%');
  snprintf(order, sizeof order, "%.*s%u%s", (int)(at - schedule), schedule, m, at + 2);
  const char *text = ts_arena_printf(
    arena,
    "import std.models.gpt, std.clusters.dgx, std.optimizers.adam, std.precision, std.hosts\n"
    "import std.strategies.data, std.strategies.megatron, std.strategies.offload\n"
    "import std.strategies.recompute, std.schedules.one_f_one_b, std.schedules.gpipe\n"
    "import std.schedules.zero_bubble, std.schedules.interleaved, std.schedules.beside\n"
    "import std.schedules.dual_pipe, std.schedules.controllable_memory, std.schedules.single\n"
    "import std.networks, std.costs\n%s"
    "plan random(tp: Int = %s, dp: Int = %s, pp: Int = %u) {\n"
    "  model = gpt(layers: %u, hidden: %s, heads: 16, vocab: %s, seq: %s)\n"
    "  cluster = %s(nodes: ceil_div(tp * dp * pp, 8))\n  mesh = { %s }\n"
    "  apply = [%s, %s, %s]\n  recompute = %s\n  schedule = %s\n"
    "  precision = mixed(bf16)\n  optimizer = adam()\n  costs = training_a100\n  %s\n  %s\n}\n",
    orders, AMONG(g, "1", "2"), AMONG(g, "1", "2", "4"), pp, layers,
    AMONG(g, "256", "1024", "2048"), AMONG(g, "1000", "50000"), AMONG(g, "128", "1024"), "dgx_a100",
    AMONG(g, "tp, dp, pp", "tp, pp, dp", "pp, tp, dp"),
    AMONG(g, "tensor_parallel(tp)", "tensor_sequence_parallel(tp)"),
    AMONG(g, "data_parallel(dp)", "data_parallel(dp, bucket: 2 MiB)", "zero1(dp)", "zero2(dp)",
          "zero3(dp)"),
    AMONG(g, "none", "none", "offload_activations()"), AMONG(g, "none", "selective(\"attn.core\")"),
    order,
    AMONG(g, "", "host = megatron_host", "host = eager_torch", "host = eager_host()",
          "host = { launch: 100 us, collective: 20 us, message: 20 us, item: 0 us, step: 5 ms }"),
    AMONG(g, "", "network = a100_infiniband + nccl_ampere + [flow()]",
          "framework = { name: \"Megatron-LM\" }", "framework = { name: \"PyTorch\" }"));
  return (left_out_plan){.file = "tests/strategies/_random.ts", .text = text};
}

Test(left_out, changes_nothing_on_random_plans)
{
  uint32_t steady = 0, cases = amount(60, 2000);
  for (uint32_t i = 0; i < cases; i++) {
    ts_arena *arena = ts_arena_new("plan");
    random_ir g = {.state = i + 1};
    left_out_plan plan = random_plan(arena, &g);
    steady += compare(&plan, ts_arena_printf(arena, "plan %u", i));
    ts_arena_free(arena);
  }
  fprintf(stderr, "# rounds of %u plans of %u were left out\n", steady, cases);
  cr_assert_gt(steady, cases / 4);
}
