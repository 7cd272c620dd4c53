/* FAN-OUTS: the sends of a program on one stream, where they go to more than one peer. Messages of
 * a fan-out leave in the order of the stream, and share the links of their paths: every link takes
 * them one after the other. A link that all of them take (the sender's only NIC) holds the stream.
 * Of links that only some take each has a QUEUE, which lets messages to other peers pass; links
 * that a single peer is reached by are one queue, that of the slowest.
 *
 * A message that takes the time t on the slowest link of its path takes share * t on a link that is
 * 1/share as fast. It is through when every link of its path has had the time for it and for what
 * came before; links work at the same time, as messages are many packets (cut-through: Kermani and
 * Kleinrock, 1979). */
#ifndef TS_RUNTIME_PLAY_FAN_OUT_H
#define TS_RUNTIME_PLAY_FAN_OUT_H

#include "runtime/collective/network.h"
#include "base/intern.h"
#include "runtime/load/tables.h"

/* of a fan-out: what a program sends on a stream to one of its peers */
typedef struct ts_fan_out_peer {
  uint32_t stream, peer;
} ts_fan_out_peer;

typedef struct ts_fan_out_list {   /* of a program */
  const ts_fan_out_peer *peers;    /* fan-out by fan-out */
  const uint32_t *fan_out_peer_of; /* [calls] or TS_IR_NONE: its stream sends to nobody else */
  uint32_t count;
} ts_fan_out_list;

const ts_fan_out_list *ts_fan_outs_new(ts_arena *arena, const ts_tables *tables); /* [programs] */

/* queue: TS_IR_NONE: the links that hold the stream; last: of its peer */
typedef struct ts_link_share {
  double share;
  uint32_t queue, last;
} ts_link_share;

/* Finds what the peers of ranks pay. Ranks whose paths share links alike get the same number. */
typedef struct ts_fan_out_finder ts_fan_out_finder;
ts_fan_out_finder *ts_fan_out_finder_new(ts_arena *scratch, ts_network *network,
                                         const ts_tables *tables, const ts_fan_out_list *fan_outs);
/* TS_IR_NONE: it has no fan-outs. The network has found its paths before */
uint32_t ts_fan_out_find(ts_fan_out_finder *finder, uint32_t rank);
/* peer by peer */
const ts_link_share *ts_fan_out_link_shares(const ts_fan_out_finder *finder, ts_arena *arena,
                                            uint32_t number, uint32_t *count);

#endif
