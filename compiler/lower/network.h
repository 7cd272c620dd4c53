/* Network models of a plan as models of the IR. */
#ifndef TS_COMPILER_LOWER_NETWORK_H
#define TS_COMPILER_LOWER_NETWORK_H

#include "compiler/lower/fragment.h"

/* `whitebox(...)` and `statistical(...)` as models of the IR. False after a diagnostic. */
bool ts_lower_statistical(ts_lowering *l, const ts_applied *a, ts_ir_net_model *m);
bool ts_lower_white_box(ts_lowering *l, const ts_applied *a, ts_ir_net_model *m);
/* Warns where the cluster has no such device (W0808). `file`: what was measured on it. */
void ts_lower_network_device(ts_lowering *l, ts_span span, const char *file, const char *device);

#endif
