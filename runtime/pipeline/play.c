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

static int64_t play_end_of(const ts_pipeline *p, const int64_t *clock)
{
  int64_t end = 0;
  for (uint32_t k = 0; k < p->ranks * p->clocks; k++)
    end = ts_pipeline_later(end, clock[k] + p->ends[k]);
  return end;
}

/* ---- Items that are played as one ---- */

static const ts_pipeline_merge *merge_of(const ts_pipeline *p, ts_pipeline_merging merging,
                                         uint32_t a, uint32_t b, uint32_t c)
{
  if (a >= p->merged_maps || b >= p->merged_maps)
    return NULL;
  uint32_t k = p->joined[(size_t)a * p->merged_maps + b];
  for (; k != TS_PIPELINE_NONE; k = p->merges[k].next)
    if (p->merges[k].of[2] == c && p->merges[k].threshold <= merging)
      return &p->merges[k];
  return NULL;
}

const ts_pipeline_merge *ts_pipeline_merge_at(const ts_pipeline *p, ts_pipeline_merging merging,
                                              const uint16_t *sequence, uint32_t place,
                                              uint32_t end, const uint32_t *count)
{
  uint32_t m = p->micro_batches, item[3];
  const ts_pipeline_letter *letter[3] = {NULL};
  for (uint32_t k = 0; k < 3 && place + k < end; k++) {
    letter[k] = &p->letters[sequence[place + k]];
    item[k] = sequence[place + k] * m + count[sequence[place + k]];
  }
  if (!letter[1] || letter[0]->kind == 'W' || letter[0]->kind == 'B')
    return NULL;
  bool forward = letter[0]->kind == 'F', alike = letter[0]->stage == letter[1]->stage &&
                                                 item[0] % m == item[1] % m;
  if (!forward)
    return alike && letter[1]->kind == 'W' ?
             merge_of(p, merging, p->items[item[0]].map, p->items[item[1]].map, TS_PIPELINE_NONE) :
             NULL;
  if (merging < TS_PIPELINE_PAIRS || alike || (letter[1]->kind != 'I' && letter[1]->kind != 'B'))
    return NULL;
  const ts_pipeline_merge *whole = NULL;
  if (letter[2] && letter[2]->kind == 'W' && letter[2]->stage == letter[1]->stage &&
      item[2] % m == item[1] % m)
    whole =
      merge_of(p, merging, p->items[item[0]].map, p->items[item[1]].map, p->items[item[2]].map);
  return whole ?
           whole :
           merge_of(p, merging, p->items[item[0]].map, p->items[item[1]].map, TS_PIPELINE_NONE);
}

/* What a rank does next, with its messages. */
typedef struct unit {
  uint32_t places, map;
  uint32_t number[3]; /* items */
  const uint32_t *in; /* messages */
  uint32_t in_of[TS_PIPELINE_ROWS], out_of[TS_PIPELINE_ROWS];
} unit;

/* Its messages are those of its parts. */
static void play_gather(const ts_pipeline *p, unit *u)
{
  uint32_t ins = 0, outs = 0;
  for (uint32_t k = 0; k < u->places; k++) {
    const ts_pipeline_item *item = &p->items[u->number[k]];
    const ts_pipeline_map *map = &p->maps[item->map];
    for (uint32_t i = 0; i < map->ins; i++)
      u->in_of[ins++] = p->ins[item->first_in + i];
    for (uint32_t o = 0; o < map->outs; o++)
      u->out_of[outs++] = item->first_out + o;
  }
  u->in = u->in_of;
}

static void find_unit(const ts_pipeline_play *s, const uint16_t *sequence, uint32_t place,
                      uint32_t end, unit *u)
{
  const ts_pipeline *p = s->of;
  const ts_pipeline_merge *merge =
    s->merging ? ts_pipeline_merge_at(p, s->merging, sequence, place, end, s->count) : NULL;
  u->places = !merge ? 1 : merge->of[2] == TS_PIPELINE_NONE ? 2 : 3;
  for (uint32_t k = 0; k < u->places; k++)
    u->number[k] = sequence[place + k] * p->micro_batches + s->count[sequence[place + k]];
  u->map = merge ? merge->map : p->items[u->number[0]].map;
  if (merge)
    play_gather(p, u);
  else
    u->in = p->ins + p->items[u->number[0]].first_in;
}

static uint32_t out_of(const ts_pipeline *p, const unit *u, uint32_t out)
{
  return u->places > 1 ? u->out_of[out] : p->items[u->number[0]].first_out + out;
}

static void play_apply(ts_pipeline_play *s, const unit *u, int64_t *x)
{
  const ts_pipeline *p = s->of;
  const ts_pipeline_map *map = &p->maps[u->map];
  const ts_pipeline_row *row = p->rows + map->first_row;
  int64_t y[TS_PIPELINE_ROWS];
  for (uint32_t r = 0; r < map->row_count; r++)
    y[r] = ts_pipeline_row_value(s, &row[r], u->in, x);
  for (uint32_t r = 0; r < map->row_count; r++)
    if (row[r].out < p->clocks)
      x[row[r].out] = y[r];
    else
      s->arrived[out_of(p, u, row[r].out - p->clocks)] = y[r];
}

/* False: a message is not there; the rank waits for it. */
static inline bool all_there(ts_pipeline_play *s, const ts_pipeline_map *map, const uint32_t *in,
                             uint32_t rank)
{
  for (uint32_t k = 0; k < map->ins; k++)
    if (s->arrived[in[k]] == TS_PIPELINE_UNKNOWN) {
      s->waiting[in[k]] = rank;
      return false;
    }
  return true;
}

/* Items that are played as one go on beside each other: the first begins with it, the last ends
 * with it. */
static void note_begins(ts_pipeline_play *s, const unit *u, int64_t end)
{
  const ts_pipeline *p = s->of;
  int64_t begin = end - p->maps[u->map].busy;
  for (uint32_t k = u->places; k-- > 0;) {
    end -= p->maps[p->items[u->number[k]].map].busy;
    s->begin[u->number[k]] = k ? ts_pipeline_later(begin, end) : begin;
  }
}

static inline int64_t play(ts_pipeline_play *s, const uint16_t *sequence, bool trace, bool merged)
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
    while (place < end) {
      unit u;
      if (merged) {
        find_unit(s, sequence, place, end, &u);
      } else {
        u.places = 1;
        u.number[0] = sequence[place] * p->micro_batches + s->count[sequence[place]];
        u.map = p->items[u.number[0]].map;
        u.in = p->ins + p->items[u.number[0]].first_in;
      }
      const ts_pipeline_map *map = &p->maps[u.map];
      if (!all_there(s, map, u.in, rank))
        break;
      if (trace)
        memcpy(s->history + (size_t)place * p->clocks, x, p->clocks * sizeof *x);
      if (merged)
        play_apply(s, &u, x);
      else
        ts_pipeline_apply(s, &p->items[u.number[0]], x);
      if (trace)
        note_begins(s, &u, x[0]);
      for (uint32_t k = 0; k < u.places; k++)
        s->count[sequence[place + k]]++;
      for (uint32_t k = 0; k < map->outs; k++) {
        uint32_t message = out_of(p, &u, k);
        if (s->waiting[message] != UINT32_MAX)
          s->stack[depth++] = s->waiting[message];
      }
      place += u.places;
    }
    left -= place - s->at[rank];
    s->at[rank] = place;
  }
  return left ? TS_PIPELINE_LATE : play_end_of(p, s->clock);
}

int64_t ts_pipeline_time(ts_pipeline_play *s, const uint16_t *sequence)
{
  return s->merging ? play(s, sequence, false, true) : play(s, sequence, false, false);
}

int64_t ts_pipeline_trace(ts_pipeline_play *s, const uint16_t *sequence)
{
  return play(s, sequence, true, s->merging != TS_PIPELINE_SPLIT);
}

/* ---- The critical path ---- */

static const ts_pipeline_row *play_row_of(const ts_pipeline *p, const ts_pipeline_map *map,
                                          uint32_t out)
{
  for (uint32_t r = 0; r < map->row_count; r++)
    if (p->rows[map->first_row + r].out == out)
      return &p->rows[map->first_row + r];
  return NULL;
}

/* The term that a row's value comes from. */
static uint32_t cause(const ts_pipeline_play *s, uint32_t place, const unit *u,
                      const ts_pipeline_row *row)
{
  const ts_pipeline *p = s->of;
  const int64_t *x = s->history + (size_t)place * p->clocks;
  int64_t most = INT64_MIN;
  uint32_t in = 0;
  for (uint32_t k = 0; k < row->term_count; k++) {
    const ts_pipeline_term *t = &p->terms[row->first_term + k];
    int64_t value = (t->in < p->clocks ? x[t->in] : s->arrived[u->in[t->in - p->clocks]]) + t->time;
    if (value > most) {
      most = value;
      in = t->in;
    }
  }
  return in;
}

/* Where each item is played, and whether a place goes on with what began before it. */
static void find_places(ts_pipeline_play *s, const uint16_t *sequence, uint32_t *place_of,
                        bool *goes_on, uint32_t *n_of)
{
  const ts_pipeline *p = s->of;
  memset(s->count, 0, p->letter_count * sizeof *s->count);
  for (uint32_t r = 0; r < p->ranks; r++)
    for (uint32_t place = p->first[r]; place < p->first[r + 1];) {
      unit u;
      find_unit(s, sequence, place, p->first[r + 1], &u);
      for (uint32_t k = 0; k < u.places; k++) {
        place_of[u.number[k]] = place;
        goes_on[place + k] = k > 0;
        n_of[place + k] = s->count[sequence[place + k]]++;
      }
      place += u.places;
    }
}

/* What begins at a place, all before it done. */
static void unit_at(ts_pipeline_play *s, const uint16_t *sequence, uint32_t place, uint32_t end,
                    const uint32_t *n_of, unit *u)
{
  for (uint32_t k = place + 3; k-- > place;)
    if (k < end)
      s->count[sequence[k]] = n_of[k];
  find_unit(s, sequence, place, end, u);
}

/* Which message of a unit's items is its n-th output, by its sender. */
static uint32_t output_of(const ts_pipeline *p, const unit *u, uint32_t message)
{
  for (uint32_t o = 0; o < p->maps[u->map].outs; o++)
    if (out_of(p, u, o) == message)
      return o;
  return 0;
}

uint32_t ts_pipeline_critical(ts_pipeline_play *s, const uint16_t *sequence, uint32_t *places)
{
  const ts_pipeline *p = s->of;
  uint32_t size = ts_pipeline_size(p), found = 0, rank = 0, out = 0;
  ts_arena *scratch = ts_arena_new("critical path");
  uint32_t *place_of = TS_NEW_ARRAY(scratch, uint32_t, size + 1),
           *n_of = TS_NEW_ARRAY(scratch, uint32_t, size + 1);
  bool *goes_on = TS_NEW_ARRAY(scratch, bool, size + 1);
  find_places(s, sequence, place_of, goes_on, n_of);
  int64_t most = INT64_MIN;
  for (uint32_t k = 0; k < p->ranks * p->clocks; k++)
    if (s->clock[k] + p->ends[k] > most) {
      most = s->clock[k] + p->ends[k];
      rank = k / p->clocks;
      out = k % p->clocks;
    }
  uint32_t message = TS_PIPELINE_NONE;
  for (uint32_t place = p->first[rank + 1]; place > p->first[rank];) {
    if (goes_on[--place])
      continue;
    unit u;
    unit_at(s, sequence, place, p->first[rank + 1], n_of, &u);
    if (message != TS_PIPELINE_NONE)
      out = p->clocks + output_of(p, &u, message);
    message = TS_PIPELINE_NONE;
    const ts_pipeline_row *row = play_row_of(p, &p->maps[u.map], out);
    if (!row)
      continue;
    places[found++] = place;
    uint32_t in = cause(s, place, &u, row);
    if (in < p->clocks) {
      out = in;
      continue;
    }
    message = u.in[in - p->clocks];
    uint32_t from = p->sender[message];
    rank = p->letters[from / p->micro_batches].rank;
    place = place_of[from] + 1;
  }
  ts_arena_free(scratch);
  return found;
}

/* ---- What a word may be ---- */

bool ts_pipeline_legal(ts_pipeline_play *s, const uint16_t *sequence, uint32_t rank, int64_t room,
                       int64_t *peak)
{
  const ts_pipeline *p = s->of;
  int64_t held = 0, most = 0;
  uint32_t joined = 0; /* places up to here belong to what began before */
  for (uint32_t k = p->own_first[rank]; k < p->own_first[rank + 1]; k++)
    s->count[p->own[k]] = 0;
  for (uint32_t place = p->first[rank]; place < p->first[rank + 1]; place++) {
    const ts_pipeline_merge *merge =
      s->merging && place >= joined ?
        ts_pipeline_merge_at(p, s->merging, sequence, place, p->first[rank + 1], s->count) :
        NULL;
    const ts_pipeline_letter *letter = &p->letters[sequence[place]];
    uint32_t n = s->count[sequence[place]]++;
    const ts_pipeline_item *item = &p->items[sequence[place] * p->micro_batches + n];
    for (int k = 0; k < 2; k++)
      if (letter->needs[k] != TS_PIPELINE_NONE && s->count[letter->needs[k]] <= n)
        return false;
    if (merge)
      joined = place + (merge->of[2] == TS_PIPELINE_NONE ? 2 : 3);
    if (merge || place >= joined) {
      most = ts_pipeline_later(most, held + (merge ? merge->rise : item->rise));
      held += merge ? merge->net : item->net;
    }
    if (most > room && !peak)
      return false;
  }
  if (peak)
    *peak = most;
  return most <= room;
}
