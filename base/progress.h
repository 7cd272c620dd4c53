/* Long work says how far it is, and asks whether to go on. */
#ifndef TS_BASE_PROGRESS_H
#define TS_BASE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a stream of a play does at the moment. */
typedef struct ts_progress_lane {
  uint32_t rank, micro_batch;        /* UINT32_MAX: of none */
  const char *stream, *item, *state; /* "compute", "F", "waits for a message" */
  uint64_t time;                     /* ps of the step up to which it was played */
  uint64_t left;                     /* items that wait in its queue */
} ts_progress_lane;
enum { TS_PROGRESS_LANES = 64 };
/* Of all streams that the thread plays: how many there are, may go on, are through; and some. */
typedef struct ts_progress_lanes {
  uint64_t streams, ready, through;
  uint32_t count;
  ts_progress_lane at[TS_PROGRESS_LANES];
} ts_progress_lanes;

typedef struct ts_progress {
  /* from the thread that began the work, now and then; share: 0..1 of `what`. False: stop */
  bool (*tick)(void *closure, const char *what, double share);
  void *closure;
  /* how many of a unit ("events", "B") were done of what is being done; NULL: nobody asks */
  void (*count)(void *closure, const char *unit, double done);
  /* whether somebody wants to see the streams now, and who shows them; NULL: nobody watches */
  bool (*watched)(void *closure);
  void (*show)(void *closure, const ts_progress_lanes *lanes);
} ts_progress;

static inline bool ts_tick(const ts_progress *p, const char *what, double share)
{
  return !p || p->tick(p->closure, what, share);
}

/* The same with a rate. */
static inline bool ts_tick_counted(const ts_progress *p, const char *what, double share,
                                   const char *unit, double done)
{
  bool go_on = ts_tick(p, what, share);
  if (p && p->count)
    p->count(p->closure, unit, done);
  return go_on;
}

#endif
