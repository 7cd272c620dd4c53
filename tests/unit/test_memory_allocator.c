/* The caching allocator, against what PyTorch's rules say of small cases. */
#include <criterion/criterion.h>

#include "runtime/account/allocator.h"

static const uint64_t MIB = 1 << 20;

typedef struct heap { ts_arena *arena; ts_allocator *a; } heap;

static heap heap_new(const char *text, uint64_t limit)
{
  ts_allocator_options o;
  heap h = {.arena = ts_arena_new("allocator")};
  cr_assert_null(ts_allocator_parse(text, &o));
  h.a = ts_allocator_new(h.arena, &o, limit);
  return h;
}

static uint64_t reserved(const heap *h) { return ts_allocator_now(h->a).reserved; }

Test(allocator, sizes_of_segments)
{
  heap h = heap_new("caching", 0);
  ts_allocator_take(h.a, 1, 0);
  cr_expect_eq(reserved(&h), 2 * MIB);
  cr_expect_eq(ts_allocator_now(h.a).allocated, 512);
  ts_allocator_take(h.a, MIB, 0);
  cr_expect_eq(reserved(&h), 2 * MIB, "both fit in one small segment");
  ts_allocator_take(h.a, MIB + 1, 0);
  cr_expect_eq(reserved(&h), 22 * MIB);
  ts_allocator_take(h.a, 11 * MIB, 0);
  cr_expect_eq(reserved(&h), 22 * MIB, "fits in the rest of 20 MiB");
  ts_allocator_take(h.a, 11 * MIB, 0);
  cr_expect_eq(reserved(&h), 34 * MIB, "has a segment of its own, in steps of 2 MiB");
  ts_arena_free(h.arena);
}

/* c10/cuda/CUDACachingAllocator.cpp: a request has a segment of its size from kMinLargeAlloc on
 * (get_allocation_size), what is left of a block is split off above kSmallSize (should_split), and a
 * block that may not be split serves requests of less than kLargeBuffer below it (get_free_block). */
Test(allocator, at_its_limits)
{
  heap h = heap_new("caching", 0);
  ts_allocator_take(h.a, 10 * MIB, 0);
  cr_expect_eq(reserved(&h), 10 * MIB);
  ts_allocator_take(h.a, 10 * MIB - 512, 0);
  cr_expect_eq(reserved(&h), 30 * MIB);
  ts_arena_free(h.arena);
  h = heap_new("caching", 0);
  ts_allocator_release(h.a, ts_allocator_take(h.a, 40 * MIB, 0));
  ts_allocator_take(h.a, 39 * MIB, 0);
  cr_expect_eq(ts_allocator_now(h.a).allocated, 40 * MIB, "1 MiB is not split off");
  ts_arena_free(h.arena);
  h = heap_new("caching", 0);
  ts_allocator_release(h.a, ts_allocator_take(h.a, 40 * MIB, 0));
  ts_allocator_take(h.a, 39 * MIB - 512, 0);
  cr_expect_eq(ts_allocator_now(h.a).allocated, 39 * MIB - 512, "what is more is split off");
  ts_arena_free(h.arena);
  h = heap_new("caching:max_split=100MiB", 0);
  ts_allocator_release(h.a, ts_allocator_take(h.a, 200 * MIB, 0));
  ts_allocator_take(h.a, 180 * MIB, 0);
  cr_expect_eq(reserved(&h), 380 * MIB, "20 MiB more than is asked are too much");
  ts_allocator_take(h.a, 180 * MIB + 512, 0);
  cr_expect_eq(reserved(&h), 380 * MIB);
  ts_arena_free(h.arena);
}

Test(allocator, best_fit_and_coalescing)
{
  heap h = heap_new("caching", 0);
  uint32_t a = ts_allocator_take(h.a, 40 * MIB, 0), b = ts_allocator_take(h.a, 20 * MIB, 0);
  ts_allocator_release(h.a, a);
  ts_allocator_release(h.a, b);
  uint32_t c = ts_allocator_take(h.a, 18 * MIB, 0), d = ts_allocator_take(h.a, 30 * MIB, 0);
  cr_expect_eq(reserved(&h), 60 * MIB, "the smaller block for the smaller, so both fit");
  ts_allocator_release(h.a, c);
  ts_allocator_release(h.a, d);
  ts_allocator_take(h.a, 40 * MIB, 0);
  cr_expect_eq(reserved(&h), 60 * MIB, "the two parts of 40 MiB are one again");
  ts_arena_free(h.arena);
}

Test(allocator, streams_have_their_own)
{
  heap h = heap_new("caching", 0);
  ts_allocator_release(h.a, ts_allocator_take(h.a, 30 * MIB, 0));
  ts_allocator_take(h.a, 30 * MIB, 1);
  cr_expect_eq(reserved(&h), 60 * MIB);
  ts_arena_free(h.arena);
}

Test(allocator, large_blocks_are_not_split)
{
  heap h = heap_new("caching:max_split=100MiB", 0);
  ts_allocator_release(h.a, ts_allocator_take(h.a, 200 * MIB, 0));
  ts_allocator_take(h.a, 50 * MIB, 0);
  cr_expect_eq(reserved(&h), 250 * MIB);
  ts_allocator_take(h.a, 190 * MIB, 0);
  cr_expect_eq(reserved(&h), 250 * MIB, "large, and of about the size");
  ts_arena_free(h.arena);
}

Test(allocator, expandable_segments_grow)
{
  heap h = heap_new("caching:expandable", 0);
  uint32_t a = ts_allocator_take(h.a, 30 * MIB, 0);
  cr_expect_eq(reserved(&h), 40 * MIB, "pages of 20 MiB");
  ts_allocator_release(h.a, a);
  ts_allocator_take(h.a, 70 * MIB, 0);
  cr_expect_eq(reserved(&h), 80 * MIB, "what is free at the end is part of it");
  cr_expect_eq(ts_allocator_now(h.a).segments, 1);
  ts_arena_free(h.arena);
}

Test(allocator, gives_back_what_is_cached_when_short)
{
  heap h = heap_new("caching", 100 * MIB);
  ts_allocator_release(h.a, ts_allocator_take(h.a, 60 * MIB, 0));
  cr_expect_neq(ts_allocator_take(h.a, 80 * MIB, 0), UINT32_MAX);
  cr_expect_eq(ts_allocator_now(h.a).retries, 1);
  cr_expect_eq(ts_allocator_take(h.a, 30 * MIB, 0), UINT32_MAX);
  ts_arena_free(h.arena);
}

/* Taken and released in any order: neighbours are one again, and nothing is lost. */
Test(allocator, all_comes_back)
{
  for (int expandable = 0; expandable < 2; expandable++) {
    heap h = heap_new(expandable ? "caching:expandable" : "caching", 0);
    uint32_t held[64], random = 1;
    bool taken[64] = {false};
    for (int i = 0; i < 20000; i++) {
      random = random * 1664525u + 1013904223u;
      uint32_t k = random >> 26;
      if (taken[k])
        ts_allocator_release(h.a, held[k]);
      else
        held[k] = ts_allocator_take(h.a, (random >> 4) % (random & 8 ? 4 * MIB : 64 * MIB) + 1,
                                    random >> 7 & 1);
      taken[k] = !taken[k];
      ts_allocator_state s = ts_allocator_now(h.a);
      cr_assert(s.requested <= s.allocated && s.allocated <= s.reserved);
    }
    for (int k = 0; k < 64; k++)
      if (taken[k])
        ts_allocator_release(h.a, held[k]);
    ts_allocator_state s = ts_allocator_now(h.a);
    cr_expect(s.requested == 0 && s.allocated == 0);
    ts_arena_free(h.arena);
  }
}
