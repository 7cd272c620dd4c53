/* What the ops of a kind of ranks allocate and free, in the order of time, counted from the start
 * of each op: of a run, while no kernel of it waits for the host or takes another time than usual.
 * So whoever plays the op changes the same at the same distances. */
#ifndef TS_RUNTIME_ACCOUNT_OP_MARKS_H
#define TS_RUNTIME_ACCOUNT_OP_MARKS_H

#include "runtime/account/changes.h"
#include "runtime/play/engine.h"

/* A change. Keys order changes: twice the time, and one more for allocations, so that at one moment
 * releases come first. */
typedef struct ts_mark {
  uint64_t key;
  int64_t bytes;
  uint32_t node;
  bool frees;
} ts_mark;

typedef struct ts_strip {
  uint32_t first, count;
} ts_strip; /* marks of an op */

typedef struct ts_op_marks {
  const ts_strip *strips; /* [ops of the kind] */
  const ts_mark *marks;
  uint32_t most;          /* marks of an op, at least 2 */
} ts_op_marks;

/* `effects`: of nodes; `streams`: those that change something (changes.h). */
ts_op_marks ts_op_marks_of(ts_arena *arena, const ts_tables *tables, const ts_role *role,
                           const ts_memory_effect *effects, const bool *streams);

#endif
