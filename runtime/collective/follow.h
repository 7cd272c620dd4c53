/* Which links models of the network know: what they make of those that a call runs over
 * (ts_ir_net_links).
 *
 * A model that was measured knows rates only in proportion to those of the links it was measured
 * on, and its latencies hold theirs. What it does not know of other links it does not follow;
 * reports and what-ifs say so. */
#ifndef TS_RUNTIME_COLLECTIVE_FOLLOW_H
#define TS_RUNTIME_COLLECTIVE_FOLLOW_H

#include "ir/ir.h"
#include "runtime/collective/call.h"

/* Links of a call's profile, or what a model sees of them. */
ts_link_figures ts_links_as_they_are(const ts_profile *profile);
ts_link_figures ts_links_as_seen(const ts_ir *ir, const ts_ir_net_model *model,
                                 const ts_profile *profile);

/* Latency that the model's own does not hold, ps a step. */
static inline uint64_t ts_more_latency(uint64_t latency, uint64_t hold)
{
  return hold && latency > hold ? latency - hold : 0;
}

/* The rate of links in parts of what a model was measured on; 1: it does not know, or the call does
 * not use them. */
static inline double ts_rate_factor(double rate, double measured_on)
{
  return measured_on > 0 && rate > 0 ? rate / measured_on : 1;
}

#endif
