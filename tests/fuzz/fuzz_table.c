/* Any bytes are read as a table of measured kernels without harm; what was read answers its own
 * rows exactly, and others with a finite time. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "cost/cost.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { NEAR = 3, MOST_FEATURES = 32 };

static void ask(const ts_cost_source *source, const ts_table_near *row, double factor)
{
  ts_feature feature[MOST_FEATURES];
  for (uint32_t f = 0; f < row->feature_count; f++)
    feature[f] = (ts_feature){row->name[f], row->value[f] * factor};
  ts_cost_query query = {.family = row->family,
                         .dtype = row->dtype,
                         .feature = feature,
                         .feature_count = row->feature_count};
  ts_cost_answer answer;
  if (ts_cost_ask(source, &query, &answer)) {
    if (!(answer.seconds >= 0) || !isfinite(answer.seconds))
      abort();
    if (answer.basis != TS_COST_MEASURED && answer.basis != TS_COST_INTERPOLATED)
      abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  ts_arena *arena = ts_arena_new("fuzz");
  ts_error error = {0};
  ts_cost_source *source = ts_cost_table(arena, bytes, size, NULL, &error);
  if (!source && (!error.message[0] || error.begin > error.end))
    abort();
  const char *family = NULL;
  if (source && ts_cost_families(source, &family, 1)) {
    ts_cost_query query = {.family = family, .dtype = ""};
    ts_table_near near[NEAR];
    uint32_t count = ts_table_nearest(source, &query, near, NEAR);
    for (uint32_t i = 0; i < count; i++) {
      ask(source, &near[i], 1);
      ask(source, &near[i], 1.25);
    }
  }
  ts_arena_free(arena);
  return 0;
}
