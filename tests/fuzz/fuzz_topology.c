/* Any bytes are read as the topology of a node without harm; what is refused says why and where. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "compiler/machine/nccl_topology.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void fail(const char *why)
{
  fprintf(stderr, "%s\n", why);
  abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  ts_arena *arena = ts_arena_new("fuzz");
  const char *text = ts_arena_string(arena, (const char *)bytes, size);
  ts_error error;
  const ts_topology *t = ts_topology_read(arena, text, size, &error);
  if (!t && (!error.message[0] || !error.line))
    fail("a topology is refused without a reason or place");
  for (size_t i = 0; t && i < t->gpus.count; i++)
    if (t->gpus.at[i].part >= t->part_count || !(t->gpus.at[i].rate > 0) ||
        (i && t->gpus.at[i].dev <= t->gpus.at[i - 1].dev))
      fail("a GPU out of range");
  for (size_t i = 0; t && i < t->links.count; i++)
    if (t->links.at[i].from >= t->part_count || t->links.at[i].to >= t->part_count ||
        t->links.at[i].from == t->links.at[i].to)
      fail("a link out of range");
  for (size_t i = 0; t && i < t->nvlinks.count; i++)
    if (t->nvlinks.at[i].gpu >= t->gpus.count || t->nvlinks.at[i].other >= (int)t->gpus.count ||
        !t->nvlinks.at[i].count)
      fail("a link between GPUs out of range");
  for (size_t i = 0; t && i < t->nets.count; i++)
    if (t->nets.at[i].part >= t->part_count || !(t->nets.at[i].rate > 0))
      fail("a NIC out of range");
  ts_arena_free(arena);
  return 0;
}
