/* Flows as a model of the network: what a call takes when all instances of its group make it at the
 * same time and nobody else is there. That is a latency and a time for each byte, of every shape
 * (runtime/collective/flow_pattern.h), found once for an instance by playing one call of each. */
#ifndef TS_RUNTIME_COLLECTIVE_FLOW_MODEL_H
#define TS_RUNTIME_COLLECTIVE_FLOW_MODEL_H

#include "runtime/collective/flow_pattern.h"
#include "runtime/collective/call.h"
#include "runtime/collective/network.h"

/* ps, again: as in ts_flow_pattern, of a message to set up its circuits; ps for a byte of volume, <
 * 0: not made */
typedef struct ts_flow_figure { uint64_t latency, again; double per_byte; } ts_flow_figure;

typedef struct ts_flow_figures ts_flow_figures; /* of all models of flows of an IR */

/* `only`: as in ts_network_new; models that are never asked are not prepared. */
ts_flow_figures *ts_flow_figures_new(ts_arena *arena, const ts_ir *ir, const ts_ranks *ranks,
                                     ts_link_graph *graph, const char *only);
/* The number of each instance's figures, equal for those that are alike; NULL after filling *stop.
 * */
const uint32_t *ts_flow_figures_group(ts_flow_figures *figures, ts_arena *arena, uint32_t group,
                                      ts_stop *stop);
/* The same for messages between two devices each that are sent at the same time. Not 0 after
 * filling *stop. */
int ts_flow_figures_paths(ts_flow_figures *figures, const ts_network_message *messages,
                          uint32_t count, uint32_t *number, ts_stop *stop);
bool ts_flow_figures_any(const ts_flow_figures *figures);

ts_estimate ts_flow_estimate(const ts_flow_figures *figures, uint32_t number, uint32_t model,
                             uint32_t kind, uint64_t bytes, uint32_t ranks);

/* A call as flows, for those who play it among others. `volume`: bytes for each connection's share.
 * False: no such call is made. */
typedef struct ts_flow_call {
  uint32_t model;
  ts_flow_shape shape;
  uint64_t base;
  double volume;
} ts_flow_call;
bool ts_flow_call_of(const ts_flow_figures *figures, uint32_t number, uint32_t model, uint32_t kind,
                     uint64_t bytes, uint32_t ranks, ts_flow_call *call);
ts_flow_maker *ts_flow_figures_maker(const ts_flow_figures *figures, uint32_t model);

#endif
