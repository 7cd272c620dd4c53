/* The layers that operators of a profile belong to: the module around them, where modules were
 * recorded; else their position, as "conv2d#3", the fourth outermost operator of that name in its
 * step. A backward has the layer of the forward with the same sequence number. */
#ifndef TS_TRACE_LAYERS_H
#define TS_TRACE_LAYERS_H

#include "trace/read/events.h"

/* layers[i]: of ops[i], numbers of linked events. Never NULL. paths: with the modules around, as
 * "VGG_0.Sequential_0.Conv2d_3". */
void ts_layers_name(ts_arena *arena, const ts_events *e, const uint32_t *ops, uint32_t count,
                    bool paths, const char **layers);

#endif
