/* What memory makes of a bound. Only so many micro-batches can be in flight on a rank, and each
 * stays for a time: from its F along the forwards to the last stage and back along the backwards to
 * its gradients (Qi et al., "Pipeline Parallelism with Controllable Memory", arXiv 2405.15362, call
 * it the lifespan). So ranks wait while the pipeline fills and drains, and where little fits, in
 * between. */
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "runtime/pipeline/bound.h"
#include "runtime/pipeline/in_flight.h"

enum { ROUNDS = 400 };
enum { UNTIL = 2 }; /* flights end with the gradient that leaves, or with W */

/* The flights of a rank, up to the end of one kind of item. */
typedef struct flights {
  bool is;
  uint32_t *open, *close; /* [chunks] letters */
  bool *reach;            /* [chunks * chunks] as in_flight.h: an opening item, a closing one */
  bool *open_before, *close_before;
  double spans; /* of all, ps */
  ts_flights ahead, back;
} flights;

struct ts_pipeline_memory {
  ts_bounder *b;
  ts_bounder alone; /* of one micro-batch, nothing else in the way */
  double *area;     /* [ranks] byte-picoseconds that its work holds at least; negative: unknown */
  flights *at;      /* [ranks * UNTIL] */
};

static bool reached(const ts_bounder *b, uint32_t item)
{
  return b->end[item] > TS_PIPELINE_NEVER / 2;
}

static int64_t busy_of(const ts_pipeline *p, uint32_t item)
{
  return p->maps[p->items[item].map].busy;
}

/* The time of its rank that it takes at least, beside what it may be played with. */
static int64_t load_of(const ts_bounder *b, uint32_t item)
{
  int64_t load = busy_of(b->p, item) - b->hidden[b->p->items[item].map];
  return load > 0 ? load : 0;
}

/* Of the rank of letter `of`, on its stage. */
static uint32_t sibling(const ts_pipeline *p, uint32_t of, const char *kinds)
{
  uint32_t rank = p->letters[of].rank;
  for (uint32_t k = p->own_first[rank]; k < p->own_first[rank + 1]; k++)
    if (p->letters[p->own[k]].stage == p->letters[of].stage &&
        strchr(kinds, p->letters[p->own[k]].kind))
      return p->own[k];
  return TS_PIPELINE_NONE;
}

/* From the end of an item to the end of every item of its micro-batch, of others nothing. */
static void memory_bound_follow(ts_bounder *b, uint32_t from, const uint32_t *order, uint32_t count)
{
  const ts_pipeline *p = b->p;
  uint32_t m = p->micro_batches;
  for (uint32_t k = 0; k < count; k++) {
    uint32_t i = order[k];
    const ts_pipeline_letter *letter = &p->letters[i / m];
    int64_t free = TS_PIPELINE_NEVER;
    for (int j = 0; j < 2; j++)
      if (letter->needs[j] != TS_PIPELINE_NONE)
        free = ts_pipeline_later(free, b->end[letter->needs[j] * m + i % m]);
    if (i != from) {
      ts_bound_forward(b, i, free);
      continue;
    }
    const ts_pipeline_item *item = &p->items[i];
    const ts_pipeline_map *map = &p->maps[item->map];
    b->end[i] = 0;
    for (uint32_t o = 0; o < map->outs; o++)
      b->arrived[item->first_out + o] = p->after[map->after + o];
  }
}

/* Byte-picoseconds of a micro-batch on a stage, its F followed. While an item runs, its rank has
 * room for the most that it holds. Negative: more is let go of than was held. */
static double area_of(const ts_bounder *b, uint32_t f)
{
  static const char *const kinds[] = {"I", "B", "W"};
  const ts_pipeline *p = b->p;
  uint32_t m = p->micro_batches;
  double held = (double)p->items[f].net, area = (double)p->items[f].rise * (double)busy_of(p, f);
  int64_t since = 0;
  for (int kind = 0; kind < 3; kind++) {
    uint32_t letter = sibling(p, f / m, kinds[kind]), i = letter * m + f % m;
    if (letter == TS_PIPELINE_NONE)
      continue;
    int64_t busy = busy_of(p, i);
    if (held < 0 || !reached(b, i))
      return -1;
    area += held * (double)(b->end[i] - busy - since);
    area += (held + (double)p->items[i].rise) * (double)busy;
    held += (double)p->items[i].net;
    since = b->end[i];
  }
  return held < 0 ? -1 : area;
}

/* ---- Flights ---- */

/* Bytes that a flight holds from its F until its closing item, at the least; 0: what follows lets
 * go of more. */
static int64_t weight_of(const ts_pipeline *p, uint32_t open, uint32_t close, uint32_t n)
{
  static const char *const kinds[] = {"I", "B", "W"};
  uint32_t m = p->micro_batches;
  int64_t held = p->items[open * m + n].net, min = held;
  bool closed = false;
  for (int kind = 0; kind < 3; kind++) {
    uint32_t letter = sibling(p, open, kinds[kind]);
    if (letter == TS_PIPELINE_NONE)
      continue;
    if (!closed && held < min)
      min = held;
    held += p->items[letter * m + n].net;
    closed |= letter == close;
    if (held < 0)
      return 0;
  }
  return min > 0 ? min : 0;
}

/* The most flights at a time. 0: memory says nothing of it. */
static uint32_t most_in_flight(ts_arena *scratch, const ts_pipeline *p, uint32_t rank,
                               const flights *f)
{
  uint32_t m = p->micro_batches, count = f->ahead.chunks * m, most = 1;
  int64_t *weight = TS_NEW_ARRAY(scratch, int64_t, count + 1), held = TS_PIPELINE_LATE;
  for (uint32_t k = 0; k < count; k++) {
    weight[k] = weight_of(p, f->open[k / m], f->close[k / m], k % m);
    int64_t rise = p->items[f->open[k / m] * m + k % m].rise;
    held = rise < held ? rise : held;
    if (weight[k] <= 0)
      return 0;
  }
  qsort(weight, count, sizeof *weight, ts_by_i64);
  for (; most < count && held + weight[most - 1] <= p->room[rank]; most++)
    held += weight[most - 1];
  return most;
}

static int64_t min_load(const ts_bounder *b, const uint32_t *letters, uint32_t chunks)
{
  const ts_pipeline *p = b->p;
  int64_t min = TS_PIPELINE_LATE;
  for (uint32_t c = 0; c < chunks; c++)
    for (uint32_t n = 0; n < p->micro_batches; n++) {
      int64_t busy = load_of(b, letters[c] * p->micro_batches + n);
      min = busy < min ? busy : min;
    }
  return min;
}

/* Of all items of a flight. */
static int64_t min_work(const ts_bounder *b, const uint32_t *open, uint32_t chunks, bool with_w)
{
  const ts_pipeline *p = b->p;
  int64_t min = TS_PIPELINE_LATE;
  for (uint32_t c = 0; c < chunks; c++)
    for (uint32_t n = 0; n < p->micro_batches; n++) {
      uint32_t m = p->micro_batches, gradient = sibling(p, open[c], "IB"),
               w = with_w ? sibling(p, open[c], "W") : TS_PIPELINE_NONE;
      int64_t busy = load_of(b, open[c] * m + n) + load_of(b, gradient * m + n) +
                     (w == TS_PIPELINE_NONE ? 0 : load_of(b, w * m + n));
      min = busy < min ? busy : min;
    }
  return min;
}

static void open_flights(ts_pipeline_memory *h, uint32_t rank, bool until_w)
{
  const ts_pipeline *p = h->b->p;
  ts_arena *scratch = h->b->scratch;
  flights *f = &h->at[rank * UNTIL + until_w];
  uint32_t own = p->own_first[rank + 1] - p->own_first[rank], chunks = 0;
  f->open = TS_NEW_ARRAY(scratch, uint32_t, own + 1);
  f->close = TS_NEW_ARRAY(scratch, uint32_t, own + 1);
  for (uint32_t k = p->own_first[rank]; k < p->own_first[rank + 1]; k++) {
    if (p->letters[p->own[k]].kind != 'F')
      continue;
    f->open[chunks] = p->own[k];
    f->close[chunks] = sibling(p, p->own[k], until_w ? "W" : "IB");
    if (f->close[chunks++] == TS_PIPELINE_NONE)
      return;
  }
  uint32_t count = chunks * p->micro_batches;
  f->ahead = (ts_flights){.chunks = chunks, .micro_batches = p->micro_batches};
  f->ahead.most = chunks ? most_in_flight(scratch, p, rank, f) : 0;
  /* of a pair, one may begin while the other lets go of its memory */
  f->ahead.most += f->ahead.most && h->b->joined;
  if (!f->ahead.most || f->ahead.most >= count)
    return;
  f->is = true;
  f->reach = TS_NEW_ARRAY(scratch, bool, chunks *chunks);
  f->open_before = TS_NEW_ARRAY(scratch, bool, chunks *chunks);
  f->close_before = TS_NEW_ARRAY(scratch, bool, chunks *chunks);
  for (uint32_t k = 0; k < chunks * chunks; k++)
    f->reach[k] = f->open_before[k] = f->close_before[k] = true;
  f->ahead.open_busy = min_load(h->b, f->open, chunks);
  f->ahead.close_busy = min_load(h->b, f->close, chunks);
  f->ahead.busy = min_work(h->b, f->open, chunks, until_w);
  f->ahead.span = TS_PIPELINE_LATE;
}

/* Which items of the flights' kinds come after the one that was followed. */
static void memory_bound_note(const ts_bounder *alone, flights *f, uint32_t chunk, uint32_t n,
                              bool opening)
{
  const ts_pipeline *p = alone->p;
  uint32_t m = p->micro_batches, chunks = f->ahead.chunks;
  for (uint32_t c = 0; c < chunks; c++) {
    bool opens = reached(alone, f->open[c] * m + n), closes = reached(alone, f->close[c] * m + n);
    if (opening) {
      f->open_before[chunk * chunks + c] &= opens;
      f->reach[chunk * chunks + c] &= closes;
    } else {
      f->close_before[chunk * chunks + c] &= closes;
    }
  }
}

static int64_t span_of(const ts_bounder *alone, const flights *f, uint32_t chunk, uint32_t n)
{
  uint32_t m = alone->p->micro_batches, close = f->close[chunk] * m + n;
  return reached(alone, close) ? alone->end[close] + busy_of(alone->p, f->open[chunk] * m + n) : 0;
}

/* The chunk whose opening item all closing ones come after; of several, the last. */
static uint32_t find_needed(const ts_flights *f, const bool *reach, bool back)
{
  uint32_t best = f->chunks, most = 0;
  for (uint32_t c = 0; c < f->chunks; c++) {
    bool all = true;
    uint32_t before = 1;
    for (uint32_t d = 0; d < f->chunks; d++) {
      all &= back ? reach[d * f->chunks + c] : reach[c * f->chunks + d];
      before += f->open_before[d * f->chunks + c];
    }
    if (!all || before <= most)
      continue;
    most = before;
    best = c;
  }
  return best;
}

static const bool *turned(ts_arena *arena, const bool *matrix, uint32_t n)
{
  bool *t = TS_NEW_ARRAY(arena, bool, n *n);
  for (uint32_t k = 0; k < n * n; k++)
    t[k % n * n + k / n] = matrix[k];
  return t;
}

static void add_times(ts_arena *arena, ts_flights *f)
{
  uint32_t count = f->chunks * f->micro_batches;
  f->opens = TS_NEW_ARRAY(arena, int64_t, count);
  f->closes = TS_NEW_ARRAY(arena, int64_t, count);
  f->nth_open = TS_NEW_ARRAY(arena, int64_t, count);
  f->nth_close = TS_NEW_ARRAY(arena, int64_t, count);
}

static void close_flights(ts_arena *arena, flights *f)
{
  ts_flights *ahead = &f->ahead, *back = &f->back;
  ahead->open_before = f->open_before;
  ahead->close_before = f->close_before;
  *back = *ahead;
  back->open_busy = ahead->close_busy;
  back->close_busy = ahead->open_busy;
  back->open_before = turned(arena, f->close_before, ahead->chunks);
  back->close_before = turned(arena, f->open_before, ahead->chunks);
  ahead->needed = find_needed(ahead, f->reach, false);
  back->needed = find_needed(back, f->reach, true);
  add_times(arena, ahead);
  add_times(arena, back);
}

/* ---- One micro-batch alone ---- */

static bool like_the_last(const ts_pipeline *p, uint32_t n)
{
  for (uint32_t l = 0; l < p->letter_count; l++) {
    const ts_pipeline_item *a = &p->items[l * p->micro_batches + n], *b = a - 1;
    if (a->map != b->map || a->net != b->net || a->rise != b->rise)
      return false;
  }
  return true;
}

static uint32_t order_of(const ts_bounder *b, uint32_t n, uint32_t *order)
{
  const ts_pipeline *p = b->p;
  uint32_t count = 0;
  for (uint32_t k = 0; k < p->letter_count * p->micro_batches; k++)
    if (b->order[k] % p->micro_batches == n)
      order[count++] = b->order[k];
  return count;
}

/* Areas and spans of every flight; those of a micro-batch like the last are the last's. */
static void memory_bound_measure(ts_pipeline_memory *h)
{
  const ts_pipeline *p = h->b->p;
  uint32_t m = p->micro_batches, count = 0;
  uint32_t *order = TS_NEW_ARRAY(h->b->scratch, uint32_t, p->letter_count + 1);
  double *area = TS_NEW_ARRAY(h->b->scratch, double, p->letter_count + 1);
  int64_t *span = TS_NEW_ARRAY(h->b->scratch, int64_t, p->letter_count * UNTIL + 1);
  for (uint32_t n = 0; n < m; n++) {
    bool again = n && like_the_last(p, n);
    count = again ? count : order_of(h->b, n, order);
    for (uint32_t l = 0, chunk = 0; l < p->letter_count; l++) {
      uint32_t rank = p->letters[l].rank;
      chunk = l && p->letters[l - 1].rank == rank ? chunk : 0;
      if (p->letters[l].kind != 'F')
        continue;
      if (!again) {
        memory_bound_follow(&h->alone, l * m + n, order, count);
        area[l] = area_of(&h->alone, l * m + n);
      }
      h->area[rank] = area[l] < 0 || h->area[rank] < 0 ? -1 : h->area[rank] + area[l];
      for (uint32_t until = 0; until < UNTIL; until++) {
        flights *f = &h->at[rank * UNTIL + until];
        int64_t *s = &span[l * UNTIL + until];
        if (!f->is)
          continue;
        if (!again) {
          *s = span_of(&h->alone, f, chunk, n);
          memory_bound_note(&h->alone, f, chunk, n, true);
        }
        f->ahead.span = *s < f->ahead.span ? *s : f->ahead.span;
        f->spans += (double)*s;
      }
      chunk++;
    }
    for (uint32_t k = 0; k < p->ranks * UNTIL && !again; k++)
      for (uint32_t c = 0; h->at[k].is && c < h->at[k].ahead.chunks; c++) {
        memory_bound_follow(&h->alone, h->at[k].close[c] * m + n, order, count);
        memory_bound_note(&h->alone, &h->at[k], c, n, false);
      }
  }
}

/* ---- Raising ---- */

static bool raise_to(int64_t *min, int64_t now, int64_t value)
{
  if (value <= now || value <= *min)
    return false;
  *min = value;
  return true;
}

static bool raise_ahead(ts_bounder *b, flights *f)
{
  const ts_pipeline *p = b->p;
  uint32_t m = p->micro_batches, count = f->ahead.chunks * m;
  bool raised = false;
  for (uint32_t k = 0; k < count; k++) {
    uint32_t open = f->open[k / m] * m + k % m;
    f->ahead.opens[k] = b->end[open] - busy_of(p, open);
    f->ahead.closes[k] = b->end[f->close[k / m] * m + k % m];
  }
  ts_flights_raise(&f->ahead);
  for (uint32_t k = 0; k < count; k++) {
    uint32_t open = f->open[k / m] * m + k % m, close = f->close[k / m] * m + k % m;
    raised |= raise_to(&b->end_bound[open], b->end[open], f->ahead.opens[k] + busy_of(p, open));
    raised |= raise_to(&b->end_bound[close], b->end[close], f->ahead.closes[k]);
  }
  return raised;
}

static bool raise_back(ts_bounder *b, flights *f)
{
  const ts_pipeline *p = b->p;
  uint32_t m = p->micro_batches, count = f->back.chunks * m;
  bool raised = false;
  for (uint32_t k = 0; k < count; k++) {
    uint32_t n = m - 1 - k % m, open = f->open[k / m] * m + n;
    f->back.opens[k] = b->tail[f->close[k / m] * m + n];
    f->back.closes[k] = b->tail[open] + busy_of(p, open);
  }
  ts_flights_raise(&f->back);
  for (uint32_t k = 0; k < count; k++) {
    uint32_t n = m - 1 - k % m, open = f->open[k / m] * m + n, close = f->close[k / m] * m + n;
    raised |= raise_to(&b->tail_bound[close], b->tail[close], f->back.opens[k]);
    raised |= raise_to(&b->tail_bound[open], b->tail[open], f->back.closes[k] - busy_of(p, open));
  }
  return raised;
}

ts_pipeline_memory *ts_pipeline_memory_new(ts_bounder *b)
{
  const ts_pipeline *p = b->p;
  uint32_t size = p->letter_count * p->micro_batches;
  ts_pipeline_memory *h = TS_NEW(b->scratch, ts_pipeline_memory);
  *h = (ts_pipeline_memory){.b = b,
                            .alone = *b,
                            .area = TS_NEW_ARRAY(b->scratch, double, p->ranks + 1),
                            .at = TS_NEW_ARRAY(b->scratch, flights, p->ranks * UNTIL + 1)};
  h->alone.end = TS_NEW_ARRAY(b->scratch, int64_t, size + 1);
  h->alone.arrived = TS_NEW_ARRAY(b->scratch, int64_t, p->message_count + 1);
  for (uint32_t k = 0; k < p->ranks * UNTIL; k++)
    open_flights(h, k / UNTIL, k % UNTIL);
  memory_bound_measure(h);
  for (uint32_t k = 0; k < p->ranks * UNTIL; k++)
    if (h->at[k].is)
      close_flights(b->scratch, &h->at[k]);
  bool ahead = true, back = true;
  for (int round = 0; round < ROUNDS && (ahead || back); round++) {
    bool go_ahead = ahead, go_back = back;
    ahead = back = false;
    for (uint32_t k = 0; k < p->ranks * UNTIL; k++) {
      ahead |= h->at[k].is && go_ahead && raise_ahead(b, &h->at[k]);
      back |= h->at[k].is && go_back && raise_back(b, &h->at[k]);
    }
    if (ahead)
      ts_bound_ends(b);
    if (back)
      ts_bound_tails(b);
  }
  return h;
}

/* ---- Bounds ---- */

static bool is_one_of(const uint32_t *letters, uint32_t count, uint32_t letter)
{
  for (uint32_t k = 0; k < count; k++)
    if (letters[k] == letter)
      return true;
  return false;
}

/* The n-th that opens and the n-th that closes are work whatever micro-batch they are; what an item
 * takes more than the shortest of its kind is work by itself. */
static int64_t jobs_of(const ts_bounder *b, uint32_t rank, const flights *f)
{
  const ts_pipeline *p = b->p;
  uint32_t m = p->micro_batches, flown = f->ahead.chunks * m, count = 0;
  ts_bound_job *jobs =
    TS_NEW_ARRAY(b->scratch, ts_bound_job, 2 * flown + p->first[rank + 1] - p->first[rank] + 1);
  int64_t open_busy = f->ahead.open_busy, close_busy = f->ahead.close_busy;
  for (uint32_t n = 0; n < flown; n++) {
    uint32_t left = flown - 1 - n;
    jobs[count++] =
      (ts_bound_job){f->ahead.nth_open[n], open_busy, f->back.nth_close[left] - open_busy};
    jobs[count++] =
      (ts_bound_job){f->ahead.nth_close[n] - close_busy, close_busy, f->back.nth_open[left]};
  }
  for (uint32_t k = p->own_first[rank]; k < p->own_first[rank + 1]; k++) {
    int64_t less = is_one_of(f->open, f->ahead.chunks, p->own[k])  ? open_busy :
                   is_one_of(f->close, f->ahead.chunks, p->own[k]) ? close_busy :
                                                                     0;
    for (uint32_t i = p->own[k] * m; i < (p->own[k] + 1) * m; i++) {
      int64_t load = load_of(b, i);
      if (load > less)
        jobs[count++] = (ts_bound_job){b->end[i] - busy_of(p, i), load - less, b->tail[i]};
    }
  }
  return ts_bound_jobs(b->scratch, jobs, count);
}

/* As many as may be in flight, times the step, is no less than the time that all are, and what is
 * empty while the pipeline fills and drains. That these two do not overlap, or the step is as long
 * as both. Rounded down: sums in floating point. */
static int64_t spans_bound(const flights *f)
{
  uint32_t most = f->ahead.most;
  double sum = f->spans;
  int64_t both = f->ahead.nth_open[most - 1] + f->back.nth_open[most - 1];
  for (uint32_t n = 0; n < most; n++)
    sum += (double)f->ahead.nth_open[n] + (double)f->back.nth_open[n];
  double step = sum / (double)most * (1 - 1e-9);
  return step < (double)both ? (int64_t)step : both;
}

int64_t ts_pipeline_memory_jobs(ts_pipeline_memory *h, uint32_t rank)
{
  int64_t best = 0;
  for (uint32_t until = 0; until < UNTIL; until++)
    if (h->at[rank * UNTIL + until].is)
      best = ts_pipeline_later(best, jobs_of(h->b, rank, &h->at[rank * UNTIL + until]));
  return best;
}

/* Between the first item of a rank and its last. */
static int64_t area_bound(const ts_pipeline_memory *h, uint32_t rank)
{
  const ts_bounder *b = h->b;
  const ts_pipeline *p = b->p;
  int64_t head = TS_PIPELINE_LATE, tail = TS_PIPELINE_LATE;
  uint32_t m = p->micro_batches;
  for (uint32_t k = p->own_first[rank]; k < p->own_first[rank + 1]; k++)
    for (uint32_t i = p->own[k] * m; i < (p->own[k] + 1) * m; i++) {
      int64_t begin = b->end[i] - busy_of(p, i);
      head = begin < head ? begin : head;
      tail = b->tail[i] < tail ? b->tail[i] : tail;
    }
  if (p->room[rank] <= 0 || h->area[rank] < 0 || b->joined) /* pairs hold less than their parts */
    return 0;
  return (int64_t)(((double)(head + tail) + h->area[rank] / (double)p->room[rank]) * (1 - 1e-9));
}

int64_t ts_pipeline_memory_step(ts_pipeline_memory *h, uint32_t rank)
{
  int64_t best = area_bound(h, rank);
  for (uint32_t until = 0; until < UNTIL; until++)
    if (h->at[rank * UNTIL + until].is)
      best = ts_pipeline_later(best, spans_bound(&h->at[rank * UNTIL + until]));
  return best;
}
