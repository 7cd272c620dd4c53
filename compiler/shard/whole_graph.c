/* Sharding of a whole graph: which rules each op meets, classes of ops that are alike, groups that
 * are recomputed. */
#include <string.h>

#include "base/diag_record.h"
#include "base/hash_table.h"
#include "compiler/eval/plan_cache.h"
#include "compiler/eval/action_form.h"
#include "compiler/eval/report.h"
#include "compiler/eval/reuse.h"
#include "compiler/model/traced.h"
#include "compiler/shard/internal.h"
#include "compiler/shard/layout.h"
#include "compiler/shard/model_work.h"

/* -- the key of a class: all that its evaluation depends on -- */

static uint64_t mix_words(uint64_t h, const uint32_t *words, size_t count)
{
  for (size_t i = 0; i < count; i++)
    h = ts_mix(h, words[i]);
  return h;
}

static bool value_equal(ts_value a, ts_value b)
{
  if (a.type != b.type)
    return false;
  if (a.type == TS_T_TENSOR)
    return true;
  if (a.type == TS_T_LIST) {
    bool equal = a.u.list->count == b.u.list->count;
    for (uint32_t i = 0; equal && i < a.u.list->count; i++)
      equal = value_equal(a.u.list->at[i], b.u.list->at[i]);
    return equal;
  }
  ts_budget budget = {.left = UINT64_MAX}; /* their sizes were charged when the op was applied */
  return ts_value_equal(a, b, &budget);
}

static bool slot_equal(const ts_slot *a, const ts_slot *b)
{
  return a->name == b->name && a->present == b->present && a->frozen == b->frozen &&
         a->dtype == b->dtype && a->shape.rank == b->shape.rank &&
         !memcmp(a->shape.dim, b->shape.dim, a->shape.rank * sizeof *a->shape.dim);
}

static const ts_layout *outside(const ts_sharder *c, const ts_op *op, uint32_t input)
{
  return &c->sh->layouts[op->slots[input].tensor];
}

static bool is_view(const ts_sharder *c, const ts_op *op, uint32_t input)
{
  uint32_t tensor = op->slots[input].tensor;
  return c->g->tensors.at[tensor].source != tensor;
}

static uint32_t hash_op(const ts_sharder *c, const ts_op *op, const uint32_t *rules,
                        uint32_t rule_count)
{
  uint64_t h = ts_mix(op->hash, (uintptr_t)op->measured);
  h = ts_mix(h, op->needs_input_gradient * 2u + op->needs_gradient);
  h = mix_words(h, rules, rule_count);
  for (uint32_t i = 0; i < op->input_count; i++)
    h = mix_words(h, outside(c, op, i)->split, TS_MAX_DIMS);
  return ts_hash_number(h);
}

/* Without what rules do to them. */
static bool same_op(const ts_op *a, const ts_op *b)
{
  if (a->alike == b->alike)
    return true;
  for (uint32_t f = 0; f < a->arg_count; f++)
    if (!value_equal(a->args[f], b->args[f]))
      return false;
  for (uint32_t i = 0; i < a->slot_count; i++)
    if (!slot_equal(&a->slots[i], &b->slots[i]))
      return false;
  return true;
}

typedef struct whole_graph_wanted {
  const ts_sharder *c;
  const ts_op *op;
  const uint32_t *rules;
  uint32_t rule_count;
} whole_graph_wanted;

static bool same_class(const void *closure, uint32_t number)
{
  const whole_graph_wanted *w = closure;
  const ts_sharder *c = w->c;
  const ts_class *class = &c->sh->classes.at[number];
  const ts_op *op = w->op, *other = &c->g->ops.at[class->op];
  if (other->decl != op->decl || other->measured != op->measured ||
      other->needs_gradient != op->needs_gradient ||
      other->needs_input_gradient != op->needs_input_gradient ||
      other->slot_count != op->slot_count || class->rule_count != w->rule_count ||
      memcmp(class->rules, w->rules, w->rule_count * sizeof *w->rules) != 0 ||
      !same_op(other, op))
    return false;
  for (uint32_t i = 0; i < op->input_count; i++)
    if (is_view(c, op, i) || is_view(c, other, i) ||
        !ts_layout_equal(outside(c, op, i), outside(c, other, i)) ||
        c->g->tensors.at[op->slots[i].tensor].needs_gradient !=
          c->g->tensors.at[other->slots[i].tensor].needs_gradient)
      return false;
  return true;
}

/* -- each op -- */

static const ts_candidates *candidates_for(ts_sharder *c, const ts_op *op)
{
  ts_candidates *found = &c->candidates[op->pattern_index];
  if (found->kind == op->kind)
    return found;
  *found = (ts_candidates){.kind = op->kind,
                           .rules = TS_NEW_ARRAY(c->s->arena, uint32_t, c->sh->rules.count + 1)};
  for (uint32_t i = 0; i < c->sh->rules.count; i++)
    if (ts_rule_may_match(&c->sh->rules.at[i], op))
      found->rules[found->count++] = i;
  return found;
}

static uint32_t matching(ts_sharder *c, const ts_op *op, uint32_t *rules)
{
  const ts_candidates *some = candidates_for(c, op);
  uint32_t n = 0;
  for (uint32_t i = 0; i < some->count; i++) {
    ts_rule *rule = &c->sh->rules.at[some->rules[i]];
    if (ts_rule_matches(c->s, rule, c->plan, op))
      rules[n++] = some->rules[i];
  }
  return n;
}

static void count_matches(ts_sharder *c, const uint32_t *rules, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    c->sh->rules.at[rules[i]].matched++;
}

static uint32_t make_class(ts_sharder *c, uint32_t index, const uint32_t *rules,
                           uint32_t rule_count)
{
  ts_class class = {.op = index, .host = -1, .rule_count = rule_count};
  class.rules = ts_arena_copy(c->s->arena, rules, (rule_count + 1) * sizeof *rules);
  TS_PUSH(c->s->arena, &c->sh->classes, class);
  c->class = &c->sh->classes.at[c->sh->classes.count - 1];
  ts_sharder_class(c);
  return (uint32_t)c->sh->classes.count - 1;
}

static void shard_op(ts_sharder *c, ts_hash_table *classes, uint32_t index, uint32_t *rules)
{
  const ts_op *op = c->op = &c->g->ops.at[index];
  uint32_t rule_count = matching(c, op, rules), hash = hash_op(c, op, rules, rule_count);
  count_matches(c, rules, rule_count);
  uint32_t found =
    ts_hash_find(classes, hash, same_class, &(whole_graph_wanted){c, op, rules, rule_count});
  if (found == TS_HASH_NONE) {
    found = make_class(c, index, rules, rule_count);
    ts_hash_add(c->s->arena, classes, hash, found);
  }
  const ts_class *class = &c->sh->classes.at[found];
  c->sh->class_of[index] = found;
  ts_model_work_add(c->s->arena, class, c->sh);
  for (uint32_t i = op->slot_count - op->output_count; i < op->slot_count; i++) {
    c->sh->layouts[op->slots[i].tensor] = class->edge[i];
    c->sh->layouts[op->slots[i].tensor].failed |= class->failed;
  }
}

/* -- iterations that are like the one before -- */

static bool tells_apart(const ts_rule *rule) { return rule->numbered || rule->asks; }

/* Rules that tell apart ops that are alike match these, too, as they match the ones before. What is
 * to be said of one is said when it is laid out by itself. */
static bool same_rules(ts_sharder *c, const ts_graph_run *run, uint32_t first, uint32_t *rules)
{
  bool same = true, asks = false;
  for (size_t i = 0; i < c->sh->rules.count; i++)
    asks |= tells_apart(&c->sh->rules.at[i]);
  if (!asks)
    return true;
  ts_aside before = ts_session_set_aside(c->s);
  for (uint32_t i = first; i < first + run->ops && same; i++) {
    const ts_class *class = &c->sh->classes.at[c->sh->class_of[i - run->ops]];
    uint32_t count = matching(c, &c->g->ops.at[i], rules);
    same = count == class->rule_count && !memcmp(class->rules, rules, count * sizeof *rules);
  }
  return ts_session_take_up(c->s, before) == TS_CODE_COUNT && same;
}

/* The iteration takes what the one before took, as far as classes go: the same gradients, and from
 * further back than that one the same layouts. What it takes of the one before lies as that one's
 * does of the one before it, as they are of the same classes. */
static bool takes_alike(const ts_sharder *c, const ts_graph_run *run, uint32_t first,
                        uint32_t tensor)
{
  const ts_edge *edges = c->g->tensors.at;
  for (uint32_t i = first; i < first + run->ops; i++) {
    const ts_op *op = &c->g->ops.at[i], *before = op - run->ops;
    if (op->needs_gradient != before->needs_gradient ||
        op->needs_input_gradient != before->needs_input_gradient)
      return false;
    for (uint32_t k = 0; k < op->input_count; k++) {
      uint32_t a = before->slots[k].tensor, b = op->slots[k].tensor;
      if (edges[a].needs_gradient != edges[b].needs_gradient ||
          (b < tensor - run->tensors && !ts_layout_equal(outside(c, before, k), outside(c, op, k))))
        return false;
    }
  }
  return true;
}

/* The iteration that begins with this op, if the two before it are laid out alike: what it takes
 * of them is, then. False: it is to be laid out op by op. */
static bool lay_out_again(ts_sharder *c, const ts_graph_run *run, uint32_t first, uint32_t *rules)
{
  uint32_t *class_of = c->sh->class_of + first, n = run->ops,
           tensor = run->first_tensor + (first - run->first_op) / n * run->tensors;
  if (memcmp(class_of - 2 * n, class_of - n, n * sizeof *class_of) != 0 ||
      !takes_alike(c, run, first, tensor) || !same_rules(c, run, first, rules))
    return false;
  memcpy(class_of, class_of - n, n * sizeof *class_of);
  memcpy(c->sh->layouts + tensor, c->sh->layouts + tensor - run->tensors,
         run->tensors * sizeof *c->sh->layouts);
  for (uint32_t i = 0; i < n; i++) {
    const ts_class *class = &c->sh->classes.at[class_of[i]];
    count_matches(c, class->rules, class->rule_count);
    ts_model_work_add(c->s->arena, class, c->sh);
  }
  return true;
}

/* The run of which an iteration begins here, or NULL. *at: runs that end before. */
static const ts_graph_run *run_at(const ts_graph *g, uint32_t op, size_t *at)
{
  const ts_graph_run *run = g->runs.at;
  while (*at < g->runs.count && op >= run[*at].first_op + run[*at].count * run[*at].ops)
    ++*at;
  return *at < g->runs.count && op >= run[*at].first_op &&
             (op - run[*at].first_op) % run[*at].ops == 0 ?
           &run[*at] :
           NULL;
}

static void shard_ops(ts_sharder *c)
{
  ts_hash_table classes = {0};
  size_t runs = 0;
  uint32_t *rules = TS_NEW_ARRAY(c->s->arena, uint32_t, c->sh->rules.count + 1);
  for (uint32_t i = 0; i < c->g->ops.count;) {
    const ts_graph_run *run = run_at(c->g, i, &runs);
    bool again = run && lay_out_again(c, run, i, rules);
    if (!again)
      shard_op(c, &classes, i, rules);
    i += again ? run->ops : 1;
  }
}

/* -- recompute -- */

static const ts_ast *recompute_action(const ts_sharding *sh, const ts_class *class, uint32_t *rule)
{
  const ts_ast *found = NULL;
  for (uint32_t i = 0; i < class->rule_count; i++) {
    ts_ast_list actions = ts_ast_actions(sh->rules.at[class->rules[i]].ast);
    for (uint32_t k = 0; k < actions.count; k++)
      if (actions.at[k]->kind == TS_AST_RECOMPUTE) {
        found = actions.at[k];
        *rule = class->rules[i];
      }
  }
  return found;
}

/* Whether some op is under the group's label. */
static bool grouped(const ts_sharder *c, const ts_comm *comm)
{
  for (uint32_t i = 0; i < c->g->ops.count; i++)
    if (ts_label_group(comm->group, c->g->ops.at[i].label))
      return true;
  return false;
}

void ts_sharder_groups(const ts_sharder *c)
{
  bool *requested = TS_NEW_ARRAY(c->s->arena, bool, c->sh->rules.count + 1);
  for (uint32_t k = 0; k < c->sh->classes.count; k++)
    for (uint32_t i = 0; i < c->sh->classes.at[k].comm_count; i++) {
      const ts_comm *comm = &c->sh->classes.at[k].comms[i];
      if (comm->group.type == TS_T_NONE || requested[comm->rule])
        continue;
      requested[comm->rule] = true;
      if (grouped(c, comm))
        continue;
      const ts_rule *rule = &c->sh->rules.at[comm->rule];
      ts_diag *d = ts_report(c->s, TS_W0312, comm->group.span.file ? comm->group.span : comm->span,
                             "no op is under %s", ts_value_print(c->s->arena, comm->group));
      ts_diag_here(d, "all %u ops of rule `%s` of `%s` are in one group", rule->matched,
                   rule->ast->name, rule->strategy);
      ts_diag_note_at(d, rule->applied, "applied here");
      ts_diag_help(d, "name what is repeated: `tsc --list-ops` prints all labels");
    }
}

/* What an action says is the same for all ops, so it is asked once, unless there is something to
 * say about it. */
typedef struct whole_graph_requested {
  const ts_ast *action; /* NULL: nothing was asked */
  uint32_t rule;
  bool has_group, discards;
  ts_value group;
} whole_graph_requested;

static void whole_graph_ask(const ts_sharder *c, const ts_ast *action, uint32_t rule,
                            whole_graph_requested *a)
{
  const ts_env *env = c->sh->rules.at[rule].env;
  size_t said = c->s->diags->all.count;
  if (a->action == action && a->rule == rule)
    return;
  *a = (whole_graph_requested){.rule = rule};
  const ts_ast *group = ts_action_fits(c->s, action) ? ts_action_given(action, "group") : NULL;
  if ((a->has_group = group))
    a->group = ts_eval_label(c->s, env, group);
  const ts_ast *discard = ts_action_fits(c->s, action) ? ts_action_given(action, "discard") : NULL;
  if (discard)
    ts_eval_bool(c->s, env, discard, "`discard`", &a->discards);
  if (c->s->diags->all.count == said && !ts_diags_errors(c->s->diags))
    a->action = action;
}

/* Where no rule says what is run again: what the traced step ran again, with the views between. */
static void group_as_traced(ts_sharder *c)
{
  const ts_op *ops = c->g->ops.at;
  uint32_t *group = c->sh->recompute_group, last = TS_NO_INDEX; /* op that was run again */
  for (uint32_t i = 0; i < c->g->ops.count; i++) {
    if (!ops[i].again) {
      last =
        ops[i].measured && ops[i].measured->seconds[TS_TRACED_FORWARD] > 0 ? TS_NO_INDEX : last;
      continue;
    }
    bool same =
      last != TS_NO_INDEX && ops[i].again == ops[last].again && ops[i].unit == ops[last].unit;
    group[i] = same ? group[last] : ++c->sh->group_count;
    for (uint32_t k = last + 1; same && k < i; k++)
      group[k] = group[i];
    last = i;
  }
}

/* A group is what one labelled scope holds (`group: "layer[*]"`), or a run of neighbours that one
 * rule matches. */
static void group_ops(ts_sharder *c)
{
  bool stated = false;
  ts_sharding *sh = c->sh;
  uint32_t last_rule = TS_NO_INDEX, last_group = 0;
  const char *last_label = NULL;
  size_t last_prefix = 0;
  whole_graph_requested said = {0};
  const ts_ast **actions = TS_NEW_ARRAY(c->s->arena, const ts_ast *, sh->classes.count + 1);
  uint32_t *rules = TS_NEW_ARRAY(c->s->arena, uint32_t, sh->classes.count + 1);
  for (size_t k = 0; k < sh->classes.count; k++)
    stated |= (actions[k] = recompute_action(sh, &sh->classes.at[k], &rules[k])) != NULL;
  if (!stated)
    group_as_traced(c);
  for (uint32_t i = 0; i < c->g->ops.count; i++) {
    uint32_t rule = rules[sh->class_of[i]];
    const ts_op *op = &c->g->ops.at[i];
    const ts_ast *action = actions[sh->class_of[i]];
    if (!action) {
      last_rule = TS_NO_INDEX;
      continue;
    }
    size_t prefix = 0;
    whole_graph_ask(c, action, rule, &said);
    if (said.has_group)
      prefix = ts_label_group(said.group, op->label);
    bool same = rule == last_rule && prefix == last_prefix && last_label &&
                !strncmp(last_label, op->label, prefix) && c->g->ops.at[i - 1].unit == op->unit;
    sh->recompute_group[i] = same ? last_group : ++sh->group_count;
    sh->recompute_discards[i] = said.discards;
    last_group = sh->recompute_group[i];
    last_rule = rule;
    last_prefix = prefix;
    last_label = op->label;
  }
}

/* -- ops and those before them -- */

/* Of an op's input: how far back its maker is, and which of that one's outputs it is. */
static bool same_input(const ts_graph *g, uint32_t a, uint32_t b, uint32_t input)
{
  const ts_edge *edges = g->tensors.at;
  uint32_t from = edges[g->ops.at[a].slots[input].tensor].source,
           other = edges[g->ops.at[b].slots[input].tensor].source, maker = edges[from].producer;
  if (maker == TS_NO_INDEX || edges[other].producer == TS_NO_INDEX)
    return maker == edges[other].producer;
  const ts_op *one = &g->ops.at[maker], *two = &g->ops.at[edges[other].producer];
  return a - maker == b - edges[other].producer &&
         from - one->slots[one->slot_count - one->output_count].tensor ==
           other - two->slots[two->slot_count - two->output_count].tensor;
}

/* `after`: the last group before the op, or 0. */
typedef struct formed { const ts_sharder *c; uint32_t *example, *after, op; } formed;

static bool same_group(const formed *f, uint32_t a, uint32_t b)
{
  const uint32_t *group = f->c->sh->recompute_group;
  return group[a] && group[b] ? group[a] - f->after[a] == group[b] - f->after[b] :
                                group[a] == group[b];
}

static bool same_form(const void *closure, uint32_t number)
{
  const formed *f = closure;
  const ts_graph *g = f->c->g;
  uint32_t a = f->example[number], b = f->op;
  bool same = f->c->sh->class_of[a] == f->c->sh->class_of[b] &&
              g->ops.at[a].span.begin == g->ops.at[b].span.begin && same_group(f, a, b);
  for (uint32_t k = 0; same && k < g->ops.at[a].input_count; k++)
    same = same_input(g, a, b, k);
  return same;
}

/* An iteration whose groups go on as they did from the second before it to the one before. */
static bool same_groups(const uint32_t *group, uint32_t first, uint32_t n)
{
  uint32_t step = 0;
  for (uint32_t i = first; i < first + n; i++) {
    uint32_t a = group[i - 2 * n], b = group[i - n], c = group[i];
    if (!a != !b || !b != !c)
      return false;
    step = c && !step ? c - b : step;
    if (c && (c - b != step || b - a != step))
      return false;
  }
  return true;
}

/* Forms of an iteration, where the two before it have the same: none of its ops takes a tensor from
 * before all of them, then, which is further away each time. */
static bool same_forms(const ts_sharder *c, const ts_graph_run *run, uint32_t first)
{
  uint32_t n = run->ops, *form = c->sh->form + first, *class_of = c->sh->class_of + first;
  bool same = !memcmp(form - 2 * n, form - n, n * sizeof *form) &&
              !memcmp(class_of - n, class_of, n * sizeof *class_of) &&
              same_groups(c->sh->recompute_group, first, n);
  if (same)
    memcpy(form, form - n, n * sizeof *form);
  return same;
}

static void find_form(formed *f, ts_hash_table *known, uint32_t *forms)
{
  const ts_sharder *c = f->c;
  uint32_t i = f->op, hash = ts_hash_number(ts_mix(c->sh->class_of[i], c->g->ops.at[i].span.begin) +
                                            i - c->g->reach[i]);
  c->sh->form[i] = ts_hash_find(known, hash, same_form, f);
  if (c->sh->form[i] != TS_HASH_NONE)
    return;
  ts_hash_add(c->s->arena, known, hash, c->sh->form[i] = *forms);
  f->example[(*forms)++] = i;
}

static void find_forms(const ts_sharder *c)
{
  ts_arena *arena = c->s->arena;
  uint32_t count = (uint32_t)c->g->ops.count, forms = 0, group = 0;
  size_t runs = 0;
  ts_hash_table known = {0};
  formed f = {c, TS_NEW_ARRAY(arena, uint32_t, count), TS_NEW_ARRAY(arena, uint32_t, count), 0};
  for (uint32_t i = 0; i < count; i++) {
    f.after[i] = group;
    group = c->sh->recompute_group[i] ? c->sh->recompute_group[i] : group;
  }
  while (f.op < count) {
    const ts_graph_run *run = run_at(c->g, f.op, &runs);
    bool again = run && same_forms(c, run, f.op);
    if (!again)
      find_form(&f, &known, &forms);
    f.op += again ? run->ops : 1;
  }
}

static ts_sharding *shard(ts_session *s, const ts_plan *plan, const ts_graph *g)
{
  ts_sharding *sh = TS_NEW(s->arena, ts_sharding);
  unsigned errors = ts_diags_errors(s->diags);
  ts_sharder c = {.s = s, .plan = plan, .g = g, .sh = sh};
  sh->class_of = TS_NEW_ARRAY(s->arena, uint32_t, g->ops.count);
  sh->form = TS_NEW_ARRAY(s->arena, uint32_t, g->ops.count);
  sh->layouts = TS_NEW_ARRAY(s->arena, ts_layout, g->tensors.count + 1);
  sh->recompute_group = TS_NEW_ARRAY(s->arena, uint32_t, g->ops.count);
  sh->recompute_discards = TS_NEW_ARRAY(s->arena, bool, g->ops.count);
  for (size_t i = 0; i < g->tensors.count; i++)
    sh->layouts[i].rule = TS_NO_INDEX;
  ts_rules_collect(s, plan, sh);
  for (size_t i = 0; i < sh->rules.count; i++)
    ts_rule_remember(s, &sh->rules.at[i], g);
  c.candidates = TS_NEW_ARRAY(s->arena, ts_candidates, g->pattern_count + 1);
  shard_ops(&c);
  ts_rules_unused(s, g, sh);
  if (ts_diags_errors(s->diags) == errors) {
    ts_sharder_groups(&c);
    ts_sharder_unsummed(&c);
  }
  group_ops(&c);
  find_forms(&c);
  ts_sharder_follow_ties(&c);
  return ts_diags_errors(s->diags) > errors ? NULL : sh;
}

/* -- for several plans -- */

static ts_kernels copy_kernels(ts_arena *arena, ts_kernels k)
{
  return (ts_kernels){k.count, ts_arena_copy(arena, k.at, k.count * sizeof *k.at)};
}

/* Costs are written to kernels, and whether a rank holds a shared weight to slots. */
static ts_class copy_class(ts_arena *arena, const ts_op *op, ts_class class)
{
  class.local = ts_arena_copy(arena, class.local,
                              (op->slot_count + op->part_count + 1) * sizeof *class.local);
  for (int p = 0; p < TS_PHASES; p++) {
    class.work.phase[p] = copy_kernels(arena, class.work.phase[p]);
    class.own[p] = copy_kernels(arena, class.own[p]);
    class.rest[p] = copy_kernels(arena, class.rest[p]);
  }
  return class;
}

ts_sharding *ts_sharding_copy(ts_arena *arena, const ts_graph *g, const ts_sharding *from)
{
  ts_sharding *sh = ts_arena_copy(arena, from, sizeof *sh);
  sh->classes.at = TS_NEW_ARRAY(arena, ts_class, from->classes.count + 1);
  for (size_t i = 0; i < from->classes.count; i++)
    sh->classes.at[i] =
      copy_class(arena, &g->ops.at[from->classes.at[i].op], from->classes.at[i]);
  return sh;
}

/* It sees no more of the plan than what it is kept by: the graph stands for the model and the
 * micro-batch. */
const ts_sharding *ts_shard(ts_session *s, const ts_plan *plan, const ts_graph *g)
{
  if (!s->reuse->plan_cache)
    return shard(s, plan, g);
  const ts_sharding *cached = ts_plan_cache_get(s, g, 0);
  if (cached)
    return cached;
  ts_touched from = plan->touched;
  ts_touch(&from, plan->laid_out_by);
  ts_plan seen = {.name = plan->name,
                  .decl = plan->decl,
                  .env = plan->env,
                  .apply = plan->apply,
                  .recompute = plan->recompute,
                  .precision = plan->precision,
                  .micro_batch = plan->micro_batch};
  memcpy(seen.span_of, plan->span_of, sizeof seen.span_of);
  ts_noting before = ts_noting_begin(s, from);
  ts_sharding *sh = shard(s, &seen, g);
  ts_touched touched = ts_noting_end(s, &before);
  if (sh)
    ts_plan_cache_put(s, &before, touched, g, 0, sh);
  return sh;
}
