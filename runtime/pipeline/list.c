/* List scheduling with lookahead, and the timetables that it begins with. */
#include <stdlib.h>
#include <string.h>

#include "runtime/pipeline/internal.h"

typedef struct choice {
  int64_t begin;  /* LATE: nothing can be decided */
  uint32_t place; /* of the word that is worked off */
} choice;

typedef struct list_lister {
  ts_pipeline_play *s;
  const ts_pipeline *p;
  const ts_pipeline_rule *rule;
  const uint16_t *sequence;
  uint32_t *next; /* [places] that are left; the last one's is the end of the word */
  uint32_t *head; /* [ranks] first that is left */
  uint32_t *seen; /* [letters] stamp of the last look */
  uint32_t stamp;
  int64_t *held;  /* [ranks] bytes */
  choice *choice; /* [ranks] */
  bool predict;
} list_lister;

static double list_share_of(const ts_pipeline_rule *rule, char kind)
{
  return rule->delay[kind == 'F' ? 0 : kind == 'W' ? 2 : 1];
}

/* When the item would begin; LATE: a message has no time yet. */
static int64_t begin_of(const list_lister *l, uint32_t rank, const ts_pipeline_item *item)
{
  const ts_pipeline *p = l->p;
  const ts_pipeline_map *map = &p->maps[item->map];
  for (uint32_t k = 0; k < map->ins; k++)
    if (l->s->arrived[p->ins[item->first_in + k]] == TS_PIPELINE_UNKNOWN)
      return TS_PIPELINE_LATE;
  return ts_pipeline_row_value(l->s, &p->rows[map->first_row], p->ins + item->first_in,
                               l->s->clock + (size_t)rank * p->clocks) -
         map->busy;
}

static bool has_what_it_needs(const list_lister *l, const ts_pipeline_letter *letter, uint32_t n)
{
  for (int k = 0; k < 2; k++)
    if (letter->needs[k] != TS_PIPELINE_NONE && l->s->count[letter->needs[k]] <= n)
      return false;
  return true;
}

/* Looks through what is left of the word, first things first. A later item is taken if it begins
 * before the best so far and does not keep that waiting for too long. */
static choice list_choose(list_lister *l, uint32_t rank)
{
  const ts_pipeline *p = l->p;
  uint32_t place = l->head[rank], end = p->first[rank + 1];
  choice best = {TS_PIPELINE_LATE, UINT32_MAX};
  int64_t held = l->held[rank], most = INT64_MIN, limit = TS_PIPELINE_LATE;
  l->stamp++;
  for (uint32_t k = 0; place < end && k < l->rule->ahead; k++, place = l->next[place]) {
    uint32_t letter = l->sequence[place], n = l->s->count[letter];
    const ts_pipeline_letter *is = &p->letters[letter];
    bool first = l->seen[letter] != l->stamp;
    l->seen[letter] = l->stamp;
    const ts_pipeline_item *item = &p->items[letter * p->micro_batches + n];
    if (first &&
        (!k || (l->held[rank] + item->rise <= p->room[rank] &&
                (item->net <= 0 || most + item->net <= p->room[rank]))) &&
        has_what_it_needs(l, is, n)) {
      int64_t begin = begin_of(l, rank, item), busy = p->maps[item->map].busy;
      if (begin < limit && (best.place == UINT32_MAX || begin < best.begin) &&
          (double)(begin + busy) <=
            (double)limit + list_share_of(l->rule, is->kind) * (double)busy) {
        best = (choice){begin, place};
        limit = begin;
      } else if (!k && begin == TS_PIPELINE_LATE && l->predict) {
        limit = ts_pipeline_later(l->s->begin[letter * p->micro_batches + n],
                                  l->s->clock[(size_t)rank * p->clocks]);
      }
    }
    if (limit <= l->s->clock[(size_t)rank * p->clocks] && best.place != UINT32_MAX)
      break;
    most = ts_pipeline_later(most, held + item->rise);
    held += item->net;
  }
  return best;
}

static void take_out(list_lister *l, uint32_t rank, uint32_t place)
{
  if (l->head[rank] == place) {
    l->head[rank] = l->next[place];
    return;
  }
  uint32_t k = l->head[rank];
  while (l->next[k] != place)
    k = l->next[k];
  l->next[k] = l->next[place];
}

static void choose_all(list_lister *l)
{
  for (uint32_t r = 0; r < l->p->ranks; r++)
    l->choice[r] = list_choose(l, r);
}

static uint32_t earliest(const list_lister *l)
{
  uint32_t best = 0;
  for (uint32_t r = 1; r < l->p->ranks; r++)
    if (l->choice[r].begin < l->choice[best].begin)
      best = r;
  return best;
}

static void list_begin(list_lister *l, uint32_t rank, uint32_t place)
{
  const ts_pipeline *p = l->p;
  uint32_t letter = l->sequence[place], n = l->s->count[letter]++;
  const ts_pipeline_item *item = &p->items[letter * p->micro_batches + n];
  ts_pipeline_apply(l->s, item, l->s->clock + (size_t)rank * p->clocks);
  l->held[rank] += item->net;
  take_out(l, rank, place);
  l->choice[rank] = list_choose(l, rank);
  for (uint32_t k = 0; k < p->maps[item->map].outs; k++) {
    uint32_t to = p->receiver[item->first_out + k];
    if (to == TS_PIPELINE_NONE)
      continue;
    uint32_t other = p->letters[to / p->micro_batches].rank;
    l->choice[other] = list_choose(l, other);
  }
}

bool ts_pipeline_list(ts_pipeline_play *s, const ts_pipeline_rule *rule, const uint16_t *sequence,
                      uint16_t *out)
{
  const ts_pipeline *p = s->of;
  uint32_t size = ts_pipeline_size(p), left = size;
  ts_arena *scratch = ts_arena_new("list");
  list_lister l = {.s = s,
                   .p = p,
                   .rule = rule,
                   .sequence = ts_arena_copy(scratch, sequence, (size + 1) * sizeof *sequence),
                   .next = TS_NEW_ARRAY(scratch, uint32_t, size + 1),
                   .head = TS_NEW_ARRAY(scratch, uint32_t, p->ranks + 1),
                   .seen = TS_NEW_ARRAY(scratch, uint32_t, p->letter_count + 1),
                   .held = TS_NEW_ARRAY(scratch, int64_t, p->ranks + 1),
                   .choice = TS_NEW_ARRAY(scratch, choice, p->ranks + 1),
                   .predict = rule->predict};
  uint32_t *at = TS_NEW_ARRAY(scratch, uint32_t, p->ranks + 1);
  if (rule->predict)
    ts_pipeline_trace(s, sequence);
  memset(s->clock, 0, p->ranks * p->clocks * sizeof *s->clock);
  memset(s->count, 0, p->letter_count * sizeof *s->count);
  for (uint32_t m = 0; m < p->message_count; m++)
    s->arrived[m] = TS_PIPELINE_UNKNOWN;
  for (uint32_t r = 0; r < p->ranks; r++) {
    l.head[r] = at[r] = p->first[r];
    for (uint32_t k = p->first[r]; k < p->first[r + 1]; k++)
      l.next[k] = k + 1;
  }
  choose_all(&l);
  while (left) {
    uint32_t rank = earliest(&l);
    if (l.choice[rank].begin == TS_PIPELINE_LATE) {
      if (!l.predict) /* ranks wait for each other, already in `sequence` */
        break;
      l.predict = false; /* what is foreseen keeps all of them waiting */
      choose_all(&l);
      continue;
    }
    uint32_t place = l.choice[rank].place;
    out[at[rank]++] = l.sequence[place];
    list_begin(&l, rank, place);
    left--;
    if (l.predict != rule->predict) {
      l.predict = rule->predict;
      choose_all(&l);
    }
  }
  ts_arena_free(scratch);
  return !left;
}

/* ---- Waves ---- */

/* in twelfths of ps */
typedef struct due {
  int64_t time;
  uint32_t depth;
  uint16_t letter;
} due;

static int by_time(const void *a, const void *b)
{
  const due *x = a, *y = b;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  return x->depth != y->depth ? (x->depth > y->depth) - (x->depth < y->depth) :
                                (x->letter > y->letter) - (x->letter < y->letter);
}

/* Work of the busiest rank for a micro-batch. */
static int64_t period_of(const ts_pipeline *p)
{
  int64_t most = 0;
  for (uint32_t r = 0; r < p->ranks; r++) {
    int64_t sum = 0;
    for (uint32_t k = p->own_first[r]; k < p->own_first[r + 1]; k++)
      sum += p->maps[p->items[p->own[k] * p->micro_batches].map].busy;
    most = ts_pipeline_later(most, sum);
  }
  return most;
}

/* What an item of the letter waits for last, in its earliest times: a letter, or none. */
static uint32_t last_before(const ts_pipeline *p, const int64_t *heads, uint32_t letter)
{
  uint32_t m = p->micro_batches, best = TS_PIPELINE_NONE;
  const ts_pipeline_item *item = &p->items[(size_t)letter * m];
  for (int k = 0; k < 2; k++) {
    uint32_t need = p->letters[letter].needs[k];
    if (need != TS_PIPELINE_NONE &&
        (best == TS_PIPELINE_NONE || heads[(size_t)need * m] > heads[(size_t)best * m]))
      best = need;
  }
  for (uint32_t k = 0; k < p->maps[item->map].ins; k++) {
    uint32_t from = p->sender[p->ins[item->first_in + k]] / m;
    if (best == TS_PIPELINE_NONE || heads[(size_t)from * m] > heads[(size_t)best * m])
      best = from;
  }
  return best;
}

typedef struct early {
  int64_t head;
  uint32_t letter;
} early;

static int by_head(const void *a, const void *b)
{
  const early *x = a, *y = b;
  return x->head != y->head ? (x->head > y->head) - (x->head < y->head) :
                              (x->letter > y->letter) - (x->letter < y->letter);
}

static uint32_t stretch(const ts_pipeline_wave *wave, const ts_pipeline_letter *is, bool several)
{
  bool odd = is->chunk % 2 != (several && is->kind != 'F');
  return is->kind == 'W' ? 12 : odd || (!several && is->kind != 'F') ? wave->up : wave->down;
}

void ts_pipeline_wave_word(ts_arena *scratch, const ts_pipeline *p, const int64_t *heads,
                           const ts_pipeline_wave *wave, uint16_t *out)
{
  uint32_t m = p->micro_batches, count = p->letter_count;
  bool several = false;
  int64_t period = period_of(p), *offset = TS_NEW_ARRAY(scratch, int64_t, count + 1);
  uint32_t *depth = TS_NEW_ARRAY(scratch, uint32_t, count + 1);
  early *way = TS_NEW_ARRAY(scratch, early, count + 1);
  for (uint32_t k = 0; k < count; k++) {
    way[k] = (early){heads[(size_t)k * m], k};
    several |= p->letters[k].chunk > 0;
  }
  qsort(way, count, sizeof *way, by_head);
  for (uint32_t k = 0; k < count; k++) {
    uint32_t at = way[k].letter, before = last_before(p, heads, at);
    const ts_pipeline_letter *is = &p->letters[at];
    int64_t from = before == TS_PIPELINE_NONE ? 0 : offset[before],
            passed = way[k].head - (before == TS_PIPELINE_NONE ? 0 : heads[(size_t)before * m]);
    bool turns = is->kind != 'F' && before != TS_PIPELINE_NONE && p->letters[before].kind == 'F';
    depth[at] = k;
    offset[at] = from + passed * stretch(wave, is, several) +
                 (is->kind == 'W' ? wave->late * period :
                  turns           ? wave->turn * period :
                                    0);
  }
  for (uint32_t r = 0; r < p->ranks; r++) {
    uint32_t n = 0;
    due *list = TS_NEW_ARRAY(scratch, due, p->first[r + 1] - p->first[r] + 1);
    for (uint32_t k = p->own_first[r]; k < p->own_first[r + 1]; k++)
      for (uint32_t i = 0; i < m; i++)
        list[n++] = (due){wave->apart * i * period + offset[p->own[k]], depth[p->own[k]],
                          (uint16_t)p->own[k]};
    qsort(list, n, sizeof *list, by_time);
    for (uint32_t k = 0; k < n; k++)
      out[p->first[r] + k] = list[k].letter;
  }
}
