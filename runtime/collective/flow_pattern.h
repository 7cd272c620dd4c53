/* The connections of collectives, as NCCL opens them, and the links each goes over.
 *
 *   loop    all-reduce, all-gather, reduce-scatter: rings side by side, a CHANNEL each. Channel c
 *   enters an island at its member c modulo their
 *           number, runs through all, and leaves to the same place of the next island; odd channels
 *           run the other way round.
 *   chain   broadcast, reduce: the loops without the link into member 0
 *   tree    all-reduce: double binary trees over islands (Sanders, Speck and Traeff, "Two-tree
 *   algorithms for full bandwidth broadcast,
 *           reduction and scan", 2009; NCCL, src/graph/trees.cc), even channels over one, odd ones
 *           over the other; a chain inside each island
 *   dimensions  all-reduce, all-gather, reduce-scatter: rings inside islands, rings of those that
 *           have the same place in their islands, and so on through the tiers of links; where parts
 *           of a tier have unlike numbers of members, the next tier's ring goes through them. What
 *           a ring passes on is its share of what is left. Chunks follow each other through the
 *           dimensions, so that all rings flow at once (Cho et al., "BlueConnect", MLSys 2019)
 *   switch  all-reduce: the switch of an island sums what all its members send, hands a part to
 *           each, and gives what each sends back to all (NVLS): 1 + 1/n of the bytes over a link
 *   pairs   all-to-all: every rank sends to all others at once
 *   shift   each rank to the next one
 *
 * A channel is one flow: its connections advance together. So do those of one rank in pairs; where
 * links are circuits, they are flows of their own, which take turns. */
#ifndef TS_RUNTIME_COLLECTIVE_FLOW_PATTERN_H
#define TS_RUNTIME_COLLECTIVE_FLOW_PATTERN_H

#include "runtime/collective/flow.h"
#include "runtime/collective/graph.h"
#include "runtime/load/ranks.h"
#include "runtime/collective/call.h"

typedef enum ts_flow_shape {
  TS_FLOW_LOOP,
  TS_FLOW_CHAIN,
  TS_FLOW_TREE,
  TS_FLOW_DIMENSIONS,
  TS_FLOW_SWITCH,
  TS_FLOW_PAIRS,
  TS_FLOW_SHIFT,
  TS_FLOW_SHAPES
} ts_flow_shape;

/* directed links into and out of the switch that joins them */
typedef struct ts_circuit { uint32_t in, out; double connections; } ts_circuit;

/* from one device to the next that takes the data: [ways + spares][hops], 2 * link + direction;
 * several ways where packets are sprayed over equal paths; spares: for when links go down */
typedef struct ts_flow_leg {
  const uint32_t *path;
  uint32_t hops, ways, spares;
} ts_flow_leg;

typedef struct ts_flow_part {
  const ts_flow_use *uses;    /* links that are always there: 2 * link + direction */
  uint32_t count, circuit_count;
  const ts_circuit *circuits; /* that must be up, each once */
  /* for models of packets: the ways of all its connections, one by one */
  const ts_flow_leg *legs;
  uint32_t leg_count;
  double share;               /* of the pattern's bytes, in its uses already; 1 but by dimensions */
} ts_flow_part;

typedef struct ts_flow_pattern {
  /* ps until the last byte of an empty call; of a loop: of one pass, all but one of its connections
   * */
  uint64_t latency;
  uint64_t again;    /* more for a second pass of a loop */
  double share;      /* bytes of each connection for a byte of volume: ts_flow_volume */
  uint32_t count;
  const ts_flow_part *parts;
} ts_flow_pattern;

typedef struct ts_flow_maker ts_flow_maker;

/* A connection, for those who list them. Of its equal paths, one. */
typedef struct ts_flow_connection {
  uint32_t from, to, relay; /* vertices; relay: hands on the data, `from` if nobody does */
  uint32_t channel, part;   /* number of its part in the pattern */
  uint32_t dimension;       /* from the innermost, that has any rings; else 0 */
  uint32_t ways, hops;
  const uint32_t *path;     /* [hops] 2 * link + direction */
} ts_flow_connection;
typedef TS_VEC(ts_flow_connection) ts_flow_connections;

/* `model`: channels, routing, hop and inter_hop are taken from it. */
ts_flow_maker *ts_flow_maker_new(ts_arena *arena, const ts_ir *ir, ts_link_graph *graph,
                                 const ts_ir_net_model *model);
/* Connections of a group of at least 2 devices; kept in `arena`. False: unroutable[0] cannot reach
 * unroutable[1]. */
bool ts_flow_pattern_make(ts_flow_maker *maker, ts_arena *arena, ts_flow_shape shape,
                          const uint32_t *vertex, uint32_t count, ts_flow_pattern *out,
                          uint32_t unroutable[2]);
/* Whether a shape can be made over such a group: one by a switch needs one that all are on. */
bool ts_flow_pattern_possible(ts_flow_maker *maker, ts_flow_shape shape, const uint32_t *vertex,
                              uint32_t count);
/* One message, as a pattern of one part. */
bool ts_flow_pattern_message(ts_flow_maker *maker, ts_arena *arena, uint32_t from, uint32_t to,
                             ts_flow_pattern *out);

/* From now on each connection that is made is added to `list`, kept in `arena`: those of a ring one
 * behind the other, those of a tree child by child, up and then down. */
void ts_flow_maker_keep(ts_flow_maker *maker, ts_arena *arena, ts_flow_connections *list);

/* Where equal paths of the connections so far part: directed links that one of them takes, and
 * those of these that no connection took. */
ts_path_use ts_flow_maker_paths(const ts_flow_maker *maker);

/* Shapes that a collective may take: bit s for shape s. */
uint32_t ts_flow_shapes_of(uint32_t kind, const ts_ir_net_model *model);
/* Those of all calls over a group that the model answers for. */
uint32_t ts_flow_shapes_called(const ts_ir *ir, uint32_t group, const ts_ir_net_model *model);
/* Bytes that the shape has to move for a call: all-reduce as a loop 2(n-1)/n of its bytes, ... */
double ts_flow_volume(ts_flow_shape shape, uint32_t kind, uint32_t ranks);
uint64_t ts_flow_latency(const ts_flow_pattern *pattern, uint32_t kind);

/* Capacity of each directed link (2 * link + direction), bytes/s. */
const double *ts_flow_capacities(ts_arena *arena, const ts_ir *ir);

/* The models of a kind that play connections and may be asked (ts_network_asks), with what makes
 * the patterns of each. */
typedef struct ts_flow_models {
  uint32_t count;
  uint32_t *place; /* [net models] among these */
  const ts_ir_net_model **models;
  ts_flow_maker **makers;
} ts_flow_models;

ts_flow_models ts_flow_models_of(ts_arena *arena, const ts_ir *ir, const ts_ranks *ranks,
                                 ts_link_graph *graph, uint32_t kind, const char *only);

#endif
