/* How tensors lie over the mesh, and what collectives and reshapes make of that. */
#ifndef TS_COMPILER_SHARD_LAYOUT_H
#define TS_COMPILER_SHARD_LAYOUT_H

#include "compiler/shard/shard.h"

/* Without the axes of size 1, over which nothing is split and nothing is said. */
uint32_t ts_layout_axes(const ts_layout *layout); /* all that split it */
ts_shape ts_layout_local(ts_session *s, const ts_layout *layout, ts_shape shape);
bool ts_layout_equal(const ts_layout *a, const ts_layout *b); /* where from aside */
/* What the collective makes of it. NULL, or what does not fit. */
const char *ts_layout_move(ts_layout *layout, const ts_comm *comm);
/* The layout of a reshaped tensor; false if the split falls inside of a new dimension. */
bool ts_layout_reshape(ts_session *s, const ts_layout *from, ts_shape old, ts_shape new,
                       ts_layout *to);

#endif
