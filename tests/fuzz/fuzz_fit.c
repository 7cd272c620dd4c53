/* Any bytes are read as a fit file without harm; what was read answers with a finite positive time,
 * or not at all. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "cost/cost.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void ask(const ts_cost_source *source, const ts_cost_query *query)
{
  ts_cost_answer answer;
  if (ts_cost_ask(source, query, &answer) && (!(answer.seconds > 0) || !isfinite(answer.seconds)))
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  ts_arena *arena = ts_arena_new("fuzz");
  ts_error error = {0};
  ts_cost_source *source = ts_cost_fit(arena, bytes, size, &error);
  if (!source && !error.message[0])
    abort();
  if (source) {
    static const ts_feature product[] = {{"m", 100}, {"n", 4097}, {"k", 512}, {"count", 3}};
    static const ts_feature core[] = {
      {"batch", 2}, {"seq", 2048}, {"heads", 16}, {"kv_heads", 4}, {"head_dim", 128}};
    ask(source,
        &(ts_cost_query){.family = "gemm", .dtype = "bf16", .feature = product,
                         .feature_count = 4});
    ask(source,
        &(ts_cost_query){.family = "gemm", .dtype = "bf16", .feature = product,
                         .feature_count = 3});
    ask(source,
        &(ts_cost_query){.family = "attention", .dtype = "bf16", .feature = core,
                         .feature_count = 5});
    ask(source,
        &(ts_cost_query){.family = "elementwise", .dtype = "bf16", .bytes = 1e6,
                         .op = "softmax"});
  }
  ts_arena_free(arena);
  return 0;
}
