/* A cluster for ranks that are on none. */
#ifndef TS_RUNTIME_COLLECTIVE_PLAIN_CLUSTER_H
#define TS_RUNTIME_COLLECTIVE_PLAIN_CLUSTER_H

#include "ir/ir.h"

/* Islands of a switch each, with the same number of ranks but for the last one's, and beyond them a
 * rail for each place in an island, with a spine over the rails. Devices are 0 to ranks - 1. Rates:
 * bytes/s of a device inside its island, and to its rail; > 0. To be freed by its caller. */
ts_ir_builder *ts_plain_cluster(uint32_t ranks, uint32_t islands, double intra, double inter);

#endif
