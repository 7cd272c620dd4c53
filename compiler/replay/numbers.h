/* A machine given as numbers, as the plan that it is (stdlib/clusters/numbers.ts). */
#ifndef TS_COMPILER_REPLAY_NUMBERS_H
#define TS_COMPILER_REPLAY_NUMBERS_H

#include <stdint.h>

#include "base/arena.h"

/* What work and communication take: rates in FLOP/s and bytes/s, latency in seconds. */
typedef struct ts_graph_machine { double flops, bandwidth, link, latency; } ts_graph_machine;

/* The text of a plan with so many of its devices, and no model: graphs of ranks play in its
 * stead. */
const char *ts_plan_of_numbers(ts_arena *arena, const ts_graph_machine *machine, uint32_t devices);

#endif
