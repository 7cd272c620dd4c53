/* Flows that share links: who gets how much of which link, and what ends when.
 *
 * A FLOW is a bundle of connections that advance together (the connections of a ring do: none can
 * get ahead of the one before it by more than a buffer). Its RATE is that of each of its
 * connections; on a link that w of them cross it takes w times the rate. Rates are max-min fair
 * (Bertsekas and Gallager, "Data Networks", 1992, section 6.5.2): no rate can grow but at the cost
 * of one that is not higher. That holds exactly when every flow has a BOTTLENECK: a link in full
 * use on which no rate is higher.
 *
 * When flows come or go, only those are rated anew whose bottleneck that touches, then those that
 * no longer have one, until all have. So an event costs what the flows cost that share links with
 * those, however large the network. What comes and goes at one time is solved at once.
 *
 * Times are picoseconds, rates bytes a second. Results depend on the order of calls alone. */
#ifndef TS_RUNTIME_COLLECTIVE_FLOW_H
#define TS_RUNTIME_COLLECTIVE_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* each link at most once in a flow */
/* connections: a part of one where its packets take several ways */
typedef struct ts_flow_use { uint32_t link; double connections; } ts_flow_use;

typedef struct ts_flows ts_flows;

enum { TS_FLOW_NONE = 0xffffffffu };
#define TS_FLOW_NEVER UINT64_MAX

/* bytes/s, >= 0; must live as long */
ts_flows *ts_flows_new(ts_arena *arena, uint32_t links, const double *capacity);
/* As new, at time 0: flows and links that were added are gone. It costs what the flows cost. */
void ts_flows_again(ts_flows *flows);

uint32_t ts_flows_add_link(ts_flows *flows, double capacity); /* its number */

/* Starts a flow now. `uses` must live as long as it. `bytes`: of each connection, >= 0. */
uint32_t ts_flows_start(ts_flows *flows, const ts_flow_use *uses, uint32_t count, double bytes);
/* From now on the flow gets on by `pace` (> 0, 1 at first) times its rate; what it takes of its
 * links stays. */
void ts_flows_pace(ts_flows *flows, uint32_t flow, double pace);

/* When the next flow ends: TS_FLOW_NEVER if none does. */
uint64_t ts_flows_next(ts_flows *flows);
/* Moves the clock; not beyond ts_flows_next(). */
void ts_flows_advance(ts_flows *flows, uint64_t now);
/* Takes a flow out that ends now: TS_FLOW_NONE when there is no more. Its number will be used
 * again. */
uint32_t ts_flows_ended(ts_flows *flows);

double ts_flows_rate(ts_flows *flows, uint32_t flow); /* bytes/s, of each connection */

/* starts and ends; solves; rates set; places on links seen */
typedef struct ts_flows_work { uint64_t events, solves, rated, looked; } ts_flows_work;
ts_flows_work ts_flows_work_of(const ts_flows *flows);

#endif
