/* Plays with slowdown, jitter and blame, on random jobs. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "runtime/account/blame.h"
#include "runtime/account/overlap_cost.h"
#include "runtime/play/overlap.h"
#include "runtime/study/spread.h"
#include "runtime/study/steps.h"
#include "tests/unit/amount.h"
#include "tests/unit/engine_plan.h"

#define JOBS amount(70, 200)

static ts_run *must_play(const ts_ir *ir, const ts_run_options *options, uint32_t seed)
{
  ts_stop stop = {.arena = ts_arena_new("stop")};
  ts_run *run = ts_run_new(ir, options, &stop);
  cr_assert(run, "seed %u: %s", seed, stop.title);
  ts_arena_free(stop.arena);
  return run;
}

typedef struct events { TS_VEC(ts_span_event) list; ts_arena *arena; } events;

static void keep(void *closure, const ts_span_event *e)
{
  events *all = closure;
  TS_PUSH(all->arena, &all->list, *e);
}

/* Both runs play the same, to the picosecond. */
static void check_same(const ts_run *a, const ts_run *b, uint32_t world, uint32_t seed)
{
  cr_assert_eq(ts_run_result(a)->step, ts_run_result(b)->step, "seed %u", seed);
  for (uint32_t r = 0; r < world; r++) {
    ts_arena *arena = ts_arena_new("events");
    events x = {.arena = arena}, y = {.arena = arena};
    ts_run_timeline(a, r, keep, &x);
    ts_run_timeline(b, r, keep, &y);
    cr_assert_eq(x.list.count, y.list.count);
    for (size_t i = 0; i < x.list.count; i++)
      cr_assert(x.list.at[i].start == y.list.at[i].start && x.list.at[i].end == y.list.at[i].end &&
                  x.list.at[i].ready == y.list.at[i].ready,
                "seed %u: rank %u, event %zu", seed, r, i);
    ts_arena_free(arena);
  }
}

static const ts_slowdown nothing = {.kind = TS_SLOWDOWN_CONSTANT, .slow = {1, 1}},
                         much = {.kind = TS_SLOWDOWN_CONSTANT, .slow = {1.5, 1.25}},
                         physics = {.kind = TS_SLOWDOWN_PHYSICAL, .sms = 0.15, .traffic = 2};

Test(overlap, that_slows_nothing_changes_nothing)
{
  for (uint32_t seed = 1; seed <= JOBS; seed++) {
    plan p = plan_random(seed);
    ts_ir ir;
    plan_view(&p, &ir);
    ts_run *usual = must_play(&ir, &(ts_run_options){0}, seed),
           *slowed = must_play(&ir, &(ts_run_options){.overlap = &nothing}, seed);
    check_same(usual, slowed, ir.meta->world, seed);
    ts_run_free(usual);
    ts_run_free(slowed);
    plan_free(&p);
  }
}

/* All that the classes of a run report sums up to its step. */
static void check_sums(const ts_run *run, uint32_t seed)
{
  const ts_result *r = ts_run_result(run);
  for (uint32_t c = 0; c < r->class_count; c++) {
    const ts_class_result *class = &r->classes[c];
    uint64_t sum = class->bubble + class->host + class->tail;
    for (uint32_t i = 0; i < TS_IR_PHASES; i++)
      sum += class->phase[i];
    for (uint32_t i = 0; i < class->comm_count; i++)
      sum += class->comms[i].exposed;
    cr_assert_eq(sum, r->step, "seed %u: class %u", seed, c);
  }
  uint64_t path = 0;
  ts_critical_parts parts = ts_run_critical(run);
  for (uint32_t i = 0; i < parts.count; i++)
    path += parts.at[i].time;
  cr_assert_eq(path, r->step, "seed %u: critical path", seed);
}

Test(overlap, folded_is_unfolded_and_all_sums_hold)
{
  const ts_slowdown *models[] = {&much, &physics};
  for (uint32_t seed = 1; seed <= JOBS; seed++) {
    plan p = plan_random(seed);
    ts_ir ir;
    plan_view(&p, &ir);
    const ts_slowdown *model = models[seed % 2];
    ts_run *usual = must_play(&ir, &(ts_run_options){0}, seed),
           *folded = must_play(&ir, &(ts_run_options){.overlap = model}, seed);
    ts_run *unfolded = must_play(&ir, &(ts_run_options){.overlap = model, .no_fold = true}, seed);
    check_same(folded, unfolded, ir.meta->world, seed);
    check_sums(folded, seed);
    cr_assert_geq(ts_run_result(folded)->step, ts_run_result(usual)->step, "seed %u", seed);
    ts_run_free(usual);
    ts_run_free(folded);
    ts_run_free(unfolded);
    plan_free(&p);
  }
}

/* Random jobs whose kernels on all three streams compete, or keep their times. */
static void let_compute(ts_ir *ir, bool unshared)
{
  for (uint32_t i = 0; i < ir->streams_count; i++) {
    ts_ir_stream *s = (ts_ir_stream *)&ir->streams[i];
    s->kind = TS_IR_STREAM_COMPUTE;
    s->unshared = unshared;
  }
}

/* A device does no more than its own work: no step is shorter than the work of any device, to the
 * rounding of an end each, nor than the step in which none shares. */
Test(sharing, conserves_work)
{
  uint32_t longer = 0;
  for (uint32_t seed = 1; seed <= JOBS; seed++) {
    plan p = plan_random(seed);
    ts_ir ir;
    plan_view(&p, &ir);
    ts_run *usual = must_play(&ir, &(ts_run_options){0}, seed);
    let_compute(&ir, true);
    ts_run *unshared = must_play(&ir, &(ts_run_options){0}, seed),
           *beside = must_play(&ir, &(ts_run_options){.overlap = &nothing}, seed);
    check_same(usual, unshared, ir.meta->world, seed);
    check_same(usual, beside, ir.meta->world, seed);
    let_compute(&ir, false);
    ts_run *shared = must_play(&ir, &(ts_run_options){0}, seed),
           *unfolded = must_play(&ir, &(ts_run_options){.no_fold = true}, seed);
    check_same(shared, unfolded, ir.meta->world, seed);
    check_sums(shared, seed);
    uint64_t step = ts_run_result(shared)->step;
    for (uint32_t c = 0; c < ts_run_result(shared)->class_count; c++)
      cr_assert_geq(step + ir.nodes_count * (uint64_t)ir.items_count,
                    ts_overlap_cost_of(shared, c).compute_alone, "seed %u: class %u", seed, c);
    cr_assert_geq(step, ts_run_result(usual)->step, "seed %u", seed);
    longer += step > ts_run_result(usual)->step;
    ts_run *runs[] = {usual, unshared, beside, shared, unfolded};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
      ts_run_free(runs[i]);
    plan_free(&p);
  }
  cr_assert_gt(longer, JOBS / 4);
}

/* Two kernels of 1 ms on two streams are 2 ms of work, also in each of several steps. */
Test(sharing, two_kernels_take_as_long_as_both)
{
  plan p = plan_new(1, (uint32_t[]){2}, TS_IR_NONE, 2);
  ts_ir ir;
  uint32_t fragment = plan_begin(&p, "F");
  plan_compute(&p, 0, 1000000000, 0, NULL);
  plan_compute(&p, 1, 1000000000, 0, NULL);
  plan_end(&p);
  plan_program(&p, &(plan_item){.fragment = fragment, .micro_batch = TS_IR_NONE}, 1);
  plan_view(&p, &ir);
  let_compute(&ir, false);
  ts_run *run = must_play(&ir, &(ts_run_options){0}, 0);
  cr_assert_eq(ts_run_result(run)->step, 2000000000u);
  ts_run_free(run);
  ts_arena *arena = ts_arena_new("steps");
  ts_stop stop = {.arena = arena};
  const ts_steps *s =
    ts_steps_new(arena, &ir, &(ts_run_options){0}, 4, &(ts_checkpoint){0}, &stop);
  cr_assert(s);
  for (uint32_t k = 0; k < 4; k++)
    cr_assert_eq(s->ends[k], (k + 1) * UINT64_C(2000000000), "step %u", k);
  cr_assert_lt(s->steady_from, 4);
  cr_assert_eq(s->steady, 2000000000u);
  ts_arena_free(arena);
  plan_free(&p);
}

/* Calls that share links, in the order of time: without slowdown as the engine has it, which runs
 * ahead of the network. */
Test(contention, that_nothing_slows_is_contention)
{
  uint32_t differ = 0;
  for (uint32_t seed = 1; seed <= JOBS; seed++) {
    plan p = plan_random(seed);
    ts_ir ir;
    plan_flows(&p, 100, 200000);
    plan_view(&p, &ir);
    ts_run *alone = must_play(&ir, &(ts_run_options){.no_fold = true}, seed);
    ts_run *engine = must_play(&ir, &(ts_run_options){.contention = true}, seed),
           *ordered =
             must_play(&ir, &(ts_run_options){.contention = true, .overlap = &nothing}, seed);
    check_same(engine, ordered, ir.meta->world, seed);
    check_sums(ordered, seed);
    differ += ts_run_result(alone)->step != ts_run_result(engine)->step;
    ts_run_free(alone);
    ts_run_free(engine);
    ts_run_free(ordered);
    plan_free(&p);
  }
  cr_assert_geq(differ, JOBS / 50); /* few of these plans have calls that meet */
}

/* Calls that share links: ranks that are proved alike are alike where all are played, to the
 * picosecond. Some links are slow, so that places on the network differ. */
Test(contention, folded_or_not_is_no_question)
{
  uint32_t folds = 0, jobs = amount(150, 2000);
  for (uint32_t seed = 1; seed <= jobs; seed++) {
    plan p = plan_random(seed);
    ts_ir ir;
    plan_flows(&p, 100, 200000);
    if (seed % 4 == 0)
      plan_slow_link(&p, seed % p.world);
    plan_view(&p, &ir);
    const ts_slowdown *overlap = seed % 3 == 0 ? &much : NULL;
    ts_run *folded =
             must_play(&ir, &(ts_run_options){.contention = true, .overlap = overlap}, seed),
           *all = must_play(
             &ir, &(ts_run_options){.contention = true, .overlap = overlap, .no_fold = true}, seed);
    check_same(folded, all, ir.meta->world, seed);
    check_sums(folded, seed);
    folds += ts_run_result(folded)->nodes_played < ts_run_result(all)->nodes_played;
    ts_run_free(folded);
    ts_run_free(all);
    plan_free(&p);
  }
  cr_assert_gt(folds, jobs / 4, "%u of %u", folds, jobs);
}

/* A gather over two ranks (1 us and 20 MB over a link of 300 GB/s) beside a kernel, alone on the
 * network: factors slow its latency and its flows as they slow a transfer of any other model, to
 * the rounding of two rates. */
static uint64_t gather_beside_kernel(uint64_t kernel, const ts_run_options *options)
{
  plan p = plan_new(1, (uint32_t[]){2}, TS_IR_NONE, 2);
  ts_ir ir;
  plan_flows(&p, 1000000, 0);
  uint32_t group = plan_group(&p, 1);
  uint32_t f = plan_begin(&p, "F");
  plan_compute(&p, 0, kernel, 0, NULL);
  plan_collective(&p, 1, TS_IR_ALL_GATHER, group, 20000000, 0, NULL);
  plan_end(&p);
  plan_program(&p, &(plan_item){f, TS_IR_NONE, {{0, 0}}}, 1);
  plan_view(&p, &ir);
  ts_run *run = must_play(&ir, options, 0);
  uint64_t step = ts_run_result(run)->step;
  ts_run_free(run);
  plan_free(&p);
  return step;
}

Test(contention, slowed_call_that_is_alone)
{
  /* ends in the latency, in the flow, after both */
  for (uint64_t kernel = 100000; kernel < 60000000; kernel = kernel * 3 / 2) {
    uint64_t alone = gather_beside_kernel(kernel, &(ts_run_options){.overlap = &much}),
             shared = gather_beside_kernel(kernel,
                                           &(ts_run_options){.overlap = &much, .contention = true});
    cr_assert_leq(alone > shared ? alone - shared : shared - alone, 2, "kernel %llu: %llu, %llu",
                  (unsigned long long)kernel, (unsigned long long)alone,
                  (unsigned long long)shared);
  }
}

/* Where no call is of a model of flows, contention adds nothing to slowdown; where calls are,
 * folded or not is no question, and all sums hold. */
Test(contention, beside_slowdown)
{
  uint32_t longer = 0;
  for (uint32_t seed = 1; seed <= JOBS; seed++) {
    plan p = plan_random(seed);
    ts_ir ir;
    if (seed % 2)
      plan_flows(&p, 100, 200000);
    plan_view(&p, &ir);
    ts_run *slowed = must_play(&ir, &(ts_run_options){.overlap = &much, .no_fold = true}, seed),
           *both = must_play(&ir, &(ts_run_options){.overlap = &much, .contention = true}, seed);
    ts_run *contention = must_play(&ir, &(ts_run_options){.contention = true}, seed);
    check_sums(both, seed);
    if (seed % 2 == 0)
      check_same(slowed, both, ir.meta->world, seed);
    longer += ts_run_result(both)->step > ts_run_result(contention)->step;
    ts_run_free(slowed);
    ts_run_free(both);
    ts_run_free(contention);
    plan_free(&p);
  }
  cr_assert_gt(longer, JOBS / 2);
}

Test(blame, is_all_the_waiting_whether_folded_or_not)
{
  for (uint32_t seed = 1; seed <= JOBS; seed++) {
    plan p = plan_random(seed);
    ts_ir ir;
    plan_view(&p, &ir);
    ts_run *run[2] = {must_play(&ir, &(ts_run_options){0}, seed),
                      must_play(&ir, &(ts_run_options){.no_fold = true}, seed)};
    ts_arena *arena = ts_arena_new("blame");
    const ts_blames *b[2] = {ts_blames_new(arena, run[0]), ts_blames_new(arena, run[1])};
    cr_assert_float_eq(b[0]->time, b[1]->time, 1e-9 * b[0]->time + 1, "seed %u", seed);
    double waited = 0;
    for (uint32_t c = 0; c < ts_run_result(run[0])->class_count; c++) {
      const ts_class_result *class = &ts_run_result(run[0])->classes[c];
      for (uint32_t i = 0; i < class->comm_count; i++)
        if (!class->comms[i].messages)
          waited += (double)(class->comms[i].busy - class->comms[i].transfer) * class->count;
    }
    double blamed = 0;
    for (uint32_t i = 0; i < b[0]->count; i++)
      blamed += b[0]->at[i].messages ? 0 : b[0]->at[i].time;
    cr_assert_float_eq(blamed, waited, 1e-9 * waited + 1, "seed %u", seed);
    ts_arena_free(arena);
    ts_run_free(run[0]);
    ts_run_free(run[1]);
    plan_free(&p);
  }
}

Test(jitter, draws_what_it_says)
{
  ts_jitter j;
  double sum = 0, squares = 0;
  uint32_t slow = 0;
  enum { N = 20000 };
  cr_assert_null(ts_jitter_parse("lognormal:3%", &j));
  for (uint32_t r = 0; r < N; r++) {
    double x = ts_jitter_draw(&j, "a", 7, r);
    sum += x;
    squares += (x - 1) * (x - 1);
    cr_assert_eq(x, ts_jitter_draw(&j, "a", 7, r));
  }
  cr_assert_float_eq(sum / N, 1, 0.001);
  cr_assert_float_eq(sqrt(squares / N), 0.03, 0.001);
  cr_assert_null(ts_jitter_parse("lognormal:0.01%", &j)); /* no spread is rounded away */
  for (uint32_t r = squares = 0; r < N; r++)
    squares += pow(ts_jitter_draw(&j, "a", 7, r) - 1, 2);
  cr_assert_float_eq(sqrt(squares / N), 0.0001, 3e-6);
  cr_assert_null(ts_jitter_parse("slow:10%:2", &j));
  for (uint32_t r = 0; r < N; r++)
    slow += ts_jitter_draw(&j, "a", 7, r) > 1.5;
  cr_assert_float_eq((double)slow / N, 0.1, 0.01);
  cr_assert_not_null(ts_jitter_parse("slow:10%", &j));
  cr_assert_not_null(ts_jitter_parse("lognormal:-1", &j));
  cr_assert_not_null(ts_jitter_parse("", &j));
}

Test(jitter, of_folded_ranks_is_that_of_unfolded_ones)
{
  ts_jitter j;
  cr_assert_null(ts_jitter_parse("normal:5%,slow:5%:1.5", &j));
  for (uint32_t seed = 1; seed <= 40; seed++) {
    plan p = plan_random(seed);
    ts_ir ir;
    plan_view(&p, &ir);
    ts_arena *arena = ts_arena_new("spread");
    ts_stop stop = {.arena = arena};
    const ts_spread *a = ts_spread_new(arena, &ir, &(ts_run_options){0}, &j, "s", 5, &stop);
    const ts_spread *b =
      ts_spread_new(arena, &ir, &(ts_run_options){.no_fold = true}, &j, "s", 5, &stop);
    cr_assert(a && b);
    for (uint32_t i = 0; i < 5; i++)
      cr_assert_eq(a->steps[i], b->steps[i], "seed %u", seed);
    ts_arena_free(arena);
    plan_free(&p);
  }
}
