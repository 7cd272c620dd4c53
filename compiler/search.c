#include "compiler/eval/defines.h"
#include "compiler/eval/mesh.h"
#include "compiler/eval/report.h"
#include "compiler/eval/running.h"
#include "compiler/search_internal.h"

#include <inttypes.h>
#include <string.h>

#include "base/diag_record.h"
#include "compiler/eval/check.h"
#include "compiler/eval/env.h"
#include "compiler/plan/plan.h"

typedef ts_searcher searcher;
typedef ts_given given;

/* ---- Which ---- */

static const ts_ast *search_choose(ts_session *s, const ts_module *m, const char *wanted)
{
  ts_name_list names = {0};
  const ts_ast *found = ts_module_choose(s, m, TS_AST_SEARCH, wanted, &names);
  if (found)
    return found;
  ts_diag *d;
  if (!names.names.count) {
    d = ts_report(s, TS_E0233, TS_NO_SPAN, "`%s` has no search", m->name);
    ts_diag_help(d, "declare one: `search degrees of my_plan { vary tp in [1, 2, 4, 8], ... }`, or "
                    "name what varies: `--vary 'tp=[1, 2, 4, 8]'`");
  } else if (wanted) {
    d = ts_report(s, TS_E0233, TS_NO_SPAN, "`%s` has no search `%s`", m->name, wanted);
    if (!ts_suggest_names(d, wanted, &names))
      ts_diag_note(d, "it has %s", ts_name_list_print(s, &names));
  } else {
    d = ts_report(s, TS_E0233, TS_NO_SPAN, "`%s` has %zu searches: choose one", m->name,
                  names.names.count);
    ts_diag_help(d, "choose with `--search=NAME` from %s", ts_name_list_print(s, &names));
  }
  return NULL;
}

/* ---- Names ---- */

const ts_ast *ts_search_formal(const searcher *v, const char *name)
{
  const ts_ast *params = ts_ast_params(v->plan);
  for (uint32_t i = 0; i < params->count; i++)
    if (params->child[i]->name == name)
      return params->child[i];
  return NULL;
}

static const char *search_text_at(const searcher *v, ts_span span)
{
  const ts_source *source = ts_sources_get(v->s->sources, span.file);
  return ts_arena_string(v->s->arena, source->text + span.begin, span.end - span.begin);
}

/* VARY and SET name a parameter of the plan, each its own. */
static bool check_column(searcher *v, uint32_t item, ts_name_list *columns)
{
  const ts_ast *node = v->items.at[item];
  ts_diag *d;
  for (size_t i = 0; i < columns->names.count; i++) {
    if (columns->names.at[i] == node->name) {
      d = ts_report(v->s, TS_E0202, node->name_span, "`%s` is given twice", node->name);
      ts_diag_here(d, "a value was given above");
      return false;
    }
  }
  if (!ts_search_formal(v, node->name)) {
    ts_name_list names = {0};
    for (uint32_t i = 0; i < ts_ast_params(v->plan)->count; i++)
      TS_PUSH(v->s->arena, &names.names, ts_ast_params(v->plan)->child[i]->name);
    d = ts_report(v->s, TS_E0215, node->name_span, "plan `%s` has no parameter `%s`", v->plan->name,
                  node->name);
    ts_diag_here(d, "not a parameter");
    const ts_ast *value = ts_ast_value(node);
    if (value->kind == TS_AST_LIST && value->count)
      value = value->child[0];
    if (!ts_plan_help_name(v->s, d, v->plan, node->name, search_text_at(v, value->span),
                           node->kind == TS_AST_VARY) &&
        !ts_suggest_names(d, node->name, &names))
      ts_diag_note(d, names.names.count ? "its parameters are %s" : "it has none%s",
                   ts_name_list_print(v->s, &names));
    return false;
  }
  v->column_of[item] = (uint32_t)columns->names.count;
  TS_PUSH(v->s->arena, &columns->names, node->name);
  return true;
}

const ts_ast *ts_search_expression(const searcher *v, uint32_t item)
{
  const ts_ast *node = v->items.at[item];
  return node->kind == TS_AST_REQUIRE ? ts_ast_condition(node) : ts_ast_value(node);
}

/* What needs figures, by itself or through a `let`. */
static bool needs_figures(const searcher *v, uint32_t item)
{
  const ts_ast *expr = ts_search_expression(v, item);
  for (size_t i = 0; i < TS_FIGURES; i++) {
    const char *figure = ts_search_figure(v->s, i);
    if (!ts_search_formal(v, figure) && ts_ast_uses(expr, figure)) /* parameters hide figures */
      return true;
  }
  for (uint32_t i = 0; i < item; i++)
    if (v->late[i] && v->items.at[i]->kind == TS_AST_LET && ts_ast_uses(expr, v->items.at[i]->name))
      return true;
  return false;
}

/* Where the names of conditions stand, each time again, if they are few: environments have no table
 * of these. */
static void make_room_for_names(searcher *v)
{
  enum { FEW = 12 };
  uint32_t names = ts_ast_params(v->plan)->count;
  for (uint32_t i = 0; i < v->items.count; i++)
    names += v->items.at[i]->kind == TS_AST_LET;
  if (names <= FEW)
    v->names = ts_env_sized(v->s, v->module->env, FEW);
}

/* Items are worked off in order: what is given behind one has its default there, which nobody
 * means. Conditions that need a played step, and goals, are asked when all is given. */
static bool check_order(const searcher *v)
{
  bool good = true;
  for (uint32_t i = 0; i < v->items.count; i++) {
    const ts_ast *item = v->items.at[i];
    if (v->late[i] || item->kind == TS_AST_GOAL || item->kind == TS_AST_LET)
      continue;
    const ts_ast *expr = ts_search_expression(v, i);
    for (uint32_t k = i + 1; k < v->items.count; k++) {
      const ts_ast *later = v->items.at[k];
      if ((later->kind != TS_AST_VARY && later->kind != TS_AST_SET) ||
          !ts_ast_uses(expr, later->name))
        continue;
      ts_diag *d = ts_report(v->s, TS_E0234, expr->span, "`%s` is asked for before it is given",
                             later->name);
      ts_diag_here(d, "items of a search are processed in order");
      ts_diag_label(d, later->span, "given here");
      ts_diag_help(d, "put this behind it");
      good = false;
    }
  }
  return good;
}

static bool read_items(searcher *v)
{
  ts_arena *arena = v->s->arena;
  ts_search *search = v->search;
  const char **conditions = TS_NEW_ARRAY(arena, const char *, v->items.count + 1);
  ts_name_list columns = {0};
  bool good = true;
  search->conditions = conditions;
  v->column_of = TS_NEW_ARRAY(arena, uint32_t, v->items.count);
  v->reason_of = TS_NEW_ARRAY(arena, uint32_t, v->items.count);
  v->late = TS_NEW_ARRAY(arena, bool, v->items.count);
  v->needs = TS_NEW_ARRAY(arena, ts_item_needs, v->items.count + 1);
  v->empty = TS_NEW_ARRAY(arena, bool, v->items.count + 1);
  search->reasons = TS_NEW_ARRAY(arena, ts_search_reason, v->items.count);
  search->items = "";
  for (uint32_t i = 0; i < v->items.count; i++) {
    const ts_ast *node = v->items.at[i];
    v->late[i] = needs_figures(v, i);
    search->items = ts_arena_printf(arena, "%s%s\n", search->items, search_text_at(v, node->span));
    if (node->kind == TS_AST_VARY || node->kind == TS_AST_SET) {
      good &= check_column(v, i, &columns);
      if (v->late[i]) {
        ts_diag *d =
          ts_report(v->s, TS_E0234, ts_ast_value(node)->span,
                    "the values of `%s` cannot depend on the result of a step", node->name);
        ts_diag_here(d, "known only after the plan is simulated");
        good = false;
      }
      v->reason_of[i] = search->reason_count;
      search->reasons[search->reason_count++] = (ts_search_reason){
        ts_arena_printf(arena, "`%s` divides evenly", search_text_at(v, node->span)), 0};
    } else if (node->kind == TS_AST_REQUIRE) {
      if (v->late[i])
        conditions[search->condition_count++] = ts_ast_text(node)->literal;
      v->reason_of[i] = search->reason_count;
      search->reasons[search->reason_count++] = (ts_search_reason){ts_ast_text(node)->literal, 0};
    } else if (node->kind == TS_AST_GOAL && v->goal_count == TS_SEARCH_GOALS) {
      ts_diag *d =
        ts_report(v->s, TS_E0202, node->span, "a search has at most %d goals", TS_SEARCH_GOALS);
      ts_diag_help(d, "combine them: `minimize step_time * devices`");
      good = false;
    } else if (node->kind == TS_AST_GOAL) {
      v->goals[v->goal_count++] = node;
    }
  }
  search->column_count = (uint32_t)columns.names.count;
  search->columns = columns.names.at;
  v->given = TS_NEW_ARRAY(arena, given, search->column_count + 1);
  v->choices = TS_NEW_ARRAY(arena, ts_search_choices, search->column_count + 1);
  v->quoted = TS_NEW_ARRAY(arena, const char *, search->column_count + 1);
  for (uint32_t c = 0; c < search->column_count; c++)
    v->choices[c].pinned = ts_session_define(v->s, search->columns[c], &(uint32_t){0}),
    v->quoted[c] = ts_arena_printf(arena, "`%s`", search->columns[c]);
  v->passing = ts_arena_inside(arena, "a plan of a search");
  v->levels = TS_NEW_ARRAY(arena, ts_arena *, v->items.count + 1);
  for (uint32_t i = 0; i < v->items.count; i++)
    v->levels[i] = ts_arena_inside(arena, "values of a search");
  make_room_for_names(v);
  return good && check_order(v);
}

/* ---- Evaluation ---- */

static ts_env *figures_env(const searcher *v)
{
  ts_env *env = ts_env_new(v->s, v->module->env);
  for (size_t i = 0; i < TS_FIGURES; i++)
    ts_env_bind(env, ts_search_figure(v->s, i), ts_figure_value(i, v->played->of[i]));
  return env;
}

static const given *given_for(const searcher *v, const ts_ast *formal)
{
  for (uint32_t g = 0; g < v->given_count; g++)
    if (v->given[g].name == formal->name)
      return &v->given[g];
  return NULL;
}

const ts_ast *ts_search_mesh(const searcher *v)
{
  ts_ast_list fields = ts_ast_fields(v->plan);
  for (uint32_t i = 0; i < fields.count; i++)
    if (!strcmp(fields.at[i]->name, "mesh") && ts_ast_value(fields.at[i])->kind == TS_AST_RECORD)
      return ts_ast_value(fields.at[i]);
  return NULL;
}

/* Does the item, or a `let` before it, name this? */
static bool names(const searcher *v, uint32_t item, const char *name)
{
  for (uint32_t i = 0; i <= item && i < v->items.count; i++)
    if ((i == item || v->items.at[i]->kind == TS_AST_LET) &&
        ts_ast_uses(ts_search_expression(v, i), name))
      return true;
  return false;
}

/* ... or an axis whose size names it? */
static bool asks_for(const searcher *v, uint32_t item, const char *name)
{
  const ts_ast *mesh = ts_search_mesh(v);
  for (uint32_t i = 0; mesh && i < mesh->count; i++)
    if (ts_ast_uses(ts_ast_value(mesh->child[i]), name) && names(v, item, mesh->child[i]->name))
      return true;
  return names(v, item, name);
}

bool ts_search_needs(const searcher *v, uint32_t item, uint32_t index)
{
  const ts_ast *params = ts_ast_params(v->plan);
  const char *name = params->child[index]->name;
  if (asks_for(v, item, name))
    return true;
  for (uint32_t i = index + 1; i < params->count; i++) {
    const ts_ast *later = params->child[i];
    if (ts_ast_default(later) && ts_ast_uses(ts_ast_default(later), name) && !given_for(v, later) &&
        ts_search_needs(v, item, i))
      return true;
  }
  return false;
}

enum { BITS = 64 };

/* Which of the first parameters and axes: they are asked for again with each value tried. */
static const ts_item_needs *needs_of(const searcher *v, uint32_t item)
{
  ts_item_needs *n = &v->needs[item];
  const ts_ast *params = ts_ast_params(v->plan), *mesh = ts_search_mesh(v);
  if (n->known && n->given == v->given_count)
    return n;
  *n = (ts_item_needs){.known = true, .given = v->given_count};
  for (uint32_t i = 0; i < params->count && i < BITS; i++)
    n->parameters |= (uint64_t)ts_search_needs(v, item, i) << i;
  for (uint32_t i = 0; mesh && i < mesh->count && i < BITS; i++)
    n->axes |= (uint64_t)names(v, item, mesh->child[i]->name) << i;
  return n;
}

/* Axes that the item names have their sizes; the others only must be there. */
static void lay_mesh(searcher *v, const ts_env *env, uint32_t item)
{
  const ts_ast *mesh = ts_search_mesh(v);
  ts_mesh *m = v->s->mesh;
  const ts_item_needs *needs = needs_of(v, item);
  m->count = 0;
  for (uint32_t i = 0; mesh && i < mesh->count && m->count < sizeof m->axis / sizeof m->axis[0];
       i++, m->count++) {
    m->axis[m->count].name = mesh->child[i]->name;
    m->axis[m->count].span = mesh->child[i]->span;
    m->axis[m->count].stride = m->axis[m->count].size = 1;
    if (i < BITS ? needs->axes >> i & 1 : names(v, item, mesh->child[i]->name))
      ts_eval_int(v->s, env, ts_ast_value(mesh->child[i]), "the size of an axis",
                  &m->axis[m->count].size);
  }
}

/* The names that item `item` may use: the plan's parameters, with what was given so far, and the
 * `let`s before it. */
ts_env *ts_search_scope(searcher *v, uint32_t item)
{
  const ts_ast *params = ts_ast_params(v->plan);
  const ts_env *outer = v->played ? figures_env(v) : v->module->env;
  ts_env *env = v->spare && !v->played ? v->spare : ts_env_new(v->s, outer);
  const ts_item_needs *needs = needs_of(v, item);
  env->count = 0;
  v->s->running->steps = 0; /* each plan counts by itself */
  for (uint32_t i = 0; i < params->count; i++) {
    const ts_ast *formal = params->child[i];
    const given *set = given_for(v, formal);
    if (set)
      ts_env_bind(env, formal->name, set->value);
    else if (i < BITS ? needs->parameters >> i & 1 : ts_search_needs(v, item, i))
      ts_env_bind(env, formal->name,
                  ts_param_value(v->s, env, formal, ts_ast_type(formal), ts_ast_default(formal)));
  }
  lay_mesh(v, env, item);
  for (uint32_t i = 0; i < item; i++) {
    const ts_ast *let = v->items.at[i];
    if (let->kind == TS_AST_LET && (v->played || !v->late[i]))
      ts_env_bind(env, let->name, ts_eval_let(v->s, env, let));
  }
  return env;
}

/* ---- All of it ---- */

/* Items of the command line as a search of a file of their own, so that messages show them. */
static const ts_ast *search_of_text(ts_session *s, const char *plan, const char *text)
{
  const char *whole = ts_arena_printf(s->arena, "search options of %s {\n%s}\n", plan, text);
  const ts_ast *file = ts_parse_file(
    s->lang, ts_sources_add(s->sources, "<command line>", "options", whole, strlen(whole)));
  return ts_diags_errors(s->diags) || !file->count ? NULL : ts_ast_declarations(file).at[0];
}

static bool has_goal(const ts_ast *search)
{
  ts_ast_list items = ts_ast_items(search);
  for (uint32_t i = 0; i < items.count; i++)
    if (items.at[i]->kind == TS_AST_GOAL)
      return true;
  return false;
}

/* A search with more items; a goal among them replaces its own. */
static const ts_ast *extended(ts_session *s, const ts_ast *search, const ts_ast *more)
{
  ts_ast_list added = ts_ast_items(more);
  ts_ast *all = ts_arena_copy(s->arena, search, sizeof *all);
  all->child = TS_NEW_ARRAY(s->arena, ts_ast *, search->count + more->count);
  all->count = 0;
  for (uint32_t i = 0; i < search->count; i++)
    if (search->child[i]->kind != TS_AST_GOAL || !has_goal(more))
      all->child[all->count++] = search->child[i];
  for (uint32_t i = 0; i < added.count; i++)
    all->child[all->count++] = added.at[i];
  return all;
}

/* The search of the file, of the options, or of the file with what the options add. */
static const ts_ast *declared(ts_session *s, const ts_module *m, const ts_compile_options *o,
                              const char *name, const char *text, bool extends)
{
  ts_name_list names = {0};
  const ts_ast *search = NULL;
  ts_module_choose(s, m, TS_AST_SEARCH, NULL, &names);
  extends = extends && (names.names.count || name);
  if ((!text || extends) && !(search = search_choose(s, m, name)))
    return NULL;
  const ts_ast *plan = search ? NULL : ts_plan_choose(s, m, o->plan_name);
  if (!text || (!search && !plan))
    return search;
  const ts_ast *options = search_of_text(s, search ? ts_ast_plan(search)->name : plan->name, text);
  return options && search ? extended(s, search, options) : options;
}

static void name_goals(const searcher *v)
{
  ts_search *search = v->search;
  search->goal_count = v->goal_count ? v->goal_count : 1;
  search->goals[0].text = TS_SEARCH_PER_TOKEN;
  search->goals[0].dimension = TS_DIM_TIME;
  search->per_token = !v->goal_count;
  for (uint32_t i = 0; i < v->goal_count; i++) {
    search->goals[i].text = search_text_at(v, v->goals[i]->span);
    search->goals[i].maximize = v->goals[i]->flags;
  }
  search->maximize = search->goals[0].maximize;
  search->goal = search->goals[0].text;
  for (uint32_t i = 1; i < v->goal_count; i++)
    search->goal = ts_arena_printf(v->s->arena, "%s, %s", search->goal, search->goals[i].text);
}

ts_search *ts_search_load(ts_session *s, const char *path, const ts_compile_options *o,
                          const char *name, const char *text, bool extends)
{
  return ts_search_load_within(s, path, o, name, text, extends, SIZE_MAX);
}

ts_search *ts_search_load_within(ts_session *s, const char *path, const ts_compile_options *o,
                                 const char *name, const char *text, bool extends, size_t most)
{
  ts_compile_settings(s, o);
  ts_module *module = ts_module_load(s, path);
  if (!module || ts_diags_errors(s->diags) || !ts_check(s))
    return NULL;
  const ts_ast *decl = declared(s, module, o, name, text, extends);
  const ts_ast *plan = decl ? ts_search_plan(s, module, decl) : NULL;
  if (!plan || ts_diags_errors(s->diags))
    return NULL;
  if (o->plan_name && strcmp(plan->name, o->plan_name)) {
    ts_diag *d =
      ts_report(s, TS_E0217, ts_ast_plan(decl)->span, "search `%s` is for plan `%s`, not `%s`",
                decl->name, plan->name, o->plan_name);
    ts_diag_here(d, "given with `--plan=%s`", o->plan_name);
    return NULL;
  }
  ts_search *search = TS_NEW(s->arena, ts_search);
  searcher *v = TS_NEW(s->arena, searcher);
  *v = (searcher){.s = s,
                  .module = module,
                  .decl = decl,
                  .plan = plan,
                  .items = ts_ast_items(decl),
                  .search = search};
  *search = (ts_search){.name = decl->name, .plan = plan->name, .searcher = v};
  v->may_open = most < SIZE_MAX;
  v->most = most < s->limits.plans ? most : s->limits.plans;
  if (!read_items(v))
    return NULL;
  if (!ts_search_list(v) && !search->open)
    return NULL;
  if (search->open) {
    search->point_count = search->point_count > 0; /* the first one stays */
    for (uint32_t i = 0; i < search->reason_count; i++)
      search->reasons[i].count = 0;
    name_goals(v);
    return search;
  }
  name_goals(v);
  if (search->point_count)
    return ts_search_check_dimensions(v) ? search : NULL;
  ts_diag *d = ts_report(s, TS_E0234, decl->name_span, "search `%s` has no plans", decl->name);
  for (uint32_t i = 0; i < v->items.count; i++)
    if (v->items.at[i]->kind == TS_AST_VARY && v->empty[i])
      ts_diag_note(d, "`%s` has no values: `%s`", v->items.at[i]->name,
                   search_text_at(v, v->items.at[i]->span));
  for (uint32_t i = 0; i < search->reason_count; i++)
    if (search->reasons[i].count)
      ts_diag_note(d, "%" PRIu64 " left out: %s", search->reasons[i].count,
                   search->reasons[i].text);
  ts_search_conflicts(v, d);
  ts_diag_help(d, "relax a `require`, or give each `vary` a value that `-D` allows too");
  return NULL;
}
