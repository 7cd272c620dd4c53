/* What a split backward holds between I and W, against closed forms: in each linear layer its input
 * and the gradient of its output, in each norm the same. With s words, b samples, width h and two
 * bytes an element a layer of GPT has 32 s b h of linear layers (Qi et al., arXiv 2401.10241, table
 * 1: M_W) and 8 s b h of its two norms. */
#include "tests/unit/plan_text.h"

typedef struct setting {
  bool llama, graph;
  const char *apply; /* strategies */
  const char *recompute;
  int64_t s, b, heads, kv, f; /* heads of 64 */
  int t;                      /* tensor parallel */
  uint32_t stages;
} setting;

static const char *plan_of(ts_arena *arena, const setting *s)
{
  const char *model =
      s->llama
          ? ts_arena_printf(arena,
                            "llama(layers: %u, hidden: %lld, heads: %lld, kv_heads: %lld, ffn: "
                            "%lld, vocab: 64, seq: %lld)",
                            s->stages, (long long)s->heads * 64, (long long)s->heads,
                            (long long)s->kv, (long long)s->f, (long long)s->s)
          : ts_arena_printf(
                arena,
                "gpt(layers: %u, hidden: %lld, heads: %lld, vocab: 64, seq: %lld, flash: true)",
                s->stages, (long long)s->heads * 64, (long long)s->heads, (long long)s->s);
  return ts_arena_printf(
      arena,
      "import std.models.gpt, std.models.llama, std.clusters.dgx, std.schedules.zero_bubble, "
      "std.strategies.megatron, std.strategies.recompute, std.gpus.nvidia\n"
      "plan test {\n  model = %s\n  cluster = dgx_h100(nodes: 4)\n  mesh = { tp: %d, pp: %u }\n  "
      "apply = [%s]\n%s"
      "  schedule = zb_1p(p: pp, m: 8)\n  batch = { micro: %lld }\n"
      "  precision = { compute: bf16, weights: bf16, gradients: fp32, keep_graph: %s }\n  costs = "
      "[roofline(h100_sxm)]\n}\n",
      model, s->t, s->stages, s->apply ? s->apply : "",
      s->recompute ? ts_arena_printf(arena, "  recompute = %s\n", s->recompute) : "",
      (long long)s->b, s->graph ? "true" : "false");
}

typedef struct held {
  int64_t f, i, w, most;
} held; /* activations that a piece of work adds; the most of a step */

static int64_t adds(const ts_ir *ir, const ts_ir_fragment *f, int64_t before, int64_t *most)
{
  int64_t bytes = 0;
  for (uint32_t n = f->first_node; n < f->first_node + f->node_count; n++)
    for (int frees = 0; frees < 2; frees++)
      for (uint32_t m = ir->nodes[n].first_mem; m < ir->nodes[n].first_mem + ir->nodes[n].mem_count;
           m++) {
        bytes += ir->mems[m].category == TS_IR_ACTIVATIONS && (ir->mems[m].bytes < 0) == frees
                     ? ir->mems[m].bytes
                     : 0;
        *most = before + bytes > *most ? before + bytes : *most;
      }
  return bytes;
}

static held held_by(const setting *s, uint32_t program)
{
  ts_arena *arena = ts_arena_new("test");
  plan_text plan = plan_open(plan_of(arena, s));
  const ts_ir *ir = &plan.input.ir;
  const ts_ir_program *p = &ir->programs[program];
  held h = {0};
  int64_t now = 0;
  for (uint32_t i = p->first_item; i < p->first_item + p->item_count; i++) {
    const ts_ir_fragment *f = &ir->fragments[ir->items[i].fragment];
    const char *work = ir->strings + f->work;
    int64_t more = adds(ir, f, now, &h.most);
    *(*work == 'F' ? &h.f : *work == 'I' ? &h.i : *work == 'W' ? &h.w : &(int64_t){0}) = more;
    now += more;
  }
  cr_assert_eq(now, 0, "%lld bytes are never given back", (long long)now);
  plan_close(&plan);
  ts_arena_free(arena);
  return h;
}

static setting drawn(uint32_t *state)
{
  *state = *state * 1664525u + 1013904223u;
  uint32_t r = *state >> 8;
  setting s = {.llama = r & 1,
               .s = 64 * (1 + (r >> 1) % 8),
               .b = 1 + (r >> 4) % 3,
               .heads = 4 * (1 + (r >> 6) % 3),
               .kv = 4,
               .t = 1,
               .stages = 4};
  s.f = s.llama ? 64 * s.heads * 2 : 256 * s.heads;
  return s;
}

/* Inputs and output gradients of a layer's products, in elements: those of qkv, proj, up and down.
 */
static int64_t products(const setting *s)
{
  int64_t h = 64 * s->heads, qkv = s->llama ? h + 2 * 64 * s->kv : 3 * h,
          up = s->llama ? 2 * s->f : s->f;
  return s->s * s->b * ((h + qkv) + (h + h) + (h + up) + (s->f + h));
}

static int64_t norms(const setting *s) { return s->s * s->b * 64 * s->heads * 4; }

Test(split_memory, a_layer_holds_what_w_reads)
{
  uint32_t state = 3;
  for (int n = 0; n < 12; n++) {
    setting s = drawn(&state);
    held h = held_by(&s, 1 + (uint32_t)n % 2);
    if (!s.llama)
      cr_assert_eq(2 * products(&s), 32 * s.s * s.b * 64 * s.heads); /* as the paper has it */
    cr_assert_eq(h.f + h.i, 2 * (products(&s) + norms(&s)), "%lld are held, W reads %lld",
                 (long long)(h.f + h.i), (long long)(2 * (products(&s) + norms(&s))));
    cr_assert_eq(h.w, -(h.f + h.i));
    if (!s.llama) { /* Korthikanti et al., arXiv 2205.05198, equation 1 without scores; statistics
                       of norms and attention besides */
      int64_t statistics = s.s * s.b * (16 + 4 * s.heads);
      cr_assert_eq(h.f, 34 * s.s * s.b * 64 * s.heads + statistics, "%lld", (long long)h.f);
    }
  }
}

/* What is recomputed comes and goes with I; W finds the same. */
Test(split_memory, recomputation)
{
  uint32_t state = 7;
  for (int n = 0; n < 4; n++) {
    setting s = drawn(&state);
    s.recompute = n % 2 ? "full()" : "full(every: 1)";
    held h = held_by(&s, 1);
    cr_assert_eq(h.f, 2 * s.s * s.b * 64 * s.heads, "%lld", (long long)h.f);
    cr_assert_eq(h.f + h.i, 2 * (products(&s) + norms(&s)));
  }
}

/* Split over t ranks, and norms along the sequence; the gradient of a product by rows is gathered
 * in I, and W takes it so. The bias that GPT adds after it takes its own part. */
Test(split_memory, sequence_parallel)
{
  uint32_t state = 11;
  for (int n = 0; n < 6; n++) {
    setting s = drawn(&state);
    s.t = n % 2 ? 4 : 2;
    bool gathered = n % 3 == 2;
    s.apply = gathered ? "tensor_sequence_parallel(tp, keep_gathered: true)"
                       : "tensor_sequence_parallel(tp)";
    int64_t row = s.s * s.b * 64 * s.heads, whole = row * (gathered ? 4 : 2),
            parts = products(&s) + norms(&s) - whole + (s.llama ? 0 : 2 * row);
    held h = held_by(&s, 2);
    cr_assert_eq(h.f + h.i, 2 * (parts / s.t + whole), "%lld, not %lld", (long long)(h.f + h.i),
                 (long long)(2 * (parts / s.t + whole)));
  }
}

/* A framework that keeps the graph holds all that the forward saved, and the gradients that W
 * reads. */
Test(split_memory, graph_kept)
{
  uint32_t state = 5;
  for (int n = 0; n < 4; n++) {
    setting s = drawn(&state);
    int64_t h = 64 * s.heads, qkv = s.llama ? h + 2 * 64 * s.kv : 3 * h,
            up = s.llama ? 2 * s.f : s.f;
    s.graph = true;
    held of = held_by(&s, 1);
    cr_assert_eq(of.i, 2 * s.s * s.b * (qkv + h + up + h + 2 * h), "%lld",
                 (long long)of.i); /* of qkv, proj, up, down, and two norms */
  }
}

/* Rank r of zb_1p has at most r micro-batches between I and W, and p - r between F and I; one of
 * them is in I. */
Test(split_memory, peak_of_a_schedule)
{
  setting s = {.s = 256, .b = 1, .heads = 4, .kv = 4, .f = 1024, .t = 1, .stages = 8};
  for (uint32_t r = 1; r < 7; r++) {
    held h = held_by(&s, r);
    int64_t late = h.f + h.i, made = 22 * s.s * s.b * 64 * s.heads; /* gradients that I leaves */
    cr_assert_leq(h.most, r * late + (8 - r) * h.f + made, "rank %u: %lld", r, (long long)h.most);
    cr_assert_geq(h.most, r * late + (8 - r) * h.f, "rank %u: %lld", r, (long long)h.most);
  }
}
