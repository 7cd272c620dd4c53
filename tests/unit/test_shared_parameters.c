/* Parameters that are gathered for the forward and kept for the backward: one copy of a stage for
 * all micro-batches of a step, in any pipeline. A layer of GPT of width h has 12 h h + 13 h of
 * them. */
#include "tests/unit/plan_text.h"

#include <string.h>

enum { HIDDEN = 256, LAYER = 12 * HIDDEN * HIDDEN + 13 * HIDDEN };

typedef struct seen { double gathered; int64_t held, most, left; } seen; /* bytes; held: at rest */

static void count(const ts_ir *ir, const ts_ir_node *n, seen *s)
{
  if (n->op == TS_IR_COLLECTIVE && ir->collectives[n->arg].kind == TS_IR_ALL_GATHER)
    s->gathered += (double)ir->collectives[n->arg].bytes;
  for (uint32_t m = n->first_mem; m < n->first_mem + n->mem_count; m++) {
    s->left += ir->mems[m].category == TS_IR_PARAMETERS ? ir->mems[m].bytes : 0;
    s->most = s->left > s->most ? s->left : s->most;
    cr_assert_geq(s->left, 0);
  }
}

static seen of_program(const char *schedule, const char *strategy, int ranks, int layers,
                       int program)
{
  ts_arena *arena = ts_arena_new("test");
  plan_text plan = plan_open(ts_arena_printf(
    arena,
    "import std.models.gpt, std.clusters.dgx, std.gpus.nvidia, std.precision, std.strategies.data\n"
    "import std.schedules.one_f_one_b, std.schedules.interleaved, std.schedules.zero_bubble\n"
    "import std.schedules.gpipe, std.schedules.dual_pipe, std.schedules.single\n"
    "plan test {\n  model = gpt(layers: %d, hidden: %d, heads: 4, vocab: 64, seq: 128, flash: "
    "true)\n"
    "  cluster = dgx_h100(nodes: 4)\n  mesh = { dp: 2, r: 2, pp: %d }\n  apply = [%s]\n"
    "  schedule = %s\n  batch = { micro: 1 }\n  precision = mixed(bf16)\n"
    "  costs = [roofline(h100_sxm)]\n}\n",
    layers, HIDDEN, ranks, strategy, schedule));
  const ts_ir *ir = &plan.input.ir;
  const ts_ir_program *p = &ir->programs[program];
  seen s = {0};
  for (uint32_t h = p->first_holding; h < p->first_holding + p->holding_count; h++)
    s.held += ir->holdings[h].category == TS_IR_PARAMETERS ? (int64_t)ir->holdings[h].bytes : 0;
  for (uint32_t i = p->first_item; i < p->first_item + p->item_count; i++) {
    const ts_ir_fragment *f = &ir->fragments[ir->items[i].fragment];
    for (uint32_t n = f->first_node; n < f->first_node + f->node_count; n++)
      count(ir, &ir->nodes[n], &s);
  }
  cr_assert_eq(s.left, 0, "%s: %lld bytes stay", schedule, (long long)s.left);
  plan_close(&plan);
  ts_arena_free(arena);
  return s;
}

/* Of every pipeline a rank in the middle, with `chunks` layers. */
static void once(const char *schedule, int ranks, int chunks)
{
  static const char *const strategies[] = {"fsdp(dp * r, reshard: false)",
                                           "hsdp(dp, r, reshard: false)"};
  for (int k = 0; k < 2; k++) {
    seen s = of_program(schedule, strategies[k], ranks, ranks * chunks, 1);
    cr_assert_eq((int64_t)s.gathered, 2 * (int64_t)chunks * LAYER, "%s, %s: %.0f gathered",
                 schedule, strategies[k], s.gathered);
    cr_assert_eq(s.most, 2 * (int64_t)chunks * LAYER, "%s, %s: %lld held", schedule, strategies[k],
                 (long long)s.most);
    cr_assert_eq(s.held, 2 * (int64_t)chunks * LAYER / (k ? 2 : 4));
  }
}

Test(shared_parameters, gathered_once_and_held_once)
{
  once("gpipe(p: pp, m: 5)", 4, 1);
  once("one_f_one_b(p: pp, m: 4)", 4, 1);
  once("one_f_one_b(p: pp, m: 13)", 4, 1);
  once("interleaved_one_f_one_b(p: pp, m: 8, v: 2)", 4, 2);
  once("breadth_first(p: pp, m: 6, v: 3)", 3, 3);
  once("zb_1p(p: pp, m: 8)", 4, 1);
  once("zb_h1(p: pp, m: 8)", 4, 1);
  once("zb_v_fixed(p: pp, m: 8)", 4, 2);
  once("dual_pipe_v(p: pp, m: 8)", 4, 2);
}

/* Without a pipeline each backward drops what its forward has gathered, as torch's FSDP does by
 * itself. */
Test(shared_parameters, micro_batches_one_by_one)
{
  seen one = of_program("accumulate(m: 1)", "fsdp(dp * r * pp, reshard: false)", 1, 3, 0);
  seen five = of_program("accumulate(m: 5)", "fsdp(dp * r * pp, reshard: false)", 1, 3, 0);
  cr_assert_eq((int64_t)five.gathered, 5 * (int64_t)one.gathered);
  cr_assert_eq(five.most, one.most);
}

/* Resharded, each micro-batch gathers for itself, twice, and holds two layers at most. */
Test(shared_parameters, resharded)
{
  seen s = of_program("one_f_one_b(p: pp, m: 6)", "fsdp(dp * r)", 4, 8, 1);
  cr_assert_eq((int64_t)s.gathered, 6 * 2 * 2 * (int64_t)2 * LAYER);
  cr_assert_leq(s.most, 2 * (int64_t)2 * LAYER);
}
