/* How the step time moves with each thing that could be faster. The derivative is that along the
 * critical path: what the nodes on it gain, were they the same ones; it is exact as long as the
 * path stays. Playing the changed plan confirms it, or shows where another path takes over. */
#ifndef TS_RUNTIME_STUDY_SENSITIVITY_H
#define TS_RUNTIME_STUDY_SENSITIVITY_H

#include "runtime/account/energy.h"
#include "runtime/account/result.h"

typedef struct ts_sensitivity {
  const char *name;     /* as ts_change takes it: "compute.speed" */
  /* ps that the critical path loses when it is a percent faster (latencies: shorter) */
  int64_t on_path;
  int64_t percent, tenth; /* ps that the step loses, played with 1 % and 10 % */
} ts_sensitivity;

/* largest first; what changes nothing is left out */
typedef struct ts_sensitivities { uint32_t count; const ts_sensitivity *at; } ts_sensitivities;

/* NULL after filling *stop. */
const ts_sensitivities *ts_sensitivities_new(ts_arena *arena, const ts_ir *ir, const ts_run *run,
                                             const ts_run_options *options, ts_stop *stop);

/* What a changed plan takes. False after filling *stop: with TS_EXIT_USAGE the change is wrong. */
bool ts_what_if(ts_arena *arena, const ts_ir *ir, const ts_run_options *options, const char *change,
                uint64_t *step, ts_stop *stop);

/* Likewise, with energy and cost. */
bool ts_what_if_energy(ts_arena *arena, const ts_ir *ir, const ts_run_options *options,
                       const char *change, uint64_t *step, ts_energy *energy, ts_stop *stop);

/* The models that do not follow a change that can be played, and what ts_changed.stays says. */
struct ts_not_followed;
uint32_t ts_what_if_not_followed(ts_arena *arena, const ts_ir *ir, const ts_run_options *options,
                                 const char *change, const ts_result *result,
                                 const struct ts_not_followed **list, const char **stays);

#endif
