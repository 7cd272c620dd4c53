/* Plans apart: each is played in a process of its own, so that one which takes more memory than
 * there may be ends that process, and the sweep goes on. It costs what threads would share. So a
 * sweep begins with threads, and where memory reaches its ceiling the program begins anew, apart:
 * what threads hold cannot be told by plans. A journal keeps what was played until then. */
#ifndef TS_TOOLS_SWEEP_APART_H
#define TS_TOOLS_SWEEP_APART_H

#include "tools/sweep/play.h"

/* This is such a program. */
bool ts_apart(void);
/* What it began with, and would begin anew with. */
void ts_apart_words(ts_arena *arena, int argc, char **argv);
/* From now on it begins anew where memory reaches its ceiling, or no more. */
void ts_apart_instead(bool of_memory);

/* As ts_sweep_play_from(): `jobs` processes share the memory. One that it is too little for has all
 * of it, when the others are done. */
bool ts_apart_play(ts_sweep *s, const ts_sweep_source *from);

#endif
