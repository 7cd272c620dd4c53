/* A cache: one makes what its key says, others wait for it; what nobody uses goes when there is no
 * more room. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/cache.h"

enum { THREADS = 4, ROUNDS = 2000, KEYS = 50 };

static ts_cache_item *ask(ts_cache *cache, const char *key, const void *maker)
{
  return ts_cache_ask(cache, key, strlen(key), maker);
}

static void make(ts_cache *cache, ts_cache_item *item, size_t size, uint8_t byte)
{
  uint8_t *bytes = ts_arena_alloc(ts_cache_arena(item), size);
  memset(bytes, byte, size);
  ts_cache_give(cache, item, bytes, true);
}

typedef struct worker {
  ts_cache *cache;
  atomic_uint *made;
  uint32_t seed;
  bool wrong;
} worker;

static void *work(void *closure)
{
  worker *w = closure;
  for (int i = 0; i < ROUNDS; i++) {
    w->seed = w->seed * 1664525 + 1013904223;
    uint32_t key = (w->seed >> 8) % KEYS;
    ts_cache_item *item = ts_cache_ask(w->cache, &key, sizeof key, w);
    if (ts_cache_makes(item, w)) {
      atomic_fetch_add(&w->made[key], 1);
      make(w->cache, item, 10 + key, (uint8_t)key);
    }
    const uint8_t *bytes = ts_cache_result(item);
    w->wrong |= bytes[0] != key || bytes[9 + key] != key;
    ts_cache_leave(w->cache, item, w);
  }
  return NULL;
}

Test(cache, one_thread_makes_it_and_the_others_wait)
{
  ts_cache *cache = ts_cache_new("test", 1 << 24);
  atomic_uint made[KEYS] = {0};
  worker workers[THREADS];
  pthread_t threads[THREADS];
  for (uint32_t t = 0; t < THREADS; t++) {
    workers[t] = (worker){cache, made, t, false};
    cr_assert_eq(pthread_create(&threads[t], NULL, work, &workers[t]), 0);
  }
  for (int t = 0; t < THREADS; t++) {
    pthread_join(threads[t], NULL);
    cr_expect(!workers[t].wrong);
  }
  for (int k = 0; k < KEYS; k++)
    cr_expect_eq(made[k], 1);
  ts_cache_free(cache);
}

Test(cache, a_key_is_all_of_its_bytes)
{
  ts_cache *cache = ts_cache_new("test", 1 << 24);
  char me, size_key[] = "a\0b";
  ts_cache_item *a = ask(cache, "a", &me), *ab = ts_cache_ask(cache, size_key, 3, &me);
  size_t size;
  cr_assert(a != ab && ask(cache, "a", &me) == a);
  cr_assert_neq(ts_cache_number(a), ts_cache_number(ab));
  cr_assert(!memcmp(ts_cache_key(ab, &size), "a\0b", 3) && size == 3);
  ts_cache_free(cache);
}

/* Who asks then makes its own, and waits for nobody. */
Test(cache, what_is_not_given_is_not_shared)
{
  ts_cache *cache = ts_cache_new("test", 1 << 24);
  char one, other;
  ts_cache_item *none = ask(cache, "none", &one), *more = ask(cache, "more", &one),
                *left = ask(cache, "left", &one);
  ts_cache_give(cache, none, NULL, true);
  ts_cache_give(cache, more, "made of more than the key", false);
  ts_cache_leave(cache, left, &one);
  cr_assert(ask(cache, "none", &other) == none && ask(cache, "more", &other) == more &&
            ask(cache, "left", &other) == left);
  cr_assert(!ts_cache_result(none) && !ts_cache_result(more) && !ts_cache_result(left));
  cr_assert(!ts_cache_makes(none, &other) && !ts_cache_makes(left, &other));
  cr_assert(ts_cache_number(none) && !ts_cache_number(more) && !ts_cache_number(left));
  ts_cache_free(cache);
}

Test(cache, the_one_not_asked_for_longest_goes)
{
  enum { LARGE = 1 << 16 };
  ts_cache *cache = ts_cache_new("test", 4 * LARGE);
  char me;
  const char *names[] = {"0", "1", "2", "3", "4", "5", "6", "7"};
  ts_cache_item *used = ask(cache, "used", &me);
  make(cache, used, LARGE, 99);
  for (int i = 0; i < 8; i++) {
    ts_cache_item *item = ask(cache, names[i], &me);
    make(cache, item, LARGE, (uint8_t)i);
    ts_cache_leave(cache, item, &me);
  }
  cr_expect_eq(*(const uint8_t *)ts_cache_result(used), 99);
  cr_expect_eq(ask(cache, "used", &me), used);
  cr_expect(ts_cache_result(ask(cache, "7", &me)));
  cr_expect(ts_cache_makes(ask(cache, "0", &me), &me), "it is made again");
  ts_cache_free(cache);
}
