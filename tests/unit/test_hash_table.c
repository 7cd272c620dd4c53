/* Hash tables: items are found by key, whatever their hashes are. */
#include "base/hash_table.h"

#include <string.h>

#include <criterion/criterion.h>

enum { MANY = 5000 };

typedef struct wanted { const uint64_t *keys; uint64_t key; } wanted;

static bool same_key(const void *closure, uint32_t number)
{
  const wanted *w = closure;
  return w->keys[number] == w->key;
}

/* Adds keys 0, 7, 14, ... under hashes of `bits` bits, and expects to find these and no others. */
static void expect_found(unsigned bits)
{
  ts_arena *arena = ts_arena_new("test");
  ts_hash_table t = {0};
  uint64_t keys[MANY];
  uint32_t count = bits < 8 ? 200 : MANY;
  uint32_t mask = (uint32_t)((UINT64_C(1) << bits) - 1);
  for (uint32_t i = 0; i < count; i++) {
    keys[i] = UINT64_C(7) * i;
    ts_hash_add(arena, &t, ts_hash_number(keys[i]) & mask, i);
  }
  cr_expect_eq(t.count, count);
  for (uint64_t key = 0; key < 7 * (uint64_t)count; key++) {
    uint32_t found = ts_hash_find(&t, ts_hash_number(key) & mask, same_key, &(wanted){keys, key});
    cr_expect_eq(found, key % 7 ? TS_HASH_NONE : (uint32_t)(key / 7), "key %u with %u bits",
                 (unsigned)key, bits);
  }
  ts_arena_free(arena);
}

Test(hash_table, finds_each_item) { expect_found(32); }
Test(hash_table, finds_items_of_equal_hashes) { expect_found(0); }
Test(hash_table, finds_items_of_few_hashes) { expect_found(3); }

Test(hash_table, an_empty_one_holds_nothing)
{
  ts_hash_table t = {0};
  uint64_t key = 0;
  cr_expect_eq(ts_hash_find(&t, 0, same_key, &(wanted){&key, key}), TS_HASH_NONE);
}

Test(hash_table, a_reserve_is_enough)
{
  ts_arena *arena = ts_arena_new("test");
  ts_hash_table t = {0};
  ts_hash_reserve(arena, &t, 100);
  const ts_hash_slot *slots = t.slots;
  for (uint32_t i = 0; i < 100; i++)
    ts_hash_add(arena, &t, ts_hash_number(i), i);
  cr_expect_eq(t.slots, slots, "the table did not grow");
  ts_hash_reserve(arena, &t, 50);
  cr_expect_eq(t.slots, slots, "nor does it for fewer");
  ts_arena_free(arena);
}

/* Every byte counts, and so does the length. */
Test(hash_table, hashes_of_bytes)
{
  char text[24] = {0};
  uint32_t seen[24];
  for (size_t size = 0; size < sizeof text; size++) {
    seen[size] = ts_hash_bytes(text, size);
    for (size_t i = 0; i < size; i++) {
      cr_expect_neq(seen[i], seen[size], "%zu and %zu bytes of 0", i, size);
      text[i] = 1;
      cr_expect_neq(ts_hash_bytes(text, size), seen[size], "byte %zu of %zu", i, size);
      text[i] = 0;
    }
  }
}
