#include "runtime/report/runs.h"

#include <inttypes.h>
#include <string.h>

/* ---- Tuples ---- */

uint32_t ts_tuples_number(ts_arena *arena, ts_tuples *t, const int64_t *numbers, size_t count)
{
  t->arena = arena;
  return ts_intern_bytes(t, numbers, count * sizeof *numbers);
}

static void put_more(FILE *out, const int64_t *numbers, size_t count, bool more)
{
  for (size_t i = 0; i < count; i++)
    fprintf(out, i || more ? ",%" PRId64 : "%" PRId64, numbers[i]);
}

static void put_numbers(FILE *out, const int64_t *numbers, size_t count)
{
  fputc('[', out);
  put_more(out, numbers, count, false);
  fputc(']', out);
}

void ts_put_tuples(FILE *out, const ts_tuples *t)
{
  fputc('[', out);
  for (size_t i = 0; i < t->all.count; i++)
    put_more(out, t->all.at[i].at, t->all.at[i].size / sizeof(int64_t), i > 0);
  fputc(']', out);
}

/* ---- Runs ---- */

enum { GRAM = 3 /* numbers by which a repeat is found */, LEAST = 3 /* that are worth it */ };

typedef struct gram { const uint32_t *sequence; const size_t *places; size_t at; } gram;

static bool same_gram(const void *closure, uint32_t number)
{
  const gram *g = closure;
  return memcmp(g->sequence + g->places[number], g->sequence + g->at,
                GRAM * sizeof *g->sequence) == 0;
}

/* The longest repeat of what lies before `at` is looked for only at the distance of the last place
 * where the next three numbers stood: a step has few periods. */
void ts_find_runs(ts_arena *arena, const uint32_t *sequence, size_t count, ts_run_list *list)
{
  ts_arena *scratch = ts_arena_new("runs");
  ts_hash_table table = {0};
  TS_VEC(size_t) places = {0}; /* of each gram, the last */
  for (size_t at = 0; at < count;) {
    size_t step = 1, period = 0, length = 0;
    if (at + GRAM <= count) {
      gram g = {sequence, places.at, at};
      uint32_t hash = ts_hash_bytes(sequence + at, GRAM * sizeof *sequence),
               number = ts_hash_find(&table, hash, same_gram, &g);
      if (number == TS_HASH_NONE) {
        TS_PUSH(scratch, &places, at);
        ts_hash_add(scratch, &table, hash, (uint32_t)places.count - 1);
      } else {
        period = at - places.at[number];
        places.at[number] = at;
        while (at + length < count && sequence[at + length] == sequence[at + length - period])
          length++;
      }
    }
    if (period && length >= period && length / period * period >= LEAST) {
      TS_PUSH(arena, list, -(int64_t)period);
      TS_PUSH(arena, list, (int64_t)(length / period));
      step = length / period * period;
    } else {
      TS_PUSH(arena, list, sequence[at]);
    }
    at += step;
  }
  ts_arena_free(scratch);
}

void ts_put_runs(FILE *out, const ts_run_list *list) { put_numbers(out, list->at, list->count); }

void ts_put_tuple_runs(FILE *out, const ts_tuples *t, size_t head)
{
  ts_arena *scratch = ts_arena_new("runs of tuples");
  fputc('[', out);
  for (size_t i = 0; i < t->all.count; i++) {
    const int64_t *numbers = t->all.at[i].at;
    ts_sequence rest = {0};
    ts_run_list list = {0};
    for (size_t at = 0; at < t->all.at[i].size / sizeof *numbers; at++)
      if (at < head)
        TS_PUSH(scratch, &list, numbers[at]);
      else
        TS_PUSH(scratch, &rest, (uint32_t)numbers[at]);
    ts_find_runs(scratch, rest.at, rest.count, &list);
    if (i)
      fputs(",\n", out);
    put_numbers(out, list.at, list.count);
    ts_arena_reset(scratch);
  }
  fputc(']', out);
  ts_arena_free(scratch);
}
