/* Ops that are alike: of one declaration, with the same arguments, and inputs of the same shapes and
 * formats. A model repeats its layers, so most of its ops are like one before. */
#ifndef TS_COMPILER_MODEL_ALIKE_H
#define TS_COMPILER_MODEL_ALIKE_H

#include "compiler/model/graph.h"

/* Of two ops that are alike the same. Which tensors they take does not matter. */
uint64_t ts_op_hash(const ts_op *op);
/* What their declaration says of one it says of the other. Not all that might be alike is: of
 * functions, and of what is applied, one is like itself alone. */
bool ts_op_alike(const ts_op *a, const ts_op *b);

static inline uint64_t ts_mix(uint64_t h, uint64_t v)
{
  return (h ^ v) * UINT64_C(0x100000001b3) ^ (h >> 29);
}

#endif
