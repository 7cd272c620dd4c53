#include "compiler/search_internal.h"

#include <inttypes.h>
#include <string.h>

#include "base/diag_record.h"
#include "compiler/eval/check.h"
#include "compiler/plan/plan.h"

enum { TRIED_FOR_EACH = 50 }; /* plan that may come of it */
enum { TRIED_FOR_A_DRAW = 100000 };

typedef ts_searcher searcher;
typedef ts_given given;

/* A plan of an open search: values in an order that a random number says, or those of another plan
 * but for one `vary`. */
typedef struct draw {
  uint64_t random;
  const ts_search_point *near; /* NULL: any plan */
  uint32_t column;             /* that differs from `near` */
  int64_t shift;               /* by so many places */
  bool outside;                /* the list ends before */
  bool found, spent;           /* spent: too many values were tried */
  uint32_t *needs;             /* [items] of conditions: the item behind which they can be judged */
  double *counts;              /* [items] values of each `vary` */
} draw;

/* Which conditions hold together for some values. Only the first ones are looked at. */
enum { CONDITIONS = 64 };
typedef struct conflicts {
  uint64_t failing;           /* conditions that the values so far do not satisfy */
  uint64_t with[CONDITIONS];  /* those that hold for some values for which this one does */
} conflicts;

/* ---- Which ---- */

static const ts_ast *choose(ts_session *s, const ts_module *m, const char *wanted)
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
    if (!ts_suggest_names(d, node->name, &names))
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
  for (size_t i = 0; i < TS_SEARCH_FIGURES; i++) {
    const char *figure = ts_search_figure(v->s, i);
    if (!ts_search_formal(v, figure) && ts_ast_uses(expr, figure)) /* parameters hide figures */
      return true;
  }
  for (uint32_t i = 0; i < item; i++)
    if (v->late[i] && v->items.at[i]->kind == TS_AST_LET && ts_ast_uses(expr, v->items.at[i]->name))
      return true;
  return false;
}

static const char *text_at(const searcher *v, ts_span span)
{
  const ts_source *source = ts_sources_get(v->s->sources, span.file);
  return ts_arena_string(v->s->arena, source->text + span.begin, span.end - span.begin);
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
  search->reasons = TS_NEW_ARRAY(arena, ts_search_reason, v->items.count);
  for (uint32_t i = 0; i < v->items.count; i++) {
    const ts_ast *node = v->items.at[i];
    v->late[i] = needs_figures(v, i);
    if (node->kind == TS_AST_VARY || node->kind == TS_AST_SET) {
      good &= check_column(v, i, &columns);
      if (v->late[i]) {
        ts_diag *d =
          ts_report(v->s, TS_E0234, ts_ast_value(node)->span,
                    "the values of `%s` cannot depend on the result of a step", node->name);
        ts_diag_here(d, "known only after the plan is played");
        good = false;
      }
      v->reason_of[i] = search->reason_count;
      search->reasons[search->reason_count++] = (ts_search_reason){
        ts_arena_printf(arena, "`%s` divides evenly", text_at(v, node->span)), 0};
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
  return good;
}

/* ---- Evaluation ---- */

static ts_env *figures_env(const searcher *v)
{
  ts_env *env = ts_env_new(v->s, v->module->env);
  for (size_t i = 0; i < TS_SEARCH_FIGURES; i++) {
    double value = v->played->of[i];
    bool plain = ts_dimension_equal(ts_search_dimension(i), TS_DIM_NONE);
    ts_value bound = i == TS_SEARCH_DEVICES ? ts_int_value((int64_t)value, TS_NO_SPAN) :
                     plain                  ? ts_real_value(value, TS_NO_SPAN) :
                             ts_quantity_value(value, ts_search_dimension(i), TS_NO_SPAN);
    ts_env_bind(env, ts_search_figure(v->s, i), bound);
  }
  return env;
}

static const given *given_for(const searcher *v, const ts_ast *formal)
{
  for (uint32_t g = 0; g < v->given_count; g++)
    if (v->given[g].name == formal->name)
      return &v->given[g];
  return NULL;
}

/* The plan's mesh as it is written; NULL if it is not written out. */
static const ts_ast *mesh_of(const searcher *v)
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
  const ts_ast *mesh = mesh_of(v);
  for (uint32_t i = 0; mesh && i < mesh->count; i++)
    if (ts_ast_uses(ts_ast_value(mesh->child[i]), name) && names(v, item, mesh->child[i]->name))
      return true;
  return names(v, item, name);
}

/* Axes that the item names have their sizes; the others only must be there. */
static void lay_mesh(searcher *v, const ts_env *env, uint32_t item)
{
  const ts_ast *mesh = mesh_of(v);
  ts_mesh *m = &v->s->mesh;
  m->count = 0;
  for (uint32_t i = 0; mesh && i < mesh->count && m->count < sizeof m->axis / sizeof m->axis[0];
       i++, m->count++) {
    m->axis[m->count].name = mesh->child[i]->name;
    m->axis[m->count].span = mesh->child[i]->span;
    m->axis[m->count].stride = m->axis[m->count].size = 1;
    if (names(v, item, mesh->child[i]->name))
      ts_eval_int(v->s, env, ts_ast_value(mesh->child[i]), "the size of an axis",
                  &m->axis[m->count].size);
  }
}

/* Does the item, a `let` before it, or the default of a parameter that one of these uses name
 * parameter `index`? What nobody asks for is not evaluated: it may not be possible yet. */
static bool is_needed(const searcher *v, uint32_t item, uint32_t index)
{
  const ts_ast *params = ts_ast_params(v->plan);
  const char *name = params->child[index]->name;
  if (asks_for(v, item, name))
    return true;
  for (uint32_t i = index + 1; i < params->count; i++) {
    const ts_ast *later = params->child[i];
    if (ts_ast_default(later) && ts_ast_uses(ts_ast_default(later), name) && !given_for(v, later) &&
        is_needed(v, item, i))
      return true;
  }
  return false;
}

/* The names that item `item` may use: the plan's parameters, with what was given so far, and the
 * `let`s before it. */
ts_env *ts_search_scope(searcher *v, uint32_t item)
{
  const ts_ast *params = ts_ast_params(v->plan);
  ts_env *env = ts_env_new(v->s, v->played ? figures_env(v) : v->module->env);
  v->s->steps = 0; /* each plan counts by itself */
  for (uint32_t i = 0; i < params->count; i++) {
    const ts_ast *formal = params->child[i];
    const given *set = given_for(v, formal);
    if (set)
      ts_env_bind(env, formal->name, set->value);
    else if (is_needed(v, item, i))
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

/* A value as text for -D, exactly. Kinds that have no such text are taken as they were written in
 * the list. */
static const char *text_of(const searcher *v, ts_value value, const ts_ast *written)
{
  ts_arena *arena = v->s->arena;
  switch (value.type) {
  case TS_T_INT:
  case TS_T_BOOL:
  case TS_T_STRING:
  case TS_T_LABEL:
  case TS_T_WORD: return ts_value_print(arena, value);
  case TS_T_REAL: {
    const char *text = ts_arena_printf(arena, "%.17g", value.u.real);
    return strpbrk(text, ".e") ? text : ts_arena_printf(arena, "%s.0", text);
  }
  default: break;
  }
  const ts_source *source = written ? ts_sources_get(v->s->sources, written->span.file) : NULL;
  return source ? ts_arena_string(arena, source->text + written->span.begin,
                                  written->span.end - written->span.begin) :
                  NULL;
}

/* Gives a column its value, of the parameter's type. Where -D gives the parameter, other values are
 * passed over. */
static bool give(searcher *v, const ts_ast *item, ts_env *env, uint32_t column, ts_value value,
                 const ts_ast *written, bool *passed)
{
  const ts_ast *formal = ts_search_formal(v, item->name);
  const char *what = ts_arena_printf(v->s->arena, "`%s`", item->name);
  uint32_t define;
  *passed = false;
  value.span = written ? written->span : ts_ast_value(item)->span;
  if (value.type == TS_T_ERROR || !ts_convert(v->s, env, ts_ast_type(formal), &value, what))
    return false;
  const char *text = text_of(v, value, written);
  if (!text) {
    ts_diag *d =
      ts_report(v->s, TS_E0220, value.span, "values of `%s` must be written out", item->name);
    ts_diag_here(d, "%s, which was computed", ts_value_describe(v->s->arena, value));
    ts_diag_help(d, "list them: `vary %s in [..., ...]`", item->name);
    return false;
  }
  if (ts_session_define(v->s, item->name, &define)) {
    ts_value pinned = ts_param_value(v->s, env, formal, ts_ast_type(formal), NULL);
    ts_budget budget = ts_budget_begin(v->s);
    *passed = item->kind == TS_AST_VARY && !ts_value_equal(pinned, value, &budget);
    if (!ts_budget_end(v->s, &budget, value.span))
      return false;
    value = pinned;
    text = v->s->defines[define].expression;
  }
  v->given[column] = (given){item->name, value, text};
  v->given_count = column + 1;
  return true;
}

/* ---- Plans ---- */

static bool list_from(searcher *v, uint32_t item);

static bool note_together(conflicts *c, uint32_t reasons)
{
  for (uint32_t i = 0; i < reasons && i < CONDITIONS; i++)
    if (!(c->failing >> i & 1))
      c->with[i] |= ~c->failing;
  return true;
}

/* It is not listed further. */
static bool leave_open(searcher *v)
{
  v->search->open = true;
  return false;
}

static bool add_point(searcher *v)
{
  if (v->conflicts)
    return note_together(v->conflicts, v->search->reason_count);
  ts_session *s = v->s;
  if (v->draw)
    v->draw->found = true;
  else if (v->points.count == v->most && v->may_open)
    return leave_open(v);
  if (!v->draw && v->points.count == v->most) {
    ts_diag *d = ts_report(s, TS_E0234, v->decl->name_span, "the search has more than %s plans",
                           ts_count_print(s->arena, s->limits.plans));
    ts_diag_help(d, "`require` more of them, or vary fewer parameters");
    return false;
  }
  uint32_t columns = v->search->column_count, count = s->define_count;
  ts_define *defines = TS_NEW_ARRAY(s->arena, ts_define, count + columns + 1);
  const char **texts = TS_NEW_ARRAY(s->arena, const char *, columns + 1);
  ts_value *values = TS_NEW_ARRAY(s->arena, ts_value, columns + 1);
  if (count)
    memcpy(defines, s->defines, count * sizeof *defines);
  for (uint32_t i = 0; i < columns; i++) {
    uint32_t define;
    texts[i] = v->given[i].text;
    values[i] = v->given[i].value;
    if (!ts_session_define(s, v->given[i].name, &define))
      defines[count++] = (ts_define){v->given[i].name, texts[i]};
  }
  TS_PUSH(s->arena, &v->points, (ts_search_point){defines, count, texts, values});
  return true;
}

static uint64_t next_random(uint64_t *state) /* SplitMix64: Steele et al., OOPSLA 2014 */
{
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* Of a walk that comes to each of `count` places once, in no order that values could follow. */
static int64_t stride(uint64_t *state, int64_t count)
{
  for (;;) {
    int64_t step = 1 + (int64_t)(next_random(state) % (uint64_t)count), a = step, b = count;
    while (b) {
      int64_t rest = a % b;
      a = b;
      b = rest;
    }
    if (a == 1)
      return step;
  }
}

static ts_value element(ts_value list, int64_t i, ts_span span)
{
  return list.type == TS_T_RANGE ? ts_int_value(list.u.range.begin + i, span) : list.u.list->at[i];
}

/* The place in the list that a draw wants: that of the other plan's value, shifted where it is to
 * differ. -1: there is none. */
static int64_t place_near(searcher *v, uint32_t column, ts_value list, int64_t count, ts_span span)
{
  draw *d = v->draw;
  ts_budget budget = ts_budget_begin(v->s);
  bool whole = list.type == TS_T_RANGE && d->near->values[column].type == TS_T_INT;
  int64_t at = whole ? d->near->values[column].u.integer - list.u.range.begin : 0;
  if (whole && (at < 0 || at >= count))
    at = count;
  for (; at < count && !whole; at++) {
    ts_value value = element(list, at, span), before = d->near->values[column];
    if (value.type == TS_T_INT && before.type == TS_T_REAL)
      value = ts_real_value((double)value.u.integer, span);
    if (ts_value_equal(value, before, &budget))
      break;
  }
  if (!ts_budget_end(v->s, &budget, span) || at == count)
    return -1;
  at += column == d->column ? d->shift : 0;
  d->outside |= at < 0 || at >= count;
  return at >= 0 && at < count ? at : -1;
}

/* Conditions that need nothing of what comes behind the item, and something that it gives. False
 * after an error. */
static bool early_conditions(searcher *v, uint32_t item, bool *holds)
{
  for (uint32_t r = item + 1; r < v->items.count && *holds; r++) {
    if (v->items.at[r]->kind != TS_AST_REQUIRE || v->late[r] || v->draw->needs[r] != item)
      continue;
    uint64_t uneven = 0;
    v->s->uneven = &uneven;
    bool good = ts_search_condition(v, r, holds);
    v->s->uneven = NULL;
    if (!good && (!uneven || ts_diags_errors(v->s->diags)))
      return false;
    *holds &= good;
  }
  return true;
}

/* The last item that gives what a condition needs; the first one, if none does. */
static uint32_t last_needed(const searcher *v, uint32_t condition)
{
  const ts_ast *params = ts_ast_params(v->plan);
  uint32_t last = 0;
  for (uint32_t i = 0; i < condition; i++)
    for (uint32_t p = 0; p < params->count; p++)
      if ((v->items.at[i]->kind == TS_AST_VARY || v->items.at[i]->kind == TS_AST_SET) &&
          v->items.at[i]->name == params->child[p]->name && is_needed(v, condition, p))
        last = i;
  while (last + 1 < condition && v->items.at[last]->kind != TS_AST_VARY &&
         v->items.at[last]->kind != TS_AST_SET)
    last++;
  return last;
}

static bool vary(searcher *v, uint32_t item, ts_value list)
{
  const ts_ast *node = v->items.at[item];
  const ts_ast *written = ts_ast_value(node)->kind == TS_AST_LIST ? ts_ast_value(node) : NULL;
  ts_env *env = ts_search_scope(v, item);
  bool range = list.type == TS_T_RANGE;
  if (!range && list.type != TS_T_LIST) {
    ts_diag *d =
      ts_report(v->s, TS_E0220, ts_ast_value(node)->span, "`vary` needs a list of values, not %s",
                ts_value_describe(v->s->arena, list));
    ts_diag_help(d, "write `vary %s in [1, 2, 4]` or `vary %s in 1..9`", node->name, node->name);
    return false;
  }
  int64_t count = range ? list.u.range.end - list.u.range.begin : list.u.list->count;
  uint32_t before = v->given_count;
  count = count > 0 ? count : 0;
  int64_t first = 0, step = 1, values = count;
  if (v->draw) {
    v->draw->counts[item] = (double)count;
    if (v->draw->near) {
      first = place_near(v, v->column_of[item], list, count, ts_ast_value(node)->span);
      values = first >= 0;
    } else if (count > 0) {
      first = (int64_t)(next_random(&v->draw->random) % (uint64_t)count);
      step = stride(&v->draw->random, count);
    }
  }
  for (int64_t k = 0; k < values && !(v->draw && (v->draw->found || v->draw->spent)); k++) {
    int64_t i = (int64_t)(((uint64_t)first + (uint64_t)k * (uint64_t)step) % (uint64_t)count);
    ts_value value = element(list, i, ts_ast_value(node)->span);
    bool passed;
    if (v->draw && v->tried >= TRIED_FOR_A_DRAW) {
      v->draw->spent = true;
      break;
    }
    if (v->tried >= (uint64_t)TRIED_FOR_EACH * v->s->limits.plans && v->may_open &&
        !v->draw)
      return leave_open(v);
    if (++v->tried > (uint64_t)TRIED_FOR_EACH * v->s->limits.plans) {
      ts_diag *d = ts_report(
        v->s, TS_E0234, ts_ast_value(node)->span, "the search has more than %s values to try",
        ts_count_print(v->s->arena, (int64_t)TRIED_FOR_EACH * v->s->limits.plans));
      ts_diag_help(d,
                   "vary over shorter lists: conditions exclude plans, but each must be checked");
      return false;
    }
    if (!give(v, node, env, v->column_of[item], value,
              written && i < written->count ? written->child[i] : NULL, &passed))
      return false;
    bool holds = !passed;
    if (v->draw && holds && !early_conditions(v, item, &holds))
      return false;
    if (holds && !list_from(v, item + 1))
      return false;
    v->given_count = before;
  }
  return true;
}

/* False after an error; *holds: the condition. */
bool ts_search_condition(searcher *v, uint32_t item, bool *holds)
{
  const ts_ast *node = v->items.at[item];
  ts_search_reason *reason = &v->search->reasons[v->reason_of[item]];
  if (!ts_eval_bool(v->s, ts_search_scope(v, item), ts_ast_condition(node), "the requirement of a search",
                    holds))
    return false;
  reason->count += !*holds;
  return true;
}

/* The values of an item, or its condition. False after an error, and where whole numbers do not
 * divide. */
static bool set(searcher *v, uint32_t item)
{
  const ts_ast *node = v->items.at[item];
  bool passed;
  ts_env *env = ts_search_scope(v, item);
  return give(v, node, env, v->column_of[item],
              ts_eval_as(v->s, env, ts_ast_type(ts_search_formal(v, node->name)),
                         ts_ast_value(node)),
              ts_ast_value(node), &passed);
}

/* Whatever becomes of the condition, what comes behind it is looked at, too. */
static bool pass_condition(searcher *v, uint32_t item)
{
  uint32_t reason = v->reason_of[item];
  uint64_t bit = reason < CONDITIONS ? UINT64_C(1) << reason : 0, uneven = 0;
  bool holds = true;
  v->s->uneven = &uneven;
  if (!v->late[item] && (!ts_search_condition(v, item, &holds) || !holds))
    v->conflicts->failing |= bit;
  v->s->uneven = NULL;
  bool good = list_from(v, item + 1);
  v->conflicts->failing &= ~bit;
  return good;
}

/* Lists all plans that the items from `item` on make of what was given so far. False after an
 * error. */
static bool list_from(searcher *v, uint32_t item)
{
  if (item == v->items.count)
    return add_point(v);
  if (v->conflicts && v->items.at[item]->kind == TS_AST_REQUIRE)
    return pass_condition(v, item);
  const ts_ast *node = v->items.at[item];
  uint32_t before = v->given_count;
  uint64_t uneven = 0;
  bool holds = true, good = true;
  ts_value list = {0};
  if (v->draw && node->kind == TS_AST_REQUIRE) /* looked at as soon as it could be */
    return list_from(v, item + 1);
  v->s->uneven = &uneven;
  if (node->kind == TS_AST_VARY)
    good = (list = ts_eval_as(v->s, ts_search_scope(v, item),
                              ts_ast_type(ts_search_formal(v, node->name)),
                              ts_ast_value(node)))
             .type != TS_T_ERROR;
  else if (node->kind == TS_AST_SET)
    good = set(v, item);
  else if (node->kind == TS_AST_REQUIRE && !v->late[item])
    good = ts_search_condition(v, item, &holds);
  v->s->uneven = NULL;
  if (!good && uneven && !ts_diags_errors(v->s->diags)) { /* no such plan */
    v->search->reasons[v->reason_of[item]].count++;
    v->given_count = before;
    return true;
  }
  if (good && node->kind == TS_AST_VARY)
    return vary(v, item, list);
  if (good && v->draw)
    good = early_conditions(v, item, &holds);
  good = good && (!holds || list_from(v, item + 1));
  v->given_count = before;
  return good;
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
  if ((!text || extends) && !(search = choose(s, m, name)))
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
  search->goals[0].text = "minimize step_time";
  search->goals[0].dimension = TS_DIM_TIME;
  for (uint32_t i = 0; i < v->goal_count; i++) {
    search->goals[i].text = text_at(v, v->goals[i]->span);
    search->goals[i].maximize = v->goals[i]->flags;
  }
  search->maximize = search->goals[0].maximize;
  search->goal = search->goals[0].text;
  for (uint32_t i = 1; i < v->goal_count; i++)
    search->goal = ts_arena_printf(v->s->arena, "%s, %s", search->goal, search->goals[i].text);
}

/* Why a search has no plans: conditions that hold for no values at all, and pairs of which each
 * holds for some and never both. What goes wrong where an earlier condition should have kept it
 * away is not said. */
static void find_conflicts(searcher *v, ts_diag *d)
{
  ts_search *search = v->search;
  uint32_t count = search->reason_count < CONDITIONS ? search->reason_count : CONDITIONS;
  size_t messages = v->s->diags->all.count;
  conflicts c = {0};
  uint64_t required = 0;
  for (uint32_t i = 0; i < v->items.count; i++)
    if (v->items.at[i]->kind == TS_AST_REQUIRE && !v->late[i] && v->reason_of[i] < CONDITIONS)
      required |= UINT64_C(1) << v->reason_of[i];
  v->conflicts = &c;
  v->given_count = 0;
  v->tried = 0;
  bool all = list_from(v, 0) && v->s->diags->all.count == messages;
  v->conflicts = NULL;
  v->s->diags->all.count = messages;
  for (uint32_t i = 0; i < count && all; i++) {
    if (!(required >> i & 1) || !search->reasons[i].count)
      continue;
    if (!c.with[i])
      ts_diag_note(d, "nothing satisfies: %s", search->reasons[i].text);
    for (uint32_t k = i + 1; k < count; k++)
      if (required >> k & 1 && c.with[i] && c.with[k] && !(c.with[i] >> k & 1))
        ts_diag_note(d, "these exclude each other: %s; %s", search->reasons[i].text,
                     search->reasons[k].text);
  }
}

/* False: there is none, or after an error. Plans that conditions leave out meanwhile are not
 * counted. */
static bool draw_one(searcher *v, draw *d)
{
  ts_search *search = v->search;
  ts_search_reason *kept =
    ts_arena_copy(v->s->arena, search->reasons, search->reason_count * sizeof *kept);
  d->counts = TS_NEW_ARRAY(v->s->arena, double, v->items.count + 1);
  d->needs = TS_NEW_ARRAY(v->s->arena, uint32_t, v->items.count + 1);
  v->given_count = 0;
  for (uint32_t i = 0; i < v->items.count; i++)
    d->needs[i] = v->items.at[i]->kind == TS_AST_REQUIRE ? last_needed(v, i) : 0;
  v->draw = d;
  v->played = NULL;
  v->given_count = 0;
  v->tried = 0;
  bool good = list_from(v, 0);
  v->draw = NULL;
  if (search->reason_count)
    memcpy(search->reasons, kept, search->reason_count * sizeof *kept);
  search->points = v->points.at;
  search->point_count = v->points.count;
  if (!good || !d->found)
    return false;
  search->combinations = 1;
  for (uint32_t i = 0; i < v->items.count; i++)
    search->combinations *= v->items.at[i]->kind == TS_AST_VARY ? d->counts[i] : 1;
  return true;
}

bool ts_search_draw(ts_search *search, uint64_t random)
{
  return draw_one(search->searcher, &(draw){.random = random});
}

bool ts_search_neighbours(ts_search *search, size_t point)
{
  searcher *v = search->searcher;
  const ts_search_point near = search->points[point];
  for (uint32_t i = 0; i < v->items.count; i++) {
    if (v->items.at[i]->kind != TS_AST_VARY)
      continue;
    for (int sign = -1; sign <= 1; sign += 2) {
      bool outside = false;
      for (int64_t far = 1; !outside && far < INT32_MAX; far *= 2) {
        draw d = {.near = &near, .column = v->column_of[i], .shift = sign * far};
        draw_one(v, &d);
        if (ts_diags_errors(v->s->diags))
          return false;
        outside = d.outside || !d.counts[i];
      }
    }
  }
  return true;
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
  if (!read_items(v) || (!list_from(v, 0) && !search->open))
    return NULL;
  if (search->open) {
    v->points.count = v->points.count > 0; /* the first one stays */
    search->points = v->points.at;
    search->point_count = v->points.count;
    for (uint32_t i = 0; i < search->reason_count; i++)
      search->reasons[i].count = 0;
    name_goals(v);
    return search;
  }
  search->point_count = v->points.count;
  search->points = v->points.at;
  name_goals(v);
  if (search->point_count)
    return ts_search_check_dimensions(v) ? search : NULL;
  ts_diag *d = ts_report(s, TS_E0234, decl->name_span, "search `%s` has no plans", decl->name);
  for (uint32_t i = 0; i < search->reason_count; i++)
    if (search->reasons[i].count)
      ts_diag_note(d, "%" PRIu64 " left out: %s", search->reasons[i].count,
                   search->reasons[i].text);
  find_conflicts(v, d);
  ts_diag_help(d, "relax a `require`, or give each `vary` a value that `-D` allows too");
  return NULL;
}
