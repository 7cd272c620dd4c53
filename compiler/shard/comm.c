/* Reading the collectives of a rule: `after forward: reduce_scatter(y, dim: 1, over: t, on: "tp",
 * overlap: false)`. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "compiler/eval/action_form.h"
#include "compiler/eval/function.h"
#include "compiler/eval/report.h"
#include "compiler/shard/internal.h"
#include "compiler/shard/layout.h"
#include "ir/spelling.h"

enum {
  COLLECTIVES = TS_IR_BARRIER + 1, /* messages and shifts are no rule's to make */
  LEAST_ELEMENTS = 1024
};

static bool comm_kind_of(ts_sharder *c, const ts_ast *action, uint32_t *kind)
{
  const char *best[3];
  for (*kind = 0; *kind < COLLECTIVES; ++*kind)
    if (!strcmp(ts_ir_collective_names[*kind], action->name))
      return true;
  ts_diag *d = ts_diag_add(c->s->diags, TS_E0319, action->name_span, "no collective is named `%s`",
                           action->name);
  ts_diag_here(d, "known: %s", ts_listed(c->s->arena, ts_ir_collective_names, COLLECTIVES));
  if (ts_suggest(action->name, ts_ir_collective_names, COLLECTIVES, best))
    ts_diag_edit(d, action->name_span, best[0], "did you mean `%s`?", best[0]);
  return ts_sharder_fail(c);
}

static ts_when when_of(const char *name)
{
  static const char *const moments[] = {"forward", "input", "weight", "gradients", "step"};
  int when = 0;
  while (when < TS_WHEN_STEP && strcmp(moments[when], name))
    when++;
  return (ts_when)when;
}

/* The tensor: a slot, its gradient, or all `parameters` or `gradients` of the op. */
static bool target(ts_sharder *c, const ts_ast *action, const ts_ast *expr, ts_comm *comm)
{
  comm->slot = TS_ALL_PARAMETERS;
  if (!expr || expr->kind != TS_AST_ID) {
    ts_diag *d = ts_diag_add(c->s->diags, TS_E0219, expr ? expr->span : action->span,
                             "a collective needs the name of a tensor");
    ts_diag_here(d, "such as `%s(y)`", action->name);
    return ts_sharder_fail(c);
  }
  if (!strcmp(expr->name, "gradients") || !strcmp(expr->name, "parameters")) {
    comm->gradient = expr->name[0] == 'g';
    return true;
  }
  comm->slot = ts_op_slot(c->op, expr->name, &comm->gradient);
  if (comm->slot != TS_NO_INDEX)
    return true;
  const char *text = "";
  for (uint32_t i = 0; i < c->op->slot_count + c->op->part_count; i++)
    text = ts_arena_printf(c->s->arena, "%s%s`%s`", text, i ? ", " : "", c->op->slots[i].name);
  ts_diag *d = ts_diag_add(c->s->diags, TS_E0219, expr->span, "`%s` has no tensor `%s`",
                           c->op->kind, expr->name);
  ts_diag_here(d, "matched for `%s`", c->op->label);
  ts_diag_note(d,
               "its tensors are %s; `d` before a name is its gradient; `parameters` and "
               "`gradients` are all of them",
               text);
  return ts_sharder_fail(c);
}

static bool dim_of(ts_sharder *c, const ts_env *env, const ts_ast *expr, ts_comm *comm)
{
  if (comm->slot >= c->op->slot_count + c->op->part_count)
    return ts_sharder_fail(c);
  return ts_sharder_dim(c, env, expr, &c->op->slots[comm->slot], &comm->dim);
}

/* `overlap: false`, `true`, `own_part` or `ring`. */
static bool overlap(ts_sharder *c, const ts_env *env, const ts_ast *expr, ts_comm *comm)
{
  ts_value v = ts_eval_overlap(c->s, env, expr);
  bool own_part = v.type == TS_T_WORD && !strcmp(v.u.string, "own_part"),
       ring = v.type == TS_T_WORD && !strcmp(v.u.string, "ring");
  comm->overlap = v.type != TS_T_BOOL || v.u.truth;
  comm->own_part = own_part && comm->kind == TS_IR_ALL_GATHER && !comm->after;
  comm->ring = ring && comm->when <= TS_WHEN_WEIGHT && comm->slot != TS_ALL_PARAMETERS &&
               comm->kind == (comm->after ? TS_IR_REDUCE_SCATTER : TS_IR_ALL_GATHER);
  if (v.type == TS_T_BOOL || comm->own_part || comm->ring)
    return true;
  if (v.type != TS_T_ERROR) {
    ts_diag *d = ts_diag_add(c->s->diags, TS_E0220, expr->span,
                             "`overlap` is a Bool, `own_part` for an all_gather that stands before "
                             "a phase, or `ring` for it and for a reduce_scatter after one");
    ts_diag_here(d, "found %s", ts_value_describe(c->s->arena, v));
  }
  return ts_sharder_fail(c);
}

static bool comm_share(ts_sharder *c, const ts_env *env, const ts_ast *expr, ts_comm *comm)
{
  ts_value v = ts_eval(c->s, env, expr);
  comm->share = v.type == TS_T_INT ? (double)v.u.integer : v.type == TS_T_REAL ? v.u.real : -1;
  if (comm->share > 0 && comm->share <= 64)
    return true;
  if (v.type != TS_T_ERROR) {
    ts_diag *d = ts_diag_add(
      c->s->diags, TS_E0220, expr->span,
      "`share` is the part of the bytes that is sent, above 1 if parts are sent more than once");
    ts_diag_here(d, "must be above 0 and at most 64; found %s", ts_value_describe(c->s->arena, v));
  }
  return ts_sharder_fail(c);
}

/* `fullest: 1.4`: an all-to-all that deals out by content brings the fullest rank so many times the
 * mean. */
static bool fullest(ts_sharder *c, const ts_env *env, const ts_ast *expr, ts_comm *comm)
{
  ts_value v = ts_eval(c->s, env, expr);
  double times = v.type == TS_T_INT ? (double)v.u.integer : v.type == TS_T_REAL ? v.u.real : 0;
  comm->more = times - 1;
  if (comm->kind == TS_IR_ALL_TO_ALL && comm->dim >= 0 && times >= 1 && times <= 1e6)
    return true;
  if (v.type != TS_T_ERROR) {
    ts_diag *d = ts_diag_add(c->s->diags, TS_E0220, expr->span,
                             "`fullest` is what the fullest rank of an all_to_all along a "
                             "dimension receives, over the mean");
    if (comm->kind == TS_IR_ALL_TO_ALL && comm->dim >= 0)
      ts_diag_here(d, "must be a number from 1 to 1e6, found %s", ts_value_print(c->s->arena, v));
    else
      ts_diag_here(d, "this collective is not one");
  }
  return ts_sharder_fail(c);
}

/* `slows: 1.2`: kernels that run beside the collective take so many times as long, since it takes
 * processors and bandwidth from them. */
static bool slows(ts_sharder *c, const ts_env *env, const ts_ast *expr, ts_comm *comm)
{
  ts_value v = ts_eval(c->s, env, expr);
  comm->slows = v.type == TS_T_INT ? (double)v.u.integer : v.type == TS_T_REAL ? v.u.real : 0;
  if (comm->slows >= 1 && comm->slows <= 100)
    return true;
  if (v.type != TS_T_ERROR) {
    ts_diag *d =
      ts_diag_add(c->s->diags, TS_E0220, expr->span,
                  "`slows` is the factor by which kernels beside the collective are slower");
    ts_diag_here(d, "must be a number from 1 to 100, found %s", ts_value_print(c->s->arena, v));
  }
  return ts_sharder_fail(c);
}

static bool every(ts_sharder *c, const ts_env *env, const ts_ast *expr, ts_comm *comm)
{
  if (!ts_eval_int(c->s, env, expr, "a number of steps", &comm->every))
    return ts_sharder_fail(c);
  if (comm->every >= 1 && comm->when == TS_WHEN_STEP)
    return true;
  ts_diag *d = ts_diag_add(c->s->diags, TS_E0220, expr->span,
                           "`every` says at which steps collectives before or after `step` run");
  if (comm->every < 1)
    ts_diag_here(d, "must be at least 1; found %lld", (long long)comm->every);
  else
    ts_diag_here(d, "this collective is not before or after `step`");
  return ts_sharder_fail(c);
}

static bool ahead(ts_sharder *c, const ts_env *env, const ts_ast *expr, ts_comm *comm)
{
  if (!ts_eval_int(c->s, env, expr, "a number of groups", &comm->ahead))
    return ts_sharder_fail(c);
  if (comm->ahead >= 0)
    return true;
  ts_diag *d =
    ts_report(c->s, TS_E0225, expr->span,
              "`ahead` is the number of groups by which a tensor arrives before its use");
  ts_diag_here(d, "must be 0 or more; found %lld", (long long)comm->ahead);
  ts_note_values(c->s, env, d, expr);
  return ts_sharder_fail(c);
}

/* A Size, or a number of parameters or gradients, in the plan's format of them. Nobody means a few
 * of them: the unit is missing. */
static bool amount(ts_sharder *c, const ts_env *env, const ts_ast *expr, const ts_comm *comm,
                   const char *what, double *bytes)
{
  ts_value v = ts_eval(c->s, env, expr);
  const ts_precision *formats = &c->plan->precision;
  if (v.type == TS_T_ERROR)
    return ts_sharder_fail(c);
  if (v.type == TS_T_INT && v.u.integer > 0 && v.u.integer < LEAST_ELEMENTS) {
    ts_diag *d = ts_report(c->s, TS_E0225, expr->span, "%s lacks its unit", what);
    ts_diag_here(d, "this is %" PRId64 " elements", v.u.integer);
    ts_diag_help(d, "write `%" PRId64 " MiB`; a number alone counts elements", v.u.integer);
    ts_note_values(c->s, env, d, expr);
    return ts_sharder_fail(c);
  }
  if (v.type == TS_T_INT)
    *bytes = (double)v.u.integer / 8 *
             (comm->gradient ? formats->gradients : formats->weights)->bits;
  else if (!ts_eval_quantity(c->s, env, expr, TS_DIM_SIZE, what, bytes))
    return ts_sharder_fail(c);
  else
    *bytes /= 8;
  if (*bytes >= 0)
    return true;
  ts_diag *d = ts_report(c->s, TS_E0225, expr->span, "%s is 0 B or more", what);
  ts_diag_here(d, "this is negative");
  ts_note_values(c->s, env, d, expr);
  return ts_sharder_fail(c);
}

/* `prefetch`, `live` and `reuse` are of parameters that are gathered before a phase. */
static bool early(ts_sharder *c, const ts_env *env, const ts_ast *arg, ts_comm *comm, double *bytes)
{
  const char *what = ts_arena_printf(c->s->arena, "`%s`", arg->name);
  if (!amount(c, env, ts_ast_value(arg), comm, what, bytes))
    return false;
  if (comm->slot == TS_ALL_PARAMETERS && !comm->gradient && comm->kind == TS_IR_ALL_GATHER &&
      comm->when < TS_WHEN_GRADIENTS && !comm->after)
    return true;
  ts_diag *d = ts_diag_add(c->s->diags, TS_E0220, arg->span,
                           "`%s` says how early `parameters` are gathered before a phase",
                           arg->name);
  ts_diag_here(d, "this collective is another one");
  return ts_sharder_fail(c);
}

static bool first(ts_sharder *c, const ts_env *env, const ts_ast *expr, ts_comm *comm)
{
  if (!amount(c, env, expr, comm, "the size of the first bucket", &comm->first))
    return false;
  if (comm->when == TS_WHEN_GRADIENTS && comm->gradient && comm->slot == TS_ALL_PARAMETERS)
    return true;
  ts_diag *d = ts_diag_add(c->s->diags, TS_E0220, expr->span,
                           "`first` is the size of the first bucket of a step's `gradients`");
  ts_diag_here(d, "this collective has no such bucket");
  return ts_sharder_fail(c);
}

static bool exceed(ts_sharder *c, const ts_env *env, const ts_ast *expr, ts_comm *comm)
{
  if (!ts_eval_bool(c->s, env, expr, "`exceed`", &comm->exceeds))
    return ts_sharder_fail(c);
  if (comm->slot == TS_ALL_PARAMETERS && (comm->gradient || comm->when == TS_WHEN_STEP))
    return true;
  ts_diag *d = ts_diag_add(c->s->diags, TS_E0220, expr->span,
                           "`exceed` says whether a bucket of `gradients`, or around a step, may be "
                           "larger than it is stated");
  ts_diag_here(d, "this collective has no such bucket");
  return ts_sharder_fail(c);
}

static bool copied(ts_sharder *c, const ts_env *env, const ts_ast *expr, ts_comm *comm)
{
  if (!ts_eval_bool(c->s, env, expr, "`copied`", &comm->copied))
    return ts_sharder_fail(c);
  if (!comm->copied || comm->slot == TS_ALL_PARAMETERS)
    return true;
  ts_diag *d = ts_report(c->s, TS_E0310, expr->span,
                         "only `parameters` and `gradients` are copied to a buffer and back");
  ts_diag_here(d, "this collective is on one tensor");
  return ts_sharder_fail(c);
}

/* An argument by its name; those of `over` and `dim` are read before. */
static bool option(ts_sharder *c, const ts_env *env, const ts_ast *arg, ts_comm *comm)
{
  const ts_ast *expr = ts_ast_value(arg);
  if (!strcmp(arg->name, "on"))
    return ts_eval_string(c->s, env, expr, "a stream", &comm->stream) || ts_sharder_fail(c);
  if (!strcmp(arg->name, "overlap"))
    return overlap(c, env, expr, comm);
  if (!strcmp(arg->name, "group")) {
    comm->group = ts_eval_label(c->s, env, expr);
    return comm->group.type != TS_T_ERROR || ts_sharder_fail(c);
  }
  if (!strcmp(arg->name, "copied"))
    return copied(c, env, expr, comm);
  if (!strcmp(arg->name, "share"))
    return comm_share(c, env, expr, comm);
  if (!strcmp(arg->name, "fullest"))
    return fullest(c, env, expr, comm);
  if (!strcmp(arg->name, "slows"))
    return slows(c, env, expr, comm);
  if (!strcmp(arg->name, "every"))
    return every(c, env, expr, comm);
  if (!strcmp(arg->name, "ahead"))
    return ahead(c, env, expr, comm);
  if (!strcmp(arg->name, "bucket"))
    return amount(c, env, expr, comm, "the size of a bucket", &comm->bucket);
  if (!strcmp(arg->name, "first"))
    return first(c, env, expr, comm);
  if (!strcmp(arg->name, "exceed"))
    return exceed(c, env, expr, comm);
  if (!strcmp(arg->name, "prefetch"))
    return early(c, env, arg, comm, &comm->prefetch);
  if (!strcmp(arg->name, "live"))
    return early(c, env, arg, comm, &comm->live);
  if (!strcmp(arg->name, "reuse"))
    return early(c, env, arg, comm, &comm->reuse);
  return true;
}

/* Two strategies that each end the same sum, or gather the same tensor. */
static bool done_already(ts_sharder *c, const ts_comm *comm)
{
  const ts_class *class = c->class;
  for (uint32_t i = 0; i < class->comm_count; i++) {
    const ts_comm *other = &class->comms[i];
    if (comm->slot == TS_ALL_PARAMETERS || other->kind != comm->kind || other->when != comm->when ||
        other->after != comm->after || other->slot != comm->slot ||
        other->gradient != comm->gradient || other->axes != comm->axes || other->dim != comm->dim)
      continue;
    const ts_rule *first = &c->sh->rules.at[other->rule], *second = &c->sh->rules.at[comm->rule];
    ts_diag *d =
      ts_report(c->s, TS_E0310, comm->span, "`%s` has this collective twice", c->op->label);
    ts_diag_here(d, "by rule `%s` of `%s`", second->ast->name, second->strategy);
    ts_diag_note_at(d, other->span, "rule `%s` of `%s` has it already", first->ast->name,
                    first->strategy);
    ts_diag_help(d, "apply one of the two, or remove a rule: `%s(...) with { remove %s }`",
                 second->strategy, second->ast->name);
    return ts_sharder_fail(c);
  }
  return false;
}

/* Moments at which all parameters, all gradients, or nothing at all, may travel. */
static bool has_place(ts_sharder *c, const ts_comm *comm)
{
  static const char *const moments[] = {"forward", "backward(input)", "backward(weight)",
                                        "gradients", "step"};
  bool late = comm->when >= TS_WHEN_GRADIENTS, barrier = comm->kind == TS_IR_BARRIER;
  if (comm->slot != TS_ALL_PARAMETERS || comm->when == TS_WHEN_STEP ||
      (barrier         ? late :
       comm->gradient  ? late || (comm->when == TS_WHEN_WEIGHT && comm->after) :
                         !late && !comm->after))
    return true;
  ts_diag *d = ts_report(c->s, TS_E0310, comm->span, "there is no place for `%s` %s `%s`",
                         barrier ? "barrier" : comm->gradient ? "gradients" : "parameters",
                         comm->after ? "after" : "before", moments[comm->when]);
  ts_diag_here(d, "%s",
               barrier        ? "ranks meet at `gradients`, or before or after `step`" :
               comm->gradient ? "gradients travel after `backward(weight)`, at `gradients`, and "
                                "before or after `step`" :
                                "parameters travel before a phase, and before or after `step`");
  return ts_sharder_fail(c);
}

static void append(ts_sharder *c, ts_comm comm)
{
  ts_class *class = c->class;
  class->comms = ts_arena_grow(c->s->arena, class->comms, class->comm_count * sizeof comm,
                               (class->comm_count + 1) * sizeof comm);
  class->comms[class->comm_count++] = comm;
}

static bool host_rate(ts_sharder *c, const ts_env *env, const ts_ast *expr, const char *what,
                      double *bytes)
{
  if (!ts_eval_quantity(c->s, env, expr, TS_DIM_RATE,
                        ts_arena_printf(c->s->arena, "the rate of %s", what), bytes))
    return false;
  *bytes /= 8;
  if (*bytes > 0)
    return true;
  ts_diag *d = ts_report(c->s, TS_E0604, expr->span, "%s must have a rate above 0", what);
  ts_diag_here(d, "this is %s", *bytes == 0 ? "0" : "negative");
  ts_note_values(c->s, env, d, expr);
  return false;
}

/* `offload(activations, at: 50 GB/s, group: layers, ahead: 1)` */
bool ts_sharder_offload(ts_sharder *c, const ts_env *env, const ts_ast *action, uint32_t rule)
{
  ts_offload offload = {
    .options = {.group = ts_none_value(), .share = 1, .rule = rule, .span = action->span}};
  if (!ts_action_fits(c->s, action) ||
      !host_rate(c, env, ts_action_given(action, "at"), "the link to the host", &offload.rate))
    return ts_sharder_fail(c);
  const char *subject = ts_action_subject(action)->name;
  bool optimizer = !strcmp(subject, "optimizer");
  const ts_ast *args = ts_action_args(action);
  for (uint32_t i = 1; i < args->count; i++) {
    const ts_ast *arg = args->child[i];
    if (strcmp(arg->name, "updates")) {
      if (!option(c, env, arg, &offload.options))
        return false;
    } else if (!optimizer) {
      ts_diag *d = ts_diag_add(c->s->diags, TS_E0219, arg->name_span,
                               "only `offload(optimizer)` has `updates`");
      ts_diag_here(d, "the host updates the tensors in its memory: the state of the optimizer");
      return ts_sharder_fail(c);
    } else if (!host_rate(c, env, ts_ast_value(arg), "the host's memory", &offload.updates)) {
      return ts_sharder_fail(c);
    }
  }
  *(optimizer                 ? &c->class->optimizer :
    strcmp(subject, "inputs") ? &c->class->activations :
                                &c->class->inputs) = offload;
  return true;
}

static bool has_parameters(const ts_op *op)
{
  for (uint32_t i = op->input_count; i < op->input_count + op->param_count; i++)
    if (op->slots[i].present)
      return true;
  return false;
}

bool ts_sharder_comm(ts_sharder *c, const ts_env *env, const ts_ast *action, uint32_t rule)
{
  ts_comm comm = {.when = when_of(ts_ast_when(action)->name),
                  .after = action->flags & 1,
                  .dim = -1,
                  .overlap = true,
                  .exceeds = true,
                  .live = HUGE_VAL,
                  .share = 1,
                  .every = 1,
                  .group = ts_none_value(),
                  .rule = rule,
                  .span = action->span};
  const ts_ast *args = ts_action_args(action), *subject = ts_action_subject(action),
               *dim = ts_action_given(action, "dim");
  if (!comm_kind_of(c, action, &comm.kind) || !ts_action_fits(c->s, action) ||
      !ts_sharder_axes(c, env, ts_action_given(action, "over"), &comm.axes))
    return ts_sharder_fail(c);
  bool everything = comm.kind == TS_IR_BARRIER && !subject;
  comm.slot = TS_ALL_PARAMETERS;
  if (!everything && !target(c, action, subject, &comm))
    return false;
  if (comm.slot == TS_ALL_PARAMETERS && !has_parameters(c->op) && !everything)
    return true;
  if (comm.slot < c->op->slot_count && !c->op->slots[comm.slot].present)
    return true;
  if (dim && !dim_of(c, env, dim, &comm))
    return false;
  for (uint32_t i = 0; i < args->count; i++)
    if (args->child[i]->name && !option(c, env, args->child[i], &comm))
      return false;
  if (!(comm.first > 0))
    comm.first = comm.bucket;
  if (!comm.axes)
    return true;
  if (!has_place(c, &comm))
    return false;
  done_already(c, &comm);
  append(c, comm);
  return !c->class->failed;
}
