/* How much of a step each network model answered. */
#ifndef TS_RUNTIME_ACCOUNT_NETWORK_USE_H
#define TS_RUNTIME_ACCOUNT_NETWORK_USE_H

#include "runtime/account/program_calls.h"
#include "runtime/account/result.h"
#include "runtime/play/play.h"

/* As ts_result.network_uses has them; NULL: the plan has no cluster. */
const ts_network_use *ts_network_uses_of(ts_arena *arena, const ts_prepared *prepared,
                                         const ts_program_calls *programs);

/* The links that calls and messages of a step need longest, whatever shares them when. */
ts_link_load ts_fullest_links_of(const ts_prepared *prepared, const ts_program_calls *programs);

/* A model whose calls inside islands, or between them, run over links that were changed, and which
 * knows nothing of it. */
/* time: of its calls, as in ts_network_use */
typedef struct ts_not_followed {
  uint32_t model;
  bool between, rate, latency;
  double time;
} ts_not_followed;
/* Of a plan with `before` when its links were changed to those of `after`. */
uint32_t ts_not_followed_of(ts_arena *arena, const ts_ir *ir, const ts_network_use *before,
                            const ts_network_use *after, const ts_not_followed **list);

#endif
