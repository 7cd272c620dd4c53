/* List scheduling. Every rank, whenever it is free, begins the work it prefers among all that may
 * begin; limits keep work back. Deterministic: of equal choices the lower rank decides first; a
 * rank takes the preferred item, then the one listed first, then the one whose input came first,
 * then the lower micro-batch, then the deeper stage. */
#include "compiler/schedule/policy.h"

typedef struct candidate {
  uint32_t choice, chunk, micro_batch, stage;
  uint64_t ready;
  double key;
} candidate;

typedef struct list_listing {
  ts_attempt *a;
  candidate *candidates; /* of the rank at hand */
  /* a tournament of the ranks, by when they decide: the winner below each node; leaves are the
   * ranks, from `leaves` on */
  uint32_t *first;
  uint32_t leaves;
} list_listing;

static bool better(const candidate *x, const candidate *y)
{
  if (x->key != y->key)
    return x->key < y->key;
  if (x->choice != y->choice)
    return x->choice < y->choice;
  if (x->ready != y->ready)
    return x->ready < y->ready;
  return x->micro_batch != y->micro_batch ? x->micro_batch < y->micro_batch : x->stage > y->stage;
}

/* Where a rank's memory leaves no room for more, and a W can make some, W alone is left. */
static uint32_t weights_first(const ts_attempt *a, uint32_t rank, candidate *list, uint32_t n)
{
  const ts_preference *preferences = a->policy[rank].preferences.at;
  bool weights = false;
  uint32_t left = 0;
  for (uint32_t i = 0; i < n; i++)
    weights = weights || preferences[list[i].choice].kind == TS_WEIGHT_GRADIENT;
  for (uint32_t i = 0; i < n; i++) {
    ts_work_kind kind = preferences[list[i].choice].kind;
    if (!weights || kind == TS_WEIGHT_GRADIENT || kind == TS_FORWARD ||
        !ts_policy_needs_room(a, rank, kind, list[i].stage))
      list[left++] = list[i];
  }
  return left;
}

static uint32_t candidates(list_listing *l, uint32_t rank)
{
  ts_attempt *a = l->a;
  const ts_schedule *sc = a->b->sc;
  const ts_rank_policy *p = &a->policy[rank];
  uint32_t n = 0;
  for (uint32_t k = 0; k < p->preferences.count; k++)
    for (uint32_t c = 0; c < sc->chunks; c++) {
      candidate x = {.choice = k,
                     .chunk = c,
                     .micro_batch = a->rank[rank].next[k * sc->chunks + c],
                     .stage = sc->stage_of[rank * sc->chunks + c]};
      if (x.micro_batch == sc->micro_batches)
        continue;
      x.ready = ts_policy_ready(a, p->preferences.at[k].kind, x.stage, x.micro_batch);
      if (x.ready == TS_NEVER || (p->preferences.at[k].kind == TS_FORWARD &&
                                  ts_policy_held_back(a, rank, c, x.micro_batch)))
        continue;
      x.key = ts_policy_key(a, rank, k, c, x.micro_batch);
      l->candidates[n++] = x;
    }
  return weights_first(a, rank, l->candidates, n);
}

/* The best of what may begin by `now`; then, if that would keep something better waiting for too
 * long, the time at which that comes. */
static const candidate *list_choose(const list_listing *l, uint32_t rank, uint32_t n, uint64_t *now)
{
  const ts_attempt *a = l->a;
  const candidate *list = l->candidates;
  for (;;) {
    const candidate *best = NULL;
    for (uint32_t i = 0; i < n; i++)
      if (list[i].ready <= *now && (!best || better(&list[i], best)))
        best = &list[i];
    ts_work_kind kind = a->policy[rank].preferences.at[best->choice].kind;
    const ts_allowance *delay = &a->policy[rank].delay[kind];
    double time = (double)ts_policy_time(a, kind, best->stage, best->micro_batch),
           end = (double)*now + time - (delay->time + delay->share * time);
    uint64_t wait = TS_NEVER;
    for (uint32_t i = 0; i < n; i++)
      if (list[i].ready > *now && list[i].ready < wait && (double)list[i].ready < end &&
          list[i].key < best->key)
        wait = list[i].ready;
    if (wait == TS_NEVER)
      return best;
    *now = wait;
  }
}

static uint32_t earlier(const ts_attempt *a, uint32_t x, uint32_t y)
{
  if (x == TS_NO_INDEX || y == TS_NO_INDEX)
    return x == TS_NO_INDEX ? y : x;
  return a->rank[y].decide < a->rank[x].decide ||
             (a->rank[y].decide == a->rank[x].decide && y < x) ?
           y :
           x;
}

static void decide(list_listing *l, uint32_t rank)
{
  ts_attempt *a = l->a;
  ts_rank_state *r = &a->rank[rank];
  uint32_t n = r->left ? candidates(l, rank) : 0;
  uint64_t now = TS_NEVER;
  for (uint32_t i = 0; i < n; i++)
    now = l->candidates[i].ready < now ? l->candidates[i].ready : now;
  r->decide = TS_NEVER;
  if (now != TS_NEVER) {
    now = now > r->free ? now : r->free;
    const candidate *best = list_choose(l, rank, n, &now);
    r->decide = now;
    r->choice = best->choice;
    r->chunk = best->chunk;
  }
  for (uint32_t k = (l->leaves + rank) / 2; k; k /= 2)
    l->first[k] = earlier(a, l->first[2 * k], l->first[2 * k + 1]);
}

static void open_tournament(list_listing *l)
{
  const ts_schedule *sc = l->a->b->sc;
  for (l->leaves = 1; l->leaves < sc->ranks;)
    l->leaves *= 2;
  l->first = TS_NEW_ARRAY(l->a->arena, uint32_t, 2 * l->leaves);
  l->candidates = TS_NEW_ARRAY(l->a->arena, candidate, 3 * sc->chunks + 1);
  for (uint32_t k = 0; k < l->leaves; k++) {
    l->first[k] = TS_NO_INDEX;
    l->first[l->leaves + k] = k < sc->ranks ? k : TS_NO_INDEX;
  }
  for (uint32_t r = 0; r < sc->ranks; r++)
    l->a->rank[r].decide = TS_NEVER;
  for (uint32_t r = 0; r < sc->ranks; r++)
    decide(l, r);
}

/* Nobody can go on: because of a limit somewhere. */
static bool stop(ts_attempt *a)
{
  const ts_schedule *sc = a->b->sc;
  for (uint32_t rank = 0; rank < sc->ranks; rank++)
    for (uint32_t k = 0; k < a->policy[rank].preferences.count; k++)
      for (uint32_t c = 0; c < sc->chunks; c++) {
        uint32_t i = a->rank[rank].next[k * sc->chunks + c],
                 stage = sc->stage_of[rank * sc->chunks + c];
        if (a->policy[rank].preferences.at[k].kind != TS_FORWARD || i == sc->micro_batches ||
            ts_policy_ready(a, TS_FORWARD, stage, i) == TS_NEVER)
          continue;
        const ts_policy_limit *limit = ts_policy_held_back(a, rank, c, i);
        if (limit)
          return ts_policy_stops(a, limit, rank, stage, i);
      }
  return ts_policy_stops(a, NULL, 0, 0, 0);
}

bool ts_policy_list(ts_attempt *a)
{
  const ts_schedule *sc = a->b->sc;
  list_listing l = {.a = a};
  uint64_t left = 0;
  for (uint32_t r = 0; r < sc->ranks; r++)
    left += a->rank[r].left;
  open_tournament(&l);
  for (; left && !a->b->failed; left--) {
    uint32_t rank = sc->ranks > 1 ? l.first[1] : 0;
    ts_rank_state *r = &a->rank[rank];
    if (r->decide == TS_NEVER)
      return stop(a);
    const ts_preference *f = &a->policy[rank].preferences.at[r->choice];
    uint32_t *next = &r->next[r->choice * sc->chunks + r->chunk],
             stage = sc->stage_of[rank * sc->chunks + r->chunk], part = stage % sc->parts;
    ts_placed item = {.kind = f->kind,
                      .micro_batch = (*next)++,
                      .chunk = r->chunk,
                      .stage = stage,
                      .span = f->item->span};
    if (!ts_policy_put(a, rank, &item, r->decide))
      return false;
    decide(&l, rank);
    if (item.kind == TS_FORWARD && part + 1 < sc->parts)
      decide(&l, sc->rank_of[stage + 1]);
    else if (item.kind != TS_FORWARD && item.kind != TS_WEIGHT_GRADIENT && part)
      decide(&l, sc->rank_of[stage - 1]);
  }
  return !a->b->failed;
}
