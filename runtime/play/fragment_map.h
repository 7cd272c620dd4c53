/* What a fragment does to the clocks of its rank and to its messages: a max-plus linear map
 * (Baccelli et al., "Synchronization and Linearity", 1992). It is found by playing the fragment
 * alone, with no other times than those of its inputs. */
#ifndef TS_RUNTIME_PLAY_FRAGMENT_MAP_H
#define TS_RUNTIME_PLAY_FRAGMENT_MAP_H

#include "runtime/load/tables.h"
#include "runtime/play/node.h"

#define TS_BEFORE_ALL (INT64_MIN / 4)   /* no connection */
#define TS_AFTER_ALL (INT64_C(1) << 60) /* ps: no play comes so far */
#define TS_IS_TIME(t) ((t) > TS_BEFORE_ALL / 2)

/* A rank's clocks: when each stream is free, from `posted` on when it may post the next message (0:
 * these are the same), how far the host has come, and when queues of links are free. */
typedef struct ts_fragment_clocks {
  uint32_t posted, host, queues, count;
} ts_fragment_clocks;

typedef struct ts_fragment_play {
  const ts_ir *ir;
  const ts_ir_fragment *fragment;
  const uint64_t *kernels, *calls; /* [kernels], [collectives] ps */
  const ts_transit *transits;      /* NULL: messages take no time */
  const ts_queue_time *queue_times;
  const ts_route *routes; /* [ports] */
  ts_fragment_clocks clocks;
  int64_t *clock; /* [clocks] */
  int64_t *end;   /* [nodes] */
  int64_t *in;    /* [ports] receives: when the message is there */
  int64_t *out;   /* [ports] sends: when it will be */
} ts_fragment_play;

/* When the node is ready, once all before it have been played, and the host has come to it. */
int64_t ts_fragment_ready(const ts_fragment_play *f, const ts_ir_node *n);
/* Plays the next node. A collective starts when the rank is ready: its members are ranks that do
 * the same. A record that chooses awaits nothing, as if its messages had come. */
void ts_fragment_step(ts_fragment_play *f, uint32_t node);

/* Inputs and results are clocks, and ports of the fragment from clocks.count on; TS_IR_NONE: the
 * end of the last kernel or collective. value[in * outs + out]: when there is a result if this
 * input is at 0 and all others are before all times. */
void ts_fragment_map(ts_fragment_play *f, const uint32_t *ins, uint32_t in_count,
                     const uint32_t *outs, uint32_t out_count, int64_t *value);

#endif
