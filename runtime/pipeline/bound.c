/* No order is shorter than this. For each rank the work that it has is taken to be all that its
 * compute stream has to do, each item with the earliest time at which it can begin (its HEAD) and
 * the time that must follow it (its TAIL), both along what items wait for. The best order of such
 * work, if it may be interrupted, goes by the longest tail (Jackson, 1955; Carlier, EJOR 11, 1982);
 * its end is the bound.
 *
 * What a rank holds is a bound too: the bytes of each forward times how long they are held at the
 * least, summed up, do not go into less time than that over the room there is. */
#include <stdlib.h>
#include <string.h>

#include "runtime/pipeline/pipeline.h"

typedef struct bounder {
  const ts_pipeline *p;
  ts_arena *scratch;
  uint32_t *order;  /* items, each after those that it needs */
  int64_t *end;     /* [items] on the compute stream, at least */
  int64_t *arrived; /* [messages] at least */
  int64_t *tail;    /* [items] from that end, at least */
} bounder;

static inline int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* Items that need others of their own rank or messages come after these. */
static void sort_items(bounder *b)
{
  const ts_pipeline *p = b->p;
  uint32_t m = p->micro_batches, size = p->letter_count * m, done = 0, depth = 0;
  uint32_t *left = TS_NEW_ARRAY(b->scratch, uint32_t, size + 1),
           *stack = TS_NEW_ARRAY(b->scratch, uint32_t, size + 1);
  for (uint32_t i = size; i-- > 0;) {
    const ts_pipeline_letter *letter = &p->letters[i / m];
    left[i] = p->maps[p->items[i].map].ins + (i % m > 0);
    for (int k = 0; k < 2; k++)
      left[i] += letter->needs[k] != TS_PIPELINE_NONE;
    if (!left[i])
      stack[depth++] = i;
  }
  while (depth) {
    uint32_t i = stack[--depth], n = i % m;
    b->order[done++] = i;
    const ts_pipeline_item *item = &p->items[i];
    for (uint32_t k = 0; k < p->maps[item->map].outs; k++) {
      uint32_t to = p->receiver[item->first_out + k];
      if (to != TS_PIPELINE_NONE && !--left[to])
        stack[depth++] = to;
    }
    if (n + 1 < m && !--left[i + 1])
      stack[depth++] = i + 1;
    uint32_t rank = p->letters[i / m].rank;
    for (uint32_t k = p->own_first[rank]; k < p->own_first[rank + 1]; k++)
      for (int j = 0; j < 2; j++)
        if (p->letters[p->own[k]].needs[j] == i / m && !--left[p->own[k] * m + n])
          stack[depth++] = p->own[k] * m + n;
  }
}

/* What the item's end and messages are at least, when the compute stream is free at `free`. */
static void forward(bounder *b, uint32_t i, int64_t free)
{
  const ts_pipeline *p = b->p;
  const ts_pipeline_item *item = &p->items[i];
  const ts_pipeline_map *map = &p->maps[item->map];
  for (uint32_t r = 0; r < map->row_count; r++) {
    const ts_pipeline_row *row = &p->rows[map->first_row + r];
    if (row->out && row->out < p->clocks)
      continue;
    int64_t value = TS_PIPELINE_NEVER;
    for (uint32_t k = 0; k < row->term_count; k++) {
      const ts_pipeline_term *t = &p->terms[row->first_term + k];
      int64_t from = t->in >= p->clocks ? b->arrived[p->ins[item->first_in + t->in - p->clocks]] :
                     t->in == 0         ? free :
                                          TS_PIPELINE_NEVER;
      value = larger(value, from > TS_PIPELINE_NEVER / 2 ? from + t->time : TS_PIPELINE_NEVER);
    }
    if (row->out == 0)
      b->end[i] = value;
    else
      b->arrived[item->first_out + row->out - p->clocks] = value;
  }
}

static int64_t before(const bounder *b, uint32_t i)
{
  const ts_pipeline *p = b->p;
  uint32_t m = p->micro_batches;
  const ts_pipeline_letter *letter = &p->letters[i / m];
  int64_t free = i % m ? b->end[i - 1] : TS_PIPELINE_NEVER;
  for (int k = 0; k < 2; k++)
    if (letter->needs[k] != TS_PIPELINE_NONE)
      free = larger(free, b->end[letter->needs[k] * m + i % m]);
  return free;
}

static void find_ends(bounder *b)
{
  uint32_t size = b->p->letter_count * b->p->micro_batches;
  for (uint32_t k = 0; k < size; k++)
    forward(b, b->order[k], larger(before(b, b->order[k]), 0));
}

/* From the end of an item on the compute stream, through a message, to that of its receiver. */
static int64_t through(const ts_pipeline *p, const ts_pipeline_map *map, uint32_t out,
                       const ts_pipeline_item *to, uint32_t message)
{
  const ts_pipeline_map *other = &p->maps[to->map];
  const ts_pipeline_row *row = &p->rows[other->first_row];
  for (uint32_t k = 0; k < row->term_count; k++) {
    const ts_pipeline_term *t = &p->terms[row->first_term + k];
    if (t->in >= p->clocks && p->ins[to->first_in + t->in - p->clocks] == message)
      return p->after[map->after + out] + t->time;
  }
  return TS_PIPELINE_NEVER;
}

static void find_tails(bounder *b)
{
  const ts_pipeline *p = b->p;
  uint32_t m = p->micro_batches, size = p->letter_count * m;
  for (uint32_t i = 0; i < size; i++)
    b->tail[i] = TS_PIPELINE_NEVER;
  for (uint32_t at = size; at-- > 0;) {
    uint32_t i = b->order[at];
    const ts_pipeline_letter *letter = &p->letters[i / m];
    const ts_pipeline_item *item = &p->items[i];
    const ts_pipeline_map *map = &p->maps[item->map];
    int64_t tail = larger(b->tail[i], p->ends[letter->rank * p->clocks]);
    for (uint32_t k = 0; k < map->outs; k++) {
      uint32_t to = p->receiver[item->first_out + k];
      if (to == TS_PIPELINE_NONE)
        continue;
      int64_t way = through(p, map, k, &p->items[to], item->first_out + k);
      if (way > TS_PIPELINE_NEVER / 2)
        tail = larger(tail, way + b->tail[to]);
    }
    b->tail[i] = tail;
    int64_t with = tail + map->busy;
    if (i % m)
      b->tail[i - 1] = larger(b->tail[i - 1], with);
    for (int k = 0; k < 2; k++)
      if (letter->needs[k] != TS_PIPELINE_NONE) {
        int64_t *of = &b->tail[letter->needs[k] * m + i % m];
        *of = larger(*of, with);
      }
  }
}

/* ---- One rank ---- */

typedef struct job {
  int64_t head, left, tail;
} job;

static int by_head(const void *a, const void *b)
{
  const job *x = a, *y = b;
  return x->head != y->head ? (x->head > y->head) - (x->head < y->head) :
                              (x->tail < y->tail) - (x->tail > y->tail);
}

/* A heap of jobs, the longest tail on top. */
static void push(job **heap, uint32_t *count, job *j)
{
  uint32_t k = (*count)++;
  for (; k && heap[(k - 1) / 2]->tail < j->tail; k = (k - 1) / 2)
    heap[k] = heap[(k - 1) / 2];
  heap[k] = j;
}

static void pop(job **heap, uint32_t *count)
{
  job *j = heap[--*count];
  uint32_t k = 0;
  for (uint32_t c; (c = 2 * k + 1) < *count; k = c) {
    c += c + 1 < *count && heap[c + 1]->tail > heap[c]->tail;
    if (heap[c]->tail <= j->tail)
      break;
    heap[k] = heap[c];
  }
  heap[k] = j;
}

static int64_t jackson(ts_arena *scratch, job *jobs, uint32_t count)
{
  job **heap = TS_NEW_ARRAY(scratch, job *, count + 1);
  uint32_t waiting = 0, next = 0;
  int64_t now = 0, most = 0;
  qsort(jobs, count, sizeof *jobs, by_head);
  while (next < count || waiting) {
    if (!waiting)
      now = larger(now, jobs[next].head);
    for (; next < count && jobs[next].head <= now; next++)
      push(heap, &waiting, &jobs[next]);
    job *j = heap[0];
    int64_t until =
      next < count && jobs[next].head < now + j->left ? jobs[next].head : now + j->left;
    j->left -= until - now;
    now = until;
    if (!j->left) {
      most = larger(most, now + j->tail);
      pop(heap, &waiting);
    }
  }
  return most;
}

static int64_t work_of(const ts_pipeline *p, uint32_t rank)
{
  int64_t work = 0;
  for (uint32_t k = p->own_first[rank]; k < p->own_first[rank + 1]; k++)
    for (uint32_t n = 0; n < p->micro_batches; n++)
      work += p->maps[p->items[p->own[k] * p->micro_batches + n].map].busy;
  return work;
}

static int64_t rank_bound(const bounder *b, uint32_t rank)
{
  const ts_pipeline *p = b->p;
  uint32_t count = 0, m = p->micro_batches;
  job *jobs = TS_NEW_ARRAY(b->scratch, job, p->first[rank + 1] - p->first[rank] + 1);
  for (uint32_t k = p->own_first[rank]; k < p->own_first[rank + 1]; k++)
    for (uint32_t i = p->own[k] * m; i < (p->own[k] + 1) * m; i++) {
      int64_t busy = p->maps[p->items[i].map].busy;
      jobs[count++] = (job){b->end[i] - busy, busy, b->tail[i]};
    }
  return jackson(b->scratch, jobs, count);
}

/* ---- Memory ---- */

/* From the end of F to the end of every item of its micro-batch, of others nothing. */
static void follow(bounder *b, uint32_t f, const uint32_t *order, uint32_t count)
{
  const ts_pipeline *p = b->p;
  uint32_t m = p->micro_batches;
  for (uint32_t k = 0; k < count; k++) {
    uint32_t i = order[k];
    const ts_pipeline_letter *letter = &p->letters[i / m];
    int64_t free = TS_PIPELINE_NEVER;
    for (int j = 0; j < 2; j++)
      if (letter->needs[j] != TS_PIPELINE_NONE)
        free = larger(free, b->end[letter->needs[j] * m + i % m]);
    if (i != f) {
      forward(b, i, free);
      continue;
    }
    const ts_pipeline_item *item = &p->items[i];
    const ts_pipeline_map *map = &p->maps[item->map];
    b->end[i] = 0;
    for (uint32_t o = 0; o < map->outs; o++)
      b->arrived[item->first_out + o] = p->after[map->after + o];
  }
}

/* Byte-picoseconds that one micro-batch's forward on a stage takes at the least. */
static double held_by(bounder *b, uint32_t f, const uint32_t *order, uint32_t count)
{
  const ts_pipeline *p = b->p;
  uint32_t m = p->micro_batches, n = f % m, stage = p->letters[f / m].stage;
  uint32_t rank = p->letters[f / m].rank;
  const ts_pipeline_item *forward_item = &p->items[f];
  double held = (double)forward_item->net, area = 0;
  int64_t since = 0;
  follow(b, f, order, count);
  static const char kinds[] = "IBW";
  for (int kind = 0; kind < 3; kind++)
    for (uint32_t k = p->own_first[rank]; k < p->own_first[rank + 1]; k++) {
      const ts_pipeline_letter *letter = &p->letters[p->own[k]];
      if (letter->stage != stage || letter->kind != kinds[kind])
        continue;
      uint32_t i = p->own[k] * m + n;
      const ts_pipeline_item *item = &p->items[i];
      int64_t busy = p->maps[item->map].busy;
      if (b->end[i] < TS_PIPELINE_NEVER / 2)
        return 0;
      area += held * (double)(b->end[i] - busy - since);
      area += (held + (double)item->dip) * (double)busy;
      held += (double)item->net;
      since = b->end[i];
    }
  return area > 0 ? area : 0;
}

/* [ranks] byte-picoseconds. */
static double *areas(bounder *b)
{
  const ts_pipeline *p = b->p;
  uint32_t m = p->micro_batches, size = p->letter_count * m;
  double *area = TS_NEW_ARRAY(b->scratch, double, p->ranks + 1);
  uint32_t *order = TS_NEW_ARRAY(b->scratch, uint32_t, p->letter_count + 1);
  for (uint32_t n = 0; n < m; n++) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < size; k++)
      if (b->order[k] % m == n)
        order[count++] = b->order[k];
    for (uint32_t l = 0; l < p->letter_count; l++)
      if (p->letters[l].kind == 'F')
        area[p->letters[l].rank] += held_by(b, l * m + n, order, count);
  }
  return area;
}

/* Between the first item of a rank and its last. */
static double memory_bound(const bounder *b, uint32_t rank, double area)
{
  const ts_pipeline *p = b->p;
  int64_t head = TS_PIPELINE_LATE, tail = TS_PIPELINE_LATE;
  uint32_t m = p->micro_batches;
  for (uint32_t k = p->own_first[rank]; k < p->own_first[rank + 1]; k++)
    for (uint32_t i = p->own[k] * m; i < (p->own[k] + 1) * m; i++) {
      int64_t begin = b->end[i] - p->maps[p->items[i].map].busy;
      head = begin < head ? begin : head;
      tail = b->tail[i] < tail ? b->tail[i] : tail;
    }
  return p->room[rank] > 0 ? (double)head + area / (double)p->room[rank] + (double)tail : 0;
}

static bounder open(const ts_pipeline *p)
{
  uint32_t size = p->letter_count * p->micro_batches;
  ts_arena *scratch = ts_arena_new("bound");
  bounder b = {p,
               scratch,
               TS_NEW_ARRAY(scratch, uint32_t, size + 1),
               TS_NEW_ARRAY(scratch, int64_t, size + 1),
               TS_NEW_ARRAY(scratch, int64_t, p->message_count + 1),
               TS_NEW_ARRAY(scratch, int64_t, size + 1)};
  sort_items(&b);
  find_ends(&b);
  return b;
}

int64_t *ts_pipeline_heads(ts_arena *arena, const ts_pipeline *p)
{
  bounder b = open(p);
  uint32_t size = p->letter_count * p->micro_batches;
  int64_t *heads = TS_NEW_ARRAY(arena, int64_t, size + 1);
  for (uint32_t i = 0; i < size; i++)
    heads[i] = b.end[i] - p->maps[p->items[i].map].busy;
  ts_arena_free(b.scratch);
  return heads;
}

ts_pipeline_bound ts_pipeline_bound_of(const ts_pipeline *p)
{
  ts_pipeline_bound best = {0};
  bounder b = open(p);
  find_tails(&b);
  for (uint32_t r = 0; r < p->ranks; r++) {
    int64_t step = rank_bound(&b, r);
    if (step > best.step)
      best = (ts_pipeline_bound){step, work_of(p, r), r, false};
  }
  uint32_t size = p->letter_count * p->micro_batches;
  int64_t *ends = ts_arena_copy(b.scratch, b.end, size * sizeof *ends);
  double *area = areas(&b);
  memcpy(b.end, ends, size * sizeof *ends);
  for (uint32_t r = 0; r < p->ranks; r++) {
    /* rounded down: sums of products in floating point */
    double step = memory_bound(&b, r, area[r]) * (1 - 1e-9);
    if (step > (double)best.step)
      best = (ts_pipeline_bound){(int64_t)step, work_of(p, r), r, true};
  }
  ts_arena_free(b.scratch);
  return best;
}
