/* Rounds of a finished order: the same work again and again, its micro-batches so many further on
 * each time. Whatever placed the items: each of them is compared with the one a round before. */
#include <string.h>

#include "compiler/eval/options.h"
#include "compiler/schedule/internal.h"

enum { LEAST = 5 /* rounds that are listed */, LOOKS = 8 /* at an item */ };
enum { FORWARDS, BACKWARDS, WEIGHTS, KINDS };

/* Of a rank: items [from, to) of its order are those a round of `items` before, with micro-batches
 * that are `step` further on. */
typedef struct stretch {
  uint32_t from, to, items, step;
} stretch;

static bool is_next_round(const ts_placed *before, const ts_placed *after, uint32_t step)
{
  return before->kind == after->kind && before->kind != TS_STEP && before->chunk == after->chunk &&
         before->paired == after->paired && before->micro_batch + step == after->micro_batch;
}

/* In a round each chunk's work of each kind is done for `step` micro-batches. */
static bool is_whole(const ts_schedule *sc, const ts_placed *at, const stretch *s, uint32_t *count)
{
  bool whole = true;
  memset(count, 0, KINDS * sc->chunks * sizeof *count);
  for (uint32_t i = 0; i < s->items; i++) {
    uint32_t *of = &count[KINDS * at[i].chunk];
    of[FORWARDS] += at[i].kind == TS_FORWARD;
    of[BACKWARDS] += at[i].kind == TS_BACKWARD || at[i].kind == TS_INPUT_GRADIENT;
    of[WEIGHTS] += at[i].kind == TS_BACKWARD || at[i].kind == TS_WEIGHT_GRADIENT;
  }
  for (uint32_t k = 0; k < KINDS * sc->chunks; k++)
    whole &= count[k] == s->step;
  return whole;
}

/* The shortest round around the middle of the order; work is two or three items, in two steps at
 * least. What takes longer to find than to list is not looked for. */
static bool find_round(const ts_schedule *sc, const ts_placed *at, uint32_t count, stretch *s,
                       uint32_t *counts)
{
  const ts_placed *from = at + count / 2;
  uint64_t left = LOOKS * (uint64_t)count;
  for (s->items = 1; s->items <= count / 4 && left; s->items++) {
    const ts_placed *to = from + s->items;
    uint32_t i = 0;
    s->step = to->micro_batch - from->micro_batch;
    uint64_t works = (uint64_t)s->step * sc->chunks;
    if (to->micro_batch <= from->micro_batch || s->items < 2 * works || s->items > 3 * works)
      continue;
    while (i < s->items && is_next_round(from + i, to + i, s->step))
      i++;
    if (i == s->items && is_whole(sc, from, s, counts))
      return true;
    left -= i < left ? i : left;
  }
  return false;
}

static void stretch_out(const ts_placed *at, uint32_t count, stretch *s)
{
  uint32_t from = count / 2, to = from + s->items;
  while (from && is_next_round(&at[from - 1], &at[from - 1 + s->items], s->step))
    from--;
  while (to < count && is_next_round(&at[to - s->items], &at[to], s->step))
    to++;
  s->from = from;
  s->to = to;
}

/* Rounds of all ranks move on by as many micro-batches. False: they are not alike. */
static bool find_stretches(ts_arena *arena, const ts_schedule *sc, stretch *of)
{
  uint32_t step = 0, *counts = TS_NEW_ARRAY(arena, uint32_t, KINDS * sc->chunks + 1);
  for (uint32_t r = 0; r < sc->ranks; r++) {
    if (!find_round(sc, &sc->items.at[sc->order[r].first], sc->order[r].count, &of[r], counts))
      return false;
    step = of[r].step > step ? of[r].step : step;
  }
  for (uint32_t r = 0; r < sc->ranks; r++) {
    if (step % of[r].step)
      return false;
    of[r].items *= step / of[r].step;
    of[r].step = step;
    stretch_out(&sc->items.at[sc->order[r].first], sc->order[r].count, &of[r]);
  }
  return true;
}

/* How many rounds all ranks can do without, and still have `listed` micro-batches of them. */
static uint32_t rounds_too_many(const ts_schedule *sc, const stretch *of, uint32_t listed)
{
  uint32_t min = UINT32_MAX, remaining = (listed + of->step - 1) / of->step;
  for (uint32_t r = 0; r < sc->ranks; r++) {
    uint32_t rounds = (of[r].to - of[r].from) / of[r].items;
    min = rounds < min ? rounds : min;
  }
  remaining = remaining < LEAST ? LEAST : remaining;
  return min >= remaining + remaining / 2 ? min - remaining : 0;
}

/* The order of a rank without `out` items at the cut. False: the others are not numbered on. */
static bool take_out(const ts_placed *from, uint32_t count, uint32_t cut, uint32_t out,
                     uint32_t batches, uint32_t moved, ts_placed *to)
{
  bool good = true;
  memcpy(to, from, cut * sizeof *to);
  memcpy(to + cut, from + cut + out, (count - cut - out) * sizeof *to);
  for (uint32_t i = 0; i < count - out; i++) {
    if (to[i].kind == TS_STEP)
      continue;
    to[i].micro_batch -= i < cut ? 0 : moved;
    good &= to[i].micro_batch < batches;
  }
  return good;
}

bool ts_schedule_leave_out(ts_schedule_builder *b, uint32_t listed)
{
  ts_schedule *sc = b->sc;
  stretch *of = TS_NEW_ARRAY(b->s->arena, stretch, sc->ranks + 1);
  if (!listed || !find_stretches(b->s->arena, sc, of))
    return false;
  uint32_t rounds = rounds_too_many(sc, of, listed), moved = rounds * of->step, total = 0;
  if (!rounds)
    return false;
  ts_order *order = TS_NEW_ARRAY(b->s->arena, ts_order, sc->ranks + 1),
           *round = TS_NEW_ARRAY(b->s->arena, ts_order, sc->ranks + 1);
  ts_placed *items = ts_arena_alloc_raw(sc->arena, sc->items.count * sizeof *items);
  for (uint32_t r = 0; r < sc->ranks; r++) {
    const ts_placed *from = &sc->items.at[sc->order[r].first];
    uint32_t count = sc->order[r].count, out = rounds * of[r].items,
             all = (of[r].to - of[r].from) / of[r].items,
             cut = of[r].from + (all - rounds + 1) / 2 * of[r].items;
    cut += from[cut - 1].paired; /* two that are played as one */
    order[r] = (ts_order){total, count - out};
    round[r] = (ts_order){cut - of[r].items, of[r].items};
    if (!take_out(from, count, cut, out, sc->micro_batches - moved, moved, &items[total]))
      return false;
    total += count - out;
  }
  sc->order = order;
  sc->round = round;
  sc->items.at = items;
  sc->items.count = sc->items.room = total;
  sc->left_rounds = rounds;
  sc->left_out = moved;
  sc->micro_batches -= moved;
  return true;
}
