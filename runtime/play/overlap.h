/* A play in which compute and communication on a device slow each other down. Times then depend on
 * what else runs, so events are taken in the order of time: whenever something begins or ends on a
 * device, all that runs there is rated anew, and its end moves.
 *
 * A kernel is as slow as the strongest of the transfers under way on its device makes it; a
 * transfer as the strongest of the kernels; a collective as its slowest member, a message as its
 * sender. Waiting (for members, senders, the host) slows nobody. Calls that share links with others
 * get on by what is left to them of both: the rate that the network gives (contention.h), times
 * that. */
#ifndef TS_RUNTIME_PLAY_OVERLAP_H
#define TS_RUNTIME_PLAY_OVERLAP_H

#include "runtime/play/engine.h"
#include "runtime/play/slowdown.h"

/* `facts`: of the same fold played without slowdown and contention, kernels apart
 * (ts_tables.apart): it has shown that the play comes to its end. `network`: of calls that share
 * links, not played yet, or NULL. NULL after filling *stop. */
const ts_facts *ts_overlap_play(ts_arena *arena, const ts_facts *facts, const ts_slowdown *model,
                                struct ts_contention *network, ts_stop *stop);

#endif
