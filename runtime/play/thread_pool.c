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
  uint32_t *line;          /* [partitions] a ring of those that are to be played */
  uint32_t first, waiting; /* of the ring */
  uint32_t playing;        /* partitions */
  bool over;
  atomic_bool stopped;
  pthread_mutex_t lock; /* of the line, and what counts it */
  pthread_cond_t change;
  pthread_mutex_t calls[LOCKS];
  const ts_thread_pool_work *work;
};

ts_thread_pool *ts_thread_pool_new(ts_arena *arena, uint32_t partitions, uint32_t processes)
{
  ts_thread_pool *c = TS_NEW(arena, ts_thread_pool);
  char *boxes = ts_arena_alloc(arena, (partitions + 1) * sizeof(mailbox));
  c->partitions = partitions;
  c->boxes = (mailbox *)(boxes + LINE_OF_CACHE - (uintptr_t)boxes % LINE_OF_CACHE);
  c->next = ts_arena_alloc_raw(arena, processes * sizeof *c->next);
  c->line = TS_NEW_ARRAY(arena, uint32_t, partitions);
  return c;
}

/* ---- Mailboxes ---- */

static void line_up(ts_thread_pool *c, uint32_t partition)
{
  c->line[(c->first + c->waiting++) % c->partitions] = partition;
}

void ts_thread_pool_leave(ts_thread_pool *c, uint32_t partition, uint32_t process)
{
  atomic_uint *box = &c->boxes[partition].first;
  unsigned first = atomic_load_explicit(box, memory_order_relaxed);
  do
    c->next[process] = first == ASLEEP ? EMPTY : first;
  while (!atomic_compare_exchange_weak_explicit(box, &first, process, memory_order_acq_rel,
                                                memory_order_relaxed));
  if (first != ASLEEP)
    return;
  pthread_mutex_lock(&c->lock);
  line_up(c, partition);
  pthread_cond_signal(&c->change);
  pthread_mutex_unlock(&c->lock);
}

uint32_t ts_thread_pool_mail(ts_thread_pool *c, uint32_t partition)
{
  atomic_uint *box = &c->boxes[partition].first;
  unsigned first = EMPTY;
  if (atomic_compare_exchange_strong(box, &first, ASLEEP))
    return TS_IR_NONE;
  return atomic_exchange(box, EMPTY);
}

uint32_t ts_thread_pool_next(const ts_thread_pool *c, uint32_t process) { return c->next[process]; }

void ts_thread_pool_lock(ts_thread_pool *c, uint32_t n)
{
  pthread_mutex_lock(&c->calls[n % LOCKS]);
}
void ts_thread_pool_unlock(ts_thread_pool *c, uint32_t n)
{
  pthread_mutex_unlock(&c->calls[n % LOCKS]);
}

/* ---- Threads ---- */

bool ts_thread_pool_stopped(const ts_thread_pool *c)
{
  return atomic_load_explicit(&c->stopped, memory_order_relaxed);
}

void ts_thread_pool_stop(ts_thread_pool *c) { atomic_store(&c->stopped, true); }

/* The first thread looks up now and then, where somebody asks. */
static void wait(ts_thread_pool *c, bool first)
{
  if (!first || !c->work->tick) {
    pthread_cond_wait(&c->change, &c->lock);
    return;
  }
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += TICK_MS * 1000000L;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_cond_timedwait(&c->change, &c->lock, &until);
  if (!c->work->tick(c->work->closure))
    ts_thread_pool_stop(c);
}

/* Nothing is to be played any more, unless something of it can go on after all. */
static void stand_still(ts_thread_pool *c)
{
  const ts_thread_pool_work *work = c->work;
  uint32_t partition =
    work->stuck && !ts_thread_pool_stopped(c) ? work->stuck(work->closure) : TS_IR_NONE;
  if (partition == TS_IR_NONE) {
    c->over = true;
    return;
  }
  atomic_store(&c->boxes[partition].first, EMPTY);
  line_up(c, partition);
}

static void play_next(ts_thread_pool *c, bool first)
{
  uint32_t partition = c->line[c->first];
  c->first = (c->first + 1) % c->partitions;
  c->waiting--;
  c->playing++;
  pthread_mutex_unlock(&c->lock);
  c->work->play(c->work->closure, partition, first);
  pthread_mutex_lock(&c->lock);
  c->playing--;
}

static void serve(void *closure, bool first)
{
  ts_thread_pool *c = closure;
  pthread_mutex_lock(&c->lock);
  while (!c->over && !ts_thread_pool_stopped(c)) {
    if (c->waiting)
      play_next(c, first);
    else if (c->playing)
      wait(c, first);
    else
      stand_still(c);
  }
  pthread_cond_broadcast(&c->change);
  pthread_mutex_unlock(&c->lock);
}

static void init(ts_thread_pool *c)
{
  pthread_condattr_t steady;
  pthread_mutex_init(&c->lock, NULL);
  for (int i = 0; i < LOCKS; i++)
    pthread_mutex_init(&c->calls[i], NULL);
  pthread_condattr_init(&steady);
  pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
  pthread_cond_init(&c->change, &steady);
  pthread_condattr_destroy(&steady);
}

static void end(ts_thread_pool *c)
{
  pthread_cond_destroy(&c->change);
  for (int i = 0; i < LOCKS; i++)
    pthread_mutex_destroy(&c->calls[i]);
  pthread_mutex_destroy(&c->lock);
}

bool ts_thread_pool_run(ts_thread_pool *c, uint32_t threads, const ts_thread_pool_work *work)
{
  init(c);
  c->work = work;
  c->over = false;
  c->first = c->waiting = 0;
  for (uint32_t p = 0; p < c->partitions; p++) {
    atomic_store(&c->boxes[p].first, EMPTY);
    line_up(c, p);
  }
  ts_workers_together(threads < c->partitions ? threads : c->partitions, serve, c);
  end(c);
  return !ts_thread_pool_stopped(c);
}
