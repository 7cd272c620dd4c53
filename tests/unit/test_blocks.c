/* Blocks of arenas: nobody gets what another one holds, what is said to be zero is, and what was
 * given back is used again. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/blocks.h"
#include "base/heap.h"
#include "tests/unit/amount.h"

enum { HELD = 24 };

static unsigned next(unsigned *state)
{
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static bool all_are(const char *at, size_t size, char what)
{
  for (size_t i = 0; i < size; i++)
    if (at[i] != what)
      return false;
  return true;
}

/* Holds some at a time, each filled with its own byte. */
static void *get_and_give(void *closure)
{
  unsigned state = (unsigned)(uintptr_t)closure;
  ts_piece held[HELD] = {{0}};
  bool good = true;
  for (unsigned round = 0, rounds = amount(200, 2000); round < rounds; round++) {
    unsigned i = next(&state) % HELD;
    char mark = (char)(i + 1 + HELD * (unsigned)(uintptr_t)closure);
    if (held[i].at) {
      good = good && all_are(held[i].at, 300, mark) &&
             all_are((char *)held[i].at + held[i].size - 300, 300, mark);
      ts_blocks_give(held[i].at, held[i].size);
      held[i].at = NULL;
      continue;
    }
    size_t size = (size_t)600 << next(&state) % 14;
    held[i] = ts_blocks_get(size + next(&state) % size);
    good = good && held[i].size >= size && held[i].dirty <= held[i].size;
    good = good && all_are((char *)held[i].at + held[i].dirty, held[i].size - held[i].dirty, 0);
    memset(held[i].at, mark, 300);
    memset((char *)held[i].at + held[i].size - 300, mark, 300);
    if (held[i].dirty < held[i].size)
      memset(held[i].at, mark, held[i].size);
  }
  for (int i = 0; i < HELD; i++)
    if (held[i].at)
      ts_blocks_give(held[i].at, held[i].size);
  return good ? NULL : closure;
}

Test(blocks, belong_to_one_thread_at_a_time)
{
  pthread_t threads[4];
  for (size_t kept = 0; kept < 2; kept++) {
    ts_blocks_keep(kept ? SIZE_MAX : 0);
    for (uintptr_t t = 0; t < 4; t++)
      cr_assert(!pthread_create(&threads[t], NULL, get_and_give, (void *)(t + 1)));
    for (int t = 0; t < 4; t++) {
      void *bad;
      pthread_join(threads[t], &bad);
      cr_expect(!bad, "thread %d, kept %zu", t, kept);
    }
  }
}

#if !TS_SHADOW
Test(blocks, neighbours_that_wait_become_one)
{
  size_t large = (size_t)1 << 21;
  ts_blocks_keep(SIZE_MAX);
  ts_piece whole = ts_blocks_get(4 * large);
  ts_blocks_give(whole.at, whole.size);
  ts_piece parts[4];
  for (int i = 0; i < 4; i++) {
    parts[i] = ts_blocks_get(large);
    cr_expect(parts[i].dirty == large, "it was used");
  }
  for (int i = 0; i < 4; i++)
    ts_blocks_give(parts[i * 3 % 4].at, large);
  ts_piece again = ts_blocks_get(4 * large);
  cr_expect_eq(again.at, whole.at);
  ts_blocks_give(again.at, again.size);
}

/* What waits may be all that a limit leaves. */
Test(blocks, that_wait_go_to_whoever_asks_malloc)
{
  enum { SIZE = 64 << 20 };
  struct rlimit limit = {SIZE + SIZE / 2, RLIM_INFINITY};
  ts_blocks_keep(SIZE_MAX);
  ts_piece got = ts_blocks_get(SIZE);
  ts_blocks_give(got.at, got.size);
  cr_assert(!setrlimit(RLIMIT_DATA, &limit));
  void *made = ts_heap_new(SIZE, 1);
  ts_blocks_keep(0);
  free(made);
}

Test(blocks, go_back_to_the_system_where_none_may_wait)
{
  ts_blocks_keep(0);
  for (int i = 0; i < 3; i++) {
    ts_piece got = ts_blocks_get((size_t)5 << 20);
    cr_expect_eq(got.size, (size_t)6 << 20);
    cr_expect_eq(got.dirty, 0);
    memset(got.at, 1, got.size);
    ts_blocks_give(got.at, got.size);
  }
}
#endif
