#include "tools/sweep/budget.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash_table.h"
#include "tools/sweep/rank.h"

enum {
  BATCH = 16,      /* plans that are chosen together, whatever the number of processors */
  TRIES = 8,       /* draws for each new plan */
  DRAWN = 4,       /* a quarter of the plans are drawn before any neighbour is tried */
  LEAST_DRAWN = BATCH,
  TIMED_DRAWN = 8 * BATCH, /* ... of a budget in time */
  PATIENCE = 3,    /* plans whose neighbours may be no better before others are drawn, a goal */
  EMPTY_ROUNDS = 4 /* without a new plan: the space has no more */
};

typedef struct searching {
  ts_sweep *s;
  const ts_sweep_budget *budget;
  double until;         /* s; 0: no matter */
  uint64_t random;
  ts_hash_table seen;   /* outcomes by the texts of their plans */
  TS_VEC(ts_outcome) outcomes;
  TS_VEC(bool) expanded; /* [outcomes] their neighbours are there, or those of one like it */
  TS_VEC(size_t) centres; /* outcomes whose neighbours are there */
  TS_VEC(size_t) todo;
} searching;

bool ts_sweep_budget_read(ts_options *o, ts_sweep_budget *budget)
{
  static const struct { const char *name; double seconds; } units[] = {
    {"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}};
  char *end;
  double number = strtod(o->argument, &end);
  if (end > o->argument && number > 0 && number <= 1e9) {
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
      if (!strcmp(end, units[i].name)) {
        budget->seconds = number * units[i].seconds;
        return true;
      }
    if (!*end && number == (double)(long long)number) {
      budget->plans = (long long)number;
      return true;
    }
  }
  ts_options_wrong(o, "`%s` takes a number of plans or a time, such as 500 or 60s, not `%s`",
                   o->spelled, o->argument);
  return false;
}

/* ---- Plans, each once ---- */

static const char *key_of(const ts_sweep *s, size_t point)
{
  return ts_sweep_point_text(s, point, s->arena);
}

typedef struct wanted { const searching *in; const char *key; } wanted;

static bool same(const void *closure, uint32_t number)
{
  const wanted *w = closure;
  return !strcmp(w->key, key_of(w->in->s, w->in->outcomes.at[number].point));
}

/* False: it is there, or there is no room in the budget. */
static bool add(searching *in, size_t point)
{
  wanted w = {in, key_of(in->s, point)};
  uint32_t hash = ts_hash_bytes(w.key, strlen(w.key));
  if ((in->budget->plans && in->outcomes.count >= (size_t)in->budget->plans) ||
      ts_hash_find(&in->seen, hash, same, &w) != TS_HASH_NONE)
    return false;
  ts_hash_add(in->s->arena, &in->seen, hash, (uint32_t)in->outcomes.count);
  TS_PUSH(in->s->arena, &in->todo, in->outcomes.count);
  TS_PUSH(in->s->arena, &in->outcomes, (ts_outcome){.point = point});
  TS_PUSH(in->s->arena, &in->expanded, false);
  return true;
}

static bool failed(const searching *in) { return ts_diags_errors(in->s->session->diags) > 0; }

static void draw(searching *in, size_t count)
{
  ts_search *search = in->s->search;
  for (size_t tries = 0; in->todo.count < count && tries < TRIES * count && !failed(in); tries++) {
    in->random += UINT64_C(0x9e3779b97f4a7c15);
    if (ts_search_draw(search, in->random))
      in->s->drawn += add(in, search->point_count - 1);
  }
}

/* The same play under other parameters, such as how often to recompute more layers than there are:
 * its neighbours would be, too. */
static bool alike(const ts_outcome *a, const ts_outcome *b)
{
  return a->state == TS_RANKED && b->state == TS_RANKED &&
         a->figures.of[TS_SEARCH_STEP] == b->figures.of[TS_SEARCH_STEP] &&
         a->figures.of[TS_SEARCH_MEMORY] == b->figures.of[TS_SEARCH_MEMORY] &&
         a->worth == b->worth;
}

static void add_neighbours(searching *in, size_t index)
{
  ts_search *search = in->s->search;
  size_t before = search->point_count;
  TS_PUSH(in->s->arena, &in->centres, index);
  for (size_t i = 0; i < in->outcomes.count; i++)
    in->expanded.at[i] |= i == index || alike(&in->outcomes.at[i], &in->outcomes.at[index]);
  if (ts_search_neighbours(search, in->outcomes.at[index].point))
    for (size_t p = before; p < search->point_count; p++)
      add(in, p);
}

/* ---- Rounds ---- */

/* As the bounds of a plan say where they decide, so that it does not matter whether it was played
 * before they did. */
static double memory_of(const ts_outcome *o)
{
  return o->played && !o->why && !o->least.over ? o->figures.of[TS_SEARCH_MEMORY] :
                                8 * (double)(o->least.bytes + o->least.reserved);
}

/* What the search goes down: a goal of those that are ranked, else how much memory they need. */
static bool better(const searching *in, uint32_t goal, const ts_outcome *a, const ts_outcome *b)
{
  if (a->state != b->state)
    return a->state > b->state;
  if (a->state != TS_RANKED)
    return memory_of(a) < memory_of(b);
  return in->s->search->goals[goal].maximize ? a->worths[goal] > b->worths[goal] :
                                               a->worths[goal] < b->worths[goal];
}

/* The best one by a goal, of all or of those whose neighbours were not tried; SIZE_MAX: none. Of
 * plans that bounds leave out nobody knows which one is nearer to the best; those that were played
 * before their bounds told count as little. */
static size_t best_by(const searching *in, uint32_t goal, bool unexpanded)
{
  size_t best = SIZE_MAX;
  for (size_t i = 0; i < in->outcomes.count; i++) {
    ts_outcome *o = &in->outcomes.at[i];
    if (!(unexpanded && in->expanded.at[i]) && o->state != TS_REFUSED && o->state != TS_BOUNDED &&
        !ts_sweep_cannot_win(in->s, o) &&
        (best == SIZE_MAX || better(in, goal, o, &in->outcomes.at[best])))
      best = i;
  }
  return best;
}

static size_t quota(const ts_sweep_budget *b)
{
  size_t part = b->plans ? (size_t)b->plans / DRAWN : TIMED_DRAWN;
  return part < LEAST_DRAWN ? LEAST_DRAWN : part;
}

/* What became of the plans is kept where the next round looks for it. */
static bool play_round(searching *in, ts_sweep_player *play, void *closure)
{
  ts_sweep *s = in->s;
  s->outcomes = in->outcomes.at;
  s->count = in->outcomes.count;
  bool good = play(closure, in->todo.at, in->todo.count) && !failed(in);
  for (size_t i = s->count - in->todo.count; good && i < s->count; i++)
    if (s->outcomes[i].state == TS_RANKED)
      good = ts_search_worths(s->search, s->outcomes[i].point, &s->outcomes[i].figures,
                              s->outcomes[i].worths);
  for (size_t i = s->count - in->todo.count; i < s->count; i++)
    for (size_t k = 0; k < in->centres.count; k++)
      in->expanded.at[i] |= alike(&s->outcomes[i], &s->outcomes[in->centres.at[k]]);
  in->todo.count = 0;
  return good;
}

bool ts_sweep_search(ts_sweep *s, const ts_sweep_budget *budget, ts_sweep_player *play,
                     void *closure)
{
  searching in = {.s = s, .budget = budget, .random = s->seed};
  double until = budget->seconds > 0 ? ts_clock() + budget->seconds : 0;
  size_t empty = 0;
  uint32_t goal = 0, vain = 0; /* goals take turns, each as long as it becomes better */
  bool good = true, climb = false;
  while (good && empty < EMPTY_ROUNDS && (!until || ts_clock() < until) &&
         !(budget->plans && in.outcomes.count >= (size_t)budget->plans)) {
    size_t from = climb ? best_by(&in, goal, true) : SIZE_MAX, best = best_by(&in, goal, false);
    if (from != SIZE_MAX)
      add_neighbours(&in, from);
    else
      draw(&in, BATCH);
    empty = in.todo.count ? 0 : empty + 1;
    good = !failed(&in) && (!in.todo.count || play_round(&in, play, closure));
    vain = from == SIZE_MAX || best_by(&in, goal, false) != best ? 0 : vain + 1;
    if (vain)
      goal = (goal + 1) % s->search->goal_count;
    climb = in.outcomes.count >= quota(budget) && vain < PATIENCE * s->search->goal_count;
  }
  s->exhausted = empty == EMPTY_ROUNDS;
  return good;
}
