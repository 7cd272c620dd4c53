#include "compiler/replay/numbers.h"

#include <math.h>
#include <stdio.h>

const char *ts_plan_of_numbers(ts_arena *arena, const ts_graph_machine *m, uint32_t devices)
{
  const char *gpu = ts_arena_printf(arena, "numbered_gpu(%.0f FLOP/s, %.0f B/s)", fmax(m->flops, 1),
                                    fmax(m->bandwidth, 1));
  return ts_arena_printf(arena,
                         "language 1\n"
                         "import std.clusters.numbers\n"
                         "plan replay {\n"
                         "  cluster = one_switch(%u, kind: %s, link: %.0f B/s, latency: %.0f ps)\n"
                         "  costs = [roofline(%s)]\n"
                         "  network = [alpha_beta(hop: %.0f ps)]\n"
                         "}\n",
                         devices, gpu, fmax(m->link, 1), m->latency * 1e12, gpu, m->latency * 1e12);
}
