/* Iterations of a `repeat` that add the same as the one before: layers of a model. */
#include <string.h>

#include "base/diag_record.h"
#include "compiler/eval/check.h"
#include "compiler/eval/env.h"
#include "compiler/eval/running.h"
#include "compiler/model/graph.h"
#include "compiler/model/graph_builder.h"

typedef ts_repeat_mark mark;
typedef ts_graph_builder builder;

ts_repeat ts_repeat_begin(builder *b, ts_env *env, const ts_ast *item)
{
  ts_repeat r = {.b = b,
                 .env = env,
                 .name = ts_ast_label(item)->name,
                 .plain =
                   b->plan->tuning.type != TS_T_LIST}; /* of which labels may say a layer's */
  ts_ast_list items = ts_ast_items(item);
  for (uint32_t i = 0; i < items.count; i++)
    r.plain &= !ts_ast_uses(items.at[i], r.name);
  return r;
}

static mark mark_of(const ts_repeat *r)
{
  const builder *b = r->b;
  const ts_env *env = r->env;
  ts_arena *arena = ts_graph_growing(b->s);
  uint32_t *edge = TS_NEW_ARRAY(arena, uint32_t, env->count + 1);
  for (uint32_t i = 0; i < env->count; i++)
    if (env->value[i].type == TS_T_TENSOR)
      edge[i] =
        (uint32_t)(uintptr_t)ts_names_get(&b->views, (const char *)env->value[i].u.tensor);
  return (mark){.ops = (uint32_t)b->g->ops.count,
                .tensors = (uint32_t)b->g->tensors.count,
                .labels = b->labelled.count,
                .steps = b->s->running->steps,
                .unit = b->units,
                .prefix = b->prefix,
                .yielded = b->yielded,
                .count = env->count,
                .value = ts_arena_copy(arena, env->value, env->count * sizeof *env->value),
                .edge = edge};
}

/* ---- Are two alike? ---- */

static bool has_tensor(const ts_value *v)
{
  bool has = v->type == TS_T_TENSOR;
  for (uint32_t i = 0; v->type == TS_T_LIST && i < v->u.list->count && !has; i++)
    has = has_tensor(&v->u.list->at[i]);
  for (uint32_t i = 0; v->type == TS_T_RECORD && i < v->u.record->count && !has; i++)
    has = has_tensor(v->u.record->at[i].value);
  return has;
}

static bool repeat_same(const ts_value *a, const ts_value *b)
{
  if (a->type != b->type)
    return false;
  if (a->type == TS_T_ERROR) /* nothing was yielded */
    return true;
  if (has_tensor(a) || has_tensor(b))
    return a->type == TS_T_TENSOR ? a->u.tensor == b->u.tensor :
           a->type == TS_T_LIST   ? a->u.list == b->u.list :
                                    a->u.record == b->u.record;
  return ts_same_values(a, b);
}

/* Two numbers are the same, or one is as much more as an iteration adds. */
static bool steps_by(uint32_t a, uint32_t b, uint32_t step) { return b == a || b - a == step; }

static uint32_t next(uint32_t a, uint32_t b) { return b + (b - a); }

static bool same_tensor(const ts_tensor *a, const ts_tensor *b, uint32_t step)
{
  return a->dtype == b->dtype && a->name == b->name && ts_same_shape(a->shape, b->shape) &&
         steps_by(a->id, b->id, step);
}

/* A name stands for the same, or for a tensor of the iteration before each time. */
static bool same_meaning(const mark *m, uint32_t i, uint32_t step)
{
  const ts_value *a = &m[0].value[i], *b = &m[1].value[i], *c = &m[2].value[i];
  if (m[1].edge[i] - m[0].edge[i] != m[2].edge[i] - m[1].edge[i] ||
      !steps_by(m[0].edge[i], m[1].edge[i], step) || !m[0].edge[i] != !m[1].edge[i])
    return false;
  if (repeat_same(a, b) && repeat_same(b, c))
    return true;
  return a->type == TS_T_TENSOR && b->type == TS_T_TENSOR && c->type == TS_T_TENSOR &&
         same_tensor(a->u.tensor, b->u.tensor, step) &&
         same_tensor(b->u.tensor, c->u.tensor, step) &&
         b->u.tensor->id - a->u.tensor->id == c->u.tensor->id - b->u.tensor->id;
}

/* What follows the prefix. */
static const char *rest(const char *label, const char *prefix)
{
  size_t length = strlen(prefix);
  return strncmp(label, prefix, length) ? NULL : label + length;
}

static bool same_label(const mark *a, const char *label, const mark *b, const char *other)
{
  const char *x = rest(label, a->prefix), *y = rest(other, b->prefix);
  return x && y && !strcmp(x, y);
}

static bool same_argument(const ts_value *a, const ts_value *b, uint32_t step)
{
  if (a->type != b->type)
    return false;
  if (a->type == TS_T_TENSOR)
    return same_tensor(a->u.tensor, b->u.tensor, step);
  if (a->type != TS_T_LIST || !has_tensor(a))
    return repeat_same(a, b);
  bool all = a->u.list->count == b->u.list->count;
  for (uint32_t i = 0; all && i < a->u.list->count; i++)
    all = same_argument(&a->u.list->at[i], &b->u.list->at[i], step);
  return all;
}

static bool same_op(const ts_repeat *r, uint32_t k, uint32_t step)
{
  const mark *m = r->at;
  const ts_op *a = &r->b->g->ops.at[m[0].ops + k], *b = &r->b->g->ops.at[m[1].ops + k];
  bool all = a->decl == b->decl && a->module == b->module && a->alike == b->alike &&
             a->span.file == b->span.file && a->span.begin == b->span.begin &&
             a->arg_count == b->arg_count && a->slot_count == b->slot_count &&
             a->part_count == b->part_count && same_label(&m[0], a->label, &m[1], b->label);
  for (uint32_t i = 0; all && i < a->arg_count; i++)
    all = same_argument(&a->args[i], &b->args[i], step);
  for (uint32_t i = 0; all && i < a->slot_count + a->part_count; i++)
    all = steps_by(a->slots[i].tensor, b->slots[i].tensor, step);
  return all;
}

static bool same_edge(const ts_repeat *r, uint32_t k, uint32_t step)
{
  const mark *m = r->at;
  const ts_graph *g = r->b->g;
  const ts_edge *a = &g->tensors.at[m[0].tensors + k], *b = &g->tensors.at[m[1].tensors + k];
  bool own = a->producer != TS_NO_INDEX && a->producer >= m[0].ops;
  return a->dtype == b->dtype && ts_same_shape(a->shape, b->shape) &&
         steps_by(a->source, b->source, step) &&
         (own ? b->producer - a->producer == m[1].ops - m[0].ops &&
                  a->name == g->ops.at[a->producer].label &&
                  b->name == g->ops.at[b->producer].label :
                a->producer == b->producer && a->name == b->name);
}

/* One that clashed did so with one of its own iteration: others have no such one. */
static bool clashes_outside(const ts_graph_label *label, const mark *m)
{
  return label->clash && label->clash <= m->labels;
}

static bool same_labels(const ts_repeat *r, size_t k)
{
  const mark *m = r->at;
  const ts_graph_label *a = &r->b->labelled.at[m[0].labels + k],
                       *b = &r->b->labelled.at[m[1].labels + k];
  return a->times == b->times && !clashes_outside(a, &m[0]) && !clashes_outside(b, &m[1]) &&
         same_label(&m[0], a->text, &m[1], b->text);
}

static bool two_alike(const ts_repeat *r)
{
  const mark *m = r->at;
  uint32_t ops = m[1].ops - m[0].ops, step = m[1].tensors - m[0].tensors;
  size_t labels = m[1].labels - m[0].labels;
  bool all = m[2].ops - m[1].ops == ops && m[2].tensors - m[1].tensors == step &&
             m[2].labels - m[1].labels == labels && m[1].count == m[0].count &&
             m[2].count == m[1].count && m[2].steps - m[1].steps == m[1].steps - m[0].steps &&
             repeat_same(&m[0].yielded, &m[2].yielded) && repeat_same(&m[1].yielded, &m[2].yielded);
  for (uint32_t i = 0; all && i < m[0].count; i++)
    all = r->env->name[i] == r->name || same_meaning(m, i, step);
  for (uint32_t k = 0; all && k < ops; k++)
    all = same_op(r, k, step);
  for (uint32_t k = 0; all && k < step; k++)
    all = same_edge(r, k, step);
  for (size_t k = 0; all && k < labels; k++)
    all = same_labels(r, k);
  return all;
}

/* ---- One more ---- */

/* Its labels; NULL: one of them is taken. */
static const ts_graph_label *new_labels(const ts_repeat *r)
{
  builder *b = r->b;
  size_t from = r->at[1].labels, count = r->at[2].labels - from;
  ts_graph_label *all = TS_NEW_ARRAY(ts_graph_growing(b->s), ts_graph_label, count + 1);
  for (size_t k = 0; k < count; k++) {
    ts_graph_label old = b->labelled.at[from + k];
    const char *text = ts_arena_printf(ts_graph_growing(b->s), "%s%s", b->prefix,
                                       rest(old.text, r->at[1].prefix));
    text = ts_lang_intern(b->s->lang, text, strlen(text));
    if (ts_names_get(&b->labels, text))
      return NULL;
    all[k] = (ts_graph_label){text, old.clash ? old.clash + (uint32_t)count : 0, old.times};
  }
  return all;
}

static ts_value next_tensor(builder *b, const ts_tensor *before, ts_value v)
{
  ts_tensor *t = ts_arena_copy(b->s->arena, v.u.tensor, sizeof *t);
  t->id = next(before->id, t->id);
  v.u.tensor = t;
  return v;
}

static ts_value next_argument(builder *b, const ts_value *before, ts_value v)
{
  if (v.type == TS_T_TENSOR)
    return next_tensor(b, before->u.tensor, v);
  if (v.type != TS_T_LIST || !has_tensor(&v))
    return v;
  ts_value *at = TS_NEW_ARRAY(b->s->arena, ts_value, v.u.list->count);
  for (uint32_t i = 0; i < v.u.list->count; i++)
    at[i] = next_argument(b, &before->u.list->at[i], v.u.list->at[i]);
  return ts_list_value(b->s->arena, at, v.u.list->count, v.span);
}

static void copy_op(builder *b, const ts_op *before, ts_op op, const char *label)
{
  uint32_t slots = op.slot_count + op.part_count;
  ts_value *args =
    ts_arena_copy(b->s->arena, op.args, (op.arg_count + 1) * sizeof *op.args);
  op.slots = ts_arena_copy(b->s->arena, op.slots, slots * sizeof *op.slots);
  for (uint32_t i = 0; i < slots; i++)
    op.slots[i].tensor = next(before->slots[i].tensor, op.slots[i].tensor);
  for (uint32_t i = 0; i < op.arg_count; i++)
    args[i] = next_argument(b, &before->args[i], op.args[i]);
  op.args = args;
  op.label = label;
  op.unit = next(before->unit, op.unit);
  TS_PUSH(ts_graph_growing(b->s), &b->g->ops, op);
}

static void copy_ops(const ts_repeat *r, const ts_graph_label *labels)
{
  const mark *m = r->at;
  ts_graph *g = r->b->g;
  size_t at = 0;
  for (uint32_t k = 0; k < m[2].ops - m[1].ops; k++) {
    ts_op before = g->ops.at[m[0].ops + k], op = g->ops.at[m[1].ops + k];
    while (r->b->labelled.at[m[1].labels + at].text != op.label)
      at++;
    copy_op(r->b, &before, op, labels[at].text);
  }
}

static void copy_tensors(const ts_repeat *r)
{
  const mark *m = r->at;
  ts_graph *g = r->b->g;
  for (uint32_t k = 0; k < m[2].tensors - m[1].tensors; k++) {
    ts_edge before = g->tensors.at[m[0].tensors + k], e = g->tensors.at[m[1].tensors + k];
    bool own = e.producer != TS_NO_INDEX && e.producer >= m[1].ops;
    e.producer = next(before.producer, e.producer);
    e.source = next(before.source, e.source);
    if (own)
      e.name = g->ops.at[e.producer].label;
    TS_PUSH(ts_graph_growing(r->b->s), &g->tensors, e);
  }
}

/* What names mean after it. */
static void pass_on(const ts_repeat *r)
{
  builder *b = r->b;
  const mark *m = r->at;
  for (uint32_t i = 0; i < m[2].count; i++) {
    ts_value v = m[2].value[i];
    if (r->env->name[i] == r->name || v.type != TS_T_TENSOR ||
        v.u.tensor == m[1].value[i].u.tensor)
      continue;
    v = next_tensor(b, m[1].value[i].u.tensor, v);
    ts_env_bind(r->env, r->env->name[i], v);
    if (m[2].edge[i])
      ts_names_put(b->s->arena, &b->views, (const char *)v.u.tensor,
                   (void *)(uintptr_t)next(m[1].edge[i], m[2].edge[i]));
  }
}

static void note_run(const ts_repeat *r)
{
  const mark *m = r->at;
  ts_graph *g = r->b->g;
  ts_graph_run run = {m[2].ops, m[2].ops - m[1].ops, m[2].tensors, m[2].tensors - m[1].tensors, 1},
               *last = g->runs.count ? &g->runs.at[g->runs.count - 1] : NULL;
  if (last && last->first_op + last->count * last->ops == run.first_op && last->ops == run.ops &&
      r->copied)
    last->count++;
  else
    TS_PUSH(r->b->s->arena, &g->runs, run);
}

static bool copy(const ts_repeat *r)
{
  builder *b = r->b;
  const mark *m = r->at;
  uint64_t steps = m[2].steps - m[1].steps;
  const ts_graph_label *labels = NULL;
  if (b->g->ops.count + (m[2].ops - m[1].ops) > b->s->limits.ops ||
      b->s->running->steps + steps >= b->s->running->next_look || !(labels = new_labels(r)))
    return false;
  note_run(r);
  copy_ops(r, labels);
  copy_tensors(r);
  for (size_t k = 0; k < m[2].labels - m[1].labels; k++)
    ts_graph_take_label(b, labels[k]);
  pass_on(r);
  b->units += m[2].unit - m[1].unit;
  b->s->running->steps += steps;
  return true;
}

bool ts_repeat_copied(ts_repeat *r)
{
  if (!r->plain || r->b->s->diags->all.count) /* what is said is said of each */
    return false;
  if (r->marks == 3) {
    r->at[0] = r->at[1];
    r->at[1] = r->at[2];
    r->marks--;
  }
  r->at[r->marks++] = mark_of(r);
  if (r->marks < 3 || !(r->alike || two_alike(r)))
    return r->copied = false;
  r->copied = r->alike = copy(r);
  return r->copied;
}
