#include "tools/sweep/budget.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/intern.h"
#include "tools/sweep/rank.h"

enum {
  BATCH = 16,      /* plans that are played together, whatever the number of processors... */
  ROUNDS = 64,     /* ... of large budgets so many of each part, for machines that share them */
  CHOICE = 4,      /* draws of which one is played */
  BLIND = 4,       /* one of so many is played whatever its bounds are */
  LOOKED = 8,      /* plans looked at at most for each that may be played */
  TRIES = 8,       /* draws for each new plan */
  DRAWN = 4,       /* a quarter of the plans are drawn before any neighbour is tried */
  LEAST_DRAWN = BATCH,
  TIMED_DRAWN = 8 * BATCH, /* ... of a budget in time */
  PATIENCE = 3,    /* plans whose neighbours may be no better before others are drawn, a goal */
  EMPTY_ROUNDS = 4 /* without a new plan: the space has no more */
};

/* The search of one part. */
typedef struct searching {
  ts_sweep *s;
  const ts_sweep_player *player;
  size_t most;          /* plans to play; 0: no matter */
  double until;         /* s; 0: no matter */
  uint64_t random;
  ts_intern seen;        /* texts of plans, of `looked` */
  TS_VEC(size_t) looked; /* points */
  size_t first_waiting; /* of the sweep's, those of this part */
  size_t played;
  TS_VEC(ts_outcome) fresh;   /* to be looked at */
  TS_VEC(ts_outcome) outcomes;
  TS_VEC(bool) expanded; /* [outcomes] their neighbours are there, or those of one like it */
  TS_VEC(size_t) centres; /* outcomes whose neighbours are there */
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

size_t ts_sweep_budget_lists(const ts_sweep_budget *budget)
{
  enum { LISTED_IN_TIME = 16 }; /* what takes how long is not known yet */
  if (budget->seconds > 0)
    return LISTED_IN_TIME;
  long long most = ts_limits_usual.plans;
  return (size_t)(budget->plans && budget->plans < most ? budget->plans : most);
}

/* ---- Plans, each once ---- */

/* False: it is there. */
static bool note_plan(const ts_sweep *s, ts_intern *seen, size_t point)
{
  const char *key = ts_sweep_point_text(s, point, s->arena);
  uint32_t before = (uint32_t)seen->all.count;
  seen->arena = s->arena;
  return ts_intern_bytes(seen, key, strlen(key)) == before;
}

static size_t batch_of(const searching *in)
{
  return in->most / ROUNDS > BATCH ? in->most / ROUNDS : BATCH;
}

static bool is_spent(const searching *in)
{
  return in->most && (in->played >= in->most || in->looked.count >= LOOKED * in->most);
}

/* False: it is there, or there is no room in the budget. */
static bool budget_add(searching *in, size_t point)
{
  if (is_spent(in) || !note_plan(in->s, &in->seen, point))
    return false;
  TS_PUSH(in->s->arena, &in->looked, point);
  TS_PUSH(in->s->arena, &in->fresh, ((ts_outcome){.point = point, .bounds_only = true}));
  return true;
}

static bool failed(const searching *in) { return ts_diags_errors(in->s->session->diags) > 0; }

static void budget_draw(searching *in, size_t count)
{
  ts_search *search = in->s->search;
  for (size_t tries = 0; in->fresh.count < count && tries < TRIES * count && !failed(in); tries++) {
    in->random += UINT64_C(0x9e3779b97f4a7c15);
    if (ts_search_draw(search, in->random))
      budget_add(in, search->point_count - 1);
  }
}

/* The same play under other parameters, such as how often to recompute more layers than there are:
 * its neighbours would be, too. */
static bool budget_alike(const ts_outcome *a, const ts_outcome *b)
{
  return a->state == TS_RANKED && b->state == TS_RANKED &&
         a->figures.of[TS_FIGURE_STEP] == b->figures.of[TS_FIGURE_STEP] &&
         a->figures.of[TS_FIGURE_MEMORY] == b->figures.of[TS_FIGURE_MEMORY] &&
         a->objective == b->objective;
}

static void add_neighbours(searching *in, size_t index)
{
  ts_search *search = in->s->search;
  size_t before = search->point_count;
  TS_PUSH(in->s->arena, &in->centres, index);
  for (size_t i = 0; i < in->outcomes.count; i++)
    in->expanded.at[i] |= i == index || budget_alike(&in->outcomes.at[i], &in->outcomes.at[index]);
  if (ts_search_neighbours(search, in->outcomes.at[index].point))
    for (size_t p = before; p < search->point_count; p++)
      budget_add(in, p);
}

static void budget_put(searching *in, ts_outcome o)
{
  TS_PUSH(in->s->arena, &in->outcomes, o);
  TS_PUSH(in->s->arena, &in->expanded, false);
}

/* What bounds decide is an outcome; the others wait. */
static bool budget_look(searching *in, bool drawn)
{
  ts_sweep *s = in->s;
  bool good = !in->fresh.count ||
              in->player->look(in->player->closure, in->fresh.at, in->fresh.count);
  for (size_t i = 0; good && i < in->fresh.count; i++) {
    ts_outcome *o = &in->fresh.at[i];
    o->bounds_only = false;
    o->drawn = drawn;
    if (o->state == TS_TOO_LARGE) {
      o->figures.of[TS_FIGURE_MEMORY] = 8 * (double)(o->bounds.bytes + o->bounds.reserved);
      o->limit = (double)o->bounds.limit;
    }
    if (o->state == TS_BOUNDED)
      TS_PUSH(s->arena, &s->waiting, *o);
    else
      budget_put(in, *o);
  }
  in->fresh.count = 0;
  return good && !failed(in);
}

/* ---- Rounds ---- */

/* As the bounds of a plan say where they decide, so that it does not matter whether it was played
 * before they did. */
static double memory_of(const ts_outcome *o)
{
  return o->played && !o->why && !o->bounds.over ?
           o->figures.of[TS_FIGURE_MEMORY] :
           8 * (double)(o->bounds.bytes + o->bounds.reserved);
}

/* What the search goes down: a goal of those that are ranked, else how much memory they need. */
static bool better(const searching *in, uint32_t goal, const ts_outcome *a, const ts_outcome *b)
{
  if (a->state != b->state)
    return a->state > b->state;
  if (a->state != TS_RANKED)
    return memory_of(a) < memory_of(b);
  return in->s->search->goals[goal].maximize ? a->objectives[goal] > b->objectives[goal] :
                                               a->objectives[goal] < b->objectives[goal];
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

typedef struct choice {
  size_t waiting;
  double objective;
} choice;

static int by_worth(const void *x, const void *y)
{
  const choice *a = x, *b = y;
  return a->objective != b->objective ? (a->objective < b->objective ? -1 : 1) :
         a->waiting != b->waiting     ? (a->waiting < b->waiting ? -1 : 1) :
                                        0;
}

/* To be played: those that wait from `first` on and may be among the best, most of them by their
 * bounds, the rest by their turn. Puts them among the outcomes; how many. */
static size_t budget_choose(searching *in, size_t first, uint32_t goal)
{
  ts_sweep *s = in->s;
  size_t count = 0, batch = batch_of(in), room = in->most ? in->most - in->played : batch;
  ts_arena *scratch = ts_arena_new("choices");
  TS_VEC(choice) choices = {0};
  for (size_t i = first; i < s->waiting.count; i++)
    if (!ts_sweep_cannot_win(s, &s->waiting.at[i]))
      TS_PUSH(scratch, &choices,
              ((choice){i, ts_sweep_best_objective(s, &s->waiting.at[i], goal)}));
  bool *taken = TS_NEW_ARRAY(scratch, bool, s->waiting.count + 1);
  room = room > batch ? batch : room;
  size_t blind = choices.count > room ? room / BLIND : 0;
  for (size_t i = choices.count; i-- > 0 && count < blind; count++)
    taken[choices.at[i].waiting] = true;
  TS_SORT(&choices, by_worth);
  for (size_t i = 0; i < choices.count && count < room; i++) {
    count += !taken[choices.at[i].waiting];
    taken[choices.at[i].waiting] = true;
  }
  size_t left = first;
  for (size_t i = first; i < s->waiting.count; i++) {
    ts_outcome *o = &s->waiting.at[i];
    if (!taken[i]) {
      s->waiting.at[left++] = *o;
      continue;
    }
    s->drawn += o->drawn;
    budget_put(in, (ts_outcome){.point = o->point});
  }
  s->waiting.count = left;
  in->played += count;
  ts_arena_free(scratch);
  return count;
}

static size_t quota(const searching *in)
{
  size_t part = in->most ? in->most / DRAWN : TIMED_DRAWN;
  return part < LEAST_DRAWN ? LEAST_DRAWN : part;
}

/* What became of the plans is kept where the next round looks for it. */
static bool play_round(searching *in, size_t count)
{
  ts_sweep *s = in->s;
  size_t *todo = TS_NEW_ARRAY(s->arena, size_t, count + 1);
  s->outcomes = in->outcomes.at;
  s->count = in->outcomes.count;
  for (size_t i = 0; i < count; i++)
    todo[i] = s->count - count + i;
  bool good = in->player->play(in->player->closure, todo, count) && !failed(in);
  for (size_t i = s->count - count; good && i < s->count; i++)
    if (s->outcomes[i].state == TS_RANKED)
      good = ts_sweep_find_worths(s, &s->outcomes[i]);
  for (size_t i = s->count - count; i < s->count; i++)
    for (size_t k = 0; k < in->centres.count; k++)
      in->expanded.at[i] |= budget_alike(&s->outcomes[i], &s->outcomes[in->centres.at[k]]);
  return good;
}

/* ---- Parts ---- */

static void begin_part(ts_sweep *s)
{
  s->outcomes = NULL;
  s->count = s->judged = s->best = s->top_count = s->front.count = 0;
}

static bool search_part(searching *in)
{
  ts_sweep *s = in->s;
  size_t empty = 0;
  uint32_t goal = 0, vain = 0; /* goals take turns, each as long as it becomes better */
  bool good = true, climb = false;
  in->first_waiting = s->waiting.count;
  begin_part(s);
  while (good && empty < EMPTY_ROUNDS && (!in->until || ts_clock() < in->until) && !is_spent(in)) {
    size_t from = climb ? best_by(in, goal, true) : SIZE_MAX, best = best_by(in, goal, false),
           before = in->looked.count, fresh = s->waiting.count, left = batch_of(in) / BATCH;
    if (from == SIZE_MAX)
      budget_draw(in, CHOICE * batch_of(in));
    for (size_t near = from; near != SIZE_MAX && left > 0 && !failed(in); left--) {
      add_neighbours(in, near);
      near = best_by(in, goal, true);
    }
    empty = in->looked.count > before ? 0 : empty + 1;
    good = !failed(in) && budget_look(in, from == SIZE_MAX);
    if (!good)
      break;
    size_t count = budget_choose(in, from != SIZE_MAX ? fresh : in->first_waiting, goal);
    if (from == SIZE_MAX && count)
      empty = 0;
    good = play_round(in, count);
    vain = from == SIZE_MAX || best_by(in, goal, false) != best ? 0 : vain + 1;
    if (vain)
      goal = (goal + 1) % s->search->goal_count;
    climb = in->played >= quota(in) && vain < PATIENCE * s->search->goal_count;
  }
  s->looked += in->looked.count;
  s->played += in->played;
  s->exhausted &= empty == EMPTY_ROUNDS;
  return good;
}

/* Plans of several parts, each once. */
typedef struct together {
  ts_intern seen;
  TS_VEC(ts_outcome) outcomes;
} together;

static void put_together(ts_sweep *s, together *all)
{
  size_t left = 0;
  begin_part(s);
  s->outcomes = all->outcomes.at;
  s->count = all->outcomes.count;
  for (size_t i = 0; i < s->count; i++)
    s->outcomes[i].noted = false;
  for (size_t i = 0; i < s->waiting.count; i++)
    if (note_plan(s, &all->seen, s->waiting.at[i].point))
      s->waiting.at[left++] = s->waiting.at[i];
  s->waiting.count = left;
}

bool ts_sweep_search(ts_sweep *s, const ts_sweep_budget *budget, const ts_sweep_player *player)
{
  long long parts = s->shard.count ? s->shard.count : 1,
            first = s->shard.index > 0 ? s->shard.index : 0,
            end = s->shard.count && s->shard.index == TS_SHARD_ALL ? parts : first + 1;
  together all = {0};
  bool good = true;
  s->exhausted = true;
  for (long long p = first; p < end && good; p++) {
    searching in = {.s = s, .player = player, .random = s->seed + (uint64_t)p * 1000003};
    if (budget->plans)
      in.most = (size_t)(budget->plans / parts + (p < budget->plans % parts));
    in.until = budget->seconds > 0 ? ts_clock() + budget->seconds : 0;
    good = search_part(&in);
    for (size_t i = 0; i < s->count && end > first + 1; i++)
      if (note_plan(s, &all.seen, s->outcomes[i].point))
        TS_PUSH(s->arena, &all.outcomes, s->outcomes[i]);
  }
  if (end > first + 1)
    put_together(s, &all);
  return good && ts_sweep_judge(s);
}

/* ---- Without journal or team ---- */

typedef struct here {
  ts_sweep *s;
  const ts_sweep_plays *plays;
} here;

static void here_looked(void *closure, size_t index, double seconds)
{
  (void)closure;
  (void)index;
  (void)seconds;
}

static bool here_look(void *closure, ts_outcome *outcomes, size_t count)
{
  const here *h = closure;
  ts_sweep looking = *h->s;
  ts_sweep_plays plays = *h->plays;
  size_t *all = TS_NEW_ARRAY(h->s->arena, size_t, count + 1);
  for (size_t i = 0; i < count; i++)
    all[i] = i;
  looking.outcomes = outcomes;
  looking.count = plays.count = count;
  plays.todo = all;
  plays.done = here_looked;
  return ts_sweep_play(&looking, &plays);
}

static bool here_play(void *closure, const size_t *todo, size_t count)
{
  const here *h = closure;
  ts_sweep_plays plays = *h->plays;
  plays.todo = todo;
  plays.count = count;
  return ts_sweep_play(h->s, &plays);
}

bool ts_sweep_search_here(ts_sweep *s, const ts_sweep_budget *budget, const ts_sweep_plays *plays)
{
  here h = {s, plays};
  return ts_sweep_search(s, budget, &(ts_sweep_player){here_look, here_play, &h});
}
