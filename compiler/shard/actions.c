/* What the rules ask of an op: splits, sets and shards, noted in its class before anything is laid
 * out. */
#include <string.h>

#include "base/diag_record.h"
#include "compiler/eval/action_form.h"
#include "compiler/eval/function.h"
#include "compiler/eval/mesh.h"
#include "compiler/eval/report.h"
#include "compiler/eval/running.h"
#include "compiler/shard/internal.h"
#include "compiler/shard/layout.h"

static bool actions_is_word(const char *a, const char *b) { return a && !strcmp(a, b); }

void ts_rule_note(const ts_sharding *sh, ts_diag *d, uint32_t rule, ts_span span, const char *does)
{
  if (rule != TS_NO_INDEX)
    ts_diag_note_at(d, span, "rule `%s` of `%s` %s", sh->rules.at[rule].ast->name,
                    sh->rules.at[rule].strategy, does);
}

uint32_t ts_sharder_repeats(const ts_sharder *c)
{
  uint32_t count = 0;
  for (size_t i = 0; i < c->g->ops.count; i++)
    count += c->g->ops.at[i].span.begin == c->op->span.begin &&
             c->g->ops.at[i].span.file == c->op->span.file && c->g->ops.at[i].kind == c->op->kind;
  return count;
}

void ts_sharder_note_repeats(const ts_sharder *c, ts_diag *d)
{
  uint32_t count = ts_sharder_repeats(c);
  if (count < 2)
    return;
  ts_diag_note(d, "it is the first of %u ops labelled `%s`", count,
               ts_label_pattern(c->s->arena, c->op->label));
  ts_diag_more(d, count - 1);
}

bool ts_sharder_axes(ts_sharder *c, const ts_env *env, const ts_ast *expr, uint32_t *axes)
{
  ts_value v = ts_eval(c->s, env, expr);
  *axes = 0;
  if (v.type == TS_T_INT && v.u.integer > 1 && c->by_name)
    v = ts_eval_axis(c->s, env, expr);
  if (v.type == TS_T_AXIS)
    *axes = ts_axes_effective(c->s, v.u.axes.mask);
  else if (v.type != TS_T_ERROR && (v.type != TS_T_INT || v.u.integer != 1)) {
    ts_diag *d = ts_diag_add(c->s->diags, TS_E0220, expr->span, "`over` needs an axis of the mesh");
    ts_diag_here(d, "found %s", ts_value_describe(c->s->arena, v));
    return false;
  }
  return v.type != TS_T_ERROR;
}

static bool eval_axes(ts_sharder *c, const ts_env *env, const ts_ast *expr, uint32_t *axes)
{
  return ts_sharder_axes(c, env, expr, axes) || ts_sharder_fail(c);
}

bool ts_sharder_dim(ts_sharder *c, const ts_env *env, const ts_ast *expr, const ts_slot *slot,
                    int32_t *dim)
{
  int64_t at = 0;
  if (!ts_eval_int(c->s, env, expr, "a dimension", &at))
    return ts_sharder_fail(c);
  int64_t rank = slot->shape.rank, index = at < 0 ? at + rank : at;
  if (index < 0 || index >= rank) {
    ts_diag *d =
      ts_diag_add(c->s->diags, TS_E0318, expr->span, "`%s` of `%s` has no dimension %lld",
                  slot->name, c->op->label, (long long)at);
    ts_diag_here(d, "its dimensions are 0 to %lld", (long long)rank - 1);
    return ts_sharder_fail(c);
  }
  *dim = (int32_t)index;
  return true;
}

static const char *divisors(ts_session *s, int64_t n)
{
  const char *text = "";
  uint32_t count = 0;
  int64_t last = 0;
  for (int64_t i = 1; i <= n && i <= 4096 && count < 12; i++)
    if (n % i == 0) {
      text = ts_arena_printf(s->arena, "%s%s%lld", text, *text ? ", " : "", (long long)i);
      last = i;
      count++;
    }
  return ts_arena_printf(s->arena, "%s%s", text, last < n ? ", ..." : "");
}

static int64_t greatest_common(int64_t a, int64_t b) { return b ? greatest_common(b, a % b) : a; }

/* The same ranks fail to divide something else: one cause, one message. */
static bool join_indivisible(ts_sharder *c, const char *what, int64_t n, ts_span where,
                             uint32_t axes)
{
  enum { MOST_TOLD = 4 };
  ts_arena *arena = c->s->arena;
  for (size_t i = 0; i < c->sh->indivisible.count; i++) {
    struct ts_indivisible *u = &c->sh->indivisible.at[i];
    if (u->axes != axes)
      continue;
    const char *other = ts_arena_printf(arena, "%lld %s (`%s`)", (long long)n, what,
                                        ts_label_pattern(arena, c->op->label));
    bool known = u->last == n && u->where.file == where.file && u->where.begin == where.begin;
    u->last = n;
    if (known)
      return true;
    if (!strstr(u->others, other) && u->kinds < MOST_TOLD)
      u->others = ts_arena_printf(arena, "%s%s%s", u->others, u->kinds ? ", " : "", other);
    else if (!strstr(u->others, other) && u->kinds == MOST_TOLD)
      u->others = ts_arena_printf(arena, "%s, ...", u->others);
    if (!u->kinds++ && where.file == u->d->primary.file && where.begin != u->where.begin)
      ts_diag_label(u->d, where, "%lld %s", (long long)n, what);
    u->where = where;
    u->common = greatest_common(u->common, n);
    if (u->note == SIZE_MAX) {
      ts_diag_note(u->d, "%s", "");
      u->note = u->d->children.count - 1;
      /* the help stays last */
      ts_diag_child note = u->d->children.at[u->note];
      u->d->children.at[u->note] = u->d->children.at[u->help];
      u->d->children.at[u->help] = note;
      u->note = u->help++;
    }
    u->d->children.at[u->note].text =
      ts_arena_printf(u->d->arena, "nor do they divide %s", u->others);
    u->d->children.at[u->help].text =
      ts_arena_printf(u->d->arena, "with `%s` of %s all of them are divided",
                      ts_axes_name(c->s, axes), divisors(c->s, u->common));
    return true;
  }
  return false;
}

/* A rule that splits samples belongs to a strategy for models of another kind: then the batch is
 * not what is wrong. */
static bool help_absent(ts_sharder *c, ts_diag *d, uint32_t rule)
{
  const char *names, *kinds;
  if (rule == TS_NO_INDEX ||
      !ts_rules_absent(c->s, c->g, c->sh, ts_rule_at(c, rule), &names, &kinds))
    return false;
  const char *strategy = ts_rule_at(c, rule)->strategy;
  ts_diag_note(d, "the model has no op of kind %s, which `%s` is for: %s of it match nothing", kinds,
               strategy, names);
  ts_diag_help(d, "leave `%s` out, or take a model with such ops", strategy);
  return true;
}

/* `n` is what an earlier split by `before` left of the whole, or the whole where that is
 * TS_NO_INDEX. */
bool ts_sharder_indivisible(ts_sharder *c, const char *what, int64_t n, ts_span where,
                            uint32_t axes, uint32_t rule, ts_span action, uint32_t before)
{
  int64_t size = ts_axes_size(c->s, axes);
  bool samples = n == c->plan->micro_batch && where.begin == c->op->span.begin;
  uint32_t a = 0;
  if (before == TS_NO_INDEX && !samples && join_indivisible(c, what, n, where, axes))
    return ts_sharder_fail(c);
  while (a + 1 < c->s->mesh->count && !(axes >> a & 1))
    a++;
  ts_diag *d =
    ts_diag_add(c->s->diags, TS_E0304, c->s->mesh->axis[a].span,
                "cannot split %lld %s over %lld ranks", (long long)n, what, (long long)size);
  ts_diag_here(d, "%lld does not divide %lld", (long long)size, (long long)n);
  if (before == TS_NO_INDEX)
    ts_diag_label(d, where, "%lld %s", (long long)n, what);
  else
    ts_diag_label(d, where, "split already");
  ts_rule_note(c->sh, d, rule, action, "asks for this split");
  if (before != TS_NO_INDEX)
    ts_rule_note(c->sh, d, before, ts_rule_at(c, before)->ast->span, "splits them already");
  ts_sharder_note_repeats(c, d);
  if (samples && help_absent(c, d, rule))
    return ts_sharder_fail(c);
  if (samples)
    ts_diag_help(d,
                 "`micro` of the plan's `batch` is the sum over the ranks that share the samples: "
                 "make it a multiple of %lld",
                 (long long)size);
  else
    ts_diag_help(d, "%lld is divided by %s", (long long)n, divisors(c->s, n));
  if (before == TS_NO_INDEX && !samples)
    TS_PUSH(c->s->arena, &c->sh->indivisible,
            (struct ts_indivisible){.d = d,
                                    .axes = axes,
                                    .common = n,
                                    .where = where,
                                    .last = n,
                                    .others = "",
                                    .note = SIZE_MAX,
                                    .help = d->children.count - 1});
  return ts_sharder_fail(c);
}

static bool split_arg(ts_sharder *c, const ts_ast *item, uint32_t axes, uint32_t rule,
                      ts_span action)
{
  const ts_ast *params = ts_ast_params(c->op->decl);
  for (uint32_t f = 0; f < c->op->arg_count; f++) {
    if (params->child[f]->name != item->name || c->class->args[f].type != TS_T_INT)
      continue;
    int64_t n = c->class->args[f].u.integer, size = ts_axes_size(c->s, axes);
    if (n % size)
      return ts_sharder_indivisible(c, item->name, n, c->op->args[f].span, axes, rule, action,
                                    c->arg_axes[f] ? c->arg_rules[f] : TS_NO_INDEX);
    c->class->args[f].u.integer = n / size;
    c->arg_axes[f] |= axes;
    c->arg_rules[f] = rule;
    return true;
  }
  const char *names[32];
  size_t n = 0;
  for (uint32_t i = 0; i < c->op->slot_count && n < 32; i++)
    names[n++] = c->op->slots[i].name;
  for (uint32_t f = 0; f < c->op->arg_count && n < 32; f++)
    if (c->op->args[f].type == TS_T_INT)
      names[n++] = params->child[f]->name;
  const char *best[3];
  ts_diag *d = ts_diag_add(c->s->diags, TS_E0219, item->name_span,
                           "`%s` has no tensor or Int argument `%s`", c->op->kind, item->name);
  ts_diag_here(d, "matched for `%s`", c->op->label);
  if (ts_suggest(item->name, names, n, best))
    ts_diag_help(d, "did you mean `%s`?", best[0]);
  return ts_sharder_fail(c);
}

static bool split_slot(ts_sharder *c, const ts_env *env, const ts_ast *item, uint32_t slot,
                       uint32_t axes, uint32_t rule, ts_span action)
{
  int32_t dim = 0;
  const ts_slot *t = &c->op->slots[slot];
  if (!t->present)
    return true;
  if (!ts_ast_dim(item)) {
    ts_diag *d = ts_diag_add(c->s->diags, TS_E0318, item->span, "which dimension of `%s` is split?",
                             item->name);
    ts_diag_here(d, "write `%s dim 0`", item->name);
    return ts_sharder_fail(c);
  }
  if (!ts_sharder_dim(c, env, ts_ast_dim(item), t, &dim))
    return false;
  ts_layout *requested = &c->requested[slot];
  uint32_t before = requested->split[dim] ? requested->rule : TS_NO_INDEX;
  requested->split[dim] |= axes;
  requested->rule = rule;
  if (t->shape.dim[dim] % ts_axes_size(c->s, requested->split[dim]))
    return ts_sharder_indivisible(c, ts_arena_printf(c->s->arena, "of `%s` dim %d", t->name, dim),
                                  t->shape.dim[dim], c->op->span, requested->split[dim], rule,
                                  action, before);
  return true;
}

static bool do_split(ts_sharder *c, const ts_env *env, const ts_ast *action, uint32_t rule)
{
  uint32_t axes = 0;
  if (!eval_axes(c, env, ts_ast_axes(action), &axes))
    return false;
  ts_ast_list items = ts_ast_items(action);
  bool good = true; /* what else cannot be split belongs to the same message */
  for (uint32_t i = 0; i < items.count; i++) {
    const ts_ast *item = items.at[i];
    bool gradient;
    uint32_t slot = ts_op_slot(c->op, item->name, &gradient);
    good &= slot != TS_NO_INDEX && !gradient ?
              split_slot(c, env, item, slot, axes, rule, action->span) :
              split_arg(c, item, axes, rule, action->span);
  }
  return good;
}

static void do_replicate(ts_sharder *c, const ts_ast *action)
{
  bool gradient;
  ts_ast_list names = ts_ast_names(action);
  for (uint32_t i = 0; i < names.count; i++) {
    uint32_t slot = ts_op_slot(c->op, names.at[i]->name, &gradient);
    if (slot != TS_NO_INDEX)
      c->requested[slot] = (ts_layout){.rule = TS_NO_INDEX};
  }
}

/* What any op has, besides its arguments: `host`, what issuing one of its kernels takes the host,
 * and `sync`, whether the host waits for the end of its forward. */
static bool set_host(ts_sharder *c, const ts_env *env, const ts_ast *action, bool *known)
{
  bool sync = actions_is_word(action->name, "sync");
  *known = sync || actions_is_word(action->name, "host");
  if (!*known)
    return true;
  ts_value v = ts_eval(c->s, env, ts_ast_value(action));
  if (v.type == TS_T_ERROR)
    return ts_sharder_fail(c);
  if (sync && v.type == TS_T_BOOL) {
    c->class->sync = v.u.truth;
    return true;
  }
  if (!sync && v.type == TS_T_QUANTITY && ts_dimension_equal(v.dimension, TS_DIM_TIME) &&
      v.u.real >= 0 && v.u.real < 1e6) {
    c->class->host = (int64_t)(v.u.real * 1e12 + 0.5);
    return true;
  }
  ts_diag *d = ts_diag_add(c->s->diags, TS_E0220, ts_ast_value(action)->span,
                           sync ? "`sync` is true or false" : "`host` is a Time from 0 on");
  ts_diag_here(d, "found %s", ts_value_describe(c->s->arena, v));
  return ts_sharder_fail(c);
}

static bool too_large(ts_sharder *c, const ts_ast *action, int64_t n, uint32_t axes)
{
  ts_diag *d = ts_report(c->s, TS_E0225, ts_ast_value(action)->span,
                         "`%s` would be more than a number can be", action->name);
  ts_diag_here(d, "%lld on each of %lld ranks", (long long)n,
               (long long)ts_axes_size(c->s, axes));
  return ts_sharder_fail(c);
}

/* Which weights there are and are trained decides what gradients the graph has, before any rule: it
 * is the model's to say. */
static bool keeps_weights(ts_sharder *c, const ts_ast *action)
{
  const ts_op *op = c->op;
  ts_slot *slots = ts_arena_copy(c->s->arena, op->slots,
                                 (op->slot_count + op->part_count) * sizeof *slots);
  ts_op_scope scope = {
    .s = c->s, .plan = c->plan, .op = op, .slots = slots, .args = c->set, .quiet = true};
  if (!op->param_count)
    return true;
  if (!ts_op_shapes(&scope))
    return ts_sharder_fail(c);
  for (uint32_t i = op->input_count; i < op->input_count + op->param_count; i++) {
    bool freezes = slots[i].present && slots[i].frozen != op->slots[i].frozen;
    if (slots[i].present == op->slots[i].present && !freezes)
      continue;
    ts_diag *d = ts_report(c->s, TS_E0220, action->span,
                           "a rule cannot change %s weights an op %s", freezes ? "which" : "what",
                           freezes ? "trains" : "has");
    ts_diag_here(d, "`%s` of `%s` would %s", slots[i].name, op->label,
                 freezes           ? slots[i].frozen ? "be frozen" : "be trained" :
                 slots[i].present  ? "be there" :
                                     "not be there");
    ts_diag_label(d, op->span, "the op");
    ts_diag_help(d, "give `%s` to the op in the model: gradients, state of the optimizer and FLOPs "
                    "follow it",
                 action->name);
    return ts_sharder_fail(c);
  }
  return true;
}

static bool do_set(ts_sharder *c, const ts_env *env, const ts_ast *action)
{
  const ts_ast *params = ts_ast_params(c->op->decl);
  for (uint32_t f = 0; f < c->op->arg_count; f++)
    if (params->child[f]->name == action->name) {
      ts_value v = ts_eval(c->s, env, ts_ast_value(action));
      if (v.type == TS_T_ERROR)
        return ts_sharder_fail(c);
      if (!c->set)
        c->set = ts_arena_copy(c->s->arena, c->op->args, (c->op->arg_count + 1) * sizeof *c->set);
      c->class->args[f] = c->set[f] = v;
      /* the rule saw its part of what is split already: the whole op has that many more */
      if (v.type == TS_T_INT &&
          __builtin_mul_overflow(v.u.integer, ts_axes_size(c->s, c->arg_axes[f]),
                                 &c->set[f].u.integer))
        return too_large(c, action, v.u.integer, c->arg_axes[f]);
      return keeps_weights(c, action);
    }
  bool known, good = set_host(c, env, action, &known);
  if (known)
    return good;
  ts_diag *d = ts_diag_add(c->s->diags, TS_E0219, action->name_span, "`%s` has no argument `%s`",
                           c->op->kind, action->name);
  ts_diag_here(d, "matched for `%s`", c->op->label);
  return ts_sharder_fail(c);
}

/* `shard(parameters, over: d, above: n)`: tensors of at most n elements on a rank stay whole. */
static bool above(ts_sharder *c, const ts_env *env, const ts_ast *action)
{
  const ts_ast *expr = ts_action_given(action, "above");
  int64_t *n = &c->class->whole_up_to;
  if (!expr)
    return true;
  if (!ts_eval_int(c->s, env, expr, "a number of elements", n))
    return ts_sharder_fail(c);
  if (*n >= 0 && actions_is_word(ts_action_subject(action)->name, "parameters"))
    return true;
  ts_diag *d = ts_report(c->s, TS_E0225, expr->span,
                         "`above` is the most elements of a tensor of `parameters` that stays whole");
  if (*n < 0)
    ts_diag_here(d, "must be 0 or more; found %lld", (long long)*n);
  else
    ts_diag_here(d, "only parameters are kept whole by their size");
  return ts_sharder_fail(c);
}

static bool do_shard(ts_sharder *c, const ts_env *env, const ts_ast *action, uint32_t rule)
{
  uint32_t axes = 0;
  if (!ts_action_fits(c->s, action))
    return ts_sharder_fail(c);
  if (!eval_axes(c, env, ts_action_given(action, "over"), &axes) || !above(c, env, action))
    return false;
  const char *what = ts_action_subject(action)->name;
  c->class->shard_rule = rule;
  if (actions_is_word(what, "parameters"))
    c->class->parameter_axes |= axes;
  else if (actions_is_word(what, "gradients"))
    c->class->gradient_axes |= axes;
  else
    c->class->optimizer_axes |= axes;
  return true;
}

static bool act(ts_sharder *c, const ts_env *env, const ts_ast *action, uint32_t rule)
{
  switch (action->kind) {
  case TS_AST_SPLIT: return do_split(c, env, action, rule);
  case TS_AST_REPLICATE: do_replicate(c, action); return true;
  case TS_AST_COMM: return ts_sharder_comm(c, env, action, rule);
  case TS_AST_SHARD: return do_shard(c, env, action, rule);
  case TS_AST_SET: return do_set(c, env, action);
  case TS_AST_OFFLOAD: return ts_sharder_offload(c, env, action, rule);
  case TS_AST_TIE: return ts_sharder_tie(c, env, action, rule);
  default: return true; /* recompute: per op, see groups below */
  }
}

/* Errors in what a rule asks for say where its strategy is applied. */
static bool run_rule(ts_sharder *c, const ts_op_scope *scope, uint32_t index)
{
  const ts_rule *rule = ts_rule_at(c, index);
  const ts_env *env = ts_op_rule_env(scope, rule->env);
  ts_frame frame = {rule->strategy, rule->applied, c->s->running->frame};
  bool ok = true;
  c->by_name = rule->changed;
  c->s->running->frame = &frame;
  ts_ast_list actions = ts_ast_actions(rule->ast);
  for (uint32_t k = 0; k < actions.count && ok; k++)
    ok = act(c, env, actions.at[k], index);
  c->s->running->frame = frame.outer;
  return ok;
}

/* A rule sees the arguments as the rules before it left them: set, or divided. */
bool ts_sharder_rules(ts_sharder *c)
{
  ts_op_scope scope = {
    .s = c->s, .plan = c->plan, .op = c->op, .slots = c->op->slots, .args = c->class->args};
  for (uint32_t i = 0; i < c->class->rule_count; i++)
    if (!run_rule(c, &scope, c->class->rules[i]))
      return false;
  return true;
}
