/* An algorithm of a collective is one record: what steps it takes, how much passes which links, and
 * the messages it is made of. Rows of ir/algorithms.def without a record do not build. */
#ifndef TS_RUNTIME_COLLECTIVE_ALGORITHM_H
#define TS_RUNTIME_COLLECTIVE_ALGORITHM_H

#include <stdbool.h>

#include "ir/ir.h"
#include "runtime/collective/call.h"
#include "runtime/collective/flow_pattern.h"

struct ts_making;

typedef enum ts_algorithm_chunks {
  TS_CHUNK_ONE,
  TS_CHUNK_A_RANK,
  TS_CHUNK_A_MEMBER
} ts_algorithm_chunks;

typedef struct ts_algorithm {
  /* of such ranks; NULL: of all */
  bool (*possible)(uint32_t kind, const ts_profile *p);
  /* inside islands and between them */
  void (*steps)(const ts_ir_net_method *m, const ts_profile *p, double *intra, double *inter);
  /* parts of the bytes that each rank passes on inside its island and, for the ranks of an island
   * together, out of it; NULL: a ring's */
  void (*volumes)(const ts_ir_net_method *m, const ts_profile *p, double *intra, double *inter);
  /* adds the messages of an all-reduce, a barrier, an all-gather or a reduce-scatter; false: no
   * steps of the kind are known */
  bool (*sends)(struct ts_making *m);
  /* as flows, where models of these take it: whole collectives, and halves of them */
  ts_flow_shape whole, half;
  ts_algorithm_chunks chunks; /* of a channel in a round */
  bool rounds;                /* that do not overlap: each takes all steps */
  bool chain;                 /* inside islands, which a library believes to pass on all bytes */
  bool tree;                  /* between islands, whose first chunks are passed on whole */
  uint32_t more_inside;       /* steps of these inside, beyond `steps` */
  bool switches;              /* reduce, so that ranks need not */
} ts_algorithm;

#define ALGORITHM(id, name, nccl, links) extern const ts_algorithm ts_algorithm_##name;
#include "ir/algorithms.def"
#undef ALGORITHM

static inline const ts_algorithm *ts_algorithm_of(uint32_t algorithm)
{
  static const ts_algorithm *const records[] = {
#define ALGORITHM(id, name, nccl, links) &ts_algorithm_##name,
#include "ir/algorithms.def"
#undef ALGORITHM
  };
  return records[algorithm];
}

/* By which a shape of flows does a collective. */
static inline uint32_t ts_algorithm_of_shape(ts_flow_shape shape)
{
  static const uint32_t algorithms[TS_FLOW_SHAPES] = {
    [TS_FLOW_LOOP] = TS_IR_NET_RING,     [TS_FLOW_CHAIN] = TS_IR_NET_RING,
    [TS_FLOW_TREE] = TS_IR_NET_TREE,     [TS_FLOW_DIMENSIONS] = TS_IR_NET_HIERARCHICAL,
    [TS_FLOW_SWITCH] = TS_IR_NET_SWITCH, [TS_FLOW_PAIRS] = TS_IR_NET_PAIRS,
    [TS_FLOW_SHIFT] = TS_IR_NET_PAIRS};
  return algorithms[shape];
}

#endif
