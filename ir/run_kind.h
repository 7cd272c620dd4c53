/* The kind of run that a plan is: what validated runs are compared by. */
#ifndef TS_IR_RUN_KIND_H
#define TS_IR_RUN_KIND_H

#include "base/arena.h"
#include "ir/ir.h"

/* Vertex of a rank of the cluster graph; TS_IR_NONE: there is none. */
uint32_t ts_ir_vertex_of(const ts_ir *ir, uint32_t rank);
const char *ts_ir_gpu_of(const ts_ir *ir); /* class of rank 0's device, "": none */
/* "NeMo, h100_sxm, 8 bits, experts, several nodes" */
const char *ts_ir_run_kind(ts_arena *arena, const ts_ir *ir);

#endif
