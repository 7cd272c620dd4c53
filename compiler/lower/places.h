/* Which devices the ranks of a pipeline lie on, where those of the plan's cluster are not alike. */
#ifndef TS_COMPILER_LOWER_PLACES_H
#define TS_COMPILER_LOWER_PLACES_H

#include "compiler/lower/lowering.h"

/* [ranks] the device of each, a vertex of the cluster: by the plan's `placement`, else in order;
 * TS_NO_INDEX: there are not as many. NULL after errors. */
const uint32_t *ts_devices_of_ranks(ts_lowering *l, uint32_t world);

/* Says so of the plan's ranks: kinds of gpus to the costing; to the schedule what lies under each
 * rank of the pipeline. Nothing where all devices are alike. False after errors. */
bool ts_lower_places(ts_lowering *l);

#endif
