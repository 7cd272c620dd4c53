/* Traced tables: rows read, dimensions followed, ops and times made of them. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "compiler/compile.h"
#include "compiler/model/traced.h"
#include "compiler/model/traced_table.h"
#include "tests/unit/amount.h"
#include "tests/unit/test_eval.h"

static const char *follow_of(ts_shape in, ts_shape out, bool batch)
{
  static char text[128];
  ts_follow f;
  char *at = text;
  ts_shape_follow(in, out, batch, &f);
  for (uint32_t d = 0; d < out.rank; d++) {
    *at++ = d ? ' ' : '[';
    if (f.of[d][0] < 0)
      *at++ = '-';
    for (int n = 0; n < TS_FOLLOW_MAX && f.of[d][n] >= 0; n++)
      *at++ = (char)('0' + f.of[d][n]);
  }
  strcpy(at, "]");
  return text;
}

static const char *follow(ts_shape in, ts_shape out) { return follow_of(in, out, false); }

#define SHAPE(...)                                                                                 \
  ((ts_shape){sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (int64_t[]){__VA_ARGS__}})

Test(trace, dimensions_are_followed)
{
  cr_expect_str_eq(follow(SHAPE(4, 1024, 3840), SHAPE(4, 1024, 1280)), "[0 1 2]"); /* a slice */
  cr_expect_str_eq(follow(SHAPE(4, 1024, 1280), SHAPE(4, 1024, 20, 64)), "[0 1 2 -]");
  cr_expect_str_eq(follow(SHAPE(4, 1024, 20, 64), SHAPE(4, 20, 1024, 64)), "[0 2 1 3]");
  cr_expect_str_eq(follow(SHAPE(4, 1024, 20, 64), SHAPE(4, 1024, 1280)), "[0 1 23]");
  cr_expect_str_eq(follow(SHAPE(2, 32, 2048, 64), SHAPE(64, 2048, 64)), "[01 2 3]");
  cr_expect_str_eq(follow(SHAPE(1, 1024), SHAPE(1024, 1)), "[01 -]");
  cr_expect_str_eq(follow(SHAPE(1, 1024, 8), SHAPE(1024, 8)), "[01 2]");
  /* heads are split */
  cr_expect_str_eq(follow(SHAPE(64, 2048, 64), SHAPE(2, 32, 2048, 64)), "[- 0 1 2]");
  /* among queries, keys and values, wherever they stand; of which one is taken */
  cr_expect_str_eq(follow(SHAPE(4, 1024, 3840), SHAPE(4, 1024, 3, 20, 64)), "[0 1 - 2 -]");
  cr_expect_str_eq(follow(SHAPE(4, 1024, 3840), SHAPE(4, 1024, 20, 3, 64)), "[0 1 2 - -]");
  cr_expect_str_eq(follow(SHAPE(3, 3, 20, 1024, 64), SHAPE(3, 20, 1024, 64)), "[1 2 3 4]");
  /* the batch grows */
  cr_expect_str_eq(follow_of(SHAPE(64, 2048, 64), SHAPE(2, 32, 2048, 64), true), "[0 - 1 2]");
  cr_expect_str_eq(follow(SHAPE(2, 512, 1024), SHAPE(2, 1024)), "[0 2]"); /* a dimension dropped */
  cr_expect_str_eq(follow(SHAPE(128, 2048, 1, 1), SHAPE(128, 2048)), "[0 1]");
}

#define MAPPING                                                                                    \
  "op product(x: Tensor, out: Int) {\n  weight w: [out, last(x.shape)]\n  output y: "               \
  "with_last(x.shape, out)\n"                                                                      \
  "  forward { kernel gemm { flops = 2 * numel(y), reads = [x, w], writes = [y] } }\n"             \
  "  backward(input) { kernel gemm { flops = 2 * numel(y), reads = [dy, w], writes = [dx] } }\n"   \
  "  backward(weight) { kernel gemm { flops = 2 * numel(y), reads = [dy, x], writes = [dw] } }\n " \
  " saves [x]\n}\n"                                                                                \
  "op same(x: Tensor) {\n  output y: x.shape\n  forward { reads = [x], writes = [y] }\n  "         \
  "backward(input) { reads = [dy], writes = [dx] }\n}\n"                                           \
  "fn width(row: Record) -> Int = last(row.output)\n"                                              \
  "let words = {\n  given: \"input\", floor: \"size\", optimizer: \"update\",\n"                   \
  "  ops: [{ kind: \"product\", op: product, args: { out: width }, backward: "                     \
  "\"*ProductBackward\" }, { kind: \"same\", op: same }],\n"                                       \
  "  labels: [{ path: \"*.mlp\", label: \"up\" }], values: \"size\", constants: \"zeros\",\n}\n"   \
  "gpu g { memory = 1 GiB, bandwidth = 1 TB/s, peak = { fp32: 1 TFLOP/s, tf32: 4 TFLOP/s, bf16: "  \
  "16 TFLOP/s, fp16: 16 TFLOP/s } }\n"                                                             \
  "cluster c(n: Int) {\n  device d[n]: g\n  switch s[1]\n  link d[*] <-> s[0] { bandwidth = 1 "    \
  "GB/s }\n}\n"

#define HEADER "name,kind,inputs,output_shape,dtype,forward_us,backward_us,accumulate_us\n"

static ts_graph *traced(ts_desk *desk, const char *table, const char *options)
{
  ts_desk_file(desk, "table.csv", table);
  const char *plan = "%splan p {\n  model = trace(\"table.csv\", words%s)\n  cluster = c(1)\n  "
                     "batch = { micro: 2, global: 2 }\n  costs = [roofline(g)]\n}\n";
  ts_plan *p = ts_plan_load(
    desk->s, ts_desk_file(desk, "plan.ts", ts_arena_printf(desk->arena, plan, MAPPING, options)),
    NULL);
  return p ? ts_graph_build(desk->s, p) : NULL;
}

#define LAYERS                                                                                     \
  HEADER                                                                                           \
  "x,input,,\"(2, 8)\",float32,0,0,0\nn,size,x,\"(1,)\",,5,0,0\nfirst,product,x,\"(2, "            \
  "4)\",float32,25,0,0\n"                                                                          \
  "h.0.mlp,product,first,\"(2, "                                                                   \
  "4)\",float32,45,85,15\nscalar,tensor,n,\"(1,)\",float32,15,0,0\nact,same,h.0.mlp,\"(2, "        \
  "4)\",float32,15,5.2,0\n"                                                                        \
  "nothing,same,act,\"(2, 4)\",float32,6,0,0\nm.head,product,nothing,\"(2, "                       \
  "6)\",float32,35,65,0\nu,update,,,,0,40,0\n"

Test(trace, a_layer_is_repeated_and_the_floor_taken_off)
{
  ts_desk desk = ts_desk_open();
  ts_graph *g = traced(&desk, LAYERS, ", repeat: 3");
  cr_assert(g, "%s", ts_desk_errors(&desk));
  cr_assert_eq(g->ops.count, 1 + 3 * 2 + 1, "%zu ops, the last `%s`", g->ops.count,
               g->ops.at[g->ops.count - 1].label);
  cr_expect_str_eq(g->ops.at[0].label, "first");
  cr_expect_str_eq(g->ops.at[3].label, "layer[1].up");
  cr_expect_str_eq(g->ops.at[4].label, "layer[1].act");
  cr_expect_eq(g->unit_count, 3);
  cr_expect_eq(g->ops.at[5].unit, 2);
  cr_expect_eq(g->parameters, 4 * 8 + 3 * 4 * 4 + 6 * 4);
  cr_expect_float_eq(g->ops.at[0].measured->seconds[TS_TRACED_FORWARD], 20e-6, 1e-12);
  const ts_measured *m = g->ops.at[3].measured;
  cr_expect_float_eq(m->seconds[TS_TRACED_FORWARD], 40e-6, 1e-12);
  cr_expect_float_eq(m->seconds[TS_TRACED_BACKWARD], 80e-6 + 10e-6, 1e-12);
  cr_expect_eq(m, g->ops.at[1].measured);
  cr_expect_eq(m->work.phase[TS_PHASE_WEIGHT].count, 1);
  /* nothing before it learns */
  cr_expect_eq(g->ops.at[0].measured->work.phase[TS_PHASE_INPUT].count, 0);
  m = g->ops.at[4].measured;
  /* with the scalar's kernel */
  cr_expect_float_eq(m->seconds[TS_TRACED_FORWARD], 10e-6 + 10e-6, 1e-12);
  cr_expect_eq(m->seconds[TS_TRACED_BACKWARD], 0);
  cr_expect_float_eq(g->optimizer_seconds, 40e-6, 1e-12);
  ts_desk_close(&desk);
}

Test(trace, another_batch_keeps_the_shapes_of_the_table)
{
  ts_desk desk = ts_desk_open();
  ts_graph *g = traced(
    &desk, HEADER "x,input,,\"(1, 8)\",float32,0,0,0\ny,product,x,\"(1, 4)\",float32,25,0,0\n", "");
  cr_assert(g, "%s", ts_desk_errors(&desk));
  cr_expect_eq(g->ops.at[0].slots[0].shape.dim[0], 2);
  cr_expect_eq(g->ops.at[0].measured->slots[0].shape.dim[0], 1);
  cr_expect_float_eq(g->ops.at[0].measured->work.phase[TS_PHASE_FORWARD].at[0].flops, 2 * 4, 1e-9);
  ts_desk_close(&desk);
}

#define SEQUENCE_FIRST                                                                             \
  HEADER "x,input,,\"(8, 4, 16)\",float32,0,0,0\ny,product,x,\"(8, 4, 12)\",float32,25,0,0\n"

/* The plan's micro-batch is 2. */
Test(trace, the_batch_is_the_dimension_that_is_said_to_be)
{
  static const struct {
    const char *table, *options;
    int64_t dim[2];
    const char *warning;
  } cases[] = {
    {SEQUENCE_FIRST, "", {2, 4}, "W0533 dimension 0 of `x` is assumed to be the batch"},
    {SEQUENCE_FIRST, ", batch_dim: 1", {8, 2}, NULL},
    {"# batch_dim: 1\n" SEQUENCE_FIRST, "", {8, 2}, NULL},
    {"# batch_dim: 0\n" SEQUENCE_FIRST, "", {2, 4}, NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ts_desk desk = ts_desk_open();
    ts_graph *g = traced(&desk, cases[i].table, cases[i].options);
    cr_assert(g, "%s", ts_desk_errors(&desk));
    const ts_op *op = &g->ops.at[0];
    for (int d = 0; d < 2; d++) {
      cr_expect_eq(op->slots[0].shape.dim[d], cases[i].dim[d], "case %zu", i);
      cr_expect_eq(op->slots[op->slot_count - 1].shape.dim[d], cases[i].dim[d], "case %zu", i);
    }
    const char *said = ts_desk_errors(&desk);
    cr_expect(cases[i].warning ? strstr(said, cases[i].warning) != NULL : !*said,
              "case %zu says %s", i, said);
    ts_desk_close(&desk);
  }
}

Test(trace, a_sequence_that_comes_first_is_known_by_its_length)
{
  ts_desk desk = ts_desk_open();
  ts_desk_file(&desk, "table.csv", SEQUENCE_FIRST);
  ts_plan *p = ts_plan_load(
    desk.s,
    ts_desk_file(&desk, "plan.ts",
                 MAPPING
                 "plan p {\n  model = trace(\"table.csv\", words)\n  cluster = c(1)\n"
                 "  batch = { micro: 2, global: 2 }\n  tokens = 8\n  costs = [roofline(g)]\n}\n"),
    NULL);
  ts_graph *g = p ? ts_graph_build(desk.s, p) : NULL;
  cr_assert(g, "%s", ts_desk_errors(&desk));
  cr_expect_eq(g->ops.at[0].slots[0].shape.dim[0], 8);
  cr_expect_eq(g->ops.at[0].slots[0].shape.dim[1], 2);
  cr_expect(strstr(ts_desk_errors(&desk), "W0533 dimension 1 of `x` is assumed to be the batch"),
            "says %s", ts_desk_errors(&desk));
  ts_desk_close(&desk);
}

/* Random chains of rows in formats of their own, as autocast records them: whatever the plan
 * computes in, the kernels add up to the rows' times. */
static const char *chain_of_formats(ts_arena *arena, uint32_t seed, double *sum)
{
  static const char *const formats[] = {"float32", "bfloat16", "float16"};
  const char *text = HEADER "x,input,,\"(2, 8)\",float32,0,0,0\n", *before = "x";
  uint32_t width = 8;
  *sum = 0;
  for (int i = 0; i < 12; i++) {
    uint32_t draw = seed = seed * 1664525 + 1013904223, forward = 1 + (draw >> 8) % 900000,
             backward = (draw >> 4) % 1700000;
    bool product = !i || (draw >> 28 & 1);
    width = product ? 4 + (draw >> 20) % 60 : width;
    text = ts_arena_printf(arena, "%sr%d,%s,%s,\"(2, %u)\",%s,%u.%03u,%u.%03u,0\n", text, i,
                           product ? "product" : "same", before, width, formats[(draw >> 16) % 3],
                           forward / 1000, forward % 1000, backward / 1000, backward % 1000);
    before = ts_arena_printf(arena, "r%d", i);
    *sum += 1e-9 * (forward + backward);
  }
  return text;
}

/* Picoseconds of all kernels that the plan's one rank plays; it plays each fragment once. */
static uint64_t played_kernels(ts_desk *desk, const char *path)
{
  ts_input input;
  ts_compile_options options = {0};
  uint64_t sum = 0;
  cr_assert(ts_input_open(desk->s, path, &options, &input), "%s", ts_desk_errors(desk));
  for (uint32_t i = 0; i < input.ir.items_count; i++) {
    const ts_ir_fragment *f = &input.ir.fragments[input.ir.items[i].fragment];
    for (uint32_t n = f->first_node; n < f->first_node + f->node_count; n++)
      if (input.ir.nodes[n].op == TS_IR_COMPUTE)
        sum += input.ir.kernels[input.ir.nodes[n].arg].time;
  }
  ts_input_close(&input);
  return sum;
}

Test(trace, kernels_add_up_to_the_rows_in_every_precision)
{
  static const char *const precisions[] = {"", "fp32", "tf32", "bf16", "fp16"};
  for (uint32_t seed = 1; seed <= amount(8, 40); seed++)
    for (size_t k = 0; k < sizeof precisions / sizeof *precisions; k++) {
      ts_desk desk = ts_desk_open();
      double sum;
      ts_desk_file(&desk, "table.csv", chain_of_formats(desk.arena, seed, &sum));
      const char *precision =
        *precisions[k] ?
          ts_arena_printf(desk.arena,
                          "  precision = { compute: %s, weights: %s, gradients: fp32 }\n",
                          precisions[k], precisions[k]) :
          "";
      const char *plan =
        MAPPING "plan p {\n  model = trace(\"table.csv\", words)\n  cluster = c(1)\n  batch = { "
                "micro: 2, global: 2 }\n  costs = [roofline(g)]\n%s}\n";
      uint64_t played = played_kernels(
        &desk, ts_desk_file(&desk, "plan.ts", ts_arena_printf(desk.arena, plan, precision)));
      cr_expect_eq(played, (uint64_t)llround(sum * 1e12),
                   "seed %u, %s: %.12f s of rows play as %.12f", seed, precisions[k], sum,
                   (double)played * 1e-12);
      ts_desk_close(&desk);
    }
}

/* A table recorded on `old`, played on another gpu: one alike, one of twice the rates. */
static uint64_t played_on(const char *table, const char *on)
{
  ts_desk desk = ts_desk_open();
  ts_desk_file(&desk, "table.csv", table);
  const char *plan = MAPPING
    "gpu old = g with { sms = 80 }\ngpu alike = g with { sms = 80 }\n"
    "gpu fast = g with { sms = 80, bandwidth = 2 TB/s, peak = { fp32: 2 TFLOP/s, bf16: 32 TFLOP/s, "
    "fp16: 32 TFLOP/s } }\n"
    "cluster one() {\n  device d[1]: %s\n}\n"
    "plan p {\n  model = trace(\"table.csv\", words, from: old)\n  cluster = one()\n"
    "  batch = { micro: 2, global: 2 }\n  costs = [roofline(%s)]\n}\n";
  uint64_t played = played_kernels(
    &desk, ts_desk_file(&desk, "plan.ts", ts_arena_printf(desk.arena, plan, on, on)));
  ts_desk_close(&desk);
  return played;
}

/* A gpu with the same data sheet takes as long, one of twice the rates between half as long and as
 * long. */
Test(trace, times_go_to_other_gpus_by_models)
{
  ts_arena *arena = ts_arena_new("test");
  for (uint32_t seed = 1; seed <= amount(4, 12); seed++) {
    double sum;
    const char *table = chain_of_formats(arena, seed, &sum);
    double own = (double)played_on(table, "old"), alike = (double)played_on(table, "alike"),
           fast = (double)played_on(table, "fast");
    cr_expect_float_eq(own, sum * 1e12, 1, "seed %u: as measured", seed);
    cr_expect_float_eq(alike, own, 100, "seed %u: %g instead of %g", seed, alike, own);
    cr_expect(fast <= 1.0001 * own && fast >= 0.4999 * own, "seed %u: %g", seed, fast / own);
  }
  ts_arena_free(arena);
}

/* Kernels that take what their bytes take at the bandwidth take half as long at twice of it. */
Test(trace, what_moves_data_goes_by_the_bandwidth)
{
  ts_arena *arena = ts_arena_new("test");
  const char *table = HEADER "x,input,,\"(2, 4000)\",float32,0,0,0\n", *before = "x";
  for (double width = 4000, last = width, i = 0; i < 10; i++, last = width) {
    width *= i < 5 ? 1.7 : 0.8;
    width = floor(width);
    double us = 4e-6 * (2 * last + last * width + 2 * width);
    table = ts_arena_printf(arena, "%sr%g,product,%s,\"(2, %.0f)\",float32,%.6f,0,0\n", table, i,
                            before, width, us);
    before = ts_arena_printf(arena, "r%g", i);
  }
  double own = (double)played_on(table, "old"), fast = (double)played_on(table, "fast");
  cr_expect(own > 1e9);
  cr_expect_float_eq(fast, own / 2, 0.01 * own, "%g of %g", fast, own);
  ts_arena_free(arena);
}

#define STAGES "OperatorName,Operator_input,Operator_output,Operator_cudatimenooverlap,stage\n"
#define TENSORS                                                                                    \
  "TensorID,TensorShape,TensorEachByte,TensorType,TensorStorgeid\n1,\"[2, "                        \
  "8]\",4,input,100\n2,\"[4, 8]\",4,weight,101\n3,\"[2, 4]\",4,output,102\n"                       \
  "4,\"[2, 4]\",4,input,102\n5,\"[6, 4]\",4,weight,103\n6,\"[2, 6]\",4,output,104\n"

Test(trace, backward_rows_find_their_operators)
{
  ts_desk desk = ts_desk_open();
  ts_desk_file(&desk, "tensors.csv", TENSORS);
  ts_graph *g =
    traced(&desk,
           STAGES "product,[1; 2],[3],10,forward\nproduct,[4; 5],[6],20,forward\nauto: "
                  "ProductBackward,[9],[10],7,backward\n"
                  "auto: ProductBackward,[11],[12],3,backward\nupdate,[2; 5],[],9,optimizer\n",
           ", tensors: \"tensors.csv\"");
  cr_assert(g, "%s", ts_desk_errors(&desk));
  cr_assert_eq(g->ops.count, 2);
  cr_expect_eq(g->ops.at[1].slots[0].tensor, g->ops.at[0].slots[2].tensor,
               "a view of the first output is its tensor");
  cr_expect_float_eq(g->ops.at[0].measured->seconds[TS_TRACED_BACKWARD], 3e-6, 1e-12);
  cr_expect_float_eq(g->ops.at[1].measured->seconds[TS_TRACED_BACKWARD], 7e-6, 1e-12);
  cr_expect_float_eq(g->optimizer_seconds, 9e-6, 1e-12);
  cr_expect_eq(g->parameters, 4 * 8 + 6 * 4);
  ts_desk_close(&desk);
}

static void refused(const char *table, const char *options, const char *message)
{
  ts_desk desk = ts_desk_open();
  cr_expect_null(traced(&desk, table, options), "expected %s", message);
  cr_expect(strstr(ts_desk_errors(&desk), message), "says     %s\nexpected %s",
            ts_desk_errors(&desk), message);
  ts_desk_close(&desk);
}

#define LISTED "name,kind,inputs,output_shape,dtype,forward_us,backward_us,parameters\n"
#define X "x,input,,\"(2, 8)\",float32,0,0,0\n"

Test(trace, malformed_tables_are_refused)
{
  refused("", "", "E0521 the table `");
  refused("# only words\n", "", "is empty");
  refused(HEADER, "", "has no rows");
  refused("name,kind,inputs,output_shape,dtype,forward_ms,backward_us\n", "",
          "E0521 the table has no column `forward_us`");
  refused(HEADER X "y,product,x\n", "", "E0521 the row has 3 cells, the table 8 columns");
  refused(HEADER "x,input,,\"(2, 8\",float32,0,0,0\n", "", "`(2, 8` is not a shape");
  refused(HEADER "x,input,,\"(2, 8)\",float31,0,0,0\n", "", "`float31` is not a number format");
  refused(HEADER X "y,product,z,\"(2, 4)\",float32,1,0,0\n", "", "no earlier row is named `z`");
  refused(HEADER X "y,product,x,\"(2, 4)\",float32,-1,0,0\n", "",
          "`-1` is not a time in microseconds");
  refused(HEADER X "y,product,x,\"(2, 4)\",float32,nan,0,0\n", "", "`nan` is not a time");
  refused(HEADER X X, "", "two rows are named `x`");
  refused(HEADER X "y,squared,x,\"(2, 8)\",float32,9,0,0\n", "",
          "E0522 no op for the row `y` of kind `squared`");
  refused(HEADER X "y,same,x,\"(2, 9)\",float32,9,0,0\n", "", "E0522 no op for the row `y`");
  refused(HEADER X "y,product,x,\"(2, 4)\",float32,9,0,0\n", ", repeat: 3", "E0524 `");
  refused(STAGES "product,[1; 2],[3],10,forward\n", "", "needs the table of its tensors");
  refused(HEADER X "y,product,x,\"(2, 4)\",float32,,0,0\n", "",
          "E0521 the row states no `forward_us`");
  refused(HEADER X "y,product,x,\"(2, 4)\",float32,9,,0\n", "",
          "E0521 the row states no `backward_us`");
  refused(HEADER X "y,product,x,,float32,9,0,0\n", "",
          "E0521 the row outputs a tensor but states no `output_shape`");
  refused(HEADER X "y,product,,\"(2, 4)\",float32,9,0,0\n", "",
          "E0522 the row `y` of kind `product` takes nothing");
  refused(HEADER X "y,product,,\"(2, 4)\",,9,0,0\n", "",
          "E0522 the row `y` of kind `product` takes nothing");
  refused(HEADER X "y,product,x,\"(2, 4)\",,9,0,0\n", "",
          "E0522 the row `y` of kind `product` states no number format");
  refused(HEADER X "n,size,x,\"(1,)\",,9,7,0\n", "",
          "E0522 the row `n` of kind `size` has a backward but is not an op");
  refused(LISTED
          "x,input,,\"(2, 8)\",float32,0,0,\n"
          "y,product,x,\"(2, 4)\",float32,9,0,\"[[4, 8]]\"\nz,product,y,\"(2, 6)\",float32,9,0,\n",
          "", "lists 0 parameters, and the op `product` has 24");
  refused(LISTED "x,input,,\"(2, 8)\",float32,0,0,\n"
                 "y,product,x,\"(2, 4)\",float32,9,0,\"[[4, 9]]\"\n",
          "", "lists 36 parameters, and the op `product` has 32");
  refused("# batch_dim: x\n" HEADER X, "", "`x` is not a dimension");
  refused("# batch_dim: 2\n" HEADER X "y,product,x,\"(2, 4)\",float32,9,0,0\n", "",
          "has no dimension 2 that could be the batch");
  refused(HEADER X "y,product,x,\"(2, 4)\",float32,9,0,0\n", ", batch_dim: -1",
          "has no dimension -1");
  refused("# device: A\n# device: B\n" HEADER X, "", "E0521 the table is of `A` already");
  refused("# device: A\n" HEADER X, ", device: \"B\"", "was not recorded on `B`");
}

Test(trace, stage_tables_that_do_not_fit_are_refused)
{
  static const struct { const char *rows, *message;
  } cases[] = {
    {"product,[1; 2],[3],10,sideways\n", "`sideways` is neither"},
    {"product,1; 2,[3],10,forward\n", "is not a list of tensor ids"},
    {"product,[1; 2],[3],10,forward\nOther,[3],[3],5,backward\n",
     "E0522 1 row of `Other` is the backward of 0 kinds"},
    {"product,[1; 2],[3],1,forward\nproduct,[4; "
     "5],[6],1,forward\nProductBackward,[6],[6],1,backward\n",
     "E0522 1 rows of `ProductBackward` cannot be divided among 2"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ts_desk desk = ts_desk_open();
    ts_desk_file(&desk, "tensors.csv", TENSORS);
    cr_expect_null(traced(&desk, ts_arena_printf(desk.arena, STAGES "%s", cases[i].rows),
                          ", tensors: \"tensors.csv\""));
    cr_expect(strstr(ts_desk_errors(&desk), cases[i].message), "says %s, expected %s",
              ts_desk_errors(&desk), cases[i].message);
    ts_desk_close(&desk);
  }
}
