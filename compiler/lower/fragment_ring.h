/* A phase whose kernels run between the shifts of a ring. */
#ifndef TS_COMPILER_LOWER_FRAGMENT_RING_H
#define TS_COMPILER_LOWER_FRAGMENT_RING_H

#include "compiler/lower/fragment.h"

/* Returns the last kernel; *sum is what ends the gradient's ring. */
uint32_t ts_ring(ts_fragment *f, uint32_t op, ts_phase phase, ts_ir_phase as, uint32_t ready,
                 uint32_t *first, uint32_t *sum);

#endif
