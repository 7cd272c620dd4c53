#define _POSIX_C_SOURCE 200809L /* clocks of conditions */
#include "runtime/play/thread_pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "ir/ir.h"
#include "runtime/load/workers.h"

/* What a mailbox holds besides the number of a process: nothing, or that nobody plays the
 * partition. */
#define EMPTY TS_IR_NONE
#define ASLEEP (TS_IR_NONE - 1)

enum { LINE_OF_CACHE = 64, LOCKS = 64, TICK_MS = 100 };

typedef struct mailbox {
  _Alignas(LINE_OF_CACHE) atomic_uint first;
} mailbox;

struct ts_thread_pool {
  uint32_t partitions;
  mailbox *boxes;          /* [partitions] */
  uint32_t *next;          /* [processes] who was left before */
  uint32_t *queue;          /* [partitions] a ring of those that are to be played */
  uint32_t first, waiting; /* of the ring */
  uint32_t playing;        /* partitions */
  bool over;
  atomic_bool stopped;
  pthread_mutex_t lock; /* of the queue, and what counts it */
  pthread_cond_t change;
  pthread_mutex_t calls[LOCKS];
  const ts_thread_pool_work *work;
};

ts_thread_pool *ts_thread_pool_new(ts_arena *arena, uint32_t partitions, uint32_t processes)
{
  ts_thread_pool *pool = TS_NEW(arena, ts_thread_pool);
  char *boxes = ts_arena_alloc(arena, (partitions + 1) * sizeof(mailbox));
  pool->partitions = partitions;
  pool->boxes = (mailbox *)(boxes + LINE_OF_CACHE - (uintptr_t)boxes % LINE_OF_CACHE);
  pool->next = ts_arena_alloc_raw(arena, processes * sizeof *pool->next);
  pool->queue = TS_NEW_ARRAY(arena, uint32_t, partitions);
  return pool;
}

/* ---- Mailboxes ---- */

static void enqueue(ts_thread_pool *pool, uint32_t partition)
{
  pool->queue[(pool->first + pool->waiting++) % pool->partitions] = partition;
}

void ts_thread_pool_leave(ts_thread_pool *pool, uint32_t partition, uint32_t process)
{
  atomic_uint *box = &pool->boxes[partition].first;
  unsigned first = atomic_load_explicit(box, memory_order_relaxed);
  do
    pool->next[process] = first == ASLEEP ? EMPTY : first;
  while (!atomic_compare_exchange_weak_explicit(box, &first, process, memory_order_acq_rel,
                                                memory_order_relaxed));
  if (first != ASLEEP)
    return;
  pthread_mutex_lock(&pool->lock);
  enqueue(pool, partition);
  pthread_cond_signal(&pool->change);
  pthread_mutex_unlock(&pool->lock);
}

uint32_t ts_thread_pool_mail(ts_thread_pool *pool, uint32_t partition)
{
  atomic_uint *box = &pool->boxes[partition].first;
  unsigned first = EMPTY;
  if (atomic_compare_exchange_strong(box, &first, ASLEEP))
    return TS_IR_NONE;
  return atomic_exchange(box, EMPTY);
}

uint32_t ts_thread_pool_next(const ts_thread_pool *pool, uint32_t process)
{
  return pool->next[process];
}

void ts_thread_pool_lock(ts_thread_pool *pool, uint32_t n)
{
  pthread_mutex_lock(&pool->calls[n % LOCKS]);
}
void ts_thread_pool_unlock(ts_thread_pool *pool, uint32_t n)
{
  pthread_mutex_unlock(&pool->calls[n % LOCKS]);
}

/* ---- Threads ---- */

bool ts_thread_pool_stopped(const ts_thread_pool *pool)
{
  return atomic_load_explicit(&pool->stopped, memory_order_relaxed);
}

void ts_thread_pool_stop(ts_thread_pool *pool) { atomic_store(&pool->stopped, true); }

/* The first thread looks up now and then, where somebody asks. */
static void wait(ts_thread_pool *pool, bool first)
{
  if (!first || !pool->work->tick) {
    pthread_cond_wait(&pool->change, &pool->lock);
    return;
  }
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += TICK_MS * 1000000L;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_cond_timedwait(&pool->change, &pool->lock, &until);
  if (!pool->work->tick(pool->work->closure))
    ts_thread_pool_stop(pool);
}

/* Nothing is to be played any more, unless something of it can go on after all. */
static void stand_still(ts_thread_pool *pool)
{
  const ts_thread_pool_work *work = pool->work;
  uint32_t partition =
    work->stuck && !ts_thread_pool_stopped(pool) ? work->stuck(work->closure) : TS_IR_NONE;
  if (partition == TS_IR_NONE) {
    pool->over = true;
    return;
  }
  atomic_store(&pool->boxes[partition].first, EMPTY);
  enqueue(pool, partition);
}

static void play_next(ts_thread_pool *pool, bool first)
{
  uint32_t partition = pool->queue[pool->first];
  pool->first = (pool->first + 1) % pool->partitions;
  pool->waiting--;
  pool->playing++;
  pthread_mutex_unlock(&pool->lock);
  pool->work->play(pool->work->closure, partition, first);
  pthread_mutex_lock(&pool->lock);
  pool->playing--;
}

static void serve(void *closure, bool first)
{
  ts_thread_pool *pool = closure;
  pthread_mutex_lock(&pool->lock);
  while (!pool->over && !ts_thread_pool_stopped(pool)) {
    if (pool->waiting)
      play_next(pool, first);
    else if (pool->playing)
      wait(pool, first);
    else
      stand_still(pool);
  }
  pthread_cond_broadcast(&pool->change);
  pthread_mutex_unlock(&pool->lock);
}

static void init(ts_thread_pool *pool)
{
  pthread_condattr_t steady;
  pthread_mutex_init(&pool->lock, NULL);
  for (int i = 0; i < LOCKS; i++)
    pthread_mutex_init(&pool->calls[i], NULL);
  pthread_condattr_init(&steady);
  pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
  pthread_cond_init(&pool->change, &steady);
  pthread_condattr_destroy(&steady);
}

static void thread_pool_end(ts_thread_pool *pool)
{
  pthread_cond_destroy(&pool->change);
  for (int i = 0; i < LOCKS; i++)
    pthread_mutex_destroy(&pool->calls[i]);
  pthread_mutex_destroy(&pool->lock);
}

bool ts_thread_pool_run(ts_thread_pool *pool, uint32_t threads, const ts_thread_pool_work *work)
{
  init(pool);
  pool->work = work;
  pool->over = false;
  pool->first = pool->waiting = 0;
  for (uint32_t p = 0; p < pool->partitions; p++) {
    atomic_store(&pool->boxes[p].first, EMPTY);
    enqueue(pool, p);
  }
  ts_workers_together(threads < pool->partitions ? threads : pool->partitions, serve, pool);
  thread_pool_end(pool);
  return !ts_thread_pool_stopped(pool);
}
