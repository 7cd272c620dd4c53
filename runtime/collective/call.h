/* A call of a collective or a message, as models of the network see it: the profile of those who
 * take part, and the estimate of what it takes. */
#ifndef TS_RUNTIME_COLLECTIVE_CALL_H
#define TS_RUNTIME_COLLECTIVE_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/ir.h"
#include "runtime/load/stop.h"

typedef struct ts_profile {
  uint32_t ranks;
  uint32_t islands;    /* components over tier-0 links that hold members */
  uint32_t per_island; /* most members in one island */
  uint32_t tier;       /* of the slowest link in use */
  /* of the mesh, that the group or the messages are over: bit i is axis i; models may answer for
   * some alone */
  uint32_t axes;
  /* number of its figures under models of flows and of packets, plus 1; 0: there are none */
  uint32_t flows, packets;
  /* number of what the links ask of its calls (bound.h), plus 1; 0: not known. Equal profiles have
   * equal bytes */
  uint32_t bounds;
  /* bytes/s of each member to the next one inside an island, as a ring runs; 0: no such traffic */
  double intra;
  /* bytes/s of an island to the next one, all members' links together; 0: no such traffic */
  double inter;
  /* bytes/s: a rank's buffer over the time that its part for other islands takes, all sending to
   * all; 0: not known */
  double pairs;
  double shift;        /* bytes/s of a rank to the next one in rank order; 0: not known */
  uint64_t intra_latency, inter_latency; /* ps, of the longest path of the kind */
  uint64_t intra_step, inter_step;       /* ps, mean of the ring's hops of the kind */
} ts_profile;

/* Links of calls: seconds a byte and ps inside islands and between them; 0: not in use, or not seen
 * by the model that answers. */
typedef struct ts_link_figures {
  double intra_pace, inter_pace, intra_latency, inter_latency;
} ts_link_figures;

typedef struct ts_estimate {
  uint64_t time;                  /* ps; the sum of the components */
  uint64_t base, steps, transfer; /* per call, per step of the algorithm, per byte */
  /* of a message: so much of `time` it is on its way when its last byte has left the sender; of
   * others 0 */
  uint64_t latency;
  /* of a white box: what `transfer` is made of, steps included; else 0 */
  uint64_t intra, inter, reduction;
  /* index into the IR's net models, or TS_IR_NONE: the links' own figures */
  uint32_t model;
  bool beyond;                    /* outside of what the model was measured or calibrated on */
  bool switches_reduce;           /* an all-reduce that switches have a part in */
  /* the model had it faster than the links can carry: this is what they can */
  bool raised;
  /* a measured time, left as it is though these links could not do it */
  bool faster;
  double used;                    /* raised or faster: so many times what they can carry */
} ts_estimate;

/* Calls whose time is to be doubted. */
/* ts_estimate says what they are; SHAPE: an alpha-beta model, so a ring or tree is assumed */
typedef enum ts_doubt {
  TS_DOUBT_RAISED,
  TS_DOUBT_FASTER,
  TS_DOUBT_BEYOND,
  TS_DOUBT_SHAPE,
  TS_DOUBTS
} ts_doubt;
typedef struct ts_extrapolation {
  /* model TS_IR_NONE: models that are for such calls have no way to do them over these ranks, the
   * links answered */
  uint32_t kind, model, ranks, islands;
  uint32_t doubt;                       /* ts_doubt */
  uint64_t min, max;                    /* bytes of these calls */
  /* RAISED, FASTER: so many times what their links can carry, at most */
  double used;
} ts_extrapolation;

/* Of a model of connections: directed links where equal paths part, and those of them that no
 * connection took. */
typedef struct ts_path_use { uint32_t offered, idle; } ts_path_use;

bool ts_is_half(uint32_t kind);  /* all-gather, reduce-scatter */
bool ts_is_whole(uint32_t kind); /* all-reduce, barrier */
bool ts_adds(uint32_t kind);     /* all-reduce, reduce-scatter, reduce: buffers are added up */
double ts_passes(uint32_t kind); /* in and out, or up and down: 2 of what is whole, else 1 */
double ts_levels(uint32_t islands); /* of a binary tree */
/* Each channel's chain begins at another rank of an island, at the NIC that the channel leaves by.
 * The last rank of a chain passes nothing on, so each has K-1 of K channels to pass on. */
double ts_chain_share(const ts_profile *p);
/* Two trees over two islands, each with half of the bytes and its root in another island: what one
 * sends up, the other sends down, so that each direction carries all bytes once instead of twice.
 * Over more islands the inner ones of a tree have two children. */
double ts_tree_share(const ts_profile *p);
/* Share of `bytes` that one rank sends in a ring algorithm over n ranks, and its steps (Thakur,
 * Rabenseifner and Gropp, "Optimization of Collective Communication Operations in MPICH", 2005;
 * nccl-tests, PERFORMANCE.md). */
double ts_ring_volume(uint32_t kind, uint32_t ranks);
/* Bytes/s at which a rank's whole buffer of an all-to-all gets through links between islands, and a
 * shift through its slowest link. Profiles that no cluster is behind have no such figures: islands
 * are then alike, and each rank has its share of their links. */
double ts_profile_pairs(const ts_profile *profile);
double ts_profile_shift(const ts_profile *profile);
uint32_t ts_ring_steps(uint32_t kind, uint32_t ranks);

/* Fills *stop: the two devices, by vertex, are not linked. Returns -1. */
int ts_network_no_path(ts_arena *arena, const ts_ir *ir, uint32_t from, uint32_t to, ts_stop *stop);

#endif
