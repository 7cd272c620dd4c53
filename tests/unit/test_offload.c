/* Activations on the host: what comes back has left before. In plans drawn at random every copy
 * from the host begins after the copy to it has ended, bytes there and back are equal, what is
 * recomputed waits for what comes back, and a rank never holds more than without the host. */
#include "tests/unit/amount.h"
#include "tests/unit/plan_text.h"

#include <string.h>

#include "runtime/account/memory.h"
#include "runtime/account/result.h"

enum { MOST_MICRO_BATCHES = 64 };

typedef struct way { /* of the copies of a micro-batch and chunk */
  double bytes;
  uint64_t first, first_end, last, again; /* again: when its recomputation begins, plus 1 */
} way;

typedef struct copies {
  const ts_ir *ir;
  way out[MOST_MICRO_BATCHES], back[MOST_MICRO_BATCHES];
  double seconds; /* of all copies to the host */
} copies;

static void see(void *closure, const ts_span_event *e)
{
  copies *c = closure;
  const ts_ir_item *item = &c->ir->items[e->item];
  uint32_t which = item->micro_batch * 4 + item->chunk;
  if (e->node->op == TS_IR_COMPUTE && e->node->phase == TS_IR_PHASE_RECOMPUTE &&
      !c->back[which].again)
    c->back[which].again = e->start + 1;
  const char *stream = c->ir->strings + c->ir->streams[e->node->stream].name;
  bool out = !strcmp(stream, "to the host"), back = !strcmp(stream, "from the host");
  if (e->node->op != TS_IR_COMPUTE || (!out && !back))
    return;
  cr_assert(which < MOST_MICRO_BATCHES);
  way *w = out ? &c->out[which] : &c->back[which];
  if (w->bytes == 0)
    w->first = e->start, w->first_end = e->end;
  w->last = e->end;
  w->bytes += c->ir->kernels[e->node->arg].bytes;
  c->seconds += out ? (double)(e->end - e->start) * 1e-12 : 0;
}

static void most(void *closure, uint64_t time, const int64_t category[TS_IR_CATEGORIES])
{
  int64_t *peak = closure;
  cr_assert_geq(category[TS_IR_ACTIVATIONS], 0, "at %llu", (unsigned long long)time);
  *peak = category[TS_IR_ACTIVATIONS] > *peak ? category[TS_IR_ACTIVATIONS] : *peak;
}

typedef struct outcome { uint64_t step; int64_t peak; double seconds; } outcome;

static outcome play(const char *schedule, int ranks, int layers, const char *strategy,
                    const char *more)
{
  ts_arena *arena = ts_arena_new("test");
  plan_text plan = plan_open(ts_arena_printf(
    arena,
    "import std.models.gpt, std.clusters.dgx, std.gpus.nvidia, std.precision, "
    "std.strategies.offload\n"
    "import std.schedules.one_f_one_b, std.schedules.interleaved, std.schedules.zero_bubble\n"
    "import std.schedules.gpipe, std.schedules.dual_pipe, std.schedules.single\n"
    "import std.strategies.recompute, std.optimizers.adam\n"
    "plan test {\n  model = gpt(layers: %d, hidden: 512, heads: 8, vocab: 64, seq: 512, flash: "
    "true)\n"
    "  cluster = dgx_h100(nodes: 1)\n  mesh = { pp: %d }\n  apply = [%s]\n  schedule = %s\n%s"
    "  batch = { micro: 1 }\n  precision = mixed(bf16)\n  optimizer = adam()\n"
    "  costs = [roofline(h100_sxm)]\n}\n",
    layers, ranks, strategy, schedule, more));
  ts_stop stop = {.arena = arena};
  ts_run *run = ts_run_new(&plan.input.ir, &(ts_run_options){0}, &stop);
  cr_assert(run);
  outcome o = {.step = ts_run_result(run)->step};
  for (int r = 0; r < ranks; r++) {
    copies c = {.ir = &plan.input.ir};
    ts_run_timeline(run, (uint32_t)r, see, &c);
    ts_memory_curve(&plan.input.ir, run, (uint32_t)r, most, &o.peak);
    o.seconds = c.seconds > o.seconds ? c.seconds : o.seconds;
    for (int k = 0; k < MOST_MICRO_BATCHES; k++) {
      if (strstr(schedule, "dual_pipe")) /* items of two micro-batches */
        break;
      cr_assert_float_eq(c.out[k].bytes, c.back[k].bytes, 0.5, "%s", schedule);
      cr_assert(!c.back[k].again || c.back[k].again > c.back[k].first_end,
                "%s, %s: recomputed before it is back", schedule, strategy);
      cr_assert(c.back[k].bytes == 0 || c.back[k].first >= c.out[k].last,
                "%s, %s, rank %d: micro-batch %d comes back at %llu, has left at %llu", schedule,
                strategy, r, k / 4, (unsigned long long)c.back[k].first,
                (unsigned long long)c.out[k].last);
    }
  }
  ts_run_free(run);
  plan_close(&plan);
  ts_arena_free(arena);
  return o;
}

Test(offload, comes_back_after_it_has_left)
{
  static const struct { const char *schedule; int ranks, layers; } of[] = {
    {"accumulate(m: 1)", 1, 6}, {"accumulate(m: 3)", 1, 4}, {"gpipe(p: pp, m: 4)", 4, 8},
    {"one_f_one_b(p: pp, m: 8)", 4, 8}, {"one_f_one_b(p: pp, m: 3)", 2, 6},
    {"interleaved_one_f_one_b(p: pp, m: 8, v: 2)", 4, 8}, {"zb_1p(p: pp, m: 8)", 4, 8},
    {"zb_v_fixed(p: pp, m: 8)", 4, 8}, {"dual_pipe_v(p: pp, m: 8)", 4, 8}};
  uint32_t state = 17;
  for (unsigned n = 0; n < amount(9, 36); n++) {
    state = state * 1664525u + 1013904223u;
    uint32_t r = state >> 8, k = n % (sizeof of / sizeof *of);
    static const int rates[] = {1, 5, 20, 50, 200, 1000};
    char strategy[128];
    snprintf(strategy, sizeof strategy, "offload_activations(link: %d GB/s, ahead: %u)",
             rates[r % 6], (r >> 3) % 3);
    const char *more = (r >> 5) % 3 ? "" : "  recompute = full()\n";
    outcome with = play(of[k].schedule, of[k].ranks, of[k].layers, strategy, more);
    outcome without = play(of[k].schedule, of[k].ranks, of[k].layers, "", more);
    cr_assert_geq(with.step, without.step, "%s, %s", of[k].schedule, strategy);
    cr_assert_leq(with.peak, without.peak, "%s, %s: %lld, without %lld", of[k].schedule, strategy,
                  (long long)with.peak, (long long)without.peak);
  }
}

/* The last layer leaves last and is needed first: over a slow link a step takes both ways. */
Test(offload, one_way_after_the_other)
{
  outcome o = play("accumulate(m: 1)", 1, 6, "offload_activations(link: 1 GB/s)", "");
  double step = (double)o.step * 1e-12;
  cr_assert_geq(step, 2 * o.seconds);
  cr_assert_leq(step, 2.1 * o.seconds);
}

/* Of several micro-batches the first comes back while the others leave: a slow link is busy with
 * both ways at once, m + 1 times one of m. */
Test(offload, both_ways_at_once)
{
  outcome o = play("gpipe(p: pp, m: 12)", 2, 4, "offload_activations(link: 1 GB/s)", "");
  cr_assert_geq((double)o.step * 1e-12, 13 / 12.0 * o.seconds);
  cr_assert_leq((double)o.step * 1e-12, 13.5 / 12.0 * o.seconds);
}
