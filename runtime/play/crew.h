/* CREW: the threads that play a step together. Players are dealt into PARTS (deal.h). A part is
 * played by one thread at a time, as far as it goes: then it sleeps. Who makes a process of another
 * part ready leaves its number in that part's mailbox, and a part that slept is played again by the
 * next thread that is free. So there are no rounds, and what a thread does between two parts needs
 * no lock. Times are maxima of sums of others (engine.h): neither who plays a part nor when changes
 * them. */
#ifndef TS_RUNTIME_PLAY_CREW_H
#define TS_RUNTIME_PLAY_CREW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct ts_crew ts_crew;

typedef struct ts_crew_work {
  /* Plays the part until nothing of it is ready, and ts_crew_mail() said that nothing came.
   * `first`: on the thread that began it all. */
  void (*play)(void *closure, uint32_t part, bool first);
  /* All parts sleep: one that may go on now, or TS_IR_NONE: it is over. NULL: it is over. */
  uint32_t (*stuck)(void *closure);
  /* Now and then, on the thread that began it all. False: stop. NULL: nobody asks. */
  bool (*tick)(void *closure);
  void *closure;
} ts_crew_work;

ts_crew *ts_crew_new(ts_arena *arena, uint32_t parts, uint32_t processes);
/* All parts are to be played, by so many threads at most. False: it was stopped. */
bool ts_crew_run(ts_crew *crew, uint32_t threads, const ts_crew_work *work);
void ts_crew_stop(ts_crew *crew);
bool ts_crew_stopped(const ts_crew *crew);

/* The process of the part may go on. */
void ts_crew_leave(ts_crew *crew, uint32_t part, uint32_t process);
/* Who may go on, ts_crew_next() after it; TS_IR_NONE: nobody, and the part sleeps. Another thread
 * may have it from then on. */
uint32_t ts_crew_mail(ts_crew *crew, uint32_t part);
uint32_t ts_crew_next(const ts_crew *crew, uint32_t process);

/* For calls of several parts: whoever changes what belongs to number `n` holds this. */
void ts_crew_lock(ts_crew *crew, uint32_t n);
void ts_crew_unlock(ts_crew *crew, uint32_t n);

#endif
