/* The plans of a search: all of them, one drawn at random, those near another one; and which
 * conditions exclude each other. */
#include "compiler/eval/defines.h"
#include "compiler/eval/options.h"
#include "compiler/eval/report.h"
#include "compiler/eval/running.h"
#include "compiler/search_internal.h"

#include <math.h>
#include <string.h>

#include "base/diag_record.h"
#include "compiler/eval/check.h"
#include "compiler/eval/env.h"

enum { TRIED_FOR_EACH = 10 }; /* plan that may come of it */
enum { TRIED_FOR_A_DRAW = 20000, TRIED_FOR_A_PAIR = 300000 };

typedef ts_searcher searcher;
typedef ts_given given;

/* A plan of an open search: values in an order that a random number says, or those of another plan
 * but for one `vary`. */
typedef struct draw {
  uint64_t random;
  const int64_t *places;       /* [columns] NULL, or the plan is known */
  bool nearby;                 /* else any plan */
  size_t near;                 /* the other one */
  uint32_t column;             /* that differs from it */
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

/* A value as text for -D, exactly. Kinds that have no such text are taken as they were written in
 * the list. */
static const char *search_list_text_of(const searcher *v, ts_value value, const ts_ast *written)
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

/* What VARY and SET give. On a command line, or in a list there, a word may be bare. */
static ts_value search_list_values(const searcher *v, const ts_env *env, const ts_ast *item)
{
  const ts_ast *type = ts_ast_type(ts_search_formal(v, item->name)), *e = ts_ast_value(item);
  bool typed = !strcmp(ts_sources_get(v->s->sources, e->span.file)->role, "options");
  ts_value word;
  if (typed && ts_bare_word(v->s, env, type, e, &word))
    return word;
  if (!typed || item->kind != TS_AST_VARY || e->kind != TS_AST_LIST)
    return ts_eval_as(v->s, env, type, e);
  ts_value *at = TS_NEW_ARRAY(v->s->arena, ts_value, e->count);
  bool good = true;
  for (uint32_t i = 0; i < e->count; i++) {
    if (!ts_bare_word(v->s, env, type, e->child[i], &at[i]))
      at[i] = ts_eval_as(v->s, env, type, e->child[i]);
    good &= at[i].type != TS_T_ERROR;
  }
  return good ? ts_list_value(v->s->arena, at, e->count, e->span) : ts_error_value();
}

/* Gives a column its value, of the parameter's type. Where -D gives the parameter, other values are
 * passed over. */
static bool search_list_give(searcher *v, const ts_ast *item, ts_env *env, uint32_t column,
                             ts_value value, const ts_ast *written, bool *passed)
{
  const ts_ast *formal = ts_search_formal(v, item->name);
  const char *what = v->quoted[column];
  uint32_t define;
  *passed = false;
  value.span = written ? written->span : ts_ast_value(item)->span;
  if (value.type == TS_T_ERROR || !ts_convert(v->s, env, ts_ast_type(formal), &value, what))
    return false;
  const char *text = search_list_text_of(v, value, written);
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
    text = v->s->options->defines[define].expression;
  }
  v->given[column] = (given){item->name, value, text, TS_SEARCH_NO_CHOICE, 0};
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
  else if (v->search->point_count == v->most && v->may_open)
    return leave_open(v);
  if (!v->draw && v->search->point_count == v->most) {
    ts_diag *d = ts_report(s, TS_E0234, v->decl->name_span, "the search has more than %s plans",
                           ts_count_print(s->arena, s->limits.plans));
    ts_diag_help(d, "`require` more of them, or vary fewer parameters");
    return false;
  }
  ts_search_put_point(v);
  return true;
}

static uint64_t next_random(uint64_t *state) /* SplitMix64: Steele et al., OOPSLA 2014 */
{
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
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
  const ts_value there = *ts_search_value_at(v->search, d->near, column);
  bool whole = list.type == TS_T_RANGE && there.type == TS_T_INT;
  int64_t at = whole ? there.u.integer - list.u.range.begin : 0;
  if (whole && (at < 0 || at >= count))
    at = count;
  for (; at < count && !whole; at++) {
    ts_value value = element(list, at, span);
    if (value.type == TS_T_INT && there.type == TS_T_REAL)
      value = ts_real_value((double)value.u.integer, span);
    if (ts_value_equal(value, there, &budget))
      break;
  }
  if (!ts_budget_end(v->s, &budget, span) || at == count)
    return -1;
  at += column == d->column ? d->shift : 0;
  d->outside |= at < 0 || at >= count;
  return at >= 0 && at < count ? at : -1;
}

/* Where it is found out which conditions exclude each other, only some are looked at. */
static bool looks_at(const searcher *v, uint32_t item)
{
  uint32_t reason = v->reason_of[item];
  return v->items.at[item]->kind != TS_AST_REQUIRE || !v->only ||
         (reason < CONDITIONS && v->only >> reason & 1);
}

/* Conditions that need nothing of what comes behind the item, and something that it gives. False
 * after an error. */
static bool early_conditions(searcher *v, uint32_t item, bool *holds)
{
  for (uint32_t r = item + 1; r < v->items.count && *holds; r++) {
    if (v->items.at[r]->kind != TS_AST_REQUIRE || v->late[r] || v->draw->needs[r] != item ||
        !looks_at(v, r))
      continue;
    uint64_t uneven = 0;
    v->s->running->uneven = &uneven;
    bool good = ts_search_condition(v, r, holds);
    v->s->running->uneven = NULL;
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
          v->items.at[i]->name == params->child[p]->name && ts_search_needs(v, condition, p))
        last = i;
  while (last + 1 < condition && v->items.at[last]->kind != TS_AST_VARY &&
         v->items.at[last]->kind != TS_AST_SET)
    last++;
  return last;
}

/* ---- Values of a `vary` ---- */

typedef struct varying {
  uint32_t item;
  const ts_ast *written; /* the list, where it is written out */
  ts_value list;
  ts_env *env;
  uint32_t before; /* parameters given before */
} varying;

static bool spent(const searcher *v) { return v->draw && (v->draw->found || v->draw->spent); }

/* One more value is looked at. False: to stop; *good: for no error. */
static bool count_try(searcher *v, const varying *of, bool *good)
{
  uint64_t most = (uint64_t)TRIED_FOR_EACH * v->s->limits.plans;
  ts_span span = ts_ast_value(v->items.at[of->item])->span;
  if (spent(v))
    return false;
  if (v->draw) {
    v->draw->spent = v->tried++ >= (v->only ? TRIED_FOR_A_PAIR : TRIED_FOR_A_DRAW);
    return !v->draw->spent;
  }
  if (v->tried++ < most)
    return true;
  *good = false;
  if (v->may_open)
    return leave_open(v);
  ts_diag *d = ts_report(v->s, TS_E0234, span, "the search has more than %s values to try",
                         ts_count_print(v->s->arena, (int64_t)most));
  ts_diag_help(d, "vary over shorter lists: conditions exclude plans, but each must be checked");
  return false;
}

/* A value, and all that comes behind it. */
static bool go_through(searcher *v, const varying *of, int64_t place)
{
  const ts_ast *node = v->items.at[of->item], *written = of->written;
  bool passed;
  if (!search_list_give(v, node, of->env, v->column_of[of->item],
                        element(of->list, place, ts_ast_value(node)->span),
                        written && place < written->count ? written->child[place] : NULL, &passed))
    return false;
  v->given[v->column_of[of->item]].place = place;
  bool holds = !passed;
  if (v->draw && holds && !early_conditions(v, of->item, &holds))
    return false;
  if (holds && !list_from(v, of->item + 1))
    return false;
  v->given_count = of->before;
  return true;
}

static bool try_value(searcher *v, const varying *of, int64_t place)
{
  bool good = true;
  if (!count_try(v, of, &good))
    return good;
  ts_search_passing before = ts_search_pass(v, v->levels[of->item]);
  good = go_through(v, of, place);
  ts_search_passed(v, before);
  return good;
}

static ts_search_range range_within(const ts_value *list, int64_t first, int64_t end)
{
  if (list->type == TS_T_RANGE)
    return (ts_search_range){(double)(list->u.range.begin + first),
                             (double)(list->u.range.begin + end - 1)};
  ts_search_range r = {INFINITY, -INFINITY};
  for (int64_t i = first; i < end; i++) {
    const ts_value *x = &list->u.list->at[i];
    bool whole = x->type == TS_T_INT;
    if (!whole && x->type != TS_T_REAL && x->type != TS_T_QUANTITY)
      return (ts_search_range){-INFINITY, INFINITY};
    double number = whole ? (double)x->u.integer : x->u.real;
    r = (ts_search_range){fmin(r.low, number), fmax(r.high, number)};
  }
  return r;
}

/* Whether any of the values may satisfy the conditions, with some values of what varies behind. */
static bool may_hold(searcher *v, const varying *of, int64_t first, int64_t end)
{
  ts_search_range before = v->all[of->item];
  bool may = true;
  v->all[of->item] = range_within(&of->list, first, end);
  for (uint32_t r = of->item + 1; r < v->items.count && may; r++)
    may = v->late[r] || !looks_at(v, r) || ts_search_may_hold(v, r, of->item, v->all);
  v->all[of->item] = before;
  return may;
}

/* By halves, of which those go where no value may satisfy the conditions: branch and prune. A draw
 * goes to either half first, as often as it is large. */
static bool try_span(searcher *v, const varying *of, int64_t first, int64_t end)
{
  if (spent(v) || (end - first > 1 && !may_hold(v, of, first, end)))
    return true;
  if (end - first == 1)
    return try_value(v, of, first);
  int64_t middle = first + (end - first) / 2;
  bool later = v->draw && next_random(&v->draw->random) % (uint64_t)(end - first) >=
                            (uint64_t)(middle - first);
  return later ? try_span(v, of, middle, end) && try_span(v, of, first, middle) :
                 try_span(v, of, first, middle) && try_span(v, of, middle, end);
}

static bool vary(searcher *v, uint32_t item, ts_value list)
{
  const ts_ast *node = v->items.at[item];
  bool range = list.type == TS_T_RANGE;
  if (!range && list.type != TS_T_LIST) {
    ts_diag *d =
      ts_report(v->s, TS_E0220, ts_ast_value(node)->span, "`vary` needs a list of values, not %s",
                ts_value_describe(v->s->arena, list));
    ts_diag_help(d, "write `vary %s in [1, 2, 4]` or `vary %s in 1..9`", node->name, node->name);
    return false;
  }
  varying of = {.item = item,
                .written = ts_ast_value(node)->kind == TS_AST_LIST ? ts_ast_value(node) : NULL,
                .list = list,
                .env = ts_search_scope(v, item),
                .before = v->given_count};
  int64_t count = range ? list.u.range.end - list.u.range.begin : list.u.list->count;
  uint32_t define;
  if (v->draw)
    v->draw->counts[item] = count > 0 ? (double)count : 0;
  if (v->draw && v->draw->places) {
    int64_t place = v->draw->places[v->column_of[item]];
    return place < 0 || place >= count || try_value(v, &of, place);
  }
  if (v->draw && v->draw->nearby) {
    int64_t place = place_near(v, v->column_of[item], list, count, ts_ast_value(node)->span);
    return place < 0 || try_value(v, &of, place);
  }
  if ((v->draw || v->prunes) && count > 0 && !ts_session_define(v->s, node->name, &define))
    return try_span(v, &of, 0, count);
  for (int64_t k = 0; k < count && !spent(v); k++)
    if (!try_value(v, &of, k))
      return false;
  return true;
}

/* ---- Spaces that are not looked through one by one ---- */

/* Whether the list is the same whatever the items before it give. */
static bool is_fixed(const searcher *v, uint32_t item)
{
  const ts_ast *params = ts_ast_params(v->plan);
  for (uint32_t i = 0; i < item; i++)
    for (uint32_t p = 0; p < params->count; p++)
      if ((v->items.at[i]->kind == TS_AST_VARY || v->items.at[i]->kind == TS_AST_SET) &&
          v->items.at[i]->name == params->child[p]->name && ts_search_needs(v, item, p))
        return false;
  return true;
}

/* What the values of fixed lists are between, and how many combinations they have. False after an
 * error. */
static bool look_over(searcher *v)
{
  enum { ONE_BY_ONE = 1000000 };
  ts_search_range *all = TS_NEW_ARRAY(v->s->arena, ts_search_range, v->items.count + 1);
  double combinations = 1;
  for (uint32_t i = 0; i < v->items.count; i++) {
    const ts_ast *node = v->items.at[i];
    uint64_t uneven = 0;
    all[i] = (ts_search_range){-INFINITY, INFINITY};
    if (node->kind != TS_AST_VARY || !is_fixed(v, i))
      continue;
    v->s->running->uneven = &uneven;
    ts_value list = search_list_values(v, ts_search_scope(v, i), node);
    v->s->running->uneven = NULL;
    if (ts_diags_errors(v->s->diags))
      return false;
    int64_t count = list.type == TS_T_RANGE ? list.u.range.end - list.u.range.begin :
                    list.type == TS_T_LIST  ? list.u.list->count :
                                              0;
    v->empty[i] = count <= 0;
    if (count > 0)
      all[i] = range_within(&list, 0, count);
    combinations *= count > 0 ? (double)count : 1;
  }
  v->all = all;
  v->combinations = combinations;
  v->prunes = combinations > ONE_BY_ONE;
  return true;
}

/* False after an error; *holds: the condition. */
bool ts_search_condition(searcher *v, uint32_t item, bool *holds)
{
  const ts_ast *node = v->items.at[item];
  ts_search_reason *reason = &v->search->reasons[v->reason_of[item]];
  v->spare = v->names;
  ts_env *env = ts_search_scope(v, item);
  v->spare = NULL;
  if (!ts_eval_bool(v->s, env, ts_ast_condition(node), "the requirement of a search", holds))
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
  return search_list_give(v, node, env, v->column_of[item], search_list_values(v, env, node),
                          ts_ast_value(node), &passed);
}

/* Whatever becomes of the condition, what comes behind it is looked at, too. */
static bool pass_condition(searcher *v, uint32_t item)
{
  uint32_t reason = v->reason_of[item];
  uint64_t bit = reason < CONDITIONS ? UINT64_C(1) << reason : 0, uneven = 0;
  bool holds = true;
  v->s->running->uneven = &uneven;
  if (!v->late[item] && (!ts_search_condition(v, item, &holds) || !holds))
    v->conflicts->failing |= bit;
  v->s->running->uneven = NULL;
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
  v->s->running->uneven = &uneven;
  if (node->kind == TS_AST_VARY)
    good = (list = search_list_values(v, ts_search_scope(v, item), node)).type != TS_T_ERROR;
  else if (node->kind == TS_AST_SET)
    good = set(v, item);
  else if (node->kind == TS_AST_REQUIRE && !v->late[item])
    good = ts_search_condition(v, item, &holds);
  v->s->running->uneven = NULL;
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

/* ---- Draws ---- */

/* False: there is none, or after an error. Plans that conditions leave out meanwhile are not
 * counted. */
static bool draw_one(searcher *v, draw *d)
{
  ts_search *search = v->search;
  ts_search_reason *copy =
    ts_arena_copy(v->s->arena, search->reasons, search->reason_count * sizeof *copy);
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
    memcpy(search->reasons, copy, search->reason_count * sizeof *copy);
  if (!good || !d->found)
    return false;
  search->combinations = 1;
  for (uint32_t i = 0; i < v->items.count; i++)
    search->combinations *= v->items.at[i]->kind == TS_AST_VARY ? d->counts[i] : 1;
  return true;
}

/* Whether no values satisfy these conditions, whatever the others say. */
static bool is_impossible(searcher *v, uint64_t only)
{
  draw d = {.random = 1};
  size_t points = v->search->point_count;
  ts_aside before = ts_session_set_aside(v->s);
  v->only = only;
  bool found = draw_one(v, &d) || d.spent;
  v->only = 0;
  v->search->point_count = points;
  return ts_session_take_up(v->s, before) == TS_CODE_COUNT && !found;
}

/* Why a search has no plans, where its space is too large to look at every value. */
static void find_pairs(searcher *v, ts_diag *d)
{
  const ts_search *search = v->search;
  uint64_t alone = 0;
  uint32_t items[CONDITIONS], count = 0;
  for (uint32_t i = 0; i < v->items.count && count < CONDITIONS; i++)
    if (v->items.at[i]->kind == TS_AST_REQUIRE && !v->late[i] && v->reason_of[i] < CONDITIONS)
      items[count++] = v->reason_of[i];
  for (uint32_t i = 0; i < count; i++)
    if (is_impossible(v, UINT64_C(1) << items[i])) {
      alone |= UINT64_C(1) << items[i];
      ts_diag_note(d, "nothing satisfies: %s", search->reasons[items[i]].text);
    }
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = i + 1; k < count; k++) {
      uint64_t pair = UINT64_C(1) << items[i] | UINT64_C(1) << items[k];
      if (!(alone & pair) && is_impossible(v, pair))
        ts_diag_note(d, "these exclude each other: %s; %s", search->reasons[items[i]].text,
                     search->reasons[items[k]].text);
    }
}

/* Why a search has no plans: conditions that hold for no values at all, and pairs of which each
 * holds for some and never both. What goes wrong where an earlier condition should have kept it
 * away is not said. */
void ts_search_conflicts(ts_searcher *v, ts_diag *d)
{
  ts_search *search = v->search;
  if (v->prunes) {
    find_pairs(v, d);
    return;
  }
  uint32_t count = search->reason_count < CONDITIONS ? search->reason_count : CONDITIONS;
  conflicts c = {0};
  uint64_t required = 0;
  for (uint32_t i = 0; i < v->items.count; i++)
    if (v->items.at[i]->kind == TS_AST_REQUIRE && !v->late[i] && v->reason_of[i] < CONDITIONS)
      required |= UINT64_C(1) << v->reason_of[i];
  v->conflicts = &c;
  v->given_count = 0;
  v->tried = 0;
  ts_aside before = ts_session_set_aside(v->s);
  bool all = list_from(v, 0);
  all = ts_session_take_up(v->s, before) == TS_CODE_COUNT && all;
  v->conflicts = NULL;
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

bool ts_search_draw(ts_search *search, uint64_t random)
{
  return draw_one(search->searcher, &(draw){.random = random});
}

bool ts_search_put(ts_search *search, const int64_t *places)
{
  return draw_one(search->searcher, &(draw){.places = places});
}

bool ts_search_neighbours(ts_search *search, size_t point)
{
  searcher *v = search->searcher;
  for (uint32_t i = 0; i < v->items.count; i++) {
    if (v->items.at[i]->kind != TS_AST_VARY)
      continue;
    for (int sign = -1; sign <= 1; sign += 2) {
      bool outside = false;
      for (int64_t far = 1; !outside && far < INT32_MAX; far *= 2) {
        draw d = {.nearby = true, .near = point, .column = v->column_of[i], .shift = sign * far};
        draw_one(v, &d);
        if (ts_diags_errors(v->s->diags))
          return false;
        outside = d.outside || !d.counts[i];
      }
    }
  }
  return true;
}

/* ---- All ---- */

/* Nothing but fixed lists, of which every combination is a plan: too many are known beforehand, and
 * the first one is enough. */
static void look_ahead(searcher *v)
{
  bool all = v->may_open && v->combinations > (double)v->most;
  for (uint32_t i = 0; i < v->items.count && all; i++)
    all = (v->items.at[i]->kind != TS_AST_VARY || is_fixed(v, i)) &&
          v->items.at[i]->kind != TS_AST_SET &&
          (v->items.at[i]->kind != TS_AST_REQUIRE || v->late[i]);
  if (all)
    v->most = 1;
}

bool ts_search_list(ts_searcher *v)
{
  bool good = look_over(v);
  if (good)
    look_ahead(v);
  good = good && list_from(v, 0);
  for (uint32_t i = 0; v->prunes && i < v->search->reason_count; i++)
    v->search->reasons[i].count = 0; /* what was not looked at is not counted */
  return good;
}
