#include "runtime/account/representatives.h"

#include <string.h>

#include "runtime/load/workers.h"

typedef struct representatives_finder {
  const ts_facts *facts;
  uint32_t mask;     /* buckets - 1 */
  uint32_t *bucket;  /* [players] */
  uint32_t *first;   /* [buckets + 1] into players */
  uint32_t *players; /* [players] bucket by bucket, ascending in each */
  uint32_t *of;      /* [players] the result */
  uint32_t *next;    /* [players] player + 1: others first of their likes, in the same bucket */
} representatives_finder;

static bool representatives_same(const uint64_t *a, const uint64_t *b, uint64_t count)
{
  return !count || memcmp(a, b, count * sizeof *a) == 0;
}

/* Of items that were played alike the first has the events. */
static bool same_events(const ts_facts *f, const ts_player *x, const ts_player *y)
{
  const ts_play_item *v = x->program->items;
  uint32_t items = f->tables->ir->programs[x->role->program].item_count;
  if (!x->alike || !y->alike)
    return x->alike == y->alike &&
           representatives_same(x->events, y->events, x->program->event_count);
  if (!representatives_same(x->begun, y->begun, items) ||
      (items && memcmp(x->alike, y->alike, items * sizeof *x->alike) != 0))
    return false;
  for (uint32_t i = 0; i < items; i++, v++)
    if (x->alike[i] == i &&
        !representatives_same(x->events + v->event_base, y->events + v->event_base,
                              v[1].event_base - v->event_base))
      return false;
  return true;
}

static bool like(const ts_facts *f, uint32_t a, uint32_t b)
{
  const ts_player *x = &f->players[a], *y = &f->players[b];
  const ts_program_info *p = x->program;
  if (x->role != y->role || !representatives_same(x->segments, y->segments, p->segment_count) ||
      !representatives_same(x->arrived, y->arrived, p->slot_count) ||
      !representatives_same(x->sent, y->sent, p->slot_count) || !same_events(f, x, y) ||
      (x->took && !representatives_same(x->took, y->took, x->took_count)))
    return false;
  for (uint32_t c = 0; c < f->tables->comm_count; c++) {
    if (x->rendezvous[c] == y->rendezvous[c])
      continue;
    /* of one kind, both meet or neither */
    const ts_rendezvous *m = &f->fold->rendezvous[x->rendezvous[c]],
                        *n = &f->fold->rendezvous[y->rendezvous[c]];
    if (!representatives_same(f->starts + m->call_base, f->starts + n->call_base,
                              m->calls < n->calls ? m->calls : n->calls) ||
        m->calls != n->calls)
      return false;
  }
  return true;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
  return (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Times add up, so whoever differs somewhere mostly differs at the end: the last of each kind of
 * fact distinguishes players at little cost. */
static uint32_t bucket_of(const representatives_finder *f, uint32_t player)
{
  enum { LAST = 16 };
  const ts_player *w = &f->facts->players[player];
  const ts_program_info *p = w->program;
  uint64_t hash = mix(0, (uint64_t)(w->role - f->facts->roles->at));
  uint32_t items = f->facts->tables->ir->programs[w->role->program].item_count;
  for (uint32_t i = items > LAST ? items - LAST : 0; w->begun && i < items; i++)
    hash = mix(hash, w->begun[i]);
  for (uint32_t e = p->event_count > LAST ? p->event_count - LAST : 0;
       !w->begun && e < p->event_count; e++)
    hash = mix(hash, w->events[e]);
  for (uint32_t s = p->slot_count > LAST ? p->slot_count - LAST : 0; s < p->slot_count; s++)
    hash = mix(hash, w->arrived[s]);
  hash = mix(hash, w->segments[p->tail_segment]);
  return (uint32_t)(hash >> 32) & f->mask;
}

static void find_bucket(void *closure, uint32_t player, uint32_t worker)
{
  const representatives_finder *f = closure;
  (void)worker;
  f->bucket[player] = bucket_of(f, player);
}

static void sort_by_bucket(representatives_finder *f, uint32_t count)
{
  uint32_t *end = f->first + 1;
  for (uint32_t p = 0; p < count; p++)
    f->first[f->bucket[p] + 2]++;
  for (uint32_t b = 0; b <= f->mask; b++)
    end[b + 1] += end[b];
  for (uint32_t p = 0; p < count; p++)
    f->players[end[f->bucket[p]]++] = p;
}

/* Alike are none but those of one bucket. */
static void representatives_compare(void *closure, uint32_t bucket, uint32_t worker)
{
  const representatives_finder *f = closure;
  uint32_t firsts = 0; /* player + 1 */
  (void)worker;
  for (uint32_t i = f->first[bucket]; i < f->first[bucket + 1]; i++) {
    uint32_t p = f->players[i], other = firsts;
    while (other && !like(f->facts, other - 1, p))
      other = f->next[other - 1];
    f->of[p] = other ? other - 1 : p;
    if (!other) {
      f->next[p] = firsts;
      firsts = p + 1;
    }
  }
}

const uint32_t *ts_representatives(ts_arena *arena, const ts_facts *facts, uint32_t threads)
{
  uint32_t count = facts->fold->count, buckets = 1, workers = ts_workers_size(threads, count);
  ts_arena *scratch = ts_arena_new("representatives");
  while (buckets < count)
    buckets *= 2;
  representatives_finder f = {facts,
                              buckets - 1,
                              TS_NEW_ARRAY(scratch, uint32_t, count),
                              TS_NEW_ARRAY(scratch, uint32_t, buckets + 2),
                              TS_NEW_ARRAY(scratch, uint32_t, count),
                              TS_NEW_ARRAY(arena, uint32_t, count),
                              TS_NEW_ARRAY(scratch, uint32_t, count)};
  ts_workers_run(workers, &(ts_workers_job){.pieces = count, .work = find_bucket, .closure = &f});
  sort_by_bucket(&f, count);
  ts_workers_run(
    workers, &(ts_workers_job){.pieces = buckets, .work = representatives_compare, .closure = &f});
  ts_arena_free(scratch);
  return f.of;
}
