/* The threads that play a step together. Players are divided into partitions (partition.h). A
 * partition is played by one thread at a time, as far as it goes: then it sleeps. Who makes a
 * process of another partition ready leaves its number in that partition's mailbox, and a partition
 * that slept is played again by the next thread that is free. So there are no rounds, and what a
 * thread does between two partitions needs no lock. Times are maxima of sums of others (engine.h):
 * neither who plays a partition nor when changes them. */
#ifndef TS_RUNTIME_PLAY_THREAD_POOL_H
#define TS_RUNTIME_PLAY_THREAD_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct ts_thread_pool ts_thread_pool;

typedef struct ts_thread_pool_work {
  /* Plays the partition until nothing of it is ready, and ts_thread_pool_mail() said that nothing
   * came. `first`: on the thread that began it all. */
  void (*play)(void *closure, uint32_t partition, bool first);
  /* All partitions sleep: one that may go on now, or TS_IR_NONE: it is over. NULL: it is over. */
  uint32_t (*stuck)(void *closure);
  /* Now and then, on the thread that began it all. False: stop. NULL: nobody asks. */
  bool (*tick)(void *closure);
  void *closure;
} ts_thread_pool_work;

ts_thread_pool *ts_thread_pool_new(ts_arena *arena, uint32_t partitions, uint32_t processes);
/* All partitions are to be played, by so many threads at most. False: it was stopped. */
bool ts_thread_pool_run(ts_thread_pool *pool, uint32_t threads, const ts_thread_pool_work *work);
void ts_thread_pool_stop(ts_thread_pool *pool);
bool ts_thread_pool_stopped(const ts_thread_pool *pool);

/* The process of the partition may go on. */
void ts_thread_pool_leave(ts_thread_pool *pool, uint32_t partition, uint32_t process);
/* Who may go on, ts_thread_pool_next() after it; TS_IR_NONE: nobody, and the partition sleeps.
 * Another thread may have it from then on. */
uint32_t ts_thread_pool_mail(ts_thread_pool *pool, uint32_t partition);
uint32_t ts_thread_pool_next(const ts_thread_pool *pool, uint32_t process);

/* For calls of several partitions: whoever changes what belongs to number `n` holds this. */
void ts_thread_pool_lock(ts_thread_pool *pool, uint32_t n);
void ts_thread_pool_unlock(ts_thread_pool *pool, uint32_t n);

#endif
