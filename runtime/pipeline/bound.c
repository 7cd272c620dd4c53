/* No order is shorter than this. For each rank the work that it has is taken to be all that its
 * compute stream has to do, each item with the earliest time at which it can begin (its HEAD) and
 * the time that must follow it (its TAIL), both along what items wait for and what memory makes
 * them wait for (memory_bound.c). The best order of such work, if it may be interrupted, goes by
 * the longest tail (Jackson, 1955; Carlier, EJOR 11, 1982); its end is the bound. */
#include <stdlib.h>
#include <string.h>

#include "runtime/pipeline/bound.h"

typedef ts_bounder bounder;

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

void ts_bound_forward(bounder *b, uint32_t i, int64_t free)
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
      if (from > TS_PIPELINE_NEVER / 2)
        value = ts_pipeline_later(value, from + t->time);
    }
    if (row->out == 0)
      b->end[i] = value;
    else
      b->arrived[item->first_out + row->out - p->clocks] = value;
  }
}

static int64_t bound_before(const bounder *b, uint32_t i)
{
  const ts_pipeline *p = b->p;
  uint32_t m = p->micro_batches;
  const ts_pipeline_letter *letter = &p->letters[i / m];
  int64_t free = i % m ? b->end[i - 1] : TS_PIPELINE_NEVER;
  for (int k = 0; k < 2; k++)
    if (letter->needs[k] != TS_PIPELINE_NONE)
      free = ts_pipeline_later(free, b->end[letter->needs[k] * m + i % m]);
  return free;
}

/* What is known of an item's end besides, its messages follow. */
static void raise_end(bounder *b, uint32_t i)
{
  const ts_pipeline *p = b->p;
  const ts_pipeline_item *item = &p->items[i];
  const ts_pipeline_map *map = &p->maps[item->map];
  if (b->end_bound[i] <= b->end[i])
    return;
  b->end[i] = b->end_bound[i];
  for (uint32_t o = 0; o < map->outs; o++) {
    int64_t *there = &b->arrived[item->first_out + o], after = p->after[map->after + o];
    if (after > TS_PIPELINE_NEVER / 2)
      *there = ts_pipeline_later(*there, b->end[i] + after);
  }
}

void ts_bound_ends(bounder *b)
{
  uint32_t size = b->p->letter_count * b->p->micro_batches;
  for (uint32_t k = 0; k < size; k++) {
    ts_bound_forward(b, b->order[k], ts_pipeline_later(bound_before(b, b->order[k]), 0));
    raise_end(b, b->order[k]);
  }
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

/* From an item's end on the compute stream, by way of each other clock that it moves, such as that
 * of a stream on which gradients are summed. */
static int64_t way_to_end(const ts_pipeline *p, const ts_pipeline_map *map, uint32_t rank)
{
  const int64_t *ends = p->ends + (size_t)rank * p->clocks;
  const ts_pipeline_row *compute = &p->rows[map->first_row];
  int64_t most = ends[0];
  for (uint32_t r = 1; r < map->row_count; r++) {
    const ts_pipeline_row *row = &compute[r];
    int64_t min = TS_PIPELINE_LATE;
    if (row->out >= p->clocks || ends[row->out] <= TS_PIPELINE_NEVER / 2)
      continue;
    for (uint32_t k = 0; k < compute->term_count; k++) {
      const ts_pipeline_term *t = &p->terms[compute->first_term + k];
      int64_t more = TS_PIPELINE_NEVER;
      for (uint32_t j = 0; j < row->term_count; j++)
        if (p->terms[row->first_term + j].in == t->in)
          more = p->terms[row->first_term + j].time - t->time;
      min = more < min ? more : min;
    }
    if (min > TS_PIPELINE_NEVER / 2 && min < TS_PIPELINE_LATE)
      most = ts_pipeline_later(most, min + ends[row->out]);
  }
  return most;
}

/* By itself, and as a part of what it may be played as. */
static int64_t bound_way(const ts_pipeline *p, uint32_t map, uint32_t rank)
{
  int64_t min = way_to_end(p, &p->maps[map], rank);
  for (uint32_t j = 0; j < p->merge_count; j++) {
    const ts_pipeline_merge *merge = &p->merges[j];
    if (merge->of[0] != map && merge->of[1] != map && merge->of[2] != map)
      continue;
    int64_t way = way_to_end(p, &p->maps[merge->map], rank);
    min = way < min ? way : min;
  }
  return min;
}

static void find_ways(bounder *b)
{
  const ts_pipeline *p = b->p;
  uint32_t m = p->micro_batches;
  for (uint32_t i = 0; i < p->letter_count * m; i++)
    b->to_end[i] = i % m && p->items[i].map == p->items[i - 1].map ?
                     b->to_end[i - 1] :
                     bound_way(p, p->items[i].map, p->letters[i / m].rank);
}

void ts_bound_tails(bounder *b)
{
  const ts_pipeline *p = b->p;
  uint32_t m = p->micro_batches, size = p->letter_count * m;
  for (uint32_t i = 0; i < size; i++)
    b->tail[i] = b->tail_bound[i];
  for (uint32_t at = size; at-- > 0;) {
    uint32_t i = b->order[at];
    const ts_pipeline_letter *letter = &p->letters[i / m];
    const ts_pipeline_item *item = &p->items[i];
    const ts_pipeline_map *map = &p->maps[item->map];
    int64_t tail = ts_pipeline_later(b->tail[i], b->to_end[i]);
    for (uint32_t k = 0; k < map->outs; k++) {
      uint32_t to = p->receiver[item->first_out + k];
      if (to == TS_PIPELINE_NONE)
        continue;
      int64_t way = through(p, map, k, &p->items[to], item->first_out + k);
      if (way > TS_PIPELINE_NEVER / 2)
        tail = ts_pipeline_later(tail, way + b->tail[to]);
    }
    b->tail[i] = tail;
    int64_t with = tail + map->busy;
    if (i % m)
      b->tail[i - 1] = ts_pipeline_later(b->tail[i - 1], with);
    for (int k = 0; k < 2; k++)
      if (letter->needs[k] != TS_PIPELINE_NONE) {
        int64_t *of = &b->tail[letter->needs[k] * m + i % m];
        *of = ts_pipeline_later(*of, with);
      }
  }
}

/* ---- One rank ---- */

typedef ts_bound_job job;

static int by_head(const void *a, const void *b)
{
  const job *x = a, *y = b;
  return x->head != y->head ? (x->head > y->head) - (x->head < y->head) :
                              (x->tail < y->tail) - (x->tail > y->tail);
}

/* A heap of jobs, the longest tail on top. */
static void bound_push(job **heap, uint32_t *count, job *j)
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

int64_t ts_bound_jobs(ts_arena *scratch, job *jobs, uint32_t count)
{
  job **heap = TS_NEW_ARRAY(scratch, job *, count + 1);
  uint32_t waiting = 0, next = 0;
  int64_t now = 0, most = 0;
  qsort(jobs, count, sizeof *jobs, by_head);
  while (next < count || waiting) {
    if (!waiting)
      now = ts_pipeline_later(now, jobs[next].head);
    for (; next < count && jobs[next].head <= now; next++)
      bound_push(heap, &waiting, &jobs[next]);
    job *j = heap[0];
    int64_t until =
      next < count && jobs[next].head < now + j->busy ? jobs[next].head : now + j->busy;
    j->busy -= until - now;
    now = until;
    if (!j->busy) {
      most = ts_pipeline_later(most, now + j->tail);
      pop(heap, &waiting);
    }
  }
  return most;
}

static int64_t bound_work_of(const ts_pipeline *p, uint32_t rank)
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
      int64_t left = busy - b->hidden[p->items[i].map];
      if (left > 0)
        jobs[count++] = (job){b->end[i] - busy, left, b->tail[i]};
    }
  return ts_bound_jobs(b->scratch, jobs, count);
}

static bounder open(const ts_pipeline *p)
{
  uint32_t size = p->letter_count * p->micro_batches;
  ts_arena *scratch = ts_arena_new("bound");
  bounder b = {.p = p,
               .scratch = scratch,
               .order = TS_NEW_ARRAY(scratch, uint32_t, size + 1),
               .end = TS_NEW_ARRAY(scratch, int64_t, size + 1),
               .arrived = TS_NEW_ARRAY(scratch, int64_t, p->message_count + 1),
               .tail = TS_NEW_ARRAY(scratch, int64_t, size + 1),
               .to_end = TS_NEW_ARRAY(scratch, int64_t, size + 1),
               .end_bound = TS_NEW_ARRAY(scratch, int64_t, size + 1),
               .tail_bound = TS_NEW_ARRAY(scratch, int64_t, size + 1)};
  for (uint32_t i = 0; i < size; i++)
    b.end_bound[i] = b.tail_bound[i] = TS_PIPELINE_NEVER;
  sort_items(&b);
  find_ways(&b);
  ts_bound_ends(&b);
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

static void bound_take(ts_pipeline_bound *best, const ts_pipeline *p, int64_t step, uint32_t rank,
                       ts_pipeline_reason by)
{
  if (step > best->step)
    *best = (ts_pipeline_bound){step, bound_work_of(p, rank), rank, by, false};
}

/* What the merges that begin with an item of each map hide at the most, of its own time: an item is
 * the first of one merge. */
static int64_t *find_hidden(ts_arena *arena, const ts_pipeline *p, bool *any)
{
  int64_t *hidden = TS_NEW_ARRAY(arena, int64_t, p->map_count + 1);
  *any = false;
  for (uint32_t j = 0; j < p->merge_count; j++) {
    const ts_pipeline_merge *merge = &p->merges[j];
    int64_t less = -p->maps[merge->map].busy;
    for (int k = 0; k < 3 && merge->of[k] != TS_PIPELINE_NONE; k++)
      less += p->maps[merge->of[k]].busy;
    if (merge->threshold == TS_PIPELINE_MERGINGS)
      continue;
    *any = true;
    hidden[merge->of[0]] = ts_pipeline_later(hidden[merge->of[0]], less);
  }
  return hidden;
}

ts_pipeline_bound ts_pipeline_bound_of(const ts_pipeline *p)
{
  ts_pipeline_bound best = {0};
  bounder b = open(p);
  b.hidden = find_hidden(b.scratch, p, &b.joined);
  ts_bound_tails(&b);
  for (uint32_t r = 0; r < p->ranks; r++)
    bound_take(&best, p, rank_bound(&b, r), r, TS_PIPELINE_WORK);
  ts_pipeline_memory *held = ts_pipeline_memory_new(&b);
  for (uint32_t r = 0; r < p->ranks; r++) {
    bound_take(&best, p, rank_bound(&b, r), r, TS_PIPELINE_WAITS);
    bound_take(&best, p, ts_pipeline_memory_jobs(held, r), r, TS_PIPELINE_WAITS);
    bound_take(&best, p, ts_pipeline_memory_step(held, r), r, TS_PIPELINE_HELD);
  }
  best.joined = b.joined;
  ts_arena_free(b.scratch);
  return best;
}
