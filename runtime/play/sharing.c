#include "runtime/play/sharing.h"

#include <string.h>

#include "base/arena.h"

typedef struct stream_set { uint64_t bits[4]; } stream_set; /* streams are numbered in a byte */

static uint32_t sharing_size_of(const stream_set *s)
{
  uint32_t size = 0;
  for (int i = 0; i < 4; i++)
    for (uint64_t bits = s->bits[i]; bits; bits &= bits - 1)
      size++;
  return size;
}

static void add_streams(const ts_ir *ir, uint32_t fragment, const bool *counts, stream_set *out)
{
  const ts_ir_fragment *f = &ir->fragments[fragment];
  for (uint32_t i = f->first_node; i < f->first_node + f->node_count; i++) {
    const ts_ir_node *n = &ir->nodes[i];
    if (n->op == TS_IR_COMPUTE && counts[n->stream] && ir->kernels[n->arg].time)
      out->bits[n->stream / 64] |= UINT64_C(1) << n->stream % 64;
  }
}

uint32_t ts_streams_that_compute(const ts_ir *ir, bool unshared)
{
  bool counts[256] = {false};
  uint32_t able = 0, most = 0;
  for (uint32_t i = 0; i < ir->streams_count; i++) {
    const ts_ir_stream *s = &ir->streams[i];
    counts[i] = s->kind == TS_IR_STREAM_COMPUTE && s->unshared == unshared;
    able += counts[i];
  }
  if (able < 2)
    return able;
  ts_arena *scratch = ts_arena_new("streams that compute");
  stream_set *of = TS_NEW_ARRAY(scratch, stream_set, ir->fragments_count + 1);
  for (uint32_t f = 0; f < ir->fragments_count; f++)
    add_streams(ir, f, counts, &of[f]);
  for (uint32_t p = 0; p < ir->programs_count; p++) {
    stream_set all = {{0}};
    for (uint32_t i = 0; i < ir->programs[p].item_count; i++)
      for (int k = 0; k < 4; k++)
        all.bits[k] |= of[ir->items[ir->programs[p].first_item + i].fragment].bits[k];
    uint32_t size = sharing_size_of(&all);
    most = size > most ? size : most;
  }
  ts_arena_free(scratch);
  return most;
}
