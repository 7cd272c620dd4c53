/* Loads of experts. In layers drawn at random, with any real load of at least 1, or any tokens of
 * experts: kernels and all-to-alls are those of the fullest rank, each layer has its own, and the
 * model's FLOPs are those of a balanced router. */
#include "tests/unit/amount.h"
#include "tests/unit/plan_text.h"

#include <math.h>
#include <string.h>

enum { LAYERS = 2, HIDDEN = 128, FFN = 64, MOST_EXPERTS = 24 };

typedef struct setting {
  int experts, top, ep, tp, micro, seq;
  bool counted;                      /* tokens of experts, not a number */
  double times[LAYERS];
  int tokens[LAYERS][MOST_EXPERTS];
} setting;

static int between(int low, int high) { return low + rand() % (high - low + 1); }

static setting draw_setting(void)
{
  setting s = {
    .ep = between(1, 4), .tp = between(1, 2), .top = between(1, 2), .seq = 2 * between(5, 60)};
  s.experts = s.ep * between(1, 6);
  s.experts = s.experts < 2 * s.top ? 2 * s.top * s.ep : s.experts;
  s.micro = s.ep * between(1, 3);
  s.counted = rand() % 2;
  for (int l = 0; l < LAYERS; l++) {
    s.times[l] = 1 + ((double)s.experts / s.top - 1) * rand() / RAND_MAX;
    for (int e = 0; e < s.experts; e++)
      /* no more than twice the least: all are possible for experts >= 2 top */
      s.tokens[l][e] = between(50, 100);
  }
  return s;
}

/* Of the fullest rank over the mean. */
static double fullest(const setting *s, int layer)
{
  if (!s->counted)
    return fmin(s->times[layer], s->ep);
  int each = s->experts / s->ep, most = 0, all = 0;
  for (int r = 0; r < s->ep; r++) {
    int sum = 0;
    for (int k = 0; k < each; k++)
      sum += s->tokens[layer][r * each + k];
    most = sum > most ? sum : most;
    all += sum;
  }
  return (double)most * s->ep / all;
}

static const char *load_text(ts_arena *arena, const setting *s)
{
  const char *text = "[";
  for (int l = 0; l < LAYERS; l++) {
    text = ts_arena_printf(arena, "%s%s[", text, l ? ", " : "");
    for (int e = 0; e < (s->counted ? s->experts : 1); e++)
      text = s->counted ? ts_arena_printf(arena, "%s%s%d", text, e ? ", " : "", s->tokens[l][e]) :
                          ts_arena_printf(arena, "%s%.15g", text, s->times[l]);
    text = ts_arena_printf(arena, "%s]", text);
  }
  return ts_arena_printf(arena, "%s]", text);
}

static plan_text compiled(ts_arena *arena, const setting *s, const char *load)
{
  return plan_open(ts_arena_printf(
    arena,
    "import std.models.llama_moe, std.clusters.dgx, std.precision, std.strategies.experts, "
    "std.strategies.megatron, std.schedules.single\n"
    "plan test {\n  model = llama_moe(layers: %d, hidden: %d, heads: 4, kv_heads: 4, ffn: %d, "
    "experts: %d, top: %d, vocab: 64, seq: %d, load: %s)\n"
    "  cluster = dgx_h100(nodes: 1)\n  mesh = { tp: %d, ep: %d }\n  apply = [%s, "
    "expert_parallel(ep), data_parallel(ep)]\n"
    "  schedule = accumulate(m: 1)\n  batch = { micro: %d }\n  precision = mixed(bf16)\n  costs = "
    "[roofline(h100_sxm)]\n}\nimport std.strategies.data\n",
    LAYERS, HIDDEN, FFN, s->experts, s->top, s->seq, load, s->tp, s->ep,
    s->tp > 1 ? "tensor_sequence_parallel(tp), expert_tensor_parallel(tp)" : "none", s->micro));
}

/* FLOP of an expert layer's first product, or bytes of the all-to-all before it. */
static double seen(const ts_ir *ir, int layer, bool bytes)
{
  char label[64];
  snprintf(label, sizeof label, "layer[%d].moe.%s", layer, bytes ? "dispatch" : "experts.up");
  for (uint32_t n = 0; n < ir->nodes_count; n++) {
    const ts_ir_node *node = &ir->nodes[n];
    if (strcmp(ir->strings + node->label, label) ||
        node->op != (bytes ? TS_IR_COLLECTIVE : TS_IR_COMPUTE))
      continue;
    return bytes ? (double)ir->collectives[node->arg].bytes : ir->kernels[node->arg].flops;
  }
  return 0;
}

static double up(double x) { return ceil(x * (1 - 1e-12)); }

Test(load, the_fullest_rank_is_played)
{
  srand(11);
  for (unsigned i = 0; i < amount(15, 60); i++) {
    ts_arena *arena = ts_arena_new("test");
    setting s = draw_setting();
    plan_text even = compiled(arena, &s, "1"), uneven = compiled(arena, &s, load_text(arena, &s));
    double copies = up((double)s.micro * s.seq * s.top / s.experts);
    for (int l = 0; l < LAYERS; l++) {
      double f = fullest(&s, l), sent = s.experts * up(copies / s.ep / s.tp),
             received = (double)s.experts / s.ep * up(copies * f / s.tp);
      cr_assert_eq(seen(&uneven.input.ir, l, false),
                   2 * up(copies * f) * s.experts / s.ep * HIDDEN * 2 * FFN / s.tp,
                   "%d of %d experts on %d ranks, %g times", s.top, s.experts, s.ep, f);
      if (s.ep > 1)
        cr_assert_eq(seen(&uneven.input.ir, l, true), 2 * HIDDEN * fmax(sent, received),
                     "%d of %d experts on %d ranks, %g times", s.top, s.experts, s.ep, f);
    }
    cr_assert_eq(even.input.ir.meta->model_flops_per_step,
                 uneven.input.ir.meta->model_flops_per_step);
    plan_close(&even);
    plan_close(&uneven);
    ts_arena_free(arena);
  }
}
