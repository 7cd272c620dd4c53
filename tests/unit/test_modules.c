/* Time and memory by module: names of modules, and parts that add up to the whole. */
#include <criterion/criterion.h>
#include <string.h>

#include "runtime/account/modules.h"
#include "tests/unit/random_ir.h"

static const char *module_of(const char *label, ts_label_view view)
{
  static char name[64];
  char strings[64] = "";
  ts_ir ir = {.strings = strings, .strings_count = sizeof strings};
  ts_arena *arena = ts_arena_new("test");
  ts_labels *labels = ts_labels_new(arena, arena, &ir, view);
  strcpy(strings + 1, label);
  strcpy(name, ts_labels_name(labels, ts_labels_number(labels, 1)));
  ts_arena_free(arena);
  return name;
}

Test(modules, names)
{
  const ts_label_view whole = {0}, merged = {.depth = 2}, layers = {.depth = 1, .repeats = true};
  cr_assert_str_eq(module_of("layer[3].attn.qkv", whole), "layer[*].attn.qkv");
  cr_assert_str_eq(module_of("layer[3].attn.qkv", merged), "layer[*].attn");
  cr_assert_str_eq(module_of("layer[3].attn.qkv", layers), "layer[3]");
  cr_assert_str_eq(module_of("layer[+12].mlp", merged), "layer[*].mlp");
  cr_assert_str_eq(module_of("layer[*].mlp.up", merged), "layer[*].mlp");
  cr_assert_str_eq(module_of("blocks.11.attn.c_proj", merged), "blocks.*.attn");
  cr_assert_str_eq(module_of("blocks.11.attn", layers), "blocks.11");
  cr_assert_str_eq(module_of("blocks.11.attn.out", (ts_label_view){2, true}), "blocks.11.attn");
  cr_assert_str_eq(module_of("blocks.11.qkv aten::addmm", layers), "blocks.11");
  cr_assert_str_eq(module_of("blocks.11 aten::bmm", merged), "blocks.*");
  cr_assert_str_eq(module_of("blocks.11.out all_reduce", merged), "blocks.*.out");
  cr_assert_str_eq(module_of("blocks.11 aten::bmm", whole), "blocks.* aten::bmm");
  cr_assert_str_eq(module_of("aten::add", merged), "(outside modules)");
  cr_assert_str_eq(module_of("aten::add", whole), "aten::add");
  cr_assert_str_eq(module_of("gradient norm", merged), "gradient norm");
  cr_assert_str_eq(module_of("expert[a.b].up", layers), "expert[a.b]");
  cr_assert_str_eq(module_of("conv3x3[", merged), "conv3x3[");
  cr_assert_str_eq(module_of("embed", merged), "embed");
  cr_assert_str_eq(module_of("", merged), "");
}

Test(modules, equal_names_are_one_module)
{
  char strings[] = "\0layer[0].up\0layer[1].up\0head";
  ts_ir ir = {.strings = strings, .strings_count = sizeof strings};
  ts_arena *arena = ts_arena_new("test");
  ts_labels *labels = ts_labels_new(arena, arena, &ir, (ts_label_view){0});
  cr_assert_eq(ts_labels_number(labels, 1), 0);
  cr_assert_eq(ts_labels_number(labels, 25), 1);
  cr_assert_eq(ts_labels_number(labels, 13), 0);
  cr_assert_eq(ts_labels_named(labels, "layer[*].up"), 0);
  cr_assert_eq(ts_labels_count(labels), 2);
  ts_arena_free(arena);
}

/* of the compute stream, node by node */
static void add_kernel(void *closure, const ts_span_event *e)
{
  if (e->node->op == TS_IR_COMPUTE && e->stream == 0)
    *(uint64_t *)closure += e->end - e->start;
}

/* Stretches in which the compute stream waits: they add up to the class's, gap by gap in order. */
typedef struct idles { uint64_t time[TS_IDLE_WORK + 1], until; uint32_t before; } idles;

static void add_idle(void *closure, const ts_idle *i)
{
  idles *sum = closure;
  cr_assert(i->from < i->to);
  if (i->before != sum->before) {
    cr_assert(i->to > sum->until);
    sum->until = i->to;
  }
  cr_assert_eq(i->node == NULL, i->item == TS_IR_NONE);
  sum->before = i->before;
  sum->time[i->kind] += i->to - i->from;
}

static void check_idle(const ts_run *run, uint32_t class)
{
  const ts_class_result *r = &ts_run_result(run)->classes[class];
  idles sum = {.before = 0};
  uint64_t exposed = 0;
  ts_run_attribute(run, class, &(ts_attribution){.closure = &sum, .idle = add_idle});
  for (uint32_t c = 0; c < r->comm_count; c++)
    exposed += r->comms[c].exposed;
  cr_assert_eq(sum.time[TS_IDLE_BUBBLE], r->bubble);
  cr_assert_eq(sum.time[TS_IDLE_EXPOSED], exposed);
  cr_assert(sum.time[TS_IDLE_HOST] <= r->host); /* the rest lies inside runs of kernels */
}

static void check_class(const ts_run *run, const ts_memory *memory, const ts_modules *modules,
                        uint32_t class)
{
  const ts_class_result *r = &ts_run_result(run)->classes[class];
  check_idle(run, class);
  ts_module_share sum = {.exposed = 0};
  uint64_t phases = 0, transfer = 0, exposed = 0, kernels = 0, held = 0;
  for (uint32_t m = 0; m < modules->count; m++) {
    const ts_module_share *share = &modules->of[class][m];
    for (uint32_t p = 0; p < TS_IR_PHASES; p++)
      sum.phase[p] += share->phase[p];
    for (uint32_t k = 0; k < TS_IR_CATEGORIES; k++)
      held += share->memory[k];
    sum.exposed += share->exposed;
    sum.transfer += share->transfer;
  }
  for (uint32_t p = 0; p < TS_IR_PHASES; p++) {
    cr_assert_eq(sum.phase[p], r->phase[p]);
    phases += r->phase[p];
  }
  for (uint32_t c = 0; c < r->comm_count; c++)
    transfer += r->comms[c].transfer, exposed += r->comms[c].exposed;
  cr_assert_eq(sum.transfer, transfer);
  cr_assert_eq(sum.exposed, exposed);
  cr_assert_eq(held, memory->classes[class].peak);
  ts_run_timeline(run, r->rank, add_kernel, &kernels);
  cr_assert_geq(phases, kernels); /* and what it waited for on other streams */
}

Test(modules, parts_add_up_on_random_plans)
{
  static const ts_label_view views[] = {{0, false}, {1, false}, {2, true}};
  for (uint32_t seed = 0; seed < 90; seed++) {
    ts_arena *arena = ts_arena_new("test");
    ts_ir ir;
    ts_ir_builder *b = random_ir_new(seed);
    ts_ir_builder_view(b, &ir);
    ts_stop stop = {.arena = arena};
    ts_run *run = ts_run_new(&ir, &(ts_run_options){0}, &stop);
    cr_assert(run, "seed %u: %s", seed, stop.title);
    const ts_memory *memory = ts_memory_new(arena, &ir, run);
    const ts_modules *modules = ts_modules_new(arena, &ir, run, views[seed % 3]);
    for (uint32_t c = 0; c < memory->class_count; c++)
      check_class(run, memory, modules, c);
    ts_run_free(run);
    ts_ir_builder_free(b);
    ts_arena_free(arena);
  }
}
