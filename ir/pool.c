#include "ir/pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash_table.h"
#include "base/heap.h"
#include "ir/ir.h"

uint32_t ts_ir_pool_append(ts_ir_pool *pool, uint32_t count)
{
  if (count >= TS_IR_NONE - pool->count)
    abort(); /* a table has fewer than 2^32 - 1 records: TS_IR_NONE is no index */
  uint32_t first = pool->count;
  if (!count)
    return first;
  uint64_t needed = (uint64_t)first + count;
  if (needed > pool->room) {
    uint64_t room = pool->room ? 2 * (uint64_t)pool->room : 16;
    room = room < needed ? needed : room > TS_IR_NONE ? TS_IR_NONE : room;
    pool->bytes = ts_heap_resize(pool->bytes, room, pool->record_size);
    int64_t more = (int64_t)(room - pool->room) * pool->record_size;
    pool->room = (uint32_t)room;
    ts_heap_in_arenas(more);
  }
  memset(pool->bytes + (size_t)first * pool->record_size, 0, (size_t)count * pool->record_size);
  pool->count = (uint32_t)needed;
  return first;
}

static void grow_slots(ts_ir_pool *pool)
{
  uint32_t count = pool->slot_count ? 2 * pool->slot_count : 64;
  ts_ir_run *slots = ts_heap_new(count, sizeof *slots);
  for (uint32_t i = 0; i < pool->slot_count; i++) {
    if (!pool->slots[i].count)
      continue;
    uint32_t at = pool->slots[i].hash & (count - 1);
    while (slots[at].count)
      at = (at + 1) & (count - 1);
    slots[at] = pool->slots[i];
  }
  free(pool->slots);
  pool->slots = slots;
  pool->slot_count = count;
}

uint32_t ts_ir_pool_intern(ts_ir_pool *pool, const void *records, uint32_t count)
{
  if (!count)
    return 0;
  if (2 * pool->used >= pool->slot_count)
    grow_slots(pool);
  size_t size = (size_t)count * pool->record_size;
  uint32_t hash = ts_hash_bytes(records, size), mask = pool->slot_count - 1, at = hash & mask;
  for (; pool->slots[at].count; at = (at + 1) & mask) {
    const ts_ir_run *run = &pool->slots[at];
    if (run->hash == hash && run->count == count &&
        !memcmp(pool->bytes + (size_t)run->first * pool->record_size, records, size))
      return run->first;
  }
  uint32_t first = ts_ir_pool_append(pool, count);
  memcpy(pool->bytes + (size_t)first * pool->record_size, records, size);
  pool->slots[at] = (ts_ir_run){hash, first, count};
  pool->used++;
  return first;
}

void ts_ir_pool_clear(ts_ir_pool *pool)
{
  ts_heap_in_arenas(-(int64_t)pool->room * pool->record_size);
  free(pool->bytes);
  free(pool->slots);
  *pool = (ts_ir_pool){.record_size = pool->record_size};
}
