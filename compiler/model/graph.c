#include "compiler/model/graph.h"

#include <string.h>

#include "compiler/eval/function.h"
#include "compiler/eval/plan_cache.h"
#include "compiler/eval/label.h"
#include "compiler/eval/names.h"
#include "compiler/eval/report.h"
#include "compiler/eval/reuse.h"
#include "compiler/eval/running.h"
#include "compiler/model/graph_builder.h"
#include "compiler/model/op.h"
#include "compiler/model/traced.h"
#include "compiler/model/traced_graph.h"
#include "compiler/model/traced_mapping.h"

typedef ts_graph_builder builder;

/* -- labels -- */

static const char *graph_intern(builder *b, const char *text)
{
  return ts_lang_intern(b->s->lang, text, strlen(text));
}

void ts_graph_take_label(builder *b, ts_graph_label label)
{
  ts_arena *arena = ts_graph_growing(b->s);
  TS_PUSH(arena, &b->labelled, label);
  ts_names_put(arena, &b->labels, label.text, (void *)(uintptr_t)b->labelled.count);
}

/* The full label of a node; a second node of the same label becomes `add_2`. */
static const char *unique_label(builder *b, const char *name, uint32_t clash)
{
  const char *label =
    graph_intern(b, ts_arena_printf(ts_graph_growing(b->s), "%s%s", b->prefix, name));
  uint32_t taken = (uint32_t)(uintptr_t)ts_names_get(&b->labels, label);
  if (taken)
    return unique_label(
      b, ts_arena_printf(b->s->arena, "%s_%u", name, ++b->labelled.at[taken - 1].times),
      clash && clash < taken ? clash : taken);
  ts_graph_take_label(b, (ts_graph_label){label, clash, 1});
  return label;
}

/* -- tensors -- */

uint32_t ts_graph_add_tensor(ts_session *s, ts_graph *g, const char *name, ts_shape shape,
                             const ts_dtype *dtype, uint32_t producer)
{
  uint32_t index = (uint32_t)g->tensors.count;
  TS_PUSH(
    ts_graph_growing(s), &g->tensors,
    (ts_edge){.name = name, .shape = shape, .dtype = dtype, .producer = producer, .source = index});
  return index;
}

/* Model inputs and reshapes are tensors that no op made: they get an edge when an op first takes
 * them. */
static uint32_t edge_of(builder *b, const ts_tensor *t)
{
  if (t->id != TS_NO_INDEX && ts_same_shape(t->shape, b->g->tensors.at[t->id].shape))
    return t->id;
  uintptr_t seen = (uintptr_t)ts_names_get(&b->views, (const char *)t);
  if (seen)
    return (uint32_t)seen - 1;
  const char *name = t->id == TS_NO_INDEX ? "input" : b->g->tensors.at[t->id].name;
  uint32_t edge = ts_graph_add_tensor(b->s, b->g, name, t->shape, t->dtype, TS_NO_INDEX);
  if (t->id != TS_NO_INDEX) {
    b->g->tensors.at[edge].producer = b->g->tensors.at[t->id].producer;
    b->g->tensors.at[edge].source = t->id;
  }
  ts_names_put(b->s->arena, &b->views, (const char *)t, (void *)((uintptr_t)edge + 1));
  return edge;
}

static ts_value with_edges(builder *b, ts_value v)
{
  if (v.type == TS_T_TENSOR) {
    uint32_t edge = edge_of(b, v.u.tensor);
    if (edge != v.u.tensor->id) {
      ts_tensor *t = TS_NEW(b->s->arena, ts_tensor);
      *t = *v.u.tensor;
      t->id = edge;
      v.u.tensor = t;
    }
  } else if (v.type == TS_T_LIST && v.u.list->count && v.u.list->at[0].type == TS_T_TENSOR) {
    ts_list *list = TS_NEW(b->s->arena, ts_list);
    ts_value *at = TS_NEW_ARRAY(b->s->arena, ts_value, v.u.list->count);
    for (uint32_t i = 0; i < v.u.list->count; i++)
      at[i] = with_edges(b, v.u.list->at[i]);
    *list = (ts_list){v.u.list->count, at};
    v.u.list = list;
  }
  return v;
}

/* -- ops that are alike: a model repeats its layers -- */

static uint64_t mix_shape(uint64_t h, ts_shape shape)
{
  h = ts_mix(h, shape.rank);
  for (uint32_t d = 0; d < shape.rank; d++)
    h = ts_mix(h, (uint64_t)shape.dim[d]);
  return h;
}

static uint64_t bits_of(double real)
{
  uint64_t bits;
  memcpy(&bits, &real, sizeof bits);
  return bits;
}

static uint64_t mix_value(uint64_t h, ts_value v)
{
  h = ts_mix(h, v.type);
  switch (v.type) {
  case TS_T_TENSOR: return h; /* its slot says more */
  case TS_T_LIST:
    for (uint32_t i = 0; i < v.u.list->count; i++)
      h = mix_value(h, v.u.list->at[i]);
    return h;
  case TS_T_BOOL: return ts_mix(h, v.u.truth);
  case TS_T_INT: return ts_mix(h, (uint64_t)v.u.integer);
  case TS_T_REAL:
  case TS_T_QUANTITY: return ts_mix(h, bits_of(v.u.real));
  case TS_T_AXIS: return ts_mix(h, v.u.axes.mask);
  case TS_T_RANGE: return ts_mix(ts_mix(h, (uint64_t)v.u.range.begin), (uint64_t)v.u.range.end);
  case TS_T_STRING:
  case TS_T_LABEL:
  case TS_T_WORD: return ts_mix(h, (uintptr_t)v.u.string);
  case TS_T_DTYPE: return ts_mix(h, (uintptr_t)v.u.dtype);
  default: return h;
  }
}

static bool same_records(const ts_record *a, const ts_record *b)
{
  bool same = a->count == b->count && a->type == b->type && a->name == b->name;
  for (uint32_t i = 0; same && i < a->count; i++)
    same = a->at[i].name == b->at[i].name && ts_same_values(a->at[i].value, b->at[i].value);
  return same;
}

bool ts_same_values(const ts_value *a, const ts_value *b)
{
  if (a->type != b->type)
    return false;
  switch (a->type) {
  case TS_T_NONE:
  case TS_T_TENSOR: return true;
  case TS_T_LIST: {
    bool same = a->u.list->count == b->u.list->count;
    for (uint32_t i = 0; same && i < a->u.list->count; i++)
      same = ts_same_values(&a->u.list->at[i], &b->u.list->at[i]);
    return same;
  }
  case TS_T_RECORD: return same_records(a->u.record, b->u.record);
  case TS_T_BOOL: return a->u.truth == b->u.truth;
  case TS_T_INT: return a->u.integer == b->u.integer;
  case TS_T_REAL: return bits_of(a->u.real) == bits_of(b->u.real);
  case TS_T_QUANTITY:
    return bits_of(a->u.real) == bits_of(b->u.real) &&
           ts_dimension_equal(a->dimension, b->dimension);
  case TS_T_AXIS:
    return a->u.axes.mask == b->u.axes.mask && a->u.axes.text == b->u.axes.text;
  case TS_T_RANGE:
    return a->u.range.begin == b->u.range.begin && a->u.range.end == b->u.range.end;
  case TS_T_STRING:
  case TS_T_LABEL:
  case TS_T_WORD: return a->u.string == b->u.string;
  case TS_T_DTYPE: return a->u.dtype == b->u.dtype;
  case TS_T_FUNCTION: return a->u.function == b->u.function;
  case TS_T_DECL: return a->u.decl == b->u.decl;
  case TS_T_APPLIED: return a->u.applied == b->u.applied;
  case TS_T_GPU: return a->u.record == b->u.record;
  case TS_T_CLUSTER: return a->u.cluster == b->u.cluster;
  case TS_T_ERROR: return false;
  }
  return false;
}

static bool same_inputs(const ts_slot *a, const ts_slot *b)
{
  return a->name == b->name && a->formal == b->formal && a->dtype == b->dtype &&
         a->shape.rank == b->shape.rank &&
         (!a->shape.rank ||
          !memcmp(a->shape.dim, b->shape.dim, a->shape.rank * sizeof *a->shape.dim));
}

/* Of two ops that are alike the same. Which tensors they take does not matter. */
static uint64_t graph_hash_of(const ts_op *op)
{
  uint64_t h = ts_mix(UINT64_C(0xcbf29ce484222325), (uintptr_t)op->decl);
  h = ts_mix(ts_mix(h, (uintptr_t)op->traced), op->frozen);
  for (uint32_t f = 0; f < op->arg_count; f++)
    h = mix_value(h, op->args[f]);
  for (uint32_t i = 0; i < op->input_count; i++)
    h = mix_shape(ts_mix(h, (uintptr_t)op->slots[i].dtype), op->slots[i].shape);
  return h;
}

/* What their declaration says of one it says of the other. Not all that might be alike is: of
 * functions, and of what is applied, one is like itself alone. */
static bool are_alike(const ts_op *a, const ts_op *b)
{
  if (a->decl != b->decl || a->module != b->module || a->traced != b->traced ||
      a->frozen != b->frozen || a->arg_count != b->arg_count || a->input_count != b->input_count ||
      a->slot_count != b->slot_count || a->part_count != b->part_count)
    return false;
  for (uint32_t f = 0; f < a->arg_count; f++)
    if (!ts_same_values(&a->args[f], &b->args[f]))
      return false;
  for (uint32_t i = 0; i < a->input_count; i++)
    if (!same_inputs(&a->slots[i], &b->slots[i]))
      return false;
  return true;
}

/* -- ops -- */

typedef struct graph_wanted {
  const ts_graph *g;
  const ts_op *op;
} graph_wanted;

static bool graph_alike(const void *closure, uint32_t number)
{
  const graph_wanted *w = closure;
  return are_alike(&w->g->ops.at[number], w->op);
}

/* Shapes of parameters and outputs: those of an op that is alike, or evaluated. */
static bool find_shapes(ts_session *s, ts_graph *g, const ts_plan *plan, ts_op *op)
{
  uint32_t hash = ts_hash_number(op->hash = graph_hash_of(op));
  op->alike = ts_hash_find(&g->different, hash, graph_alike, &(graph_wanted){g, op});
  if (op->alike == TS_HASH_NONE) {
    ts_op_scope scope = {.s = s, .plan = plan, .op = op, .slots = op->slots, .args = op->args};
    op->alike = (uint32_t)g->ops.count;
    if (!ts_op_shapes(&scope))
      return false;
    ts_hash_add(ts_graph_growing(s), &g->different, hash, op->alike);
    return true;
  }
  const ts_slot *other = g->ops.at[op->alike].slots;
  for (uint32_t i = op->input_count; i < op->slot_count + op->part_count; i++) {
    op->slots[i].shape = other[i].shape;
    op->slots[i].dtype = other[i].dtype;
    op->slots[i].present = other[i].present;
    op->slots[i].frozen = other[i].frozen;
  }
  return true;
}

uint32_t ts_graph_add(ts_session *s, ts_graph *g, const ts_plan *plan, ts_op op)
{
  uint32_t index = (uint32_t)g->ops.count;
  ts_op_slots(s, &op);
  if (!find_shapes(s, g, plan, &op))
    return TS_NO_INDEX;
  for (uint32_t i = op.slot_count - op.output_count; i < op.slot_count; i++)
    op.slots[i].tensor =
      ts_graph_add_tensor(s, g, op.label, op.slots[i].shape, op.slots[i].dtype, index);
  TS_PUSH(ts_graph_growing(s), &g->ops, op);
  return index;
}

static ts_value output_value(builder *b, const ts_op *op, uint32_t output)
{
  const ts_slot *slot = &op->slots[op->slot_count - op->output_count + output];
  ts_tensor *t = TS_NEW(b->s->arena, ts_tensor);
  *t = (ts_tensor){slot->shape, slot->dtype, slot->tensor, slot->name};
  return (ts_value){.type = TS_T_TENSOR, .span = op->span, .u.tensor = t};
}

static ts_value outputs_value(builder *b, const ts_op *op)
{
  if (op->output_count == 1)
    return output_value(b, op, 0);
  ts_list *list = TS_NEW(b->s->arena, ts_list);
  ts_value *at = TS_NEW_ARRAY(b->s->arena, ts_value, op->output_count + 1);
  for (uint32_t i = 0; i < op->output_count; i++)
    at[i] = output_value(b, op, i);
  *list = (ts_list){op->output_count, at};
  return (ts_value){.type = TS_T_LIST, .span = op->span, .u.list = list};
}

static ts_value graph_fail(builder *b)
{
  b->failed = true;
  return ts_error_value();
}

/* Arguments that the plan's `tuning` sets, of ops of these labels that have them; of an op without
 * an argument `frozen` all parameters are what it says. Later elements win. */
static bool tune(builder *b, ts_op *op, ts_value *values)
{
  const ts_ast *params = ts_ast_params(op->decl);
  for (uint32_t i = 0; b->plan->tuning.type == TS_T_LIST && i < b->plan->tuning.u.list->count;
       i++) {
    const ts_record *one = b->plan->tuning.u.list->at[i].u.record;
    const ts_record *set = ts_record_find(one, "set")->u.record;
    if (!ts_label_group(*ts_record_find(one, "ops"), op->label))
      continue;
    for (uint32_t k = 0; k < set->count; k++) {
      uint32_t f = 0;
      while (f < op->arg_count && params->child[f]->name != set->at[k].name)
        f++;
      ts_value v = *set->at[k].value;
      if (f == op->arg_count && !strcmp(set->at[k].name, "frozen") && v.type == TS_T_BOOL)
        op->frozen = v.u.truth;
      if (f == op->arg_count)
        continue;
      if (!ts_convert_to(b->s, ts_ast_type(params->child[f])->name, &v,
                         ts_arena_printf(b->s->arena, "`%s` of `tuning`", set->at[k].name),
                         b->plan->span_of[TS_PLAN_tuning], params->child[f]->span))
        return false;
      values[f] = v;
    }
  }
  return true;
}

static ts_value apply_op(builder *b, const ts_env *args, const ts_ast *decl, const ts_env *module,
                         const ts_ast *call, const char *label)
{
  const ts_ast *params = ts_ast_params(decl);
  ts_value *values = TS_NEW_ARRAY(b->s->arena, ts_value, params->count + 1);
  for (uint32_t i = 0; i < params->count; i++) {
    if (!ts_env_lookup(args, params->child[i]->name, &values[i]) || values[i].type == TS_T_ERROR)
      return graph_fail(b);
    ts_budget budget = ts_budget_begin(b->s); /* who compares ops walks over their arguments */
    ts_value_walk(values[i], &budget);
    if (!ts_budget_end(b->s, &budget, call->span))
      return graph_fail(b);
    values[i] = with_edges(b, values[i]);
  }
  if (b->g->ops.count >= b->s->limits.ops) {
    ts_diag *d = ts_diag_add(b->s->diags, TS_E0302, call->span, "the model has more than %s ops",
                             ts_count_print(b->s->arena, b->s->limits.ops));
    ts_diag_here(d, "one too many");
    ts_diag_help(d, "`repeat` fewer layers, or make one op of several");
    return graph_fail(b);
  }
  ts_op op = {.decl = decl,
              .module = module,
              .kind = decl->name,
              .span = call->span,
              .arg_count = params->count,
              .args = values};
  op.label = unique_label(b, label ? label : decl->name, 0);
  op.unit = b->inside ? b->units - 1 : b->units;
  if (!tune(b, &op, values))
    return graph_fail(b);
  uint32_t index = ts_graph_add(b->s, b->g, b->plan, op);
  return index == TS_NO_INDEX ? graph_fail(b) : outputs_value(b, &b->g->ops.at[index]);
}

static void graph_run(builder *b, ts_env *env, const ts_ast *body);

static ts_value apply_block(builder *b, ts_env *args, const ts_ast *decl, const ts_ast *call,
                            const char *label)
{
  const char *prefix = b->prefix;
  ts_value yielded = b->yielded;
  const ts_required_by *outer = b->by,
                       by = {.what = "block",
                             .name = decl->name,
                             .used = call->span,
                             .cannot = "be built so",
                             .error = TS_E0314,
                             .warning = TS_W0314};
  if (b->depth >= b->s->limits.blocks) {
    ts_diag *d = ts_diag_add(b->s->diags, TS_E0302, call->span, "blocks nest deeper than %u",
                             b->s->limits.blocks);
    ts_diag_here(d, "one too deep");
    ts_diag_help(d, "merge blocks that only call each other; a block must not call itself");
    return graph_fail(b);
  }
  if (label)
    b->prefix = ts_arena_printf(b->s->arena, "%s.", unique_label(b, label, 0));
  b->yielded = (ts_value){.type = TS_T_NONE, .span = call->span};
  b->depth++;
  b->by = &by;
  graph_run(b, args, decl);
  b->by = outer;
  b->depth--;
  ts_value result = b->yielded;
  b->prefix = prefix;
  b->yielded = yielded;
  return result;
}

static ts_value graph_apply(void *closure, const ts_env *env, const ts_ast *decl,
                            const ts_env *module, const ts_ast *call)
{
  builder *b = closure;
  const char *label = call == b->call ? b->label : NULL;
  if (call == b->call)
    b->call = NULL;
  if (b->failed)
    return ts_error_value();
  ts_env *args = ts_bind_args(b->s, env, module, decl, call);
  if (!args)
    return graph_fail(b);
  return decl->kind == TS_AST_OP ? apply_op(b, args, decl, module, call, label) :
                                   apply_block(b, args, decl, call, label);
}

/* -- bodies -- */

static ts_value node_value(builder *b, ts_env *env, const ts_ast *expr, const ts_ast *label)
{
  b->call = label ? expr : NULL;
  b->label = label ? label->name : NULL;
  ts_value v = ts_eval(b->s, env, expr);
  if (v.type == TS_T_ERROR)
    b->failed = true;
  return v;
}

static ts_value let_value(builder *b, ts_env *env, const ts_ast *let)
{
  b->call = NULL;
  b->label = NULL;
  ts_value v = ts_eval_let(b->s, env, let);
  if (v.type == TS_T_ERROR)
    b->failed = true;
  return v;
}

static void run_repeat(builder *b, ts_env *env, const ts_ast *item)
{
  int64_t count = 0;
  const char *name = ts_ast_label(item)->name, *prefix = b->prefix;
  bool top = b->depth == 0 && !strchr(prefix, '[');
  if (!ts_eval_int(b->s, env, ts_ast_times(item), "how often a `repeat` runs", &count)) {
    b->failed = true;
    return;
  }
  if (count < 0 || count > b->s->limits.ops) {
    ts_diag *d = ts_diag_add(b->s->diags, TS_E0302, ts_ast_times(item)->span,
                             "cannot repeat %lld times", (long long)count);
    ts_diag_here(d, "must be from 0 to %u", b->s->limits.ops);
    b->failed = true;
    return;
  }
  if (top && !b->g->unit_name) {
    b->g->unit_name = name;
    b->g->unit_span = ts_ast_times(item)->span;
  }
  ts_repeat repeat = ts_repeat_begin(b, env, item);
  for (int64_t i = 0; i < count && !b->failed; i++) {
    b->prefix = ts_arena_printf(b->s->arena, "%s%s[%lld].", prefix, name, (long long)i);
    ts_env_bind(env, name, ts_int_value(i, ts_ast_label(item)->span));
    if (ts_repeat_copied(&repeat))
      continue;
    if (!ts_count_iteration(b->s, item->span)) {
      b->failed = true;
      return;
    }
    if (top && !b->units)
      b->g->before_units = (uint32_t)b->g->ops.count;
    b->units += top;
    b->inside |= top;
    graph_run(b, env, item);
  }
  b->inside &= !top;
  b->prefix = prefix;
}

static void run_if(builder *b, ts_env *env, const ts_ast *item)
{
  bool truth = false;
  if (!ts_eval_bool(b->s, env, ts_ast_condition(item), "the condition of `if`", &truth)) {
    b->failed = true;
    return;
  }
  if (truth)
    graph_run(b, env, ts_ast_then(item));
  else if (ts_ast_else(item))
    graph_run(b, env, ts_ast_else(item));
}

static void graph_run(builder *b, ts_env *env, const ts_ast *body)
{
  ts_ast_list items = ts_ast_items(body);
  for (uint32_t i = 0; i < items.count && !b->failed; i++) {
    const ts_ast *item = items.at[i];
    switch (item->kind) {
    case TS_AST_LET: {
      ts_value v = let_value(b, env, item);
      ts_env_bind(env, item->name, v);
      break;
    }
    case TS_AST_NODE: {
      ts_value v = node_value(b, env, ts_ast_value(item), ts_ast_label(item));
      if (item->name)
        ts_env_bind(env, item->name, v);
      break;
    }
    case TS_AST_REPEAT: run_repeat(b, env, item); break;
    case TS_AST_IF_STMT: run_if(b, env, item); break;
    case TS_AST_REQUIRE:
    case TS_AST_EXPECT: b->failed |= !ts_required(b->s, env, item, b->by); break;
    case TS_AST_YIELD:
      b->yielded = node_value(b, env, ts_ast_value(item), ts_ast_label(item));
      break;
    default: break;
    }
  }
}

/* -- the whole -- */

static void find_patterns(ts_session *s, ts_graph *g)
{
  ts_names known = {0};
  for (size_t i = 0; i < g->ops.count; i++) {
    ts_op *op = &g->ops.at[i];
    const char *text = ts_label_pattern(s->arena, op->label);
    op->pattern = ts_lang_intern(s->lang, text, strlen(text));
    uintptr_t index = (uintptr_t)ts_names_get(&known, op->pattern);
    if (!index)
      ts_names_put(s->arena, &known, op->pattern, (void *)(index = ++g->pattern_count));
    op->pattern_index = (uint32_t)index - 1;
  }
}

static void find_tokens(ts_graph *g, const ts_plan *plan)
{
  for (size_t i = 0; i < g->tensors.count; i++) {
    const ts_edge *e = &g->tensors.at[i];
    if (e->producer != TS_NO_INDEX || e->source != i || !ts_dtype_is_integer(e->dtype))
      continue;
    g->tokens_per_sample =
      ts_shape_elements(e->shape) / (double)(plan->micro_batch > 0 ? plan->micro_batch : 1);
    return;
  }
}

void ts_graph_finish(ts_graph *g)
{
  for (size_t i = 0; i < g->ops.count; i++) {
    ts_op *op = &g->ops.at[i];
    op->repeats = g->unit_count;
    for (uint32_t k = 0; k < op->input_count; k++) {
      const ts_edge *input = &g->tensors.at[op->slots[k].tensor];
      op->needs_input_gradient |=
        input->needs_gradient || g->tensors.at[input->source].needs_gradient;
    }
    op->needs_gradient = op->needs_input_gradient;
    for (uint32_t k = op->input_count; k < op->input_count + op->param_count; k++) {
      uint64_t elements = (uint64_t)ts_slot_elements(&op->slots[k]);
      op->needs_gradient |= op->slots[k].present && !op->slots[k].frozen;
      g->parameters += elements;
      g->trained += op->slots[k].frozen ? 0 : elements;
    }
    for (uint32_t k = op->input_count + op->param_count; k < op->slot_count; k++)
      g->tensors.at[op->slots[k].tensor].needs_gradient =
          op->needs_gradient && ts_dtype_is_float(op->slots[k].dtype);
  }
  for (size_t i = 0; i < g->tensors.count; i++)
    g->tensors.at[i].needs_gradient |= g->tensors.at[g->tensors.at[i].source].needs_gradient;
}

/* Of tensors that are views it counts who made what they show. */
static void find_reach(ts_session *s, ts_graph *g)
{
  uint32_t *reach = ts_arena_alloc_raw(s->arena, g->ops.count * sizeof *reach),
           *unit = ts_arena_alloc_raw(s->arena, g->ops.count * sizeof *unit);
  for (size_t i = 0; i < g->ops.count; i++) {
    const ts_op *op = &g->ops.at[i];
    unit[i] = op->unit;
    reach[i] = TS_NO_INDEX;
    for (uint32_t k = 0; k < op->input_count; k++) {
      uint32_t source = g->tensors.at[op->slots[k].tensor].source,
               producer = g->tensors.at[source].producer;
      reach[i] = producer < reach[i] ? producer : reach[i];
    }
  }
  g->unit = unit;
  g->reach = reach;
}

static bool build_from_source(builder *b, const ts_applied *model)
{
  ts_env *env = ts_bind_record(b->s, model->env, model->decl, &model->args);
  if (!env)
    return false;
  ts_value bound;
  const char *batch = graph_intern(b, "batch");
  if (!ts_env_lookup(env, batch, &bound))
    ts_env_bind(env, batch, ts_int_value(b->plan->micro_batch, b->plan->span_of[TS_PLAN_batch]));
  const ts_required_by by = {.what = "model",
                             .name = model->decl->name,
                             .used = model->span,
                             .cannot = "be built so",
                             .error = TS_E0314,
                             .warning = TS_W0314};
  b->s->running->apply_closure = b;
  b->s->running->apply = graph_apply;
  b->by = &by;
  graph_run(b, env, model->decl);
  b->by = NULL;
  b->s->running->apply = NULL;
  b->s->running->apply_closure = NULL;
  return !b->failed;
}

ts_graph *ts_graph_build(ts_session *s, const ts_plan *plan)
{
  ts_graph *g = TS_NEW(s->arena, ts_graph);
  const ts_applied *model = plan->model.u.applied;
  if (plan->model.type != TS_T_APPLIED)
    return NULL;
  if (!model->decl && !strcmp(model->name, "graph")) {
    if (!ts_plan_divides(s, plan)) {
      ts_diag *d = ts_report(s, TS_E0526, model->span, "a plan of graphs has no ops of its own");
      ts_diag_here(d, "its ranks play what is in these files");
      ts_diag_help(d, "play it with `tsrun`; `trainspec trace` shows a graph");
      return NULL;
    }
    if (!(model = ts_with_mapping(s, model, "std/import/recorded.ts", "divided")))
      return NULL;
  }
  if (!model->decl) {
    if (!ts_trace_build(s, plan, model, g))
      return NULL;
  } else {
    builder b = {.s = s, .plan = plan, .g = g, .prefix = ""};
    if (!build_from_source(&b, model))
      return NULL;
    g->unit_count = b.units;
  }
  if (!g->ops.count) {
    ts_diag *d = ts_diag_add(s->diags, TS_E0303, model->span, "the model has no ops");
    ts_diag_here(d, "nothing to run");
    return NULL;
  }
  ts_graph_finish(g);
  find_patterns(s, g);
  if (g->traced && !ts_trace_finish(s, plan, g))
    return NULL;
  find_tokens(g, plan);
  find_reach(s, g);
  return g;
}

/* As large as it is, in the session's arena. */
static const ts_graph *settled(ts_session *s, ts_graph *g)
{
  g->ops.at = ts_arena_copy(s->arena, g->ops.at, g->ops.count * sizeof *g->ops.at);
  g->tensors.at = ts_arena_copy(s->arena, g->tensors.at, g->tensors.count * sizeof *g->tensors.at);
  g->ops.room = g->ops.count;
  g->tensors.room = g->tensors.count;
  g->different = (ts_hash_table){0};
  return g;
}

/* It sees no more of the plan than what it is kept by. Traced models read files. */
const ts_graph *ts_graph_of_plan(ts_session *s, const ts_plan *plan)
{
  if (!s->reuse->plan_cache || plan->model.type != TS_T_APPLIED || !plan->model.u.applied->decl)
    return ts_graph_build(s, plan);
  const ts_graph *g = ts_plan_cache_get(s, plan->decl, plan->micro_batch);
  if (g)
    return g;
  ts_plan seen = {.name = plan->name,
                  .decl = plan->decl,
                  .env = plan->env,
                  .model = plan->model,
                  .tuning = plan->tuning,
                  .precision = plan->precision,
                  .micro_batch = plan->micro_batch};
  memcpy(seen.span_of, plan->span_of, sizeof seen.span_of);
  ts_noting before = ts_noting_begin(s, plan->touched);
  ts_graph *built = ts_graph_build(s, &seen);
  ts_touched touched = ts_noting_end(s, &before);
  if (!built)
    return NULL;
  g = settled(s, built);
  ts_plan_cache_put(s, &before, touched, plan->decl, plan->micro_batch, g);
  return g;
}
