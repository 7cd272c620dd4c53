#include "runtime/load/intern.h"

#include <string.h>

typedef struct intern_wanted {
  const ts_intern *in;
  const uint32_t *words;
  uint32_t count;
} intern_wanted;

static bool same_run(const void *closure, uint32_t number)
{
  const intern_wanted *w = closure;
  const ts_interned *run = &w->in->runs.at[number];
  return run->count == w->count &&
         (!w->count ||
          !memcmp(w->in->words.at + run->first, w->words, w->count * sizeof *w->words));
}

uint32_t ts_intern_run(ts_intern *in, const uint32_t *words, uint32_t count)
{
  uint32_t hash = ts_hash_bytes(words, count * sizeof *words);
  uint32_t run = ts_hash_find(&in->table, hash, same_run, &(intern_wanted){in, words, count});
  if (run != TS_HASH_NONE)
    return run;
  run = (uint32_t)in->runs.count;
  TS_PUSH(in->arena, &in->runs, (ts_interned){(uint32_t)in->words.count, count});
  for (uint32_t i = 0; i < count; i++)
    TS_PUSH(in->arena, &in->words, words[i]);
  ts_hash_add(in->arena, &in->table, hash, run);
  return run;
}

/* what the first member of a class had, and became */
typedef struct intern_part {
  uint32_t key, number;
} intern_part;

/* Most classes stay whole, so the key of their first member answers for nearly all; the others are
 * looked up. */
uint32_t ts_refine(uint32_t *of, uint32_t classes, const uint32_t *key, uint32_t members)
{
  ts_intern others = {.arena = ts_arena_new("partition refinement")};
  intern_part *first = TS_NEW_ARRAY(others.arena, intern_part, classes);
  TS_VEC(uint32_t) number = {0}; /* of each pair in `others` */
  uint32_t count = 0;
  for (uint32_t c = 0; c < classes; c++)
    first[c].number = UINT32_MAX;
  for (uint32_t i = 0; i < members; i++) {
    intern_part *p = &first[of[i]];
    if (p->number == UINT32_MAX)
      *p = (intern_part){key[i], count++};
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
