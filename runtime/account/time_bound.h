/* The least that a step takes along its order of work: no play of the IR is shorter. */
#ifndef TS_RUNTIME_ACCOUNT_TIME_BOUND_H
#define TS_RUNTIME_ACCOUNT_TIME_BOUND_H

#include "ir/ir.h"
#include "runtime/collective/links.h"

/* Of an IR whose messages have their ends. `links`: kept from plan to plan, or NULL. */
double ts_time_bound(const ts_ir *ir, ts_links_cache *links);

#endif
