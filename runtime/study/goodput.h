/* What failing devices, restarts and checkpoints leave of a day: arithmetic on the time of a step.
 *
 * Devices fail independently, each once in `between_failures` on average, and any failure stops the
 * job. A checkpoint is written after every so many steps and holds the job up for `checkpoint`;
 * after a failure the job needs `restart` and begins again at the last checkpoint. With M the mean
 * time between failures of the job, t that between checkpoints, d a checkpoint and R a restart, the
 * expected time from one checkpoint to the next is T = M exp(R/M) (exp((t+d)/M) - 1) (J. Daly, "A
 * higher order estimate of the optimum checkpoint interval", 2006, eq. 20). */
#ifndef TS_RUNTIME_STUDY_GOODPUT_H
#define TS_RUNTIME_STUDY_GOODPUT_H

#include <stdint.h>

typedef struct ts_faults {
  double between_failures; /* s, of one device */
  double restart;          /* s */
  double checkpoint;       /* s */
  uint64_t every;          /* steps; 0: as many as give most */
} ts_faults;

typedef struct ts_goodput {
  ts_faults faults;
  double job_between_failures; /* s */
  uint64_t every;              /* steps */
  double interval;             /* s between checkpoints: every * step */
  /* shares of time; lost: restarts, and work done again; they sum up to 1 */
  double useful, checkpoints, lost;
  double failures_a_day, steps_a_day;
} ts_goodput;

/* `step` in s, > 0. */
ts_goodput ts_goodput_of(double step, uint32_t devices, const ts_faults *faults);

/* A day on which devices fail at given times: what was done since the last checkpoint is lost, and
 * the job needs `restart`, which begins anew when a device fails during it. */
typedef struct ts_day {
  double useful, checkpoints, lost, restarts; /* s; they sum up to a day */
  uint64_t steps;                             /* kept at its end */
  uint32_t failures;                          /* within the day */
} ts_day;

/* `at`: [count] s from the beginning of the day, ascending. faults->every >= 1. */
ts_day ts_day_of(double step, const ts_faults *faults, const double *at, uint32_t count);

#endif
