#include "base/hash_table.h"

#include <string.h>

enum { LEAST_ROOM = 16 };

static void hash_table_place(ts_hash_table *t, ts_hash_slot slot)
{
  size_t at = slot.hash & (t->room - 1);
  while (t->slots[at].taken)
    at = (at + 1) & (t->room - 1);
  t->slots[at] = slot;
}

void ts_hash_reserve(ts_arena *arena, ts_hash_table *t, size_t count)
{
  ts_hash_table old = *t;
  if (2 * count <= old.room)
    return;
  t->room = old.room ? old.room : LEAST_ROOM;
  while (t->room < 2 * count)
    t->room *= 2;
  t->slots = TS_NEW_ARRAY(arena, ts_hash_slot, t->room);
  for (size_t i = 0; i < old.room; i++)
    if (old.slots[i].taken)
      hash_table_place(t, old.slots[i]);
}

void ts_hash_add(ts_arena *arena, ts_hash_table *t, uint32_t hash, uint32_t number)
{
  ts_hash_reserve(arena, t, ++t->count);
  hash_table_place(t, (ts_hash_slot){hash, number + 1});
}

typedef struct key_wanted {
  const char *items;
  size_t size;
  uint64_t key;
  const char *text;
} key_wanted;

static bool same_key(const void *closure, uint32_t number)
{
  const key_wanted *w = closure;
  return *(const uint64_t *)(const void *)(w->items + number * w->size) == w->key;
}

uint32_t ts_hash_find_key(const ts_hash_table *t, uint64_t key, const void *items, size_t size)
{
  return ts_hash_find(t, ts_hash_number(key), same_key,
                      &(key_wanted){.items = items, .size = size, .key = key});
}

static bool hash_table_same_text(const void *closure, uint32_t number)
{
  const key_wanted *w = closure;
  return !strcmp(*(const char *const *)(const void *)(w->items + number * w->size), w->text);
}

uint32_t ts_hash_find_text(const ts_hash_table *t, const char *text, const void *items, size_t size)
{
  return ts_hash_find(t, ts_hash_text(text), hash_table_same_text,
                      &(key_wanted){.items = items, .size = size, .text = text});
}

uint32_t ts_hash_text(const char *text) { return ts_hash_bytes(text, strlen(text)); }

uint32_t ts_hash_bytes(const void *bytes, size_t size)
{
  const unsigned char *at = bytes;
  uint64_t hash = 0x9e3779b97f4a7c15u ^ size, word;
  for (; size >= 8; at += 8, size -= 8) {
    memcpy(&word, at, 8);
    hash = (hash ^ word) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  word = 0;
  if (size)
    memcpy(&word, at, size);
  hash = (hash ^ word) * 0xc4ceb9fe1a85ec53u;
  return (uint32_t)(hash >> 32);
}
