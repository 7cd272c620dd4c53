/* Can the order of work of all ranks be played to its end? Each rank plays its items in order; an
 * item waits for the items whose messages it receives, even where some of them suffice: the engine
 * needs to know when each comes. If nothing can move on, ranks wait for each other in a circle; the
 * shortest cycle is reported, item by item. */
#include <string.h>

#include "compiler/eval/reuse.h"
#include "compiler/eval/shared.h"
#include "compiler/schedule/stage.h"

typedef struct player {
  ts_session *s;
  const ts_schedule *sc;
  const ts_stages *stages;
  bool *done;     /* by item */
  uint32_t *next; /* by rank */
} player;

/* What the item at the head of a rank waits for. */
typedef struct progress_block {
  uint32_t item, other;
  ts_wait wait;
} progress_block;

static uint32_t backward_of(const ts_schedule *sc, uint32_t stage, uint32_t micro_batch)
{
  uint32_t whole = ts_schedule_find(sc, TS_BACKWARD, stage, micro_batch);
  return whole != TS_NO_INDEX ? whole : ts_schedule_find(sc, TS_INPUT_GRADIENT, stage, micro_batch);
}

/* On its own stage: F before I or B, I before W. */
static uint32_t own(const ts_schedule *sc, const ts_placed *p, ts_wait *wait)
{
  if (p->kind == TS_FORWARD || p->kind == TS_STEP)
    return TS_NO_INDEX;
  wait->name = p->kind == TS_WEIGHT_GRADIENT ? "input_gradient_first" : "forward_first";
  return ts_schedule_find(sc, p->kind == TS_WEIGHT_GRADIENT ? TS_INPUT_GRADIENT : TS_FORWARD,
                          p->stage, p->micro_batch);
}

uint32_t ts_waits_for(const ts_schedule *sc, const ts_stages *stages, uint32_t item, uint32_t k,
                      ts_wait *wait)
{
  const ts_placed *p = &sc->items.at[item];
  *wait = (ts_wait){.clause = TS_NO_SPAN};
  uint32_t before = own(sc, p, wait);
  if (before != TS_NO_INDEX && !k--)
    return before;
  const ts_stage *stage = p->kind == TS_STEP ? NULL : &stages->at[p->stage];
  if (stage && !(sc->without & TS_CLAUSE_ACTIVATIONS) && p->kind == TS_FORWARD) {
    if (k < stage->in_count) {
      wait->name = "activations";
      return ts_schedule_find(sc, TS_FORWARD, stage->in[k].other, p->micro_batch);
    }
    k -= stage->in_count;
  }
  if (stage && !(sc->without & TS_CLAUSE_GRADIENTS) &&
      (p->kind == TS_BACKWARD || p->kind == TS_INPUT_GRADIENT)) {
    for (uint32_t t = 0; t < stage->out_count; t++) {
      if (!stage->out[t].gradient || k--)
        continue;
      wait->name = "gradients";
      return backward_of(sc, stage->out[t].other, p->micro_batch);
    }
  }
  for (uint32_t l = p->link_first; l < p->link_first + p->link_count; l++) {
    const ts_tie *tie = &sc->ties.at[sc->links.at[l].tie];
    if (sc->links.at[l].outgoing || k--)
      continue;
    wait->name = tie->clause->name ? tie->clause->name : "depend";
    wait->clause = tie->clause->span;
    wait->some = tie->some;
    return tie->from;
  }
  return TS_NO_INDEX;
}

/* The n-th thing not yet done that the head of a rank waits for: of a pair that overlaps, either of
 * the two may wait, not for each other. */
static bool blocked(const player *p, uint32_t rank, uint32_t n, progress_block *b)
{
  uint32_t head = p->sc->order[rank].first + p->next[rank],
           pair = head + p->sc->items.at[head].paired;
  for (b->item = head; b->item <= pair; b->item++)
    for (uint32_t k = 0;
         (b->other = ts_waits_for(p->sc, p->stages, b->item, k, &b->wait)) != TS_NO_INDEX; k++)
      if (!p->done[b->other] && (b->other < head || b->other > pair) && !n--)
        return true;
  return false;
}

static bool progress_is_open(const player *p, uint32_t item)
{
  return item != TS_NO_INDEX && !p->done[item];
}

/* As blocked() for an item by itself that no clause ties: most are such. */
static bool waits(const player *p, uint32_t item)
{
  const ts_schedule *sc = p->sc;
  const ts_placed *it = &sc->items.at[item];
  const ts_stage *stage = &p->stages->at[it->stage];
  ts_wait unused;
  bool waiting = progress_is_open(p, own(sc, it, &unused));
  if (it->kind == TS_FORWARD && !(sc->without & TS_CLAUSE_ACTIVATIONS))
    for (uint32_t t = 0; t < stage->in_count; t++)
      waiting |=
        progress_is_open(p, ts_schedule_find(sc, TS_FORWARD, stage->in[t].other, it->micro_batch));
  if ((it->kind == TS_BACKWARD || it->kind == TS_INPUT_GRADIENT) &&
      !(sc->without & TS_CLAUSE_GRADIENTS))
    for (uint32_t t = 0; t < stage->out_count; t++)
      waiting |= stage->out[t].gradient &&
                 progress_is_open(p, backward_of(sc, stage->out[t].other, it->micro_batch));
  return waiting;
}

static bool cannot_go_on(const player *p, uint32_t rank)
{
  progress_block b;
  uint32_t head = p->sc->order[rank].first + p->next[rank];
  const ts_placed *it = &p->sc->items.at[head];
  return it->paired || it->link_count ? blocked(p, rank, 0, &b) : waits(p, head);
}

static bool advance(player *p, uint32_t rank)
{
  uint32_t first = p->sc->order[rank].first, start = p->next[rank];
  while (p->next[rank] < p->sc->order[rank].count && !cannot_go_on(p, rank)) {
    bool pair = p->sc->items.at[first + p->next[rank]].paired;
    p->done[first + p->next[rank]++] = true;
    if (pair)
      p->done[first + p->next[rank]++] = true;
  }
  return p->next[rank] != start;
}

/* -- the circle -- */

/* Breadth first from a rank along what heads wait for, back to it: the ranks of the shortest circle
 * through it, or 0. */
static uint32_t circle(const player *p, uint32_t start, uint32_t *from, uint32_t *queue,
                       uint32_t *path)
{
  uint32_t head = 0, tail = 0;
  progress_block b;
  memset(from, 0xff, p->sc->ranks * sizeof *from);
  queue[tail++] = start;
  while (head < tail) {
    uint32_t rank = queue[head++];
    for (uint32_t n = 0; blocked(p, rank, n, &b); n++) {
      uint32_t to = ts_schedule_rank(p->sc, b.other), length = 0;
      if (to != start && from[to] == TS_NO_INDEX) {
        from[to] = rank;
        queue[tail++] = to;
      }
      if (to != start)
        continue;
      for (uint32_t at = rank; at != start; at = from[at])
        length++;
      path[0] = start;
      for (uint32_t at = rank, i = length; at != start; at = from[at])
        path[i--] = at;
      return length + 1;
    }
  }
  return 0;
}

/* What the head of a rank waits for on another one. */
static progress_block edge(const player *p, uint32_t rank, uint32_t to)
{
  progress_block b;
  for (uint32_t n = 0; blocked(p, rank, n, &b) && ts_schedule_rank(p->sc, b.other) != to; n++) {
  }
  return b;
}

static const char *edge_text(const player *p, const progress_block *b, uint32_t to)
{
  ts_session *s = p->s;
  uint32_t stands = p->sc->order[to].first + p->next[to];
  const char *text =
    ts_arena_printf(s->arena, "%s waits for %s, clause `%s`", ts_placed_name(s, p->sc, b->item),
                    ts_placed_name(s, p->sc, b->other), b->wait.name);
  return b->other == stands ? text :
                              ts_arena_printf(s->arena, "%s,\n  which comes after %s on its rank",
                                              text, ts_placed_name(s, p->sc, stands));
}

static void report_cycle(const player *p)
{
  const ts_schedule *sc = p->sc;
  uint32_t *from = TS_NEW_ARRAY(p->s->arena, uint32_t, sc->ranks + 1),
           *queue = TS_NEW_ARRAY(p->s->arena, uint32_t, sc->ranks + 1);
  uint32_t *path = TS_NEW_ARRAY(p->s->arena, uint32_t, sc->ranks + 1),
           *best = TS_NEW_ARRAY(p->s->arena, uint32_t, sc->ranks + 1), count = 0;
  for (uint32_t r = 0; r < sc->ranks && count != 1; r++) {
    uint32_t length = p->next[r] < sc->order[r].count ? circle(p, r, from, queue, path) : 0;
    if (length && (!count || length < count)) {
      memcpy(best, path, length * sizeof *path);
      count = length;
    }
  }
  progress_block first = edge(p, best[0], best[1 % count]);
  const char *text = "";
  ts_diag *d = ts_diag_add(p->s->diags, TS_E0402, sc->items.at[first.item].span,
                           "schedule `%s` comes to a standstill", sc->name);
  ts_diag_here(d, "%s waits forever", ts_placed_name(p->s, sc, first.item));
  for (uint32_t i = 0; i < count; i++) {
    uint32_t to = best[(i + 1) % count];
    progress_block b = edge(p, best[i], to);
    text = ts_arena_printf(p->s->arena, "%s%s%s", text, i ? "\n" : "", edge_text(p, &b, to));
    if (i && i < 6 && sc->items.at[b.item].span.begin != sc->items.at[first.item].span.begin)
      ts_diag_label(d, sc->items.at[b.item].span, "%s waits too", ts_placed_name(p->s, sc, b.item));
    if (b.wait.clause.file)
      ts_diag_note_at(d, b.wait.clause, "clause `%s` is part of it", b.wait.name);
  }
  ts_diag_fact(d, "cycle", "%s", text);
  ts_diag_help(d, "change the order on one of these ranks, or the clause");
}

static bool ends(ts_session *s, const ts_schedule *sc, const ts_stages *stages)
{
  player p = {s, sc, stages, TS_NEW_ARRAY(sc->arena, bool, sc->items.count + 1),
              TS_NEW_ARRAY(s->arena, uint32_t, sc->ranks + 1)};
  bool moved = true;
  while (moved) {
    moved = false;
    for (uint32_t r = 0; r < sc->ranks; r++)
      moved |= advance(&p, r);
  }
  for (uint32_t r = 0; r < sc->ranks; r++)
    if (p.next[r] < sc->order[r].count) {
      report_cycle(&p);
      return false;
    }
  return true;
}

static void add_transfers(ts_session *s, ts_content *c, const ts_transfer *all, uint32_t count)
{
  ts_content_add(s, c, count);
  for (uint32_t i = 0; i < count; i++)
    ts_content_add(s, c, all[i].other * UINT64_C(2) + all[i].gradient);
}

/* Of an order that comes from its content alone, and of what travels between its stages. */
static ts_cache_item *progress_ask(ts_session *s, const ts_schedule *sc, const ts_stages *stages)
{
  ts_content c = {0};
  if (!sc->origin || sc->ties.count)
    return NULL;
  ts_content_add(s, &c, sc->origin);
  for (uint32_t i = 0; i < stages->count; i++) {
    add_transfers(s, &c, stages->at[i].in, stages->at[i].in_count);
    add_transfers(s, &c, stages->at[i].out, stages->at[i].out_count);
  }
  return ts_shared_ask(s, &c);
}

bool ts_progress_check(ts_session *s, const ts_schedule *sc, const ts_stages *stages)
{
  static const bool yes = true;
  ts_cache_item *item = progress_ask(s, sc, stages);
  if (ts_shared_result(item))
    return true;
  ts_noting before = ts_noting_begin(s, (ts_touched){0});
  bool good = ends(s, sc, stages);
  ts_touched touched = ts_noting_end(s, &before);
  ts_shared_give(s, item, &before, touched, good ? &yes : NULL);
  return good;
}
