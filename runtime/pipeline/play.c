/* Exact times of an order. */
#include <string.h>

#include "runtime/pipeline/internal.h"

ts_pipeline_play *ts_pipeline_play_new(ts_arena *arena, const ts_pipeline *p)
{
  ts_pipeline_play *s = TS_NEW(arena, ts_pipeline_play);
  uint32_t size = ts_pipeline_size(p);
  *s = (ts_pipeline_play){.of = p,
                          .clock = TS_NEW_ARRAY(arena, int64_t, p->ranks * p->clocks + 1),
                          .arrived = TS_NEW_ARRAY(arena, int64_t, p->message_count + 1),
                          .waiting = TS_NEW_ARRAY(arena, uint32_t, p->message_count + 1),
                          .at = TS_NEW_ARRAY(arena, uint32_t, p->ranks + 1),
                          .stack = TS_NEW_ARRAY(arena, uint32_t, p->ranks + 1),
                          .count = TS_NEW_ARRAY(arena, uint32_t, p->letter_count + 1),
                          .begin = TS_NEW_ARRAY(arena, int64_t, size + 1),
                          .history = TS_NEW_ARRAY(arena, int64_t, (size_t)size * p->clocks + 1)};
  return s;
}

static int64_t end_of(const ts_pipeline *p, const int64_t *clock)
{
  int64_t end = 0;
  for (uint32_t k = 0; k < p->ranks * p->clocks; k++)
    end = ts_pipeline_later(end, clock[k] + p->ends[k]);
  return end;
}

/* False: a message is not there; the rank waits for it. */
static inline bool all_there(ts_pipeline_play *s, const ts_pipeline_map *map,
                             const ts_pipeline_item *item, uint32_t rank)
{
  for (uint32_t k = 0; k < map->ins; k++) {
    uint32_t message = s->of->ins[item->first_in + k];
    if (s->arrived[message] == TS_PIPELINE_UNKNOWN) {
      s->waiting[message] = rank;
      return false;
    }
  }
  return true;
}

static inline int64_t play(ts_pipeline_play *s, const uint16_t *word, bool trace)
{
  const ts_pipeline *p = s->of;
  uint32_t left = ts_pipeline_size(p), depth = 0;
  memset(s->clock, 0, p->ranks * p->clocks * sizeof *s->clock);
  memset(s->count, 0, p->letter_count * sizeof *s->count);
  memset(s->waiting, 0xff, p->message_count * sizeof *s->waiting);
  for (uint32_t m = 0; m < p->message_count; m++)
    s->arrived[m] = TS_PIPELINE_UNKNOWN;
  for (uint32_t r = p->ranks; r-- > 0;) {
    s->at[r] = p->first[r];
    s->stack[depth++] = r;
  }
  while (depth) {
    uint32_t rank = s->stack[--depth], place = s->at[rank], end = p->first[rank + 1];
    int64_t *x = s->clock + (size_t)rank * p->clocks;
    for (; place < end; place++) {
      uint32_t letter = word[place], number = letter * p->micro_batches + s->count[letter];
      const ts_pipeline_item *item = &p->items[number];
      const ts_pipeline_map *map = &p->maps[item->map];
      if (!all_there(s, map, item, rank))
        break;
      if (trace)
        memcpy(s->history + (size_t)place * p->clocks, x, p->clocks * sizeof *x);
      ts_pipeline_apply(s, item, x);
      if (trace)
        s->begin[number] = x[0] - map->busy;
      s->count[letter]++;
      for (uint32_t k = 0; k < map->outs; k++)
        if (s->waiting[item->first_out + k] != UINT32_MAX)
          s->stack[depth++] = s->waiting[item->first_out + k];
    }
    left -= place - s->at[rank];
    s->at[rank] = place;
  }
  return left ? TS_PIPELINE_LATE : end_of(p, s->clock);
}

int64_t ts_pipeline_time(ts_pipeline_play *s, const uint16_t *word) { return play(s, word, false); }

int64_t ts_pipeline_trace(ts_pipeline_play *s, const uint16_t *word) { return play(s, word, true); }

/* ---- The critical path ---- */

typedef struct walker {
  ts_pipeline_play *s;
  const uint16_t *word;
  uint32_t *number;   /* [places] item */
  uint32_t *place_of; /* [items] */
} walker;

static const ts_pipeline_row *row_of(const ts_pipeline *p, const ts_pipeline_map *map, uint32_t out)
{
  for (uint32_t r = 0; r < map->row_count; r++)
    if (p->rows[map->first_row + r].out == out)
      return &p->rows[map->first_row + r];
  return NULL;
}

/* The term that a row's value comes from. */
static uint32_t cause(const walker *w, uint32_t place, const ts_pipeline_row *row)
{
  const ts_pipeline *p = w->s->of;
  const ts_pipeline_item *item = &p->items[w->number[place]];
  const int64_t *x = w->s->history + (size_t)place * p->clocks;
  int64_t most = INT64_MIN;
  uint32_t in = 0;
  for (uint32_t k = 0; k < row->term_count; k++) {
    const ts_pipeline_term *t = &p->terms[row->first_term + k];
    int64_t value =
      (t->in < p->clocks ? x[t->in] : w->s->arrived[p->ins[item->first_in + t->in - p->clocks]]) +
      t->time;
    if (value > most) {
      most = value;
      in = t->in;
    }
  }
  return in;
}

uint32_t ts_pipeline_critical(ts_pipeline_play *s, const uint16_t *word, uint32_t *places)
{
  const ts_pipeline *p = s->of;
  uint32_t size = ts_pipeline_size(p), found = 0, rank = 0, out = 0;
  ts_arena *scratch = ts_arena_new("critical path");
  walker w = {s, word, TS_NEW_ARRAY(scratch, uint32_t, size + 1),
              TS_NEW_ARRAY(scratch, uint32_t, size + 1)};
  memset(s->count, 0, p->letter_count * sizeof *s->count);
  for (uint32_t k = 0; k < size; k++) {
    w.number[k] = word[k] * p->micro_batches + s->count[word[k]]++;
    w.place_of[w.number[k]] = k;
  }
  int64_t most = INT64_MIN;
  for (uint32_t k = 0; k < p->ranks * p->clocks; k++)
    if (s->clock[k] + p->ends[k] > most) {
      most = s->clock[k] + p->ends[k];
      rank = k / p->clocks;
      out = k % p->clocks;
    }
  for (uint32_t place = p->first[rank + 1]; place > p->first[rank];) {
    place--;
    const ts_pipeline_item *item = &p->items[w.number[place]];
    const ts_pipeline_row *row = row_of(p, &p->maps[item->map], out);
    if (!row)
      continue;
    places[found++] = place;
    uint32_t in = cause(&w, place, row);
    if (in < p->clocks) {
      out = in;
      continue;
    }
    uint32_t message = p->ins[item->first_in + in - p->clocks], from = p->sender[message];
    rank = p->letters[from / p->micro_batches].rank;
    place = w.place_of[from] + 1;
    out = p->clocks + message - p->items[from].first_out;
  }
  ts_arena_free(scratch);
  return found;
}

/* ---- What a word may be ---- */

bool ts_pipeline_legal(ts_pipeline_play *s, const uint16_t *word, uint32_t rank, int64_t room,
                       int64_t *peak)
{
  const ts_pipeline *p = s->of;
  int64_t held = 0, most = 0;
  for (uint32_t k = p->own_first[rank]; k < p->own_first[rank + 1]; k++)
    s->count[p->own[k]] = 0;
  for (uint32_t place = p->first[rank]; place < p->first[rank + 1]; place++) {
    const ts_pipeline_letter *letter = &p->letters[word[place]];
    uint32_t n = s->count[word[place]]++;
    const ts_pipeline_item *item = &p->items[word[place] * p->micro_batches + n];
    for (int k = 0; k < 2; k++)
      if (letter->needs[k] != TS_PIPELINE_NONE && s->count[letter->needs[k]] <= n)
        return false;
    most = ts_pipeline_later(most, held + item->rise);
    held += item->net;
    if (most > room && !peak)
      return false;
  }
  if (peak)
    *peak = most;
  return most <= room;
}
