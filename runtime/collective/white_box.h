/* Collectives as a collective library does them: algorithm, protocol, channels, threads, chunks and
 * rounds, and what each part takes. */
#ifndef TS_RUNTIME_COLLECTIVE_WHITE_BOX_H
#define TS_RUNTIME_COLLECTIVE_WHITE_BOX_H

#include <stdbool.h>

#include "base/arena.h"
#include "ir/ir.h"
#include "runtime/collective/call.h"

typedef struct ts_white_box { /* a call, taken apart; times in ps */
  const ts_ir_net_method *method;
  uint32_t channels, threads; /* in use: fewer for small messages */
  double rounds;              /* times that the channels' chunks go through all steps */
  double connection, intra, inter, reduction; /* their sum is what the method takes */
  /* of `intra` or `inter`: adding up, where the method does not state what it takes */
  double adding;
  bool adding_inside;
  double factor;              /* by which the anchors correct the sum: measured / modelled */
  bool beyond;                /* outside of the sizes measured */
} ts_white_box;

/* A model as it answers for one collective and one profile, with all that does not depend on the
 * bytes worked out: asking is a few comparisons, a logarithm and an exponential. */
typedef struct ts_white_box_plan ts_white_box_plan;

/* NULL: the model has no method for it. The IR must outlive the plan. */
const ts_white_box_plan *ts_white_box_prepare(ts_arena *arena, const ts_ir *ir,
                                              const ts_ir_net_model *model, uint32_t kind,
                                              const ts_profile *profile);
ts_white_box ts_white_box_estimate(const ts_white_box_plan *plan, uint64_t bytes);
/* Its parts in ps, by the anchors' factor: adding up is a part of `reduction`. */
ts_estimate ts_white_box_parts(const ts_white_box *box);
ts_estimate ts_white_box_time(const ts_white_box_plan *plan, uint64_t bytes);
/* `calls` of `bytes` each, issued as one group: the library chooses for all bytes together,
 * connects once, and only a ring's steps are taken for each call. */
ts_white_box ts_white_box_grouped(const ts_white_box_plan *plan, uint64_t bytes, uint32_t calls);

/* What one method takes, without anchors. */
ts_white_box ts_white_box_method(const ts_ir_net_method *method, uint64_t bytes,
                                 const ts_profile *profile);
bool ts_method_possible(const ts_ir_net_method *method, const ts_profile *profile);
/* Steps inside islands and between them; parts of `bytes` that pass a rank's links inside its
 * island, and an island's links to the others (doc/networks.md). */
void ts_method_steps(const ts_ir_net_method *method, const ts_profile *profile, double *intra,
                     double *inter);
void ts_method_volumes(const ts_ir_net_method *method, const ts_profile *profile, double *intra,
                       double *inter);

#endif
