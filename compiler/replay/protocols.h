/* Protocols of plans whose ranks play graphs: their clauses tie the runs of ranks, F(i) and B(i)
 * being the i-th forward and backward of a rank, S(k) its k-th update. */
#ifndef TS_COMPILER_REPLAY_PROTOCOLS_H
#define TS_COMPILER_REPLAY_PROTOCOLS_H

#include "compiler/lower/lowering.h"
#include "compiler/replay/rank_files.h"

/* Puts what the plan's `protocols` say into the tables of the ranks. False after messages. */
bool ts_replay_protocols(ts_lowering *l, ts_rank_files *files);

#endif
