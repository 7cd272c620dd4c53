/* Loops: unrolled, checked before that, and found. */
#include "ir/loops.h"

#include <stdlib.h>
#include <string.h>

#include "ir/pool.h"

/* ---- unrolling ---- */

typedef struct loops_walk {
  const ts_ir_looped *in;
  ts_ir_play_item *play;
  void *closure;
  uint32_t loop; /* the next one */
} loops_walk;

static bool begins_at(const ts_ir_looped *in, uint32_t loop, uint32_t item)
{
  return loop < in->loop_count && in->loops[loop].first_item == item;
}

static void unroll_range(loops_walk *w, uint32_t at, uint32_t end, uint32_t moved)
{
  while (at < end) {
    if (!begins_at(w->in, w->loop, at)) {
      w->play(w->closure, &w->in->items[at++], moved);
      continue;
    }
    const ts_ir_loop *l = &w->in->loops[w->loop++];
    uint32_t inner = w->loop;
    for (uint32_t round = 0; round < l->rounds; round++) {
      w->loop = inner;
      unroll_range(w, at, at + l->item_count, moved + round * l->step);
    }
    at += l->item_count;
  }
}

void ts_ir_unroll(const ts_ir_looped *in, ts_ir_play_item *play, void *closure)
{
  loops_walk w = {in, play, closure, 0};
  unroll_range(&w, 0, in->item_count, 0);
}

/* ---- checking ---- */

typedef struct loops_check {
  const ts_ir *ir;
  const ts_ir_looped *in;
  uint32_t loop, depth;
  uint64_t times, moved; /* in the loops around; by how much the last round is moved */
  ts_ir_unrolled *sum;
} loops_check;

static const char *wrong_item(loops_check *c, const ts_ir_item *t)
{
  const ts_ir *ir = c->ir;
  if (t->fragment >= ir->fragments_count)
    return "an item plays a fragment that is not there";
  uint64_t ports = ir->fragments[t->fragment].port_count;
  if (ports && t->first_binding + ports > ir->bindings_count)
    return "the bindings of an item are not there";
  if (t->micro_batch != TS_IR_NONE) {
    uint64_t most = t->micro_batch;
    for (uint32_t p = 0; p < ports; p++) {
      uint32_t tag = ir->bindings[t->first_binding + p].tag;
      most = tag > most ? tag : most;
    }
    if (most + c->moved >= TS_IR_NONE)
      return "the last round of a loop has a micro-batch or a tag beyond 2^32 - 2";
  }
  c->sum->items += c->times;
  c->sum->ends += c->times * ports;
  if (c->sum->items > TS_IR_PLAYS_MOST)
    return "the items of loops are played more than 67108864 times";
  return c->sum->ends > TS_IR_MESSAGES_MOST ?
           "the items of loops send and receive more than 33554432 messages" :
           NULL;
}

static const char *wrong_range(loops_check *c, uint32_t at, uint32_t end);

static const char *wrong_loop(loops_check *c, uint32_t end)
{
  const ts_ir_loop *l = &c->in->loops[c->loop++];
  if (!l->rounds)
    return "a loop of 0 rounds";
  if (!l->item_count)
    return "a loop without an item";
  if (l->item_count > end - l->first_item)
    return "a loop ends behind the items around it";
  if (c->depth == TS_IR_LOOP_DEPTH)
    return "loops are nested more than 8 deep";
  loops_check inner = *c;
  inner.depth++;
  inner.times *= l->rounds;
  inner.moved += (uint64_t)l->step * (l->rounds - 1);
  if (inner.times > TS_IR_PLAYS_MOST)
    return "the items of loops are played more than 67108864 times";
  /* beyond 32 bits is all that is asked, so that sums do not overflow */
  inner.moved = inner.moved > TS_IR_NONE ? TS_IR_NONE : inner.moved;
  const char *wrong = wrong_range(&inner, l->first_item, l->first_item + l->item_count);
  c->loop = inner.loop;
  return wrong;
}

static const char *wrong_range(loops_check *c, uint32_t at, uint32_t end)
{
  const char *wrong = NULL;
  while (at < end && !wrong) {
    const ts_ir_loop *l = begins_at(c->in, c->loop, at) ? &c->in->loops[c->loop] : NULL;
    wrong = l ? wrong_loop(c, end) : wrong_item(c, &c->in->items[at]);
    at += l ? l->item_count : 1;
  }
  if (!wrong && c->loop < c->in->loop_count && c->in->loops[c->loop].first_item < end)
    return "loops are not in the order of their items";
  return wrong;
}

const char *ts_ir_loops_wrong(const ts_ir *ir, const ts_ir_looped *in, uint32_t first, uint32_t end,
                              uint32_t *loop, ts_ir_unrolled *sum)
{
  loops_check c = {ir, in, *loop, 0, 1, 0, sum};
  const char *wrong = wrong_range(&c, first, end);
  *loop = c.loop;
  return wrong;
}

/* ---- finding ---- */

/* A list of items as words: each says what an item plays, with whom, and how far its micro-batch is
 * from that of the item before. Where the words repeat, the items do, moved by a step a round. */
typedef struct finder {
  ts_arena *arena;
  const ts_ir *ir;
  const ts_ir_item *items;
  uint32_t *kind; /* what an item plays and with whom, but for the micro-batch */
  uint32_t *word;
  uint32_t *batch; /* of the item, or of the last one before that has one */
  uint32_t first;  /* of the items, in the IR */
  ts_ir_packed out;
} finder;

/* Items `begin` to `end` are equal to those a period behind, but for their micro-batches. */
typedef struct finder_run {
  uint32_t begin, end, period;
} finder_run;
typedef TS_VEC(finder_run) finder_runs;

static uint32_t kind_of(finder *f, ts_ir_pool *kinds, const ts_ir_item *t)
{
  uint32_t ports = f->ir->fragments[t->fragment].port_count, few[64], size = 3 + 2 * ports;
  uint32_t *key = size <= sizeof few / sizeof *few ? few : TS_NEW_ARRAY(f->arena, uint32_t, size);
  bool counted = t->micro_batch != TS_IR_NONE;
  key[0] = t->fragment;
  key[1] = t->chunk;
  key[2] = counted;
  for (uint32_t p = 0; p < ports; p++) {
    const ts_ir_binding *b = &f->ir->bindings[t->first_binding + p];
    key[3 + 2 * p] = b->peer;
    key[4 + 2 * p] = counted ? b->tag - t->micro_batch : b->tag;
  }
  return ts_ir_pool_intern(kinds, key, size);
}

static void make_words(finder *f, uint32_t count)
{
  ts_ir_pool kinds = {.record_size = sizeof(uint32_t)}, words = {.record_size = sizeof(uint32_t)};
  f->kind = TS_NEW_ARRAY(f->arena, uint32_t, count + 1);
  f->word = TS_NEW_ARRAY(f->arena, uint32_t, count + 1);
  f->batch = TS_NEW_ARRAY(f->arena, uint32_t, count + 1);
  uint32_t batch = 0;
  for (uint32_t i = 0; i < count; i++) {
    const ts_ir_item *t = &f->items[i];
    uint32_t now = t->micro_batch == TS_IR_NONE ? batch : t->micro_batch;
    f->kind[i] = kind_of(f, &kinds, t);
    const uint32_t word[2] = {f->kind[i], now - batch};
    f->word[i] = ts_ir_pool_intern(&words, word, 2);
    f->batch[i] = batch = now;
  }
  ts_ir_pool_clear(&kinds);
  ts_ir_pool_clear(&words);
}

/* For each place of a text: how far what begins there is equal to the beginning (Z function). */
static void equal_beginnings(const uint32_t *text, uint32_t size, uint32_t *equal)
{
  equal[0] = size;
  for (uint32_t i = 1, from = 0, to = 0; i < size; i++) {
    uint32_t n = i < to ? equal[i - from] : 0;
    n = n > to - i && i < to ? to - i : n;
    while (i + n < size && text[n] == text[i + n])
      n++;
    equal[i] = n;
    if (i + n > to) {
      from = i;
      to = i + n;
    }
  }
}

/* Lines of the text form that a loop saves: one of a single item takes a line, others have a line
 * before the items and one behind. */
static int64_t saved_by(uint32_t covered, uint32_t period)
{
  return (int64_t)covered - covered % period - period - (period > 1 ? 2 : 0);
}

enum { SAVED_LEAST = 2 };

/* The words of a run repeat, those of its first `period` excepted. The item before it may belong to
 * it, too: its word says how far it is from others. `found`: the runs that cross the same place. */
static void add_run(const finder *f, finder_runs *runs, size_t found, uint32_t lo, finder_run run)
{
  if (run.end - run.begin <= run.period)
    return;
  uint32_t step = f->batch[run.begin + run.period] - f->batch[run.begin], before = run.begin - 1;
  if (run.begin > lo && f->kind[before] == f->kind[before + run.period] &&
      (f->items[before].micro_batch == TS_IR_NONE ||
       f->batch[before + run.period] - f->batch[before] == step))
    run.begin--;
  if (run.end - run.begin < 2 * run.period || step > INT32_MAX ||
      saved_by(run.end - run.begin, run.period) < SAVED_LEAST)
    return;
  for (; found < runs->count; found++) {
    const finder_run *r = &runs->at[found];
    if (run.period % r->period == 0 && r->begin <= run.begin && run.end <= r->end)
      return; /* it says the same in larger rounds */
  }
  TS_PUSH(f->arena, runs, run);
}

typedef struct finder_scratch {
  uint32_t *text, *right, *left;
} finder_scratch;

/* Runs that cross `mid` (Main and Lorentz, 1984): a period that lies left of it is compared with
 * what begins there, one that lies right of it with what ends there. */
static void find_crossing(const finder *f, finder_runs *runs, const finder_scratch *s, uint32_t lo,
                          uint32_t mid, uint32_t hi)
{
  const uint32_t nl = mid - lo, nr = hi - mid;
  size_t found = runs->count;
  memcpy(s->text, f->word + mid, nr * sizeof *s->text);
  s->text[nr] = TS_IR_NONE;
  memcpy(s->text + nr + 1, f->word + lo, (nl + nr) * sizeof *s->text);
  equal_beginnings(s->text, nl + 2 * nr + 1, s->right);
  for (uint32_t i = 0; i < nl; i++)
    s->text[i] = f->word[mid - 1 - i];
  s->text[nl] = TS_IR_NONE;
  for (uint32_t i = 0; i < nr + nl; i++)
    s->text[nl + 1 + i] = f->word[hi - 1 - i];
  equal_beginnings(s->text, 2 * nl + nr + 1, s->left);
  for (uint32_t period = 1; period <= nl || period <= nr; period++) {
    uint32_t behind = period <= nl ? s->right[nr + 1 + nl - period] : 0,
             before = period < nl ? s->left[period] : 0;
    if (behind && behind + before + 1 >= period)
      add_run(f, runs, found, lo, (finder_run){mid - period - before, mid + behind, period});
    behind = period < nr ? s->right[period] : 0;
    before = period <= nr ? s->left[nl + 1 + nr - period] : 0;
    if (before && behind + before + 1 >= period)
      add_run(f, runs, found, lo, (finder_run){mid - before, mid + period + behind, period});
  }
}

static void find_runs(const finder *f, finder_runs *runs, const finder_scratch *s, uint32_t lo,
                      uint32_t hi)
{
  if (hi - lo < 3)
    return;
  uint32_t mid = lo + (hi - lo) / 2;
  find_crossing(f, runs, s, lo, mid, hi);
  find_runs(f, runs, s, lo, mid);
  find_runs(f, runs, s, mid, hi);
}

static int by_saving(const void *a, const void *b)
{
  const finder_run *x = a, *y = b;
  int64_t left = saved_by(x->end - x->begin, x->period),
          right = saved_by(y->end - y->begin, y->period);
  if (left != right)
    return left > right ? -1 : 1;
  if (x->begin != y->begin)
    return x->begin < y->begin ? -1 : 1;
  return x->period < y->period ? -1 : x->period > y->period;
}

/* A loop begins where `rounds` is not 0, of so many items; all that it plays are `covered`. */
typedef struct finder_place {
  uint32_t rounds, period;
  bool covered;
} finder_place;

/* Loops where a run is not covered yet. */
static void take_run(finder_place *places, uint32_t lo, const finder_run *r)
{
  for (uint32_t begin = r->begin - lo, end; begin < r->end - lo; begin = end + 1) {
    for (end = begin; end < r->end - lo && !places[end].covered; end++)
      ;
    if (end - begin < 2 * r->period || saved_by(end - begin, r->period) < SAVED_LEAST)
      continue;
    places[begin].rounds = (end - begin) / r->period;
    places[begin].period = r->period;
    for (uint32_t i = 0; i < places[begin].rounds * r->period; i++)
      places[begin + i].covered = true;
  }
}

static void describe(finder *f, uint32_t lo, uint32_t hi, uint32_t depth);

static void describe_loop(finder *f, uint32_t at, const finder_place *place, uint32_t depth)
{
  size_t loop = f->out.loops.count;
  uint32_t first = (uint32_t)f->out.items.count;
  bool counted = false;
  for (uint32_t i = at; i < at + place->period; i++)
    counted |= f->items[i].micro_batch != TS_IR_NONE;
  TS_PUSH(f->arena, &f->out.loops,
          (ts_ir_loop){.first_item = first,
                       .rounds = place->rounds,
                       .step = counted ? f->batch[at + place->period] - f->batch[at] : 1});
  describe(f, at, at + place->period, depth + 1);
  f->out.loops.at[loop].item_count = (uint32_t)f->out.items.count - first;
}

static void describe(finder *f, uint32_t lo, uint32_t hi, uint32_t depth)
{
  uint32_t count = hi - lo;
  finder_runs runs = {0};
  finder_place *places = TS_NEW_ARRAY(f->arena, finder_place, count + 1);
  if (depth < TS_IR_LOOP_DEPTH) {
    uint32_t *scratch = TS_NEW_ARRAY(f->arena, uint32_t, 6 * (size_t)count + 3);
    find_runs(
      f, &runs,
      &(finder_scratch){scratch, scratch + 2 * (size_t)count + 1, scratch + 4 * (size_t)count + 2},
      lo, hi);
  }
  TS_SORT(&runs, by_saving);
  for (size_t i = 0; i < runs.count; i++)
    take_run(places, lo, &runs.at[i]);
  for (uint32_t i = lo; i < hi;) {
    const finder_place *place = &places[i - lo];
    if (place->rounds)
      describe_loop(f, i, place, depth);
    else
      TS_PUSH(f->arena, &f->out.items, f->first + i);
    i += place->rounds ? place->rounds * place->period : 1;
  }
}

ts_ir_packed ts_ir_find_loops(ts_arena *arena, const ts_ir *ir, uint32_t first, uint32_t count)
{
  finder f = {.arena = arena, .ir = ir, .items = count ? ir->items + first : NULL, .first = first};
  make_words(&f, count);
  describe(&f, 0, count, 0);
  return f.out;
}
