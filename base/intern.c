#include "base/intern.h"

#include <string.h>

typedef struct intern_wanted {
  const ts_intern *in;
  ts_interned of;
} intern_wanted;

static bool same_bytes(const void *closure, uint32_t number)
{
  const intern_wanted *w = closure;
  const ts_interned *known = &w->in->all.at[number];
  return known->size == w->of.size && (!known->size || !memcmp(known->at, w->of.at, known->size));
}

static uint32_t intern_find(const ts_intern *in, const void *bytes, size_t size, uint32_t hash)
{
  return ts_hash_find(&in->table, hash, same_bytes, &(intern_wanted){in, {bytes, size}});
}

uint32_t ts_intern_find(const ts_intern *in, const void *bytes, size_t size)
{
  return intern_find(in, bytes, size, ts_hash_bytes(bytes, size));
}

uint32_t ts_intern_bytes(ts_intern *in, const void *bytes, size_t size)
{
  uint32_t hash = ts_hash_bytes(bytes, size), number = intern_find(in, bytes, size, hash);
  if (number != TS_HASH_NONE)
    return number;
  number = (uint32_t)in->all.count;
  TS_PUSH(in->arena, &in->all, ((ts_interned){ts_arena_string(in->arena, bytes, size), size}));
  ts_hash_add(in->arena, &in->table, hash, number);
  return number;
}

const char *ts_intern_text(ts_intern *in, const char *text)
{
  return text ? ts_intern_at(in, text, strlen(text)) : NULL;
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
