/* Any bytes are read as a log of nccl-tests and as a trace of NPKit without harm; what is refused
 * says why. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "calibrate/network_fit.h"
#include "calibrate/network_npkit.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void fail(const char *why)
{
  fprintf(stderr, "%s\n", why);
  abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  ts_arena *arena = ts_arena_new("fuzz");
  ts_error error;
  uint32_t count = 0;
  const char *device = NULL, *text = ts_arena_string(arena, (const char *)bytes, size);
  const ts_ir_net_point *points =
    ts_network_log_read(arena, text, size, -1, &count, &device, &error);
  if (!points && !error.message[0])
    fail("a log is refused without a reason");
  for (uint32_t i = 0; points && i < count; i++)
    if (points[i].collective >= TS_IR_COLLECTIVE_KINDS || points[i].ranks < 2 ||
        !points[i].islands || points[i].islands > points[i].ranks || !points[i].bytes)
      fail("a point out of range");
  ts_network_is_log(text, size);
  ts_npkit_is(text, size);
  ts_npkit trace;
  if (!ts_npkit_read(arena, text, size, &trace, &error)) {
    if (!error.message[0])
      fail("a trace is refused without a reason");
  } else if (trace.collective >= TS_IR_COLLECTIVE_KINDS || !(trace.intra_hop >= 0) ||
             !(trace.inter_hop >= 0) || !(trace.reduction >= 0) || !(trace.chunk >= 0)) {
    fail("a trace out of range");
  }
  ts_arena_free(arena);
  return 0;
}
