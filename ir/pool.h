/* Pool: a growable array of records that can find an equal run again (open addressing; the runs
 * themselves are the keys). It has slots of its own, not those of base/hash_table.h: they hold the
 * runs, so that finding one takes no further step, and their memory is given back as they grow. */
#ifndef TS_IR_POOL_H
#define TS_IR_POOL_H

#include <stdint.h>

typedef struct ts_ir_run { uint32_t hash, first, count; } ts_ir_run; /* count 0: free */

typedef struct ts_ir_pool {
  uint8_t *bytes;
  uint32_t count, room; /* records */
  uint32_t record_size;
  ts_ir_run *slots; /* a power of two of them */
  uint32_t slot_count, used;
} ts_ir_pool;

/* Appends zeroed records; returns the index of the first. */
uint32_t ts_ir_pool_append(ts_ir_pool *pool, uint32_t count);
/* Finds an equal run that was interned before or appends it; no records: 0. */
uint32_t ts_ir_pool_intern(ts_ir_pool *pool, const void *records, uint32_t count);
void ts_ir_pool_clear(ts_ir_pool *pool);

#endif
