#include "tools/sweep/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag_record.h"
#include "base/format.h"
#include "compiler/eval/check.h"
#include "compiler/eval/report.h"

static int rank_compare(const void *x, const void *y)
{
  const ts_outcome *a = x, *b = y;
  if (a->state != b->state)
    return a->state > b->state ? -1 : 1;
  if (a->front != b->front)
    return a->front ? -1 : 1;
  if (a->state == TS_RANKED && a->objective != b->objective)
    return a->objective < b->objective ? -1 : 1;
  return a->point < b->point ? -1 : 1;
}

bool ts_sweep_is_speed(const ts_sweep *s)
{
  static const char *const goals[] = {TS_SEARCH_PER_STEP, "maximize tokens_per_second",
                                      "maximize mfu", "maximize hfu",
                                      TS_SEARCH_PER_TOKEN};
  for (size_t i = 0; i < sizeof goals / sizeof *goals; i++)
    if (!strcmp(s->search->goal, goals[i]))
      return true;
  return false;
}

/* Plans that are behind the best by no more than what is not known of the two: what their errors
 * have in common cancels. */
static void find_equals(ts_sweep *s)
{
  const ts_outcome *best = &s->outcomes[0];
  if (!ts_sweep_is_speed(s) || best->state != TS_RANKED || !best->sure)
    return;
  for (size_t i = 1; i < s->count; i++) {
    ts_outcome *o = &s->outcomes[i];
    if (o->state != TS_RANKED || !o->sure)
      continue;
    ts_interval ratio = ts_interval_of_ratio(o->sure, best->sure);
    double behind = o->objective / best->objective; /* of either sign: larger is worse */
    behind = best->objective < 0 ? 1 / behind : behind;
    o->equal = ratio.on && behind * ratio.low / ratio.figure <= 1;
  }
}

/* ---- Bounds ---- */

/* Figures of a step that takes no less time, in which all devices together work no less. Without
 * what drivers hold, as devices may differ. */
static void find_figures(const ts_lower_bounds *l, double seconds, double work, ts_figures *low,
                         ts_figures *high)
{
  double joules = ts_bound_joules(l, seconds, work);
  *low = (ts_figures){{[TS_FIGURE_STEP] = seconds,
                       [TS_FIGURE_MEMORY] = 8 * (double)l->bytes,
                       [TS_FIGURE_DEVICES] = l->devices,
                       [TS_FIGURE_BATCH] = l->tokens,
                       [TS_FIGURE_ENERGY] = joules,
                       [TS_FIGURE_COST] = ts_bound_dollars(l, seconds),
                       [TS_FIGURE_CARBON] = joules * l->rates.carbon}};
  for (size_t i = 0; i < TS_FIGURES; i++)
    high->of[i] = INFINITY;
  high->of[TS_FIGURE_DEVICES] = l->devices;
  high->of[TS_FIGURE_BATCH] = l->tokens;
  if (seconds > 0) {
    high->of[TS_FIGURE_TOKENS] = l->tokens / seconds;
    high->of[TS_FIGURE_MFU] = l->floor / seconds * (1 + 1e-9);
  }
}

/* What is known early: the same whether more became known later or not. */
static void find_early(const ts_lower_bounds *l, ts_figures *low, ts_figures *high)
{
  ts_lower_bounds early = {.bytes = (uint64_t)l->early_bytes,
                           .tokens = l->tokens,
                           .devices = l->devices,
                           .floor = INFINITY};
  find_figures(&early, l->early, 0, low, high);
}

static double turned(const ts_search *search, uint32_t goal, double objective)
{
  return search->goals[goal].maximize ? -objective : objective;
}

static const struct ts_outcome_best *best_of(const ts_sweep *s, ts_outcome *o)
{
  static const double nothing[TS_SEARCH_GOALS] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY,
                                                  -INFINITY, -INFINITY, -INFINITY, -INFINITY};
  struct ts_outcome_best *b = &o->best;
  double objectives[TS_SEARCH_GOALS];
  ts_figures low, high;
  if (b->known)
    return b;
  b->known = true;
  b->objectives = nothing;
  if (!(o->bounds.devices > 0))
    return b;
  find_figures(&o->bounds, o->bounds.seconds, o->bounds.work, &low, &high);
  b->fails = !ts_search_bound(s->search, o->point, &low, &high, objectives, &b->reason);
  for (uint32_t g = 0; g < s->search->goal_count; g++)
    objectives[g] = turned(s->search, g, objectives[g]);
  b->objectives = ts_arena_copy(s->arena, objectives, s->search->goal_count * sizeof *objectives);
  return b;
}

bool ts_sweep_find_worths(ts_sweep *s, ts_outcome *o)
{
  double objectives[TS_SEARCH_GOALS];
  if (!o->objectives && ts_search_objectives(s->search, o->point, &o->figures, objectives))
    o->objectives = ts_arena_copy(s->arena, objectives, s->search->goal_count * sizeof *objectives);
  return o->objectives;
}

double ts_sweep_bound(const ts_sweep *s)
{
  const ts_search *search = s->search;
  double best = INFINITY, objectives[TS_SEARCH_GOALS];
  ts_figures low, high;
  uint32_t reason;
  for (size_t i = 0; i < s->count; i++) {
    const ts_lower_bounds *l = &s->outcomes[i].bounds;
    if (!(l->floor > 0))
      continue;
    find_figures(l, l->floor, l->floor * l->devices, &low, &high);
    low.of[TS_FIGURE_MEMORY] = 0;
    if (ts_search_bound(s->search, s->outcomes[i].point, &low, &high, objectives, &reason) &&
        turned(search, 0, objectives[0]) < best)
      best = turned(search, 0, objectives[0]);
  }
  return isfinite(best) ? turned(search, 0, best) : 0;
}

/* As good by all goals, and better by one; objectives are turned. */
static bool is_beaten(const ts_search *search, const double *a, const double *by)
{
  bool better = false;
  for (uint32_t g = 0; g < search->goal_count; g++) {
    if (by[g] > a[g])
      return false;
    better |= by[g] < a[g];
  }
  return better;
}

static bool is_behind_front(const ts_sweep *s, const double *objectives)
{
  for (size_t i = 0; i < s->front.count; i += s->search->goal_count)
    if (is_beaten(s->search, objectives, s->front.at + i))
      return true;
  return false;
}

double ts_sweep_best_objective(const ts_sweep *s, ts_outcome *o, uint32_t goal)
{
  return best_of(s, o)->objectives[goal];
}

bool ts_sweep_cannot_hold(const ts_sweep *s, ts_outcome *o)
{
  return best_of(s, o)->fails;
}

bool ts_sweep_has_room(const ts_sweep *s)
{
  return !s->top || (s->search->goal_count == 1 ? s->top_count < s->top : !s->front.count);
}

/* Behind the best so far; objectives are turned. */
static bool is_behind(const ts_sweep *s, const double *objectives)
{
  return !ts_sweep_has_room(s) &&
         (s->search->goal_count == 1 ? objectives[0] > s->tops[s->top - 1] :
                                       is_behind_front(s, objectives));
}

bool ts_sweep_is_behind(const ts_sweep *s, ts_outcome *o)
{
  return is_behind(s, best_of(s, o)->objectives);
}

bool ts_sweep_cannot_win(const ts_sweep *s, ts_outcome *o)
{
  return ts_sweep_is_behind(s, o) || (!ts_sweep_has_room(s) && best_of(s, o)->fails);
}

/* False: nothing is known. A condition that cannot hold is told by later bounds. */
static bool find_bound(const ts_sweep *s, const ts_outcome *o, double objectives[TS_SEARCH_GOALS])
{
  ts_figures low, high;
  uint32_t unused;
  if (!(o->bounds.early > 0))
    return false;
  find_early(&o->bounds, &low, &high);
  if (!ts_search_bound(s->search, o->point, &low, &high, objectives, &unused))
    return false;
  for (uint32_t g = 0; g < s->search->goal_count; g++)
    objectives[g] = turned(s->search, g, objectives[g]);
  return true;
}

/* Of so many plans it is not asked which of those that are behind the best would not fit. */
enum { MANY = 1000 };

bool ts_sweep_cannot_win_early(const ts_sweep *s, const ts_outcome *o)
{
  double objectives[TS_SEARCH_GOALS];
  return s->search->point_count > MANY && !s->search->open && !ts_sweep_has_room(s) &&
         find_bound(s, o, objectives) && is_behind(s, objectives);
}

typedef struct bounded {
  size_t index;
  double objective;
} bounded;

static int by_bound(const void *x, const void *y)
{
  const bounded *a = x, *b = y;
  return a->objective != b->objective ? (a->objective < b->objective ? -1 : 1) :
         a->index < b->index          ? -1 :
                                        1;
}

void ts_sweep_sort_by_bound(const ts_sweep *s, size_t *todo, size_t count)
{
  ts_arena *scratch = ts_arena_new("early bounds");
  uint32_t goals = s->search->goal_count;
  bounded *all = TS_NEW_ARRAY(scratch, bounded, count + 1);
  double *objectives = TS_NEW_ARRAY(scratch, double, count *TS_SEARCH_GOALS + 1),
         *place = TS_NEW_ARRAY(scratch, double, count + 1);
  for (size_t i = 0; i < count; i++) {
    place[i] = INFINITY;
    if (!find_bound(s, &s->outcomes[todo[i]], objectives + i * TS_SEARCH_GOALS))
      for (uint32_t g = 0; g < goals; g++)
        objectives[i * TS_SEARCH_GOALS + g] = -INFINITY;
  }
  for (uint32_t g = 0; g < goals; g++) {
    for (size_t i = 0; i < count; i++)
      all[i] = (bounded){i, objectives[i * TS_SEARCH_GOALS + g]};
    qsort(all, count, sizeof *all, by_bound);
    for (size_t i = 0; i < count; i++)
      place[all[i].index] = fmin(place[all[i].index], (double)(i * goals + g));
  }
  for (size_t i = 0; i < count; i++)
    all[i] = (bounded){todo[i], place[i]};
  qsort(all, count, sizeof *all, by_bound);
  for (size_t i = 0; i < count; i++)
    todo[i] = all[i].index;
  ts_arena_free(scratch);
}

/* What no longer is of the front goes; objectives are turned. */
static void note_front(ts_sweep *s, const double *objectives)
{
  const ts_search *search = s->search;
  uint32_t goals = search->goal_count;
  size_t remaining = 0;
  if (is_behind_front(s, objectives))
    return;
  for (size_t i = 0; i < s->front.count; i += goals)
    if (!is_beaten(search, s->front.at + i, objectives)) {
      memmove(s->front.at + remaining, s->front.at + i, goals * sizeof *objectives);
      remaining += goals;
    }
  s->front.count = remaining;
  for (uint32_t g = 0; g < goals; g++)
    TS_PUSH(s->arena, &s->front, objectives[g]);
}

ts_outcome ts_sweep_looked(const ts_sweep *s, size_t point, const ts_lower_bounds *bounds)
{
  ts_outcome o = {.point = point, .known = true, .bounds = *bounds};
  o.state = bounds->over ? TS_TOO_LARGE : ts_sweep_cannot_hold(s, &o) ? TS_LEFT_OUT : TS_BOUNDED;
  return o;
}

static void note_top(ts_sweep *s, double objective)
{
  size_t at = s->top_count;
  if (at == s->top && (!at || objective >= s->tops[at - 1]))
    return;
  at -= at == s->top;
  for (; at > 0 && s->tops[at - 1] > objective; at--)
    s->tops[at] = s->tops[at - 1];
  s->tops[at] = objective;
  s->top_count += s->top_count < s->top;
}

/* Of figures as they were played; turned. What goes wrong is said when the plan is judged. */
static bool find_worths(const ts_sweep *s, const ts_outcome *o, double objectives[TS_SEARCH_GOALS])
{
  ts_aside before = ts_session_set_aside(s->session);
  bool good = ts_search_objectives(s->search, o->point, &o->figures, objectives);
  ts_session_take_up(s->session, before);
  for (uint32_t g = 0; g < s->search->goal_count; g++)
    objectives[g] = turned(s->search, g, objectives[g]);
  return good;
}

static bool satisfies(const ts_sweep *s, const ts_outcome *o)
{
  ts_arena *scratch = ts_arena_new("conditions");
  bool *holds = TS_NEW_ARRAY(scratch, bool, s->search->condition_count + 1);
  ts_aside before = ts_session_set_aside(s->session);
  bool all = ts_search_holds(s->search, o->point, &o->figures, holds);
  ts_session_take_up(s->session, before);
  for (uint32_t i = 0; i < s->search->condition_count; i++)
    all &= holds[i];
  ts_arena_free(scratch);
  return all;
}

void ts_sweep_note(ts_sweep *s, size_t index)
{
  double objectives[TS_SEARCH_GOALS];
  ts_outcome *o = &s->outcomes[index], *best = &s->outcomes[s->best];
  if (!s->top || s->all || s->search->open || o->noted || o->state != TS_RANKED ||
      !satisfies(s, o) || !find_worths(s, o, objectives))
    return;
  o->noted = true;
  o->objective = objectives[0];
  if (!best->noted || o->objective < best->objective)
    s->best = index;
  note_top(s, objectives[0]);
  if (s->search->goal_count > 1)
    note_front(s, objectives);
}

static bool judge_front(ts_sweep *s, ts_outcome *o)
{
  double objectives[TS_SEARCH_GOALS];
  if (!ts_sweep_find_worths(s, o))
    return false;
  for (uint32_t g = 0; g < s->search->goal_count; g++)
    objectives[g] = turned(s->search, g, o->objectives[g]);
  note_front(s, objectives);
  return true;
}

bool ts_sweep_judge(ts_sweep *s)
{
  for (; s->judged < s->count && s->outcomes[s->judged].known; s->judged++) {
    ts_outcome *o = &s->outcomes[s->judged], *best = &s->outcomes[s->best];
    if (ts_diags_errors(s->session->diags))
      return false;
    if (o->state == TS_RANKED && !ts_search_judge(s->search, o->point, &o->figures, &o->objective))
      o->state = TS_LEFT_OUT;
    if (s->search->maximize)
      o->objective = -o->objective;
    if (o->state != TS_RANKED || o->noted)
      continue;
    if (best->state != TS_RANKED || o->objective < best->objective)
      s->best = s->judged;
    o->noted = true;
    note_top(s, o->objective);
    if (s->search->goal_count > 1 && !judge_front(s, o))
      return false;
  }
  return !ts_diags_errors(s->session->diags);
}

/* It was played, and others are better, whatever else is to be said of it. */
static bool is_behind_as_played(const ts_sweep *s, const ts_outcome *o)
{
  double objectives[TS_SEARCH_GOALS];
  return !s->search->open && o->played && !o->why && !ts_sweep_has_room(s) &&
         find_worths(s, o, objectives) && is_behind(s, objectives);
}

/* Which plans were bounded before they were played depends on which were played by then, and so
 * does by which of its bounds a plan was. What the report says does not: a plan is behind the best
 * if a bound of it is, or its play, which is no better. What is known early goes first, as all that
 * comes later may not be known. */
static void find_bounded(ts_sweep *s)
{
  for (size_t i = 0; i < s->count; i++) {
    ts_outcome *o = &s->outcomes[i];
    if (ts_sweep_cannot_win_early(s, o)) {
      o->state = TS_BOUNDED;
      o->why = NULL;
      continue;
    }
    if (o->state == TS_REFUSED || o->starved)
      continue;
    if (o->bounds.over) {
      o->state = TS_TOO_LARGE;
      if (!o->played || o->why)
        o->figures.of[TS_FIGURE_MEMORY] = 8 * (double)(o->bounds.bytes + o->bounds.reserved),
        o->limit = (double)o->bounds.limit;
      o->why = NULL;
    } else if (o->state != TS_STOPPED && ts_sweep_cannot_hold(s, o)) {
      o->state = TS_LEFT_OUT;
      o->why = NULL;
    } else if (ts_sweep_is_behind(s, o) || is_behind_as_played(s, o)) {
      o->state = TS_BOUNDED;
      o->why = NULL;
    }
  }
}

/* Conditions count the plans that are left out for them, played or not, each once. */
static void count_left_out(ts_sweep *s)
{
  double unused;
  for (uint32_t i = 0; i < s->search->reason_count; i++)
    s->search->reasons[i].count = s->reasons[i];
  for (size_t i = 0; i < s->count; i++) {
    ts_outcome *o = &s->outcomes[i];
    if (o->state != TS_LEFT_OUT)
      continue;
    if (o->best.known && o->best.fails)
      s->search->reasons[o->best.reason].count++;
    else
      ts_search_judge(s->search, o->point, &o->figures, &unused);
  }
}

/* The Pareto front, and what the report says of each. */
static bool find_front(ts_sweep *s)
{
  bool *holds = TS_NEW_ARRAY(s->arena, bool, s->search->condition_count + 1);
  for (size_t i = 0; i < s->count; i++) {
    ts_outcome *o = &s->outcomes[i];
    if (o->state == TS_RANKED && !ts_sweep_find_worths(s, o))
      return false;
    if ((o->state == TS_RANKED || o->state == TS_LEFT_OUT) &&
        ts_search_holds(s->search, o->point, &o->figures, holds))
      o->holds = ts_intern_at(&s->once, holds, s->search->condition_count * sizeof *holds);
  }
  if (s->search->goal_count == 1)
    return true;
  qsort(s->outcomes, s->count, sizeof *s->outcomes, rank_compare);
  for (size_t i = 0; i < s->count && s->outcomes[i].state == TS_RANKED; i++) {
    ts_outcome *o = &s->outcomes[i];
    double objectives[TS_SEARCH_GOALS];
    for (uint32_t g = 0; g < s->search->goal_count; g++)
      objectives[g] = turned(s->search, g, o->objectives[g]);
    o->front = !is_behind_front(s, objectives);
  }
  return true;
}

/* Of plans that wait: those that may still be better than the best, and how much. */
static void count_waiting(ts_sweep *s)
{
  s->undecided = 0;
  s->best_waiting = INFINITY;
  for (size_t i = 0; i < s->waiting.count; i++) {
    ts_outcome *o = &s->waiting.at[i];
    if (ts_sweep_cannot_win(s, o))
      continue;
    s->undecided++;
    s->best_waiting = fmin(s->best_waiting, best_of(s, o)->objectives[0]);
  }
}

size_t ts_sweep_nearest_unplayed(ts_sweep *s)
{
  /* many plans may have one bound, as they differ in nothing that it sees */
  enum { PLAYED = 4 };
  static const double matters = 0.99;
  size_t nearest = SIZE_MAX, exact = 0;
  double min = INFINITY, played = INFINITY;
  if (!s->top || s->all)
    return SIZE_MAX;
  find_bounded(s);
  for (size_t i = 0; i < s->count; i++) {
    double bytes = s->outcomes[i].figures.of[TS_FIGURE_MEMORY];
    exact += s->outcomes[i].exact;
    if (s->outcomes[i].state != TS_TOO_LARGE)
      continue;
    if (s->outcomes[i].played)
      played = fmin(played, bytes);
    else if (bytes < min)
      min = s->outcomes[nearest = i].figures.of[TS_FIGURE_MEMORY];
  }
  return min < matters * played && exact < PLAYED ? nearest : SIZE_MAX;
}

/* ---- Tokens ---- */

static void widen(const ts_outcome *o, double *min, double *max)
{
  double tokens = o->bounds.tokens > 0 ? o->bounds.tokens : o->figures.of[TS_FIGURE_BATCH];
  if (tokens > 0) {
    *min = fmin(*min, tokens);
    *max = fmax(*max, tokens);
  }
}

static void warn_unlike(ts_sweep *s, double min, double max)
{
  bool any = false;
  for (uint32_t g = 0; g < s->search->goal_count; g++)
    any |= !strcmp(s->search->goals[g].text, TS_SEARCH_PER_STEP);
  if (!any)
    return;
  ts_diag *d = ts_report(s->session, TS_W0811, TS_NO_SPAN,
                         "plans train from %s to %s tokens a step: the shortest step need not be "
                         "the fastest training",
                         ts_format_count((uint64_t)min).text, ts_format_count((uint64_t)max).text);
  ts_diag_help(d, "compare them by token: `minimize step_time / tokens_per_step`");
}

/* A step of fewer tokens takes less time and is none the faster for it. Without a goal plans are
 * compared by token, and shown by step where that is the same. */
static void settle_goal(ts_sweep *s)
{
  double min = INFINITY, max = 0;
  for (size_t i = 0; i < s->count; i++)
    widen(&s->outcomes[i], &min, &max);
  for (size_t i = 0; i < s->waiting.count; i++)
    widen(&s->waiting.at[i], &min, &max);
  if (min < max && !s->search->per_token)
    warn_unlike(s, min, max);
  if (min < max || !s->search->per_token)
    return;
  s->search->per_token = false;
  s->search->goal = s->search->goals[0].text = TS_SEARCH_PER_STEP;
  s->best_waiting *= max > 0 ? max : 1;
  for (size_t i = 0; i < s->count; i++) {
    ts_outcome *o = &s->outcomes[i];
    o->objective = o->figures.of[TS_FIGURE_STEP];
    o->objectives = NULL;
  }
}

bool ts_sweep_rank(ts_sweep *s)
{
  if (!ts_sweep_judge(s))
    return false;
  if (s->top && !s->all)
    find_bounded(s);
  count_left_out(s);
  count_waiting(s);
  settle_goal(s);
  if (!find_front(s))
    return false;
  qsort(s->outcomes, s->count, sizeof *s->outcomes, rank_compare);
  s->best = 0;
  find_equals(s);
  return true;
}

const char *ts_sweep_best_text(const ts_sweep *s, ts_arena *arena)
{
  const ts_outcome *o = &s->outcomes[s->best];
  return ts_arena_printf(arena, "%s: %s, %s", ts_sweep_point_text(s, o->point, arena),
                         ts_outcome_text(o, TS_FIGURE_STEP).text,
                         ts_outcome_text(o, TS_FIGURE_MEMORY).text);
}

size_t ts_sweep_count(const ts_sweep *s, ts_outcome_state state)
{
  size_t count = 0;
  for (size_t i = 0; i < s->count; i++)
    count += s->outcomes[i].state == state;
  return count;
}

bool ts_sweep_equals_best(const ts_sweep *s, const ts_outcome *o)
{
  return o->equal || (o == s->outcomes && o->state == TS_RANKED);
}
