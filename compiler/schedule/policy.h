/* Inside of policies: shared by compiler/schedule/policy.c and the two ways of making an order,
 * schedule_list.c and schedule_slots.c. */
#ifndef TS_COMPILER_SCHEDULE_POLICY_H
#define TS_COMPILER_SCHEDULE_POLICY_H

#include "compiler/schedule/internal.h"

#define TS_NEVER UINT64_MAX

typedef struct ts_preference { /* what is named by `prefer` or `slot` */
  ts_work_kind kind;
  const ts_ast *item, *key;
  ts_env *env;  /* in which `key` is evaluated */
  double *keys; /* [chunk * m + micro-batch], NAN: not yet asked */
} ts_preference;

typedef struct ts_policy_limit {
  const ts_ast *node, *most;
  const ts_ast *item;  /* pattern of the forwards that it is for, or NULL: all */
  ts_env *env;         /* in which `most` is asked then */
  bool bytes;          /* of memory, not forwards */
  bool open;           /* forwards without their I or B */
  uint32_t chunk;      /* of which it speaks, or TS_NO_INDEX: of all */
  double value;        /* where it is the same for all */
  double *known;       /* [chunk * m + micro-batch], or NULL: not of an item; NAN: not yet asked */
} ts_policy_limit;

/* of the item's own time, and ps; INFINITY: without limit */
typedef struct ts_allowance { double share, time; } ts_allowance;

typedef struct ts_rank_policy {
  ts_env *env;
  const ts_ast *timetable; /* the preferences are slots: see schedule_slots.c */
  TS_VEC(ts_preference) preferences;
  TS_VEC(ts_policy_limit) limits;
  ts_allowance delay[TS_WORK_KINDS]; /* for how long an item may keep a preferred one waiting */
} ts_rank_policy;

typedef struct ts_rank_state {
  uint64_t free;            /* when its last item ends */
  uint64_t decide;          /* when it can begin the next: TS_NEVER, not known */
  uint64_t work;            /* the time of all that it has not begun */
  uint32_t choice, chunk;   /* preference and chunk that it would begin then */
  uint32_t left;            /* items */
  double bytes;             /* held now */
  double backward_rise;     /* bytes that any of its backwards needs above what is held */
  uint32_t *next;           /* [preference * chunks + chunk]: micro-batch */
  /* [chunk], and after them the sum: forwards held, forwards without their I */
  double *live, *open;
} ts_rank_state;

typedef struct ts_policy_stop { /* where an attempt could not go on, numbers of that moment */
  const ts_ast *limit;            /* that keeps the forward back, or NULL */
  bool of_bytes;
  uint32_t rank, stage, micro_batch, begun;
  /* forwards; bytes: held, of the forward and a backward, allowed */
  double held, bytes, more, most;
} ts_policy_stop;

typedef struct ts_attempt { /* one schedule */
  ts_schedule_builder *b;
  ts_arena *arena;          /* of this attempt alone */
  const ts_stage_costs *costs;
  /* makespan of the best so far: one that cannot be shorter is given up */
  uint64_t best;
  ts_rank_policy *policy;   /* [ranks] */
  ts_rank_state *rank;      /* [ranks] */
  uint64_t *end[TS_STEP];   /* [stage * m + micro-batch]; TS_NEVER: not placed */
  ts_placed *items;         /* [rank * per_rank + n] */
  uint32_t *count, per_rank;
  uint64_t makespan;
  bool late;                /* it was given up */
  uint64_t placed;          /* items */
  ts_policy_stop stop;
} ts_attempt;

/* What an item takes, as slow as clauses make it. */
uint64_t ts_policy_time(const ts_attempt *a, ts_work_kind kind, uint32_t stage,
                        uint32_t micro_batch);
/* The number by which an item is preferred, or its slot. */
double ts_policy_key(ts_attempt *a, uint32_t rank, uint32_t choice, uint32_t chunk,
                     uint32_t micro_batch);
/* Which part of what a forward holds its I frees: 0 to 1. */
double ts_policy_freed(const ts_stage_cost *cost);
/* The limit that keeps a forward back now, or NULL. A limit in bytes leaves room for the backward
 * of what is held. */
const ts_policy_limit *ts_policy_held_back(ts_attempt *a, uint32_t rank, uint32_t chunk,
                                           uint32_t micro_batch);
/* Whether another item would go over a limit in bytes, so that a W must come first. */
bool ts_policy_needs_room(const ts_attempt *a, uint32_t rank, ts_work_kind kind, uint32_t stage);
/* Notes why an attempt ends here; false. */
bool ts_policy_stops(ts_attempt *a, const ts_policy_limit *limit, uint32_t rank, uint32_t stage,
                     uint32_t micro_batch);
/* When all that an item needs is there; TS_NEVER: not known yet. */
uint64_t ts_policy_ready(const ts_attempt *a, ts_work_kind kind, uint32_t stage,
                         uint32_t micro_batch);
/* The next item of a rank. False when the attempt is late by now. */
bool ts_policy_put(ts_attempt *a, uint32_t rank, const ts_placed *item, uint64_t start);

/* False after errors, and when the limits keep all back. */
bool ts_policy_list(ts_attempt *a);
bool ts_policy_slots(ts_attempt *a);

#endif
