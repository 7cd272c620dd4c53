/* What a rank allocates and frees over the step, node by node in the order of time. Of programs
 * whose memory is issued, in the order of issue, each change at the moment that the compute stream
 * has reached by then. */
#ifndef TS_RUNTIME_ACCOUNT_CHANGES_H
#define TS_RUNTIME_ACCOUNT_CHANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "ir/ir.h"
#include "runtime/account/result.h"

/* of a node: sums, frees < 0 */
typedef struct ts_memory_effect { int64_t allocates, frees; } ts_memory_effect;
const ts_memory_effect *ts_memory_effects(ts_arena *arena, const ts_ir *ir); /* [nodes] */

/* All that a node allocates, at its start, or all that it frees, at its end. */
typedef struct ts_memory_change {
  uint64_t time;
  const ts_ir_node *node;
  int64_t bytes;
  uint32_t item;
  bool frees;
} ts_memory_change;

/* A class of ranks whose program has it so (ts_ir_memory_order). */
bool ts_memory_issued(const ts_run *run, uint32_t class);

/* What changes of all ranks are read from. */
typedef struct ts_memory_input {
  const ts_run *run;
  const ts_memory_effect *effects;
  /* [streams + 1] whose nodes allocate or free something; the host last */
  const bool *streams;
} ts_memory_input;
ts_memory_input ts_memory_input_of(ts_arena *arena, const ts_ir *ir, const ts_run *run);

/* `ops`: of the class's kind (op_marks.h), or NULL. */
struct ts_op_marks;
typedef struct ts_memory_changes ts_memory_changes;
ts_memory_changes *ts_memory_changes_new(ts_arena *arena, const ts_memory_input *input,
                                         uint32_t class, const struct ts_op_marks *ops);
/* The earliest change not yet taken; at one moment releases come before allocations, then the
 * stream with the lower number. Of one stream they keep the order of its nodes. False at the end.
 */
bool ts_memory_changes_next(ts_memory_changes *changes, ts_memory_change *out);

/* In the steady state rounds of items do what those before did, *time later, and hold in the end
 * what they held in the beginning. How many of them may be passed over from here on: the next
 * change is then that of so many rounds later. */
uint64_t ts_memory_changes_steady(ts_memory_changes *changes, uint64_t *time);
void ts_memory_changes_pass(ts_memory_changes *changes, uint64_t rounds);

#endif
