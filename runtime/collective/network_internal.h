#ifndef TS_RUNTIME_COLLECTIVE_NETWORK_INTERNAL_H
#define TS_RUNTIME_COLLECTIVE_NETWORK_INTERNAL_H

#include "runtime/collective/bound.h"
#include "runtime/collective/flow_model.h"
#include "runtime/collective/graph.h"
#include "runtime/collective/network.h"
#include "runtime/collective/packet_model.h"
#include "runtime/collective/statistical.h"
#include "runtime/collective/white_box.h"
#include "runtime/load/intern.h"

/* Who answers for calls of one kind and profile. */
typedef struct ts_answer {
  bool known;
  bool passed;                     /* the links, because models that are for such calls have no way to do it over these ranks */
  uint32_t model;                  /* TS_IR_NONE: the links */
  const ts_white_box_plan *plan;   /* of a white box */
  const ts_ir_net_curve *curve;    /* of a statistical model */
  struct { uint64_t least, most; double used; } doubt[TS_DOUBTS]; /* bytes of calls in doubt (ts_doubt), as in ts_extrapolation; most 0: none */
} ts_answer;

struct ts_network {
  ts_arena *arena;
  const ts_ir *ir;
  const ts_ranks *ranks;
  const char *only;
  ts_graph *graph;
  ts_cuts *cuts;
  ts_intern bound_words;
  TS_VEC(ts_bound) bounds;
  double *load;      /* [2 * links] 0 between uses */
  ts_flow_figures *flows;
  ts_packet_figures *packets;
  TS_VEC(ts_profile) profiles;
  TS_VEC(ts_answer *) answers; /* of each profile, by kind; NULL: not asked yet */
  uint32_t *buckets; /* open addressing: profile + 1, or 0 */
  uint32_t bucket_count;
  uint32_t last;     /* profile that was interned last */
};

/* The models of a kind that play connections and may be asked (ts_network_asks), with what makes the patterns of each. */
typedef struct ts_flow_models {
  uint32_t count;
  uint32_t *place; /* [net models] among these */
  const ts_ir_net_model **models;
  ts_flow_maker **makers;
} ts_flow_models;

ts_flow_models ts_flow_models_of(ts_arena *arena, const ts_ir *ir, const ts_ranks *ranks, ts_graph *graph, uint32_t kind, const char *only);

uint32_t ts_network_intern(ts_network *network, const ts_profile *profile);
uint32_t ts_network_bound(ts_network *network, const ts_bound *bound);
int ts_network_no_path(ts_arena *arena, const ts_ir *ir, uint32_t from, uint32_t to, ts_stop *stop); /* -1 */

/* Models. */
ts_estimate ts_alpha_beta(const ts_ir_net_model *model, uint32_t kind, uint64_t bytes, const ts_profile *profile);
bool ts_table_has(const ts_ir *ir, const ts_ir_net_model *model, uint32_t kind, const ts_profile *profile);
ts_estimate ts_table_estimate(const ts_ir *ir, const ts_ir_net_model *model, uint32_t kind, uint64_t bytes, const ts_profile *profile); /* there must be points */
ts_estimate ts_white_box_time(const ts_white_box_plan *plan, uint64_t bytes);

#endif
