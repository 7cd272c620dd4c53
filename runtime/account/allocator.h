/* PyTorch's caching allocator (c10/cuda/CUDACachingAllocator.cpp, 2.x), fed with the allocations of
 * a rank in the order in which its host makes them: what the framework RESERVES from the device
 * beside what tensors hold.
 *
 * Sizes are rounded up to 512 bytes; up to 1 MiB comes from small segments of 2 MiB, up to 10 MiB
 * from segments of 20 MiB, more from segments of its own size rounded up to 2 MiB. The smallest
 * free block that suffices is taken (best fit) and split, freed blocks join their neighbours. A
 * block serves only the stream it was allocated on. One that another stream used last is free when
 * that use has ended (record_stream). */
#ifndef TS_RUNTIME_ACCOUNT_ALLOCATOR_H
#define TS_RUNTIME_ACCOUNT_ALLOCATOR_H

#include "runtime/account/memory.h"

typedef struct ts_allocator_options {
  bool expandable;         /* expandable_segments: one segment a pool that grows */
  uint64_t max_split_size; /* larger blocks are not split; 0: none is too large */
  /* nodes allocate from the pool of their own stream, as frameworks do that gather parameters on
   * one; else all from that of stream 0 */
  bool streams;
  /* of the collective library, of each communicator; 0: the most that a method of the IR's network
   * models has */
  uint32_t channels;
} ts_allocator_options;

/* "caching", then any of ":expandable", ":max_split=128MiB", ":streams", ":channels=24". NULL, or
 * what is wrong. */
const char *ts_allocator_parse(const char *text, ts_allocator_options *options);

typedef struct ts_allocator ts_allocator;
/* limit of what is reserved; 0: none */
ts_allocator *ts_allocator_new(ts_arena *arena, const ts_allocator_options *options,
                               uint64_t limit);
/* A number for the block, for ts_allocator_release. UINT32_MAX: not even after giving back all that
 * is cached. */
uint32_t ts_allocator_take(ts_allocator *a, uint64_t bytes, uint32_t stream);
void ts_allocator_release(ts_allocator *a, uint32_t block);

typedef struct ts_allocator_state {
  uint64_t requested, allocated; /* as asked for; rounded */
  uint64_t reserved;
  uint64_t segments;
  uint64_t retries;              /* times that what was cached had to be given back */
} ts_allocator_state;
ts_allocator_state ts_allocator_now(const ts_allocator *a);

typedef struct ts_reserved { /* of one class */
  uint64_t allocated, reserved; /* their peaks, over a step in the steady state */
  /* share of what is reserved at most that tensors do not hold then, or at any later time of the
   * step */
  double fragmentation;
  uint64_t segments, retries;
  bool failed;                  /* an allocation could not be served */
  uint32_t communicators, channels;
  /* of the collective library: outside of the allocator, beside the driver's context */
  uint64_t buffers;
} ts_reserved;

/* By class, as in ts_result. The step is played twice: what the first leaves cached is there for
 * the second. */
const ts_reserved *ts_reserved_new(ts_arena *arena, const ts_ir *ir, const ts_run *run,
                                   const ts_memory *memory, const ts_allocator_options *options);

#endif
