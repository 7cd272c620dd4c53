/* Bounds of a step: no play is below them, on random plans and on those of examples. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "compiler/compile.h"
#include "runtime/account/least.h"
#include "runtime/account/memory.h"
#include "runtime/account/run.h"
#include "tests/unit/random_ir.h"

enum { RANDOM = 4000 };

static double tightest; /* of memory, 0..1 */

static void check(ts_arena *arena, const ts_ir *ir, const char *name)
{
  ts_stop stop = {.arena = arena};
  ts_run *run = ts_run_new(ir, &(ts_run_options){0}, &stop);
  cr_assert(run, "%s: %s", name, stop.title);
  const ts_memory *memory = ts_memory_new(arena, ir, run);
  ts_least least = ts_least_of(arena, ir);
  uint64_t peak = 0;
  for (uint32_t c = 0; c < memory->class_count; c++)
    peak = memory->classes[c].peak > peak ? memory->classes[c].peak : peak;
  cr_assert_leq(least.seconds, (double)ts_run_result(run)->step * 1e-12, "%s", name);
  cr_assert_leq(least.bytes, peak, "%s", name);
  cr_assert(!least.over || memory->classes[memory->fullest].over, "%s", name);
  ts_energy energy = ts_energy_of(ir, ts_run_result(run));
  cr_assert_leq(ts_least_joules(&least, least.seconds, least.work), energy.joules, "%s", name);
  cr_assert_leq(ts_least_dollars(&least, least.seconds), energy.dollars, "%s", name);
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

Test(least, is_no_more_than_what_random_plans_take)
{
  for (uint32_t seed = 0; seed < RANDOM; seed++) {
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

static void check_plan(const char *file, const ts_define *defines, uint32_t count)
{
  ts_arena *arena = ts_arena_new("test");
  const char *source = getenv("top_srcdir");
  ts_session *s = ts_session_new(arena);
  ts_compile_options o = {.defines = defines, .define_count = count};
  ts_input input;
  const char *path = ts_arena_printf(arena, "%s/examples/%s", source ? source : ".", file);
  cr_assert(ts_input_open(s, path, &o, &input), "%s", path);
  check(arena, &input.ir, file);
  ts_input_close(&input);
  ts_arena_free(arena);
}

Test(least, is_no_more_than_what_examples_take)
{
  check_plan("gpt2_large.ts", NULL, 0);
  check_plan("local_sgd.ts", NULL, 0);
  check_plan("hop.ts", NULL, 0);
  check_plan("wafer.ts", NULL, 0);
  check_plan("degrees.ts", (ts_define[]){{"tp", "8"}, {"pp", "16"}, {"dp", "8"}}, 3);
  cr_assert_gt(tightest, 0.99); /* the sends and collectives of a pipeline leave no doubt */
}
