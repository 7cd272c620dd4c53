/* Iterations of a `repeat` that are copied are those that would be run: ops, tensors and labels of
 * a model, and how they are laid out, are the same where its body asks for the number of the
 * iteration, which is never copied. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/model/graph.h"
#include "compiler/plan/plan.h"
#include "compiler/shard/layout.h"
#include "compiler/shard/shard.h"
#include "tests/unit/amount.h"
#include "tests/unit/test_eval.h"

/* `%1$s`: a whole number, whatever it is. */
static const char *const bodies[] = {
  /* layers, one after the other */
  "repeat 7 as l { let z = 0 * %1$s\n n = layernorm(x) as norm\n y = linear(n, out: 64) as up\n"
  " x = add(y, x) as sum }\n",
  /* with what the second layer before made */
  "let p = x\n let q = x\n"
  "repeat 8 as l { let z = 0 * %1$s\n y = linear(x, out: 64) as up\n s = add(y, p) as far\n"
  " p = q\n q = x\n x = add(s, e) as near }\n",
  /* reshaped: a tensor that no op made, taken twice */
  "repeat 6 as l { let z = 0 * %1$s\n let r = reshape(x, [64, 64])\n a = linear(r, out: 64) as a\n"
  " b = linear(r, out: 64) as b\n t = add(a, b) as t\n x = reshape(t, [1, 64, 64]) }\n",
  /* reshaped at the end, and taken by the next layer and behind the last one */
  "let w = reshape(x, [64, 64])\n"
  "repeat 6 as l { let z = 0 * %1$s\n a = linear(w, out: 64) as a\n v = relu(a) as v\n"
  " w = reshape(v, [64, 64]) }\n k = relu(w) as behind\n x = reshape(k, [1, 64, 64])\n",
  /* likewise, under two names */
  "let w = reshape(x, [64, 64])\n let v = w\n"
  "repeat 6 as l { let z = 0 * %1$s\n a = linear(w, out: 64) as a\n"
  " b = relu(reshape(a, [1, 64, 64])) as b\n w = reshape(b, [64, 64])\n v = w }\n"
  "k = add(w, v) as behind\n x = reshape(k, [1, 64, 64])\n",
  /* an input that the first layer takes first */
  "repeat 6 as l { let z = 0 * %1$s\n m = add(x, mask) as masked\n x = relu(m) as act }\n",
  /* layers that differ: a width, and the first one */
  "let wide = 64\n"
  "repeat 6 as l { let z = 0 * %1$s\n u = linear(x, out: wide) as up\n x = linear(u, out: 64) as down\n"
  " let wide = wide + 8 }\n",
  "let first = true\n"
  "repeat 6 as l { let z = 0 * %1$s\n if first { x = relu(x) as begin }\n x = gelu(x) as act\n"
  " let first = false }\n",
  /* one in the other, and one after the other under the same name */
  "repeat 5 as l { let z = 0 * %1$s\n repeat 4 as l { let k = 0 * %1$s\n x = relu(x) as r\n"
  " x = relu(x) as r }\n x = gelu(x) as g }\n"
  "repeat 6 as l { let z = 0 * %1$s\n x = gelu(x) as g\n x = relu(x) as s }\n",
  /* three that are passed around, of which one has gradients */
  "let a = mask\n let b = x\n let c = mask\n"
  "repeat 14 as l { let z = 0 * %1$s\n y = gelu(c) as act\n c = b\n b = a\n a = y }\n"
  "s = add(a, b) as one\n x = add(s, c) as other\n",
  /* a list of tensors that grows, and one that stays */
  "let all = [x, e]\n"
  "repeat 6 as l { let z = 0 * %1$s\n x = add(all[0], x) as sum\n let some = [x, all[1]]\n"
  " x = add(some[0], some[1]) as other }\n"};

typedef struct built { const ts_graph *graph; const ts_sharding *sharding; } built;

static built build(ts_desk *d, const char *body, const char *number)
{
  char items[2048], text[4096];
  snprintf(items, sizeof items, body, number);
  snprintf(text, sizeof text,
           "import std.ops.nn, std.clusters.dgx, std.costs, std.precision\n"
           "model deep() {\n  let one = 1\n  let mask = input([1, 64, 64], bf16)\n"
           "  ids = input([1, 64], int64)\n  e = embedding(ids, 128, 64) as embed\n"
           "  x = relu(e) as start\n%s  loss = cross_entropy(x) as loss\n}\n"
           "plan p { model = deep()\n cluster = dgx_a100(nodes: 1)\n costs = training_a100\n precision = mixed(bf16) }\n",
           items);
  const ts_plan *plan = ts_plan_load(d->s, ts_desk_file(d, "plan.ts", text), NULL);
  const ts_graph *g = plan ? ts_graph_build(d->s, plan) : NULL;
  const ts_sharding *sh = g ? ts_shard(d->s, plan, g) : NULL;
  cr_assert(sh, "%s", text);
  return (built){g, sh};
}

static bool same_shape(ts_shape a, ts_shape b)
{
  return a.rank == b.rank && !memcmp(a.dim, b.dim, a.rank * sizeof *a.dim);
}

static void compare(const ts_graph *copied, const ts_graph *run, const char *body)
{
  cr_assert_eq(copied->ops.count, run->ops.count, "%s", body);
  cr_assert_eq(copied->tensors.count, run->tensors.count, "%s", body);
  cr_assert_eq(copied->unit_count, run->unit_count, "%s", body);
  cr_assert_eq(copied->pattern_count, run->pattern_count, "%s", body);
  for (size_t i = 0; i < run->ops.count; i++) {
    const ts_op *a = &copied->ops.at[i], *b = &run->ops.at[i];
    cr_assert_str_eq(a->label, b->label, "%zu: %s, %s, %s", i, a->label, b->label, body);
    cr_assert(!strcmp(a->kind, b->kind) && a->alike == b->alike && a->unit == b->unit &&
                a->pattern_index == b->pattern_index && a->slot_count == b->slot_count &&
                a->needs_gradient == b->needs_gradient &&
                a->needs_input_gradient == b->needs_input_gradient &&
                copied->reach[i] == run->reach[i],
              "%s of %s", b->label, body);
    for (uint32_t k = 0; k < b->slot_count; k++)
      cr_assert(a->slots[k].tensor == b->slots[k].tensor &&
                  same_shape(a->slots[k].shape, b->slots[k].shape),
                "%s of %s", b->label, body);
    for (uint32_t k = 0; k < b->arg_count; k++)
      cr_assert(a->args[k].type == b->args[k].type &&
                  (b->args[k].type != TS_T_TENSOR ||
                   a->args[k].u.tensor->id == b->args[k].u.tensor->id),
                "%s of %s", b->label, body);
  }
  for (size_t i = 0; i < run->tensors.count; i++) {
    const ts_edge *a = &copied->tensors.at[i], *b = &run->tensors.at[i];
    cr_assert(!strcmp(a->name, b->name) && a->producer == b->producer && a->source == b->source &&
                a->dtype == b->dtype && a->needs_gradient == b->needs_gradient &&
                same_shape(a->shape, b->shape),
              "tensor %zu of %s", i, body);
  }
}

static void compare_shardings(const built *copied, const built *run, const char *body)
{
  const ts_sharding *a = copied->sharding, *b = run->sharding;
  cr_assert_eq(a->classes.count, b->classes.count, "%s", body);
  for (size_t i = 0; i < run->graph->ops.count; i++)
    cr_assert(a->class_of[i] == b->class_of[i] && a->form[i] == b->form[i], "%s of %s",
              run->graph->ops.at[i].label, body);
  for (size_t i = 0; i < run->graph->tensors.count; i++)
    cr_assert(ts_layout_equal(&a->layouts[i], &b->layouts[i]), "tensor %zu of %s", i, body);
}

/* Returns how many iterations are copied. */
static size_t check(const char *body)
{
  size_t copies = 0;
  ts_desk copied = ts_desk_open(), run = ts_desk_open();
  built a = build(&copied, body, "one"), b = build(&run, body, " l ");
  for (size_t k = 0; k < a.graph->runs.count; k++)
    copies += a.graph->runs.at[k].count;
  cr_assert_eq(b.graph->runs.count, 0, "%s", body);
  compare(a.graph, b.graph, body);
  compare_shardings(&a, &b, body);
  ts_desk_close(&copied);
  ts_desk_close(&run);
  return copies;
}

Test(repeat, copies_are_what_would_be_run)
{
  size_t copies = 0;
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
    copies += check(bodies[i]);
  cr_assert_gt(copies, 20);
}

/* ---- Any bodies ---- */

static unsigned draw(unsigned *seed, unsigned count)
{
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) % count;
}

/* Ops of four names, which are passed on among them. */
static void put_body(FILE *out, unsigned *seed)
{
  static const char *const names[] = {"x", "a", "b", "c"}, *const first[] = {"x", "mask", "e"},
                    *const forms[] = {"%s = relu(%s) as relu\n", "%s = gelu(%s) as gelu\n",
                                      "%s = linear(%s, out: 64) as up\n",
                                      "%s = linear(%s, out: 64, frozen: true) as still\n",
                                      "%s = %s\n"};
  for (int i = 1; i < 4; i++)
    fprintf(out, "let %s = %s\n", names[i], first[draw(seed, 3)]);
  fprintf(out, "repeat 11 as l { let z = 0 * %%1$s\n");
  for (unsigned i = 2 + draw(seed, 5); i > 0; i--) {
    const char *to = names[draw(seed, 4)];
    fprintf(out, forms[draw(seed, 5)], to, names[draw(seed, 4)]);
  }
  fprintf(out, "y = add(x, %s) as sum\n", names[1 + draw(seed, 3)]);
  fputs(draw(seed, 2) ? "was = gelu(c) as far\n c = b\n b = a\n a = was\n" : "", out);
  fprintf(out, "x = y }\n a = add(a, b) as one\n c = add(a, c) as two\n x = add(x, c) as three\n");
}

Test(repeat, copies_of_any_are_what_would_be_run)
{
  unsigned bodies = amount(15, 60);
  unsigned seed = 5;
  size_t copies = 0;
  for (unsigned i = 0; i < bodies; i++) {
    char *body;
    size_t size;
    FILE *out = open_memstream(&body, &size);
    put_body(out, &seed);
    fclose(out);
    copies += check(body);
    free(body);
  }
  cr_assert_gt(copies, 3 * bodies);
}
