/* Memory of an arena is zeroed, also where it was used before. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/arena.h"

static bool zero(const char *at, size_t size)
{
  for (size_t i = 0; i < size; i++)
    if (at[i])
      return false;
  return true;
}

Test(arena, what_was_used_before_is_zeroed_again)
{
  ts_arena *arena = ts_arena_new("test");
  unsigned state = 1;
  for (int round = 0; round < 20; round++) {
    char *grown = NULL;
    size_t room = 0;
    for (int i = 0; i < 200; i++) {
      state = state * 1664525u + 1013904223u;
      size_t size = (state >> 16) % 700 + 1;
      char *at;
      switch (state >> 13 & 3) {
      case 0:
        at = ts_arena_alloc_raw(arena, size);
        break;
      case 1:
        at = ts_arena_copy(arena, "0123456789", size % 11);
        size = size % 11;
        break;
      case 2:
        at = grown = ts_arena_grow(arena, grown, room, room + size);
        cr_assert(zero(grown + room, size), "round %d, grown by %zu", round, size);
        size = room += size;
        break;
      default:
        at = ts_arena_alloc(arena, size);
        cr_assert(zero(at, size), "round %d, %zu bytes", round, size);
      }
      memset(at, 0xff, size);
    }
    ts_arena_reset(arena);
  }
  ts_arena_free(arena);
}
