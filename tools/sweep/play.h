/* Plays plans of a sweep, several at a time. */
#ifndef TS_TOOLS_SWEEP_PLAY_H
#define TS_TOOLS_SWEEP_PLAY_H

#include <pthread.h>

#include "tools/sweep/sweep.h"

struct ts_links_cache;

/* Compiles and plays one as it is asked for, in a session behind the one before, which has what it
 * says and read. The lock guards the sweep. `links`: kept from plan to plan, or NULL. */
ts_outcome ts_sweep_play_requested(const ts_sweep *s, pthread_mutex_t *lock,
                                   const ts_outcome *requested, ts_arena *arena,
                                   ts_session **session, struct ts_links_cache *links);

/* Compiles and plays one. What it says lives in `arena`; in `s` nothing changes but its inputs. */
ts_outcome ts_sweep_play_one(const ts_sweep *s, size_t point, ts_arena *arena);

/* All that compiling and playing the plan has to say is added to the messages of the sweep. */
void ts_sweep_tell(ts_sweep *s, size_t point);

typedef struct ts_sweep_plays {
  long long jobs;        /* threads that play */
  size_t count;
  const size_t *todo;    /* [count] indices of outcomes, which are played in this order */
  /* On the calling thread. done: a plan was played, in any order. tick: some times a second, and at
   * the end; false: to stop, and no more plans are begun. */
  void (*done)(void *closure, size_t index, double seconds);
  bool (*tick)(void *closure);
  void *closure;
} ts_sweep_plays;

/* Sets the outcomes. False: it was to stop, and plans under way are waited for. */
bool ts_sweep_play(ts_sweep *s, const ts_sweep_plays *plays);

/* Gives up IRs that were kept for plans that were not played. */
void ts_sweep_forget(ts_sweep *s);

/* Where plans come from that are not known beforehand, as from other processes (team.h). All are
 * called under the lock that also guards the sweep: `next` on any thread, the others on the calling
 * one, which does nothing else. */
typedef struct ts_sweep_source {
  long long jobs;
  long pause;                                 /* ms: `more` is called as often, or oftener */
  bool notes;                                 /* the next plan is left out for this one at once */
  bool (*next)(void *closure, size_t *index); /* one to be played; false: there is none now */
  bool (*more)(void *closure);                /* false: no more will come */
  void (*done)(void *closure, size_t index, double seconds);
  bool (*tick)(void *closure);                /* as above */
  void *closure;
} ts_sweep_source;

bool ts_sweep_play_from(ts_sweep *s, const ts_sweep_source *from);

#endif
