/* Which of several patterns take as long as an earlier one when all of them flow at once.
 *
 * Patterns that share links, at first or second hand, are a PARTY; no other changes their rates.
 * Parties that are the same but for which links they use take the same time, pattern by pattern. */
#ifndef TS_RUNTIME_COLLECTIVE_FLOW_ALIKE_H
#define TS_RUNTIME_COLLECTIVE_FLOW_ALIKE_H

#include "runtime/collective/flow_pattern.h"

/* Patterns without circuits. `mark`: [2 * links], zero, and zero again afterwards. For each pattern
 * the first that takes as long; itself, if none before it does. */
const uint32_t *ts_flow_alike(ts_arena *arena, const ts_ir *ir, const ts_flow_pattern *patterns,
                              uint32_t count, uint32_t *mark);

#endif
