/* Kinds of ranks: ranks of one KIND play the same program on equal devices over equal links, so
 * every node takes them equally long. What they play is compiled once for the kind, to a short list
 * of operations for each fragment and stream.
 *
 * Consecutive kernels of the compute stream that nobody outside waits for become one RUN. With t
 * the time the stream is free and h the host's base, playing kernels (issue i, duration d) gives t'
 * = max(t, h + i) + d for each, and a chain of such steps is again of the form t' = max(t + A, h +
 * B): A is the sum of durations, B grows as B = max(B, i) + d. So a run costs two additions however
 * long it is (max-plus algebra: Baccelli et al., "Synchronization and Linearity", 1992). */
#ifndef TS_RUNTIME_PLAY_ROLES_H
#define TS_RUNTIME_PLAY_ROLES_H

#include <stdint.h>

#include "runtime/collective/network.h"
#include "runtime/load/tables.h"
#include "runtime/play/node.h"

typedef enum ts_op_kind {
  TS_OP_RUN,
  TS_OP_COLLECTIVE,
  TS_OP_SEND,
  TS_OP_RECV,
  TS_OP_CHOICE,
  TS_OP_SEGMENT
} ts_op_kind;

typedef struct ts_play_op {
  uint32_t kind;    /* ts_op_kind */
  uint32_t waits;   /* events to wait for */
  uint32_t wait;    /* the event if waits == 1, else their place in ts_tables.waits */
  uint32_t event;   /* kept at the end, or TS_IR_NONE */
  uint64_t time;    /* run: A; collective: duration */
  uint64_t issued;  /* from the host's base, when the host lets it begin; run: B - A */
  /* collective: index; send, receive: port of the fragment; choice: how many of its events suffice;
   * segment: which one in the fragment */
  uint32_t arg;
  uint32_t first;   /* first node, as a place in the fragment's order */
  uint32_t count;   /* nodes */
  /* whose traffic: a communicator; of messages ts_tables.comm_count + the group of the port */
  uint32_t comm;
} ts_play_op;

/* who leaves an event: op of the stream's code */
typedef struct ts_producer { uint32_t stream, op; } ts_producer;

typedef struct ts_compiled { /* a fragment, compiled */
  const ts_range *stream;       /* [streams] into ops; NULL: the kind never plays it */
  const ts_producer *producers; /* [event_count] */
} ts_compiled;

/* How a library does a transfer, as the white box has it; channels 0: not known. */
typedef struct ts_transfer_way { uint32_t algorithm, protocol, channels; } ts_transfer_way;

typedef struct ts_role {
  uint32_t program, rank;        /* rank: the lowest of the kind */
  double speed;
  const uint32_t *group_profile; /* [groups] of the rank's instance, or TS_IR_NONE */
  const uint32_t *peer_profile;  /* [peers of the program] of the path to it, or TS_IR_NONE */
  const ts_transit *transits;    /* [calls of the program] */
  const ts_queue_time *queue_times;
  uint32_t queue_count, lane_count;
  const uint64_t *collective_time; /* [collectives] of those that the program plays */
  const uint64_t *kernel_time;   /* [kernels] */
  const ts_transfer_way *ways;   /* [collectives + ports] in plays with overlap, else NULL */
  /* the same of kinds whose fragments and times are */
  const ts_play_op *ops;
  const ts_compiled *code;           /* [fragments] */
} ts_role;

typedef enum ts_split_by { /* what distinguishes ranks */
                           TS_SPLIT_PROGRAM,
                           TS_SPLIT_SPEED,
                           TS_SPLIT_LINKS,
                           /* of a group */ TS_SPLIT_PATHS, /* of messages */
                           TS_SPLIT_MEMBERS,
                           /* whom they meet in a group */
                           TS_SPLIT_PEERS /* whom they exchange messages with */
} ts_split_by;
/* group: or TS_IR_NONE; more: classes than before */
typedef struct ts_split { ts_split_by by; uint32_t group, more; } ts_split;
typedef TS_VEC(ts_split) ts_splits;

/* Adds to what was split by the same before. */
void ts_note_split(ts_arena *arena, ts_splits *splits, ts_split_by by, uint32_t group,
                   uint32_t before, uint32_t after);

typedef struct ts_roles {
  const ts_role *at;
  uint32_t count;
  const uint32_t *of; /* [world] */
  /* calls beyond what their network model was measured on */
  const ts_extrapolation *extrapolations;
  uint32_t extrapolation_count;
  const ts_path_use *path_uses; /* [net models] */
  ts_splits splits;   /* that made a difference, in order */
} ts_roles;

/* NULL after filling *stop. */
const ts_roles *ts_roles_new(ts_arena *arena, const ts_tables *tables, ts_network *network,
                             ts_stop *stop);

/* What a kernel takes on a rank of the kind; 0 for nodes that are none. */
static inline uint64_t ts_kernel_time(const ts_role *role, const ts_ir_node *node)
{
  return node->op == TS_IR_COMPUTE ? role->kernel_time[node->arg] : 0;
}
static inline const ts_transit *ts_transit_of(const ts_role *role, const ts_route *route)
{
  return &role->transits[route->call];
}
/* How long a send holds its stream whose port has that route. */
static inline uint64_t ts_send_time(const ts_role *role, const ts_route *route)
{
  return (uint64_t)ts_send_hold(ts_transit_of(role, route), false);
}

static inline uint64_t ts_message_arrival(const ts_role *role, const ts_transit *m,
                                          uint64_t *queues, uint64_t posted, uint64_t left)
{
  return (uint64_t)ts_send_arrival(m, role->queue_times, (int64_t *)queues, (int64_t)posted,
                                   (int64_t)left);
}

/* The events an op waits for, within the fragment. */
static inline const uint32_t *ts_waits_of(const ts_tables *t, const ts_play_op *op)
{
  return op->waits == 1 ? &op->wait : t->waits + op->wait;
}

#endif
