/* Any bytes are two steps of work, laid beside each other: whatever overlaps, is empty or lies far
 * away, the parts add up to the step, and pairs hold all of both. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/step_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { BYTES = 8, MOST = 512 };
static const char *const families[] = {"gemm", "attention", "elementwise"},
                         *const calls[] = {"all_gather", "reduce_scatter", "send"};

static void fail(const char *why)
{
  fprintf(stderr, "%s\n", why);
  abort();
}

/* begin, length and launch of two bytes each, a kind, a scale. */
static ts_step_parts *step_of(ts_arena *arena, const uint8_t *at, size_t count)
{
  ts_work_span *work = TS_NEW_ARRAY(arena, ts_work_span, count + 1);
  for (size_t i = 0; i < count; i++, at += BYTES) {
    int64_t scale = (int64_t)1 << at[7] % 40, begin = (at[0] | at[1] << 8) * scale;
    bool call = at[6] & 1;
    work[i] = (ts_work_span){.span = {.start = begin,
                                      .end = begin + (at[2] | at[3] << 8) * scale,
                                      .comm = call},
                             .name = (call ? calls : families)[at[6] / 2 % 3],
                             .issued = at[6] & 128 ? INT64_MIN : (at[4] | at[5] << 8) * scale};
  }
  return ts_step_parts_new(arena, work, (uint32_t)count, 0);
}

static void check(const ts_step_parts *p)
{
  int64_t alone = 0;
  for (size_t i = 0; i < p->parts.count; i++) {
    if (p->parts.at[i].time < 0 || p->parts.at[i].alone < 0)
      fail("a part of less than no time");
    alone += p->parts.at[i].alone;
  }
  if (alone != p->length)
    fail("parts do not add up to the step");
}

static void check_pairs(const ts_steps_beside *b)
{
  for (int side = 0; side < 2; side++) {
    int64_t before = 0, after = 0;
    for (size_t i = 0; i < b->step[side]->parts.count; i++)
      before += b->step[side]->parts.at[i].alone;
    for (size_t i = 0; i < b->parts.count; i++)
      after += b->parts.at[i].of[side].alone;
    if (before != after)
      fail("a part is in no pair");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  size_t all = size / BYTES < MOST ? size / BYTES : MOST, half = all / 2;
  if (!half)
    return 0;
  ts_arena *arena = ts_arena_new("fuzz");
  const ts_step_parts *a = step_of(arena, bytes, half),
                      *b = step_of(arena, bytes + half * BYTES, all - half);
  check(a);
  check(b);
  const ts_steps_beside *beside = ts_steps_beside_new(arena, a, b);
  check_pairs(beside);
  ts_steps_carrier(beside);
  ts_arena_free(arena);
  return 0;
}
