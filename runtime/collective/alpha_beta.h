/* The links' own figures, or stated ones: a latency a step and a rate. */
#ifndef TS_RUNTIME_COLLECTIVE_ALPHA_BETA_H
#define TS_RUNTIME_COLLECTIVE_ALPHA_BETA_H

#include "runtime/collective/call.h"

/* The algorithm of a collective; TS_IR_NONE: the faster of ring and tree. */
uint32_t ts_alpha_beta_by(const ts_ir_net_model *model, uint32_t kind, const ts_profile *profile);
ts_estimate ts_alpha_beta(const ts_ir_net_model *model, uint32_t kind, uint64_t bytes,
                          const ts_profile *profile);

#endif
