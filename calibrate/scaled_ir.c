/* Copies of the tables that change. */
#include "calibrate/scaled_ir.h"

#include <math.h>

const uint32_t *ts_quantities_of_kernels(ts_arena *arena, const ts_ir *ir, const ts_calibration *c)
{
  uint32_t *of = TS_NEW_ARRAY(arena, uint32_t, ir->kernels_count + 1);
  for (uint32_t k = 0; k < ir->kernels_count; k++)
    of[k] = ts_calibration_of_kernel(c, ir->strings + ir->kernels[k].family,
                                     ir->strings + ir->kernels[k].dtype);
  return of;
}

static void scale_kernels(ts_arena *arena, const ts_calibration *c, const uint32_t *of, ts_ir *ir)
{
  ts_ir_kernel *kernels =
    ts_arena_copy(arena, ir->kernels, ir->kernels_count * sizeof *ir->kernels);
  for (uint32_t k = 0; k < ir->kernels_count; k++)
    kernels[k].time = ts_calibrated_time(c, of[k], kernels[k].time);
  ir->kernels = kernels;
}

static void scale_host(ts_arena *arena, const ts_calibration *c, ts_ir *ir)
{
  uint32_t host = ts_calibration_of_kind(c, TS_QUANTITY_HOST);
  if (host == c->count || c->quantity[host].log == 0)
    return;
  ts_ir_node *nodes = ts_arena_copy(arena, ir->nodes, ir->nodes_count * sizeof *ir->nodes);
  for (uint32_t n = 0; n < ir->nodes_count; n++)
    nodes[n].host_ps = ts_calibrated_time(c, host, nodes[n].host_ps);
  ir->nodes = nodes;
}

static void scale_calls(ts_arena *arena, const ts_calibration *c, ts_ir *ir)
{
  static const struct { ts_quantity_kind of; ts_ir_calibrated to;
  } kinds[] = {{TS_QUANTITY_INSIDE, TS_IR_CALIBRATED_INSIDE},
               {TS_QUANTITY_BETWEEN, TS_IR_CALIBRATED_BETWEEN}};
  ts_ir_calibration *records = TS_NEW_ARRAY(arena, ts_ir_calibration, 2);
  uint32_t count = 0;
  for (int k = 0; k < 2; k++) {
    uint32_t of = ts_calibration_of_kind(c, kinds[k].of);
    if (of < c->count)
      records[count++] = (ts_ir_calibration){
        .kind = kinds[k].to, .source = TS_IR_NONE, .value = exp(c->quantity[of].log)};
  }
  ir->calibrations = records;
  ir->calibrations_count = count;
}

void ts_scaled_ir(ts_arena *arena, const ts_ir *ir, const ts_calibration *c, const uint32_t *of,
                  ts_ir *out)
{
  *out = *ir;
  scale_kernels(arena, c, of, out);
  scale_host(arena, c, out);
  scale_calls(arena, c, out);
}
