#include "tools/sweep/once.h"

#include <string.h>

#include "base/hash_table.h"

typedef struct once_entry {
  const void *bytes;
  size_t size;
} once_entry;

struct ts_once {
  ts_arena *arena;
  ts_hash_table table;
  TS_VEC(once_entry) all;
};

typedef struct once_wanted {
  const ts_once *once;
  once_entry of;
} once_wanted;

static bool once_same(const void *closure, uint32_t number)
{
  const once_wanted *w = closure;
  const once_entry *k = &w->once->all.at[number];
  return k->size == w->of.size && (!k->size || !memcmp(k->bytes, w->of.bytes, k->size));
}

ts_once *ts_once_new(ts_arena *arena)
{
  ts_once *once = TS_NEW(arena, ts_once);
  once->arena = arena;
  return once;
}

const void *ts_once_bytes(ts_once *once, const void *bytes, size_t size)
{
  uint32_t hash = ts_hash_bytes(bytes, size),
           found = ts_hash_find(&once->table, hash, once_same, &(once_wanted){once, {bytes, size}});
  if (found != TS_HASH_NONE)
    return once->all.at[found].bytes;
  void *copy = ts_arena_alloc(once->arena, size);
  if (size)
    memcpy(copy, bytes, size);
  ts_hash_add(once->arena, &once->table, hash, (uint32_t)once->all.count);
  TS_PUSH(once->arena, &once->all, ((once_entry){copy, size}));
  return copy;
}

const char *ts_once_text(ts_once *once, const char *text)
{
  return text ? ts_once_bytes(once, text, strlen(text) + 1) : NULL;
}
