/* Long work says how far it is, and asks whether to go on. */
#ifndef TS_RUNTIME_LOAD_PROGRESS_H
#define TS_RUNTIME_LOAD_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ts_progress {
  /* from the thread that began the work, now and then; share: 0..1 of `what`. False: stop */
  bool (*tick)(void *closure, const char *what, double share);
  void *closure;
} ts_progress;

static inline bool ts_tick(const ts_progress *p, const char *what, double share)
{
  return !p || p->tick(p->closure, what, share);
}

#endif
