/* What every play of an IR shares, worked out once: the order of nodes on each stream, which nodes
 * leave an event behind, when the host has issued what, and which receive a send answers. The
 * program itself is the queue of work: a stream keeps only its place in it.
 *
 * Host time is static between waits of the host. A SEGMENT is the stretch from one wait to the
 * next; everything in it is issued at the segment's start plus an offset known here. Segment 0
 * starts at 0. */
#ifndef TS_RUNTIME_LOAD_TABLES_H
#define TS_RUNTIME_LOAD_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "ir/ir.h"
#include "base/progress.h"
#include "runtime/load/ranks.h"
#include "runtime/load/stop.h"

/* Durations and host offsets stay below 2^TS_TIME_BITS ps (6 days), times below 2^TS_CLOCK_BITS:
 * sums of a few cannot overflow. */
enum { TS_TIME_BITS = 59, TS_CLOCK_BITS = 61 };

typedef struct ts_node_info { /* of a fragment's node */
  /* from the start of its segment, or of the fragment if that began earlier, to being issued */
  uint64_t issue;
  uint32_t segment;   /* waits of the host before it in the fragment */
  uint32_t event;     /* where its end is kept for other streams, or TS_IR_NONE */
  uint32_t first_wait; /* into ts_tables.waits: events of the fragment it must wait for */
  uint32_t wait_count;
  uint32_t previous;  /* node before it on its stream in this fragment, or TS_IR_NONE */
  uint32_t call;      /* collectives: calls of the same communicator before it in the fragment */
  /* sends and collectives: those before it in the fragment; of others TS_IR_NONE */
  uint32_t transfer;
} ts_node_info;

typedef struct ts_host_wait { /* the host waits for these events; ends a segment */
  uint32_t node;
  uint64_t offset; /* from the start of the segment (or fragment) to the wait */
} ts_host_wait;

typedef struct ts_fragment_layout { /* of a fragment */
  const ts_node_info *nodes;      /* [node_count] */
  const uint32_t *order;          /* [node_count] nodes stream by stream, host nodes last */
  const uint32_t *stream_first;   /* [streams + 2] into order */
  const bool *idle;               /* [streams] nothing but receives among which a record chooses */
  const uint32_t *port_slot;      /* [port_count] receives before this port */
  const uint32_t *port_node;      /* [port_count] node that plays it, or TS_IR_NONE */
  const uint32_t *calls;          /* [comms] calls of each communicator, NULL: none at all */
  /* the nodes that call, one communicator after the other; [comms + 1] into them */
  const uint32_t *callers, *caller_first;
  const ts_host_wait *waits;      /* [wait_count] */
  uint32_t wait_count;
  uint32_t event_count, receive_count, transfer_count;
  /* host time from the last wait (or the start) to the end of the fragment */
  uint64_t tail;
} ts_fragment_layout;

typedef struct ts_play_item { /* one item of a program */
  uint64_t offset;    /* of the item's start in its segment */
  uint32_t fragment, index;
  uint32_t event_base, slot_base; /* in the rank's events and message slots */
  uint32_t segment;
  uint32_t port_base; /* in the program's routes */
} ts_play_item;

typedef struct ts_range { uint32_t first, count; } ts_range;

/* a program sends through this port of the IR to this one of its peers */
typedef struct ts_port_call { uint32_t port, peer; } ts_port_call;

/* of a played port: which of the program's peers, the slot at the receiver, of sends which of its
 * calls */
typedef struct ts_route { uint32_t peer, slot, call; } ts_route;

/* a coordinate of the pipeline axis that the program exchanges messages with */
typedef struct ts_peer {
  uint32_t coordinate;
  bool sends; /* the program sends to it */
} ts_peer;

typedef struct ts_message { /* where slot `slot` of a program is sent and received */
  uint32_t sender, send_item, send_node; /* sender: a program; TS_IR_NONE: nobody sends it */
  uint32_t item, node;
} ts_message;

typedef struct ts_program_info {
  const ts_play_item *items; /* [item_count + 1] the last one is where the next would lie */
  /* places in `items`, stream by stream: only items with work for the stream; at last those where
   * the host waits */
  const uint32_t *stream_items;
  const ts_range *stream;       /* [streams + 1] into stream_items */
  /* [streams] only receives among which records choose: those that were not waited for do not hold
   * up the end of the step */
  const bool *late;
  /* [item_count * comms] calls of each communicator before the item */
  const uint32_t *call_base;
  const ts_message *messages;   /* [slot_count] */
  const ts_route *routes;       /* [port_count] */
  const ts_peer *peers;         /* [peer_count] by coordinate */
  const ts_port_call *calls;         /* [call_count] by port, then peer */
  uint64_t node_count;
  uint32_t event_count, slot_count, segment_count, port_count, peer_count, call_count;
  uint64_t tail;                /* host time from the last segment's start to the end */
  uint32_t tail_segment;
} ts_program_info;

/* a communicator: calls on one stream, in order */
typedef struct ts_communicator { uint32_t group, stream; } ts_communicator;

typedef struct ts_tables {
  ts_arena *arena;
  const ts_ir *ir;
  const ts_ranks *ranks;
  uint32_t streams;
  const ts_communicator *comms;
  uint32_t comm_count;
  const uint32_t *comm_of;      /* [groups * streams] or TS_IR_NONE */
  const ts_fragment_layout *layouts;     /* [fragments] */
  const uint32_t *waits;        /* events */
  const ts_program_info *programs;
  const double *transfer;       /* as in ts_run_options */
  const ts_progress *progress;
  bool apart;                   /* kernels are not joined to runs */
  bool every_op;                /* as in ts_run_options */
} ts_tables;

/* NULL after filling *stop. */
const ts_tables *ts_tables_new(ts_arena *arena, const ts_ir *ir, const ts_ranks *ranks,
                               ts_stop *stop);

static inline uint32_t ts_comm_of(const ts_tables *t, const ts_ir_node *node)
{
  return t->comm_of[t->ir->collectives[node->arg].group * t->streams + node->stream];
}
static inline bool ts_is_host(const ts_ir_node *node)
{
  return node->op == TS_IR_HOST_WORK || node->op == TS_IR_HOST_SYNC;
}
/* A record that chooses awaits some of its dependencies, all others await all of theirs. */
static inline bool ts_node_chooses(const ts_ir_node *node)
{
  return node->op == TS_IR_RECORD && node->arg;
}
/* The host stands still until the node's dependencies have ended. */
static inline bool ts_host_waits(const ts_ir_node *node)
{
  return node->op == TS_IR_HOST_SYNC || (node->op == TS_IR_HOST_WORK && node->dep_count);
}
/* What of the node's host time comes before that wait; the rest comes after it. */
static inline uint64_t ts_host_spends_before(const ts_ir_node *node)
{
  return node->op == TS_IR_HOST_SYNC ? node->host_ps : 0;
}
static inline const ts_ir_node *ts_fragment_nodes(const ts_ir *ir, uint32_t fragment)
{
  return ir->nodes + ir->fragments[fragment].first_node;
}

#endif
