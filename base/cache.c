#include "base/cache.h"

#include <pthread.h>
#include <string.h>

#include "base/hash_table.h"
#include "base/heap.h"

/* EACH_ITS_OWN: nobody waits for it, and nobody gives it. */
typedef enum state { MAKING, THERE, EACH_ITS_OWN } state;

struct ts_cache_item {
  ts_arena *arena;        /* of all that it holds, itself too */
  uint64_t number, used;  /* used: when, last */
  uint32_t hash, users;
  state state;
  const void *maker; /* NULL once it is given */
  size_t size;
  const void *key, *result;
};

struct ts_cache {
  pthread_mutex_t lock; /* of all that follows, and of items but for keys and what is made */
  pthread_cond_t made;
  const char *name;
  size_t most;
  ts_arena *arena;
  uint64_t numbers, asks;
  TS_VEC(ts_cache_item *) all;
};

ts_cache *ts_cache_new(const char *name, size_t most)
{
  ts_arena *arena = ts_arena_new(name);
  ts_cache *cache = TS_NEW(arena, ts_cache);
  cache->arena = arena;
  cache->name = name;
  cache->most = most;
  pthread_mutex_init(&cache->lock, NULL);
  pthread_cond_init(&cache->made, NULL);
  return cache;
}

void ts_cache_free(ts_cache *cache)
{
  if (!cache)
    return;
  for (size_t i = 0; i < cache->all.count; i++)
    ts_arena_free(cache->all.at[i]->arena);
  pthread_cond_destroy(&cache->made);
  pthread_mutex_destroy(&cache->lock);
  ts_arena_free(cache->arena);
}

size_t ts_cache_most(const ts_cache *cache)
{
  uint64_t ceiling = ts_heap_ceiling() / 8;
  return ceiling && ceiling < cache->most ? (size_t)ceiling : cache->most;
}

/* Those that nobody uses, the one not asked for longest first, until all fit. */
static void cache_make_room(ts_cache *cache)
{
  size_t used = 0, most = ts_cache_most(cache);
  for (size_t i = 0; i < cache->all.count; i++)
    used += cache->all.at[i]->state == MAKING ? 0 : ts_arena_used(cache->all.at[i]->arena);
  while (used > most) {
    size_t oldest = SIZE_MAX;
    for (size_t i = 0; i < cache->all.count; i++)
      if (!cache->all.at[i]->users &&
          (oldest == SIZE_MAX || cache->all.at[i]->used < cache->all.at[oldest]->used))
        oldest = i;
    if (oldest == SIZE_MAX)
      return;
    used -= ts_arena_used(cache->all.at[oldest]->arena);
    ts_arena_free(cache->all.at[oldest]->arena);
    cache->all.at[oldest] = cache->all.at[--cache->all.count];
  }
}

static ts_cache_item *cache_add(ts_cache *cache, const void *key, size_t size, uint32_t hash,
                                const void *maker)
{
  ts_arena *arena = ts_arena_new(cache->name);
  ts_cache_item *item = TS_NEW(arena, ts_cache_item);
  *item = (ts_cache_item){.arena = arena,
                          .number = ++cache->numbers,
                          .hash = hash,
                          .maker = maker,
                          .size = size,
                          .key = ts_arena_copy(arena, key, size)};
  TS_PUSH(cache->arena, &cache->all, item);
  return item;
}

static ts_cache_item *cache_find(const ts_cache *cache, const void *key, size_t size, uint32_t hash)
{
  for (size_t i = 0; i < cache->all.count; i++) {
    ts_cache_item *item = cache->all.at[i];
    if (item->hash == hash && item->size == size && !memcmp(item->key, key, size))
      return item;
  }
  return NULL;
}

ts_cache_item *ts_cache_ask(ts_cache *cache, const void *key, size_t size, const void *maker)
{
  uint32_t hash = ts_hash_bytes(key, size);
  pthread_mutex_lock(&cache->lock);
  ts_cache_item *item = cache_find(cache, key, size, hash);
  if (!item)
    item = cache_add(cache, key, size, hash, maker);
  item->users++;
  item->used = ++cache->asks;
  while (item->state == MAKING && item->maker != maker)
    pthread_cond_wait(&cache->made, &cache->lock);
  pthread_mutex_unlock(&cache->lock);
  return item;
}

bool ts_cache_makes(const ts_cache_item *item, const void *maker) { return item->maker == maker; }
ts_arena *ts_cache_arena(const ts_cache_item *item) { return item->arena; }
const void *ts_cache_key(const ts_cache_item *item, size_t *size)
{
  *size = item->size;
  return item->key;
}

const void *ts_cache_result(const ts_cache_item *item) { return item->result; }
uint64_t ts_cache_number(const ts_cache_item *item) { return item->number; }

static void cache_give(ts_cache *cache, ts_cache_item *item, const void *result, bool all)
{
  item->number = all ? item->number : 0;
  item->result = all ? result : NULL;
  item->state = item->result ? THERE : EACH_ITS_OWN;
  item->maker = NULL;
  cache_make_room(cache);
  pthread_cond_broadcast(&cache->made);
}

void ts_cache_give(ts_cache *cache, ts_cache_item *item, const void *result, bool all)
{
  pthread_mutex_lock(&cache->lock);
  cache_give(cache, item, result, all);
  pthread_mutex_unlock(&cache->lock);
}

void ts_cache_leave(ts_cache *cache, ts_cache_item *item, const void *maker)
{
  pthread_mutex_lock(&cache->lock);
  if (item->maker == maker)
    cache_give(cache, item, NULL, false);
  item->users--;
  pthread_mutex_unlock(&cache->lock);
}
