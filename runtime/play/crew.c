#define _POSIX_C_SOURCE 200809L /* clocks of conditions */
#include "runtime/play/crew.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "ir/ir.h"
#include "runtime/load/workers.h"

/* What a mailbox holds besides the number of a process: nothing, or that nobody plays the part. */
#define EMPTY TS_IR_NONE
#define ASLEEP (TS_IR_NONE - 1)

enum { LINE_OF_CACHE = 64, LOCKS = 64, TICK_MS = 100 };

typedef struct mailbox { _Alignas(LINE_OF_CACHE) atomic_uint first; } mailbox;

struct ts_crew {
  uint32_t parts;
  mailbox *boxes;     /* [parts] */
  uint32_t *next;     /* [processes] who was left before */
  uint32_t *line;     /* [parts] a ring of those that are to be played */
  uint32_t first, waiting; /* of the ring */
  uint32_t playing;   /* parts */
  bool over;
  atomic_bool stopped;
  pthread_mutex_t lock; /* of the line, and what counts it */
  pthread_cond_t change;
  pthread_mutex_t calls[LOCKS];
  const ts_crew_work *work;
};

ts_crew *ts_crew_new(ts_arena *arena, uint32_t parts, uint32_t processes)
{
  ts_crew *c = TS_NEW(arena, ts_crew);
  char *boxes = ts_arena_alloc(arena, (parts + 1) * sizeof(mailbox));
  c->parts = parts;
  c->boxes = (mailbox *)(boxes + LINE_OF_CACHE - (uintptr_t)boxes % LINE_OF_CACHE);
  c->next = ts_arena_alloc_raw(arena, processes * sizeof *c->next);
  c->line = TS_NEW_ARRAY(arena, uint32_t, parts);
  return c;
}

/* ---- Mailboxes ---- */

static void line_up(ts_crew *c, uint32_t part)
{
  c->line[(c->first + c->waiting++) % c->parts] = part;
}

void ts_crew_leave(ts_crew *c, uint32_t part, uint32_t process)
{
  atomic_uint *box = &c->boxes[part].first;
  unsigned first = atomic_load_explicit(box, memory_order_relaxed);
  do
    c->next[process] = first == ASLEEP ? EMPTY : first;
  while (!atomic_compare_exchange_weak_explicit(box, &first, process, memory_order_acq_rel,
                                                memory_order_relaxed));
  if (first != ASLEEP)
    return;
  pthread_mutex_lock(&c->lock);
  line_up(c, part);
  pthread_cond_signal(&c->change);
  pthread_mutex_unlock(&c->lock);
}

uint32_t ts_crew_mail(ts_crew *c, uint32_t part)
{
  atomic_uint *box = &c->boxes[part].first;
  unsigned first = EMPTY;
  if (atomic_compare_exchange_strong(box, &first, ASLEEP))
    return TS_IR_NONE;
  return atomic_exchange(box, EMPTY);
}

uint32_t ts_crew_next(const ts_crew *c, uint32_t process) { return c->next[process]; }

void ts_crew_lock(ts_crew *c, uint32_t n) { pthread_mutex_lock(&c->calls[n % LOCKS]); }
void ts_crew_unlock(ts_crew *c, uint32_t n) { pthread_mutex_unlock(&c->calls[n % LOCKS]); }

/* ---- Threads ---- */

bool ts_crew_stopped(const ts_crew *c)
{
  return atomic_load_explicit(&c->stopped, memory_order_relaxed);
}

void ts_crew_stop(ts_crew *c) { atomic_store(&c->stopped, true); }

/* The first thread looks up now and then, where somebody asks. */
static void wait(ts_crew *c, bool first)
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
    ts_crew_stop(c);
}

/* Nothing is to be played any more, unless something of it can go on after all. */
static void stand_still(ts_crew *c)
{
  const ts_crew_work *work = c->work;
  uint32_t part = work->stuck && !ts_crew_stopped(c) ? work->stuck(work->closure) : TS_IR_NONE;
  if (part == TS_IR_NONE) {
    c->over = true;
    return;
  }
  atomic_store(&c->boxes[part].first, EMPTY);
  line_up(c, part);
}

static void play_next(ts_crew *c, bool first)
{
  uint32_t part = c->line[c->first];
  c->first = (c->first + 1) % c->parts;
  c->waiting--;
  c->playing++;
  pthread_mutex_unlock(&c->lock);
  c->work->play(c->work->closure, part, first);
  pthread_mutex_lock(&c->lock);
  c->playing--;
}

static void serve(void *closure, bool first)
{
  ts_crew *c = closure;
  pthread_mutex_lock(&c->lock);
  while (!c->over && !ts_crew_stopped(c)) {
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

static void init(ts_crew *c)
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

static void end(ts_crew *c)
{
  pthread_cond_destroy(&c->change);
  for (int i = 0; i < LOCKS; i++)
    pthread_mutex_destroy(&c->calls[i]);
  pthread_mutex_destroy(&c->lock);
}

bool ts_crew_run(ts_crew *c, uint32_t threads, const ts_crew_work *work)
{
  init(c);
  c->work = work;
  c->over = false;
  c->first = c->waiting = 0;
  for (uint32_t p = 0; p < c->parts; p++) {
    atomic_store(&c->boxes[p].first, EMPTY);
    line_up(c, p);
  }
  ts_workers_together(threads < c->parts ? threads : c->parts, serve, c);
  end(c);
  return !ts_crew_stopped(c);
}
