/* Why a run ends without a result, as a value: what happened, where in the plan, and the facts a
 * person needs to mend it. Filled by whoever finds it, printed by report/stop.c. It is no ts_error:
 * nothing is wrong with the input, and what was found has facts, a place in the plan and an exit
 * code of its own. */
#ifndef TS_RUNTIME_LOAD_STOP_H
#define TS_RUNTIME_LOAD_STOP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/exit.h"

typedef struct ts_fact { const char *name, *text; } ts_fact; /* text may hold newlines */

typedef struct ts_stop {
  int exit_code;      /* base/exit.h; 0: nothing happened */
  const char *code;   /* "R0101", or NULL */
  const char *name;   /* "out-of-memory" */
  const char *title;  /* one line */
  uint32_t loc;       /* of the IR, or TS_IR_NONE */
  const char *label;  /* of loc, may be NULL */
  uint32_t fact_count;
  ts_fact facts[12];
  const char *help;   /* may be NULL */
  bool unsteady;      /* no reason: rounds that were left out need to be listed */
  ts_arena *arena;    /* holds the texts; set by the owner before the run */
} ts_stop;

/* Sets the head of *stop and returns -1, so that `return ts_stop_set(...)` reads well. */
int ts_stop_set(ts_stop *stop, int exit_code, const char *code, const char *name,
                const char *format, ...) __attribute__((format(printf, 5, 6)));
int ts_stop_interrupted(ts_stop *stop); /* the work was asked to stop */
void ts_stop_fact(ts_stop *stop, const char *name, const char *format, ...)
  __attribute__((format(printf, 3, 4)));
void ts_stop_help(ts_stop *stop, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
