/* What slowing each other down costs compute and communication of a step. */
#ifndef TS_RUNTIME_ACCOUNT_OVERLAP_COST_H
#define TS_RUNTIME_ACCOUNT_OVERLAP_COST_H

#include "runtime/account/result.h"

typedef struct ts_overlap_cost { /* of a step of one class, ps */
  /* kernels of all streams; as they took, and as they would take alone */
  uint64_t compute, compute_alone;
  uint64_t transfer, transfer_alone; /* collectives and sends */
} ts_overlap_cost;

ts_overlap_cost ts_overlap_cost_of(const ts_run *run, uint32_t class);

#endif
