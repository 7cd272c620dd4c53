/* Can the order of work of all ranks be played to its end? Each rank plays its items in order; an item waits for the items whose messages it
 * receives. If nothing can move on, the waits form a cycle, which is told item by item. */
#include <string.h>

#include "compiler/stage.h"

typedef struct player {
  ts_session *s;
  const ts_schedule *sc;
  const ts_stages *stages;
  bool *done;     /* by item */
  uint32_t *next; /* by rank */
} player;

static uint32_t backward_of(const ts_schedule *sc, uint32_t stage, uint32_t micro_batch)
{
  uint32_t whole = ts_schedule_find(sc, TS_BACKWARD, stage, micro_batch);
  return whole != TS_NO_INDEX ? whole : ts_schedule_find(sc, TS_INPUT_GRADIENT, stage, micro_batch);
}

/* The k-th item that `item` waits for, or TS_NO_INDEX past the last; *why names what it waits for. */
static uint32_t waits_for(const player *p, uint32_t item, uint32_t k, const char **why, ts_span *rule)
{
  const ts_placed *placed = &p->sc->items.at[item];
  const ts_stage *stage = &p->stages->at[placed->stage];
  *rule = TS_NO_SPAN;
  if (!p->sc->own_messages && placed->kind == TS_FORWARD) {
    if (k < stage->in_count) {
      *why = "its activations";
      return ts_schedule_find(p->sc, TS_FORWARD, stage->in[k].other, placed->micro_batch);
    }
    k -= stage->in_count;
  }
  if (!p->sc->own_messages && (placed->kind == TS_BACKWARD || placed->kind == TS_INPUT_GRADIENT)) {
    for (uint32_t t = 0; t < stage->out_count; t++) {
      if (!stage->out[t].gradient)
        continue;
      if (!k--) {
        *why = "its gradients";
        return backward_of(p->sc, stage->out[t].other, placed->micro_batch);
      }
    }
  }
  for (uint32_t l = placed->link_first; l < placed->link_first + placed->link_count; l++) {
    const ts_tie *tie = &p->sc->ties.at[p->sc->links.at[l].tie];
    if (p->sc->links.at[l].outgoing || k--)
      continue;
    *why = "a `depend` rule";
    *rule = tie->rule->span;
    return tie->from;
  }
  return TS_NO_INDEX;
}

static uint32_t blocker_of(const player *p, uint32_t item, const char **why, ts_span *rule)
{
  for (uint32_t k = 0;; k++) {
    uint32_t other = waits_for(p, item, k, why, rule);
    if (other == TS_NO_INDEX || !p->done[other])
      return other;
  }
}

/* Of a pair that overlaps: what one of the two waits for, the other of the pair aside. */
static uint32_t blocker(const player *p, uint32_t item, const char **why, ts_span *rule)
{
  uint32_t other = blocker_of(p, item, why, rule);
  return other == TS_NO_INDEX && p->sc->items.at[item].overlaps ? blocker_of(p, item + 1, why, rule) : other;
}

static bool advance(player *p, uint32_t rank)
{
  const char *why;
  ts_span rule;
  uint32_t first = p->sc->order[rank].first, start = p->next[rank];
  while (p->next[rank] < p->sc->order[rank].count && blocker(p, first + p->next[rank], &why, &rule) == TS_NO_INDEX) {
    bool pair = p->sc->items.at[first + p->next[rank]].overlaps;
    p->done[first + p->next[rank]++] = true;
    if (pair)
      p->done[first + p->next[rank]++] = true;
  }
  return p->next[rank] != start;
}

static void tell_cycle(player *p, uint32_t rank)
{
  const ts_schedule *sc = p->sc;
  const char *why, *text = "";
  ts_span rule, seen_rule = TS_NO_SPAN;
  bool *seen = TS_NEW_ARRAY(p->s->arena, bool, sc->ranks + 1);
  uint32_t item = 0;
  for (; !seen[rank]; rank = ts_schedule_rank(sc, blocker(p, item, &why, &rule))) { /* walk into the cycle */
    seen[rank] = true;
    item = sc->order[rank].first + p->next[rank];
  }
  uint32_t start = rank;
  item = sc->order[rank].first + p->next[rank];
  ts_diag *d = ts_diag_add(p->s->diags, TS_E0402, sc->items.at[item].span, "schedule `%s` comes to a stop", sc->name);
  ts_diag_here(d, "%s waits for ever", ts_placed_name(p->s, sc, item));
  do {
    item = sc->order[rank].first + p->next[rank];
    uint32_t other = blocker(p, item, &why, &rule);
    uint32_t there = ts_schedule_rank(sc, other), stands = sc->order[there].first + p->next[there];
    text = ts_arena_printf(p->s->arena, "%s%s%s waits for %s of %s", text, *text ? "\n" : "", ts_placed_name(p->s, sc, item), why, ts_placed_name(p->s, sc, other));
    if (stands != other)
      text = ts_arena_printf(p->s->arena, "%s,\n  which comes after %s on its rank", text, ts_placed_name(p->s, sc, stands));
    if (rule.file)
      seen_rule = rule;
    rank = there;
  } while (rank != start);
  ts_diag_fact(d, "cycle", "%s", text);
  if (seen_rule.file)
    ts_diag_note_at(d, seen_rule, "this rule is part of it");
  ts_diag_help(d, "change the order on one of these ranks, or the rule");
}

bool ts_progress_check(ts_session *s, const ts_graph *g, const ts_schedule *sc, const ts_stages *stages)
{
  (void)g;
  player p = {s, sc, stages, TS_NEW_ARRAY(s->arena, bool, sc->items.count + 1), TS_NEW_ARRAY(s->arena, uint32_t, sc->ranks + 1)};
  bool moved = true;
  while (moved) {
    moved = false;
    for (uint32_t r = 0; r < sc->ranks; r++)
      moved |= advance(&p, r);
  }
  for (uint32_t r = 0; r < sc->ranks; r++)
    if (p.next[r] < sc->order[r].count) {
      tell_cycle(&p, r);
      return false;
    }
  return true;
}
