/* What became of one plan of a sweep. */
#ifndef TS_TOOLS_SWEEP_OUTCOME_H
#define TS_TOOLS_SWEEP_OUTCOME_H

#include "base/diag.h"
#include "base/format.h"
#include "compiler/search.h"
#include "runtime/account/confidence.h"
#include "runtime/account/lower_bounds.h"
#include "base/intern.h"

/* by the compiler, by the play, by memory, by a condition, none */
typedef enum ts_outcome_state {
  TS_REFUSED,
  TS_STOPPED,
  TS_BOUNDED, /* it cannot be among the best: not played, or as good as that */
  TS_TOO_LARGE,
  TS_LEFT_OUT,
  TS_RANKED,
  TS_OUTCOME_STATES
} ts_outcome_state;

extern const char *const ts_outcome_states[TS_OUTCOME_STATES]; /* "out of memory" */

typedef struct ts_outcome_warning { ts_code code; const char *message; } ts_outcome_warning;

/* X(name, member): the real numbers of bounds, for who keeps them. */
#define TS_BOUND_REALS(X)                                                                          \
  X(least_step_time, seconds)                                                                      \
  X(least_tokens, tokens)                                                                          \
  X(least_floor, floor)                                                                            \
  X(least_devices, devices)                                                                        \
  X(least_work, work)                                                                              \
  X(least_watts, rates.watts)                                                                      \
  X(least_more_watts, rates.more)                                                                  \
  X(least_price, rates.price)                                                                      \
  X(least_carbon, rates.carbon)                                                                    \
  X(least_early, early)                                                                            \
  X(least_early_bytes, early_bytes)

typedef struct ts_outcome {
  ts_outcome_state state;
  size_t point;            /* of the search */
  bool known;              /* it was played, or stood in a journal: what follows holds */
  bool exact;              /* it is to be played whatever its bounds are */
  bool bounds_only;        /* it is not to be played: its bounds are asked for */
  bool early_bound;        /* likewise those that are known before it has fragments */
  bool all_rounds;         /* none is left out: ts_compile_options.listed */
  bool unsteady;           /* some were, and that does not do */
  bool noted;              /* others are left out for it: ts_sweep_note */
  bool drawn;              /* it was drawn at random (tools/sweep/budget.h) */
  bool played;             /* else refused, or only its bounds are known */
  ts_lower_bounds bounds;  /* bounds, unless refused */
  /* its IR, of one that is not yet played and kept since its early bound was asked for; or NULL */
  struct ts_sweep_compiled *compiled;
  struct ts_outcome_best { /* what follows from them */
    bool known;
    bool fails;      /* a condition cannot hold: that of the reason */
    uint32_t reason;
    const double *objectives; /* by each goal at the best; turned so that less is better */
  } best;
  ts_figures figures;      /* unless there is a reason why not */
  double limit;            /* memory of the fullest device, bytes; 0: not known */
  const char *why;         /* REFUSED, STOPPED; else NULL */
  const ts_confidence *sure; /* NULL: not played */
  uint32_t warning_count;
  const ts_outcome_warning *warnings;
  /* REFUSED for no fault of the plan's: a file that was there could not be read */
  bool unread;
  /* STOPPED as there was too little memory, of which another run may have more: not kept, and only
   * told */
  bool starved;

  double objective;         /* RANKED and judged: of the goal; turned so that less is better */
  const double *objectives; /* ranked: by all goals, as they are; else NULL */
  /* ranked, several goals: no other is as good by all, and better by one */
  bool front;
  const bool *holds;       /* ranked and left out: the conditions that need a played step */
  bool equal;              /* ranked: its step time may be that of the best */
} ts_outcome;

/* Is this figure of it known? Of plans that were not played bounds of memory tell whether they fit.
 */
bool ts_outcome_knows(const ts_outcome *o, ts_figure_id figure);
/* A usual figure for people: "22.17 s", "41.2 %"; "-": not known. */
ts_text ts_outcome_text(const ts_outcome *o, ts_figure_id figure);

/* What it points to is kept: in the arena, and what is the same for many of them once. */
void ts_outcome_keep(ts_outcome *o, ts_intern *once, ts_arena *arena);

/* What a plan's messages are worth to a sweep: warnings that were not switched off. In the arena.
 */
void ts_outcome_take_warnings(ts_outcome *out, const ts_diags *diags, ts_arena *arena);
/* Puts those of another one first. */
void ts_outcome_add_warnings(ts_outcome *out, const ts_outcome *first, ts_arena *arena);

/* Warnings and confidence as text, and back; numbers are exact. Text in the arena. False: it is not
 * such a text. */
const char *ts_outcome_warnings_text(const ts_outcome *o, ts_arena *arena);
const char *ts_outcome_sure_text(const ts_outcome *o, ts_arena *arena);
bool ts_outcome_read(ts_outcome *o, const char *warnings, const char *sure, ts_arena *arena);

#endif
