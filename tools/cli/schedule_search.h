/* A short order of work for the schedule of a plan: the plan played with its own order, the search
 * (runtime/pipeline/), and the plan played with what was found. */
#ifndef TS_TOOLS_CLI_SCHEDULE_SEARCH_H
#define TS_TOOLS_CLI_SCHEDULE_SEARCH_H

#include "compiler/compile.h"
#include "compiler/schedule/schedule.h"
#include "runtime/account/memory.h"
#include "base/progress.h"
#include "runtime/pipeline/problem.h"

typedef struct ts_order_task {
  const char *path;
  ts_compile_options compile;
  const char *const *from; /* schedules to begin with besides the plan's, expressions */
  uint32_t from_count;
  bool fresh;                /* neither the plan's own order nor the library's is a beginning */
  bool whole;                /* backwards stay whole */
  double memory;             /* bytes of a device; 0: what it has */
  bool own_memory;           /* what the plan's own order takes at most */
  ts_pipeline_search search; /* 0 orders: as many as take some ten seconds */
  const ts_progress *progress;
} ts_order_task;

/* An order, compiled and played. */
typedef struct ts_order_played {
  ts_input input;
  ts_session *session;
  ts_run *run;
  const ts_memory *memory;
  uint64_t step; /* ps */
  uint64_t peak; /* bytes of the fullest device */
} ts_order_played;

typedef struct ts_order_answer {
  ts_arena *arena;
  ts_order_played own, found;
  bool own_is_best; /* no order is shorter than the plan's own, which `found` is then */
  uint32_t began;   /* number of the beginning that `found` goes back to, or is */
  bool own_splits;  /* backwards are to stay whole, and the plan's own order has their parts */
  const ts_pipeline *pipeline;
  const ts_pipeline_order *order; /* of the search, that `found` is; NULL: it is a beginning */
  const uint16_t *sequence;       /* of `found` */
  ts_pipeline_merging merging;    /* likewise */
  uint64_t split;                 /* ps: its step without that, as the search has it */
  const int64_t *begin;           /* [items] ps, as the search has it */
  ts_pipeline_found search;
  ts_pipeline_bound bound;
  double limit;           /* bytes of a device; 0: there is none */
  const char *limit_from; /* "the device's" */
  const char **begins;    /* names of the beginnings; the last: waves */
} ts_order_answer;

/* TS_EXIT_DONE, or the exit code after telling why not: in the session's queue, or in *stop. */
int ts_order_search(ts_arena *arena, ts_session *session, const ts_order_task *task,
                    ts_order_answer *answer, ts_stop *stop);
void ts_order_close(ts_order_answer *answer);

#endif
