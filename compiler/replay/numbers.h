/* A machine given as numbers, as the plan that it is (stdlib/clusters/numbers.ts). */
#ifndef TS_COMPILER_REPLAY_NUMBERS_H
#define TS_COMPILER_REPLAY_NUMBERS_H

#include "base/arena.h"
#include "trace/machine_ir.h"

/* The text of a plan with so many of its devices, and no model: graphs of ranks play in its
 * stead. */
const char *ts_plan_of_numbers(ts_arena *arena, const ts_graph_machine *machine, uint32_t devices);

#endif
