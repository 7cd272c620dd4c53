/* Orders of work as a problem by itself (runtime/pipeline/): its times are those of the engine, no
 * order is below its bound, and the search finds what trying all orders finds. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "compiler/schedule/schedule.h"
#include "plan_text.h"
#include "runtime/account/memory.h"
#include "runtime/account/result.h"
#include "runtime/pipeline/problem.h"
#include "tests/unit/amount.h"

/* A plan, played, and the pipeline of its IR. */
typedef struct opened {
  plan_text plan;
  const ts_schedule *sc;
  ts_pipeline *p;
  uint64_t step, peak;
} opened;

static opened open_plan(const char *text)
{
  opened o = {.plan = plan_open(text)};
  ts_arena *arena = o.plan.arena;
  ts_stop stop = {.arena = arena};
  ts_run_options options = {0};
  ts_prepared prepared;
  ts_error why = {0};
  o.sc = o.plan.input.schedule;
  ts_run *run = ts_run_new(&o.plan.input.ir, &options, &stop);
  cr_assert(run, "%s", stop.title);
  const ts_memory *memory = ts_memory_new(arena, &o.plan.input.ir, run);
  o.step = ts_run_result(run)->step;
  o.peak = memory->classes[memory->fullest].peak;
  cr_assert(ts_run_prepare(arena, &o.plan.input.ir, &options, &prepared, &stop));
  ts_pipeline_stages stages = {o.sc->chunks, o.sc->stages, o.sc->parts, o.sc->stage_of};
  o.p = ts_pipeline_new(arena, &prepared, &stages, ts_run_result(run)->critical_rank, &why);
  cr_assert(o.p, "%s", why.message);
  for (uint32_t r = 0; r < o.p->ranks; r++)
    o.p->room[r] = TS_PIPELINE_LATE;
  ts_run_free(run);
  return o;
}

static uint16_t *own_word(const opened *o)
{
  const ts_pipeline *p = o->p;
  uint16_t *sequence = TS_NEW_ARRAY(o->plan.arena, uint16_t, ts_pipeline_size(p) + 1);
  for (uint32_t r = 0, n = 0; r < p->ranks; r++)
    for (uint32_t i = 0; i < o->sc->order[r].count; i++) {
      const ts_placed *item = &o->sc->items.at[o->sc->order[r].first + i];
      for (uint32_t l = 0; l < p->letter_count && item->kind != TS_STEP; l++)
        if (p->letters[l].stage == item->stage && p->letters[l].kind == *ts_work_letter(item->kind))
          sequence[n++] = (uint16_t)l;
    }
  return sequence;
}

static const char imports[] =
  "import std.schedules.one_f_one_b, std.schedules.interleaved, std.schedules.zero_bubble\n"
  "import std.schedules.controllable_memory, std.schedules.chimera, std.schedules.waves\n"
  "import std.schedules.gpipe, std.networks\n";

/* A real model: groups of collectives inside a stage and between replicas, a host that issues
 * kernels, messages inside nodes and between them, a head and an embedding that share a weight. */
static const char real[] =
  "import std.models.gpt, std.clusters.dgx, std.optimizers.adam, std.precision, std.hosts\n"
  "import std.costs, std.strategies.megatron, std.strategies.data\n"
  "plan real {\n"
  "  model = gpt(layers: 16, hidden: 512, heads: 8, vocab: 6400, seq: 256)\n"
  "  cluster = dgx_a100(nodes: 2)\n"
  "  mesh = { tp: 2, pp: 4, dp: 2 }\n"
  "  apply = [tensor_sequence_parallel(tp), data_parallel(dp)]\n"
  "  schedule = %s\n"
  "  batch = { micro: 1, global: 2 * %s }\n"
  "  tokens = 256\n  precision = mixed(bf16)\n  optimizer = adam()\n"
  "  costs = training_a100\n  network = a100_infiniband\n  host = megatron_host\n}\n";

static const char *const real_schedules[][2] = {
  {"gpipe(p: pp, m: 6)", "6"},
  {"one_f_one_b(p: pp, m: 8)", "8"},
  {"interleaved_one_f_one_b(p: pp, m: 8, v: 2)", "8"},
  {"zb_h1(p: pp, m: 8)", "8"},
  {"zb_h2(p: pp, m: 8)", "8"},
  {"zb_v(p: pp, m: 8)", "8"},
  {"v_half(p: pp, m: 8)", "8"},
  {"hanayo(p: pp, m: 4, waves: 2)", "4"},
  {"chimera(p: pp, m: 8)", "8"},
};

Test(pipeline, times_are_those_of_the_engine)
{
  for (size_t k = 0; k < sizeof real_schedules / sizeof *real_schedules; k++) {
    char text[4096];
    snprintf(text, sizeof text, "%s", imports);
    snprintf(text + strlen(text), sizeof text - strlen(text), real, real_schedules[k][0],
             real_schedules[k][1]);
    opened o = open_plan(text);
    ts_pipeline_play *play = ts_pipeline_play_new(o.plan.arena, o.p);
    uint16_t *sequence = own_word(&o);
    int64_t peak;
    cr_expect_eq(ts_pipeline_time(play, sequence), (int64_t)o.step, "%s: %lld and %llu",
                 real_schedules[k][0], (long long)ts_pipeline_time(play, sequence),
                 (unsigned long long)o.step);
    for (uint32_t r = 0; r < o.p->ranks; r++)
      cr_expect(ts_pipeline_legal(play, sequence, r, TS_PIPELINE_LATE, &peak));
    cr_expect_leq(ts_pipeline_bound_of(o.p).step, (int64_t)o.step);
    plan_close(&o.plan);
  }
}

/* ---- Small pipelines of stated work ---- */

static const char stated[] =
  "op source(x: Tensor) {\n  weight w: [1]\n  output y: x.shape\n}\n"
  "op work(x: Tensor, f: Time, i: Time, w: Time, held: Size) {\n  output y: x.shape\n"
  "  forward { kernel stated { ps = f / 1 ps } }\n"
  "  backward(input) { kernel stated { ps = i / 1 ps } }\n"
  "  backward(weight) { kernel stated { ps = w / 1 ps } }\n  saves [held]\n}\n"
  "model stages_of(count: Int, f: Time, i: Time, w: Time, last: Real) {\n"
  "  x = source(input([1], bf16)) as source\n"
  "  repeat count as stage { x = work(x, f: f, i: i, w: w, held: 1 MiB) as work }\n"
  "  x = work(x, f: last * f, i: last * i, w: last * w, held: 1 MiB) as head\n  yield x\n}\n"
  "gpu worker {\n  memory = 1 TiB\n  bandwidth = 1 TB/s\n  peak = { fp32: 1 TFLOP/s }\n}\n"
  "cluster star(ranks: Int) {\n  device rank[ranks]: worker\n  switch center[1]\n"
  "  for r in 0..ranks { link rank[r] <-> center[0] { bandwidth = 1000 TB/s, latency = 0 us } "
  "}\n}\n"
  "fn own(ps: Real) -> Time = ps * 1 ps\n"
  "plan small {\n"
  "  model = stages_of(count: %d, f: %d ns, i: %d ns, w: %d ns, last: %g)\n"
  "  cluster = star(8)\n  schedule = %s\n  costs = [{ stated: own }, roofline(worker)]\n"
  "  network = [alpha_beta(base: %d ns, hop: 0 us, efficiency: 1)]\n}\n";

static opened open_small(const char *schedule, int stages, const int *cost, double last)
{
  char text[4096];
  snprintf(text, sizeof text, "%s", imports);
  snprintf(text + strlen(text), sizeof text - strlen(text), stated, stages, cost[0], cost[1],
           cost[2], last, schedule, cost[3]);
  return open_plan(text);
}

/* Every sequence of every rank, one within the other. */
typedef struct trier {
  const opened *o;
  ts_pipeline_play *play;
  uint16_t *sequence;
  uint32_t *count;
  int64_t best;
  uint64_t tried;
} trier;

static void try_all(trier *t, uint32_t rank, uint32_t place)
{
  const ts_pipeline *p = t->o->p;
  if (rank == p->ranks) {
    int64_t step = ts_pipeline_time(t->play, t->sequence);
    t->tried++;
    t->best = step < t->best ? step : t->best;
    return;
  }
  if (place == p->first[rank + 1]) {
    if (ts_pipeline_legal(t->play, t->sequence, rank, p->room[rank], NULL))
      try_all(t, rank + 1, place);
    return;
  }
  for (uint32_t k = p->own_first[rank]; k < p->own_first[rank + 1]; k++) {
    uint32_t letter = p->own[k], n = t->count[letter];
    bool good = n < p->micro_batches;
    for (int j = 0; j < 2; j++)
      good = good && (p->letters[letter].needs[j] == TS_PIPELINE_NONE ||
                      t->count[p->letters[letter].needs[j]] > n);
    if (!good)
      continue;
    t->count[letter]++;
    t->sequence[place] = (uint16_t)letter;
    try_all(t, rank, place + 1);
    t->count[letter]--;
  }
}

static int64_t best_of_all(const opened *o)
{
  trier t = {o,
             ts_pipeline_play_new(o->plan.arena, o->p),
             TS_NEW_ARRAY(o->plan.arena, uint16_t, ts_pipeline_size(o->p) + 1),
             TS_NEW_ARRAY(o->plan.arena, uint32_t, o->p->letter_count + 1),
             TS_PIPELINE_LATE,
             0};
  try_all(&t, 0, 0);
  return t.best;
}

static ts_pipeline_found improve(const opened *o, uint64_t orders, const uint16_t *begin)
{
  ts_pipeline_search how = {.seed = 1, .orders = orders};
  ts_pipeline_bound bound = ts_pipeline_bound_of(o->p);
  return ts_pipeline_improve(o->plan.arena, o->p, &begin, begin != NULL, &bound, &how);
}

static const struct small {
  const char *schedule;
  int stages;
  int cost[4];
  double last;
} smalls[] = {
  {"zb_1p(p: 2, m: 3)", 2, {10, 10, 10, 0}, 0},
  {"zb_1p(p: 2, m: 3)", 2, {10, 14, 6, 3}, 1.5},
  {"zb_1p(p: 3, m: 2)", 3, {10, 11, 9, 1}, 0.5},
  {"zb_1p(p: 3, m: 2)", 3, {7, 13, 21, 4}, 1.7},
  {"zb_v_fixed(p: 2, m: 1)", 4, {10, 11, 9, 2}, 1},
  {"one_f_one_b_v(p: 2, m: 2)", 4, {8, 9, 17, 5}, 2},
  {"chimera(p: 2, m: 4)", 2, {10, 20, 10, 1}, 1.4},
  {"gpipe(p: 3, m: 3)", 3, {10, 10, 10, 2}, 1.3},
};

/* With all the room there is, and with as little as the schedule's own order needs. */
Test(pipeline, bound_best_and_found)
{
  for (size_t k = 0; k < sizeof smalls / sizeof *smalls; k++)
    for (int tight = 0; tight < 2; tight++) {
      opened o = open_small(smalls[k].schedule, smalls[k].stages, smalls[k].cost, smalls[k].last);
      ts_pipeline_play *play = ts_pipeline_play_new(o.plan.arena, o.p);
      uint16_t *sequence = own_word(&o);
      for (uint32_t r = 0; r < o.p->ranks && tight; r++)
        ts_pipeline_legal(play, sequence, r, TS_PIPELINE_LATE, &o.p->room[r]);
      int64_t best = best_of_all(&o), bound = ts_pipeline_bound_of(o.p).step;
      cr_expect_eq(ts_pipeline_time(play, sequence), (int64_t)o.step);
      cr_expect_leq(bound, best, "%s", smalls[k].schedule);
      ts_pipeline_found found = improve(&o, 6000, NULL), again = improve(&o, 6000, NULL);
      cr_assert(found.count, "%s", smalls[k].schedule);
      cr_expect_eq(found.best[0].step, best, "%s %d: %lld and %lld", smalls[k].schedule, tight,
                   (long long)found.best[0].step, (long long)best);
      cr_expect_arr_eq(found.best[0].sequence, again.best[0].sequence,
                       ts_pipeline_size(o.p) * sizeof(uint16_t));
      plan_close(&o.plan);
    }
}

/* ---- Bounds of random costs and limits ---- */

static uint64_t drawn(uint64_t *state, uint64_t least, uint64_t most)
{
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return least + (*state >> 33) % (most - least + 1);
}

/* What each stage holds from F to I and from I to W, as stated sizes of its items. */
static void hold_at_random(ts_pipeline *p, uint64_t *state)
{
  uint32_t m = p->micro_batches;
  for (uint32_t l = 0; l < p->letter_count; l++) {
    if (p->letters[l].kind != 'F')
      continue;
    int64_t held = (int64_t)drawn(state, 1, 8), later = (int64_t)drawn(state, 0, 9),
            most = (int64_t)drawn(state, 0, 2);
    for (uint32_t o = 0; o < p->letter_count; o++) {
      const ts_pipeline_letter *letter = &p->letters[o];
      if (letter->stage != p->letters[l].stage)
        continue;
      int64_t net = letter->kind == 'F' ? held :
                    letter->kind == 'I' ? later - held :
                    letter->kind == 'W' ? -later :
                                          -held;
      for (uint32_t i = o * m; i < (o + 1) * m; i++) {
        ts_pipeline_item *item = (ts_pipeline_item *)&p->items[i];
        item->net = net;
        item->rise = (net > 0 ? net : 0) + most;
        item->dip = net < 0 ? net : 0;
      }
    }
  }
}

static opened open_drawn(const char *schedule, int stages, uint64_t *state)
{
  int cost[4];
  for (int c = 0; c < 4; c++)
    cost[c] = (int)drawn(state, c < 3 ? 1 : 0, c < 3 ? 30 : 12);
  return open_small(schedule, stages, cost, (double)drawn(state, 0, 20) / 10);
}

/* No order that keeps a limit of memory is below the bound, as all orders tell; and the bound is
 * near the best of them. */
Test(pipeline, bound_of_random_costs)
{
  static const struct {
    const char *schedule;
    int stages;
  } of[] = {
    {"zb_1p(p: 2, m: 3)", 2}, {"zb_1p(p: 3, m: 2)", 3}, {"zb_v_fixed(p: 2, m: 1)", 4},
    {"one_f_one_b_v(p: 2, m: 2)", 4}, {"chimera(p: 2, m: 4)", 2}, {"gpipe(p: 3, m: 3)", 3},
    {"gpipe(p: 2, m: 4)", 2},
  };
  enum { LIMITS = 4 };
  const uint32_t costs = amount(2, 6);
  uint64_t state = 7;
  double gaps = 0;
  uint32_t count = 0, met = 0;
  for (size_t k = 0; k < costs * sizeof of / sizeof *of; k++) {
    opened o = open_drawn(of[k / costs].schedule, of[k / costs].stages, &state);
    for (int limit = 0; limit < LIMITS; limit++) {
      hold_at_random(o.p, &state);
      for (uint32_t r = 0; r < o.p->ranks; r++)
        o.p->room[r] = (int64_t)drawn(&state, 8, 36);
      int64_t best = best_of_all(&o), bound = ts_pipeline_bound_of(o.p).step;
      if (best >= TS_PIPELINE_LATE)
        continue;
      cr_expect_leq(bound, best, "%s: %lld is above %lld", of[k / costs].schedule,
                    (long long)bound, (long long)best);
      gaps += (double)best / (double)bound - 1;
      met += bound == best;
      count++;
    }
    plan_close(&o.plan);
  }
  cr_expect_gt(count, costs * LIMITS * 4);
  cr_expect_geq(10 * met, 8 * count, "%u of %u", met, count);
  cr_expect_lt(gaps / count, 0.04, "%g of %u", gaps / count, count);
}

/* The same of pipelines too large to try all orders: none that is found is below. */
Test(pipeline, bound_of_larger_ones)
{
  static const struct {
    const char *schedule;
    int stages;
  } of[] = {
    {"zb_h1(p: 4, m: 10)", 4}, {"interleaved_one_f_one_b(p: 3, m: 6, v: 3)", 9},
    {"v_half(p: 4, m: 8)", 8}, {"chimera(p: 4, m: 8)", 4}, {"hanayo(p: 3, m: 6, waves: 2)", 12},
    {"one_f_one_b(p: 5, m: 9)", 5},
  };
  enum { COSTS = 2, LIMITS = 3 };
  uint64_t state = 11;
  for (size_t k = 0; k < COSTS * sizeof of / sizeof *of; k++) {
    opened o = open_drawn(of[k / COSTS].schedule, of[k / COSTS].stages, &state);
    for (int limit = 0; limit < LIMITS; limit++) {
      hold_at_random(o.p, &state);
      for (uint32_t r = 0; r < o.p->ranks; r++)
        o.p->room[r] = (int64_t)drawn(&state, 12, 60);
      ts_pipeline_found found = improve(&o, 700, own_word(&o));
      int64_t bound = ts_pipeline_bound_of(o.p).step;
      if (found.count)
        cr_expect_leq(bound, found.best[0].step, "%s: %lld is above %lld", of[k / COSTS].schedule,
                      (long long)bound, (long long)found.best[0].step);
    }
    plan_close(&o.plan);
  }
}

/* Lists, waves and what is found are orders, and hold no more than they may. */
Test(pipeline, orders_are_legal)
{
  static const int cost[] = {10, 12, 7, 2};
  opened o = open_small("zb_v(p: 4, m: 6)", 8, cost, 1.5);
  ts_pipeline_play *play = ts_pipeline_play_new(o.plan.arena, o.p);
  uint16_t *sequence = own_word(&o),
           *out = TS_NEW_ARRAY(o.plan.arena, uint16_t, ts_pipeline_size(o.p) + 1);
  int64_t peak;
  for (uint32_t r = 0; r < o.p->ranks; r++)
    ts_pipeline_legal(play, sequence, r, TS_PIPELINE_LATE, &o.p->room[r]);
  for (int k = 0; k < 16; k++) {
    ts_pipeline_rule rule = {.delay = {k % 2, k / 2 % 2, k / 4 % 2}, .ahead = 64, .predict = k / 8};
    cr_assert(ts_pipeline_list(play, &rule, sequence, out));
    for (uint32_t r = 0; r < o.p->ranks; r++)
      cr_expect(ts_pipeline_legal(play, out, r, o.p->room[r], &peak));
    cr_expect_lt(ts_pipeline_time(play, out), TS_PIPELINE_LATE);
  }
  int64_t *heads = ts_pipeline_heads(o.plan.arena, o.p);
  for (int k = 0; k < 8; k++) {
    ts_pipeline_wave wave = {12 + 12 * (k % 2), 12 + 12 * (k / 2 % 2), 6 * (k / 4), 0, 12};
    ts_pipeline_wave_word(o.plan.arena, o.p, heads, &wave, out);
    for (uint32_t r = 0; r < o.p->ranks; r++)
      cr_expect(ts_pipeline_legal(play, out, r, TS_PIPELINE_LATE, &peak));
    cr_expect_lt(ts_pipeline_time(play, out), TS_PIPELINE_LATE, "a wave waits for itself");
  }
  ts_pipeline_found found = improve(&o, 5000, sequence);
  cr_expect_leq(found.best[0].step, (int64_t)o.step);
  for (uint32_t k = 0; k < found.count; k++)
    for (uint32_t r = 0; r < o.p->ranks; r++)
      cr_expect(ts_pipeline_legal(play, found.best[k].sequence, r, o.p->room[r], &peak));
  plan_close(&o.plan);
}

/* News are those of all who search, whoever tells them, and change nothing. */
typedef struct heard {
  ts_pipeline_news last;
  uint32_t count, worse;
  uint64_t until; /* ends the search then */
} heard;

static bool hear(void *closure, const ts_pipeline_news *news)
{
  heard *h = closure;
  h->worse += h->count && (news->best > h->last.best || news->share < 0 || news->share > 1);
  h->last = *news;
  h->count++;
  return !h->until || news->timed < h->until;
}

Test(pipeline, news_of_all_threads)
{
  static const int cost[] = {10, 12, 7, 2};
  opened o = open_small("v_half(p: 4, m: 8)", 8, cost, 1.5);
  ts_pipeline_bound none = {0};
  ts_pipeline_found of[3];
  for (uint32_t jobs = 1; jobs <= 3; jobs++) {
    heard h = {0};
    ts_pipeline_search how = {
      .seed = 1, .orders = 30000, .jobs = jobs, .go_on = hear, .closure = &h};
    of[jobs - 1] = ts_pipeline_improve(o.plan.arena, o.p, NULL, 0, &none, &how);
    cr_expect_geq(h.count, 8);
    cr_expect_eq(h.worse, 0);
    cr_expect_geq(h.last.best, of[jobs - 1].best[0].step);
    cr_expect_geq(h.last.timed, of[jobs - 1].timed * 9 / 10);
    cr_expect_leq(h.last.timed, of[jobs - 1].timed);
    cr_expect_eq(of[jobs - 1].timed, of[0].timed);
    cr_expect_arr_eq(of[jobs - 1].best[0].sequence, of[0].best[0].sequence,
                     ts_pipeline_size(o.p) * sizeof(uint16_t));
  }
  heard h = {.until = 5000};
  ts_pipeline_search how = {.seed = 1, .orders = 30000, .jobs = 2, .go_on = hear, .closure = &h};
  cr_expect_lt(ts_pipeline_improve(o.plan.arena, o.p, NULL, 0, &none, &how).timed, 15000);
  plan_close(&o.plan);
}

/* The critical path is a chain of items up to the end of the step. */
Test(pipeline, critical_path)
{
  static const int cost[] = {10, 12, 7, 2};
  opened o = open_small("zb_h1(p: 4, m: 6)", 4, cost, 1);
  ts_pipeline_play *play = ts_pipeline_play_new(o.plan.arena, o.p);
  uint16_t *sequence = own_word(&o);
  uint32_t *places = TS_NEW_ARRAY(o.plan.arena, uint32_t, ts_pipeline_size(o.p) + 1);
  cr_assert_eq(ts_pipeline_trace(play, sequence), (int64_t)o.step);
  uint32_t count = ts_pipeline_critical(play, sequence, places);
  int64_t work = 0;
  cr_assert(count);
  for (uint32_t k = 0; k < count; k++)
    work += o.p->maps[o.p->items[sequence[places[k]] * o.p->micro_batches].map].busy;
  /* what is left are messages, 2 ns each */
  cr_expect_leq(work, (int64_t)o.step);
  cr_expect_eq(((int64_t)o.step - work) % 2000, 0);
  cr_expect_leq((int64_t)o.step - work, 2000 * 2 * 12);
  plan_close(&o.plan);
}

Test(pipeline, refuses)
{
  plan_text plan =
    plan_open("import std.models.gpt, std.clusters.dgx, std.costs, std.precision\n"
              "import std.optimizers.adam, std.schedules.dual_pipe, std.networks\n"
              "plan pairs {\n"
              "  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 6400, seq: 256)\n"
              "  cluster = dgx_a100(nodes: 1)\n  mesh = { pp: 4, dp: 2 }\n"
              "  schedule = dual_pipe(p: pp, m: 8)\n"
              "  batch = { micro: 1, global: 16 }\n  tokens = 256\n"
              "  precision = mixed(bf16)\n  optimizer = adam()\n"
              "  costs = training_a100\n  network = a100_infiniband\n}\n");
  ts_stop stop = {.arena = plan.arena};
  ts_run_options options = {0};
  ts_prepared prepared;
  ts_error why = {0};
  const ts_schedule *sc = plan.input.schedule;
  cr_assert(ts_run_prepare(plan.arena, &plan.input.ir, &options, &prepared, &stop));
  ts_pipeline_stages stages = {sc->chunks, sc->stages, sc->parts, sc->stage_of};
  cr_expect_null(ts_pipeline_new(plan.arena, &prepared, &stages, 0, &why));
  cr_expect_str_eq(why.message, "some of its work is not F, I, W or B alone");
  plan_close(&plan);
}
