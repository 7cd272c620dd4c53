#include "compiler/model/op.h"

#include <math.h>
#include <string.h>

#include "compiler/eval/function.h"
#include "compiler/eval/lifetime.h"
#include "compiler/eval/mesh.h"
#include "compiler/eval/report.h"
#include "compiler/eval/running.h"

/* What an IR can hold of one thing, and of work. */
#define MOST_BYTES 0x1p56
#define MOST_SECONDS 1e6
#define MOST_FLOPS 1e30

double ts_shape_elements(ts_shape shape)
{
  double n = 1;
  for (uint32_t d = 0; d < shape.rank; d++)
    n *= (double)shape.dim[d];
  return n;
}

double ts_slot_elements(const ts_slot *slot)
{
  return slot->present ? ts_shape_elements(slot->shape) : 0;
}

int64_t ts_slot_bytes(const ts_slot *slot)
{
  return (int64_t)ceil(ts_slot_elements(slot) * (slot->dtype ? slot->dtype->bits : 0) / 8);
}

uint32_t ts_op_slot(const ts_op *op, const char *name, bool *gradient)
{
  *gradient = false;
  uint32_t count = op->slot_count + op->part_count;
  for (uint32_t i = 0; i < count; i++)
    if (op->slots[i].name == name)
      return i;
  if (name[0] == 'd')
    for (uint32_t i = 0; i < count; i++)
      if (!strcmp(op->slots[i].name, name + 1)) {
        *gradient = true;
        return i;
      }
  return TS_NO_INDEX;
}

static void add_slot(ts_slot *slots, uint32_t *n, ts_slot slot) { slots[(*n)++] = slot; }

static uint32_t inputs_of(ts_op *op, uint32_t formal, ts_slot *slots, uint32_t n)
{
  const ts_ast *declared = ts_ast_params(op->decl)->child[formal];
  ts_value arg = op->args[formal];
  ts_slot slot = {.name = declared->name,
                  .kind = TS_SLOT_INPUT,
                  .present = true,
                  .formal = formal,
                  .span = arg.span};
  if (arg.type == TS_T_TENSOR) {
    slot.tensor = arg.u.tensor->id;
    slot.shape = arg.u.tensor->shape;
    slot.dtype = arg.u.tensor->dtype;
    if (slots)
      slots[n] = slot;
    return n + 1;
  }
  if (arg.type == TS_T_LIST)
    for (uint32_t i = 0; i < arg.u.list->count; i++) {
      ts_value v = arg.u.list->at[i];
      if (v.type != TS_T_TENSOR)
        continue;
      slot.tensor = v.u.tensor->id;
      slot.shape = v.u.tensor->shape;
      slot.dtype = v.u.tensor->dtype;
      if (slots)
        slots[n] = slot;
      n++;
    }
  return n;
}

void ts_op_slots(ts_session *s, ts_op *op)
{
  const ts_ast *decl = op->decl;
  ts_ast_list items = ts_ast_items(decl);
  uint32_t inputs = 0, others = 0;
  for (uint32_t f = 0; f < op->arg_count; f++)
    inputs = inputs_of(op, f, NULL, inputs);
  for (uint32_t i = 0; i < items.count; i++)
    others += items.at[i]->kind == TS_AST_OP_WEIGHT || items.at[i]->kind == TS_AST_OP_OUTPUT ||
              items.at[i]->kind == TS_AST_OP_SLICE;
  ts_slot *slots = TS_NEW_ARRAY(s->arena, ts_slot, inputs + others + 1);
  uint32_t n = 0;
  for (uint32_t f = 0; f < op->arg_count; f++)
    n = inputs_of(op, f, slots, n);
  op->input_count = n;
  for (int pass = 0; pass < 2; pass++)
    for (uint32_t i = 0; i < items.count; i++) {
      const ts_ast *item = items.at[i];
      ts_slot_kind kind = pass ? TS_SLOT_OUTPUT : TS_SLOT_WEIGHT;
      if (item->kind != (pass ? TS_AST_OP_OUTPUT : TS_AST_OP_WEIGHT))
        continue;
      add_slot(slots, &n,
               (ts_slot){.name = item->name,
                         .kind = kind,
                         .present = true,
                         .tensor = TS_NO_INDEX,
                         .span = item->span});
      if (pass)
        op->output_count++;
      else
        op->param_count++;
    }
  op->slot_count = n;
  op->slots = slots;
  for (uint32_t i = 0; i < items.count; i++) {
    const ts_ast *item = items.at[i];
    uint32_t of = 0;
    if (item->kind != TS_AST_OP_SLICE)
      continue;
    while (of < op->input_count && slots[of].name != ts_ast_input(item)->name)
      of++;
    if (of == op->input_count) {
      ts_diag *d = ts_report(s, TS_E0219, ts_ast_input(item)->span, "`%s` has no input `%s`",
                             op->kind, ts_ast_input(item)->name);
      ts_diag_here(d, "a slice is one of an input");
      continue;
    }
    add_slot(slots, &n,
             (ts_slot){.name = item->name,
                       .kind = TS_SLOT_SLICE,
                       .present = true,
                       .tensor = slots[of].tensor,
                       .dtype = slots[of].dtype,
                       .span = item->span});
    op->part_count++;
  }
}

/* -- names an op's expressions see -- */

static ts_value tensor_value(ts_session *s, const ts_slot *slot, const char *name,
                             const ts_dtype *dtype)
{
  ts_tensor *t = TS_NEW(s->arena, ts_tensor);
  *t = (ts_tensor){slot->shape, dtype, slot->tensor, name};
  return (ts_value){.type = TS_T_TENSOR, .span = slot->span, .u.tensor = t};
}

void ts_op_names_add(ts_arena *arena, ts_op_names *names, const ts_ast *expr)
{
  size_t i = 0;
  while (expr->name && i < names->at.count && names->at.at[i] != expr->name)
    i++;
  if (expr->name && i == names->at.count)
    TS_PUSH(arena, &names->at, expr->name);
  for (uint32_t c = 0; c < expr->count; c++)
    if (expr->child[c])
      ts_op_names_add(arena, names, expr->child[c]);
}

static bool is_requested(const ts_op_scope *scope, const char *name)
{
  bool found = !scope->only;
  for (size_t i = 0; !found && i < scope->only->at.count; i++)
    found = scope->only->at.at[i] == name;
  return found;
}

static void bind_slot(const ts_op_scope *scope, ts_env *env, const ts_slot *slot)
{
  if (!is_requested(scope, slot->name))
    return;
  ts_env_bind(env, slot->name, tensor_value(scope->s, slot, slot->name, slot->dtype));
}

/* An argument that is a list of tensors is rebuilt from its slots. */
static ts_value list_of_slots(const ts_op_scope *scope, uint32_t formal)
{
  ts_value arg = scope->args[formal];
  const ts_list *old = arg.u.list;
  ts_value *at = TS_NEW_ARRAY(scope->s->arena, ts_value, old->count);
  uint32_t slot = 0;
  while (slot < scope->op->input_count && scope->slots[slot].formal != formal)
    slot++;
  for (uint32_t i = 0; i < old->count; i++) {
    at[i] = old->at[i];
    if (at[i].type == TS_T_TENSOR) {
      at[i] = tensor_value(scope->s, &scope->slots[slot], scope->slots[slot].name,
                           scope->slots[slot].dtype);
      slot++;
    }
  }
  ts_list *list = TS_NEW(scope->s->arena, ts_list);
  *list = (ts_list){old->count, at};
  arg.u.list = list;
  return arg;
}

static bool holds_tensor(ts_value v)
{
  return v.type == TS_T_LIST && v.u.list->count && v.u.list->at[0].type == TS_T_TENSOR;
}

static void bind_args(const ts_op_scope *scope, ts_env *env)
{
  const ts_ast *params = ts_ast_params(scope->op->decl);
  for (uint32_t f = 0; f < scope->op->arg_count; f++)
    if (!is_requested(scope, params->child[f]->name))
      continue;
    else if (holds_tensor(scope->args[f]))
      ts_env_bind(env, params->child[f]->name, list_of_slots(scope, f));
    else if (scope->args[f].type != TS_T_TENSOR)
      ts_env_bind(env, params->child[f]->name, scope->args[f]);
  for (uint32_t i = 0; i < scope->op->input_count; i++)
    if (scope->args[scope->slots[i].formal].type == TS_T_TENSOR)
      bind_slot(scope, env, &scope->slots[i]);
}

/* An output is of the type of the first floating-point input, or else of the type the plan computes
 * in. */
static const ts_dtype *default_dtype(const ts_op_scope *scope, ts_slot_kind kind)
{
  if (kind == TS_SLOT_WEIGHT)
    return scope->plan->precision.weights;
  for (uint32_t i = 0; i < scope->op->input_count; i++)
    if (ts_dtype_is_float(scope->slots[i].dtype))
      return scope->slots[i].dtype;
  return scope->plan->precision.compute;
}

static bool dtype_value(const ts_op_scope *scope, const ts_ast *expr, ts_value v,
                        const ts_dtype **dtype)
{
  if (v.type == TS_T_DTYPE) {
    *dtype = v.u.dtype;
    return true;
  }
  if (v.type != TS_T_ERROR) {
    ts_diag *d =
      ts_diag_add(scope->s->diags, TS_E0220, expr->span, "the type of a tensor must be a DType");
    ts_diag_here(d, "found %s", ts_value_describe(scope->s->arena, v));
  }
  return false;
}

static bool eval_dtype(const ts_op_scope *scope, const ts_env *env, const ts_ast *expr,
                       const ts_dtype **dtype)
{
  return dtype_value(scope, expr, ts_eval(scope->s, env, expr), dtype);
}

bool ts_eval_shape(ts_session *s, const ts_env *env, const ts_ast *expr, const char *what,
                   ts_span used, ts_shape *shape)
{
  ts_value v = ts_eval(s, env, expr);
  if (v.type == TS_T_ERROR)
    return false;
  bool good = v.type == TS_T_LIST && v.u.list->count <= TS_MAX_DIMS;
  for (uint32_t i = 0; good && i < v.u.list->count; i++)
    good = v.u.list->at[i].type == TS_T_INT;
  if (!good) {
    ts_diag *d =
      ts_diag_add(s->diags, TS_E0220, expr->span,
                  "the shape of %s must be a list of at most %d Ints", what, TS_MAX_DIMS);
    ts_diag_here(d, "found %s", ts_value_describe(s->arena, v));
    return false;
  }
  int64_t *dim = TS_NEW_ARRAY(s->arena, int64_t, v.u.list->count + 1);
  for (uint32_t i = 0; i < v.u.list->count; i++) {
    dim[i] = v.u.list->at[i].u.integer;
    if (dim[i] < 1 || dim[i] > INT64_C(1) << 48) {
      ts_diag *d =
        ts_report(s, TS_E0301, used, "dimension %u of %s is %lld", i, what, (long long)dim[i]);
      ts_diag_here(d, "makes the shape %s", ts_value_print(s->arena, v));
      ts_diag_note_at(d, expr->span, "the shape is computed here");
      return false;
    }
  }
  *shape = (ts_shape){v.u.list->count, dim};
  return true;
}

/* `dtype none`: as without. */
static bool slot_dtype(const ts_op_scope *scope, const ts_env *env, const ts_ast *expr,
                       const ts_dtype **dtype)
{
  ts_value v = ts_eval(scope->s, env, expr);
  return v.type == TS_T_NONE || dtype_value(scope, expr, v, dtype);
}

static ts_slot *next_slot(const ts_op_scope *scope, const ts_ast *item)
{
  for (uint32_t i = scope->op->input_count; i < scope->op->slot_count + scope->op->part_count; i++)
    if (scope->slots[i].name == item->name)
      return &scope->slots[i];
  return NULL;
}

static bool shape_slot(const ts_op_scope *scope, ts_env *env, const ts_ast *item, ts_slot *slot)
{
  const ts_ast *condition = item->kind == TS_AST_OP_WEIGHT ? ts_ast_condition(item) : NULL;
  if (condition &&
      !ts_eval_bool(scope->s, env, condition, "the condition of a parameter", &slot->present))
    return false;
  if (!slot->present) {
    static const int64_t none = 0;
    slot->shape = (ts_shape){1, &none};
    slot->dtype = default_dtype(scope, slot->kind);
    return true;
  }
  const ts_ast *trained = item->kind == TS_AST_OP_WEIGHT ? ts_ast_trained(item) : NULL;
  bool trains = true;
  if (trained &&
      !ts_eval_bool(scope->s, env, trained, "whether a parameter is trained", &trains))
    return false;
  slot->frozen = !trains || scope->op->frozen;
  const char *what = ts_arena_printf(scope->s->arena, "`%s` of `%s`", slot->name, scope->op->kind);
  if (!ts_eval_shape(scope->s, env, ts_ast_shape(item), what, scope->op->span, &slot->shape))
    return false;
  if (item->kind == TS_AST_OP_SLICE)
    return true;
  slot->dtype = default_dtype(scope, slot->kind);
  if (slot->kind == TS_SLOT_OUTPUT && scope->op->traced) {
    slot->dtype = scope->op->traced;
    return true;
  }
  return !ts_ast_dtype(item) || slot_dtype(scope, env, ts_ast_dtype(item), &slot->dtype);
}

static bool is_slot(const ts_ast *item, bool params)
{
  return item->kind == TS_AST_OP_OUTPUT || item->kind == TS_AST_OP_SLICE ||
         (params && item->kind == TS_AST_OP_WEIGHT);
}

/* Walks the body in order, binding lets and tensors; shapes what is asked for, takes the rest as
 * given. */
static bool walk_items(ts_op_scope *scope, ts_env *env, bool shape_params, bool shape_outputs)
{
  const ts_ast *decl = scope->op->decl;
  bind_args(scope, env);
  ts_ast_list items = ts_ast_items(decl);
  for (uint32_t i = 0; i < items.count; i++) {
    const ts_ast *item = items.at[i];
    if (item->kind == TS_AST_LET) {
      ts_value v = ts_eval_let(scope->s, env, item);
      if (v.type == TS_T_ERROR)
        return false;
      ts_env_bind(env, item->name, v);
    } else if (is_slot(item, true)) {
      ts_slot *slot = next_slot(scope, item);
      bool shape = item->kind == TS_AST_OP_WEIGHT ? shape_params : shape_outputs;
      if (!slot)
        return false;
      if (shape && !shape_slot(scope, env, item, slot))
        return false;
      bind_slot(scope, env, slot);
    }
  }
  return true;
}

/* With room for all names of the op; nobody asks for them once its work is done. */
static ts_env *env_of(const ts_op_scope *scope, const ts_env *parent)
{
  enum { OTHERS = 8 }; /* what rules ask of an op, and `let`s; of slots the gradients have names */
  ts_session *s = scope->s;
  const ts_op *op = scope->op;
  uint32_t names = scope->only ? (uint32_t)scope->only->at.count :
                                 op->arg_count + 2 * (op->slot_count + op->part_count) + OTHERS;
  ts_arena *arena = s->arena;
  ts_session_scratch(s);
  ts_env *env = ts_env_sized(s, parent, names);
  s->arena = arena;
  return env;
}

static ts_env *body_env(ts_op_scope *scope) { return env_of(scope, scope->op->module); }

/* Errors inside say which op of the model they are about. */
static bool op_walk(ts_op_scope *scope, ts_env *env, bool shape_params, bool shape_outputs)
{
  ts_frame frame = {scope->op->kind, scope->op->span, scope->s->running->frame};
  scope->s->running->frame = &frame;
  bool ok = walk_items(scope, env, shape_params, shape_outputs);
  scope->s->running->frame = frame.outer;
  return ok;
}

/* What a cast moves for each element, where it is said. */
static bool cast_moves(const ts_op_scope *scope, const ts_env *env, const ts_ast *cast,
                       double *bytes)
{
  *bytes = 0;
  if (!ts_ast_moving(cast))
    return true;
  if (!ts_eval_quantity(scope->s, env, ts_ast_moving(cast), TS_DIM_SIZE,
                        "what a cast moves for an element", bytes))
    return false;
  *bytes /= 8;
  if (*bytes >= 0)
    return true;
  ts_report(scope->s, TS_E0225, ts_ast_moving(cast)->span,
            "the cast of `%s` moves fewer than 0 B for an element", cast->name);
  return false;
}

bool ts_op_casts(ts_op_scope *scope, ts_slot *slots)
{
  const ts_ast *decl = scope->op->decl;
  ts_ast_list items = ts_ast_items(decl);
  for (uint32_t i = 0; i < items.count; i++) {
    const ts_ast *item = items.at[i];
    bool wanted = true, gradient;
    const ts_dtype *dtype;
    if (item->kind != TS_AST_CAST)
      continue;
    uint32_t slot = ts_op_slot(scope->op, item->name, &gradient);
    ts_slot_kind kind = gradient ? TS_SLOT_OUTPUT : TS_SLOT_INPUT;
    if (slot == TS_NO_INDEX || slots[slot].kind != kind) {
      ts_diag *d = ts_report(scope->s, TS_E0219, item->name_span,
                             "`%s` casts `%s`, which is no input and no gradient of an output",
                             scope->op->kind, item->name);
      ts_diag_here(d, "only tensors that the op takes are cast");
      return false;
    }
    ts_env *env = ts_op_env(scope, scope->op->module);
    if (ts_ast_condition(item) &&
        !ts_eval_bool(scope->s, env, ts_ast_condition(item), "the condition of a cast", &wanted))
      return false;
    if (!wanted)
      continue;
    if (!eval_dtype(scope, env, ts_ast_dtype(item), &dtype) ||
        !cast_moves(scope, env, item, &slots[slot].cast_moves))
      return false;
    slots[slot].gradient = gradient ? dtype : slots[slot].dtype;
    slots[slot].dtype = gradient ? slots[slot].dtype : dtype;
  }
  return true;
}

bool ts_op_shapes(ts_op_scope *scope) { return op_walk(scope, body_env(scope), true, true); }

bool ts_op_outputs(ts_op_scope *scope) { return op_walk(scope, body_env(scope), false, true); }

static void bind_about(const ts_op_scope *scope, ts_env *env, const char *text, ts_value value)
{
  bool requested = !scope->only;
  for (size_t i = 0; !requested && i < scope->only->at.count; i++)
    requested = !strcmp(scope->only->at.at[i], text);
  if (requested)
    ts_env_bind(env, ts_lang_intern(scope->s->lang, text, strlen(text)), value);
}

ts_env *ts_op_env(const ts_op_scope *scope, const ts_env *parent)
{
  ts_env *env = env_of(scope, parent);
  bind_args(scope, env);
  for (uint32_t i = scope->op->input_count; i < scope->op->slot_count + scope->op->part_count; i++)
    bind_slot(scope, env, &scope->slots[i]);
  bind_about(scope, env, "label", ts_string_value(scope->op->label, scope->op->span));
  bind_about(scope, env, "unit", ts_int_value(scope->op->unit, scope->op->span));
  bind_about(scope, env, "repeats", ts_int_value(scope->op->repeats, scope->op->span));
  bind_about(scope, env, "kind", ts_string_value(scope->op->kind, scope->op->span));
  return env;
}

ts_env *ts_op_rule_env(const ts_op_scope *scope, const ts_env *written)
{
  ts_env *env = ts_op_env(scope, written);
  env->free = true;
  return env;
}

/* -- work -- */

static void bind_gradients(const ts_op_scope *scope, ts_env *env)
{
  const ts_dtype *accumulated = scope->plan->precision.gradients;
  for (uint32_t i = 0; i < scope->op->slot_count + scope->op->part_count; i++) {
    const ts_slot *slot = &scope->slots[i];
    const char *text = ts_arena_printf(scope->s->arena, "d%s", slot->name);
    const char *name = ts_lang_intern(scope->s->lang, text, strlen(text));
    ts_env_bind(env, name,
                tensor_value(scope->s, slot, name,
                             slot->kind == TS_SLOT_WEIGHT ? accumulated :
                             slot->gradient              ? slot->gradient :
                                                           slot->dtype));
  }
}

/* What an op states of its work is 0 or more, and below the limit, which an IR can hold. */
static bool op_possible(const ts_op_scope *scope, const ts_ast *expr, const char *what,
                        double value, double limit)
{
  if (value >= 0 && value < limit)
    return true;
  ts_diag *d =
    ts_report(scope->s, TS_E0225, expr->span, "%s must be 0 or more, and below %.3g", what, limit);
  ts_diag_here(d, "this is %.6g", value);
  return false;
}

/* Bytes of a list of tensors and sizes, lists inside included. */
static bool op_bytes_of(const ts_op_scope *scope, const ts_ast *expr, ts_value v, double *bytes)
{
  if (v.type == TS_T_TENSOR) {
    *bytes += ts_shape_elements(v.u.tensor->shape) * v.u.tensor->dtype->bits / 8;
    return true;
  }
  if (v.type == TS_T_QUANTITY && ts_dimension_equal(v.dimension, TS_DIM_SIZE)) {
    *bytes += v.u.real / 8;
    return op_possible(scope, expr, "bytes of an op", v.u.real / 8, MOST_BYTES);
  }
  if (v.type == TS_T_LIST) {
    for (uint32_t i = 0; i < v.u.list->count; i++)
      if (!op_bytes_of(scope, expr, v.u.list->at[i], bytes))
        return false;
    return true;
  }
  if (v.type != TS_T_ERROR) {
    ts_diag *d =
      ts_diag_add(scope->s->diags, TS_E0220, expr->span, "bytes are stated by tensors and sizes");
    ts_diag_here(d, "found %s", ts_value_describe(scope->s->arena, v));
    ts_diag_help(d, "give a number its unit: `4 B * rows(x)`");
  }
  return false;
}

static bool op_number_of(const ts_op_scope *scope, const ts_ast *field, ts_value v,
                         ts_dimension allowed, double *number)
{
  switch (v.type) {
  case TS_T_INT: *number = (double)v.u.integer; return true;
  case TS_T_REAL: *number = v.u.real; return true;
  case TS_T_BOOL: *number = v.u.truth; return true;
  case TS_T_AXIS: *number = (double)ts_axes_size(scope->s, v.u.axes.mask); return true;
  case TS_T_QUANTITY:
    *number = v.u.real;
    if (ts_dimension_equal(v.dimension, allowed))
      return true;
    break;
  case TS_T_ERROR: return false;
  default: break;
  }
  ts_diag *d = ts_diag_add(scope->s->diags, TS_E0220, ts_ast_value(field)->span,
                           "`%s` of a kernel must be a number", field->name);
  ts_diag_here(d, "found %s", ts_value_describe(scope->s->arena, v));
  return false;
}

static bool op_is_word(const char *name, const char *word) { return !strcmp(name, word); }

static bool kernel_field(const ts_op_scope *scope, const ts_env *env, const ts_ast *field,
                         ts_kernel *k, ts_feature *features)
{
  const char *name = field->name;
  ts_value v = ts_eval(scope->s, env, ts_ast_value(field));
  double number = 0;
  if (op_is_word(name, "reads") || op_is_word(name, "writes") || op_is_word(name, "bytes")) {
    k->host_only = false;
    return op_bytes_of(scope, ts_ast_value(field), v, &k->bytes);
  }
  if (op_is_word(name, "temp")) {
    k->pieces = v.type == TS_T_LIST ? v.u.list->count : 1;
    return op_bytes_of(scope, ts_ast_value(field), v, &k->temp);
  }
  if (op_is_word(name, "dtype")) {
    if (v.type == TS_T_DTYPE)
      k->dtype = v.u.dtype;
    return v.type == TS_T_DTYPE || eval_dtype(scope, env, ts_ast_value(field), &k->dtype);
  }
  if (op_is_word(name, "host")) {
    if (!op_number_of(scope, field, v, TS_DIM_TIME, &number))
      return false;
    k->host = (int64_t)(number * 1e12 + 0.5);
    return op_possible(scope, ts_ast_value(field), "time of the host, in seconds,", number,
                       MOST_SECONDS);
  }
  k->host_only = false;
  double *work = op_is_word(name, "flops")       ? &k->flops :
                 op_is_word(name, "model_flops") ? &k->model_flops :
                                                   NULL;
  if (!op_number_of(scope, field, v, work ? TS_DIM_WORK : TS_DIM_NONE, &number))
    return false;
  if (!work) {
    features[k->feature_count++] = (ts_feature){name, number};
    return true;
  }
  *work = number;
  return op_possible(scope, ts_ast_value(field), "FLOP of an op", number, MOST_FLOPS);
}

static const ts_dtype *kernel_dtype(const ts_op_scope *scope)
{
  for (uint32_t i = scope->op->slot_count; i-- > 0;)
    if (scope->slots[i].kind != TS_SLOT_WEIGHT && ts_dtype_is_float(scope->slots[i].dtype))
      return scope->slots[i].dtype;
  return scope->plan->precision.compute;
}

/* What kernels of a family compute in where their tensors are fp32: `arithmetic` of the plan's
 * precision, as { conv: tf32 }. */
static const ts_dtype *arithmetic(const ts_op_scope *scope, const char *family,
                                  const ts_dtype *dtype)
{
  const ts_record *by_family = scope->plan->precision.arithmetic;
  const ts_value *found = by_family ? ts_record_find(by_family, family) : NULL;
  if (!found || strcmp(dtype->name, "fp32"))
    return dtype;
  if (found->type == TS_T_DTYPE)
    return found->u.dtype;
  ts_diag *d =
    ts_report(scope->s, TS_E0220, found->span, "the arithmetic of `%s` must be a DType", family);
  ts_diag_here(d, "found %s", ts_value_describe(scope->s->arena, *found));
  return dtype;
}

/* The fields from `first` on that are fields, as one kernel. */
static bool kernel(const ts_op_scope *scope, const ts_env *env, const ts_ast *node,
                   ts_ast_list fields, const char *family, ts_kernel *k)
{
  ts_feature *features = TS_NEW_ARRAY(scope->s->arena, ts_feature, fields.count + 1);
  *k = (ts_kernel){.family = family,
                   .op = scope->op->kind,
                   .dtype = kernel_dtype(scope),
                   .host = -1,
                   .features = features,
                   .host_only = true,
                   .model_flops = -1,
                   .span = node->span};
  for (uint32_t i = 0; i < fields.count; i++)
    if (fields.at[i]->kind == TS_AST_FIELD && !kernel_field(scope, env, fields.at[i], k, features))
      return false;
  if (k->model_flops < 0)
    k->model_flops = k->flops;
  k->dtype = arithmetic(scope, family, k->dtype);
  return true;
}

static ts_phase phase_named(const char *name)
{
  return op_is_word(name, "forward") ? TS_PHASE_FORWARD :
         op_is_word(name, "input")   ? TS_PHASE_INPUT :
                                       TS_PHASE_WEIGHT;
}

static bool phase_work(const ts_op_scope *scope, const ts_env *env, const ts_ast *phase,
                       ts_kernels *kernels)
{
  ts_ast_list items = ts_ast_items(phase);
  if (scope->op->frozen && phase_named(phase->name) == TS_PHASE_WEIGHT)
    return true;
  *kernels = (ts_kernels){.at = TS_NEW_ARRAY(scope->s->arena, ts_kernel, items.count + 1)};
  bool bare = false;
  for (uint32_t i = 0; i < items.count; i++)
    bare |= items.at[i]->kind == TS_AST_FIELD;
  if (bare && !kernel(scope, env, phase, items, scope->op->kind, &kernels->at[kernels->count++]))
    return false;
  for (uint32_t i = 0; i < items.count; i++) {
    const ts_ast *node = items.at[i];
    bool wanted = true;
    if (node->kind != TS_AST_KERNEL)
      continue;
    if (ts_ast_condition(node) &&
        !ts_eval_bool(scope->s, env, ts_ast_condition(node), "the condition of a kernel", &wanted))
      return false;
    if (wanted &&
        !kernel(scope, env, node, ts_ast_fields(node), node->name, &kernels->at[kernels->count++]))
      return false;
  }
  return true;
}

typedef TS_VEC(ts_read) read_list;

static void read_late(const ts_op_scope *scope, ts_value v, read_list *list, double *bytes)
{
  for (uint32_t i = 0; v.type == TS_T_LIST && i < v.u.list->count; i++)
    read_late(scope, v.u.list->at[i], list, bytes);
  bool gradient = false;
  uint32_t slot = TS_NO_INDEX;
  if (v.type == TS_T_TENSOR)
    slot = ts_op_slot(scope->op, v.u.tensor->name, &gradient);
  if (slot < scope->op->slot_count) {
    for (uint32_t k = 0; k < scope->op->slot_count; k++) /* of a list, each */
      if (scope->slots[k].name == scope->slots[slot].name && scope->slots[k].kind != TS_SLOT_WEIGHT)
        TS_PUSH(scope->s->arena, list, (ts_read){k, gradient});
  } else if (v.type == TS_T_TENSOR) {
    *bytes += ts_shape_elements(v.u.tensor->shape) * v.u.tensor->dtype->bits / 8;
  } else if (v.type == TS_T_QUANTITY) {
    *bytes += v.u.real / 8;
  }
}

/* What the kernels of backward(weight) read: it must be there until then. Sizes that several
 * kernels state are taken for the same. */
static void late_reads(const ts_op_scope *scope, const ts_env *env, const ts_ast *phase,
                       ts_work *work)
{
  read_list list = {0};
  bool stated = false, bare = false;
  ts_ast_list items = ts_ast_items(phase);
  for (uint32_t i = 0; i < items.count; i++) {
    ts_ast *node = items.at[i];
    bool wanted = true;
    if (node->kind == TS_AST_KERNEL && ts_ast_condition(node))
      ts_eval_bool(scope->s, env, ts_ast_condition(node), "the condition of a kernel", &wanted);
    ts_ast_list fields = node->kind == TS_AST_FIELD ? (ts_ast_list){&node, 1} : ts_ast_fields(node);
    double bytes = 0;
    for (uint32_t k = 0; wanted && k < fields.count; k++) {
      const ts_ast *at = fields.at[k];
      bare |= op_is_word(at->name, "bytes");
      stated |= op_is_word(at->name, "reads");
      if (op_is_word(at->name, "reads"))
        read_late(scope, ts_eval(scope->s, env, ts_ast_value(at)), &list, &bytes);
    }
    work->late_bytes = (int64_t)bytes > work->late_bytes ? (int64_t)bytes : work->late_bytes;
  }
  work->late_saved = work->phase[TS_PHASE_WEIGHT].count && (bare || !stated);
  uint32_t first = scope->op->slot_count - scope->op->output_count;
  for (uint32_t k = first; work->late_saved && k < scope->op->slot_count; k++)
    TS_PUSH(scope->s->arena, &list, (ts_read){k, true});
  work->late = list.at;
  work->late_count = (uint32_t)list.count;
}

static uint32_t slot_named(const ts_op_scope *scope, const ts_tensor *tensor)
{
  for (uint32_t i = 0; i < scope->op->slot_count; i++)
    if (scope->slots[i].name == tensor->name && scope->slots[i].tensor == tensor->id)
      return i;
  return TS_NO_INDEX;
}

typedef TS_VEC(ts_saved) saved_list;

static bool save(const ts_op_scope *scope, const ts_ast *expr, ts_value v, saved_list *list)
{
  if (v.type == TS_T_LIST) {
    for (uint32_t i = 0; i < v.u.list->count; i++)
      if (!save(scope, expr, v.u.list->at[i], list))
        return false;
    return true;
  }
  uint32_t slot = v.type == TS_T_TENSOR ? slot_named(scope, v.u.tensor) : TS_NO_INDEX;
  if (slot != TS_NO_INDEX) {
    TS_PUSH(scope->s->arena, list, (ts_saved){slot, 0});
    return true;
  }
  double bytes = 0;
  if (!op_bytes_of(scope, expr, v, &bytes))
    return false;
  if (bytes > 0)
    TS_PUSH(scope->s->arena, list, (ts_saved){TS_NO_INDEX, (int64_t)bytes});
  return true;
}

static bool saves(const ts_op_scope *scope, const ts_env *env, const ts_ast *item, saved_list *list)
{
  bool wanted = true;
  if (ts_ast_condition(item) &&
      !ts_eval_bool(scope->s, env, ts_ast_condition(item), "the condition of `saves`", &wanted))
    return false;
  return !wanted ||
         save(scope, ts_ast_value(item), ts_eval(scope->s, env, ts_ast_value(item)), list);
}

static bool work_items(const ts_op_scope *scope, const ts_env *env, ts_work *work,
                       const ts_ast **failed)
{
  const ts_ast *decl = scope->op->decl;
  saved_list saved = {0};
  ts_ast_list items = ts_ast_items(decl);
  for (uint32_t i = 0; i < items.count; i++) {
    const ts_ast *item = items.at[i];
    bool holds = true;
    if (item->kind == TS_AST_REQUIRE) {
      if (!ts_eval_bool(scope->s, env, ts_ast_condition(item), "a requirement", &holds))
        return false;
      if (!holds) {
        *failed = item;
        return false;
      }
    } else if (item->kind == TS_AST_PHASE) {
      ts_phase phase = phase_named(item->name);
      work->has_phase[phase] = true;
      if (!phase_work(scope, env, item, &work->phase[phase]))
        return false;
      if (phase == TS_PHASE_WEIGHT && !scope->op->frozen)
        late_reads(scope, env, item, work);
    } else if (item->kind == TS_AST_SAVES && !saves(scope, env, item, &saved)) {
      return false;
    }
  }
  work->saved = saved.at;
  work->saved_count = (uint32_t)saved.count;
  return true;
}

typedef TS_VEC(ts_feature) size_list;

/* Dimensions of a tensor `x`: x0, x1, ... */
static void list_dimensions(ts_arena *arena, size_list *out, const ts_slot *slot)
{
  size_t length = strlen(slot->name);
  for (uint32_t d = 0; d < slot->shape.rank && d < 10; d++) {
    char *name = ts_arena_string(arena, slot->name, length + 1);
    name[length] = (char)('0' + d);
    TS_PUSH(arena, out, ((ts_feature){name, (double)slot->shape.dim[d]}));
  }
}

/* What measured ops are known by: rows and width of the first input, dimensions of all inputs,
 * arguments that are numbers. */
static size_list sizes_of(const ts_op_scope *scope)
{
  ts_arena *arena = scope->s->arena;
  const ts_ast *params = ts_ast_params(scope->op->decl);
  size_list out = {0};
  ts_shape shape = scope->op->input_count ? scope->slots[0].shape : (ts_shape){0};
  double elements = shape.rank ? ts_shape_elements(shape) : 0;
  if (elements > 0) {
    double width = (double)shape.dim[shape.rank - 1];
    TS_PUSH(arena, &out, ((ts_feature){"rows", elements / width}));
    TS_PUSH(arena, &out, ((ts_feature){"width", width}));
  }
  for (uint32_t i = 0; i < scope->op->input_count; i++)
    list_dimensions(arena, &out, &scope->slots[i]);
  for (uint32_t f = 0; f < scope->op->arg_count; f++)
    if (scope->args[f].type == TS_T_INT || scope->args[f].type == TS_T_REAL)
      TS_PUSH(arena, &out,
              ((ts_feature){params->child[f]->name, scope->args[f].type == TS_T_INT ?
                                                      (double)scope->args[f].u.integer :
                                                      scope->args[f].u.real}));
  return out;
}

/* Kernels of a direction share a time of all of them by their FLOPs, if any has some, else by
 * bytes. */
static void share_out(ts_work *work, bool backward, size_list sizes)
{
  double flops = 0, bytes = 0;
  for (int add = 1; add >= 0; add--)
    for (int p = 0; p < TS_PHASES; p++)
      for (uint32_t i = 0; (p != TS_PHASE_FORWARD) == backward && i < work->phase[p].count; i++) {
        ts_kernel *k = &work->phase[p].at[i];
        if (add && !k->host_only)
          flops += k->flops, bytes += k->bytes;
        k->sizes = sizes.at, k->size_count = (uint32_t)sizes.count;
        k->share = k->host_only ? 0 :
                   flops > 0    ? k->flops / flops :
                   bytes > 0    ? k->bytes / bytes :
                                  1;
      }
}

void ts_kernel_of_op(const ts_kernel *k, uint32_t pass, ts_cost_query *q)
{
  q->op = k->op, q->backward = pass > 1;
  q->size = k->sizes, q->size_count = k->size_count, q->share = k->share;
}

bool ts_op_work(ts_op_scope *scope, ts_work *work, const ts_ast **failed)
{
  ts_env *env = body_env(scope);
  *work = (ts_work){0};
  *failed = NULL;
  if (!op_walk(scope, env, false, false))
    return false;
  bind_gradients(scope, env);
  ts_frame frame = {scope->op->kind, scope->op->span, scope->s->running->frame};
  scope->s->running->frame = &frame;
  bool ok = work_items(scope, env, work, failed);
  scope->s->running->frame = frame.outer;
  size_list sizes = ok ? sizes_of(scope) : (size_list){0};
  for (int backward = 0; ok && backward < 2; backward++)
    share_out(work, backward, sizes);
  return ok;
}
