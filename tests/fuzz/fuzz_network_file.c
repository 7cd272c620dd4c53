/* Any bytes are read as a network file without harm; what was read passes the verifier of the IR.
 * The variables of the library's environment are tried on it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "compiler/machine/network_file.h"
#include "runtime/collective/statistical.h"
#include "runtime/collective/white_box.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void fail(const char *why)
{
  fprintf(stderr, "%s\n", why);
  abort();
}

static void ask(ts_arena *arena, const ts_network_file *file)
{
  ts_ir ir = {.net_methods = file->methods,
              .net_methods_count = file->method_count,
              .net_points = file->points,
              .net_points_count = file->point_count};
  ts_ir_net_model model = {.kind = TS_IR_NET_WHITE_BOX,
                           .method_count = file->method_count,
                           .point_count = file->point_count};
  ts_profile profile = {
    .ranks = 8, .islands = 2, .per_island = 4, .tier = 1, .intra = 1e11, .inter = 1e10};
  for (uint32_t kind = 0; kind < TS_IR_COLLECTIVE_KINDS; kind++) {
    const ts_ir_net_curve *curve = ts_curve_of(file->curves, file->curve_count, kind, &profile);
    for (uint64_t size = 1; curve && size < UINT64_C(1) << 40; size <<= 13)
      if (!(ts_curve_analytic(curve, (double)size, &profile) >= 0) ||
          !(ts_curve_regression(curve, (double)size, &profile) > 0) ||
          !(ts_curve_stragglers(curve, (double)size, profile.ranks) >= 1))
        fail("a time of a curve that is no number");
    const ts_white_box_plan *plan = ts_white_box_prepare(arena, &ir, &model, kind, &profile);
    for (uint64_t size = 1; plan && size < UINT64_C(1) << 40; size <<= 13) {
      ts_white_box box = ts_white_box_estimate(plan, size);
      if (!(box.connection + box.intra + box.inter + box.reduction >= 0))
        fail("a time that is no number");
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  static const char *const variables[][2] = {
    {"NCCL_ALGO", "^tree"},       {"NCCL_PROTO", "allreduce:simple;broadcast:ll"},
    {"NCCL_COLLNET_ENABLE", "1"}, {"NCCL_P2P_PXN_LEVEL", "0"},
    {"NCCL_MAX_NCHANNELS", "2"},  {"NCCL_BUFFSIZE", "8192"}};
  ts_arena *arena = ts_arena_new("fuzz");
  ts_error error;
  ts_network_file *file =
    ts_network_file_read(arena, ts_arena_string(arena, (const char *)bytes, size), size, &error);
  if (!file && !error.message[0])
    fail("a file is refused without a reason");
  if (file) {
    bool changed = false;
    for (uint32_t i = 0; i < file->method_count; i++)
      if (ts_network_method_wrong(&file->methods[i]))
        fail("a method out of range");
    for (uint32_t i = 0; i < file->curve_count; i++)
      if (ts_network_curve_wrong(&file->curves[i]))
        fail("a curve out of range");
    ask(arena, file);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
      ts_network_variable(arena, variables[i][0], variables[i][1], file, &changed);
    ask(arena, file);
  }
  ts_arena_free(arena);
  return 0;
}
