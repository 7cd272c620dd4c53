#include "ir/run_kind.h"

#include <string.h>

uint32_t ts_ir_vertex_of(const ts_ir *ir, uint32_t rank)
{
  if (ir->placement_count)
    return ir->placement[rank];
  for (uint32_t a = 0; a < ir->arrays_count; a++) {
    if (ir->arrays[a].kind != TS_IR_DEVICE)
      continue;
    if (rank < ir->arrays[a].count)
      return ir->arrays[a].first + rank;
    rank -= ir->arrays[a].count;
  }
  return TS_IR_NONE;
}

const char *ts_ir_gpu_of(const ts_ir *ir)
{
  uint32_t vertex = ts_ir_vertex_of(ir, 0),
           class = vertex < ir->devices_count ? ir->devices[vertex].device_class : TS_IR_NONE;
  return class == TS_IR_NONE ? "" : ir->strings + ir->device_classes[class].name;
}

const char *ts_ir_run_kind(ts_arena *arena, const ts_ir *ir)
{
  const ts_ir_meta *m = ir->meta;
  const char *framework = ir->strings + m->framework, *gpu = ts_ir_gpu_of(ir);
  return ts_arena_printf(arena, "%s%s%s, %u bits, %s, %s",
                         *framework ? framework : "framework not stated", *gpu ? ", " : "", gpu,
                         m->run_bits, m->run_flags & TS_IR_RUN_EXPERTS ? "experts" : "dense",
                         m->run_flags & TS_IR_RUN_NODES ? "several nodes" : "one node");
}
