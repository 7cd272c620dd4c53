/* Collectives as a collective library does them: algorithm, protocol, channels, threads, chunks and rounds, and what each part takes. */
#ifndef TS_RUNTIME_COLLECTIVE_WHITE_BOX_H
#define TS_RUNTIME_COLLECTIVE_WHITE_BOX_H

#include <stdbool.h>

#include "ir/ir.h"
#include "runtime/collective/network.h"

typedef struct ts_white_box { /* a call, taken apart; times in ps */
  const ts_ir_net_method *method;
  uint32_t channels, threads; /* in use: fewer for small messages */
  double rounds;              /* times that the channels' chunks go through all steps */
  double connection, intra, inter, reduction; /* their sum is what the method takes */
  double factor;              /* by which the anchors correct the sum: measured / modelled */
  bool beyond;                /* outside of the sizes measured */
} ts_white_box;

/* False: the model has no method for it. */
bool ts_white_box_estimate(const ts_ir *ir, const ts_ir_net_model *model, uint32_t kind, uint64_t bytes, const ts_profile *profile, ts_white_box *box);

/* What one method takes, without anchors. */
ts_white_box ts_white_box_method(const ts_ir_net_method *method, uint64_t bytes, const ts_profile *profile);
/* Steps inside islands and between them, and the share of `bytes` that passes a rank (doc/networks.md). */
bool ts_method_possible(const ts_ir_net_method *method, const ts_profile *profile);
void ts_method_steps(const ts_ir_net_method *method, const ts_profile *profile, double *intra, double *inter);
double ts_method_volume(const ts_ir_net_method *method, const ts_profile *profile);

#endif
