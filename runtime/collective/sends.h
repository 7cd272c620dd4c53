/* The messages of one collective call: who sends what to whom in which step. The connections are
 * those that models of flows play (runtime/collective/flow_pattern.h); the steps are those of the
 * algorithm: rings as in Thakur, Rabenseifner and Gropp (2005), trees from the leaves to the root
 * and back, Bruck's order for aggregated trees (1997), switches and fabrics that reduce as in
 * runtime/collective/white_box.c. A library cuts what a channel carries into rounds, which follow
 * each other through the steps; here a step has the bytes of all rounds. */
#ifndef TS_RUNTIME_COLLECTIVE_SENDS_H
#define TS_RUNTIME_COLLECTIVE_SENDS_H

#include "runtime/collective/flow_pattern.h"
#include "runtime/collective/network.h"

/* How a call is done. */
typedef struct ts_call_way {
  uint32_t kind;      /* ts_ir_collective_kind */
  uint64_t bytes;     /* counted as in ts_ir_net_point */
  uint32_t algorithm; /* ts_ir_net_algorithm */
  uint32_t protocol;  /* TS_IR_NET_PROTOCOLS: not stated */
  uint32_t channels;  /* 0: as models of flows have them */
  uint32_t routing;   /* ts_ir_routing */
  bool unrelayed;     /* senders send themselves */
  double rounds;      /* 0: not stated */
  uint32_t model;     /* TS_IR_NONE: the links */
  bool assumed;       /* a ring, or pairs: the model does not say how it is done */
} ts_call_way;

/* As the model that answers for the call does it. */
ts_call_way ts_network_call_way(ts_network *network, const ts_ir *ir, uint32_t kind,
                                uint64_t bytes, uint32_t profile);
/* A ring, or pairs: where nothing is known. */
ts_call_way ts_assumed_way(uint32_t kind, uint64_t bytes);
struct ts_white_box;
/* As a method of a white box does it. */
ts_call_way ts_white_box_way(const struct ts_white_box *box, uint32_t kind, uint64_t bytes);

/* Ends of a message that are no members of the group. */
enum { TS_SEND_SWITCH = 0xfffffffe, TS_SEND_FABRIC = 0xfffffffd };

/* Steps in a row over one connection. In step `first + s` it carries block (position - s) modulo
 * `parts` of its `whole` bytes. */
typedef struct ts_pass {
  uint32_t from, to;           /* places in the group, or one of the ends above */
  uint32_t relay;              /* vertex that hands on; TS_IR_NONE: nobody does */
  uint32_t via;                /* its place in the group; TS_IR_NONE: it is no member */
  uint32_t channel, first, steps, position, parts;
  uint64_t whole;
  uint32_t ways, hops;         /* of its path; hops 0: none is known */
  const uint32_t *path;        /* 2 * link + direction */
} ts_pass;

typedef struct ts_sends {
  ts_call_way way;
  uint32_t ranks, channels, steps;
  TS_VEC(ts_pass) passes;
  /* of each place: passes that it is an end or the relay of,
   * touching[first[place]...first[place + 1]] */
  const uint32_t *first, *touching;
  const char *why;             /* NULL: all is well; else why there is no list */
  uint32_t unroutable[2];      /* vertices, where that is why */
} ts_sends;

/* Over devices `vertex`, in the order of the group. `alike`: for those who want no paths; channels
 * whose connections are the same become one, with the bytes of all. */
ts_sends *ts_sends_new(ts_arena *arena, const ts_ir *ir, ts_link_graph *graph,
                       const uint32_t *vertex, uint32_t ranks, const ts_call_way *way,
                       bool alike);

/* All is well, and all ends are ranks. */
bool ts_sends_between_ranks(const ts_sends *sends);

/* Of a total cut into equal parts, the bytes before part k, and those of part k. */
uint64_t ts_parts_before(uint64_t total, uint64_t parts, uint64_t k);
uint64_t ts_pass_bytes(const ts_pass *pass, uint32_t step); /* step: from 0 */
uint32_t ts_pass_block(const ts_pass *pass, uint32_t step);
uint64_t ts_pass_total(const ts_pass *pass);

#endif
