/* What threads share is made by one of them, whoever it is, and by each where it cannot be shared;
 * what nobody uses goes when there is no more room. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "compiler/compile.h"
#include "compiler/eval/plan_cache.h"
#include "compiler/eval/reuse.h"
#include "compiler/eval/shared.h"

enum { THREADS = 4, CONTENTS = 60, ROUNDS = 30 };

static ts_session *session_of(ts_arena *arena, ts_cache *shared)
{
  ts_session *s = ts_session_new(arena);
  s->reuse->shared = shared;
  s->reuse->plan_cache = ts_plan_cache_new(s);
  return s;
}

static ts_cache_item *ask(ts_session *s, uint64_t which)
{
  ts_content c = {0};
  ts_content_add(s, &c, which);
  ts_content_text(s, &c, "what");
  return ts_shared_ask(s, &c);
}

/* Of so many bytes. */
static void give(ts_session *s, ts_cache_item *item, size_t size, uint8_t byte)
{
  ts_noting before = ts_noting_begin(s, (ts_touched){0});
  uint8_t *room = ts_shared_room(s, item, size);
  if (room)
    memset(room, byte, size);
  ts_shared_give(s, item, &before, ts_noting_end(s, &before), room);
}

typedef struct worker {
  ts_cache *shared;
  atomic_uint *made; /* [contents] */
  uint32_t seed;
  bool wrong;
} worker;

/* Every third content has no result: each works it out by itself. */
static void *work(void *closure)
{
  worker *w = closure;
  ts_arena *arena = ts_arena_new("thread");
  ts_session *s = session_of(arena, w->shared);
  for (int i = 0; i < ROUNDS * CONTENTS; i++) {
    w->seed = w->seed * 1664525 + 1013904223;
    uint32_t which = (w->seed >> 8) % CONTENTS;
    ts_cache_item *item = ask(s, which);
    const uint8_t *known = ts_shared_result(item);
    if (!known)
      atomic_fetch_add(&w->made[which], 1);
    if (!known && which % 3)
      give(s, item, 100 + which, (uint8_t)which);
    else if (!known && which % 6) /* or it is left */
      ts_shared_give(s, item, &(ts_noting){0}, (ts_touched){.parameters = 1}, "");
    w->wrong |= known && (which % 3 == 0 || known[0] != which || known[99 + which] != which);
    if (i % 5 == 0)
      ts_shared_leave(s);
  }
  ts_shared_leave(s);
  ts_arena_free(arena);
  return NULL;
}

Test(shared, one_makes_it)
{
  ts_cache *shared = ts_shared_new();
  atomic_uint made[CONTENTS] = {0};
  worker workers[THREADS];
  pthread_t threads[THREADS];
  for (uint32_t t = 0; t < THREADS; t++) {
    workers[t] = (worker){shared, made, t + 1, false};
    cr_assert(!pthread_create(&threads[t], NULL, work, &workers[t]));
  }
  for (uint32_t t = 0; t < THREADS; t++) {
    pthread_join(threads[t], NULL);
    cr_assert(!workers[t].wrong);
  }
  for (uint32_t i = 0; i < CONTENTS; i++)
    cr_assert(i % 3 ? made[i] == 1 : made[i] > 1, "%u: %u", i, made[i]);
  ts_cache_free(shared);
}

Test(shared, what_nobody_uses_goes)
{
  enum { LARGE = 1 << 22, MANY = 20 };
  ts_cache *shared = ts_shared_new();
  ts_arena *arena = ts_arena_new("session");
  ts_session *s = session_of(arena, shared), *other = session_of(arena, shared);
  ts_cache_item *used = ask(other, 0);
  give(other, used, LARGE, 1);
  uint64_t number = ts_shared_number(used);
  for (uint64_t i = 1; i < MANY; i++) {
    give(s, ask(s, i), LARGE, (uint8_t)i);
    ts_shared_leave(s);
  }
  cr_assert(number && ts_shared_number(ask(s, 0)) == number && *(const uint8_t *)ts_shared_result(used) == 1);
  cr_assert(ts_shared_result(ask(s, MANY - 1)));
  cr_assert_null(ts_shared_result(ask(s, 1)));
  cr_assert_null(ts_shared_room(s, ask(s, MANY), (size_t)LARGE * MANY)); /* too large */
  ts_shared_leave(s);
  ts_shared_leave(other);
  ts_arena_free(arena);
  ts_cache_free(shared);
}

/* No number stands for what comes from more than its content. */
Test(shared, what_looks_at_more_has_no_number)
{
  ts_cache *shared = ts_shared_new();
  ts_arena *arena = ts_arena_new("session");
  ts_session *s = session_of(arena, shared), *other = session_of(arena, shared);
  ts_cache_item *item = ask(s, 0), *left = ask(s, 1), *large = ask(s, 2);
  ts_shared_give(s, item, &(ts_noting){0}, (ts_touched){.parameters = 1}, "");
  give(s, large, SIZE_MAX / 2, 0);
  cr_assert(!ts_shared_result(item) && !ts_shared_number(item) && !ts_shared_number(ask(other, 0)));
  cr_assert(!ts_shared_result(large) && ts_shared_number(large));
  ts_shared_leave(s);
  cr_assert(ask(other, 1) == left && !ts_shared_number(left));
  ts_shared_leave(other);
  ts_arena_free(arena);
  ts_cache_free(shared);
}

/* What only one session knows has no content for others. */
Test(shared, content_means_the_same_to_all)
{
  ts_cache *shared = ts_shared_new();
  ts_arena *arena = ts_arena_new("session");
  ts_session *s = session_of(arena, shared);
  ts_content c = {0}, d = {0};
  const ts_list list = {2, (ts_value[]){ts_int_value(3, TS_NO_SPAN), ts_none_value()}};
  ts_content_value(s, &c, (ts_value){.type = TS_T_LIST, .u.list = &list});
  ts_content_value(s, &c, ts_string_value("a text that is longer than a word", TS_NO_SPAN));
  cr_assert(!c.opaque && ts_shared_ask(s, &c));
  ts_content_span(s, &d, (ts_span){1, 0, 4});
  cr_assert(d.opaque && !ts_shared_ask(s, &d));
  ts_shared_leave(s);
  ts_arena_free(arena);
  ts_cache_free(shared);
}
