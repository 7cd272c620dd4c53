/* Rounds that an IR leaves out (ts_ir_left_out): what they come to, once a play shows that each of
 * them is the one before, moved by one time. */
#ifndef TS_RUNTIME_ACCOUNT_ROUNDS_H
#define TS_RUNTIME_ACCOUNT_ROUNDS_H

#include "runtime/play/engine.h"

/* Sets *of. False: rounds are left out, and the play does not show what they come to.
 *
 * Why it is enough to look at the rounds that were played: say that all rounds from `from` to `to`
 * of each program are the one before, moved by T, and cut all programs between two of these rounds.
 * Put in the R rounds that are left out: each the one before, moved by T; and all behind the cut
 * moved by R T. Then each time is again the latest of what it waits for, as times are, where
 * - a message crosses the cut from and to these rounds alone, and messages of the rounds beside the
 *   cut come from and go to these rounds alone: so its two ends are as many rounds apart as before;
 * - nothing behind these rounds waits for what was done before them, nor for a host that is not
 *   held up: these do not move by R T, and are earlier still beside what does;
 * - players that meet in a collective do so on the same side of the cut. */
bool ts_rounds_find(const ts_facts *facts, ts_rounds *of);

#endif
