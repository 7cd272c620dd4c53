/* How the messages of a player that others may pass (fan_out.h) went through their queues, from the
 * facts of a play. */
#ifndef TS_RUNTIME_ACCOUNT_QUEUED_H
#define TS_RUNTIME_ACCOUNT_QUEUED_H

#include "runtime/play/track.h"

/* in a queue; behind: the step whose message it had to wait for, or TS_IR_NONE */
typedef struct ts_queued {
  uint64_t exit;
  uint32_t queue, behind;
} ts_queued;

typedef struct ts_queues {
  const uint32_t *first; /* [steps + 1] into `at`; NULL: the rank has no queues */
  const ts_queued *at;
} ts_queues;

const ts_queues *ts_queues_new(ts_arena *arena, const ts_track *track);

/* The transit of the message that a step sends, and when it was posted. */
const ts_transit *ts_transit_at(const ts_track *track, const ts_played_op *send, uint64_t *posted);

/* A message in a queue, or if that is TS_IR_NONE in the one that it left last, at `last`.
 * NULL: no queue held it up. */
const ts_queued *ts_queued_in(const ts_queues *queues, uint32_t step, uint32_t queue,
                              uint64_t last);

#endif
