/* Kinds of ranks: ranks of one KIND play the same program on equal devices over equal links, so every node takes them equally long. What
 * they play is compiled once for the kind, to a short list of operations for each fragment and stream.
 *
 * Consecutive kernels of a stream that nobody outside waits for become one RUN. With t the time the stream is free and h the host's base,
 * playing kernels (issue i, duration d) gives t' = max(t, h + i) + d for each, and a chain of such steps is again of the form
 * t' = max(t + A, h + B): A is the sum of durations, B grows as B = max(B, i - A_before) + d. So a run costs two additions however
 * long it is (max-plus algebra: Baccelli et al., "Synchronization and Linearity", 1992). */
#ifndef TS_RUNTIME_KINDS_H
#define TS_RUNTIME_KINDS_H

#include <stdint.h>

#include "runtime/collective/network.h"
#include "runtime/tables.h"

typedef enum ts_op_kind { TS_OP_RUN, TS_OP_COLLECTIVE, TS_OP_SEND, TS_OP_RECV, TS_OP_SEGMENT } ts_op_kind;

typedef struct ts_op {
  uint8_t kind;
  uint8_t unused;
  uint16_t waits;   /* events to wait for */
  uint32_t wait;    /* the event if waits == 1, else their place in ts_tables.waits */
  uint64_t time;    /* run: A; others: duration */
  uint64_t issued;  /* run: B; others: issue time; from the host's base */
  uint32_t event;   /* kept at the end, or TS_IR_NONE */
  uint32_t arg;     /* collective: index; send, receive: port; segment: which one in the fragment */
  uint32_t first;   /* first node, as a place in the fragment's order */
  uint16_t count;   /* nodes */
  uint16_t comm;    /* collective: communicator */
} ts_op;

typedef struct ts_kind {
  uint32_t program;
  double speed;
  const uint32_t *group_profile; /* [groups] of the rank's instance, or TS_IR_NONE */
  const uint32_t *peer_profile;  /* [pipeline_size] of the path to that coordinate, or TS_IR_NONE */
  const ts_op *ops;
  const ts_range *code;          /* [fragments * streams] into ops */
} ts_kind;

typedef struct ts_kinds {
  const ts_kind *at;
  uint32_t count;
  const uint32_t *of; /* [world] */
} ts_kinds;

/* NULL after filling *stop. */
const ts_kinds *ts_kinds_new(ts_arena *arena, const ts_tables *tables, ts_network *network, ts_stop *stop);
/* What a node takes on a rank of the kind; 0 for receives and host nodes. */
uint64_t ts_node_time(const ts_tables *tables, const ts_network *network, const ts_kind *kind, const ts_ir_node *node, uint32_t peer);
double ts_speed_of(const ts_tables *tables, uint32_t rank);

#endif
