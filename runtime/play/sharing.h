/* Compute streams of a device share it: kernels beside each other get a part of its processors
 * each. Streams that the IR calls unshared do not take part. */
#ifndef TS_RUNTIME_PLAY_SHARING_H
#define TS_RUNTIME_PLAY_SHARING_H

#include "ir/ir.h"

static inline bool ts_stream_shares(const ts_ir_stream *s)
{
  return s->kind == TS_IR_STREAM_COMPUTE && !s->unshared;
}

/* Compute streams with kernels that take time, of the program with the most of them: of those that
 * share their device (1 share it with nobody), or of the unshared. */
uint32_t ts_streams_that_compute(const ts_ir *ir, bool unshared);

#endif
