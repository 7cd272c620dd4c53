/* Pipeline stages: which ops each virtual stage holds, and the tensors that travel between them. */
#ifndef TS_COMPILER_SCHEDULE_STAGE_H
#define TS_COMPILER_SCHEDULE_STAGE_H

#include "compiler/schedule/schedule.h"
#include "compiler/shard/shard.h"

/* an activation from the stage that makes it to one that takes it; its gradient goes back */
typedef struct ts_transfer {
  uint32_t tensor;     /* its source, see ts_edge */
  uint32_t other;      /* virtual stage at the other end */
  uint32_t id;         /* equal at both ends */
  int64_t bytes;       /* of one rank */
  bool gradient;       /* a gradient of the same size comes back */
  bool local;          /* both stages are on one rank: nothing is sent */
} ts_transfer;

typedef struct ts_stage {
  uint32_t first_op, op_count;
  uint32_t in_count, out_count;
  ts_transfer *in, *out;
  uint32_t kind;       /* stages of equal kind do the same work: see ts_stages.kinds */
} ts_stage;

typedef struct ts_stages {
  uint32_t count;
  ts_stage *at;
  uint32_t transfer_count;
  uint32_t kind_count;
  const uint32_t *example; /* [kind] first stage of the kind */
  const uint32_t *kind_size; /* [kind] how many there are */
} ts_stages;

/* Stages follow from numbers of repeats alone, and nothing need be said of them. */
bool ts_stages_are_plain(const ts_graph *g, const ts_schedule *sc);
/* seconds: [parts][ops] of each op, forward and backward, where that part is; NULL if they are
 * plain. NULL after errors. */
ts_stages *ts_stages_build(ts_session *s, const ts_graph *g, const ts_sharding *sh,
                           const ts_schedule *sc, const double *seconds);

/* Why an item waits: the name of a clause, and where it is written if it is not one of those that
 * every schedule has. */
/* some: so many of the clause's suffice, 0: all */
typedef struct ts_wait { const char *name; ts_span clause; uint32_t some; } ts_wait;
/* The k-th item that an item waits for, TS_NO_INDEX past the last. */
uint32_t ts_waits_for(const ts_schedule *sc, const ts_stages *stages, uint32_t item, uint32_t k,
                      ts_wait *wait);

/* Does the order of work come to its end? Else reports E0402 with the shortest circle of items that
 * wait for each other. */
bool ts_progress_check(ts_session *s, const ts_schedule *sc, const ts_stages *stages);

#endif
