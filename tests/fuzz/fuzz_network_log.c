/* Any bytes are read as a log of nccl-tests without harm; a log that is refused says where. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "compiler/network_fit.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void fail(const char *why)
{
  fprintf(stderr, "%s\n", why);
  abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  ts_arena *arena = ts_arena_new("fuzz");
  ts_network_error error;
  uint32_t count = 0;
  const char *device = NULL, *text = ts_arena_string(arena, (const char *)bytes, size);
  const ts_ir_net_point *points = ts_network_log_read(arena, text, size, -1, &count, &device, &error);
  if (!points && !error.text)
    fail("a log is refused without a reason");
  for (uint32_t i = 0; points && i < count; i++)
    if (points[i].collective >= TS_IR_COLLECTIVE_KINDS || points[i].ranks < 2 || !points[i].islands || points[i].islands > points[i].ranks || !points[i].bytes)
      fail("a point out of range");
  ts_network_is_log(text, size);
  ts_arena_free(arena);
  return 0;
}
