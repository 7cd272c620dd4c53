/* Any bytes are read as a log of nccl-tests and as a trace of NPKit without harm; what is refused
 * says why. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "calibrate/network_fit.h"
#include "calibrate/network_npkit.h"
#include "compiler/machine/network_table.h"

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
  const char *text = ts_arena_string(arena, (const char *)bytes, size);
  const ts_network_table *log = ts_network_log_read(arena, text, size, -1, &error);
  if (!log && !error.message[0])
    fail("a log is refused without a reason");
  for (uint32_t i = 0; log && i < log->count; i++) {
    const ts_ir_net_point *p = &log->points[i];
    if (p->collective >= TS_IR_COLLECTIVE_KINDS || p->ranks < 2 || !p->islands ||
        p->islands > p->ranks || !p->bytes || !p->time)
      fail("a point out of range");
  }
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
