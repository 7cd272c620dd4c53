/* How the calls of an IR are played, for exports that write them out as messages. */
#ifndef TS_TOOLS_CLI_PLAYED_CALLS_H
#define TS_TOOLS_CLI_PLAYED_CALLS_H

#include "runtime/collective/sends.h"
#include "trace/write/export.h"

typedef struct ts_played_calls ts_played_calls;

/* NULL after filling *stop: ranks that are to talk are not linked. An IR without a cluster has
 * textbook rings over one island. */
ts_played_calls *ts_played_calls_new(ts_arena *arena, const ts_ir *ir, ts_stop *stop);
/* Of tables that ts_ir_ranks_at made of this IR. */
ts_call_plan ts_played_calls_plan(ts_played_calls *calls);
/* As the network of the plan does the call that a rank makes; the IR's bytes. */
ts_call_way ts_played_calls_way(ts_played_calls *calls, uint32_t group, uint32_t rank,
                                uint32_t kind, uint64_t bytes);
/* Algorithms of calls that were written as rings, as switches have a part in them; "": none. */
const char *ts_played_calls_left(const ts_played_calls *calls, ts_arena *arena);

#endif
