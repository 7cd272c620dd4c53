/* Whether what was measured on a device holds for the plan's. Files name devices as drivers and
 * people do ("NVIDIA H100 80GB HBM3"); which of those names a gpu goes by, its declaration says:
 * `called`, a list of patterns. */
#ifndef TS_COMPILER_LOWER_DEVICE_H
#define TS_COMPILER_LOWER_DEVICE_H

#include "compiler/plan/plan.h"

/* The device is the gpu: by its own name, or by a name in `called`. Upper and lower case are the
 * same. */
bool ts_gpu_called(ts_session *s, const ts_value *gpu, const char *device);

/* The gpu of the plan's cluster that `device` is not; NULL when one of the cluster's gpus is called
 * so, when the cluster has none, or when `device` is "". */
const ts_value *ts_other_gpu(ts_session *s, const ts_plan *plan, const char *device);

/* The gpu of the plan's cluster: the one that is `wanted`, by its name, or the first. NULL: it has
 * none. */
const ts_value *ts_plan_gpu(ts_session *s, const ts_plan *plan, const ts_value *wanted);

#endif
