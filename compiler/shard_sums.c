/* Sums of gradients: over an axis there is one, and where ranks see different activations and have the same weight there must be one. */
#include "compiler/layout.h"
#include "compiler/shard_internal.h"

enum { NAMED = 6 }; /* labels that a warning lists */

static const ts_rule *rule_at(const ts_sharder *c, uint32_t rule) { return &c->sh->rules.at[rule]; }

static bool sums(const ts_comm *comm)
{
  return comm->slot == TS_ALL_PARAMETERS && comm->gradient && (comm->kind == TS_IR_ALL_REDUCE || comm->kind == TS_IR_REDUCE_SCATTER || comm->kind == TS_IR_REDUCE);
}

/* Two rules that sum over the same axis. */
static bool once(ts_sharder *c)
{
  for (uint32_t i = 0; i < c->class->comm_count; i++)
    for (uint32_t k = 0; k < i; k++) {
      const ts_comm *a = &c->class->comms[k], *b = &c->class->comms[i];
      if (!sums(a) || !sums(b) || !(a->axes & b->axes))
        continue;
      ts_diag *d = ts_report(c->s, TS_E0310, b->span, "gradients are summed twice over %s", ts_axes_name(c->s, a->axes & b->axes));
      ts_diag_here(d, "of `%s`", c->op->label);
      ts_rule_note(c->sh, d, a->rule, a->span, "does so already");
      ts_diag_note_at(d, rule_at(c, b->rule)->applied, "applied here");
      ts_diag_help(d, "apply one of `%s` and `%s`, or each over axes of its own", rule_at(c, a->rule)->strategy, rule_at(c, b->rule)->strategy);
      c->class->failed = true;
      return false;
    }
  return true;
}

/* Axes that split what the op makes, but not this parameter: every rank adds up its own part of the gradient. */
static uint32_t partial(const ts_sharder *c, uint32_t parameter)
{
  uint32_t axes = 0;
  for (uint32_t i = c->op->slot_count - c->op->output_count; i < c->op->slot_count; i++)
    axes |= ts_layout_axes(&c->class->view[i]);
  return axes & ~ts_layout_axes(&c->class->view[parameter]);
}

bool ts_sharder_sums(ts_sharder *c)
{
  if (!once(c))
    return false;
  uint32_t axes = 0;
  for (uint32_t i = c->op->input_count; c->op->needs_gradient && i < c->op->input_count + c->op->param_count; i++)
    axes |= c->op->slots[i].present ? partial(c, i) : 0;
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
      labels = ts_arena_printf(c->s->arena, "%s%s`%s`", labels, *labels ? ", " : "", ts_label_pattern(c->s->arena, c->g->ops.at[c->sh->classes.at[k].op].label));
  ts_diag *d = ts_report(c->s, TS_W0323, op->span, "gradients of the weights of `%s` are partial sums over %s, and no rule sums them", op->label, axes);
  ts_diag_here(d, "every rank has these weights, and a part of `%s`: %s", op->slots[out].name,
               ts_layout_print(c->s, &class->view[out], op->slots[out].shape));
  ts_rule_note(c->sh, d, class->view[out].rule, class->view[out].rule == TS_NO_INDEX ? TS_NO_SPAN : rule_at(c, class->view[out].rule)->ast->span, "splits it");
  ts_diag_note(d, "%u ops alike, such as %s: the step is shorter than it should be by these sums", count, labels);
  ts_diag_help(d, "sum them with those of replicas, `data_parallel(...)` over axes with %s among them, or by a rule: `after gradients: all_reduce(gradients) over %s`", axes, axes);
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
