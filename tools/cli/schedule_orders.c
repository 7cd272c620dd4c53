#include "tools/cli/schedule_orders.h"

#include <stdlib.h>
#include <string.h>

typedef struct order_builder {
  ts_arena *arena;
  TS_VEC(ts_given_item) items;
} order_builder;

static void put_work(order_builder *o, ts_work_kind kind, uint32_t stage, uint32_t i)
{
  TS_PUSH(o->arena, &o->items, ((ts_given_item){kind, stage, i, false}));
}

const ts_given_order *ts_order_plain(ts_arena *arena, const ts_schedule *sc, bool whole)
{
  order_builder o = {.arena = arena};
  uint32_t *first = TS_NEW_ARRAY(arena, uint32_t, sc->ranks + 1);
  for (uint32_t r = 0; r < sc->ranks; r++) {
    first[r] = (uint32_t)o.items.count;
    for (uint32_t part = 0; part < 2 * sc->parts; part++)
      for (uint32_t c = 0; c < sc->chunks; c++) {
        uint32_t stage = sc->stage_of[r * sc->chunks + c];
        bool back = part >= sc->parts;
        if (stage % sc->parts != (back ? 2 * sc->parts - 1 - part : part))
          continue;
        for (uint32_t i = 0; i < sc->micro_batches; i++) {
          put_work(&o, !back ? TS_FORWARD : whole ? TS_BACKWARD : TS_INPUT_GRADIENT, stage, i);
          if (back && !whole)
            put_work(&o, TS_WEIGHT_GRADIENT, stage, i);
        }
      }
  }
  first[sc->ranks] = (uint32_t)o.items.count;
  ts_given_order *order = TS_NEW(arena, ts_given_order);
  *order = (ts_given_order){sc->ranks, first, TS_ITEMS(arena, &o.items)};
  return order;
}

static ts_work_kind schedule_orders_kind_of(char letter)
{
  int k = 0;
  while (k < TS_STEP && *ts_work_letter((ts_work_kind)k) != letter)
    k++;
  return (ts_work_kind)k;
}

/* ---- Words ---- */

static ts_given_item schedule_orders_item_of(const ts_pipeline *p, uint32_t letter, uint32_t n)
{
  return (ts_given_item){schedule_orders_kind_of(p->letters[letter].kind), p->letters[letter].stage,
                         n, false};
}

/* What is played at a place, as one item, or as a pair of two. */
static uint32_t put_unit(const ts_pipeline *p, const ts_pipeline_merge *merge,
                         const uint16_t *sequence, const uint32_t *count, ts_given_item *to)
{
  bool pair = merge && p->letters[*sequence].kind == 'F';
  to[0] = schedule_orders_item_of(p, sequence[0], count[sequence[0]]);
  to[0].paired = pair;
  if (!merge)
    return 1;
  if (!pair) {
    to[0].kind = TS_BACKWARD;
    return 1;
  }
  to[1] = schedule_orders_item_of(p, sequence[1], count[sequence[1]]);
  if (merge->of[2] != TS_PIPELINE_NONE)
    to[1].kind = TS_BACKWARD;
  return 2;
}

const ts_given_order *ts_order_of(ts_arena *arena, const ts_pipeline *p, const uint16_t *sequence,
                                  ts_pipeline_merging merging)
{
  uint32_t *count = TS_NEW_ARRAY(arena, uint32_t, p->letter_count + 1),
           *first = TS_NEW_ARRAY(arena, uint32_t, p->ranks + 1), n = 0;
  ts_given_item *items = TS_NEW_ARRAY(arena, ts_given_item, ts_pipeline_size(p) + 1);
  for (uint32_t r = 0; r < p->ranks; r++) {
    first[r] = n;
    for (uint32_t k = p->first[r]; k < p->first[r + 1];) {
      const ts_pipeline_merge *merge =
        ts_pipeline_merge_at(p, merging, sequence, k, p->first[r + 1], count);
      uint32_t places = !merge ? 1 : merge->of[2] == TS_PIPELINE_NONE ? 2 : 3;
      n += put_unit(p, merge, sequence + k, count, items + n);
      for (; places > 0; places--)
        count[sequence[k++]]++;
    }
  }
  first[p->ranks] = n;
  ts_given_order *order = TS_NEW(arena, ts_given_order);
  *order = (ts_given_order){p->ranks, first, items};
  return order;
}

static uint32_t letter_of(const ts_pipeline *p, uint32_t stage, char kind)
{
  for (uint32_t l = 0; l < p->letter_count; l++)
    if (p->letters[l].stage == stage && p->letters[l].kind == kind)
      return l;
  return TS_PIPELINE_NONE;
}

const uint16_t *ts_order_sequence(ts_arena *arena, const ts_pipeline *p, const ts_schedule *sc,
                                  bool whole)
{
  uint16_t *sequence = TS_NEW_ARRAY(arena, uint16_t, ts_pipeline_size(p) + 1);
  for (uint32_t r = 0; r < sc->ranks; r++) {
    uint32_t n = p->first[r];
    for (uint32_t i = sc->order[r].first; i < sc->order[r].first + sc->order[r].count; i++) {
      const ts_placed *item = &sc->items.at[i];
      char kinds[3] = {*ts_work_letter(item->kind)};
      if (item->kind == TS_STEP || (whole && item->kind == TS_WEIGHT_GRADIENT))
        continue;
      if (whole && item->kind == TS_INPUT_GRADIENT)
        kinds[0] = 'B';
      if (!whole && item->kind == TS_BACKWARD)
        memcpy(kinds, "IW", 2);
      for (const char *k = kinds; *k && n < p->first[r + 1]; k++)
        sequence[n++] = (uint16_t)letter_of(p, item->stage, *k);
    }
    if (n != p->first[r + 1])
      return NULL;
  }
  return sequence;
}

/* ---- Items as one ---- */

/* Two micro-batches at a time, the first one's backward beside the second's forward; these two are
 * offset so that stages whose depths have a certain SUM meet. All pairs of stages with that sum do,
 * and nobody waits for each other: all of a time step depends on earlier ones. */

typedef struct event {
  uint32_t step, stage, micro_batch;
  bool back;
} event;

typedef struct joiner {
  ts_arena *arena;
  const ts_schedule *sc;
  const ts_pipeline *p;
  bool split, whole;
  order_builder items;
  ts_pipeline_parts *parts; /* of the rank at hand */
  uint32_t count;           /* of its items, pairs as one */
} joiner;

static int by_step(const void *a, const void *b)
{
  const event *x = a, *y = b;
  if (x->step != y->step)
    return x->step < y->step ? -1 : 1;
  return x->stage != y->stage ? (x->stage > y->stage) - (x->stage < y->stage) :
                                (int)x->back - (int)y->back;
}

static void put_part(joiner *j, uint32_t stage, const char *kinds, uint32_t n)
{
  ts_pipeline_parts *parts = &j->parts[j->count];
  for (; *kinds; kinds++)
    parts->item[parts->count++] = letter_of(j->p, stage, *kinds) * j->p->micro_batches + n;
}

static void put_event(joiner *j, const event *e, bool paired)
{
  ts_work_kind kind = !e->back ? TS_FORWARD : j->split ? TS_INPUT_GRADIENT : TS_BACKWARD;
  put_part(j, e->stage, !e->back ? "F" : j->split ? "I" : j->whole ? "B" : "IW", e->micro_batch);
  put_work(&j->items, kind, e->stage, e->micro_batch);
  j->items.items.at[j->items.items.count - 1].paired = paired;
  j->count += !paired;
}

static void put_gradient(joiner *j, const event *e)
{
  if (!e->back || !j->split)
    return;
  put_part(j, e->stage, "W", e->micro_batch);
  put_work(&j->items, TS_WEIGHT_GRADIENT, e->stage, e->micro_batch);
  j->count++;
}

/* Of one step: a forward with a backward of another micro-batch, as long as there are both. */
static void put_step(joiner *j, const event *e, uint32_t count)
{
  bool *put = TS_NEW_ARRAY(j->arena, bool, count);
  for (uint32_t a = 0; a < count; a++)
    for (uint32_t b = 0; b < count && !put[a]; b++)
      if (!e[a].back && e[b].back && !put[b] && e[a].micro_batch != e[b].micro_batch) {
        put_event(j, &e[a], true);
        put_event(j, &e[b], false);
        put[a] = put[b] = true;
      }
  for (uint32_t a = 0; a < count; a++)
    if (!put[a])
      put_event(j, &e[a], false);
  for (uint32_t a = 0; a < count; a++)
    put_gradient(j, &e[a]);
}

/* Micro-batches from `n` on, one or two, on a rank. */
static void put_duo(joiner *j, uint32_t rank, uint32_t n, uint32_t micro_batches, uint32_t sum)
{
  const ts_schedule *sc = j->sc;
  uint32_t parts = sc->parts, count = 0;
  event *e = TS_NEW_ARRAY(j->arena, event, 4 * sc->chunks + 1);
  for (uint32_t c = 0; c < sc->chunks; c++)
    for (uint32_t k = 0; k < micro_batches; k++) {
      uint32_t stage = sc->stage_of[rank * sc->chunks + c], depth = stage % parts,
               from = k ? 2 * parts - 1 - sum : 0;
      e[count++] = (event){from + depth, stage, n + k, false};
      e[count++] = (event){from + 2 * parts - 1 - depth, stage, n + k, true};
    }
  qsort(e, count, sizeof *e, by_step);
  for (uint32_t k = 0, next; k < count; k = next) {
    for (next = k + 1; next < count && e[next].step == e[k].step;)
      next++;
    put_step(j, &e[k], next - k);
  }
}

/* The sums of depths that two stages of a rank have, those of most ranks first. */
static uint32_t find_sums(const ts_schedule *sc, uint32_t *sums)
{
  ts_arena *scratch = ts_arena_new("sums");
  uint32_t *ranks = TS_NEW_ARRAY(scratch, uint32_t, 2 * sc->parts + 1), count = 0, most = 0;
  for (uint32_t r = 0; r < sc->ranks; r++)
    for (uint32_t a = 0; a < sc->chunks; a++)
      for (uint32_t b = 0; b < sc->chunks; b++)
        ranks[sc->stage_of[r * sc->chunks + a] % sc->parts +
              sc->stage_of[r * sc->chunks + b] % sc->parts]++;
  for (uint32_t s = 0; s < 2 * sc->parts; s++)
    most = ranks[s] > most ? ranks[s] : most;
  for (; most > 0; most--)
    for (uint32_t s = 0; s < 2 * sc->parts; s++)
      if (ranks[s] == most)
        sums[count++] = s;
  ts_arena_free(scratch);
  return count;
}

static uint32_t duos_of(const ts_schedule *sc) { return sc->micro_batches / 2; }

uint32_t ts_order_joined_count(const ts_schedule *sc)
{
  ts_arena *scratch = ts_arena_new("sums");
  uint32_t sums = find_sums(sc, TS_NEW_ARRAY(scratch, uint32_t, 2 * sc->parts + 1)),
           duos = duos_of(sc);
  ts_arena_free(scratch);
  return !duos ? 0 : duos > 2 ? (sums + duos - 3) / (duos - 2) : sums;
}

ts_order_joined ts_order_joined_of(ts_arena *arena, const ts_schedule *sc, const ts_pipeline *p,
                                   uint32_t n, bool split, bool whole)
{
  joiner j = {arena, sc, p, split, whole, .items = {.arena = arena}, .count = 0};
  uint32_t duos = duos_of(sc), m = sc->micro_batches,
           *sum = TS_NEW_ARRAY(arena, uint32_t, 2 * sc->parts + 1), sums = find_sums(sc, sum);
  uint32_t *first = TS_NEW_ARRAY(arena, uint32_t, sc->ranks + 1);
  ts_pipeline_parts **parts = TS_NEW_ARRAY(arena, ts_pipeline_parts *, sc->ranks + 1);
  for (uint32_t r = 0; r < sc->ranks; r++) {
    first[r] = (uint32_t)j.items.items.count;
    parts[r] = j.parts = TS_NEW_ARRAY(arena, ts_pipeline_parts, 3 * sc->chunks * m + 2);
    j.count = 0;
    for (uint32_t duo = 0, at = 0; at < m; duo++) {
      bool alone = m % 2 && at == 2; /* the first and the last are in duos */
      bool middle = duo > 0 && at + 2 < m;
      uint32_t which = middle ? n * (duos - 2) + duo - 1 : n;
      put_duo(&j, r, at, m == 1 || alone ? 1 : 2, sum[which % sums]);
      at += m == 1 || alone ? 1 : 2;
    }
  }
  first[sc->ranks] = (uint32_t)j.items.items.count;
  ts_given_order *order = TS_NEW(arena, ts_given_order);
  *order = (ts_given_order){sc->ranks, first, TS_ITEMS(arena, &j.items.items)};
  return (ts_order_joined){order, (const ts_pipeline_parts *const *)parts};
}
