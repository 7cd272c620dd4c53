#include "runtime/load/intern.h"

#include <string.h>

static uint32_t hash(const uint32_t *words, uint32_t count)
{
  uint64_t h = 0xcbf29ce484222325u ^ count; /* FNV-1a, by words */
  for (uint32_t i = 0; i < count; i++)
    h = (h ^ words[i]) * 0x100000001b3u;
  h *= 0x9e3779b97f4a7c15u;
  return (uint32_t)(h >> 32);
}

static uint32_t *bucket_of(const ts_intern *in, const uint32_t *words, uint32_t count)
{
  uint32_t i = hash(words, count) & (in->bucket_count - 1);
  for (; in->buckets[i]; i = (i + 1) & (in->bucket_count - 1)) {
    const ts_interned *run = &in->runs.at[in->buckets[i] - 1];
    if (run->count == count &&
        (!count || !memcmp(in->words.at + run->first, words, count * sizeof *words)))
      break;
  }
  return &in->buckets[i];
}

static void grow(ts_intern *in)
{
  in->bucket_count = in->bucket_count ? 2 * in->bucket_count : 64;
  in->buckets = TS_NEW_ARRAY(in->arena, uint32_t, in->bucket_count);
  for (uint32_t r = 0; r < in->runs.count; r++)
    *bucket_of(in, in->words.at + in->runs.at[r].first, in->runs.at[r].count) = r + 1;
}

uint32_t ts_intern_run(ts_intern *in, const uint32_t *words, uint32_t count)
{
  if (2 * in->runs.count >= in->bucket_count)
    grow(in);
  uint32_t *bucket = bucket_of(in, words, count);
  if (!*bucket) {
    TS_PUSH(in->arena, &in->runs, (ts_interned){(uint32_t)in->words.count, count});
    for (uint32_t i = 0; i < count; i++)
      TS_PUSH(in->arena, &in->words, words[i]);
    *bucket = (uint32_t)in->runs.count;
  }
  return *bucket - 1;
}

/* what the first member of a class had, and became */
typedef struct part { uint32_t key, number; } part;

/* Most classes stay whole, so the key of their first member answers for nearly all; the others are
 * looked up. */
uint32_t ts_refine(uint32_t *of, uint32_t classes, const uint32_t *key, uint32_t members)
{
  ts_intern others = {.arena = ts_arena_new("partition refinement")};
  part *first = TS_NEW_ARRAY(others.arena, part, classes);
  TS_VEC(uint32_t) number = {0}; /* of each pair in `others` */
  uint32_t count = 0;
  for (uint32_t c = 0; c < classes; c++)
    first[c].number = UINT32_MAX;
  for (uint32_t i = 0; i < members; i++) {
    part *p = &first[of[i]];
    if (p->number == UINT32_MAX)
      *p = (part){key[i], count++};
    if (p->key == key[i]) {
      of[i] = p->number;
      continue;
    }
    uint32_t pair = ts_intern_run(&others, (uint32_t[]){of[i], key[i]}, 2);
    if (pair == number.count)
      TS_PUSH(others.arena, &number, count++);
    of[i] = number.at[pair];
  }
  ts_arena_free(others.arena);
  return count;
}
