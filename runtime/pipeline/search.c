/* The search for a short order: list scheduling from many beginnings, then local search from the
 * best of them.
 *
 * Local search moves one item of a rank's word to another place, most often one on the critical
 * path, for only such moves shorten a step (Nowicki and Smutnicki, Management Science 42, 1996); or
 * it swaps two neighbours wherever they meet in a stretch of the word, as the micro-batches of a
 * pipeline repeat. A move is kept if the order is not longer than the current one, or than the one
 * some moves ago (late acceptance: Burke and Bykov, EJOR 258, 2017). */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/order.h"
#include "runtime/pipeline/pipeline.h"

enum { KEPT = TS_PIPELINE_KEPT, CLIMBED = 6, HISTORY = 400 };
enum { LOOK = 256000 /* items that are timed between two looks at the clock */ };

/* What all who search know of each other. It changes nothing of what they find. */
typedef struct common {
  const ts_pipeline_search *how; /* of all together */
  double began_at;
  atomic_bool ended; /* nobody is to go on */
  atomic_uint_least64_t timed;
  atomic_int_least64_t best;
  pthread_mutex_t telling;
} common;

typedef struct searcher {
  const ts_pipeline *p;
  const ts_pipeline_search *how;
  ts_arena *arena;
  ts_pipeline_play *s;
  uint32_t size;
  uint64_t timed, reported, next_look, random;
  double began_at;
  bool stopped;
  uint32_t mergings; /* bits: those in which something is played as one, and the plain one */
  common *all;
  int64_t bound;
  ts_pipeline_order best[KEPT];
  uint32_t best_count;
  uint16_t *sequence, *trial;
  uint32_t *critical;
  uint32_t critical_count;
  uint32_t lacks_rank;
  int64_t lacks;
} searcher;

/* splitmix64 (Steele, Lea, Flood, OOPSLA 2014) */
static uint64_t search_draw(searcher *x)
{
  uint64_t z = x->random += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static uint32_t below(searcher *x, uint32_t n) { return n ? (uint32_t)(search_draw(x) % n) : 0; }

/* 1 and more, half as often each time */
static uint32_t some(searcher *x)
{
  uint64_t bits = search_draw(x);
  uint32_t n = 1;
  for (; bits & 1 && n < 24; bits >>= 1)
    n += n < 4 ? 1 : 3;
  return n;
}

static void search_tell(searcher *x)
{
  common *all = x->all;
  ts_pipeline_news news = {.timed = atomic_fetch_add(&all->timed, x->timed - x->reported)};
  news.timed += x->timed - x->reported;
  x->reported = x->timed;
  int64_t mine = x->best_count ? x->best[0].step : TS_PIPELINE_LATE;
  news.best = atomic_load(&all->best);
  while (mine < news.best && !atomic_compare_exchange_weak(&all->best, &news.best, mine))
    continue;
  news.best = mine < news.best ? mine : news.best;
  if (!all->how->go_on || pthread_mutex_trylock(&all->telling))
    return;
  double past = ts_clock() - all->began_at;
  news.share = (double)news.timed / (double)all->how->orders;
  if (all->how->seconds > 0 && past / all->how->seconds > news.share)
    news.share = past / all->how->seconds;
  news.share = news.share > 1 ? 1 : news.share;
  if (!all->how->go_on(all->how->closure, &news))
    atomic_store(&all->ended, true);
  pthread_mutex_unlock(&all->telling);
}

static bool goes_on(searcher *x)
{
  const ts_pipeline_search *how = x->how;
  if (x->stopped || x->timed >= how->orders)
    return false;
  if (x->timed < x->next_look)
    return true;
  search_tell(x);
  x->next_look = x->timed + LOOK / (x->size + 1) + 1;
  x->stopped = atomic_load(&x->all->ended) ||
               (how->seconds > 0 && ts_clock() - x->began_at >= how->seconds);
  return !x->stopped;
}

static int64_t search_time_of(searcher *x, const uint16_t *sequence)
{
  x->timed++;
  return ts_pipeline_time(x->s, sequence);
}

/* Whether the whole order may be. What it lacks is noted. */
static bool legal(searcher *x, const uint16_t *sequence)
{
  int64_t lacks = 0;
  uint32_t rank = 0;
  for (uint32_t r = 0; r < x->p->ranks; r++) {
    int64_t peak = 0;
    if (ts_pipeline_legal(x->s, sequence, r, x->p->room[r], &peak))
      continue;
    if (peak <= x->p->room[r]) /* not for its memory */
      return false;
    if (peak - x->p->room[r] > lacks) {
      lacks = peak - x->p->room[r];
      rank = r;
    }
  }
  if (lacks && lacks < x->lacks) {
    x->lacks = lacks;
    x->lacks_rank = rank;
  }
  return !lacks;
}

static void search_keep(searcher *x, const uint16_t *sequence, int64_t step, uint32_t began)
{
  ts_pipeline_merging merging = x->s->merging;
  uint32_t at = 0;
  while (at < x->best_count && x->best[at].step < step)
    at++;
  if (step >= TS_PIPELINE_LATE || at == KEPT || (at < x->best_count && x->best[at].step == step))
    return;
  uint16_t *room = x->best_count < KEPT ? TS_NEW_ARRAY(x->arena, uint16_t, x->size + 1) :
                                          x->best[KEPT - 1].sequence;
  x->best_count += x->best_count < KEPT;
  memmove(x->best + at + 1, x->best + at, (x->best_count - at - 1) * sizeof *x->best);
  memcpy(room, sequence, x->size * sizeof *room);
  x->best[at] = (ts_pipeline_order){step, began, merging, room};
}

static bool at_bound(const searcher *x) { return x->best_count && x->best[0].step <= x->bound; }

/* An order is kept as it is the shortest to play. */
static void keep_merged(searcher *x, const uint16_t *sequence, uint32_t began)
{
  int64_t min = TS_PIPELINE_LATE;
  ts_pipeline_merging best = TS_PIPELINE_SPLIT;
  for (int d = TS_PIPELINE_SPLIT; d < TS_PIPELINE_MERGINGS; d++) {
    x->s->merging = (ts_pipeline_merging)d;
    if (!(x->mergings >> d & 1) || (d && !legal(x, sequence)))
      continue;
    int64_t step = search_time_of(x, sequence);
    if (step >= min)
      continue;
    min = step;
    best = x->s->merging;
  }
  x->s->merging = best;
  if (min < TS_PIPELINE_LATE)
    search_keep(x, sequence, min, began);
  x->s->merging = TS_PIPELINE_SPLIT;
}

/* ---- Beginnings ---- */

static void list_all(searcher *x, const uint16_t *sequence, uint32_t began)
{
  static const double shares[] = {0.5, 0, 1};
  uint16_t *out = x->trial;
  for (uint32_t k = 0; k < 18 && goes_on(x) && !at_bound(x); k++) {
    ts_pipeline_rule rule = {.delay = {shares[k % 3], shares[(k / 9 + k) % 3], shares[k / 3 % 3]},
                             .ahead = x->p->letter_count / x->p->ranks * 8 + 16,
                             .predict = k / 9};
    x->timed++;
    if (ts_pipeline_list(x->s, &rule, sequence, out))
      keep_merged(x, out, began);
  }
}

static bool may_begin(searcher *x, const uint16_t *sequence)
{
  return legal(x, sequence) && ts_pipeline_time(x->s, sequence) < TS_PIPELINE_LATE;
}

static void begin_with(searcher *x, const uint16_t *sequence, uint32_t began)
{
  if (!may_begin(x, sequence))
    return;
  keep_merged(x, sequence, began);
  list_all(x, sequence, began);
}

/* All of them as they stand; then what lists make of them, for a part of the orders, so that many
 * beginnings leave enough to climb from them. */
static void begin_with_given(searcher *x, const uint16_t *const *words, uint32_t count)
{
  for (uint32_t k = 0; k < count && !at_bound(x); k++)
    if (may_begin(x, words[k]))
      keep_merged(x, words[k], k);
  for (uint32_t k = 0; k < count && x->timed < x->how->orders / 4 + 1 && !at_bound(x); k++)
    if (may_begin(x, words[k]))
      list_all(x, words[k], k);
}

/* Waves as near to each other as memory allows. */
static bool fit_wave(searcher *x, const int64_t *heads, ts_pipeline_wave wave)
{
  static const uint32_t apart[] = {12, 13, 14, 15, 16, 18, 21, 24, 30, 36, 48, 72, 144, 288};
  ts_arena *scratch = ts_arena_new("wave");
  bool fits = false;
  for (size_t k = 0; k < sizeof apart / sizeof *apart && !fits; k++) {
    wave.apart = apart[k];
    ts_pipeline_wave_word(scratch, x->p, heads, &wave, x->sequence);
    fits = legal(x, x->sequence);
    ts_arena_reset(scratch);
  }
  ts_arena_free(scratch);
  return fits;
}

static void begin_with_waves(searcher *x, uint32_t began)
{
  static const uint32_t slopes[] = {12, 24, 36, 18, 48, 72}, turns[] = {0, 4, 8}, lates[] = {0, 12};
  int64_t *heads = ts_pipeline_heads(x->arena, x->p);
  uint64_t most = x->timed + (x->how->orders < 4 ? 1 : x->how->orders / 4);
  for (uint32_t late = 0; late < 2; late++)
    for (uint32_t turn = 0; turn < 3; turn++)
      for (uint32_t k = 0; k < 36 && goes_on(x) && x->timed < most && !at_bound(x); k++) {
        ts_pipeline_wave wave = {slopes[k % 6], slopes[k / 6], turns[turn], lates[late], 12};
        if (fit_wave(x, heads, wave))
          begin_with(x, x->sequence, began);
      }
}

/* ---- Moves ---- */

static uint32_t rank_at(const ts_pipeline *p, uint32_t place)
{
  uint32_t at;
  TS_SEARCH(at, 1, p->ranks, p->first[at] <= place);
  return at - 1;
}

static void move(uint16_t *sequence, uint32_t from, uint32_t to)
{
  uint16_t letter = sequence[from];
  if (from < to)
    memmove(sequence + from, sequence + from + 1, (to - from) * sizeof *sequence);
  else
    memmove(sequence + to + 1, sequence + to, (from - to) * sizeof *sequence);
  sequence[to] = letter;
}

/* Where two letters meet in this order, they are swapped, from a place on for a while. */
static void swap_all(uint16_t *sequence, uint32_t from, uint32_t to, uint16_t a, uint16_t b)
{
  for (uint32_t k = from; k + 1 < to; k++)
    if (sequence[k] == a && sequence[k + 1] == b) {
      sequence[k] = b;
      sequence[k + 1] = a;
      k++;
    }
}

/* Changes `trial`; the rank whose word it was. */
static uint32_t search_change(searcher *x)
{
  const ts_pipeline *p = x->p;
  uint64_t kind = search_draw(x) % 16;
  uint32_t place =
    kind < 13 && x->critical_count ? x->critical[below(x, x->critical_count)] : below(x, x->size);
  uint32_t rank = rank_at(p, place), first = p->first[rank], end = p->first[rank + 1],
           far = some(x);
  uint32_t down = place - first < far ? first : place - far,
           up = end - 1 - place < far ? end - 1 : place + far;
  if (kind < 6) { /* it goes earlier */
    move(x->trial, place, down);
  } else if (kind < 10) { /* what is before it goes behind it */
    move(x->trial, down, place);
  } else if (kind < 14) {
    move(x->trial, place, up);
  } else if (place + 1 < end && x->trial[place] != x->trial[place + 1]) {
    uint32_t stretch = kind == 14 ? end - first : 8 * some(x);
    swap_all(x->trial, kind == 14 && search_draw(x) & 1 ? first : place,
             place + stretch < end ? place + stretch : end, x->trial[place], x->trial[place + 1]);
  }
  return rank;
}

/* What counts besides the step: ranks that end early, so that a move that leaves the step as it is
 * may still lead somewhere. */
static int64_t worth_of(const searcher *x, int64_t step)
{
  const ts_pipeline *p = x->p;
  int64_t sum = 0;
  for (uint32_t r = 0; r < p->ranks; r++)
    sum += x->s->clock[(size_t)r * p->clocks] / (50 * p->ranks);
  return step + sum;
}

static void find_critical(searcher *x)
{
  ts_pipeline_trace(x->s, x->sequence);
  x->critical_count = ts_pipeline_critical(x->s, x->sequence, x->critical);
}

/* `slack`: by how much moves may make the order longer at first. */
static void climb(searcher *x, const ts_pipeline_order *from, uint64_t orders, int64_t slack)
{
  int64_t history[HISTORY], now;
  uint64_t until = x->timed + orders, improved = x->timed;
  uint32_t began = from->began, since = 0;
  x->s->merging = from->merging;
  int64_t best = from->step;
  memcpy(x->sequence, from->sequence, x->size * sizeof *x->sequence);
  now = worth_of(x, search_time_of(x, x->sequence));
  for (int k = 0; k < HISTORY; k++)
    history[k] = now + slack;
  find_critical(x);
  memcpy(x->trial, x->sequence, x->size * sizeof *x->sequence);
  for (uint64_t k = 0; goes_on(x) && x->timed < until && !at_bound(x); k++) {
    uint32_t rank = search_change(x), first = x->p->first[rank],
             count = x->p->first[rank + 1] - x->p->first[rank];
    bool good = ts_pipeline_legal(x->s, x->trial, rank, x->p->room[rank], NULL);
    int64_t step = good ? search_time_of(x, x->trial) : TS_PIPELINE_LATE;
    x->timed += !good && k % 8 == 0; /* so that it ends where nothing is legal */
    int64_t worth = step < TS_PIPELINE_LATE ? worth_of(x, step) : 0;
    int64_t *late = &history[k % HISTORY];
    if (step >= TS_PIPELINE_LATE || (worth > now && worth > *late)) {
      memcpy(x->trial + first, x->sequence + first, count * sizeof *x->sequence);
      continue;
    }
    *late = worth < *late ? worth : *late;
    now = worth;
    memcpy(x->sequence + first, x->trial + first, count * sizeof *x->sequence);
    if (step < best) {
      best = step;
      improved = x->timed;
      search_keep(x, x->sequence, step, began);
    }
    if (++since >= 8) {
      since = 0;
      find_critical(x);
    }
    if (x->timed - improved > orders / 2 + 2000)
      break;
  }
}

/* ---- Several climbers ---- */

/* Each goes from an order of its own, with random numbers of its own, so that it does not matter
 * how many of them climb at a time. */
typedef struct climber {
  searcher x;
  ts_pipeline_order from;
  uint64_t orders;
  int64_t slack;
} climber;

typedef struct search_pool {
  climber *at;
  uint32_t count, next;
  pthread_mutex_t lock;
} search_pool;

static void climb_alone(climber *c)
{
  searcher *x = &c->x;
  climb(x, &c->from, c->orders, c->slack);
  x->s->merging = TS_PIPELINE_SPLIT;
  if (!x->best_count)
    return;
  memcpy(x->sequence, x->best[0].sequence, x->size * sizeof *x->sequence);
  list_all(x, x->sequence, x->best[0].began);
}

static void *search_work(void *closure)
{
  search_pool *w = closure;
  for (;;) {
    pthread_mutex_lock(&w->lock);
    uint32_t mine = w->next < w->count ? w->next++ : UINT32_MAX;
    pthread_mutex_unlock(&w->lock);
    if (mine == UINT32_MAX)
      return NULL;
    climb_alone(&w->at[mine]);
  }
}

static void climb_together(search_pool *w, uint32_t jobs)
{
  pthread_t threads[CLIMBED];
  uint32_t started = 0;
  while (started + 1 < jobs && started + 1 < w->count &&
         pthread_create(&threads[started], NULL, search_work, w) == 0)
    started++;
  search_work(w);
  while (started > 0)
    pthread_join(threads[--started], NULL);
}

/* One that only adds to another what never is there would be the same. */
static uint32_t mergings_of(const ts_pipeline *p)
{
  uint32_t mergings = 1u << TS_PIPELINE_SPLIT;
  for (uint32_t j = 0; j < p->merge_count; j++)
    if (p->merges[j].threshold < TS_PIPELINE_MERGINGS)
      mergings |= 1u << p->merges[j].threshold;
  return mergings;
}

static void open_searcher(searcher *x, ts_arena *arena, const ts_pipeline *p,
                          const ts_pipeline_search *how, int64_t bound, common *all)
{
  uint32_t size = ts_pipeline_size(p);
  *x = (searcher){.p = p,
                  .how = how,
                  .arena = arena,
                  .s = ts_pipeline_play_new(arena, p),
                  .size = size,
                  .random = how->seed,
                  .mergings = mergings_of(p),
                  .began_at = ts_clock(),
                  .bound = bound,
                  .all = all,
                  .sequence = TS_NEW_ARRAY(arena, uint16_t, size + 1),
                  .trial = TS_NEW_ARRAY(arena, uint16_t, size + 1),
                  .critical = TS_NEW_ARRAY(arena, uint32_t, size + 1),
                  .lacks = TS_PIPELINE_LATE};
}

/* What the climbers met; in turn, so that the answer is the same whoever came first. */
static void take_over(searcher *x, const search_pool *w)
{
  for (uint32_t k = 0; k < w->count; k++) {
    searcher *c = &w->at[k].x;
    x->timed += c->timed;
    for (uint32_t i = 0; i < c->best_count; i++) {
      x->s->merging = c->best[i].merging;
      search_keep(x, c->best[i].sequence, c->best[i].step, c->best[i].began);
    }
    x->reported += c->reported;
  }
}

/* From each of the best beginnings for a while; then, in turns, from the best and from others that
 * were met. */
static void climb_all(searcher *x)
{
  enum { ROUNDS = 3, FEWEST = 2000 /* orders for a climber */ };
  for (uint32_t round = 0; x->best_count && goes_on(x) && !at_bound(x); round++) {
    ts_arena *arenas[CLIMBED];
    climber climbers[CLIMBED];
    uint64_t left = x->how->orders - x->timed, few = left / FEWEST + 1,
             climb = few < CLIMBED ? few : CLIMBED,
             share = round + 1 < ROUNDS ? left / 2 / climb : left / climb;
    search_pool w = {.at = climbers, .lock = PTHREAD_MUTEX_INITIALIZER};
    ts_pipeline_search alone = *x->how;
    w.count = round || climb < x->best_count ? (uint32_t)climb : x->best_count;
    alone.orders = share + 1;
    if (alone.seconds > 0)
      alone.seconds = (x->how->seconds - (ts_clock() - x->began_at)) /
                      (round + 1 < ROUNDS ? 2 : 1);
    for (uint32_t k = 0; k < w.count; k++) {
      climber *c = &climbers[k];
      const ts_pipeline_order *from = &x->best[!round ? k :
                                               k % 2  ? (k / 2 + 1) % x->best_count :
                                                        0];
      arenas[k] = ts_arena_new("climber");
      open_searcher(&c->x, arenas[k], x->p, x->how, x->bound, x->all);
      c->x.how = ts_arena_copy(arenas[k], &alone, sizeof alone);
      c->x.random = x->how->seed + UINT64_C(0x9e3779b97f4a7c15) * (round * CLIMBED + k + 1);
      c->from = *from;
      c->from.sequence = ts_arena_copy(arenas[k], from->sequence, x->size * sizeof *x->sequence);
      c->orders = share;
      c->slack = from->step / 500 * ((round + k) % 4);
    }
    climb_together(&w, x->how->jobs);
    take_over(x, &w);
    for (uint32_t k = 0; k < w.count; k++)
      ts_arena_free(arenas[k]);
    if (share < CLIMBED)
      break;
  }
}

ts_pipeline_found ts_pipeline_improve(ts_arena *arena, const ts_pipeline *p,
                                      const uint16_t *const *begins, uint32_t begin_count,
                                      const ts_pipeline_bound *bound,
                                      const ts_pipeline_search *search)
{
  searcher x;
  common all = {.how = search,
                .began_at = ts_clock(),
                .best = TS_PIPELINE_LATE,
                .telling = PTHREAD_MUTEX_INITIALIZER};
  open_searcher(&x, arena, p, search, bound->step, &all);
  begin_with_given(&x, begins, begin_count);
  begin_with_waves(&x, begin_count);
  climb_all(&x);
  ts_pipeline_found found = {
    .count = x.best_count, .timed = x.timed, .rank = x.lacks_rank, .lacks = x.lacks};
  memcpy(found.best, x.best, sizeof found.best);
  return found;
}
