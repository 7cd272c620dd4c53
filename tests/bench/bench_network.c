/* Speed of an estimate of a collective after the first: the calibrated white box of the stdlib for
 * H100, sizes and collectives in turn. The floor is the same look-up with nothing behind it:
 * alpha-beta, a multiplication and an addition. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compiler/eval/files.h"
#include "compiler/eval/session.h"
#include "compiler/eval/stdlib_embed.h"
#include "compiler/machine/network_file.h"
#include "runtime/collective/network.h"

enum { CALLS = 4000000, SIZES = 64 };

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static ts_network_file *stdlib_network(ts_arena *arena, const char *path)
{
  ts_error error;
  const ts_embedded_file *file = ts_session_embedded(path);
  return file ? ts_network_file_read(arena, (const char *)file->bytes, file->size, &error) : NULL;
}

static double nanoseconds(ts_network *network, uint32_t profile, const uint64_t *bytes)
{
  double best = 1e9;
  uint64_t sum = 0;
  for (int round = 0; round < 5; round++) {
    double start = now();
    for (uint32_t i = 0; i < CALLS; i++)
      sum += ts_network_estimate(network, i % 3, bytes[i % SIZES], profile).time;
    double each = (now() - start) / CALLS * 1e9;
    best = each < best ? each : best;
  }
  return sum ? best : 0;
}

/* Eight ranks of one node behind one switch; asked by a model of `kind`. */
static double measure(const char *path, uint32_t kind, const uint64_t *bytes)
{
  static const char cluster[] =
    "axis x 8\ngroup all = x\nstream compute\nstream comm\ndevice_class d 1 TB/s\ndevices gpu[8] "
    "of d\nswitches s[1]\nlink_class in 450 GB/s latency 1 us\n"
    "link gpu[0] -- s[0] in\nlink gpu[1] -- s[0] in\nlink gpu[2] -- s[0] in\nlink gpu[3] -- s[0] "
    "in\n"
    "link gpu[4] -- s[0] in\nlink gpu[5] -- s[0] in\nlink gpu[6] -- s[0] in\nlink gpu[7] -- s[0] "
    "in\n"
    "fragment F { all_reduce 1 MB over all }\nprogram { F }\n";
  ts_arena *arena = ts_arena_new("bench");
  ts_error error = {0};
  ts_ir_builder *b = ts_ir_parse(cluster, strlen(cluster), &error);
  ts_ir ir;
  ts_stop stop = {.arena = arena};
  ts_network_file *file = stdlib_network(arena, path);
  if (!b || !file)
    abort();
  ts_ir_builder_view(b, &ir);
  ts_ir_net_model model = {.kind = kind,
                           .collectives = (1u << TS_IR_COLLECTIVE_KINDS) - 1,
                           .tier = TS_IR_NONE,
                           .efficiency = 0.8,
                           .base = 10000000,
                           .hop = 1000000,
                           .method_count = file->method_count,
                           .point_count = file->point_count,
                           .source = TS_IR_NONE,
                           .loc = TS_IR_NONE};
  ir.net_models = &model, ir.net_models_count = 1;
  ir.net_methods = file->methods, ir.net_methods_count = file->method_count;
  ir.net_points = file->points, ir.net_points_count = file->point_count;
  ts_network *network = ts_network_new(arena, &ir, ts_ranks_new(arena, &ir), NULL, &stop);
  const uint32_t *profile = network ? ts_network_group(network, 0, &stop) : NULL;
  double each = profile ? nanoseconds(network, profile[0], bytes) : 0;
  ts_ir_builder_free(b);
  ts_arena_free(arena);
  return each;
}

int main(void)
{
  uint64_t bytes[SIZES];
  for (uint32_t i = 0; i < SIZES; i++) /* 1 kB to 1 GB, in no order that a branch predictor knows */
    bytes[i] = (UINT64_C(1000) << (i * 37 % 21)) + i * 977;
  double floor = measure("std/networks/h100_sxm.json", TS_IR_NET_ALPHA_BETA, bytes);
  double constants = measure("std/networks/nccl_hopper.json", TS_IR_NET_WHITE_BOX, bytes),
         calibrated = measure("std/networks/h100_sxm.json", TS_IR_NET_WHITE_BOX, bytes);
  printf("alpha-beta, the floor      %6.1f ns an estimate\n", floor);
  printf("white box from constants   %6.1f ns, %.1f times the floor\n", constants,
         constants / floor);
  printf("white box, calibrated      %6.1f ns, %.1f times the floor (asked for: 200 ns)\n",
         calibrated, calibrated / floor);
  return 0;
}
