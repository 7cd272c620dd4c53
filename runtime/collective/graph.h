/* Paths on the cluster graph. Traffic runs device - switch - ... - switch - device (or over a
 * direct link); devices do not forward. The path is the one of lowest tier, then lowest latency,
 * then highest bandwidth. Distances between switches are searched once for each source switch, so
 * that a path between two devices costs a few look-ups however large the cluster is. */
#ifndef TS_RUNTIME_COLLECTIVE_GRAPH_H
#define TS_RUNTIME_COLLECTIVE_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "ir/ir.h"

enum { TS_PATH_MAX = 64 }; /* links; longer paths are not found */

typedef struct ts_path {
  uint64_t latency;
  double bandwidth;             /* of its narrowest link */
  uint32_t tier;
  uint32_t hops;
  uint32_t link[TS_PATH_MAX];   /* 2 * link + direction */
} ts_path;

typedef struct ts_link_graph ts_link_graph;

ts_link_graph *ts_graph_new(ts_arena *arena, const ts_ir *ir);
bool ts_graph_path(ts_link_graph *graph, uint32_t from, uint32_t to, ts_path *path);
/* Its links; 0: there is none. */
uint32_t ts_graph_hops(ts_link_graph *graph, uint32_t from, uint32_t to);

/* One of the paths that are equal in tier, latency and bandwidth. Candidates at each fork are in
 * the order of their links. */
typedef struct ts_fork {
  /* SHORTEST: the first; ECMP and RAIL: by hash; ADAPTIVE: the one with the least load. Links out
   * of the sender and into the receiver are chosen alike, but by `ports` if given */
  ts_ir_routing routing;
  /* hashed with sender and receiver: splitmix64 (Steele, Lea and Flood, 2014) of from << 40 ^ to <<
   * 16 ^ channel */
  uint32_t channel;
  const uint32_t *load;   /* [2 * links] connections on each so far; for ADAPTIVE */
  /* [2 * links] set where equal paths part, for each that one of them takes, chosen or not; or NULL
   * */
  bool *offered;
  /* [2 * links] the first and the last link are those that have least of this together; or NULL */
  const uint32_t *ports;
} ts_fork;

/* In how many ways it may begin and end; 0: there is none. */
uint32_t ts_graph_route(ts_link_graph *graph, uint32_t from, uint32_t to, const ts_fork *fork,
                        ts_path *path);

/* The path and all that are equal to it, with the share of the traffic that takes each link when
 * the equal ones share it evenly at every fork: what ECMP comes to for many connections. A link may
 * be listed twice; its shares add up. */
typedef struct ts_share { uint32_t link; double share; } ts_share; /* 2 * link + direction */
typedef TS_VEC(ts_share) ts_path_shares;
void ts_graph_spread(ts_link_graph *graph, uint32_t from, uint32_t to, const ts_path *path,
                     ts_arena *arena, ts_path_shares *out);

uint32_t ts_graph_island(const ts_link_graph *graph, uint32_t vertex);

#endif
