/* Collectives by a table of measured ones. */
#ifndef TS_RUNTIME_COLLECTIVE_TABLE_H
#define TS_RUNTIME_COLLECTIVE_TABLE_H

#include "runtime/collective/call.h"

bool ts_table_has(const ts_ir *ir, const ts_ir_net_model *model, uint32_t kind,
                  const ts_profile *profile);
/* there must be points */
ts_estimate ts_table_estimate(const ts_ir *ir, const ts_ir_net_model *model, uint32_t kind,
                              uint64_t bytes, const ts_profile *profile);

#endif
