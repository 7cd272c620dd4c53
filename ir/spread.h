/* Which record of how far figures are off holds for a kernel, for calls of a network model. */
#ifndef TS_IR_SPREAD_H
#define TS_IR_SPREAD_H

#include "ir/ir.h"

/* What is asked for; of records that hold, the one that names most of it counts: the family or
 * file, then the number format; then the one for the largest calls. */
typedef struct ts_spread_query {
  uint32_t origin, basis;
  const char *name, *dtype;
  bool between, assumed;
  double bytes; /* of networks: of a call, the mean */
} ts_spread_query;

ts_spread_query ts_spread_query_kernel(const ts_ir *ir, const ts_ir_kernel *kernel);
/* `model`: an index; the number of models: calls that none answered. */
ts_spread_query ts_spread_query_network(const ts_ir *ir, uint32_t model, bool between);

/* Index into `spreads`, or TS_IR_NONE. */
uint32_t ts_spread_find(const ts_ir_spread *spreads, uint32_t count, const char *strings,
                        const ts_spread_query *query);

#endif
