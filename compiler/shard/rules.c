/* Strategies as lists of rules: which ops a rule matches, and the warning for one that matches
 * none. */
#include <string.h>

#include "base/diag_record.h"
#include "compiler/eval/env.h"
#include "compiler/eval/function.h"
#include "compiler/eval/lifetime.h"
#include "compiler/eval/report.h"
#include "compiler/eval/running.h"
#include "compiler/shard/shard.h"

typedef TS_VEC(const char *) names;

static void add_pattern(ts_session *s, names *patterns, ts_value v)
{
  if (v.type == TS_T_LABEL || v.type == TS_T_STRING)
    TS_PUSH(s->arena, patterns, v.u.string);
  else if (v.type == TS_T_LIST)
    for (uint32_t i = 0; i < v.u.list->count; i++)
      add_pattern(s, patterns, v.u.list->at[i]);
  else if (v.type != TS_T_NONE && v.type != TS_T_ERROR)
    ts_diag_here(ts_report(s, TS_E0220, v.span, "what a rule matches is labelled by text"),
                 "found %s", ts_value_describe(s->arena, v));
}

/* A bare word after `match` is a kind of op; one after `as` names a value: a Label, or a list of
 * such. */
static void read_match(ts_session *s, ts_rule *rule)
{
  const ts_ast *match = ts_ast_match(rule->ast);
  names kinds = {0}, patterns = {0};
  ts_ast_list written = ts_ast_patterns(match);
  for (uint32_t i = 0; i < written.count; i++) {
    const ts_ast *item = written.at[i];
    if (item->kind == TS_AST_NAME)
      TS_PUSH(s->arena, &kinds, item->name);
    else
      add_pattern(s, &patterns, ts_eval_label(s, rule->env, item));
  }
  if (ts_ast_where(match))
    ts_op_names_add(s->arena, &rule->requested, ts_ast_where(match));
  rule->kinds = kinds.at;
  rule->kind_count = (uint32_t)kinds.count;
  rule->patterns = patterns.at;
  rule->pattern_count = (uint32_t)patterns.count;
  for (uint32_t i = 0; i < rule->pattern_count; i++)
    rule->numbered |= rule->patterns[i][strcspn(rule->patterns[i], "0123456789")] != 0;
}

ts_value ts_rules_change(ts_session *s, const ts_env *env, ts_value v, const ts_ast *with)
{
  if (!v.u.applied->decl || v.u.applied->decl->kind != TS_AST_STRATEGY)
    return ts_unchangeable(s, v, with);
  ts_ast_list written = ts_ast_changes(with);
  for (uint32_t i = 0; i < written.count; i++)
    if (written.at[i]->kind != TS_AST_RULE && written.at[i]->kind != TS_AST_REMOVE) {
      ts_diag_here(ts_report(s, TS_E0220, written.at[i]->span, "a strategy has only rules"),
                   "write `rule NAME { ... }` or `remove NAME`");
      return ts_error_value();
    }
  ts_changes *changes = TS_NEW(s->arena, ts_changes);
  *changes = (ts_changes){with, env, v.u.applied->changes};
  ts_applied *changed = TS_NEW(s->arena, ts_applied);
  *changed = *v.u.applied;
  changed->changes = changes;
  v.u.applied = changed;
  v.span = with->span;
  return v;
}

static size_t rule_named(const ts_sharding *sh, size_t first, const char *name)
{
  while (first < sh->rules.count && sh->rules.at[first].ast->name != name)
    first++;
  return first;
}

static void remove_rule(ts_session *s, ts_sharding *sh, size_t first, const ts_applied *strategy,
                        const ts_ast *node)
{
  size_t at = rule_named(sh, first, node->name);
  if (at < sh->rules.count) {
    memmove(&sh->rules.at[at], &sh->rules.at[at + 1],
            (sh->rules.count - at - 1) * sizeof *sh->rules.at);
    sh->rules.count--;
    return;
  }
  ts_name_list names = {0};
  for (size_t i = first; i < sh->rules.count; i++)
    TS_PUSH(s->arena, &names.names, sh->rules.at[i].ast->name);
  ts_diag *d = ts_report(s, TS_E0219, node->name_span, "`%s` has no rule `%s`",
                         strategy->decl->name, node->name);
  ts_diag_here(d, "nothing to remove");
  ts_diag_note_at(d, strategy->decl->name_span, "its rules are %s",
                  names.names.count ? ts_name_list_print(s, &names) : "none");
}

/* Rules that a plan adds see its names and the strategy's arguments. One with the name of an
 * earlier rule takes its place. */
static void rules_change(ts_session *s, ts_sharding *sh, size_t first, const ts_applied *strategy,
                         const ts_changes *changes)
{
  if (changes->before)
    rules_change(s, sh, first, strategy, changes->before);
  ts_env *env = ts_env_new(s, changes->env);
  for (uint32_t i = 0; i < strategy->args.count; i++)
    ts_env_bind(env, strategy->args.at[i].name, *strategy->args.at[i].value);
  ts_ast_list written = ts_ast_changes(changes->with);
  for (uint32_t i = 0; i < written.count; i++) {
    const ts_ast *node = written.at[i];
    if (node->kind == TS_AST_REMOVE) {
      remove_rule(s, sh, first, strategy, node);
      continue;
    }
    ts_rule rule = {.ast = node,
                    .env = env,
                    .strategy = strategy->decl->name,
                    .applied = strategy->span,
                    .changed = true};
    read_match(s, &rule);
    size_t at = rule_named(sh, first, node->name);
    if (at == sh->rules.count) {
      TS_PUSH(s->arena, &sh->rules, rule);
      continue;
    }
    rule.replaced = sh->rules.at[at].ast;
    sh->rules.at[at] = rule;
  }
}

static void rules_collect(ts_session *s, ts_sharding *sh, const ts_applied *strategy)
{
  ts_env *env = ts_bind_record(s, strategy->env, strategy->decl, &strategy->args);
  size_t first = sh->rules.count;
  if (!env)
    return;
  ts_ast_list items = ts_ast_items(strategy->decl);
  for (uint32_t i = 0; i < items.count; i++) {
    const ts_ast *item = items.at[i];
    if (item->kind == TS_AST_LET)
      ts_env_bind(env, item->name, ts_eval_let(s, env, item));
    if (item->kind != TS_AST_RULE)
      continue;
    ts_rule rule = {
      .ast = item, .env = env, .strategy = strategy->decl->name, .applied = strategy->span};
    read_match(s, &rule);
    TS_PUSH(s->arena, &sh->rules, rule);
  }
  if (strategy->changes)
    rules_change(s, sh, first, strategy, strategy->changes);
}

void ts_rules_collect(ts_session *s, const ts_plan *plan, ts_sharding *sh)
{
  if (plan->apply.type == TS_T_LIST)
    for (uint32_t i = 0; i < plan->apply.u.list->count; i++)
      if (plan->apply.u.list->at[i].type == TS_T_APPLIED)
        rules_collect(s, sh, plan->apply.u.list->at[i].u.applied);
  if (plan->recompute.type == TS_T_APPLIED)
    rules_collect(s, sh, plan->recompute.u.applied);
}

static bool kind_matches(const ts_rule *rule, const ts_op *op)
{
  for (uint32_t i = 0; i < rule->kind_count; i++)
    if (rule->kinds[i] == op->kind)
      return true;
  return rule->kind_count == 0;
}

static bool some_pattern_matches(const ts_rule *rule, const ts_op *op)
{
  size_t length;
  for (uint32_t i = 0; i < rule->pattern_count; i++)
    if (ts_label_match(rule->patterns[i], op->label, &length))
      return true;
  return rule->pattern_count == 0;
}

enum { UNKNOWN, NO, YES };

/* Labels that differ in numbers alone match the same patterns without any. */
static bool pattern_matches(ts_rule *rule, const ts_op *op)
{
  if (!rule->pattern_count || rule->numbered || !rule->met)
    return some_pattern_matches(rule, op);
  uint8_t *met = &rule->met[op->pattern_index];
  if (*met == UNKNOWN)
    *met = some_pattern_matches(rule, op) ? YES : NO;
  return *met == YES;
}

bool ts_rule_may_match(ts_rule *rule, const ts_op *op)
{
  return kind_matches(rule, op) && (rule->numbered || pattern_matches(rule, op));
}

/* The names of the op that the condition asks for; all of them at first, and where this op has
 * others of these than the first had: a message about one that is missing lists them. */
static const ts_env *names_for(ts_rule *rule, ts_op_scope *scope)
{
  scope->only = &rule->requested;
  ts_env *few = ts_op_rule_env(scope, rule->env);
  if (rule->bound == few->count + 1)
    return few;
  rule->bound = few->count + 1;
  scope->only = NULL;
  return ts_op_rule_env(scope, rule->env);
}

static bool asks_for(const ts_rule *rule, const char *name)
{
  for (size_t i = 0; i < rule->requested.at.count; i++)
    if (!strcmp(rule->requested.at.at[i], name))
      return true;
  return false;
}

/* Whether each `label` of the condition is one that `within` compares with patterns. */
static bool labels_are_compared(const ts_rule *rule, const ts_ast *expr)
{
  ts_value v;
  bool compares = expr->kind == TS_AST_CALL && ts_ast_function(expr)->kind == TS_AST_ID &&
                  !strcmp(ts_ast_function(expr)->name, "within") &&
                  ts_env_lookup(rule->env, ts_ast_function(expr)->name, &v) &&
                  v.type == TS_T_FUNCTION && v.u.function->kind == TS_FUNCTION_BUILTIN;
  const ts_ast *first = compares && ts_ast_args(expr).count ? ts_ast_args(expr).at[0] : NULL;
  if (first && ts_ast_value(first)->kind != TS_AST_ID)
    first = NULL;
  if (expr->kind == TS_AST_ID && !strcmp(expr->name, "label"))
    return false;
  for (uint32_t c = 0; c < expr->count; c++)
    if (expr->child[c] && expr->child[c] != first && !labels_are_compared(rule, expr->child[c]))
      return false;
  return true;
}

/* Labels, units and repeats are all that tells apart ops that are alike. */
void ts_rule_remember(ts_session *s, ts_rule *rule, const ts_graph *g)
{
  const ts_ast *where = ts_ast_where(ts_ast_match(rule->ast));
  rule->met = TS_NEW_ARRAY(s->arena, uint8_t, g->pattern_count + 1);
  if (!where)
    return;
  rule->asks = (asks_for(rule, "label") ? TS_RULE_LABEL : 0u) |
               (asks_for(rule, "unit") ? TS_RULE_UNIT : 0u) |
               (asks_for(rule, "repeats") ? TS_RULE_REPEATS : 0u);
  if (labels_are_compared(rule, where))
    rule->only_these = TS_NEW_ARRAY(s->arena, bool, g->ops.count + 1);
}

typedef struct answer_key {
  uint32_t alike, unit, repeats, pattern;
} answer_key;

/* Labels that differ in numbers alone lie within the same patterns without any. */
static answer_key answer_key_of(const ts_rule *rule, const ts_op *op)
{
  return (answer_key){.alike = rule->only_these[op->alike] ? TS_NO_INDEX : op->alike,
                      .unit = rule->asks & TS_RULE_UNIT ? op->unit : 0,
                      .repeats = rule->asks & TS_RULE_REPEATS ? op->repeats : 0,
                      .pattern = rule->asks & TS_RULE_LABEL ? op->pattern_index : 0};
}

static const bool *known_answer(const ts_rule *rule, const ts_op *op)
{
  if (!rule->only_these)
    return NULL;
  answer_key key = answer_key_of(rule, op);
  uint32_t found = ts_intern_find(&rule->answered, &key, sizeof key);
  return found == TS_HASH_NONE ? NULL : &rule->answers.at[found];
}

static void keep_answer(ts_arena *arena, ts_rule *rule, const ts_op *op, bool holds)
{
  uint32_t names = (uint32_t)__builtin_popcount(rule->asks);
  rule->only_these[op->alike] = rule->bound == names + 1;
  answer_key key = answer_key_of(rule, op);
  rule->answered.arena = arena;
  if (ts_intern_bytes(&rule->answered, &key, sizeof key) == rule->answers.count)
    TS_PUSH(arena, &rule->answers, holds);
}

/* False: it does not, or there was something to say. */
static bool condition_holds(ts_session *s, ts_rule *rule, const ts_plan *plan, const ts_op *op,
                            const ts_ast *where)
{
  bool holds = true;
  ts_op_scope scope = {.s = s, .plan = plan, .op = op, .slots = op->slots, .args = op->args};
  ts_arena *arena = s->arena;
  ts_session_scratch(s); /* nothing of it stays but the answer */
  bool good = ts_eval_bool(s, names_for(rule, &scope), where, "the condition of a rule", &holds);
  s->arena = arena;
  return good && holds;
}

bool ts_rule_matches(ts_session *s, ts_rule *rule, const ts_plan *plan, const ts_op *op)
{
  if (!kind_matches(rule, op) || !pattern_matches(rule, op))
    return false;
  const ts_ast *where = ts_ast_where(ts_ast_match(rule->ast));
  if (!where)
    return true;
  const bool *known = known_answer(rule, op);
  if (known)
    return *known;
  size_t said = s->diags->all.count;
  s->running->numbered = false;
  bool holds = condition_holds(s, rule, plan, op, where);
  if (rule->only_these && !s->running->numbered && s->diags->all.count == said &&
      !ts_diags_errors(s->diags))
    keep_answer(s->arena, rule, op, holds);
  return holds;
}

/* -- rules that match nothing -- */

static const char *last_part(const char *label)
{
  const char *dot = strrchr(label, '.');
  return dot ? dot + 1 : label;
}

typedef struct tally { const char *name; bool inside; uint32_t count; } tally;

static size_t count_labels(const ts_graph *g, const ts_rule *rule, tally *found, size_t room)
{
  size_t n = 0;
  for (size_t i = 0; i < g->ops.count; i++) {
    const ts_op *op = &g->ops.at[i];
    if (!kind_matches(rule, op))
      continue;
    const char *name = last_part(op->label);
    size_t k = 0;
    while (k < n && strcmp(found[k].name, name))
      k++;
    if (k == n && n < room)
      found[n++] = (tally){name, name != op->label, 0};
    if (k < n)
      found[k].count++;
  }
  return n;
}

static const char *list_labels(ts_arena *arena, const tally *found, size_t n)
{
  const char *text = "";
  for (size_t i = 0; i < n; i++)
    text = ts_arena_printf(arena, "%s%s`%s%s` (%u)", text, i ? ", " : "",
                           found[i].inside ? "*." : "", found[i].name, found[i].count);
  return text;
}

static const char *list_kinds(ts_session *s, const ts_rule *rule)
{
  return rule->kind_count ? ts_listed(s->arena, rule->kinds, rule->kind_count) : "all";
}

static void help_pattern(ts_session *s, ts_diag *d, const ts_rule *rule, const tally *found,
                         size_t n)
{
  const char *candidates[16];
  const char *best[3];
  for (size_t i = 0; i < n; i++)
    candidates[i] =
      found[i].inside ? ts_arena_printf(s->arena, "*.%s", found[i].name) : found[i].name;
  const char *text = "";
  for (uint32_t i = 0; i < rule->pattern_count; i++)
    if (ts_suggest(rule->patterns[i], candidates, n, best))
      text = ts_arena_printf(s->arena, "%s%s\"%s\"", text, *text ? " | " : "", best[0]);
  if (*text)
    ts_diag_help(
      d, "did you mean `%s`? If it is meant to match nothing here, mark the rule `optional`", text);
  else
    ts_diag_help(d, "`tsc --list-ops` prints all labels; if it is meant to match nothing here, "
                    "mark the rule `optional`");
}

typedef struct label_list { TS_VEC(const char *) at; } label_list;

/* Labels as they may be written: in full, and from every dot on, with as many dots as the one that
 * was looked for. */
static label_list labels_like(ts_session *s, const ts_graph *g, const char *found)
{
  label_list list = {0};
  size_t dots = 0;
  for (const char *c = found; *c; c++)
    dots += *c == '.';
  for (size_t i = 0; i < g->ops.count; i++) {
    const char *label = ts_label_pattern(s->arena, g->ops.at[i].label), *at = label + strlen(label);
    for (size_t seen = 0; at > label && (at[-1] != '.' || seen++ < dots); at--)
      ;
    bool known = false;
    for (size_t k = 0; k < list.at.count && !known; k++)
      known = strcmp(list.at.at[k], at) == 0;
    if (!known)
      TS_PUSH(s->arena, &list.at, at);
  }
  return list;
}

void ts_label_help(ts_session *s, const ts_graph *g, ts_diag *d, const char *written, ts_span span)
{
  const ts_source *source = ts_sources_get(s->sources, span.file);
  const char *best[3], *quote = source && source->text[span.begin] == '"' ? "\"" : "";
  label_list list = labels_like(s, g, written);
  if (ts_suggest(written, list.at.at, list.at.count, best))
    ts_diag_edit(d, span, ts_arena_printf(s->arena, "%s%s%s", quote, best[0], quote),
                 "a label with a similar name exists");
  ts_diag_note(d, "`tsc --list-ops` prints all labels");
}

static void report_unknown_label(ts_session *s, const ts_graph *g, const ts_rule *rule,
                                 ts_value label)
{
  ts_diag *d = ts_report(s, TS_E0203, label.span, "no op is labelled `%s`", label.u.string);
  ts_diag_here(d, "matches 0 of %zu ops", g->ops.count);
  ts_diag_note_at(d, rule->ast->span, "rule `%s` of `%s` matches it", rule->ast->name,
                  rule->strategy);
  ts_label_help(s, g, d, label.u.string, label.span);
}

/* The first label of these that the strategy was given where it is applied, and that no op has; of
 * no type: there is none. */
static ts_value unknown_among(const ts_graph *g, const ts_rule *rule, ts_value v)
{
  ts_value found = ts_none_value();
  size_t length;
  for (uint32_t i = 0; v.type == TS_T_LIST && i < v.u.list->count && found.type == TS_T_NONE; i++)
    found = unknown_among(g, rule, v.u.list->at[i]);
  bool given = v.type == TS_T_LABEL && v.span.file == rule->applied.file &&
               v.span.begin >= rule->applied.begin && v.span.end <= rule->applied.end;
  for (size_t k = 0; k < g->ops.count && given; k++)
    given = !ts_label_match(v.u.string, g->ops.at[k].label, &length);
  return given ? v : found;
}

/* A label that the plan gives as an argument has to be one of the model's. */
static bool unknown_label(ts_session *s, const ts_graph *g, const ts_rule *rule)
{
  const ts_ast *match = ts_ast_match(rule->ast);
  ts_ast_list patterns = ts_ast_patterns(match);
  for (uint32_t i = 0; i < patterns.count; i++) {
    if (patterns.at[i]->kind != TS_AST_ID)
      continue;
    ts_value v = unknown_among(g, rule, ts_eval(s, rule->env, patterns.at[i]));
    if (v.type == TS_T_NONE)
      continue;
    report_unknown_label(s, g, rule, v);
    return true;
  }
  return false;
}

static void report_unused(ts_session *s, const ts_graph *g, const ts_rule *rule)
{
  if (unknown_label(s, g, rule))
    return;
  tally found[16];
  const ts_ast *match = ts_ast_match(rule->ast);
  ts_span at = match->span;
  bool pattern_first = true;
  ts_ast_list patterns = ts_ast_patterns(match);
  for (uint32_t i = 0; i < patterns.count; i++)
    if (patterns.at[i]->kind != TS_AST_NAME) {
      at = pattern_first ? patterns.at[i]->span : ts_span_join(at, patterns.at[i]->span);
      pattern_first = false;
    }
  size_t n = count_labels(g, rule, found, 16);
  ts_diag *d = ts_diag_add(s->diags, TS_W0312, at, "rule `%s` of `%s` matches nothing",
                           rule->ast->name, rule->strategy);
  ts_diag_here(d, "0 of %zu ops", g->ops.count);
  if (n)
    ts_diag_note(d, "%s ops in this model: %s", list_kinds(s, rule),
                 list_labels(s->arena, found, n));
  else
    ts_diag_note(d, "the model has no op of kind %s", list_kinds(s, rule));
  help_pattern(s, d, rule, found, n);
}

static bool has_kinds(const ts_graph *g, const ts_rule *rule)
{
  for (size_t i = 0; i < g->ops.count; i++)
    for (uint32_t k = 0; k < rule->kind_count; k++)
      if (!strcmp(g->ops.at[i].kind, rule->kinds[k]))
        return true;
  return !rule->kind_count;
}

bool ts_rules_absent(ts_session *s, const ts_graph *g, ts_sharding *sh, const ts_rule *rule,
                     const char **names, const char **kinds)
{
  const char *name[32] = {NULL}, *kind[32] = {NULL};
  uint32_t name_count = 0, kind_count = 0;
  for (size_t i = 0; i < sh->rules.count && name_count < 32; i++) {
    ts_rule *r = &sh->rules.at[i];
    if (r->applied.file != rule->applied.file || r->applied.begin != rule->applied.begin ||
        strcmp(r->strategy, rule->strategy) != 0 || r->ast->flags & 1 || has_kinds(g, r))
      continue;
    r->reported = true;
    name[name_count++] = r->ast->name;
    for (uint32_t k = 0; k < r->kind_count && kind_count < 32; k++)
      kind[kind_count++] = r->kinds[k];
  }
  *names = ts_arena_printf(s->arena, "rule%s %s", name_count == 1 ? "" : "s",
                           ts_listed(s->arena, name, name_count));
  *kinds = ts_listed(s->arena, kind, kind_count);
  return name_count > 0;
}

void ts_rules_unused(ts_session *s, const ts_graph *g, const ts_sharding *sh)
{
  for (size_t i = 0; i < sh->rules.count; i++) {
    const ts_rule *rule = &sh->rules.at[i];
    if (rule->ast->flags & 1 || rule->reported) /* optional */
      continue;
    if (rule->matched)
      unknown_label(s, g, rule); /* another one of its list did match */
    else
      report_unused(s, g, rule);
  }
}
