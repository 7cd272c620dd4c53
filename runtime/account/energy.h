/* Energy, money and carbon of a step, from what devices draw and cost. A device draws its limit
 * while it computes or waits for communication, whose kernels spin, and `idle_watts` in bubbles,
 * while it waits for the host and when it has finished early; what serves it draws the same all the
 * time. */
#ifndef TS_RUNTIME_ACCOUNT_ENERGY_H
#define TS_RUNTIME_ACCOUNT_ENERGY_H

#include <stdbool.h>

#include "runtime/account/result.h"

typedef struct ts_energy {
  /* unknown (base/known.h) where a device does not state its watts, or its price, or the plan no
   * intensity */
  double joules;  /* of a step of the whole job */
  double dollars;
  double grams;   /* of CO2 */
  double watts;   /* mean power of a device with what serves it */
  bool idle;      /* all devices state what they draw while they do not compute */
  bool host;      /* ... and what serves them */
} ts_energy;

ts_energy ts_energy_of(const ts_ir *ir, const ts_result *result);

/* What all devices of the job draw and cost: with it and the time of a step what that takes at
 * least. 0: a device does not state it. */
typedef struct ts_rates {
  double watts;  /* whether they work or not, with what serves them */
  double more;   /* of each device while it works, at least */
  double price;  /* of a second */
  double carbon; /* g of CO2 a joule */
} ts_rates;

ts_rates ts_rates_of(const ts_ir *ir);

#endif
