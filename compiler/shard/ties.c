/* Weights that two ops have in common: a rule ties one to another op's (`tie w with "embed"`), or
 * the op's declaration does. */
#include "compiler/eval/env.h"
#include "compiler/shard/internal.h"

/* -- which parameter, with which op -- */

bool ts_sharder_tie(ts_sharder *c, const ts_env *env, const ts_ast *action, uint32_t rule)
{
  bool gradient;
  uint32_t slot = ts_op_slot(c->op, action->name, &gradient);
  if (slot == TS_NO_INDEX || gradient || c->op->slots[slot].kind != TS_SLOT_WEIGHT) {
    ts_diag *d = ts_diag_add(c->s->diags, TS_E0219, action->name_span, "`%s` has no parameter `%s`",
                             c->op->kind, action->name);
    ts_name_list names = {0};
    for (uint32_t k = c->op->input_count; k < c->op->input_count + c->op->param_count; k++)
      TS_PUSH(c->s->arena, &names.names, c->op->slots[k].name);
    ts_diag_here(d, "matched for `%s`", c->op->label);
    if (names.names.count)
      ts_diag_note(d, "it has %s", ts_name_list_print(c->s, &names));
    else
      ts_diag_help(d, "let the rule match ops with weights only");
    c->class->failed = true;
    return false;
  }
  const ts_ast *label = ts_ast_label(action);
  c->class->tied = c->op->slots[slot].present ? slot : TS_NO_INDEX;
  c->class->tie = action;
  c->class->tie_rule = rule;
  c->class->tied_with = ts_eval_label(c->s, env, label);
  return true;
}

bool ts_sharder_own_tie(ts_sharder *c)
{
  const ts_ast *decl = c->op->decl;
  ts_op_scope scope = {
    .s = c->s, .plan = c->plan, .op = c->op, .slots = c->op->slots, .args = c->op->args};
  ts_ast_list items = ts_ast_items(decl);
  for (uint32_t i = 0; i < items.count; i++) {
    const ts_ast *item = items.at[i];
    bool wanted = true;
    if (item->kind != TS_AST_TIE)
      continue;
    const ts_env *env = ts_op_env(&scope, c->op->module);
    if (ts_ast_condition(item) &&
        !ts_eval_bool(c->s, env, ts_ast_condition(item), "the condition of `tie`", &wanted)) {
      c->class->failed = true;
      return false;
    }
    if (wanted && !ts_sharder_tie(c, env, item, TS_NO_INDEX))
      return false;
  }
  return true;
}

/* -- the op that holds it -- */

static bool are_labels(ts_value v)
{
  bool good = v.type == TS_T_LABEL || v.type == TS_T_STRING || v.type == TS_T_LIST;
  for (uint32_t i = 0; v.type == TS_T_LIST && i < v.u.list->count; i++)
    good &= are_labels(v.u.list->at[i]);
  return good;
}

static const ts_slot *first_parameter(const ts_op *op)
{
  const ts_slot *slot = &op->slots[op->input_count];
  return op->param_count && slot->present ? slot : NULL;
}

static bool other_size(const ts_sharder *c, const ts_class *class, const ts_op *op,
                       const ts_op *other)
{
  const ts_slot *a = &op->slots[class->tied], *b = first_parameter(other);
  ts_diag *d = ts_diag_add(c->s->diags, TS_E0305, class->tie->span,
                           "`%s` of `%s` is not as large as `%s` of `%s`", a->name, op->label,
                           b->name, other->label);
  ts_diag_here(d, "%s and %s", ts_layout_print(c->s, &(ts_layout){.rule = 0}, a->shape),
               ts_layout_print(c->s, &(ts_layout){.rule = 0}, b->shape));
  ts_diag_note_at(d, class->tied_with.span, "the other op is named here");
  ts_diag_help(
    d, "name an op whose first parameter is the same tensor: `tsc --list-ops` prints all labels");
  return false;
}

static bool nobody(const ts_sharder *c, const ts_class *class, const ts_op *op, size_t labelled)
{
  ts_value v = class->tied_with;
  ts_span at = class->tie_rule == TS_NO_INDEX ? op->span :
               v.span.file                    ? v.span :
                                                ts_ast_label(class->tie)->span;
  ts_diag *d =
    ts_diag_add(c->s->diags, TS_E0203, at, "no op with parameters is labelled %s",
                ts_arena_printf(c->s->arena, v.type == TS_T_LIST ? "%s" : "`%s`",
                                v.type == TS_T_LIST ? ts_value_print(c->s->arena, v) : v.u.string));
  if (labelled)
    ts_diag_here(d, "%zu op%s labelled so, without parameters", labelled,
                 labelled == 1 ? " is" : "s are");
  else
    ts_diag_here(d, "matches 0 of %zu ops", c->g->ops.count);
  ts_diag_note_at(d, class->tie->span, "`%s` is to share its weight with it", op->label);
  if (labelled || v.type == TS_T_LIST)
    ts_diag_help(d, "name the op that holds the weight: `tsc --list-ops` prints all labels");
  else
    ts_label_help(c->s, c->g, d, v.u.string, at);
  return false;
}

/* A shared weight has one layout. */
static bool same_layout(const ts_sharder *c, uint32_t index, uint32_t with)
{
  const ts_op *op = &c->g->ops.at[index], *other = &c->g->ops.at[with];
  const ts_class *a = &c->sh->classes.at[c->sh->class_of[index]],
                 *b = &c->sh->classes.at[c->sh->class_of[with]];
  const ts_layout *one = &a->view[a->tied], *two = &b->view[other->input_count];
  ts_shape shape = op->slots[a->tied].shape, whole = other->slots[other->input_count].shape;
  bool equal = shape.rank == whole.rank;
  for (uint32_t d = 0; d < TS_MAX_DIMS; d++)
    equal &= one->split[d] == two->split[d];
  if (equal || b->failed)
    return true;
  ts_diag *d = ts_diag_add(c->s->diags, TS_E0331, op->span,
                           "`%s` and `%s` share a weight, and lay it over the ranks in two ways",
                           op->label, other->label);
  ts_diag_here(d, "here it is %s", ts_layout_print(c->s, one, shape));
  ts_diag_label(d, other->span, "here it is %s", ts_layout_print(c->s, two, whole));
  ts_rule_note(c->sh, d, one->rule,
               one->rule == TS_NO_INDEX ? TS_NO_SPAN : c->sh->rules.at[one->rule].ast->span,
               "splits the one");
  ts_rule_note(c->sh, d, two->rule,
               two->rule == TS_NO_INDEX ? TS_NO_SPAN : c->sh->rules.at[two->rule].ast->span,
               "splits the other");
  ts_diag_help(d, "split both in the same way, or neither");
  return false;
}

/* Who holds the weight that this op's is: not one that has it from another. */
static uint32_t holder(const ts_sharder *c, uint32_t op)
{
  for (size_t k = 0; k < c->sh->shared.count; k++)
    if (c->sh->shared.at[k].op == op)
      return c->sh->shared.at[k].with;
  return op;
}

/* The first op that is labelled so and whose first parameter is as large. */
static bool ties_follow(ts_sharder *c, uint32_t index)
{
  const ts_class *class = &c->sh->classes.at[c->sh->class_of[index]];
  const ts_op *op = &c->g->ops.at[index], *unlike = NULL;
  size_t labelled = 0;
  ts_value v = class->tied_with;
  if (!are_labels(v)) {
    if (v.type != TS_T_ERROR)
      ts_diag_here(ts_diag_add(c->s->diags, TS_E0220, ts_ast_label(class->tie)->span,
                               "a weight is shared with an op, named by its label"),
                   "found %s", ts_value_describe(c->s->arena, v));
    return false;
  }
  for (uint32_t i = 0; i < c->g->ops.count; i++) {
    const ts_op *other = &c->g->ops.at[i];
    if (i == index || !ts_label_group(v, other->label))
      continue;
    labelled++;
    const ts_slot *b = first_parameter(other);
    if (!b)
      continue;
    if (ts_shape_elements(op->slots[class->tied].shape) != ts_shape_elements(b->shape)) {
      unlike = unlike ? unlike : other;
      continue;
    }
    uint32_t with = holder(c, i);
    if (!same_layout(c, index, with))
      return false;
    TS_PUSH(c->s->arena, &c->sh->shared,
            (ts_shared_weight){index, with, class->tied, class->tie->span});
    return true;
  }
  return unlike ? other_size(c, class, op, unlike) : nobody(c, class, op, labelled);
}

/* Whether a rank holds the weight depends on where the op lies: it gets a class of its own. */
static void separate(ts_sharder *c, uint32_t index)
{
  ts_sharding *sh = c->sh;
  uint32_t members = 0;
  for (uint32_t i = 0; i < c->g->ops.count; i++)
    members += sh->class_of[i] == sh->class_of[index];
  if (members < 2)
    return;
  ts_class class = sh->classes.at[sh->class_of[index]];
  const ts_op *op = &c->g->ops.at[index];
  class.op = index;
  class.local = ts_arena_copy(c->s->arena, class.local,
                              (op->slot_count + op->part_count + 1) * sizeof *class.local);
  sh->class_of[index] = (uint32_t)sh->classes.count;
  TS_PUSH(c->s->arena, &sh->classes, class);
}

void ts_sharder_follow_ties(ts_sharder *c)
{
  for (uint32_t i = 0; i < c->g->ops.count; i++) {
    const ts_class *class = &c->sh->classes.at[c->sh->class_of[i]];
    if (class->tied != TS_NO_INDEX && !class->failed && !ties_follow(c, i))
      return;
  }
  for (size_t k = 0; k < c->sh->shared.count; k++)
    separate(c, c->sh->shared.at[k].op);
}
