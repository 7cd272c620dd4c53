/* Bounds of a step: no play is below them, on random plans and on those of examples. */
#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "compiler/compile.h"
#include "compiler/search.h"
#include "runtime/account/lower_bounds.h"
#include "runtime/account/time_bound.h"
#include "runtime/account/memory.h"
#include "runtime/account/run.h"
#include "tests/unit/amount.h"
#include "tests/unit/random_ir.h"
#include "tests/unit/strategy_uses.h"

static double tightest; /* of memory, 0..1 */
static double step;     /* s, of the one that was played last */
static double along;    /* of time along the order, 0..1 */

static void check(ts_arena *arena, const ts_ir *ir, const char *name)
{
  ts_stop stop = {.arena = arena};
  ts_run *run = ts_run_new(ir, &(ts_run_options){0}, &stop);
  cr_assert(run, "%s: %s", name, stop.title);
  const ts_memory *memory = ts_memory_new(arena, ir, run);
  ts_lower_bounds least = ts_lower_bounds_of(arena, ir);
  uint64_t peak = 0;
  for (uint32_t c = 0; c < memory->class_count; c++)
    peak = memory->classes[c].peak > peak ? memory->classes[c].peak : peak;
  cr_assert_leq(least.seconds, (double)ts_run_result(run)->step * 1e-12, "%s", name);
  double time = ts_time_bound(ir, NULL);
  step = (double)ts_run_result(run)->step * 1e-12;
  cr_assert_leq(time, step, "%s: %.15g is above %.15g", name, time, step);
  along = step > 0 ? time / step : 1;
  cr_assert_leq(least.bytes, peak, "%s", name);
  cr_assert(!least.over || memory->classes[memory->fullest].over, "%s", name);
  ts_energy energy = ts_energy_of(ir, ts_run_result(run));
  if (ts_is_stated(energy.joules))
    cr_assert_leq(ts_bound_joules(&least, least.seconds, least.work), energy.joules, "%s", name);
  if (ts_is_stated(energy.dollars))
    cr_assert_leq(ts_bound_dollars(&least, least.seconds), energy.dollars, "%s", name);
  tightest = peak ? (double)least.bytes / (double)peak : 0;
  ts_run_free(run);
}

/* Anything is allocated and freed anywhere, as in tests/unit/test_memory.c. */
static void change_effects(ts_arena *arena, ts_ir *ir, uint32_t seed)
{
  random_ir g = {.state = seed};
  ts_ir_mem *mems = ts_arena_copy(arena, ir->mems, ir->mems_count * sizeof *mems);
  for (uint32_t i = 0; i < ir->mems_count; i++) {
    int64_t bytes = random_between(&g, 1, 8);
    mems[i].bytes = random_chance(&g, 50) ? bytes : -bytes;
  }
  ir->mems = mems;
}

/* Most kernels go beside the compute stream, which is idle when it has no more to do. */
static void move_aside(ts_arena *arena, ts_ir *ir, uint32_t seed)
{
  random_ir g = {.state = seed};
  ts_ir_node *nodes = ts_arena_copy(arena, ir->nodes, ir->nodes_count * sizeof *nodes);
  for (uint32_t i = 0; i < ir->nodes_count; i++)
    if (nodes[i].op == TS_IR_COMPUTE && random_chance(&g, 80))
      nodes[i].stream = (uint8_t)(ir->streams_count - 1);
  ir->nodes = nodes;
}

/* Devices that draw much more at work than when idle, and cost something. */
static void state_power(ts_arena *arena, ts_ir *ir)
{
  ts_ir_device_class *classes =
    ts_arena_copy(arena, ir->device_classes, ir->device_classes_count * sizeof *classes);
  for (uint32_t i = 0; i < ir->device_classes_count; i++) {
    classes[i].watts = 700 + i;
    classes[i].idle_watts = i % 2 ? 0 : 10;
    classes[i].host_watts = 3 * i;
    classes[i].price = 2;
  }
  ir->device_classes = classes;
}

Test(lower_bounds, is_no_more_than_what_random_plans_take)
{
  for (uint32_t seed = 0; seed < amount(300, 4000); seed++) {
    ts_arena *arena = ts_arena_new("test");
    ts_ir ir;
    ts_ir_builder *b = random_ir_new(seed);
    const char *name = ts_arena_printf(arena, "seed %u", seed);
    ts_ir_builder_view(b, &ir);
    state_power(arena, &ir);
    check(arena, &ir, name);
    change_effects(arena, &ir, seed);
    check(arena, &ir, name);
    move_aside(arena, &ir, seed);
    check(arena, &ir, name);
    ts_ir_builder_free(b);
    ts_arena_free(arena);
  }
}

/* What is known before there are fragments. */
static bool note_early(void *closure, const ts_early_bound *known)
{
  *(ts_early_bound *)closure = *known;
  return false;
}

static double early; /* of time before there are fragments, 0..1 */

/* False: it does not fit, or is refused. */
static bool check_file(const char *path, const ts_compile_options *given)
{
  ts_arena *arena = ts_arena_new("test");
  ts_early_bound known = {0};
  ts_memory_bound held = {.enough_early = note_early, .closure = &known};
  ts_compile_options o = *given;
  ts_input input;
  o.held = &held;
  bool good = ts_input_open(ts_session_new(arena), path, &o, &input);
  if (good) {
    double least = ts_time_bound(&input.ir, NULL);
    check(arena, &input.ir, path);
    cr_assert_leq(known.seconds, step, "%s: %.15g is above %.15g", path, known.seconds, step);
    cr_assert(!(known.seconds > 0) || (known.tokens == (double)input.ir.meta->tokens_per_step &&
                                       known.devices == (double)input.ir.meta->world));
    early = known.seconds / step;
    if (getenv("TS_TIGHT")) /* for doc/sweeps.md */
      printf("%s early %.4f kernels %.4f along %.4f\n", path, early,
             ts_lower_bounds_of(arena, &input.ir).seconds / step, least / step);
    ts_input_close(&input);
  }
  ts_arena_free(arena);
  return good;
}

static const char *from_source(ts_arena *arena, const char *name)
{
  const char *source = getenv("top_srcdir");
  return ts_arena_printf(arena, "%s/%s", source ? source : ".", name);
}

static void check_plan(const char *file, const ts_define *defines, uint32_t count)
{
  ts_arena *arena = ts_arena_new("test");
  const char *path = from_source(arena, ts_arena_printf(arena, "examples/%s", file));
  cr_assert(check_file(path, &(ts_compile_options){.defines = defines, .define_count = count}));
  ts_arena_free(arena);
}

Test(lower_bounds, is_no_more_than_what_examples_take)
{
  check_plan("gpt2_large.ts", NULL, 0);
  check_plan("local_sgd.ts", NULL, 0);
  check_plan("hop.ts", NULL, 0);
  check_plan("wafer.ts", NULL, 0);
  check_plan("degrees.ts", (ts_define[]){{"tp", "8"}, {"pp", "16"}, {"dp", "8"}}, 3);
  cr_assert_gt(tightest, 0.99); /* the sends and collectives of a pipeline leave no doubt */
  cr_assert_gt(along, 0.99);
  cr_assert_gt(early, 0.8);
}

static size_t check_folder(const char *folder)
{
  ts_arena *arena = ts_arena_new("test");
  glob_t found;
  size_t checked = 0;
  cr_assert(!glob(from_source(arena, ts_arena_printf(arena, "%s/*.ts", folder)), 0, NULL, &found));
  for (size_t i = 0; i < found.gl_pathc; i++)
    checked += check_file(found.gl_pathv[i], &(ts_compile_options){0});
  globfree(&found);
  ts_arena_free(arena);
  return checked;
}

Test(lower_bounds, is_no_more_than_what_plans_of_all_kinds_take)
{
  cr_assert_gt(check_folder("examples"), 10);
  cr_assert_gt(check_folder("tests/cli") + check_folder("tests/accuracy/plans"), 20);
}

/* All kinds of strategies, recomputation, offloading, rings; a backward whole and in two. */
Test(lower_bounds, is_no_more_than_what_strategies_take)
{
  ts_define defines[] = {{"use", NULL}, {"zb", "false"}, {"m", "8"},  {"pp", "4"},     {"dp", "2"},
                         {"cp", "2"},   {"tp", "2"},     {"ep", "2"}, {"experts", "8"}};
  ts_arena *arena = ts_arena_new("test");
  for (size_t u = 0; u < 2 * STRATEGY_USES; u++) {
    defines[0].expression = strategy_uses[u / 2];
    defines[1].expression = u % 2 ? "true" : "false";
    cr_assert(check_file(from_source(arena, "tests/strategies/_plan.ts"),
                         &(ts_compile_options){.defines = defines, .define_count = 9}),
              "%s", strategy_uses[u / 2]);
  }
  ts_arena_free(arena);
}

/* Every n-th plan, whether it fits or not. */
static void check_search(const char *name, size_t every)
{
  ts_arena *arena = ts_arena_new("search");
  const char *path = from_source(arena, name);
  const ts_search *search =
    ts_search_load(ts_session_new(arena), path, &(ts_compile_options){0}, NULL, NULL, false);
  cr_assert(search);
  for (size_t i = 0; i < search->point_count; i += getenv("TS_TIGHT") ? 1 : every) {
    ts_compile_options o = {.plan_name = search->plan};
    o.defines = ts_search_defines_at(search, i, arena, &o.define_count);
    check_file(path, &o);
  }
  ts_arena_free(arena);
}

Test(lower_bounds, is_no_more_than_what_plans_of_searches_take)
{
  check_search("examples/degrees.ts", amount(30, 5));
  check_search("tests/bench/plans/turing_530b.ts", amount(174, 29));
}
