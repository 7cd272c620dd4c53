/* What each class of ranks holds over the step: what its program holds throughout, and what its
 * nodes allocate and free. An allocation counts from the start of its node, a release from the end
 * of its node; at one moment releases come first. Of programs whose memory is issued the order is
 * that of issue. */
#ifndef TS_RUNTIME_ACCOUNT_MEMORY_H
#define TS_RUNTIME_ACCOUNT_MEMORY_H

#include <stdint.h>

#include "base/arena.h"
#include "ir/ir.h"
#include "runtime/account/labels.h"
#include "runtime/account/result.h"

/* bytes of one category under one label; of ts_memory_new repeats count as one:
 * layer[*].attn.qkv */
typedef struct ts_memory_holder {
  uint32_t category;
  const char *label;
  uint64_t bytes;
  uint32_t count; /* allocations held */
} ts_memory_holder;

typedef struct ts_memory_moment {
  uint64_t time;          /* ps */
  const ts_ir_node *node; /* that allocates; NULL: before the first node */
  uint32_t item;
  uint64_t requested;     /* bytes that the node allocates */
  uint64_t held;          /* before that */
} ts_memory_moment;

typedef struct ts_memory_class {
  uint32_t rank;      /* of the class: the first of those whose devices have least memory */
  uint32_t vertex;    /* its device, or TS_IR_NONE: the IR has no devices */
  uint64_t limit;     /* memory of the device; 0: not known */
  uint64_t reserved;  /* of it, for driver and libraries */
  uint64_t base;      /* held for the whole step */
  uint64_t peak;      /* most bytes held at a time, without `reserved` */
  uint64_t category[TS_IR_CATEGORIES]; /* at the peak; sums up to it */
  ts_memory_moment at_peak;
  uint64_t over;      /* bytes that peak + reserved exceeds the limit by */
  ts_memory_moment first_over; /* if over > 0 */
  uint32_t holder_count;
  const ts_memory_holder *holders; /* at the peak, largest first */
} ts_memory_class;

typedef struct ts_memory {
  uint32_t class_count;
  const ts_memory_class *classes; /* as in ts_result */
  /* the class with the least room left, else with the highest peak */
  uint32_t fullest;
  bool stated;                    /* the IR says something about memory */
} ts_memory;

const ts_memory *ts_memory_new(ts_arena *arena, const ts_ir *ir, const ts_run *run);
/* The same with another view of the holders' labels. */
const ts_memory *ts_memory_by(ts_arena *arena, const ts_ir *ir, const ts_run *run,
                              ts_label_view view);

/* Calls `each` with what a rank holds from each moment at which that changes. */
void ts_memory_curve(const ts_ir *ir, const ts_run *run, uint32_t rank,
                     void (*each)(void *closure, uint64_t time,
                                  const int64_t category[TS_IR_CATEGORIES]),
                     void *closure);
/* The most that a rank holds in each of `count` columns of the step. */
void ts_memory_columns(const ts_ir *ir, const ts_run *run, uint32_t rank, uint32_t count,
                       uint64_t *most);

#endif
