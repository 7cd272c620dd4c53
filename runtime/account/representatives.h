/* Players to whom the same happened. What a player did with its time, and what it held when,
 * follows from its kind and from the facts that concern it (engine.h): where all of these are equal
 * it need not be worked out again. Folding proves as much before a play; this finds it after one
 * that was not folded, or could not be, as with circuits. */
#ifndef TS_RUNTIME_ACCOUNT_REPRESENTATIVES_H
#define TS_RUNTIME_ACCOUNT_REPRESENTATIVES_H

#include "runtime/play/engine.h"

/* [players] the first player that is like each: itself where nobody before is. `threads`: at most;
 * 0: one a processor. */
const uint32_t *ts_representatives(ts_arena *arena, const ts_facts *facts, uint32_t threads);

#endif
