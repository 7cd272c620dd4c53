/* FANS: the sends of a program on one stream, where they go to more than one peer. Messages of a
 * fan leave in the order of the stream, and share the links of their paths: every link takes them
 * one after the other. A link that all of them take (the sender's only NIC) holds the stream. Of
 * links that only some take each has a QUEUE, which lets messages to other peers pass; links that a
 * single peer is reached by are one queue, that of the slowest.
 *
 * A message that takes the time t on the slowest link of its path takes share * t on a link that is
 * 1/share as fast. It is through when every link of its path has had the time for it and for what
 * came before; links work at the same time, as messages are many packets (cut-through: Kermani and
 * Kleinrock, 1979). */
#ifndef TS_RUNTIME_PLAY_FAN_H
#define TS_RUNTIME_PLAY_FAN_H

#include "runtime/collective/network.h"
#include "runtime/load/intern.h"
#include "runtime/load/tables.h"

/* of a fan: what a program sends on a stream to one of its peers */
typedef struct ts_branch { uint32_t stream, peer; } ts_branch;

typedef struct ts_fan_list { /* of a program */
  const ts_branch *branches;  /* fan by fan */
  const uint32_t *branch_of;  /* [calls] or TS_IR_NONE: its stream sends to nobody else */
  uint32_t count;
} ts_fan_list;

const ts_fan_list *ts_fans_new(ts_arena *arena, const ts_tables *tables); /* [programs] */

/* queue: TS_IR_NONE: the links that hold the stream; last: of its branch */
typedef struct ts_fare { double share; uint32_t queue, last; } ts_fare;

/* Finds what the branches of ranks pay. Ranks whose paths share links alike get the same number. */
typedef struct ts_fan_finder ts_fan_finder;
ts_fan_finder *ts_fan_finder_new(ts_arena *scratch, ts_network *network, const ts_tables *tables,
                                 const ts_fan_list *fans);
/* TS_IR_NONE: it has no fans. The network has found its paths before */
uint32_t ts_fan_find(ts_fan_finder *finder, uint32_t rank);
/* branch by branch */
const ts_fare *ts_fan_fares(const ts_fan_finder *finder, ts_arena *arena, uint32_t number,
                            uint32_t *count);

#endif
