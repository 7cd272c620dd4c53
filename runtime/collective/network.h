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
#include "runtime/load/progress.h"
#include "runtime/load/ranks.h"
#include "runtime/load/stop.h"

typedef struct ts_profile {
  uint32_t ranks;
  uint32_t islands;    /* components over tier-0 links that hold members */
  uint32_t per_island; /* most members in one island */
  uint32_t tier;       /* of the slowest link in use */
  uint32_t axes;       /* of the mesh, that the group or the messages are over: bit i is axis i; models may answer for some alone */
  uint32_t flows, packets; /* number of its figures under models of flows and of packets, plus 1; 0: there are none */
  uint32_t bounds;     /* number of what the links ask of its calls (bound.h), plus 1; 0: not known. Equal profiles have equal bytes */
  double intra;        /* bytes/s of each member to the next one inside an island, as a ring runs; 0: no such traffic */
  double inter;        /* bytes/s of an island to the next one, all members' links together; 0: no such traffic */
  double pairs;        /* bytes/s: a rank's buffer over the time that its part for other islands takes, all sending to all; 0: not known */
  double shift;        /* bytes/s of a rank to the next one in rank order; 0: not known */
  uint64_t intra_latency, inter_latency; /* ps, of the longest path of the kind */
  uint64_t intra_step, inter_step;       /* ps, mean of the ring's hops of the kind */
} ts_profile;

/* Links of calls: seconds a byte and ps inside islands and between them; 0: not in use, or not seen by the model that answers. */
typedef struct ts_link_figures { double intra_pace, inter_pace, intra_latency, inter_latency; } ts_link_figures;

typedef struct ts_estimate {
  uint64_t time;                  /* ps; the sum of the components */
  uint64_t base, steps, transfer; /* per call, per step of the algorithm, per byte */
  uint64_t latency;               /* of a message: so much of `time` it is on its way when its last byte has left the sender; of others 0 */
  uint64_t intra, inter, reduction; /* of a white box: what `transfer` is made of, steps included; else 0 */
  uint32_t model;                 /* index into the IR's net models, or TS_IR_NONE: the links' own figures */
  bool beyond;                    /* outside of what the model was measured or calibrated on */
  bool switches_reduce;           /* an all-reduce that switches have a part in */
  bool raised;                    /* the model had it faster than the links can carry: this is what they can */
  bool faster;                    /* a measured time, left as it is though these links could not do it */
  double used;                    /* raised or faster: so many times what they can carry */
} ts_estimate;

/* Calls whose time is to be doubted. */
typedef enum ts_doubt { TS_DOUBT_RAISED, TS_DOUBT_FASTER, TS_DOUBT_BEYOND, TS_DOUBT_SHAPE, TS_DOUBTS } ts_doubt; /* ts_estimate says what they are; SHAPE: an alpha-beta model, so a ring or tree is assumed */
typedef struct ts_extrapolation {
  uint32_t kind, model, ranks, islands; /* model TS_IR_NONE: models that are for such calls have no way to do them over these ranks, the links answered */
  uint32_t doubt;                       /* ts_doubt */
  uint64_t least, most;                 /* bytes of these calls */
  double used;                          /* RAISED, FASTER: so many times what their links can carry, at most */
} ts_extrapolation;

/* Of a model of connections: directed links where equal paths part, and those of them that no connection took. */
typedef struct ts_path_use { uint32_t offered, idle; } ts_path_use;

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
/* The links of that path, 2 * link + direction, TS_PATH_MAX at most, and the rate of the whole. Returns how many; 0: none are known. */
uint32_t ts_network_links(ts_network *network, uint32_t from, uint32_t to, uint32_t *link, double *rate);
const ts_profile *ts_network_profile(const ts_network *network, uint32_t profile);
/* Cost of one call. The first one of a kind and a profile finds the model that answers and prepares it; later ones ask it. */
ts_estimate ts_network_estimate(ts_network *network, uint32_t kind, uint64_t bytes, uint32_t profile);
/* The model that answers for calls of a kind; TS_IR_NONE: the links alone. */
uint32_t ts_network_answers(ts_network *network, uint32_t kind, uint32_t profile);
/* The call as flows; false: the model that answers for it is none of flows. */
struct ts_flow_call;
bool ts_network_flows(ts_network *network, uint32_t kind, uint64_t bytes, uint32_t profile, struct ts_flow_call *call);
ts_path_use ts_network_paths(const ts_network *network, uint32_t model); /* none: it plays no connections */
struct ts_flow_maker *ts_network_maker(const ts_network *network, uint32_t model);
/* Estimates so far that were beyond what their model was measured on: by kind, ranks, islands and model, in this order. */
const ts_extrapolation *ts_network_extrapolations(const ts_network *network, ts_arena *arena, uint32_t *count);

/* Share of `bytes` that one rank sends in a ring algorithm over n ranks, and its steps (Thakur, Rabenseifner and Gropp,
 * "Optimization of Collective Communication Operations in MPICH", 2005; nccl-tests, PERFORMANCE.md). */
double ts_ring_volume(uint32_t kind, uint32_t ranks);
/* Bytes/s at which a rank's whole buffer of an all-to-all gets through links between islands, and a shift through its slowest link. Profiles that no cluster is behind have no
 * such figures: islands are then alike, and each rank has its share of their links. */
double ts_profile_pairs(const ts_profile *profile);
double ts_profile_shift(const ts_profile *profile);
uint32_t ts_ring_steps(uint32_t kind, uint32_t ranks);

#endif
