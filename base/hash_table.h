/* Hash table: finds the number of an item by its key. Items and keys are the caller's, mostly in an
 * array that the numbers count; the table holds a number and a hash of each. Open addressing with
 * linear probing; nothing is taken out. Nobody goes through a table, so hashes decide no order. */
#ifndef TS_BASE_HASH_TABLE_H
#define TS_BASE_HASH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

#define TS_HASH_NONE UINT32_MAX

typedef struct ts_hash_slot { uint32_t hash, taken; } ts_hash_slot; /* 1 + number; 0: free */

/* All 0 is an empty one. */
typedef struct ts_hash_table {
  ts_hash_slot *slots;
  size_t room; /* a power of two, at least twice the count; or 0 */
  size_t count;
} ts_hash_table;

/* Is the item of that number the one that is looked for? */
typedef bool ts_hash_same(const void *wanted, uint32_t number);

/* The number of the item, or TS_HASH_NONE. Inline, so that the comparison is too. */
static inline uint32_t ts_hash_find(const ts_hash_table *t, uint32_t hash, ts_hash_same *same,
                                    const void *wanted)
{
  if (!t->room)
    return TS_HASH_NONE;
  for (size_t at = hash & (t->room - 1); t->slots[at].taken; at = (at + 1) & (t->room - 1))
    if (t->slots[at].hash == hash && same(wanted, t->slots[at].taken - 1))
      return t->slots[at].taken - 1;
  return TS_HASH_NONE;
}

/* The same of items that begin with a number, or with a pointer to a text, as their key: hashed by
 * ts_hash_number and ts_hash_text. */
uint32_t ts_hash_find_key(const ts_hash_table *t, uint64_t key, const void *items, size_t size);
uint32_t ts_hash_find_text(const ts_hash_table *t, const char *text, const void *items,
                           size_t size);

/* Adds an item that is not there. The table grows in the arena. */
void ts_hash_add(ts_arena *arena, ts_hash_table *t, uint32_t hash, uint32_t number);
/* Makes room for `count` items in all. */
void ts_hash_reserve(ts_arena *arena, ts_hash_table *t, size_t count);

/* Hashes. Bytes are read in the order of the machine. */
uint32_t ts_hash_bytes(const void *bytes, size_t size);
uint32_t ts_hash_text(const char *text);
static inline uint32_t ts_hash_number(uint64_t number)
{
  return (uint32_t)(number * 0x9e3779b97f4a7c15u >> 32);
}

#endif
