/* REPEATS: items that are played like an earlier one of the same player. Micro-batches do the same
 * again and again, and soon at the same distances. When everything that an item's play hangs on
 * lies as it lay for an earlier item of the same fragment, all moved by one time, its play is the
 * earlier one's, moved by that time (max-plus functions are homogeneous; choices are, too). So it
 * is not played op by op: its facts are the earlier one's, moved. Times are whole picoseconds, and
 * all of them are compared, so this is exact.
 *
 * What a play hangs on: when each stream with work in the item is free, when its messages were sent
 * and arrive, the queues of its links, and the host, unless that is so far ahead that nothing waits
 * for it. An item whose host waits, or which meets other players in collectives, is played op by
 * op.
 *
 * All this must be known before the item begins, so the streams of a player wait for each other in
 * front of each item, at a GATE. That is only a delay, which changes no result; but some item may
 * need a message that is not sent before a stream went on to a later one. Then all stands still,
 * and barriers are opened for good, player by player. */
#ifndef TS_RUNTIME_PLAY_REPEATS_H
#define TS_RUNTIME_PLAY_REPEATS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct ts_engine ts_engine;
typedef struct ts_repeats ts_repeats;

/* What partitions share. */
ts_repeats *ts_repeats_of_all(ts_arena *scratch, const ts_engine *whole);
/* Of the engine's partition; sets `alike` and `begun` of its players. */
ts_repeats *ts_repeats_new(ts_arena *arena, ts_arena *scratch, const ts_repeats *all,
                           const ts_engine *engine);

/* A stream is in front of an item, or at its end. True: it is held, or was and is ready again. The
 * last one to come plays what repeats, and lets the streams go on to the first item that does not.
 */
bool ts_repeats_hold(ts_engine *engine, uint32_t id);

/* Nobody can go on. Opens a barrier. False: none was closed. */
bool ts_repeats_open(ts_engine *engine);

#endif
