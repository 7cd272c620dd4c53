/* What one half of a cluster's devices can send to the other half at once. */
#ifndef TS_RUNTIME_REPORT_BISECTION_H
#define TS_RUNTIME_REPORT_BISECTION_H

#include "base/arena.h"
#include "ir/ir.h"

typedef struct ts_bisection {
  /* bytes/s of one direction; 0: not known: there is one device, no way, or a choice of circuits */
  double rate;
  double leaving; /* what the devices of the half can send out of their islands, or at all if there
                     is one island */
} ts_bisection;

/* The least of several ways to halve: in the order of the devices, and along each index of their
 * array. Islands stay whole. The rate is a maximum flow (Dinic, 1970), so switches stand on the
 * better side. */
ts_bisection ts_bisection_of(const ts_ir *ir);

/* "1.6 TB/s each way, 2 : 1 oversubscribed"; empty: not known */
const char *ts_bisection_text(ts_arena *arena, const ts_bisection *b);

#endif
