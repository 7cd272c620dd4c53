/* Sums of gradients: over an axis there is one, and where ranks see different activations and have
 * the same weight there must be one. */
#include "compiler/eval/report.h"
#include "compiler/shard/internal.h"
#include "compiler/shard/layout.h"

enum { NAMED = 6 }; /* labels that a warning lists */

static const ts_rule *rule_at(const ts_sharder *c, uint32_t rule) { return &c->sh->rules.at[rule]; }

static bool sums(const ts_comm *comm)
{
  return comm->slot == TS_ALL_PARAMETERS && comm->gradient &&
         (comm->kind == TS_IR_ALL_REDUCE || comm->kind == TS_IR_REDUCE_SCATTER ||
          comm->kind == TS_IR_REDUCE);
}

/* The axes over which the op's collectives of this kind and moment are, on all its parameters or
 * gradients. */
static uint32_t over(const ts_class *class, ts_ir_collective_kind kind, bool gradient,
                     ts_when first, ts_when last)
{
  uint32_t axes = 0;
  for (uint32_t i = 0; i < class->comm_count; i++) {
    const ts_comm *comm = &class->comms[i];
    if (comm->slot == TS_ALL_PARAMETERS && comm->kind == kind && comm->gradient == gradient &&
        comm->when >= first && comm->when <= last)
      axes |= comm->axes;
  }
  return axes;
}

static bool missing(ts_sharder *c, uint32_t axes, const char *what, const char *why,
                    const char *action)
{
  if (!axes)
    return false;
  const ts_rule *rule = rule_at(c, c->class->shard_rule);
  const char *name = ts_axes_name(c->s, axes);
  ts_diag *d = ts_report(c->s, TS_E0324, rule->ast->span,
                         "%s of `%s` are kept in parts over %s, %s", what, c->op->label, name, why);
  ts_diag_here(d, "rule `%s` of `%s` keeps them so", rule->ast->name, rule->strategy);
  ts_diag_note_at(d, rule->applied, "applied here");
  ts_diag_help(d, "add `%s, over: %s)` to the rule", action, name);
  c->class->failed = true;
  return true;
}

/* What `shard` keeps in parts must be gathered, or scattered, by some rule. */
static bool shared_out(ts_sharder *c)
{
  const ts_class *class = c->class;
  uint32_t gathered = over(class, TS_IR_ALL_GATHER, false, TS_WHEN_FORWARD, TS_WHEN_FORWARD),
           after = over(class, TS_IR_ALL_GATHER, false, TS_WHEN_STEP, TS_WHEN_STEP);
  /* of a sum that all have, each keeps its part */
  uint32_t scattered = over(class, TS_IR_REDUCE_SCATTER, true, TS_WHEN_INPUT, TS_WHEN_GRADIENTS) |
                       over(class, TS_IR_ALL_REDUCE, true, TS_WHEN_INPUT, TS_WHEN_WEIGHT);
  bool holds = false;
  for (uint32_t i = c->op->input_count; i < c->op->input_count + c->op->param_count; i++)
    holds |= c->op->slots[i].present;
  if (!holds)
    return true;
  if (missing(c, class->parameter_axes & ~gathered, "parameters",
              "and nothing gathers them for the forward",
              "before forward: all_gather(parameters"))
    return false;
  return !c->op->needs_gradient ||
         (!missing(c, class->gradient_axes & ~scattered, "gradients",
                   "and nothing scatters their sums",
                   "after backward(weight): reduce_scatter(gradients") &&
          !missing(c, class->optimizer_axes & ~class->parameter_axes & ~after & ~gathered,
                   "states of the optimizer",
                   "and nothing gathers the weights that each rank has updated",
                   "after step: all_gather(parameters"));
}

/* Two rules that sum over the same axis. */
static bool once(ts_sharder *c)
{
  for (uint32_t i = 0; i < c->class->comm_count; i++)
    for (uint32_t k = 0; k < i; k++) {
      const ts_comm *a = &c->class->comms[k], *b = &c->class->comms[i];
      if (!sums(a) || !sums(b) || !(a->axes & b->axes))
        continue;
      ts_diag *d = ts_report(c->s, TS_E0310, b->span, "gradients are summed twice over %s",
                             ts_axes_name(c->s, a->axes & b->axes));
      ts_diag_here(d, "of `%s`", c->op->label);
      ts_rule_note(c->sh, d, a->rule, a->span, "does so already");
      ts_diag_note_at(d, rule_at(c, b->rule)->applied, "applied here");
      if (a->rule == b->rule)
        ts_diag_help(d, "give `%s` different axes", rule_at(c, a->rule)->strategy);
      else
        ts_diag_help(d, "apply one of `%s` and `%s`, or each over axes of its own",
                     rule_at(c, a->rule)->strategy, rule_at(c, b->rule)->strategy);
      c->class->failed = true;
      return false;
    }
  return true;
}

/* Axes that split what the op makes, but not this parameter: every rank adds up its own part of the
 * gradient. */
static uint32_t partial(const ts_sharder *c, uint32_t parameter)
{
  uint32_t axes = 0;
  for (uint32_t i = c->op->slot_count - c->op->output_count; i < c->op->slot_count; i++)
    axes |= ts_layout_axes(&c->class->view[i]);
  return axes & ~ts_layout_axes(&c->class->view[parameter]);
}

bool ts_sharder_sums(ts_sharder *c)
{
  if (!once(c) || !shared_out(c))
    return false;
  uint32_t axes = 0;
  for (uint32_t i = c->op->input_count;
       c->op->needs_gradient && i < c->op->input_count + c->op->param_count; i++)
    axes |= c->op->slots[i].present && !c->op->slots[i].frozen ? partial(c, i) : 0;
  for (uint32_t i = 0; i < c->class->comm_count; i++)
    if (sums(&c->class->comms[i]))
      axes &= ~c->class->comms[i].axes;
  c->class->unsummed = axes;
  return true;
}

static void warn(const ts_sharder *c, uint32_t first)
{
  const ts_class *class = &c->sh->classes.at[first];
  const ts_op *op = &c->g->ops.at[class->op];
  const char *axes = ts_axes_name(c->s, class->unsummed), *labels = "";
  uint32_t count = 0, out = op->slot_count - op->output_count;
  for (uint32_t i = 0; i < c->g->ops.count; i++)
    if (c->sh->classes.at[c->sh->class_of[i]].unsummed == class->unsummed)
      count++;
  for (uint32_t k = first, n = 0; k < c->sh->classes.count && n <= NAMED; k++)
    if (c->sh->classes.at[k].unsummed == class->unsummed && ++n <= NAMED)
      labels =
        ts_arena_printf(c->s->arena, "%s%s`%s`", labels, *labels ? ", " : "",
                        ts_label_pattern(c->s->arena, c->g->ops.at[c->sh->classes.at[k].op].label));
  ts_diag *d =
    ts_report(c->s, TS_W0323, op->span,
              "gradients of the weights of `%s` are partial sums over %s, and no rule sums them",
              op->label, axes);
  ts_diag_here(d, "every rank has these weights, and a part of `%s`: %s", op->slots[out].name,
               ts_layout_print(c->s, &class->view[out], op->slots[out].shape));
  ts_rule_note(c->sh, d, class->view[out].rule,
               class->view[out].rule == TS_NO_INDEX ? TS_NO_SPAN :
                                                      rule_at(c, class->view[out].rule)->ast->span,
               "splits it");
  if (count > 1)
    ts_diag_note(d, "%u equal ops, such as %s: the step lacks the time of these sums", count,
                 labels);
  ts_diag_help(d,
               "sum them with those of replicas, `data_parallel(...)` over axes with %s among "
               "them, or by a rule: `after gradients: all_reduce(gradients, over: %s)`",
               axes, axes);
}

void ts_sharder_unsummed(const ts_sharder *c)
{
  for (uint32_t k = 0; k < c->sh->classes.count; k++) {
    bool first = c->sh->classes.at[k].unsummed && !c->sh->classes.at[k].failed;
    for (uint32_t j = 0; j < k && first; j++)
      first = c->sh->classes.at[j].unsummed != c->sh->classes.at[k].unsummed;
    if (first)
      warn(c, k);
  }
}
