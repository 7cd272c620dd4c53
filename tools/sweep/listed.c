#include "tools/sweep/listed.h"

#include "tools/sweep/rank.h"

void ts_sweep_prepare(ts_sweep *s)
{
  s->inputs = ts_inputs_new(s->arena);
  s->once.arena = s->arena;
  ts_inputs_take_language(s->inputs, s->session);
  s->count = 0;
  for (size_t i = 0; i < s->search->point_count && !s->search->open; i++)
    s->count += ts_sweep_shard_has(&s->shard, i);
  s->outcomes = TS_NEW_ARRAY(s->arena, ts_outcome, s->count + 1);
  s->tops = TS_NEW_ARRAY(s->arena, double, s->top + 1);
  s->reasons = TS_NEW_ARRAY(s->arena, uint64_t, s->search->reason_count + 1);
  for (uint32_t i = 0; i < s->search->reason_count; i++)
    s->reasons[i] = s->search->reasons[i].count;
  for (size_t i = 0, point = 0; i < s->count; point++)
    if (ts_sweep_shard_has(&s->shard, point))
      s->outcomes[i++].point = point;
}

typedef struct listed {
  ts_sweep *s;
  const ts_sweep_plays *plays;
} listed;

static void listed_take_bound(void *closure, size_t index, double seconds)
{
  const listed *l = closure;
  ts_outcome *o = &l->s->outcomes[index];
  o->early_bound = false;
  if (o->state == TS_BOUNDED)
    *o = (ts_outcome){.point = o->point,
                      .bounds = o->bounds,
                      .compiled = o->compiled,
                      .warning_count = o->warning_count,
                      .warnings = o->warnings};
  else
    l->plays->done(l->plays->closure, index, seconds);
}

static bool listed_tick(void *closure)
{
  const listed *l = closure;
  return l->plays->tick(l->plays->closure);
}

/* Finds the early bounds of plans, in their order, in which most has been worked out before; then
 * the best bounds are first. False after an error. */
static bool sort_by_early_bound(listed *l, size_t *todo, size_t *count)
{
  ts_sweep *s = l->s;
  size_t left = 0;
  if (s->all || !s->top || (s->search->goal_count == 1 && *count <= s->top))
    return true;
  for (size_t i = 0; i < *count; i++)
    s->outcomes[todo[i]].early_bound = true;
  if (!ts_sweep_play(s, &(ts_sweep_plays){.jobs = l->plays->jobs,
                                          .count = *count,
                                          .todo = todo,
                                          .done = listed_take_bound,
                                          .tick = listed_tick,
                                          .closure = l}))
    return false;
  for (size_t i = 0; i < *count; i++)
    if (!s->outcomes[todo[i]].known)
      todo[left++] = todo[i];
  *count = left;
  ts_sweep_sort_by_bound(s, todo, left);
  return true;
}

static bool listed_play(listed *l, ts_sweep_players *players, const size_t *todo, size_t count)
{
  ts_sweep_plays plays = *l->plays;
  plays.todo = todo;
  plays.count = count;
  return players ? players(plays.closure, &plays) : ts_sweep_play(l->s, &plays);
}

bool ts_sweep_play_listed(ts_sweep *s, const ts_sweep_plays *plays, ts_sweep_players *players)
{
  listed l = {s, plays};
  size_t *todo = TS_NEW_ARRAY(s->arena, size_t, s->count + 1), count = 0;
  for (size_t i = 0; i < s->count && !s->search->open; i++)
    if (!s->outcomes[i].known)
      todo[count++] = i;
  bool good =
    (players || sort_by_early_bound(&l, todo, &count)) && listed_play(&l, players, todo, count);
  /* How much the one lacks that is nearest to fitting. */
  for (size_t nearest; good && (nearest = ts_sweep_nearest_unplayed(s)) != SIZE_MAX;) {
    s->outcomes[nearest].exact = true;
    good = listed_play(&l, players, &nearest, 1);
  }
  ts_sweep_forget(s);
  return good;
}
