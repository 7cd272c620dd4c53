/* Any bytes are read as a table of measured collectives without harm; what was read is sorted as
 * the IR wants it, each key once. The first byte chooses the options. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "compiler/machine/network_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void fail(const char *why)
{
  fprintf(stderr, "%s\n", why);
  abort();
}

/* Below 0: in order; 0: the same key. */
static int order(const ts_ir_net_point *a, const ts_ir_net_point *b)
{
#define BY(x) if (a->x != b->x) return a->x < b->x ? -1 : 1;
  BY(collective) BY(ranks) BY(islands) BY(bytes)
#undef BY
  return 0;
}

static void check(const ts_network_table *table)
{
  for (uint32_t i = 0; i < table->count; i++) {
    const ts_ir_net_point *p = &table->points[i];
    if (p->collective >= TS_IR_COLLECTIVE_KINDS || !p->ranks || !p->islands ||
        p->islands > p->ranks || !p->bytes || p->bytes > TS_IR_BYTES_MOST || !p->time ||
        p->time > TS_IR_TIME_MOST)
      fail("a point out of range");
    if (i && order(p - 1, p) >= 0)
      fail("points out of order");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  static const ts_condition where[] = {{"library", "ring"}, {"bytes", "1024"}};
  ts_network_options options = {.collective = -1, .where = where};
  if (size) {
    options.where_count = bytes[0] & 1 ? 2 : 0;
    options.collective = bytes[0] & 2 ? 0 : -1;
    bytes++, size--;
  }
  ts_arena *arena = ts_arena_new("fuzz");
  ts_error error;
  const ts_network_table *table = ts_network_table_read(
    arena, ts_arena_string(arena, (const char *)bytes, size), size, &options, &error);
  if (table)
    check(table);
  else if (!error.message[0] || !error.line)
    fail("a table is refused without a reason");
  ts_arena_free(arena);
  return 0;
}
