/* How a plan is played: the same for a step, its studies and its report. */
#ifndef TS_RUNTIME_PLAY_OPTIONS_H
#define TS_RUNTIME_PLAY_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/progress.h"

typedef struct ts_run_options {
  bool no_fold;        /* play every rank for itself */
  /* calls of models of flows share links with all others under way; plays every rank */
  bool contention;
  /* to play and to sum up with, at most; 0: one a processor. Results do not depend on it */
  uint32_t threads;
  bool spread;         /* plays on all of them, however little there is to play; for tests */
  bool every_op;       /* plays items op by op that repeat earlier ones (repeats.h); for tests */
  /* or NULL. Stopped work ends with the exit code TS_EXIT_ENVIRONMENT */
  const ts_progress *progress;
  const char *network; /* only network models of this name; NULL: all */
  const double *transfer; /* [collectives + ports] factor on the time of each call, or NULL */
  const double *slower; /* [world] factor on the time of each rank's kernels, or NULL */
  /* what was played as packets, kept from run to run (one at a time); NULL: of this run alone */
  struct ts_packet_memo *packets;
  /* what was found of a cluster's links, kept from run to run (one at a time); NULL: of this one */
  struct ts_links_cache *links;
  /* how compute and communication slow each other down; NULL: not at all */
  const struct ts_slowdown *overlap;
} ts_run_options;

#endif
