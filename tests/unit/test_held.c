/* What ranks hold, against closed forms of the number formats: activations of a layer, and
 * parameters with their gradients and optimizer state. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/compile.h"
#include "runtime/account/memory.h"
#include "runtime/account/result.h"
#include "tests/unit/amount.h"

static const char *const head =
  "import std.models.gpt, std.models.llama, std.models.llama_eager, std.models.bert, "
  "std.models.gemma, std.models.t5, std.models.deepseek, std.clusters.dgx, std.precision, "
  "std.optimizers.adam, std.costs,\n"
  "  std.strategies.megatron, std.strategies.data, std.strategies.fp8, std.schedules.one_f_one_b, std.schedules.single, "
  "std.schedules.interleaved,\n  std.schedules.chimera, std.strategies.tied\n";

typedef struct compiled { ts_arena *arena; ts_session *s; ts_ir_builder *b; ts_ir ir; } compiled;

/* `fields`: of a plan on one node of H100. */
static compiled compile(const char *fields)
{
  compiled c = {.arena = ts_arena_new("test")};
  const char *source = getenv("top_srcdir"), *scratch = getenv("TMPDIR");
  char path[512];
  snprintf(path, sizeof path, "%s/test_held.%ld.ts", scratch ? scratch : "/tmp", (long)getpid());
  FILE *file = fopen(path, "w");
  cr_assert(file);
  fprintf(file,
          "%splan held { cluster = dgx_h100(nodes: 1)\n batch = { micro: 2 }\n costs = "
          "[roofline(h100_sxm)]\n %s }\n",
          head, fields);
  fclose(file);
  c.s = ts_session_new(c.arena);
  ts_compile_options o = {.stdlib_dir =
                            ts_arena_printf(c.arena, "%s/stdlib", source ? source : ".")};
  c.b = ts_compile(c.s, path, &o);
  remove(path);
  if (!c.b)
    ts_diags_print(c.s->diags, stderr, TS_COLOR_NEVER);
  cr_assert(c.b, "%s", fields);
  ts_ir_builder_view(c.b, &c.ir);
  return c;
}

static void end(compiled *c)
{
  ts_ir_builder_free(c->b);
  ts_arena_free(c->arena);
}

/* Bytes that stay for the backward when the first item of a program, a forward, is over. */
static double kept(const char *fields)
{
  compiled c = compile(fields);
  const ts_ir_fragment *f = &c.ir.fragments[c.ir.items[c.ir.programs[0].first_item].fragment];
  double bytes = 0;
  for (uint32_t n = f->first_node; n < f->first_node + f->node_count; n++)
    for (uint32_t m = c.ir.nodes[n].first_mem;
         m < c.ir.nodes[n].first_mem + c.ir.nodes[n].mem_count; m++)
      bytes += c.ir.mems[m].category == TS_IR_ACTIVATIONS ? (double)c.ir.mems[m].bytes : 0;
  end(&c);
  return bytes;
}

enum { H = 512, A = 8, KV = 2, F = 1536, S = 256, B = 2, V = 1024 };

/* Bytes of each category that a program holds through the step, a parameter of the model; of what the
 * update moves; and of gradients that the step frees when it ends. */
static void held_by_parameter(const char *fields, double bytes[TS_IR_CATEGORIES], double *update,
                              double *freed)
{
  compiled c = compile(fields);
  const ts_ir_program *p = &c.ir.programs[0];
  const ts_ir_fragment *step =
    &c.ir.fragments[c.ir.items[p->first_item + p->item_count - 1].fragment];
  memset(bytes, 0, TS_IR_CATEGORIES * sizeof *bytes);
  *update = *freed = 0;
  for (uint32_t h = 0; h < c.ir.programs[0].holding_count; h++)
    bytes[c.ir.holdings[h].category] +=
      (double)c.ir.holdings[h].bytes / (double)c.ir.meta->parameters;
  for (uint32_t n = 0; n < c.ir.nodes_count; n++)
    if (c.ir.nodes[n].op == TS_IR_COMPUTE && c.ir.nodes[n].phase == TS_IR_PHASE_OPTIMIZER)
      *update += (double)c.ir.kernels[c.ir.nodes[n].arg].bytes / (double)c.ir.meta->parameters;
  for (uint32_t n = step->first_node; n < step->first_node + step->node_count; n++)
    for (uint32_t m = c.ir.nodes[n].first_mem;
         m < c.ir.nodes[n].first_mem + c.ir.nodes[n].mem_count; m++)
      if (c.ir.mems[m].category == TS_IR_GRADIENTS)
        *freed -= (double)c.ir.mems[m].bytes / (double)c.ir.meta->parameters;
  end(&c);
}

/* What one layer keeps: the difference that a layer more makes. */
static double kept_by_layer(const char *model, const char *precision, int tp, const char *apply)
{
  char one[1024], two[1024];
  const char *text = "mesh = { tp: %d }\n apply = [%s]\n precision = %s\n model = %s\n";
  char with[2][256];
  for (int n = 0; n < 2; n++)
    snprintf(with[n], sizeof with[n], model, n + 2);
  snprintf(one, sizeof one, text, tp, apply, precision, with[0]);
  snprintf(two, sizeof two, text, tp, apply, precision, with[1]);
  return kept(two) - kept(one);
}

#define GPT "gpt(layers: %d, hidden: 512, heads: 8, vocab: 1024, seq: 256, flash: false)"
#define LLAMA                                                                                      \
  "llama(layers: %d, hidden: 512, heads: 8, kv_heads: 2, ffn: 1536, vocab: 1024, seq: 256)"
#define EAGER                                                                                      \
  "eager_llama(layers: %d, hidden: 512, heads: 8, kv_heads: 2, ffn: 1536, vocab: 1024, seq: 256)"

typedef struct format { const char *precision; double e; } format; /* e: bytes of an element */
static const format formats[] = {
  {"mixed(bf16)", 2}, {"mixed(fp16, gradients: fp16)", 2}, {"full_precision()", 4}};

/* Korthikanti et al., arXiv 2205.05198, equations 1 to 4, with e bytes an element instead of 2: s b
 * h (10 + 24/t) is 4 e of inputs (of norms and products) and two masks of a byte whole, 12 e split;
 * 5 a s^2 b is 2 e of scores and a mask. Layer norms keep two statistics a row beside. */
static double gpt_layer(double e, double t, bool sequence)
{
  double sbh = (double)S * B * H, scores = (double)A * S * S * B, rows = (double)S * B;
  return (sbh * (4 * e + 2) + 2 * 8 * rows) / (sequence ? t : 1) +
         (sbh * 12 * e + scores * (2 * e + 1)) / t;
}

Test(held, activations_of_stored_scores)
{
  for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
    for (int t = 1; t <= 4; t *= 2) {
      if ((f + (size_t)t) % amount(2, 1))
        continue;
      double e = formats[f].e;
      cr_expect_float_eq(
        kept_by_layer(GPT, formats[f].precision, t, "tensor_parallel(tp)"), gpt_layer(e, t, false),
        0.5, "%s, tp %d: %.0f, not %.0f", formats[f].precision, t,
        kept_by_layer(GPT, formats[f].precision, t, "tensor_parallel(tp)"), gpt_layer(e, t, false));
      cr_expect_float_eq(
        kept_by_layer(GPT, formats[f].precision, t, "tensor_sequence_parallel(tp)"),
        gpt_layer(e, t, true), 0.5, "%s, tp %d", formats[f].precision, t);
    }
}

/* Attention in one kernel: norms keep their input and a statistic a row, products their input, the
 * rotated q, k and v with the output and a statistic a head and row, the activation its input. A
 * framework that runs op by op keeps silu(gate) too. */
static double llama_layer(double e, double t, bool sequence, bool eager)
{
  double rows = (double)S * B, packed = (double)H / A * (A + 2 * KV);
  return (rows * H * 4 * e + 2 * 4 * rows) / (sequence ? t : 1) +
         (rows * e * (packed + H + (eager ? 4 : 3) * F) + 4 * A * rows) / t;
}

Test(held, activations_of_flash_attention)
{
  for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
    for (int t = 1; t <= 2; t *= 2)
      for (int eager = 0; eager < 2; eager++)
        for (int sequence = 0; sequence < 2; sequence++) {
          if ((f + (size_t)(t + eager + sequence)) % amount(2, 1))
            continue;
          double is =
            kept_by_layer(eager ? EAGER : LLAMA, formats[f].precision, t,
                          sequence ? "tensor_sequence_parallel(tp)" : "tensor_parallel(tp)");
          cr_expect_float_eq(is, llama_layer(formats[f].e, t, sequence, eager), 0.5,
                             "%s, tp %d, eager %d, sequence %d: %.0f", formats[f].precision, t,
                             eager, sequence, is);
        }
}

/* Bytes of a parameter: weight, gradient, state with the fp32 copy; and what an update moves.
 * Megatron keeps 18 (2 + 4 + 12), plain mixed precision 16 (2 + 2 + 12: Rajbhandari et al., arXiv
 * 1910.02054, section 3.1), full precision 16 (4 + 4 + 8), which has nothing to copy. Stages of
 * ZeRO over n divide state, gradients, weights. Gradients are held through the step where a plan
 * says so, or where they are summed whole in buckets that stay; others are freed at its end. */
Test(held, optimizers_in_every_precision)
{
  static const struct { const char *text; double weight, gradient; bool stay;
  } precisions[] = {{"mixed()", 2, 4, false},
                    {"mixed() with { free_gradients = false }", 2, 4, true},
                    {"mixed(fp16)", 2, 4, false},
                    {"mixed(gradients: bf16)", 2, 2, false},
                    {"mixed(fp16, gradients: fp16)", 2, 2, false},
                    {"mixed(fp32)", 4, 4, false},
                    {"mixed(tf32)", 4, 4, false},
                    {"full_precision()", 4, 4, false},
                    {"none", 4, 4, false},
                    {"{ compute: bf16, weights: fp32, gradients: fp32 }", 4, 4, false},
                    {"{ compute: bf16, weights: fp32, gradients: bf16 }", 4, 2, false}};
  static const struct { const char *text; double moments; bool copies, narrow;
  } optimizers[] = {{"adam()", 2, true, false},
                    {"adam", 2, true, false},
                    {"adam(master: false)", 2, false, false},
                    {"sgd()", 1, true, false},
                    {"sgd(momentum: false)", 0, true, false},
                    {"sgd(master: false)", 1, false, true}};
  static const struct { const char *text; double state, gradients, weights; bool whole;
  } strategies[] = {{"", 1, 1, 1, false},
                    {"data_parallel(dp)", 1, 1, 1, true},
                    {"zero1(dp)", 4, 1, 1, true},
                    {"zero2(dp)", 4, 4, 1, false},
                    {"zero3(dp)", 4, 4, 4, false},
                    {"fsdp(dp)", 4, 4, 4, false}};
  for (size_t p = 0; p < sizeof precisions / sizeof *precisions; p++)
    for (size_t o = 0; o < sizeof optimizers / sizeof *optimizers; o++)
      for (size_t z = 0, every = amount(11, 1); z < sizeof strategies / sizeof *strategies; z++) {
        if ((p + o + z) % every)
          continue;
        char fields[1024];
        double is[TS_IR_CATEGORIES], moved, freed;
        double w = precisions[p].weight, g = precisions[p].gradient, part = g / strategies[z].gradients;
        double master = optimizers[o].copies && w < 4 ? 4 : 0, updated = master > 0 ? master : w,
               moments = optimizers[o].moments * (optimizers[o].narrow ? w : 4);
        snprintf(fields, sizeof fields,
                 "mesh = { dp: %d }\n apply = [%s]\n precision = %s\n optimizer = %s\n model = "
                 "gpt(layers: 1, hidden: 512, heads: 8, vocab: 1024, seq: 256)",
                 *strategies[z].text ? 4 : 1, strategies[z].text, precisions[p].text,
                 optimizers[o].text);
        held_by_parameter(fields, is, &moved, &freed);
        cr_expect_float_eq(is[TS_IR_PARAMETERS], w / strategies[z].weights, 1e-4, "%s: %g", fields,
                           is[TS_IR_PARAMETERS]);
        bool stay = precisions[p].stay || strategies[z].whole;
        cr_expect_float_eq(is[TS_IR_GRADIENTS], stay ? part : 0, 1e-4, "%s: %g", fields,
                           is[TS_IR_GRADIENTS]);
        cr_expect_float_eq(freed, stay ? 0 : part, 1e-4, "%s: %g freed", fields, freed);
        cr_expect_float_eq(is[TS_IR_OPTIMIZER], (moments + master) / strategies[z].state, 1e-4,
                           "%s: %g", fields, is[TS_IR_OPTIMIZER]);
        cr_expect_float_eq(moved * strategies[z].state, g + updated + 2 * moments + w + master,
                           1e-3, "%s: %g moved", fields, moved);
      }
}

/* Elements of parameters that all programs hold together, those of the model, and bytes that they
 * send in their step. */
static void shared(const char *fields, double *held, double *parameters, double *sent)
{
  compiled c = compile(fields);
  *held = *sent = 0;
  *parameters = (double)c.ir.meta->parameters;
  for (uint32_t h = 0; h < c.ir.holdings_count; h++)
    *held += c.ir.holdings[h].category == TS_IR_PARAMETERS ? (double)c.ir.holdings[h].bytes / 2 : 0;
  for (uint32_t p = 0; p < c.ir.programs_count; p++) {
    const ts_ir_item *step =
      &c.ir.items[c.ir.programs[p].first_item + c.ir.programs[p].item_count - 1];
    const ts_ir_fragment *f = &c.ir.fragments[step->fragment];
    for (uint32_t n = f->first_port; n < f->first_port + f->port_count; n++)
      *sent += c.ir.ports[n].is_send ? (double)c.ir.ports[n].bytes : 0;
  }
  end(&c);
}

/* Megatron-LM's embedding group: where embedding and head are on two ranks of a pipeline both hold
 * the weight, and each sends the other its gradient once a step, in the gradients' format; on one
 * rank there is one. The model has it once. `split`: of ranks among which the gradient is split. */
Test(held, tied_heads_in_pipelines)
{
  static const struct { const char *text; double table; bool tied;
  } models[] = {
    /* the MLP's weights are as large */
    {"gpt(layers: 8, hidden: 256, heads: 8, vocab: 1024, seq: 128, tied: true)", 256.0 * 1024,
     true},
    {"gpt(layers: 8, hidden: 256, heads: 8, vocab: 1024, seq: 128)", 0, false},
    {"llama(layers: 8, hidden: 256, heads: 8, kv_heads: 2, ffn: 512, vocab: 2048, seq: 128, tied: "
     "true)",
     256.0 * 2048, true},
    {"eager_llama(layers: 8, hidden: 256, heads: 8, kv_heads: 2, ffn: 512, vocab: 2048, seq: 128, "
     "tied: true)",
     256.0 * 2048, true},
    {"bert(layers: 8, hidden: 256, heads: 8, vocab: 2048, seq: 128)", 256.0 * 2048, true},
    {"gemma(8, 256, 8, 4, 32, 512, 2048, 128, 64, 2, true, false)", 256.0 * 2048, true},
    {"t5(4, 256, 8, 32, 512, 2048, 128, 128)", 256.0 * 2048, true}};
  static const struct { const char *text; int pp, dp, tp; double split; bool apart; } plans[] = {
      {"", 1, 1, 1, 1, false},
      {"schedule = one_f_one_b(p: pp, m: 4)", 2, 1, 1, 1, true},
      {"schedule = one_f_one_b(p: pp, m: 4)", 4, 1, 1, 1, true},
      {"schedule = interleaved_one_f_one_b(p: pp, m: 4, v: 2)", 2, 1, 1, 1, true},
      {"schedule = chimera(p: pp, m: 4)", 2, 1, 1, 1, false},
      {"apply = [tied_embeddings()]\n schedule = one_f_one_b(p: pp, m: 4)", 2, 1, 1, 1, true},
      {"apply = [zero1(dp)]\n schedule = one_f_one_b(p: pp, m: 4)", 2, 2, 1, 2, true},
      {"apply = [tensor_parallel(tp)]\n schedule = one_f_one_b(p: pp, m: 4)", 2, 1, 2, 2, true}};
  for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
    double once = 0;
    for (size_t k = 0; k < sizeof plans / sizeof *plans; k++) {
      if (k && (m + k) % amount(3, 1))
        continue;
      char fields[1024];
      double held, parameters, sent;
      snprintf(fields, sizeof fields,
               "mesh = { tp: %d, dp: %d, pp: %d }\n precision = mixed()\n optimizer = adam()\n "
               "model = %s\n %s",
               plans[k].tp, plans[k].dp, plans[k].pp, models[m].text, plans[k].text);
      bool tied = models[m].tied || strstr(plans[k].text, "tied_embeddings"),
           twice = tied && plans[k].apart;
      double table = models[m].tied ? models[m].table : 256.0 * 1024;
      shared(fields, &held, &parameters, &sent);
      once = k ? once : parameters;
      cr_expect_float_eq(parameters, models[m].tied == tied ? once : once - table, 0.5,
                         "%s: %.0f parameters, not %.0f", fields, parameters, once);
      if (plans[k].tp == 1 && !strstr(plans[k].text, "chimera"))
        cr_expect_float_eq(held, parameters + (twice ? table : 0), 1, "%s: %.0f held", fields,
                           held);
      if (!strstr(plans[k].text, "chimera"))
        cr_expect_float_eq(sent, twice ? 2 * 4 * table / plans[k].split : 0, 1, "%s: %.0f sent",
                           fields, sent);
      else
        cr_expect_float_eq(held, 2 * parameters, 1, "%s: %.0f held, each stage twice", fields,
                           held);
    }
  }
}

/* Bytes of a rank at its peak, a category. */
static void at_peak(const char *fields, double bytes[TS_IR_CATEGORIES], double *parameters)
{
  compiled c = compile(fields);
  ts_stop stop = {.arena = c.arena};
  ts_run *run = ts_run_new(&c.ir, &(ts_run_options){0}, &stop);
  cr_assert(run, "%s", fields);
  const ts_memory_class *m = &ts_memory_new(c.arena, &c.ir, run)->classes[0];
  for (int k = 0; k < TS_IR_CATEGORIES; k++)
    bytes[k] = (double)m->category[k];
  *parameters = (double)c.ir.meta->parameters;
  ts_run_free(run);
  end(&c);
}

/* ZeRO-3 gathers the head's weight for its backward and releases it when the module's backward has
 * ended (deepspeed/runtime/zero/parameter_offload.py: _post_backward_module_hook), so that weight
 * and whole gradient are held together, beside the gradient of the logits. That of a tied head then
 * waits for the embedding's part to be added (autograd's AccumulateGrad): `layer`, elements of the
 * layer's largest weight, joins it. Shards of all gradients are held from the first micro-batch on;
 * in it only those that are made. */
Test(held, heads_under_zero3)
{
  enum { N = 4, W = 256, T = 2 * 64, LARGE = 32768, SMALL = 1024, WIDE = 16384 };
  static const struct { const char *tied, *model; double head, layer; int m;
  } plans[] = {{"true", "ffn: 512, vocab: 32768", LARGE * W, 0, 1},
               {"false", "ffn: 512, vocab: 32768", LARGE * W, 0, 1},
               {"true", "ffn: 512, vocab: 32768", LARGE * W, 0, 2},
               {"false", "ffn: 512, vocab: 32768", LARGE * W, 0, 2},
               {"true", "ffn: 16384, vocab: 1024", SMALL * W, 2 * WIDE * W, 2},
               {"false", "ffn: 16384, vocab: 1024", 0, 2 * WIDE * W, 2}};
  for (size_t k = 0; k < sizeof plans / sizeof *plans; k++) {
    char fields[1024];
    double is[TS_IR_CATEGORIES], p, table = plans[k].head, layer = plans[k].layer;
    snprintf(fields, sizeof fields,
             "mesh = { dp: %d }\n apply = [zero3(dp)]\n precision = mixed()\n optimizer = adam()\n "
             "schedule = accumulate(m: %d)\n model = llama(layers: 2, hidden: 256, heads: 4, "
             "kv_heads: 4, seq: 64, tied: %s, %s)",
             N, plans[k].m, plans[k].tied, plans[k].model);
    at_peak(fields, is, &p);
    double weights = 2 * p / N + 2 * (layer > 0 ? layer : table), whole = 4 * (table + layer),
           shards = 4 * (plans[k].m > 1 ? p : table) / N;
    cr_expect_float_eq(is[TS_IR_PARAMETERS], weights, 64, "%s: %.0f of %.0f", fields,
                       is[TS_IR_PARAMETERS], weights);
    cr_expect_float_eq(is[TS_IR_GRADIENTS], whole + shards, 64, "%s: %.0f of %.0f", fields,
                       is[TS_IR_GRADIENTS], whole + shards);
    cr_expect_float_eq(is[TS_IR_OPTIMIZER], 12 * p / N, 64, "%s", fields);
    if (!(layer > 0))
      cr_expect_float_eq(is[TS_IR_TEMPORARIES], 2.0 * T * (LARGE + W), 64, "%s: %.0f", fields,
                         is[TS_IR_TEMPORARIES]);
  }
}

/* DeepSeek's last layers, which predict a word more each, share the weight of the head: not that of
 * the embedding. Those on another rank than the head hold it too. */
Test(held, heads_that_share_the_head)
{
  static const struct {
    const char *sizes;
    double copies;
  } plans[] = {{"[6]", 0}, {"[3, 3]", 0}, {"[5, 1]", 1}};
  for (size_t k = 0; k < sizeof plans / sizeof *plans; k++) {
    double held, parameters, sent, table = 256.0 * 2048;
    char fields[1024];
    snprintf(
      fields, sizeof fields,
      "mesh = { pp: %d }\n precision = mixed()\n optimizer = adam()\n schedule = one_f_one_b(p: "
      "pp, m: 4, sizes: %s)\n model = deepseek(layers: 4, dense_layers: 1, hidden: 256, "
      "heads: 4, q_rank: 128, kv_rank: 64, dense: 512, ffn: 128, experts: 4, top: 2, vocab: 2048, "
      "seq: 128, mtp: 2)",
      k ? 2 : 1, plans[k].sizes);
    shared(fields, &held, &parameters, &sent);
    cr_expect_float_eq(held, parameters + plans[k].copies * table, 1, "%s: %.0f held of %.0f",
                       fields, held, parameters);
    cr_expect_float_eq(sent, plans[k].copies * 2 * 4 * table, 1, "%s: %.0f sent", fields, sent);
  }
}

/* Transformer Engine with sequence parallelism: operands are cast where they lie and gathered in
 * fp8, and the shard of the cast is what stays. Norms and the activation keep 16 bits, products a
 * byte of their input, whole only where what is gathered is kept. */
Test(held, fp8_products_keep_their_cast)
{
  double rows = (double)S * B, packed = (double)H / A * (A + 2 * KV);
  for (int t = 1; t <= 2; t *= 2)
    for (int how = 0; how < 3; how++) {
      char apply[128];
      const char *strategy[] = {"tensor_parallel(tp)", "tensor_sequence_parallel(tp)",
                                "tensor_sequence_parallel(tp, keep_gathered: true)"};
      snprintf(apply, sizeof apply, "%s, fp8_products()", strategy[how]);
      double norms = (rows * H * 4 + 8 * rows) / (how ? t : 1),
             inputs = rows * H * 2 / (how == 1 ? t : 1);
      double split = (rows * (2 * packed + 2 * H + H + 4 * F + F) + 4 * A * rows) / t;
      double is = kept_by_layer(LLAMA, "mixed()", t, apply);
      cr_expect_float_eq(is, norms + inputs + split, 0.5, "%s over %d: %.0f, not %.0f", apply, t,
                         is, norms + inputs + split);
    }
}

static double gathered_by_layer(const char *apply, uint32_t kind)
{
  double bytes[2] = {0};
  for (int k = 0; k < 2; k++) {
    char fields[512];
    snprintf(fields, sizeof fields,
             "mesh = { tp: 2 }\n precision = mixed()\n apply = [%s]\n model = llama(layers: %d, "
             "hidden: 512, heads: 8, kv_heads: 2, ffn: 1536, vocab: 1024, seq: 256)",
             apply, 2 + k);
    compiled c = compile(fields);
    for (uint32_t n = 0; n < c.ir.nodes_count; n++)
      if (c.ir.nodes[n].op == TS_IR_COLLECTIVE &&
          c.ir.collectives[c.ir.nodes[n].arg].kind == kind &&
          strstr(c.ir.strings + c.ir.groups[c.ir.collectives[c.ir.nodes[n].arg].group].name, "tp"))
        bytes[k] += (double)c.ir.collectives[c.ir.nodes[n].arg].bytes;
    end(&c);
  }
  return bytes[1] - bytes[0];
}

/* In a layer four gathers of activations and two of gradients, and four scatters, which stay in 16
 * bits. */
Test(held, fp8_gathers_travel_in_fp8)
{
  double sbh = (double)S * B * H;
  cr_expect_float_eq(gathered_by_layer("tensor_sequence_parallel(tp)", TS_IR_ALL_GATHER),
                     6 * 2 * sbh, 1);
  cr_expect_float_eq(
    gathered_by_layer("tensor_sequence_parallel(tp), fp8_products()", TS_IR_ALL_GATHER), 6 * sbh,
    1);
  cr_expect_float_eq(
    gathered_by_layer("fp8_products(), tensor_sequence_parallel(tp, keep_gathered: true)",
                      TS_IR_ALL_GATHER),
    4 * sbh, 1);
  cr_expect_float_eq(
    gathered_by_layer("tensor_sequence_parallel(tp), fp8_products()", TS_IR_REDUCE_SCATTER),
    4 * 2 * sbh, 1);
}

/* Scales of blocks travel with their numbers: a byte for 32 of mxfp8, an fp32 for 128 of fp8_block.
 */
Test(held, scales_of_blocks_travel_with_their_numbers)
{
  const struct { const char *use; double bytes; } formats[] = {
    {"fp8_products(format: mxfp8)", 1 + 1. / 32},
    {"fp8_products(format: fp8_block)", 1 + 4. / 128}};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    char apply[96];
    snprintf(apply, sizeof apply, "tensor_sequence_parallel(tp), %s", formats[i].use);
    cr_expect_float_eq(gathered_by_layer(apply, TS_IR_ALL_GATHER),
                       6 * formats[i].bytes * S * B * H, 1, "%s", formats[i].use);
  }
}
