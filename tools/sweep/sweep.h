/* A sweep: a search, and what became of its plans. Other files of this folder play, keep, rank and
 * report them. */
#ifndef TS_TOOLS_SWEEP_SWEEP_H
#define TS_TOOLS_SWEEP_SWEEP_H

#include "base/intern.h"
#include "compiler/compile.h"
#include "compiler/search.h"
#include "tools/sweep/inputs.h"
#include "tools/sweep/outcome.h"
#include "tools/sweep/shard.h"

typedef struct ts_sweep {
  ts_arena *arena;
  ts_session *session;        /* of the search, and of its messages */
  const char *path;
  ts_compile_options compile; /* of its plans, but for their parameters */
  ts_common *common;          /* what its plans share; NULL: nothing */
  ts_search *search;
  ts_inputs *inputs;          /* files that plans read */
  ts_intern once;             /* what many plans say */
  ts_sweep_shard shard;             /* which of the plans are asked for */
  size_t count;               /* how many */
  ts_outcome *outcomes;       /* [count] in the order of the search; ranked, the best first */
  size_t top;                 /* only so many of the best are asked for; 0: all */
  bool all;                   /* all plans are played, whatever their bounds are */
  double *tops;               /* [top] objectives of the best ones judged so far, the best first */
  size_t top_count;
  size_t compiled;            /* bytes of IRs that are kept (tools/sweep/play.c) */
  TS_VEC(double) front; /* of several goals: objectives of those judged that no other one beats */
  uint64_t *reasons;          /* [reasons of the search] plans left out before any was played */
  size_t judged;              /* of those, from the first on */
  size_t best;                /* of those judged; valid where its state is RANKED */
  /* of a space that is not listed (tools/sweep/budget.h): its seed; plans looked at; of those that
   * were chosen to be played, those drawn and not found near others; whether no further ones were
   * found; plans of which only bounds are known, and which of these do not tell */
  uint64_t seed;
  size_t looked, played, drawn;
  bool exhausted;
  TS_VEC(ts_outcome) waiting;
  size_t undecided;     /* of these, those that may be among the best all the same; ranked */
  double best_waiting;  /* by the first goal, turned: the best that one of them can be */
} ts_sweep;

/* What distinguishes a plan of the family: "tp=8 pp=4". */
const char *ts_sweep_point_text(const ts_sweep *s, size_t point, ts_arena *arena);

#endif
