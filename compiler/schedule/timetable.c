/* A timetable: the slot of every forward and backward, an item a slot, squeezed without raising the
 * memory that it needs. Building blocks and squeezing are those of Qi et al., "Pipeline Parallelism
 * with Controllable Memory", arXiv 2405.15362; the steps follow the authors' scheduler
 * (sail-sg/zero-bubble-pipeline-parallelism, zbv_greedy).
 *
 * Items are taken by their slots and moved to the earliest free slot after all that they need at
 * which no rank holds more forwards than the most that any rank held before. What lies between the
 * first gradient that leaves the pipeline and the last micro-batch that enters it stays: it repeats
 * the block. This is done first with the W of each I in the free slots as items of their own, which
 * squeezes the start; then, the gaps closed, with W left to whatever is free, which squeezes the
 * end. A slot that is free at last takes a W: of the deepest stage, then the oldest. */
#include <string.h>

#include "compiler/schedule/timetable.h"

enum { FREE = -1 };

/* What a rank holds: forwards, as if W freed all of one; the same in thousandths, with what I
 * frees; and how many I wait for a W without a slot. */
typedef struct load { int32_t forwards, thousandths, owed; } load;

typedef struct rank_slots {
  int32_t *item;      /* [slot]: type * m + micro-batch, or FREE. Both slots of a B have it */
  int32_t *slot;      /* [type * m + micro-batch] */
  load *loads;        /* [slot]: after it */
  int32_t *backward;  /* slots of the backwards taken so far, in order */
  uint32_t taken;
} rank_slots;

/* types of items: chunk: forward; chunks + chunk: backward; 2 * chunks: W, of any chunk */
typedef struct squeeze {
  const ts_schedule *sc;
  uint32_t m, chunks, slots; /* slots: of the arrays above */
  bool whole;                /* backwards are B: two slots */
  bool drain;                /* a free slot takes an owed W */
  int32_t freed;             /* thousandths, by an I */
  rank_slots *rank;
  load most;                 /* that a rank may hold */
} squeeze;

static uint32_t type_of(const squeeze *q, int32_t item) { return (uint32_t)item / q->m; }
static bool is_backward(const squeeze *q, uint32_t type)
{
  return type >= q->chunks && type < 2 * q->chunks;
}
static uint32_t width(const squeeze *q, uint32_t type)
{
  return q->whole && is_backward(q, type) ? 2 : 1;
}

static void set(const squeeze *q, rank_slots *r, int32_t item, int32_t slot, bool there)
{
  for (uint32_t k = 0; k < width(q, type_of(q, item)); k++)
    r->item[slot + (int32_t)k] = there ? item : FREE;
}

static int32_t timetable_larger(int32_t x, int32_t y) { return x > y ? x : y; }

static void timetable_change(load *loads, int32_t forwards, int32_t thousandths)
{
  loads->forwards += forwards;
  loads->thousandths += thousandths;
}

static void step(const squeeze *q, const rank_slots *r, int32_t slot, load *loads)
{
  int32_t item = r->item[slot], rest = TS_TIMETABLE_FORWARD - q->freed;
  uint32_t type = item == FREE ? 0 : type_of(q, item);
  if (item == FREE) {
    if (loads->owed) {
      loads->owed--;
      timetable_change(loads, -1, -rest);
    }
  } else if (type < q->chunks) {
    timetable_change(loads, 1, TS_TIMETABLE_FORWARD);
  } else if (!is_backward(q, type)) {
    timetable_change(loads, -1, -rest);
  } else if (!q->whole) {
    timetable_change(loads, 0, -q->freed);
    loads->owed += q->drain;
  } else if (slot > r->slot[item]) {
    timetable_change(loads, -1, -TS_TIMETABLE_FORWARD);
  }
}

static bool timetable_same(const load *x, const load *y)
{
  return x->forwards == y->forwards && x->thousandths == y->thousandths && x->owed == y->owed;
}

/* Whether no more than `most` is held when the rank's slots changed between `from` and `to`; then,
 * with `keep`, notes what is held from now on. */
static bool bearable(const squeeze *q, rank_slots *r, int32_t from, int32_t to, bool keep)
{
  load loads = {0};
  if (from)
    loads = r->loads[from - 1];
  for (int32_t u = from; u < (int32_t)q->slots; u++) {
    step(q, r, u, &loads);
    if (!keep && (loads.forwards > q->most.forwards || loads.thousandths > q->most.thousandths))
      return false;
    if (u > to && timetable_same(&loads, &r->loads[u]))
      break;
    if (keep)
      r->loads[u] = loads;
  }
  return true;
}

static void timetable_measure(squeeze *q)
{
  for (uint32_t k = 0; k < q->sc->ranks; k++)
    bearable(q, &q->rank[k], 0, (int32_t)q->slots, true);
}

static load max_load(const squeeze *q)
{
  load most = {0};
  for (uint32_t k = 0; k < q->sc->ranks; k++)
    for (uint32_t u = 0; u < q->slots; u++) {
      most.forwards = timetable_larger(most.forwards, q->rank[k].loads[u].forwards);
      most.thousandths = timetable_larger(most.thousandths, q->rank[k].loads[u].thousandths);
    }
  return most;
}

static int32_t last_slot(const squeeze *q, uint32_t stage, bool backward, uint32_t micro_batch)
{
  const ts_schedule *sc = q->sc;
  uint32_t type = sc->chunk_of[stage] + (backward ? q->chunks : 0);
  return q->rank[sc->rank_of[stage]].slot[type * q->m + micro_batch] + (int32_t)width(q, type) - 1;
}

/* The first slot after all that an item needs; items of a type keep their order. */
static int32_t earliest(const squeeze *q, uint32_t rank, int32_t item)
{
  const ts_schedule *sc = q->sc;
  const rank_slots *r = &q->rank[rank];
  uint32_t type = type_of(q, item), i = (uint32_t)item % q->m,
           n = (uint32_t)item - 2 * q->chunks * q->m;
  int32_t after = -1;
  if (type >= 2 * q->chunks)
    return timetable_larger(r->backward[n], n ? r->slot[item - 1] : -1) + 1;
  uint32_t stage = sc->stage_of[rank * q->chunks + type % q->chunks], part = stage % sc->parts;
  if (i)
    after = r->slot[item - 1] + (int32_t)width(q, type) - 1;
  if (type < q->chunks && part)
    after = timetable_larger(after, last_slot(q, stage - 1, false, i));
  if (type >= q->chunks)
    after = timetable_larger(after, last_slot(q, stage, false, i));
  if (type >= q->chunks && part + 1 < sc->parts)
    after = timetable_larger(after, last_slot(q, stage + 1, true, i));
  return after + 1;
}

static void move(const squeeze *q, uint32_t rank, int32_t item)
{
  rank_slots *r = &q->rank[rank];
  int32_t old = r->slot[item], wide = (int32_t)width(q, type_of(q, item));
  set(q, r, item, old, false);
  for (int32_t to = earliest(q, rank, item); to < old; to++) {
    if (r->item[to] != FREE || r->item[to + wide - 1] != FREE)
      continue;
    set(q, r, item, to, true);
    r->slot[item] = to;
    if (bearable(q, r, to, old + wide, false)) {
      bearable(q, r, to, old + wide, true);
      return;
    }
    set(q, r, item, to, false);
  }
  r->slot[item] = old;
  set(q, r, item, old, true);
}

static void note_backward(rank_slots *r, int32_t slot)
{
  uint32_t k = r->taken++;
  for (; k && r->backward[k - 1] > slot; k--)
    r->backward[k] = r->backward[k - 1];
  r->backward[k] = slot;
}

static void squeeze_items(squeeze *q, bool from_start)
{
  enum { START, STEADY, END } phase = START;
  bool entered = false; /* the last micro-batch */
  for (uint32_t k = 0; k < q->sc->ranks; k++)
    q->rank[k].taken = 0;
  for (int32_t u = 0; u < (int32_t)q->slots; u++)
    for (uint32_t k = 0; k < q->sc->ranks; k++) {
      rank_slots *r = &q->rank[k];
      int32_t item = r->item[u];
      if (item == FREE || r->slot[item] != u)
        continue;
      uint32_t type = type_of(q, item), chunk = type % q->chunks;
      bool back = is_backward(q, type),
           first_part = q->sc->stage_of[k * q->chunks + chunk] % q->sc->parts == 0;
      if (phase == START && back && first_part)
        phase = entered ? END : STEADY;
      if (q->whole || phase == END || (phase == START && from_start))
        move(q, k, item);
      entered =
        entered || (!back && type < q->chunks && first_part && (uint32_t)item % q->m == q->m - 1);
      if (phase == STEADY && entered)
        phase = END;
      if (back)
        note_backward(r, r->slot[item]);
    }
}

/* Free slots take the W that are owed, whichever chunk's they are. */
static void add_weights(squeeze *q)
{
  for (uint32_t k = 0; k < q->sc->ranks; k++) {
    rank_slots *r = &q->rank[k];
    uint32_t owed = 0, total = q->chunks * q->m;
    int32_t next = (int32_t)(2 * q->chunks * q->m);
    for (int32_t u = 0; u < (int32_t)q->slots && total; u++) {
      if (r->item[u] != FREE) {
        owed += is_backward(q, type_of(q, r->item[u]));
      } else if (owed) {
        owed--;
        total--;
        r->slot[next] = u;
        r->item[u] = next++;
      }
    }
  }
}

static void remove_weights(squeeze *q)
{
  for (uint32_t k = 0; k < q->sc->ranks; k++)
    for (uint32_t n = 0; n < q->chunks * q->m; n++)
      q->rank[k].item[q->rank[k].slot[2 * q->chunks * q->m + n]] = FREE;
}

/* Every item as early as its rank's order and what it needs allow. */
static void close_gaps(squeeze *q)
{
  int32_t *free_from = q->rank[q->sc->ranks].slot; /* [ranks] */
  memset(free_from, 0, q->sc->ranks * sizeof *free_from);
  for (uint32_t k = 0; k < q->sc->ranks; k++)
    q->rank[k].taken = 0;
  for (int32_t u = 0; u < (int32_t)q->slots; u++)
    for (uint32_t k = 0; k < q->sc->ranks; k++) {
      rank_slots *r = &q->rank[k];
      int32_t item = r->item[u];
      if (item == FREE || r->slot[item] != u)
        continue;
      uint32_t type = type_of(q, item);
      set(q, r, item, u, false);
      r->slot[item] = timetable_larger(earliest(q, k, item), free_from[k]);
      set(q, r, item, r->slot[item], true);
      free_from[k] = r->slot[item] + (int32_t)width(q, type);
      if (is_backward(q, type))
        r->backward[r->taken++] = r->slot[item];
    }
}

static void open_slots(ts_arena *arena, squeeze *q, const ts_timetable *t)
{
  const ts_schedule *sc = q->sc;
  q->rank = TS_NEW_ARRAY(arena, rank_slots, sc->ranks + 1);
  q->rank[sc->ranks].slot = TS_NEW_ARRAY(arena, int32_t, sc->ranks + 1);
  for (uint32_t k = 0; k < sc->ranks; k++) {
    rank_slots *r = &q->rank[k];
    r->item = TS_NEW_ARRAY(arena, int32_t, q->slots + 2);
    r->loads = TS_NEW_ARRAY(arena, load, q->slots + 1);
    r->slot = TS_NEW_ARRAY(arena, int32_t, 3 * q->chunks * q->m + 1);
    r->backward = TS_NEW_ARRAY(arena, int32_t, q->chunks * q->m + 1);
    memset(r->item, 0xff, (q->slots + 2) * sizeof *r->item);
    for (uint32_t type = 0; type < 2 * q->chunks; type++)
      for (uint32_t i = 0; i < q->m; i++) {
        int32_t item = (int32_t)(type * q->m + i);
        r->slot[item] = t->slot[type >= q->chunks]
                               [(size_t)sc->stage_of[k * q->chunks + type % q->chunks] * q->m + i];
        set(q, r, item, r->slot[item], true);
      }
  }
}

/* A W of the chunk whose part of the model is deepest; the oldest of it. */
static bool owed_weight(const squeeze *q, uint32_t rank, const uint32_t *done, uint32_t *placed,
                        ts_timed *item)
{
  const ts_schedule *sc = q->sc;
  uint32_t best = TS_NO_INDEX;
  for (uint32_t c = 0; c < q->chunks; c++) {
    uint32_t stage = sc->stage_of[rank * q->chunks + c];
    if (placed[c] < done[c] && (best == TS_NO_INDEX || stage % sc->parts > best % sc->parts))
      best = stage;
  }
  if (best == TS_NO_INDEX)
    return false;
  *item = (ts_timed){TS_WEIGHT_GRADIENT, best, placed[sc->chunk_of[best]]++};
  return true;
}

static uint32_t write_order(ts_arena *arena, const squeeze *q, ts_timed *out)
{
  const ts_schedule *sc = q->sc;
  uint32_t *done = TS_NEW_ARRAY(arena, uint32_t, sc->ranks * q->chunks + 1),
           *placed = TS_NEW_ARRAY(arena, uint32_t, sc->ranks * q->chunks + 1), n = 0;
  for (int32_t u = 0; u < (int32_t)q->slots; u++)
    for (uint32_t k = 0; k < sc->ranks; k++) {
      const rank_slots *r = &q->rank[k];
      int32_t item = r->item[u];
      if (item == FREE) {
        n += !q->whole && owed_weight(q, k, done + k * q->chunks, placed + k * q->chunks, &out[n]);
      } else if (r->slot[item] == u) {
        uint32_t type = type_of(q, item), chunk = type % q->chunks;
        bool back = is_backward(q, type);
        out[n++] = (ts_timed){!back    ? TS_FORWARD :
                              q->whole ? TS_BACKWARD :
                                         TS_INPUT_GRADIENT,
                              sc->stage_of[k * q->chunks + chunk], (uint32_t)item % q->m};
        done[k * q->chunks + chunk] += back;
      }
    }
  return n;
}

uint32_t ts_timetable_order(ts_arena *arena, const ts_schedule *sc, const ts_timetable *t,
                            ts_timed *out)
{
  squeeze q = {.sc = sc,
               .m = sc->micro_batches,
               .chunks = sc->chunks,
               .slots = t->slots + sc->chunks * sc->micro_batches + 1,
               .whole = t->whole,
               .freed = t->freed};
  open_slots(arena, &q, t);
  if (!q.whole)
    add_weights(&q);
  timetable_measure(&q);
  q.most = max_load(&q);
  squeeze_items(&q, true);
  if (!q.whole) {
    close_gaps(&q);
    remove_weights(&q);
    q.drain = true;
    timetable_measure(&q);
    q.most = max_load(&q);
    squeeze_items(&q, false);
  }
  return write_order(arena, &q, out);
}
