#include "tools/sweep/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"

static int compare(const void *x, const void *y)
{
  const ts_outcome *a = x, *b = y;
  if (a->state != b->state)
    return a->state > b->state ? -1 : 1;
  if (a->front != b->front)
    return a->front ? -1 : 1;
  if (a->state == TS_RANKED && a->worth != b->worth)
    return a->worth < b->worth ? -1 : 1;
  return a->point < b->point ? -1 : 1;
}

bool ts_sweep_is_speed(const ts_sweep *s)
{
  static const char *const goals[] = {"minimize step_time", "maximize tokens_per_second",
                                      "maximize mfu", "maximize hfu"};
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
    double behind = o->worth / best->worth; /* of either sign: larger is worse */
    behind = best->worth < 0 ? 1 / behind : behind;
    o->equal = ratio.on && behind * ratio.low / ratio.figure <= 1;
  }
}

/* Of the goals that a bound of the step bounds. */
static bool is_bounded(const ts_sweep *s)
{
  return s->top && (!strcmp(s->search->goal, "minimize step_time") ||
                    !strcmp(s->search->goal, "maximize tokens_per_second"));
}

/* What it is worth at most; less is better. */
static double least_worth(const ts_sweep *s, const ts_least *least)
{
  return s->search->maximize ? -(least->tokens / least->seconds) : least->seconds;
}

double ts_sweep_bound(const ts_sweep *s)
{
  bool rate = !strcmp(s->search->goals[0].text, "maximize tokens_per_second");
  double best = 0;
  if (!rate && strcmp(s->search->goals[0].text, "minimize step_time"))
    return 0;
  for (size_t i = 0; i < s->count; i++) {
    const ts_least *l = &s->outcomes[i].least;
    double bound = !(l->floor > 0) ? 0 : rate ? l->tokens / l->floor : l->floor;
    if (bound > 0 && (!(best > 0) || (rate ? bound > best : bound < best)))
      best = bound;
  }
  return best;
}

bool ts_sweep_cannot_win(const ts_sweep *s, const ts_least *least)
{
  return is_bounded(s) && s->top_count == s->top && least->seconds > 0 &&
         least_worth(s, least) > s->tops[s->top - 1];
}

static void note_top(ts_sweep *s, double worth)
{
  size_t at = s->top_count;
  if (at == s->top && (!at || worth >= s->tops[at - 1]))
    return;
  at -= at == s->top;
  for (; at > 0 && s->tops[at - 1] > worth; at--)
    s->tops[at] = s->tops[at - 1];
  s->tops[at] = worth;
  s->top_count += s->top_count < s->top;
}

bool ts_sweep_judge(ts_sweep *s)
{
  for (; s->judged < s->count && s->outcomes[s->judged].known; s->judged++) {
    ts_outcome *o = &s->outcomes[s->judged], *best = &s->outcomes[s->best];
    if (ts_diags_errors(s->session->diags))
      return false;
    if (o->state == TS_RANKED && !ts_search_judge(s->search, o->point, &o->figures, &o->worth))
      o->state = TS_LEFT_OUT;
    if (s->search->maximize)
      o->worth = -o->worth;
    if (o->state == TS_RANKED && (best->state != TS_RANKED || o->worth < best->worth))
      s->best = s->judged;
    if (o->state == TS_RANKED)
      note_top(s, o->worth);
  }
  return !ts_diags_errors(s->session->diags);
}

/* Which plans were bounded before they were played depends on which were played by then. What the
 * report calls bounded does not: all whose bounds show, by now, that they cannot be among the best.
 * Conditions count those that are left. */
static void find_bounded(ts_sweep *s)
{
  double unused;
  for (uint32_t i = 0; i < s->search->reason_count; i++)
    s->search->reasons[i].count = s->reasons[i];
  for (size_t i = 0; i < s->count; i++) {
    ts_outcome *o = &s->outcomes[i];
    if (o->state == TS_REFUSED)
      continue;
    if (o->least.over) {
      o->state = TS_TOO_LARGE;
      if (!o->played || o->why)
        o->figures.of[TS_SEARCH_MEMORY] = 8 * (double)(o->least.bytes + o->least.reserved),
        o->limit = (double)o->least.limit;
      o->why = NULL;
    } else if (ts_sweep_cannot_win(s, &o->least)) {
      o->state = TS_BOUNDED;
      o->why = NULL;
    } else if (o->state == TS_LEFT_OUT) {
      ts_search_judge(s->search, o->point, &o->figures, &unused);
    }
  }
}

/* As good by all goals, and better by one. */
static bool beats(const ts_search *search, const ts_outcome *a, const ts_outcome *b)
{
  bool better = false;
  for (uint32_t g = 0; g < search->goal_count; g++) {
    double x = a->worths[g], y = b->worths[g];
    if (x != y && (x > y) != search->goals[g].maximize)
      return false;
    better |= x != y;
  }
  return better;
}

/* The Pareto front. Of the outcomes in the order of the first goal none is beaten by a later one,
 * but one that is equal by that goal; so each is held against those of the front so far. */
static bool find_front(ts_sweep *s)
{
  for (size_t i = 0; i < s->count; i++) {
    ts_outcome *o = &s->outcomes[i];
    bool *holds = TS_NEW_ARRAY(s->arena, bool, s->search->condition_count + 1);
    if (o->state == TS_RANKED && !ts_search_worths(s->search, o->point, &o->figures, o->worths))
      return false;
    if ((o->state == TS_RANKED || o->state == TS_LEFT_OUT) &&
        ts_search_holds(s->search, o->point, &o->figures, holds))
      o->holds = holds;
  }
  if (s->search->goal_count == 1)
    return true;
  qsort(s->outcomes, s->count, sizeof *s->outcomes, compare);
  for (size_t i = 0; i < s->count && s->outcomes[i].state == TS_RANKED; i++) {
    ts_outcome *o = &s->outcomes[i];
    o->front = true;
    for (size_t k = 0; k < i; k++) {
      o->front &= !(s->outcomes[k].front && beats(s->search, &s->outcomes[k], o));
      s->outcomes[k].front &= !(o->front && beats(s->search, o, &s->outcomes[k]));
    }
  }
  return true;
}

size_t ts_sweep_nearest_unplayed(ts_sweep *s)
{
  size_t nearest = SIZE_MAX;
  double least = INFINITY;
  if (!s->top)
    return SIZE_MAX;
  find_bounded(s);
  for (size_t i = 0; i < s->count; i++)
    if (s->outcomes[i].state == TS_TOO_LARGE && s->outcomes[i].figures.of[TS_SEARCH_MEMORY] < least)
      least = s->outcomes[nearest = i].figures.of[TS_SEARCH_MEMORY];
  return nearest == SIZE_MAX || s->outcomes[nearest].played ? SIZE_MAX : nearest;
}

bool ts_sweep_rank(ts_sweep *s)
{
  if (!ts_sweep_judge(s))
    return false;
  if (s->top)
    find_bounded(s);
  if (!find_front(s))
    return false;
  qsort(s->outcomes, s->count, sizeof *s->outcomes, compare);
  s->best = 0;
  find_equals(s);
  return true;
}

const char *ts_sweep_best_text(const ts_sweep *s, ts_arena *arena)
{
  const ts_outcome *o = &s->outcomes[s->best];
  double step = o->figures.of[TS_SEARCH_STEP], memory = o->figures.of[TS_SEARCH_MEMORY];
  return ts_arena_printf(arena, "%s: %s, %s", ts_sweep_point_text(s, o->point, arena),
                         ts_format_time((uint64_t)(step * 1e12 + 0.5)).text,
                         ts_format_bytes(memory / 8).text);
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
