/* From rules to layouts: for each class of ops, what its rules ask, how its tensors lie, and its
 * work on one rank. */
#include "compiler/shard/shard.h"

#include <string.h>

#include "compiler/eval/action_form.h"
#include "compiler/eval/function.h"
#include "compiler/eval/plan_cache.h"
#include "compiler/eval/mesh.h"
#include "compiler/eval/reuse.h"
#include "compiler/shard/internal.h"
#include "compiler/shard/layout.h"
#include "compiler/shard/model_work.h"

/* -- layouts -- */

/* Who laid a tensor as it lies: a rule, or the op that made it where none split it. */
static void note_maker(const ts_sharder *c, ts_diag *d, const ts_slot *slot,
                       const ts_layout *layout)
{
  const ts_op *producer =
    slot->kind == TS_SLOT_INPUT && c->g->tensors.at[slot->tensor].producer != TS_NO_INDEX ?
      &c->g->ops.at[c->g->tensors.at[slot->tensor].producer] :
      NULL;
  if (layout->rule != TS_NO_INDEX && ts_layout_axes(layout) | layout->partial)
    ts_rule_note(c->sh, d, layout->rule, ts_rule_at(c, layout->rule)->ast->span,
                 ts_arena_printf(c->s->arena, "made `%s` so", slot->name));
  else if (producer)
    ts_diag_note_at(d, producer->span, "made by `%s`, which no rule splits so", producer->label);
}

/* What a collective brings is cast before, what one takes away is as the op made it. */
bool ts_sharder_move(ts_sharder *c, ts_layout *layout, ts_comm *comm, const ts_slot *slot)
{
  const ts_dtype *dtype =
    comm->after ? slot->dtype : ts_sharder_taken(c->class, comm->slot, comm->gradient);
  int64_t before = ts_layout_bytes(c->s, layout, slot->shape, dtype);
  const char *wrong = comm->axes ? ts_layout_move(layout, comm) : NULL;
  if (wrong) {
    ts_diag *d = ts_diag_add(c->s->diags, TS_E0310, comm->span,
                             "this collective on `%s` of `%s` does not fit its layout", slot->name,
                             c->op->label);
    ts_diag_here(d, "%s", wrong);
    ts_diag_note(d, "`%s` is %s here", slot->name, ts_layout_print(c->s, layout, slot->shape));
    ts_rule_note(c->sh, d, comm->rule, ts_rule_at(c, comm->rule)->applied, "is applied here");
    note_maker(c, d, slot, layout);
    ts_sharder_note_repeats(c, d);
    return ts_sharder_fail(c);
  }
  if (comm->dim >= 0 && !(layout->uneven >> comm->dim & 1) &&
      slot->shape.dim[comm->dim] % ts_axes_size(c->s, layout->split[comm->dim]))
    return ts_sharder_indivisible(
      c, ts_arena_printf(c->s->arena, "of `%s` dim %d", slot->name, comm->dim),
      slot->shape.dim[comm->dim], c->op->span, comm->axes, comm->rule, comm->span, TS_NO_INDEX);
  layout->rule = comm->rule;
  int64_t after = ts_layout_bytes(c->s, layout, slot->shape, dtype);
  comm->bytes = (int64_t)((double)(before > after ? before : after) * comm->share);
  return true;
}

/* Collectives at (when, before or after) on a slot or its gradient, in order. */
static bool move_all(ts_sharder *c, ts_layout *layout, ts_when when, bool after, uint32_t slot,
                     bool gradient)
{
  for (uint32_t i = 0; i < c->class->comm_count; i++) {
    ts_comm *comm = &c->class->comms[i];
    if (comm->when == when && comm->after == after && comm->slot == slot &&
        comm->gradient == gradient && !ts_sharder_move(c, layout, comm, &c->op->slots[slot]))
      return false;
  }
  return true;
}

static uint32_t all_slots(const ts_op *op) { return op->slot_count + op->part_count; }

static const ts_layout *edge_layout(ts_sharder *c, uint32_t tensor, ts_layout *scratch)
{
  const ts_edge *e = &c->g->tensors.at[tensor];
  if (e->source == tensor)
    return &c->sh->layouts[tensor];
  const ts_edge *source = &c->g->tensors.at[e->source];
  if (!ts_layout_reshape(c->s, &c->sh->layouts[e->source], source->shape, e->shape, scratch)) {
    ts_diag *d = ts_diag_add(c->s->diags, TS_E0317, c->op->span,
                             "cannot reshape the split tensor that `%s` takes", c->op->label);
    ts_diag_here(d, "%s cannot become %s",
                 ts_layout_print(c->s, &c->sh->layouts[e->source], source->shape),
                 ts_layout_print(c->s, &(ts_layout){.rule = 0}, e->shape));
    scratch->failed = true;
  }
  c->sh->layouts[tensor] = *scratch;
  return scratch;
}

static bool mismatch(ts_sharder *c, uint32_t slot, const ts_layout *found,
                     const ts_layout *requested)
{
  const ts_slot *t = &c->op->slots[slot];
  const ts_edge *e = &c->g->tensors.at[t->tensor];
  ts_diag *d = ts_diag_add(c->s->diags, TS_E0305, c->op->span,
                           "`%s` of `%s` is not split as it is needed", t->name, c->op->label);
  ts_diag_here(d, "found %s", ts_layout_print(c->s, found, t->shape));
  ts_rule_note(
    c->sh, d, requested->rule, ts_rule_at(c, requested->rule)->ast->span,
    ts_arena_printf(c->s->arena, "needs %s", ts_layout_print(c->s, requested, t->shape)));
  if (found->rule != TS_NO_INDEX)
    ts_rule_note(c->sh, d, found->rule, ts_rule_at(c, found->rule)->ast->span,
                 "made what is found");
  else if (e->producer != TS_NO_INDEX)
    ts_diag_note_at(d, c->g->ops.at[e->producer].span, "made by `%s`, which no rule splits",
                    c->g->ops.at[e->producer].label);
  ts_sharder_note_repeats(c, d);
  return ts_sharder_fail(c);
}

static bool partial_input(ts_sharder *c, uint32_t slot, const ts_layout *found)
{
  const ts_slot *t = &c->op->slots[slot];
  const ts_edge *e = &c->g->tensors.at[t->tensor];
  const char *axes = ts_axes_name(c->s, found->partial);
  const char *maker = e->producer != TS_NO_INDEX ? c->g->ops.at[e->producer].label : e->name;
  ts_diag *d = ts_diag_add(c->s->diags, TS_E0309, c->op->span, "`%s` takes a partial sum over %s",
                           c->op->label, axes);
  ts_diag_here(d, "`%s` is %s", t->name, ts_layout_print(c->s, found, t->shape));
  if (e->producer != TS_NO_INDEX)
    ts_diag_note_at(d, c->g->ops.at[e->producer].span, "`%s` leaves it", maker);
  if (found->rule != TS_NO_INDEX)
    ts_rule_note(c->sh, d, found->rule, ts_rule_at(c, found->rule)->ast->span,
                 "splits what is summed over there");
  for (uint32_t i = 0; i < c->class->rule_count; i++)
    ts_rule_note(c->sh, d, c->class->rules[i], ts_rule_at(c, c->class->rules[i])->ast->span,
                 "matches the consumer");
  ts_diag_help(d, "end it where it is made: `after forward: all_reduce(y, over: %s)`", axes);
  ts_sharder_note_repeats(c, d);
  return ts_sharder_fail(c);
}

static bool contains(const ts_layout *outer, const ts_layout *inner)
{
  for (int d = 0; d < TS_MAX_DIMS; d++)
    if (inner->split[d] & ~outer->split[d])
      return false;
  return true;
}

static bool layout_inputs(ts_sharder *c)
{
  for (uint32_t i = 0; i < c->op->input_count; i++) {
    const ts_slot *slot = &c->op->slots[i];
    ts_layout scratch;
    c->class->edge[i] = *edge_layout(c, slot->tensor, &scratch);
    if (c->class->edge[i].failed)
      return ts_sharder_fail(c);
    ts_layout *view = &c->class->view[i];
    *view = c->class->edge[i];
    if (!move_all(c, view, TS_WHEN_FORWARD, false, i, false))
      return false;
    if (c->g->tensors.at[slot->tensor].producer == TS_NO_INDEX && !contains(view, &c->requested[i]))
      *view = c->requested[i];
    if (!contains(view, &c->requested[i]))
      return mismatch(c, i, view, &c->requested[i]);
    if (view->partial)
      return partial_input(c, i, view);
  }
  for (uint32_t i = c->op->input_count; i < c->op->input_count + c->op->param_count; i++)
    c->class->edge[i] = c->class->view[i] = c->requested[i];
  return true;
}

static bool check_whole(ts_sharder *c)
{
  const ts_ast *decl = c->op->decl;
  ts_ast_list items = ts_ast_items(decl);
  for (uint32_t i = 0; i < items.count; i++) {
    const ts_ast *item = items.at[i];
    bool gradient;
    int32_t dim = 0;
    if (item->kind != TS_AST_WHOLE)
      continue;
    uint32_t slot = ts_op_slot(c->op, item->name, &gradient);
    if (slot == TS_NO_INDEX ||
        !ts_sharder_dim(c, c->op->module, ts_ast_dim(item), &c->op->slots[slot], &dim))
      continue;
    const ts_layout *view = &c->class->view[slot];
    if (!view->split[dim])
      continue;
    ts_diag *d =
      ts_diag_add(c->s->diags, TS_E0308, c->op->span, "`%s` needs dimension %d of `%s` whole",
                  c->op->label, dim, item->name);
    ts_diag_here(d, "found %s", ts_layout_print(c->s, view, c->op->slots[slot].shape));
    ts_diag_note_at(d, item->span, "`%s` says so", c->op->kind);
    if (view->rule != TS_NO_INDEX)
      ts_rule_note(c->sh, d, view->rule, ts_rule_at(c, view->rule)->ast->span, "splits it");
    ts_diag_help(d, "gather it first: `before forward: all_gather(%s, dim: %d, over: %s)`",
                 item->name, dim, ts_axes_name(c->s, view->split[dim]));
    ts_sharder_note_repeats(c, d);
    return ts_sharder_fail(c);
  }
  return true;
}

/* -- how outputs are split -- */

static bool contracted(ts_sharder *c, uint32_t axis)
{
  const ts_ast *decl = c->op->decl;
  ts_ast_list items = ts_ast_items(decl);
  for (uint32_t i = 0; i < items.count; i++) {
    bool gradient;
    int32_t dim = 0;
    if (items.at[i]->kind != TS_AST_CONTRACTS)
      continue;
    uint32_t slot = ts_op_slot(c->op, items.at[i]->name, &gradient);
    if (slot != TS_NO_INDEX && c->op->slots[slot].present &&
        ts_sharder_dim(c, c->op->module, ts_ast_dim(items.at[i]), &c->op->slots[slot], &dim) &&
        c->class->view[slot].split[dim] & axis)
      return true;
  }
  return false;
}

static ts_layout only(const ts_layout *layout, uint32_t axis)
{
  ts_layout one = {.rule = layout->rule};
  for (int d = 0; d < TS_MAX_DIMS; d++)
    one.split[d] = layout->split[d] & axis;
  return one;
}

const ts_slot *ts_sharder_whole(ts_sharder *c)
{
  if (!c->set)
    return c->op->slots;
  ts_slot *slots = ts_arena_copy(c->s->arena, c->op->slots, all_slots(c->op) * sizeof *slots);
  ts_op_scope scope = {
    .s = c->s, .plan = c->plan, .op = c->op, .slots = slots, .args = c->set, .quiet = true};
  return ts_op_outputs(&scope) ? slots : NULL;
}

/* Whether a dimension is a size-th of the whole: of what was rounded up, rounded up too, as
 * ceil(ceil(x) / n) = ceil(x / n). */
static bool shrinks(const ts_layout *view, uint32_t d, int64_t local, int64_t whole, int64_t size)
{
  return local * size == whole ||
         (view->uneven >> d & 1 && local < whole && local == (whole + size - 1) / size);
}

/* Evaluates the shapes of outputs or slices with one axis applied to inputs, parameters and
 * arguments; what shrinks by its size is split by it. */
static bool probe(ts_sharder *c, uint32_t axis, uint32_t from, uint32_t to, bool *trace)
{
  const ts_op *op = c->op;
  uint32_t first = op->input_count + op->param_count;
  int64_t size = ts_axes_size(c->s, axis);
  ts_slot *slots = ts_arena_copy(c->s->arena, op->slots, all_slots(op) * sizeof *slots);
  const ts_slot *whole = ts_sharder_whole(c);
  ts_value *args =
    ts_arena_copy(c->s->arena, c->set ? c->set : op->args, op->arg_count * sizeof *args);
  if (!whole)
    return ts_sharder_fail(c);
  for (uint32_t i = 0; i < first; i++) {
    ts_layout one = only(&c->class->view[i], axis);
    slots[i].shape = ts_layout_local(c->s, &one, slots[i].shape);
  }
  for (uint32_t f = 0; f < op->arg_count; f++)
    if (c->arg_axes[f] & axis)
      args[f].u.integer /= size;
  ts_op_scope scope = {
    .s = c->s, .plan = c->plan, .op = op, .slots = slots, .args = args, .quiet = true};
  if (!ts_op_outputs(&scope))
    return ts_sharder_fail(c);
  *trace = false;
  for (uint32_t i = from; i < to; i++)
    for (uint32_t d = 0; d < slots[i].shape.rank && d < op->slots[i].shape.rank; d++)
      if (shrinks(&c->class->view[i], d, slots[i].shape.dim[d], whole[i].shape.dim[d], size)) {
        c->class->view[i].split[d] |= axis;
        *trace = true;
      }
  return true;
}

static uint32_t axes_in(const ts_sharder *c, uint32_t *rule)
{
  uint32_t axes = 0;
  *rule = TS_NO_INDEX;
  for (uint32_t i = 0; i < c->op->input_count + c->op->param_count; i++) {
    uint32_t here = ts_layout_axes(&c->class->view[i]);
    if (here && *rule == TS_NO_INDEX)
      *rule = c->class->view[i].rule;
    axes |= here;
  }
  for (uint32_t f = 0; f < c->op->arg_count; f++)
    axes |= c->arg_axes[f];
  return axes;
}

/* A slice lies as the input it is of, until collectives of its own move it. */
static bool layout_parts(ts_sharder *c)
{
  const ts_op *op = c->op;
  uint32_t rule, axes = op->part_count ? axes_in(c, &rule) : 0;
  bool trace;
  for (uint32_t a = 0; a < c->s->mesh->count; a++)
    if ((axes >> a & 1) && !probe(c, UINT32_C(1) << a, op->slot_count, all_slots(op), &trace))
      return false;
  for (uint32_t i = op->slot_count; i < all_slots(op); i++) {
    c->class->view[i].rule = rule;
    c->class->edge[i] = c->class->view[i];
    if (!move_all(c, &c->class->view[i], TS_WHEN_FORWARD, false, i, false))
      return false;
  }
  return true;
}

static bool requested_for(ts_sharder *c, uint32_t axis)
{
  for (uint32_t i = c->op->input_count + c->op->param_count; i < c->op->slot_count; i++)
    if (ts_layout_axes(&c->requested[i]) & axis)
      return true;
  return false;
}

static bool no_trace(ts_sharder *c, uint32_t axis)
{
  ts_diag *d = ts_diag_add(c->s->diags, TS_E0307, c->op->span,
                           "a split over %s leaves no trace in the outputs of `%s`",
                           ts_axes_name(c->s, axis), c->op->label);
  ts_diag_here(d, "every rank would compute the same");
  for (uint32_t i = 0; i < c->op->input_count + c->op->param_count; i++)
    if (ts_layout_axes(&c->class->view[i]) & axis)
      ts_diag_note(d, "`%s` is %s", c->op->slots[i].name,
                   ts_layout_print(c->s, &c->class->view[i], c->op->slots[i].shape));
  for (uint32_t i = 0; i < c->class->rule_count; i++)
    ts_rule_note(c->sh, d, c->class->rules[i], ts_rule_at(c, c->class->rules[i])->ast->span,
                 "matches here");
  ts_diag_help(d, "if the op sums over that dimension, its declaration says `contracts NAME dim "
                  "N`; if the rule knows better, it says `split y dim N`");
  ts_sharder_note_repeats(c, d);
  return ts_sharder_fail(c);
}

static bool layout_outputs(ts_sharder *c)
{
  uint32_t first = c->op->input_count + c->op->param_count, rule;
  uint32_t axes = axes_in(c, &rule);
  for (uint32_t i = first; i < c->op->slot_count; i++) {
    c->class->view[i] = c->requested[i];
    if (c->requested[i].rule == TS_NO_INDEX)
      c->class->view[i].rule = rule;
  }
  if (!ts_sharder_uneven(c))
    return ts_sharder_fail(c);
  for (uint32_t a = 0; a < c->s->mesh->count; a++) {
    uint32_t axis = UINT32_C(1) << a;
    bool trace = true;
    if (!(axes & axis))
      continue;
    if (contracted(c, axis)) {
      for (uint32_t i = first; i < c->op->slot_count; i++)
        c->class->view[i].partial |= axis;
      continue;
    }
    if (!requested_for(c, axis) && !probe(c, axis, first, c->op->slot_count, &trace))
      return false;
    if (!trace && c->op->output_count)
      return no_trace(c, axis);
  }
  for (uint32_t i = first; i < c->op->slot_count; i++) {
    c->class->edge[i] = c->class->view[i];
    if (!move_all(c, &c->class->edge[i], TS_WHEN_FORWARD, true, i, false))
      return false;
  }
  return true;
}

/* -- backward: gradients mirror the layouts of what they are gradients of -- */

/* Whether a rule says how activations lie; sums of gradients and the like do not. */
static bool moves(const ts_ast *rule)
{
  ts_ast_list actions = ts_ast_actions(rule);
  for (uint32_t k = 0; k < actions.count; k++) {
    const ts_ast *action = actions.at[k];
    if (action->kind == TS_AST_SPLIT || action->kind == TS_AST_REPLICATE)
      return true;
    bool early = action->kind == TS_AST_COMM && strcmp(ts_ast_when(action)->name, "gradients") &&
                 strcmp(ts_ast_when(action)->name, "step");
    const ts_ast *moved = early ? ts_action_subject(action) : NULL;
    if (moved && moved->kind == TS_AST_ID && strcmp(moved->name, "gradients") &&
        strcmp(moved->name, "parameters"))
      return true;
  }
  return false;
}

static bool gradient_mismatch(ts_sharder *c, uint32_t slot, const ts_layout *found,
                              const ts_layout *needed, const char *help)
{
  const ts_slot *t = &c->op->slots[slot];
  ts_diag *d = ts_diag_add(c->s->diags, TS_E0315, c->op->span,
                           "the gradient `d%s` of `%s` does not lie as `%s` does", t->name,
                           c->op->label, t->name);
  ts_diag_here(d, "found %s", ts_layout_print(c->s, found, t->shape));
  ts_diag_note(d, "needed: %s", ts_layout_print(c->s, needed, t->shape));
  bool ruled = false;
  for (uint32_t i = 0; i < c->class->rule_count; i++)
    if (moves(ts_rule_at(c, c->class->rules[i])->ast)) {
      ts_rule_note(c->sh, d, c->class->rules[i], ts_rule_at(c, c->class->rules[i])->ast->span,
                   "matches here");
      ruled = true;
    }
  for (uint32_t i = 0; i < c->op->input_count && !ruled; i++) {
    ts_diag_note(d, "`%s` is %s", c->op->slots[i].name,
                 ts_layout_print(c->s, &c->class->view[i], c->op->slots[i].shape));
    note_maker(c, d, &c->op->slots[i], &c->class->view[i]);
  }
  const char *axes = ts_axes_name(c->s, found->partial ? found->partial : ts_layout_axes(found));
  if (ruled || c->op->input_count < 2)
    ts_diag_help(d, help, axes);
  else
    ts_diag_help(d,
                 "the inputs of `%s` must have the same layout over %s: gather or split one where "
                 "it is produced",
                 c->op->label, axes);
  ts_sharder_note_repeats(c, d);
  return ts_sharder_fail(c);
}

/* A split over the same axes along another dimension is exchanged, any other gathered. */
static const char *help_incoming(const ts_sharder *c, uint32_t slot, const ts_layout *found,
                                 const ts_layout *needed)
{
  int from = 0, to = 0;
  while (from < TS_MAX_DIMS - 1 && !(found->split[from] & ~needed->split[from])) from++;
  while (to < TS_MAX_DIMS - 1 && !(needed->split[to] & found->split[from])) to++;
  bool exchange = (needed->split[to] & found->split[from]) != 0;
  return ts_arena_printf(c->s->arena,
                         "%s it: `before backward(input): %s(d%s, dim: %d, over: %%s)`",
                         exchange ? "exchange" : "gather", exchange ? "all_to_all" : "all_gather",
                         c->op->slots[slot].name, exchange ? to : from);
}

/* Gradients of outputs come in as the output lies outside; collectives must make of them what the
 * op computes with. */
static bool check_incoming(ts_sharder *c)
{
  for (uint32_t i = c->op->input_count + c->op->param_count; i < c->op->slot_count; i++) {
    ts_layout in = c->class->edge[i], view = c->class->view[i];
    in.partial = view.partial = 0;
    if (!c->g->tensors.at[c->op->slots[i].tensor].needs_gradient)
      continue;
    ts_layout weight = in;
    if (!move_all(c, &in, TS_WHEN_INPUT, false, i, true) ||
        !move_all(c, &weight, TS_WHEN_WEIGHT, false, i, true))
      return false;
    if (!c->op->needs_input_gradient)
      in = weight;
    if (!contains(&view, &in))
      return gradient_mismatch(c, i, &in, &view, help_incoming(c, i, &in, &view));
  }
  return true;
}

/* A gradient of an input is a partial sum over the axes that split the outputs and not that input.
 * */
static bool check_outgoing(ts_sharder *c)
{
  uint32_t split = 0;
  for (uint32_t i = c->op->input_count + c->op->param_count; i < c->op->slot_count; i++)
    split |= ts_layout_axes(&c->class->view[i]);
  for (uint32_t i = 0; i < c->op->input_count; i++) {
    if (!c->g->tensors.at[c->op->slots[i].tensor].needs_gradient)
      continue;
    ts_layout out = c->class->view[i];
    out.partial = split & ~ts_layout_axes(&out);
    if (!move_all(c, &out, TS_WHEN_INPUT, true, i, true))
      return false;
    if (out.partial || !contains(&c->class->edge[i], &out))
      return gradient_mismatch(c, i, &out, &c->class->edge[i],
                               "end the sum: `after backward(input): all_reduce(dx, over: %s)`");
    ts_layout again = c->class->edge[i];
    if (!move_all(c, &again, TS_WHEN_INPUT, false, i, false))
      return false;
    again = c->class->edge[i];
    if (!move_all(c, &again, TS_WHEN_WEIGHT, false, i, false))
      return false;
  }
  for (uint32_t i = c->op->slot_count; i < all_slots(c->op); i++) {
    ts_layout out = c->class->view[i], again = c->class->edge[i];
    out.partial = split & ~ts_layout_axes(&out);
    if (!move_all(c, &out, TS_WHEN_INPUT, true, i, true) ||
        !move_all(c, &again, TS_WHEN_INPUT, false, i, false))
      return false;
    if (out.partial || !contains(&c->class->edge[i], &out))
      return gradient_mismatch(c, i, &out, &c->class->edge[i],
                               "end the sum: `after backward(input): reduce_scatter(dx, dim: ..., "
                               "over: %s)` of that slice");
  }
  return true;
}

/* -- work -- */

static bool unmet(ts_sharder *c, const ts_op_scope *scope, const ts_ast *require, bool local)
{
  const char *text = ts_ast_text(require)->literal;
  ts_diag *d = ts_diag_add(c->s->diags, local ? TS_E0305 : TS_E0314, c->op->span,
                           local ? "what `%s` takes does not fit together after the split" :
                                   "`%s` cannot be applied here",
                           c->op->label);
  ts_diag_here(d, "%s", text);
  ts_note_values(c->s, ts_op_env(scope, c->op->module), d, ts_ast_condition(require));
  ts_diag_note_at(d, require->span, "`%s` requires it", c->op->kind);
  for (uint32_t i = 0; i < c->op->input_count + c->op->param_count; i++) {
    const ts_layout *view = &c->class->view[i];
    ts_diag_note(d, "`%s` is %s", c->op->slots[i].name,
                 ts_layout_print(c->s, view, c->op->slots[i].shape));
    if (local && view->rule != TS_NO_INDEX)
      ts_rule_note(c->sh, d, view->rule, ts_rule_at(c, view->rule)->ast->span,
                   ts_arena_printf(c->s->arena, "made `%s` so", c->op->slots[i].name));
  }
  ts_sharder_note_repeats(c, d);
  return ts_sharder_fail(c);
}

/* The slots with a dimension of the activations cut to `part` of `whole` parts. */
static ts_slot *cut(ts_sharder *c, uint32_t at, int32_t dim, int64_t extent, int64_t share,
                    int64_t whole)
{
  ts_slot *slots =
    ts_arena_copy(c->s->arena, c->class->local, (all_slots(c->op) + 1) * sizeof *slots);
  for (uint32_t i = 0; i < all_slots(c->op); i++) {
    ts_slot *slot = &slots[i];
    bool part = at >= c->op->slot_count; /* of a part nothing else is cut */
    if (slot->kind == TS_SLOT_WEIGHT || (part ? i != at : i >= c->op->slot_count) ||
        (uint32_t)dim >= slot->shape.rank || slot->shape.dim[dim] != extent)
      continue;
    int64_t *dims = ts_arena_copy(c->s->arena, slot->shape.dim, slot->shape.rank * sizeof *dims);
    dims[dim] = extent / whole * share;
    slot->shape.dim = dims;
  }
  return slots;
}

/* The work of a phase in two parts, for collectives that say `overlap: own_part`, or in as many as
 * there are ranks, for `overlap: ring`. */
static bool part_work(ts_sharder *c, const ts_comm *comm)
{
  ts_phase phase = comm->when == TS_WHEN_FORWARD ? TS_PHASE_FORWARD :
                   comm->when == TS_WHEN_INPUT   ? TS_PHASE_INPUT :
                                                   TS_PHASE_WEIGHT;
  int64_t extent = c->class->local[comm->slot].shape.dim[comm->dim],
          parts = ts_axes_size(c->s, comm->axes);
  ts_work own, rest;
  const ts_ast *failed;
  ts_op_scope scope = {
    .s = c->s, .plan = c->plan, .op = c->op, .args = c->class->args, .quiet = true};
  if (extent % parts)
    return true;
  scope.slots = cut(c, comm->slot, comm->dim, extent, 1, parts);
  if (!ts_op_work(&scope, &own, &failed))
    return ts_sharder_fail(c);
  if (comm->ring) {
    c->class->rounds[phase] = (uint32_t)parts;
    c->class->own[phase] = own.phase[phase];
    return true;
  }
  scope.slots = cut(c, comm->slot, comm->dim, extent, parts - 1, parts);
  if (!ts_op_work(&scope, &rest, &failed))
    return ts_sharder_fail(c);
  c->class->parted[phase] = true;
  c->class->own[phase] = own.phase[phase];
  c->class->rest[phase] = rest.phase[phase];
  return true;
}

static void slow_down(ts_kernels *kernels, double factor)
{
  for (uint32_t i = 0; i < kernels->count; i++)
    if (kernels->at[i].slower < factor)
      kernels->at[i].slower = factor;
}

/* What runs beside which collective: the own part of a phase beside the gather it waits for, all
 * parts of one that goes on between the shifts of a ring; weight gradients beside the collectives
 * after the input gradients; input gradients beside the gathers for the weight gradients. */
static void run_beside(ts_class *class)
{
  for (uint32_t i = 0; i < class->comm_count; i++) {
    const ts_comm *comm = &class->comms[i];
    ts_phase phase = comm->when == TS_WHEN_FORWARD ? TS_PHASE_FORWARD :
                     comm->when == TS_WHEN_INPUT   ? TS_PHASE_INPUT :
                                                     TS_PHASE_WEIGHT;
    if (!(comm->slows > 1) || !comm->overlap)
      continue;
    if ((comm->ring && class->rounds[phase]) || (comm->own_part && class->parted[phase]))
      slow_down(&class->own[phase], comm->slows);
    else if (comm->when == TS_WHEN_INPUT && comm->after)
      slow_down(&class->work.phase[TS_PHASE_WEIGHT], comm->slows);
    else if (comm->when == TS_WHEN_WEIGHT && !comm->after)
      slow_down(&class->work.phase[TS_PHASE_INPUT], comm->slows);
  }
}

static void issue(ts_kernels *kernels, int64_t host)
{
  for (uint32_t i = 0; i < kernels->count; i++)
    if (kernels->at[i].host < 0 && !kernels->at[i].host_only)
      kernels->at[i].host = host;
}

/* What a rule says of the host's time, for kernels that do not say it themselves. */
static void issue_all(ts_class *class)
{
  for (int p = 0; p < TS_PHASES && class->host >= 0; p++) {
    issue(&class->work.phase[p], class->host);
    if (class->parted[p] || class->rounds[p])
      issue(&class->own[p], class->host);
    if (class->parted[p])
      issue(&class->rest[p], class->host);
  }
}

/* The work of the whole op, which layouts do not change: kept for others of the graph. */
static const ts_work *whole_work(ts_sharder *c)
{
  enum { WHOLE = 1 };
  const ts_slot *of = c->g->ops.at[c->op->alike].slots;
  const ts_work *known = ts_plan_cache_get(c->s, of, WHOLE);
  ts_op_scope scope = {
    .s = c->s, .plan = c->plan, .op = c->op, .slots = c->op->slots, .args = c->op->args};
  const ts_ast *failed;
  if (known)
    return known;
  ts_noting before = ts_noting_begin(c->s, (ts_touched){0});
  ts_work *work = TS_NEW(c->s->arena, ts_work);
  bool good = ts_op_work(&scope, work, &failed);
  ts_touched touched = ts_noting_end(c->s, &before);
  if (good)
    ts_plan_cache_put(c->s, &before, touched, of, WHOLE, work);
  else if (failed)
    unmet(c, &scope, failed, false);
  else
    ts_sharder_fail(c);
  return good ? work : NULL;
}

static bool do_work(ts_sharder *c)
{
  const ts_work *whole = whole_work(c);
  const ts_ast *failed;
  ts_op_scope scope = {.s = c->s, .plan = c->plan, .op = c->op};
  if (!whole)
    return false;
  for (uint32_t i = 0; i < all_slots(c->op); i++) {
    if (c->op->slots[i].present)
      c->class->local[i].shape = ts_layout_local(c->s, &c->class->view[i], c->op->slots[i].shape);
  }
  scope.slots = c->class->local;
  scope.args = c->class->args;
  if (!ts_op_work(&scope, &c->class->work, &failed))
    return failed ? unmet(c, &scope, failed, true) : ts_sharder_fail(c);
  ts_sharder_casts(c);
  ts_model_work(c->s->arena, c->op, whole, c->class);
  for (uint32_t i = 0; i < c->class->comm_count; i++)
    if ((c->class->comms[i].own_part || c->class->comms[i].ring) &&
        c->class->comms[i].slot < all_slots(c->op) && !part_work(c, &c->class->comms[i]))
      return false;
  run_beside(c->class);
  issue_all(c->class);
  return true;
}

/* Along axes that split a parameter it has no replicas: collectives and shares over them mean the
 * other axes alone. */
static void only_replicas(ts_sharder *c)
{
  const ts_op *op = c->op;
  uint32_t split = 0, count = 0;
  for (uint32_t i = op->input_count; i < op->input_count + op->param_count; i++)
    split |= op->slots[i].present ? ts_layout_axes(&c->class->view[i]) : 0;
  for (uint32_t i = 0; i < c->class->comm_count; i++) {
    ts_comm comm = c->class->comms[i];
    if (comm.slot == TS_ALL_PARAMETERS && comm.kind != TS_IR_BARRIER)
      comm.axes &= ~split;
    if (comm.axes)
      c->class->comms[count++] = comm;
  }
  c->class->comm_count = count;
  c->class->parameter_axes &= ~split;
  c->class->gradient_axes &= ~split;
  c->class->optimizer_axes &= ~split;
}

static bool lay_out(ts_sharder *c)
{
  if (!layout_inputs(c) || !layout_parts(c) || !check_whole(c) || !layout_outputs(c))
    return false;
  only_replicas(c);
  if (!ts_sharder_sums(c) ||
      (c->op->needs_gradient && (!check_incoming(c) || !check_outgoing(c))) || !do_work(c))
    return false;
  ts_sharder_keep(c);
  return true;
}

bool ts_sharder_class(ts_sharder *c)
{
  const ts_op *op = c->op;
  ts_class *class = c->class;
  class->tied = TS_NO_INDEX;
  class->args = ts_arena_copy(c->s->arena, op->args, (op->arg_count + 1) * sizeof *class->args);
  class->local = TS_NEW_ARRAY(c->s->arena, ts_slot, all_slots(op) + 1);
  class->view = TS_NEW_ARRAY(c->s->arena, ts_layout, all_slots(op) + 1);
  class->edge = TS_NEW_ARRAY(c->s->arena, ts_layout, all_slots(op) + 1);
  c->requested = TS_NEW_ARRAY(c->s->arena, ts_layout, all_slots(op) + 1);
  c->set = NULL;
  c->arg_axes = TS_NEW_ARRAY(c->s->arena, uint32_t, op->arg_count + 1);
  c->arg_rules = TS_NEW_ARRAY(c->s->arena, uint32_t, op->arg_count + 1);
  for (uint32_t i = 0; i < all_slots(op); i++)
    c->requested[i] = class->view[i] = class->edge[i] = (ts_layout){.rule = TS_NO_INDEX};
  memcpy(class->local, op->slots, all_slots(op) * sizeof *class->local);
  ts_op_scope scope = {.s = c->s, .plan = c->plan, .op = op, .slots = op->slots};
  if (!ts_sharder_own_tie(c) || !ts_sharder_rules(c))
    return false;
  scope.args = class->args;
  return (ts_op_casts(&scope, class->local) || ts_sharder_fail(c)) && lay_out(c);
}
