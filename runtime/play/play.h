/* From a verified IR to facts: when everything starts and ends. What that comes to is
 * runtime/account/. */
#ifndef TS_RUNTIME_PLAY_PLAY_H
#define TS_RUNTIME_PLAY_PLAY_H

#include "runtime/play/engine.h"
#include "runtime/play/options.h"

/* Whether times depend on what else runs: then they are found in the order of time, event by event.
 */
bool ts_run_goes_by_time(const ts_ir *ir, const ts_run_options *options);

/* what a play begins with: the kinds of ranks and how long each node takes on them */
typedef struct ts_prepared {
  const ts_tables *tables;
  ts_network *network;
  const ts_roles *roles;
} ts_prepared;
/* False after filling *stop. */
bool ts_run_prepare(ts_arena *arena, const ts_ir *ir, const ts_run_options *options,
                    ts_prepared *out, ts_stop *stop);
/* The same with other factors (options->slower, transfer, progress; the rest as before): what was
 * found of the network and of the plan stays. `usual` must outlive *out. */
bool ts_run_prepare_again(ts_arena *arena, const ts_prepared *usual, const ts_run_options *options,
                          ts_prepared *out, ts_stop *stop);
/* Plays without summing up. NULL after filling *stop. */
const ts_facts *ts_run_play(ts_arena *arena, const ts_prepared *prepared,
                            const ts_run_options *options, uint32_t order, ts_stop *stop);
/* The time of a step alone. False after filling *stop. */
bool ts_run_step(const ts_ir *ir, const ts_run_options *options, uint64_t *step, ts_stop *stop);

#endif
