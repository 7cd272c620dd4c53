/* Long work says how far it is, and asks whether to go on. */
#ifndef TS_BASE_PROGRESS_H
#define TS_BASE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ts_progress {
  /* from the thread that began the work, now and then; share: 0..1 of `what`. False: stop */
  bool (*tick)(void *closure, const char *what, double share);
  void *closure;
  /* how many of a unit ("events", "B") were done of what is being done; NULL: nobody asks */
  void (*count)(void *closure, const char *unit, double done);
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
