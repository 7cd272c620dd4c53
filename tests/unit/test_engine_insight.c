/* Several steps, changes and differences, on random jobs. */
#include <criterion/criterion.h>

#include "runtime/play/play.h"
#include "runtime/study/change.h"
#include "runtime/study/compare.h"
#include "runtime/study/sensitivity.h"
#include "runtime/study/steps.h"
#include "tests/unit/engine_plan.h"

enum { JOBS = 100, STEPS = 14 };

/* Once a step is said to be steady, all later ones take as long. */
Test(insight, steady_steps_stay)
{
  uint32_t found = 0;
  for (uint32_t seed = 1; seed <= JOBS; seed++) {
    plan p = plan_random(seed);
    ts_ir ir;
    plan_view(&p, &ir);
    ts_arena *arena = ts_arena_new("test");
    ts_stop stop = {.arena = arena};
    const ts_steps *s =
      ts_steps_new(arena, &ir, &(ts_run_options){0}, STEPS, &(ts_checkpoint){0}, &stop);
    cr_assert(s, "seed %u: %s", seed, stop.title);
    uint64_t alone;
    cr_assert(ts_run_step(&ir, &(ts_run_options){0}, &alone, &stop));
    cr_assert_eq(s->ends[0], alone, "seed %u: the first step is that of a plan played once", seed);
    for (uint32_t k = s->steady_from; k < s->count; k++)
      cr_assert_eq(s->ends[k] - s->ends[k - 1], s->steady, "seed %u: step %u", seed, k);
    found += s->steady_from < s->count;
    ts_arena_free(arena);
    plan_free(&p);
  }
  cr_assert(found > JOBS / 2, "only %u jobs became steady", found);
}

/* Folded or not, the changed plan takes as long; a change and its inverse give the plan; the parts
 * of a difference add up. */
Test(insight, changes)
{
  static const char *const changes[] = {"compute.speed*1.25", "host.speed*2", "network.latency*0.5",
                                        "memory.bandwidth*2"};
  for (uint32_t seed = 1; seed <= JOBS; seed++) {
    plan p = plan_random(seed);
    ts_ir ir;
    plan_view(&p, &ir);
    ts_arena *arena = ts_arena_new("test");
    ts_stop stop = {.arena = arena};
    ts_changed changed;
    cr_assert_null(ts_change(arena, &ir, changes[seed % 4], &changed));
    uint64_t folded, unfolded;
    cr_assert(ts_what_if(arena, &ir, &(ts_run_options){0}, changes[seed % 4], &folded, &stop));
    cr_assert(ts_what_if(arena, &ir, &(ts_run_options){.no_fold = true}, changes[seed % 4],
                         &unfolded, &stop));
    cr_assert_eq(folded, unfolded, "seed %u", seed);
    ts_run *before = ts_run_new(&ir, &(ts_run_options){0}, &stop),
           *after = ts_run_new(&changed.ir, &(ts_run_options){.transfer = changed.transfer}, &stop);
    cr_assert_eq(ts_run_result(after)->step, folded);
    const ts_difference *d = ts_difference_new(arena, before, after);
    int64_t sum = 0;
    for (uint32_t i = 0; i < d->count; i++)
      sum += (int64_t)(d->at[i].after - d->at[i].before);
    cr_assert_eq(sum, (int64_t)(d->after - d->before), "seed %u", seed);
    ts_run_free(before);
    ts_run_free(after);
    ts_arena_free(arena);
    plan_free(&p);
  }
}

/* What the critical path gains from a percent is what the step gains, but where another path takes
 * over: the step never gains more. */
Test(insight, sensitivities)
{
  for (uint32_t seed = 1; seed <= JOBS; seed++) {
    plan p = plan_random(seed);
    ts_ir ir;
    plan_view(&p, &ir);
    ts_arena *arena = ts_arena_new("test");
    ts_stop stop = {.arena = arena};
    ts_run *run = ts_run_new(&ir, &(ts_run_options){0}, &stop);
    const ts_sensitivities *all =
      ts_sensitivities_new(arena, &ir, run, &(ts_run_options){0}, &stop);
    cr_assert(all, "seed %u: %s", seed, stop.title);
    for (uint32_t i = 0; i < all->count; i++)
      cr_assert(all->at[i].percent <= all->at[i].on_path + 64,
                "seed %u: %s: %ld ps on the path, %ld played", seed, all->at[i].name,
                (long)all->at[i].on_path,
                (long)all->at[i].percent); /* 64: times are rounded to whole picoseconds */
    ts_run_free(run);
    ts_arena_free(arena);
    plan_free(&p);
  }
}
