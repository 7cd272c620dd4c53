/* Private to network.c and profile.c: the network, its profiles, and who answers for which calls.
 * */
#ifndef TS_RUNTIME_COLLECTIVE_NETWORK_INTERNAL_H
#define TS_RUNTIME_COLLECTIVE_NETWORK_INTERNAL_H

#include "base/hash_table.h"
#include "runtime/collective/flow_model.h"
#include "runtime/collective/links.h"
#include "runtime/collective/network.h"
#include "runtime/collective/packet_model.h"
#include "runtime/collective/statistical.h"
#include "runtime/collective/white_box.h"
#include "base/intern.h"

/* Who answers for calls of one kind and profile. */
typedef struct ts_answer {
  bool known;
  /* the links, because models that are for such calls have no way to do it over these ranks */
  bool passed;
  uint32_t model;                  /* TS_IR_NONE: the links */
  const ts_white_box_plan *plan;   /* of a white box */
  const ts_ir_net_curve *curve;    /* of a statistical model */
  /* bytes of calls in doubt (ts_doubt), as in ts_extrapolation; most 0: none */
  struct {
    uint64_t min, max;
    double used;
  } doubt[TS_DOUBTS];
} ts_answer;

typedef struct ts_found_profile { uint32_t axes, profile; } ts_found_profile;

struct ts_network {
  ts_arena *arena;
  const ts_ir *ir;
  const ts_ranks *ranks;
  const char *only;
  double calibrated[2]; /* factor on times of calls inside islands, and of those that leave them */
  ts_links *links;
  ts_link_graph *graph; /* of the links */
  ts_intern bound_words;
  TS_VEC(ts_bound) bounds;
  ts_flow_figures *flows;
  ts_packet_figures *packets;
  TS_VEC(ts_profile) profiles;
  TS_VEC(ts_answer *) answers; /* of each profile, by kind; NULL: not asked yet */
  ts_intern known;             /* profiles, as bytes */
  uint32_t last;       /* profile that was interned last */
  /* by the number of what was found of links: its profile plus 1 for calls of these axes; 0: not
   * asked yet */
  TS_VEC(ts_found_profile) found;
};

uint32_t ts_network_intern(ts_network *network, const ts_profile *profile);
uint32_t ts_network_bound(ts_network *network, const ts_bound *bound);

#endif
