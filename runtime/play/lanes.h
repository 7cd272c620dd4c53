/* What the streams of a play do at the moment, for whoever watches it. */
#ifndef TS_RUNTIME_PLAY_LANES_H
#define TS_RUNTIME_PLAY_LANES_H

#include "runtime/play/process.h"

/* Shows those of all->partition, on the thread that plays it, if they are wanted now. */
void ts_lanes_show(const ts_processes *all, const ts_facts *facts);

#endif
