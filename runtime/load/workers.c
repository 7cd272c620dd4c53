#include "runtime/load/workers.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/heap.h"
#include "base/locale.h"

/* PIECES: that make it worth starting a thread; STEP: taken at a time */
enum { MOST = 64, PIECES = 32, STEP = 8 };

uint32_t ts_workers_size(uint32_t requested, uint32_t pieces)
{
  long there = requested ? (long)requested : sysconf(_SC_NPROCESSORS_ONLN);
  uint32_t most = pieces / PIECES + 1;
  there = there < 1 ? 1 : there > MOST ? MOST : there;
  return (uint32_t)there < most ? (uint32_t)there : most;
}

typedef struct workers_pool {
  const ts_workers_job *job;
  atomic_uint next, worker;
  atomic_bool stopped;
} workers_pool;

static void take_pieces(void *closure, bool first)
{
  workers_pool *c = closure;
  const ts_workers_job *job = c->job;
  uint32_t worker = atomic_fetch_add(&c->worker, 1);
  for (uint32_t piece;
       !atomic_load(&c->stopped) && !ts_heap_is_over() &&
       (piece = atomic_fetch_add(&c->next, STEP)) < job->pieces;) {
    for (uint32_t i = piece; i < piece + STEP && i < job->pieces; i++)
      job->work(job->closure, i, worker);
    if (first && !ts_tick(job->progress, job->what, (double)piece / job->pieces))
      atomic_store(&c->stopped, true);
  }
}

bool ts_workers_run(uint32_t workers, const ts_workers_job *job)
{
  workers_pool c = {.job = job};
  ts_workers_together(workers, take_pieces, &c);
  return !atomic_load(&c.stopped);
}

/* ---- Threads ---- */

typedef struct together { void (*work)(void *closure, bool first); void *closure; } together;

static void *workers_help(void *closure)
{
  const together *t = closure;
  ts_locale locale = ts_locale_enter(); /* a thread begins in that of the process */
  t->work(t->closure, false);
  ts_locale_leave(locale);
  return NULL;
}

void ts_workers_together(uint32_t workers, void (*work)(void *closure, bool first), void *closure)
{
  pthread_t threads[MOST];
  uint32_t started = 0;
  sigset_t all, before;
  together t = {work, closure};
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (started + 1 < workers && started < MOST &&
         pthread_create(&threads[started], NULL, workers_help, &t) == 0)
    started++;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  ts_heap_rescue *rescue = started ? ts_heap_rescue_pause() : NULL;
  work(closure, true);
  for (uint32_t i = 0; i < started; i++)
    pthread_join(threads[i], NULL);
  if (rescue)
    ts_heap_rescue_resume(rescue);
}
