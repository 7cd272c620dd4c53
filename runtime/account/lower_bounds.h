/* The least that a step takes, from the IR alone: bounds that no play is below, for sweeps that
 * need not play what cannot be chosen. */
#ifndef TS_RUNTIME_ACCOUNT_LOWER_BOUNDS_H
#define TS_RUNTIME_ACCOUNT_LOWER_BOUNDS_H

#include "base/arena.h"
#include "ir/ir.h"
#include "runtime/account/energy.h"

typedef struct ts_lower_bounds {
  double seconds; /* of the step: kernels of the busiest stream of compute, on the fastest device */
  /* of the fullest program: what is held throughout, and what its compute stream holds when it is
   * at its fullest, less all that others may have given back by then; 0: nothing is known */
  uint64_t bytes;
  uint64_t reserved; /* by drivers and libraries, of the device with the most room */
  uint64_t limit;    /* memory of that device; 0: not known */
  double floor;      /* s: the model's FLOPs at the peak rate of all devices; 0: not known */
  double tokens;     /* of a step of the whole job; 0: it has none */
  double devices;
  double work;    /* s: of kernels of the compute stream, of all devices together: side streams
                      * may go on when a device is idle otherwise */
  ts_rates rates; /* what the devices draw and cost */
  bool over;      /* bytes exceed the room of every device */
  /* what was known before it had fragments, from its order and the costs of its ops: s, and bytes;
   * early 0: nothing was */
  double early, early_bytes;
} ts_lower_bounds;

/* Energy, money and CO2 of a step that takes so long, in which devices work so long together. */
double ts_bound_joules(const ts_lower_bounds *l, double seconds, double work);
double ts_bound_dollars(const ts_lower_bounds *l, double seconds);

ts_lower_bounds ts_lower_bounds_of(ts_arena *arena, const ts_ir *ir);
double ts_fastest_speed(const ts_ir *ir); /* of the fastest device */

#endif
