/* What communication takes: the one interface behind which the models of collectives stand.
 *
 * The network knows groups by their PROFILE: how many ranks in how many islands, and what the links between them carry. A profile is
 * worked out once for each instance of a group and stored once for all that are alike; estimates are of a profile. */
#ifndef TS_RUNTIME_COLLECTIVE_NETWORK_H
#define TS_RUNTIME_COLLECTIVE_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "ir/ir.h"
#include "runtime/progress.h"
#include "runtime/ranks.h"
#include "runtime/stop.h"

typedef struct ts_profile {
  uint32_t ranks;
  uint32_t islands;    /* components over tier-0 links that hold members */
  uint32_t per_island; /* most members in one island */
  uint32_t tier;       /* of the slowest link in use */
  uint32_t axes;       /* of the mesh, that the group or the messages are over: bit i is axis i; models may answer for some alone */
  uint32_t flows, packets; /* number of its figures under models of flows and of packets, plus 1; 0: there are none */
  uint32_t reserved;   /* 0: equal profiles have equal bytes */
  double intra;        /* bytes/s of each member to the next one inside an island; 0: no such traffic */
  double inter;        /* bytes/s of an island to the next one, all members' links together; 0: no such traffic */
  uint64_t intra_latency, inter_latency; /* ps, of the longest path of the kind */
} ts_profile;

typedef struct ts_estimate {
  uint64_t time;                  /* ps; the sum of the components */
  uint64_t base, steps, transfer; /* per call, per step of the algorithm, per byte */
  uint64_t intra, inter, reduction; /* of a white box: what `transfer` is made of, steps included; else 0 */
  uint32_t model;                 /* index into the IR's net models, or TS_IR_NONE: the links' own figures */
  bool beyond;                    /* outside of what the model was measured or calibrated on */
} ts_estimate;

typedef struct ts_extrapolation { uint32_t kind, model, ranks, islands; uint64_t least, most; } ts_extrapolation; /* bytes of the calls asked for beyond what was measured; model TS_IR_NONE: models that are for such calls have no way to do them over these ranks, the links answered */

typedef struct ts_network ts_network;

#define TS_NETWORK_LINKS "links" /* the links alone, no model */
/* `only`: ask no model but those of this name; NULL: all, in their order. NULL after filling *stop. */
ts_network *ts_network_new(ts_arena *arena, const ts_ir *ir, const ts_ranks *ranks, const char *only, ts_stop *stop);
/* Whether any call may come to this model: `only` names it, or no model before it answers for all. */
bool ts_network_asks(const ts_ir *ir, uint32_t model, const char *only);
/* What was played as packets may be kept from network to network; long plays say how far they are. `memo`, `progress`: or NULL; the first memo stays. */
struct ts_packet_memo;
void ts_network_watch(ts_network *network, struct ts_packet_memo *memo, const ts_progress *progress);
/* Whether an estimate failed so far, as only those of packets do; fills *stop. */
bool ts_network_failed(const ts_network *network, ts_stop *stop);
/* Profile of each instance of a used group. NULL after filling *stop when members cannot reach each other. */
const uint32_t *ts_network_group(ts_network *network, uint32_t group, ts_stop *stop);
/* Profile of the path of messages between two ranks. TS_IR_NONE after filling *stop. */
uint32_t ts_network_path(ts_network *network, uint32_t from, uint32_t to, ts_stop *stop);
const ts_profile *ts_network_profile(const ts_network *network, uint32_t profile);
/* Cost of one call. The first one of a kind and a profile finds the model that answers and prepares it; later ones ask it. */
ts_estimate ts_network_estimate(ts_network *network, uint32_t kind, uint64_t bytes, uint32_t profile);
/* The call as flows; false: the model that answers for it is none of flows. */
struct ts_flow_call;
bool ts_network_flows(ts_network *network, uint32_t kind, uint64_t bytes, uint32_t profile, struct ts_flow_call *call);
struct ts_flow_maker *ts_network_maker(const ts_network *network, uint32_t model);
/* Estimates so far that were beyond what their model was measured on: by kind, ranks, islands and model, in this order. */
const ts_extrapolation *ts_network_extrapolations(const ts_network *network, ts_arena *arena, uint32_t *count);

/* Share of `bytes` that one rank sends in a ring algorithm over n ranks, and its steps (Thakur, Rabenseifner and Gropp,
 * "Optimization of Collective Communication Operations in MPICH", 2005; nccl-tests, PERFORMANCE.md). */
double ts_ring_volume(uint32_t kind, uint32_t ranks);
uint32_t ts_ring_steps(uint32_t kind, uint32_t ranks);

#endif
