/* Runs of an execution graph: stretches of forward, backward or update, in the order of issue; and
 * the graph with messages between runs, without messages of its own, or with runs slowed. */
#ifndef TS_TRACE_RANK_RUNS_H
#define TS_TRACE_RANK_RUNS_H

#include "trace/read/events.h"

typedef enum ts_run_kind { TS_RUN_FORWARD, TS_RUN_BACKWARD, TS_RUN_STEP, TS_RUN_NONE } ts_run_kind;

/* From its first to its last event of a stream that computes. Other streams have work of others in
 * between. */
typedef struct ts_rank_run {
  ts_run_kind kind;
  uint32_t first, last;
} ts_rank_run;
/* sent_by: by event, of a message between runs the kind of run that it was sent behind, as the
 * sender knows; else NONE */
typedef struct ts_rank_runs {
  TS_VEC(ts_rank_run) at;
  const uint8_t *sent_by;
} ts_rank_runs;

/* A run ends where the phase changes, and at a message that no module and no backward sends or
 * receives: that of a pipeline. What a script does outside of modules begins no forward. */
void ts_rank_runs_find(ts_arena *arena, const ts_events *e, ts_rank_runs *out);

/* Of a run: a send behind it, or a receive before it. tag: equal at both ends, and of no other */
typedef struct ts_run_message {
  uint32_t run;
  bool send;
  int64_t peer, bytes, tag;
  const char *label;
} ts_run_message;

typedef struct ts_rank_changes {
  TS_VEC(ts_run_message) messages;
  bool *dropped;  /* by event: messages that are not there */
  double *slowed; /* by run: its kernels take so many times as long; 0: as they do */
} ts_rank_changes;

/* Drops the messages that were sent behind a run of these kinds (bits by kind), at both ends. By
 * rank; how many there were. */
uint32_t ts_rank_messages_drop(const ts_events *const *ranks, uint32_t count,
                               const ts_rank_runs *runs, uint32_t kinds, ts_rank_changes *changes);

/* The table as changed, in the arena of the old one. */
const ts_events *ts_rank_graph_changed(const ts_events *e, const ts_rank_runs *runs,
                                       const ts_rank_changes *changes);

#endif
