/* The verifier of clusters: arrays of devices, and where ranks are placed. */
#include <stdlib.h>

#include "base/heap.h"
#include "ir/verify_check.h"

static int check_array(ts_ir_check *c, const ts_ir_array *a, uint64_t first)
{
  uint64_t product = 1;
  if (a->kind > TS_IR_SWITCH || a->dims > 4)
    return ts_ir_fail(c->error, "array `%s`: kind %u with %u dimensions",
                      ts_ir_check_text(c, a->name), a->kind, a->dims);
  for (uint32_t d = 0; d < 4; d++) {
    if (d < a->dims ? !a->dim[d] : a->dim[d] != 0)
      return ts_ir_fail(c->error, "array `%s`: dimension %u is %u", ts_ir_check_text(c, a->name), d,
                        a->dim[d]);
    product *= d < a->dims ? a->dim[d] : 1;
    if (product > TS_IR_NONE)
      return ts_ir_fail(c->error, "array `%s` has too many vertices", ts_ir_check_text(c, a->name));
  }
  if (a->first != first || a->count != product)
    return ts_ir_fail(c->error, "array `%s` should hold vertices %llu to %llu",
                      ts_ir_check_text(c, a->name), (unsigned long long)first,
                      (unsigned long long)(first + product));
  return 0;
}

int ts_ir_verify_devices(ts_ir_check *c)
{
  const ts_ir *ir = c->ir;
  uint64_t first = 0, devices = 0;
  for (uint32_t i = 0; i < ir->arrays_count; i++) {
    const ts_ir_array *a = &ir->arrays[i];
    if (check_array(c, a, first))
      return -1;
    first += a->count;
    devices += a->kind == TS_IR_DEVICE ? a->count : 0;
    if (first > ir->devices_count)
      break;
    for (uint32_t v = a->first; v < first; v++) {
      const ts_ir_device *d = &ir->devices[v];
      if (d->array != i || (d->device_class == TS_IR_NONE) != (a->kind == TS_IR_SWITCH))
        return ts_ir_fail(
          c->error, "vertex %u of array `%s` names another array or a class that does not suit it",
          v - a->first, ts_ir_check_text(c, a->name));
      if (!(d->speed >= TS_IR_SPEED_LEAST && d->speed <= TS_IR_SPEED_MOST))
        return ts_ir_fail(c->error, "vertex %u of array `%s`: speed %g", v - a->first,
                          ts_ir_check_text(c, a->name), d->speed);
    }
  }
  if (first != ir->devices_count)
    return ts_ir_fail(c->error, "the arrays hold %s than the %u vertices of the cluster",
                      first < ir->devices_count ? "less" : "more", ir->devices_count);
  if (ir->devices_count && !ir->placement_count && devices < ir->meta->world)
    return ts_ir_fail(c->error, "%u ranks on %llu devices", ir->meta->world,
                      (unsigned long long)devices);
  return 0;
}

int ts_ir_verify_placement(ts_ir_check *c)
{
  const ts_ir *ir = c->ir;
  if (!ir->placement_count)
    return 0;
  if (ir->placement_count != ir->meta->world)
    return ts_ir_fail(c->error, "%u ranks are placed, the job has %u", ir->placement_count,
                      ir->meta->world);
  uint8_t *taken = ts_heap_new(ir->devices_count / 8 + 1, 1);
  uint32_t rank = 0;
  for (; rank < ir->placement_count; rank++) {
    uint32_t v = ir->placement[rank];
    if (v >= ir->devices_count || ir->devices[v].device_class == TS_IR_NONE ||
        taken[v / 8] & (1 << v % 8))
      break;
    taken[v / 8] |= (uint8_t)(1 << v % 8);
  }
  free(taken);
  if (rank < ir->placement_count)
    return ts_ir_fail(c->error, "rank %u is placed on vertex %u, which is not a device or is taken",
                      rank, ir->placement[rank]);
  return 0;
}
