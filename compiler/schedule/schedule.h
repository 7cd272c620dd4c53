/* The schedule: which virtual stage of the model is where, and the order in which each rank of the
 * pipeline works. */
#ifndef TS_COMPILER_SCHEDULE_SCHEDULE_H
#define TS_COMPILER_SCHEDULE_SCHEDULE_H

#include "compiler/model/graph.h"

enum { TS_PLACES = 32 };

typedef enum ts_work_kind {
  TS_FORWARD,
  TS_BACKWARD,
  TS_INPUT_GRADIENT,
  TS_WEIGHT_GRADIENT,
  TS_STEP,
  TS_WORK_KINDS
} ts_work_kind;

typedef struct ts_placed { /* a work item where it stands */
  ts_work_kind kind;
  uint32_t micro_batch, chunk; /* of a step: which step of its rank */
  uint32_t stage;     /* virtual; of a step: of its rank's first chunk */
  bool paired;        /* played together with the item after it */
  /* the last item before a step that adds to the weight gradients of its stage */
  bool last;
  bool first;         /* ... after a step */
  /* of those on their way on its rank: equal for F, B and I of a micro-batch and stage */
  uint32_t place;
  /* the first and the last item between two steps that read its stage's weights */
  bool gathers, drops;
  bool fresh;         /* the first item to read them after an update */
  /* into ts_schedule.links: clauses that tie it to items elsewhere */
  uint32_t link_first, link_count;
  uint32_t slowed;    /* into ts_schedule.slowed, plus 1; 0: takes its ordinary time */
  ts_span span;
} ts_placed;

typedef struct ts_order { uint32_t first, count; } ts_order; /* items of a rank */

/* A `depend` clause between items of different ranks: a message of `bytes` from the end of one to
 * the beginning of the other. `some`: of all ties of this clause to the same item so many suffice,
 * 0: all are needed. `lane`: which of the messages of the clause to one item it is. */
typedef struct ts_tie {
  uint32_t from, to;
  int64_t bytes;
  const ts_ast *clause;
  uint32_t id, some, lane;
} ts_tie;
/* a `slow` clause: its kernels take `by` times as long */
typedef struct ts_slowed { double by; const ts_ast *clause; } ts_slowed;
typedef struct ts_tie_end { uint32_t tie; bool outgoing; } ts_tie_end;

/* Clauses that every schedule has until it removes them: messages between stages, and between
 * copies of the model. */
typedef enum ts_common_clause {
  TS_CLAUSE_ACTIVATIONS = 1,
  TS_CLAUSE_GRADIENTS = 2,
  TS_CLAUSE_COPIES = 4,
  TS_ALL_COMMON_CLAUSES = 7
} ts_common_clause;

/* before NULL: a common clause; after NULL: removed. span: where */
typedef struct ts_clause_change {
  const char *name;
  const ts_ast *before, *after;
  ts_span span;
} ts_clause_change;

typedef struct ts_schedule {
  const char *name;
  ts_span span;
  const ts_ast *decl;             /* NULL: the plan has no schedule */
  const ts_env *outside;          /* that of the declaration */
  /* number of what the order comes from: compiler/eval/shared.h; 0: from more */
  uint64_t origin;
  const ts_env *env;              /* its parameters and names */
  const ts_ast *policy;           /* NULL: the order is exact */
  ts_value protocols;             /* the plan's own: DECL, a LIST of such, or NONE */
  ts_span protocols_span;         /* of that field */
  uint32_t ranks, chunks, stages; /* stages = ranks * chunks */
  /* the model is there `copies` times, cut into `parts`: stages = copies * parts. Stage s holds
   * part s % parts */
  uint32_t copies, parts;
  uint32_t axis;                  /* of the mesh, or TS_NO_INDEX: no pipeline */
  uint32_t micro_batches;         /* that items are listed of, numbered without the others */
  /* rounds that are not listed, and their micro-batches: `round`, [ranks] into the items of the
   * rank, is played so often more */
  uint32_t left_rounds, left_out;
  const ts_order *round;
  const uint32_t *stage_of;       /* [rank * chunks + chunk] */
  const uint32_t *rank_of;        /* [stage] */
  const uint32_t *chunk_of;       /* [stage] */
  /* [ranks] where devices are not alike: which gpus the replicas of a rank lie on, as bits of
   * whoever prices its work, and the speed of the slowest. NULL: they are alike */
  const uint32_t *devices;
  const double *speeds;
  ts_span stages_span;
  const int64_t *sizes;           /* [parts] units of each, or NULL */
  bool balanced;                   /* divide by time instead of by number */
  /* clauses of all schedules that this one has not: bits of ts_common_clause */
  uint32_t without;
  TS_VEC(ts_clause_change) changes;
  const struct ts_stages *built;  /* its stages, once they are there: compiler/schedule/stage.h */
  ts_arena *arena;                /* of items and of where each stands */
  TS_VEC(ts_placed) items;
  const ts_order *order;          /* [ranks] */
  TS_VEC(ts_tie) ties;
  TS_VEC(ts_tie_end) links;
  TS_VEC(ts_slowed) slowed;
  const uint32_t *steps;      /* items: the steps of every rank in turn */
  const uint32_t *step_first; /* [ranks + 1] into steps */
  /* [kind][stage * micro_batches + micro_batch]: item or TS_NO_INDEX; see ts_schedule_find */
  const uint32_t *at;
} ts_schedule;

/* An order of work that comes from elsewhere: items of each rank, one after the other. */
/* paired: played together with the item after it */
typedef struct ts_given_item {
  ts_work_kind kind;
  uint32_t stage, micro_batch;
  bool paired;
} ts_given_item;
typedef struct ts_given_order {
  uint32_t ranks;
  const uint32_t *first; /* [ranks + 1] */
  const ts_given_item *items;
} ts_given_order;

/* What a policy knows of the work of a stage: times in ps, and bytes of activations: held from F
 * on; of them freed by I, or, below 0, what I adds for W; and the most that an item of each kind
 * holds while it runs, above what was held before it. */
typedef struct ts_stage_cost {
  uint64_t time[TS_STEP];
  double held, freed, rise[TS_STEP];
} ts_stage_cost;
/* at: [stages]; slow: as of ts_schedule_slow */
typedef struct ts_stage_costs {
  const ts_stage_cost *at;
  uint64_t message;
  const double *slow;
} ts_stage_costs;

/* Evaluates the plan's schedule: its stages, not yet its order. Without one: one stage, forward and
 * backward of every micro-batch. `micro_batches`: used then. NULL after errors. */
ts_schedule *ts_schedule_open(ts_session *s, const ts_plan *plan, uint32_t micro_batches);
/* Its order. A policy is left open: it needs costs. False after errors. */
bool ts_schedule_place(ts_session *s, ts_schedule *sc);

/* The order that a policy makes of these costs. */
bool ts_schedule_settle(ts_session *s, ts_schedule *sc, const ts_stage_costs *costs);
/* The clauses of an order that was recorded, whose ranks need not do all that a schedule must: a
 * stage for each rank, its items and their order are there. False after errors. */
bool ts_schedule_recorded(ts_session *s, ts_schedule *sc);
/* Into how many parts a schedule cuts the model. */
bool ts_schedule_parts(ts_session *s, const ts_applied *schedule, uint32_t *parts);

/* Those of the whole step. */
static inline uint32_t ts_schedule_batches(const ts_schedule *sc)
{
  return sc->micro_batches + sc->left_out;
}

/* How often a rank plays one of the items of its order. */
static inline uint32_t ts_schedule_plays(const ts_schedule *sc, uint32_t rank, uint32_t item)
{
  const ts_order *round = sc->left_out ? &sc->round[rank] : NULL;
  return round && item - round->first < round->count ? sc->left_rounds + 1 : 1;
}

/* How many times longer a rank's kernels take than on a device of speed 1. */
static inline double ts_schedule_slowness(const ts_schedule *sc, uint32_t rank)
{
  return sc->speeds && sc->speeds[rank] > 0 ? 1 / sc->speeds[rank] : 1;
}

/* Not for steps. */
uint32_t ts_schedule_find(const ts_schedule *sc, ts_work_kind kind, uint32_t stage,
                          uint32_t micro_batch);
uint32_t ts_schedule_step(const ts_schedule *sc, uint32_t rank, uint32_t number);
uint32_t ts_schedule_rank(const ts_schedule *sc, uint32_t item);
const char *ts_work_letter(ts_work_kind kind);
/* "F(3) at stage 2" */
const char *ts_placed_name(ts_session *s, const ts_schedule *sc, uint32_t item);

/* compiler/schedule/protocol.c: `depend`, `partner` and `slow`. */
bool ts_schedule_protocols(ts_session *s, ts_schedule *sc);
/* What `slow` makes of every item there may be, [kind below S][stage * micro_batches +
 * micro_batch], whatever order they come to stand in; NULL: there is no such clause. False after
 * errors. */
bool ts_schedule_slow(ts_session *s, ts_schedule *sc, const double **factors);

/* compiler/schedule/csv.c: the order as torch.distributed.pipelining writes it, a line a rank. */
const char *ts_schedule_csv(ts_session *s, const ts_schedule *sc);
/* compiler/schedule/language.c: a declaration of the language with this order, for a plan to
 * import. */
const char *ts_schedule_language(ts_session *s, const ts_schedule *sc, const char *name);
/* compiler/schedule/explain.c: why an item such as "F(3) at 2" stands where it stands. NULL if the
 * text names no item; an error if there is none like it. */
const char *ts_schedule_explain(ts_session *s, const ts_schedule *sc, const char *text);

#endif
