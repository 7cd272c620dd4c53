/* What lowering promises of every plan: memory that is taken is given back, collectives and
 * messages of a step have the volumes of their closed forms. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/compile.h"

typedef struct lowered { ts_arena *arena; ts_session *s; ts_ir_builder *b; ts_ir ir; } lowered;

static lowered lower(const char *plan, const ts_define *define, uint32_t count)
{
  lowered l = {.arena = ts_arena_new("test")};
  const char *source = getenv("top_srcdir");
  l.s = ts_session_new(l.arena);
  ts_compile_options o = {.stdlib_dir =
                            ts_arena_printf(l.arena, "%s/stdlib", source ? source : "."),
                          .defines = define,
                          .define_count = count};
  l.b = ts_compile(l.s, ts_arena_printf(l.arena, "%s/%s", source ? source : ".", plan), &o);
  if (!l.b)
    ts_diags_print(l.s->diags, stderr, TS_COLOR_NEVER);
  cr_assert(l.b, "%s does not compile", plan);
  ts_ir_builder_view(l.b, &l.ir);
  return l;
}

static void end(lowered *l)
{
  ts_ir_builder_free(l->b);
  ts_arena_free(l->arena);
}

/* Walks a program in the order of its nodes: no category falls below nothing, and all end at
 * nothing. */
static void balanced(const ts_ir *ir, uint32_t program, const char *plan)
{
  int64_t held[TS_IR_CATEGORIES] = {0};
  const ts_ir_program *p = &ir->programs[program];
  for (uint32_t i = p->first_item; i < p->first_item + p->item_count; i++) {
    const ts_ir_fragment *f = &ir->fragments[ir->items[i].fragment];
    for (uint32_t n = f->first_node; n < f->first_node + f->node_count; n++)
      for (uint32_t m = ir->nodes[n].first_mem; m < ir->nodes[n].first_mem + ir->nodes[n].mem_count;
           m++) {
        held[ir->mems[m].category] += ir->mems[m].bytes;
        cr_assert(held[ir->mems[m].category] >= 0,
                  "%s, program %u, item %u (%s), node %u: category %u at %lld after `%s`", plan,
                  program, i, ir->strings + f->name, n - f->first_node, ir->mems[m].category,
                  (long long)held[ir->mems[m].category], ir->strings + ir->mems[m].label);
      }
  }
  for (int c = 0; c < TS_IR_CATEGORIES; c++)
    cr_assert(held[c] == 0, "%s, program %u: %lld bytes of category %d are never given back", plan,
              program, (long long)held[c], c);
}

static void memory_of(const char *plan, const ts_define *define, uint32_t count)
{
  lowered l = lower(plan, define, count);
  for (uint32_t p = 0; p < l.ir.programs_count; p++)
    balanced(&l.ir, p, plan);
  end(&l);
}

#define WITH(...) (ts_define[]){__VA_ARGS__}, sizeof((ts_define[]){__VA_ARGS__}) / sizeof(ts_define)

Test(lower, memory_comes_back)
{
  memory_of("examples/gpt3_175b.ts", NULL, 0);
  memory_of("examples/gpt3_175b.ts", WITH({"pp", "1"}, {"global", "96"}));
  memory_of("examples/gpt3_175b.ts", WITH({"tp", "1"}, {"pp", "8"}));
  memory_of("examples/llama3_70b.ts", NULL, 0);
  memory_of("examples/my_schedule.ts", NULL, 0);
  memory_of("examples/gpt2_large.ts", WITH({"batch", "4"}, {"pp", "4"}, {"micro", "1"}));
  memory_of("examples/gpt2_large.ts", WITH({"batch", "4"}, {"tp", "4"}));
  memory_of("examples/resnet50.ts", NULL, 0);
}

/* What is cast before it is gathered, however it is gathered, kept, or made again. */
Test(lower, memory_of_casts_comes_back)
{
  static const char *const uses[] = {"[\"fp8\"]",
                                     "[\"fp8\", \"tp\"]",
                                     "[\"fp8\", \"sp\"]",
                                     "[\"async\", \"fp8\"]",
                                     "[\"fp8\", \"tp_ring\"]",
                                     "[\"fp8\", \"sp\", \"full\"]",
                                     "[\"fp8\", \"sp\", \"offload\"]"};
  for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
    for (int k = 0; k < 2; k++)
      memory_of("tests/strategies/_plan.ts", WITH({"use", uses[i]}, {"tp", "2"}, {"pp", "2"},
                                                  {"m", "4"}, {"zb", k ? "true" : "false"}));
  memory_of("tests/strategies/_plan.ts", WITH({"use", "[\"fp8\", \"sp\", \"ep\", \"etp\"]"},
                                              {"tp", "2"}, {"ep", "2"}, {"experts", "4"}));
}

/* Bytes of all collectives of a kind over a group that a program issues. */
static double traffic(const ts_ir *ir, uint32_t program, uint32_t kind, const char *group)
{
  double bytes = 0;
  const ts_ir_program *p = &ir->programs[program];
  for (uint32_t i = p->first_item; i < p->first_item + p->item_count; i++) {
    const ts_ir_fragment *f = &ir->fragments[ir->items[i].fragment];
    for (uint32_t n = f->first_node; n < f->first_node + f->node_count; n++) {
      const ts_ir_collective *c =
        ir->nodes[n].op == TS_IR_COLLECTIVE ? &ir->collectives[ir->nodes[n].arg] : NULL;
      if (c && c->kind == kind && !strcmp(ir->strings + ir->groups[c->group].name, group))
        bytes += (double)c->bytes;
    }
  }
  return bytes;
}

/* Sequence parallelism: in each layer and direction two gathers and two scatters of b s h elements,
 * and two more gathers for the weight gradients (Korthikanti et al., arXiv 2205.05198, section
 * 4.2.2). */
Test(lower, sequence_parallel_volume)
{
  lowered l = lower("examples/gpt3_175b.ts", NULL, 0);
  /* bytes of bf16; a stage in the middle */
  double layer = 2.0 * 2048 * 12288, micro_batches = 192, layers = 6;
  cr_assert_float_eq(
    traffic(&l.ir, 7, TS_IR_REDUCE_SCATTER, "tp") / (layer * micro_batches * layers), 4, 1e-9);
  cr_assert_float_eq(traffic(&l.ir, 7, TS_IR_ALL_GATHER, "tp") / (layer * micro_batches * layers),
                     6, 1e-9);
  end(&l);
}

/* Replicas sum every gradient once a step, in fp32. */
Test(lower, gradients_are_summed_once)
{
  lowered l = lower("examples/gpt3_175b.ts", NULL, 0);
  uint64_t gradients = 0;
  const ts_ir_program *p = &l.ir.programs[7];
  for (uint32_t h = p->first_holding; h < p->first_holding + p->holding_count; h++)
    gradients += l.ir.holdings[h].category == TS_IR_GRADIENTS ? l.ir.holdings[h].bytes : 0;
  cr_assert_float_eq(traffic(&l.ir, 7, TS_IR_ALL_REDUCE, "dp") / (double)gradients, 1, 1e-6);
  end(&l);
}
