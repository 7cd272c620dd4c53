#ifndef TS_RUNTIME_COLLECTIVE_NETWORK_INTERNAL_H
#define TS_RUNTIME_COLLECTIVE_NETWORK_INTERNAL_H

#include "runtime/collective/graph.h"
#include "runtime/collective/network.h"

struct ts_network {
  ts_arena *arena;
  const ts_ir *ir;
  const ts_ranks *ranks;
  const char *only;
  ts_graph *graph;
  TS_VEC(ts_profile) profiles;
  uint32_t *buckets; /* open addressing: profile + 1, or 0 */
  uint32_t bucket_count;
  uint32_t last;     /* profile that was interned last */
};

uint32_t ts_network_intern(ts_network *network, const ts_profile *profile);
const char *ts_network_vertex_name(const ts_network *network, uint32_t vertex); /* "gpu[3, 1]" */

/* Models. False: this one has no answer. */
ts_estimate ts_alpha_beta(const ts_ir_net_model *model, uint32_t kind, uint64_t bytes, const ts_profile *profile);
bool ts_table_estimate(const ts_ir *ir, const ts_ir_net_model *model, uint32_t kind, uint64_t bytes, const ts_profile *profile,
                       ts_estimate *estimate);
bool ts_white_box_time(const ts_ir *ir, const ts_ir_net_model *model, uint32_t kind, uint64_t bytes, const ts_profile *profile,
                       ts_estimate *estimate);

#endif
