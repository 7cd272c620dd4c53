/* Sequences with their repeats told once. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/report/runs.h"

static void is(const uint32_t *sequence, size_t count, const char *expected)
{
  ts_arena *arena = ts_arena_new("test");
  ts_run_list list = {0};
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  ts_find_runs(arena, sequence, count, &list);
  ts_put_runs(out, &list);
  fclose(out);
  cr_expect_str_eq(text, expected, "%s, not %s", text, expected);
  free(text);
  ts_arena_free(arena);
}

Test(runs, repeats_are_told_once)
{
  is(NULL, 0, "[]");
  is((uint32_t[]){7}, 1, "[7]");
  is((uint32_t[]){7, 7, 7}, 3, "[7,7,7]");
  is((uint32_t[]){7, 7, 7, 7, 7, 7}, 6, "[7,-1,5]");
  is((uint32_t[]){3, 4, 3, 4, 3, 4, 3, 4, 5}, 9, "[3,4,-2,3,5]");
  is((uint32_t[]){1, 2, 3, 1, 2, 3, 1, 2}, 8, "[1,2,3,-3,1,1,2]");
}

/* What is told says the sequence again, whatever it is. */
Test(runs, nothing_is_lost)
{
  uint32_t seed = 1;
  for (unsigned round = 0; round < 500; round++) {
    ts_arena *arena = ts_arena_new("test");
    ts_sequence sequence = {0}, again = {0};
    ts_run_list list = {0};
    for (unsigned i = 0; i < round; i++) {
      seed = seed * 1664525 + 1013904223;
      unsigned back = 1 + (seed >> 8) % 9;
      bool copy = seed >> 30 && sequence.at && sequence.count >= back;
      uint32_t number = copy ? sequence.at[sequence.count - back] : seed >> 28;
      TS_PUSH(arena, &sequence, number);
    }
    ts_find_runs(arena, sequence.at, sequence.count, &list);
    for (size_t i = 0; i < list.count; i++) {
      if (list.at[i] >= 0) {
        TS_PUSH(arena, &again, (uint32_t)list.at[i]);
        continue;
      }
      size_t period = (size_t)-list.at[i], more = period * (size_t)list.at[++i];
      for (; more; more--) {
        uint32_t number = again.at ? again.at[again.count - period] : 0;
        TS_PUSH(arena, &again, number);
      }
    }
    cr_assert_eq(again.count, sequence.count);
    cr_assert(!again.count ||
              memcmp(again.at, sequence.at, again.count * sizeof *again.at) == 0);
    ts_arena_free(arena);
  }
}

Test(runs, equal_tuples_have_one_number)
{
  ts_arena *arena = ts_arena_new("test");
  ts_tuples tuples = {0};
  for (unsigned round = 0; round < 2; round++)
    for (int64_t i = 0; i < 300; i++)
      cr_expect_eq(ts_tuples_number(arena, &tuples, (int64_t[]){i, -i}, i % 3 ? 2 : 1), i);
  cr_expect_eq(ts_tuples_number(arena, &tuples, NULL, 0), 300);
  ts_arena_free(arena);
}
