/* Model FLOPs: what the tokens trained need by the model's own arithmetic, by number format.
 * Recomputation, padding, load and what a kernel computes twice are none of them: of one model all
 * plans have the same. */
#ifndef TS_COMPILER_SHARD_MODEL_WORK_H
#define TS_COMPILER_SHARD_MODEL_WORK_H

#include "compiler/shard/shard.h"

/* Fills the class' formats from the work of its whole op, once it has that of a rank. */
void ts_model_work(ts_arena *arena, const ts_op *op, const ts_work *whole, ts_class *class);
/* Adds those of one op of the class to the whole model's. */
void ts_model_work_add(ts_arena *arena, const ts_class *class, ts_sharding *sh);
#endif
