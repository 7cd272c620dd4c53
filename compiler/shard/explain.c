/* `tsc --explain LABEL`: which rules met an op, what each of their actions did, and how its tensors
 * lie for it. */
#include <string.h>

#include "compiler/eval/mesh.h"
#include "compiler/shard/shard.h"

typedef struct explain_page {
  ts_session *s;
  const ts_graph *g;
  const ts_sharding *sh;
  const char *text;
} explain_page;

#define SAY(p, ...)                                                                                \
  ((p)->text = ts_arena_printf((p)->s->arena, "%s%s", (p)->text,                                   \
                               ts_arena_printf((p)->s->arena, __VA_ARGS__)))

static const char *explain_place(ts_session *s, ts_span span)
{
  if (!span.file)
    return "the command line";
  ts_position at = ts_sources_position(s->sources, span.file, span.begin);
  return ts_arena_printf(s->arena, "%s:%u:%u", ts_sources_get(s->sources, span.file)->name, at.line,
                         at.column);
}

/* As it is written, on one line. */
static const char *written(ts_session *s, ts_span span)
{
  const ts_source *source = ts_sources_get(s->sources, span.file);
  char *text = ts_arena_string(s->arena, source->text + span.begin, span.end - span.begin),
       *to = text;
  for (const char *from = text; *from; from++) {
    char c = *from == '\n' ? ' ' : *from;
    if (c != ' ' || to == text || to[-1] != ' ')
      *to++ = c;
  }
  *to = 0;
  return text;
}

static const char *explain_size_of(ts_session *s, double bytes)
{
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int u = 0;
  for (; bytes >= 1024 && u < 4; u++)
    bytes /= 1024;
  return ts_arena_printf(s->arena, "%.4g %s", bytes, units[u]);
}

static const ts_slot *slot_named(const ts_op *op, const char *name, uint32_t *index)
{
  for (*index = 0; *index < op->slot_count + op->part_count; ++*index)
    if (op->slots[*index].name == name)
      return &op->slots[*index];
  return NULL;
}

/* Of the parameters kept in parts those before a phase are gathered, of those that stay whole those
 * around a step. */
static double parameter_bytes(const ts_class *class, const ts_op *op, const ts_comm *comm)
{
  double bytes = 0;
  bool gathers = comm->kind == TS_IR_ALL_GATHER && !comm->gradient &&
                 (class->parameter_axes & comm->axes);
  for (uint32_t i = op->input_count; i < op->input_count + op->param_count; i++) {
    bool whole = ts_slot_elements(&class->local[i]) <= (double)class->whole_up_to;
    if (!gathers || whole == (comm->when == TS_WHEN_STEP))
      bytes += (double)ts_slot_bytes(&class->local[i]);
  }
  return bytes;
}

static void say_collective(explain_page *p, const ts_op *op, const ts_class *class,
                           const ts_ast *action)
{
  for (uint32_t i = 0; i < class->comm_count; i++) {
    const ts_comm *comm = &class->comms[i];
    if (comm->span.file != action->span.file || comm->span.begin != action->span.begin)
      continue;
    bool all = comm->slot == TS_ALL_PARAMETERS;
    SAY(p, "      %s%s over %s, %lld ranks\n",
        explain_size_of(p->s, all ? parameter_bytes(class, op, comm) : (double)comm->bytes),
        all ? " of weights" : "", ts_axes_name(p->s, comm->axes),
        (long long)ts_axes_size(p->s, comm->axes));
    return;
  }
  SAY(p, "      nothing: the group is one rank, or the op has no such tensor\n");
}

static void say_split(explain_page *p, const ts_op *op, const ts_class *class, const ts_ast *action)
{
  const ts_ast *params = ts_ast_params(op->decl);
  ts_ast_list items = ts_ast_items(action);
  for (uint32_t i = 0; i < items.count; i++) {
    uint32_t index;
    const ts_slot *slot = slot_named(op, items.at[i]->name, &index);
    if (slot && slot->present)
      SAY(p, "      `%s` is %s\n", slot->name,
          ts_layout_print(p->s, &class->view[index], slot->shape));
    for (uint32_t f = 0; !slot && f < op->arg_count; f++)
      if (params->child[f]->name == items.at[i]->name)
        SAY(p, "      `%s` is %s of %s\n", items.at[i]->name,
            ts_value_print(p->s->arena, class->args[f]), ts_value_print(p->s->arena, op->args[f]));
  }
}

static void say_action(explain_page *p, const ts_op *op, const ts_class *class, uint32_t group,
                       const ts_ast *action)
{
  SAY(p, "    %s\n", written(p->s, action->span));
  switch (action->kind) {
  case TS_AST_SPLIT: say_split(p, op, class, action); return;
  case TS_AST_COMM: say_collective(p, op, class, action); return;
  case TS_AST_RECOMPUTE:
    SAY(p, "      group %u\n", group);
    return;
  case TS_AST_SET:
    for (uint32_t f = 0; f < op->arg_count; f++)
      if (ts_ast_params(op->decl)->child[f]->name == action->name)
        SAY(p, "      `%s` is %s, was %s\n", action->name,
            ts_value_print(p->s->arena, class->args[f]), ts_value_print(p->s->arena, op->args[f]));
    return;
  default: return;
  }
}

static void say_rule(explain_page *p, const ts_op *op, const ts_class *class, uint32_t group,
                     const ts_rule *rule)
{
  SAY(p, "  rule %s of %s, %s, applied at %s\n", rule->ast->name, rule->strategy,
      explain_place(p->s, rule->ast->span), explain_place(p->s, rule->applied));
  if (rule->replaced)
    SAY(p, "    replaces the strategy's own, %s\n", explain_place(p->s, rule->replaced->span));
  else if (rule->changed)
    SAY(p, "    added by the plan\n");
  ts_ast_list actions = ts_ast_actions(rule->ast);
  for (uint32_t k = 0; k < actions.count; k++)
    say_action(p, op, class, group, actions.at[k]);
}

static void say_tensors(explain_page *p, const ts_op *op, const ts_class *class)
{
  static const char *const kinds[] = {[TS_SLOT_INPUT] = "input",
                                      [TS_SLOT_WEIGHT] = "weight",
                                      [TS_SLOT_OUTPUT] = "output",
                                      [TS_SLOT_SLICE] = "slice"};
  SAY(p, "  tensors as it sees them\n");
  for (uint32_t i = 0; i < op->slot_count + op->part_count; i++) {
    const ts_slot *slot = &op->slots[i];
    if (!slot->present)
      continue;
    const char *here = ts_layout_print(p->s, &class->view[i], slot->shape),
               *outside = ts_layout_print(p->s, &class->edge[i], slot->shape);
    bool differs = slot->kind != TS_SLOT_WEIGHT && strcmp(here, outside);
    SAY(p, "    %-6s %-6s %s%s%s\n", kinds[slot->kind], slot->name, here,
        differs ? "; outside " : "", differs ? outside : "");
  }
}

static void say_op(explain_page *p, uint32_t index)
{
  const ts_op *op = &p->g->ops.at[index];
  const ts_class *class = &p->sh->classes.at[p->sh->class_of[index]];
  uint32_t members = 0;
  for (size_t i = 0; i < p->g->ops.count; i++)
    members += p->sh->class_of[i] == p->sh->class_of[index];
  SAY(p, "%s%s: %s, %s", *p->text ? "\n" : "", op->label, op->kind, explain_place(p->s, op->span));
  SAY(p, members > 1 ? "; one of %u equal ones\n" : "\n", members);
  for (uint32_t r = 0; r < class->rule_count; r++)
    say_rule(p, op, class, p->sh->recompute_group[index], &p->sh->rules.at[class->rules[r]]);
  if (!class->rule_count)
    SAY(p, "  no rule matches it\n");
  say_tensors(p, op, class);
}

/* The first of equal ops is shown. */
const char *ts_shard_explain(ts_session *s, const ts_graph *g, const ts_sharding *sh,
                             const char *label)
{
  explain_page p = {s, g, sh, ""};
  bool *shown = TS_NEW_ARRAY(s->arena, bool, sh->classes.count + 1);
  size_t length;
  for (uint32_t i = 0; i < g->ops.count; i++)
    if (ts_label_match(label, g->ops.at[i].label, &length) && !shown[sh->class_of[i]]) {
      shown[sh->class_of[i]] = true;
      say_op(&p, i);
    }
  return *p.text ? p.text : NULL;
}
