/* Making the messages of a call: what each algorithm's file (algorithm.h) makes them of. */
#ifndef TS_RUNTIME_COLLECTIVE_MAKING_H
#define TS_RUNTIME_COLLECTIVE_MAKING_H

#include "runtime/collective/algorithm.h"
#include "runtime/collective/sends.h"

typedef struct ts_making {
  ts_arena *arena, *work; /* work: of what the making alone needs */
  const ts_ir *ir;
  ts_link_graph *graph;
  bool paths;
  ts_sends *out;
  ts_flow_maker *maker;
  ts_flow_connections connections; /* of the pattern made last */
  const uint32_t *vertex;
  uint32_t ranks;
  uint32_t channels;        /* that are made, >= 1: where models of flows do not choose */
  uint32_t *place;          /* [devices] of a vertex in the group */
} ts_making;

typedef struct ts_islands { uint32_t count, size, *member; } ts_islands; /* [count][size] places */

ts_pass ts_making_pass(const ts_making *m, const ts_flow_connection *c);
void ts_making_add(ts_making *m, ts_pass pass);
bool ts_making_pattern(ts_making *m, ts_flow_shape shape, const uint32_t *vertex, uint32_t count);
/* How many connections from `at` on are of its part. */
uint32_t ts_making_of_part(const ts_making *m, size_t at);
uint32_t ts_making_parts(const ts_making *m);
/* What a channel carries, of the `made` ones, which may stand for several each. */
uint64_t ts_making_share(const ts_making *m, uint32_t made, uint32_t channel);
/* A message of the group, by places. False: there is no path. */
bool ts_making_message(ts_making *m, uint32_t from, uint32_t to, uint32_t channel, uint32_t step,
                       uint64_t bytes);
void ts_making_end(ts_making *m, uint32_t from, uint32_t to, uint32_t channel, uint32_t step,
                   uint64_t bytes);
/* Members of each island; count 0: not as many in each, which is why there is no list. */
ts_islands ts_making_islands(ts_making *m);
void ts_making_shape(ts_making *m, ts_flow_shape shape, void (*put)(ts_making *m));
uint64_t ts_part_of(uint64_t total, uint64_t parts, uint64_t k);
/* Connections of a tree: up and down in turn. A rank sends up when all below it have. */
void ts_making_tree(ts_making *m, size_t at, size_t size, uint32_t start, uint64_t whole);

#endif
