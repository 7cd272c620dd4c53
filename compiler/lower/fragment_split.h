/* A backward in two halves, I and W: what I leaves in memory for W. */
#ifndef TS_COMPILER_LOWER_FRAGMENT_SPLIT_H
#define TS_COMPILER_LOWER_FRAGMENT_SPLIT_H

#include "compiler/lower/fragment.h"

void ts_split_plan(ts_fragment *f);
/* W reads its gradient as I has gathered it. */
bool ts_waits_gathered(const ts_class *class, uint32_t slot);
bool ts_saved_for_weights(const ts_lowering *l, const ts_class *class, uint32_t slot);
/* Bytes that W needs: what the op itself keeps, and what its I leaves beside tensor gradients. */
int64_t ts_saved_bytes_for_weights(const ts_lowering *l, const ts_class *class);
int64_t ts_gradients_for_weights(const ts_class *class, const ts_op *op);
/* In I: a gradient that W reads is not dropped. In W: gradients that this op is the last to need.
 * */
void ts_gradient_waits(ts_fragment *f, uint32_t tensor);
void ts_gradients_leave(ts_fragment *f, uint32_t op, uint32_t node);

#endif
