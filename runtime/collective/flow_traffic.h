/* Calls under way: each waits for its latency, then its parts flow, and it ends with the last of
 * them.
 *
 * A part that needs circuits gets them all at once or waits. A circuit takes a port at either end;
 * where none is free, the circuit is taken down that nobody uses and that was used longest ago.
 * Setting up takes the longer of the ends' times. Circuits stay up until they are taken down. Parts
 * wait in the order in which they came; one that can start does not wait for one before it that
 * cannot. */
#ifndef TS_RUNTIME_COLLECTIVE_FLOW_TRAFFIC_H
#define TS_RUNTIME_COLLECTIVE_FLOW_TRAFFIC_H

#include "runtime/collective/flow_pattern.h"

typedef struct ts_traffic ts_traffic;

ts_traffic *ts_traffic_new(ts_arena *arena, const ts_ir *ir); /* at time 0 */
/* As new, for other calls; it costs what those cost that there were, however large the network. */
void ts_traffic_again(ts_traffic *traffic);

/* Starts a call now: `bytes` over each connection after `latency`. The pattern must live as long as
 * the call. */
uint32_t ts_traffic_start(ts_traffic *traffic, const ts_flow_pattern *pattern, double bytes,
                          uint64_t latency);
/* From now on the call gets on by `pace` (> 0, 1 at first) times what its latency and the network
 * let it; setting up circuits takes as long as ever. */
void ts_traffic_pace(ts_traffic *traffic, uint32_t call, double pace);
/* When something happens next; TS_FLOW_NEVER: nothing does. */
uint64_t ts_traffic_next(ts_traffic *traffic);
/* Moves the clock, not beyond ts_traffic_next(). */
void ts_traffic_advance(ts_traffic *traffic, uint64_t now);
/* Takes out a call that has ended: TS_FLOW_NONE when there is no more. Its number will be used
 * again. */
uint32_t ts_traffic_ended(ts_traffic *traffic);
bool ts_traffic_any_ended(const ts_traffic *traffic);

typedef struct ts_traffic_work {
  ts_flows_work flows;
  uint64_t calls, setups, evictions;
} ts_traffic_work;
ts_traffic_work ts_traffic_work_of(const ts_traffic *traffic);

/* Whether a part can get all the circuits it needs; else the directed link whose ports do not
 * suffice, and how many it needs. */
bool ts_traffic_possible(const ts_ir *ir, const ts_flow_pattern *pattern, uint32_t *link,
                         uint32_t *needed);

#endif
