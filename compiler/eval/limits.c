#include "compiler/eval/limits.h"

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION /* an input is to end in a moment */
enum { STAGES = 1 << 8, ITEMS = 1 << 12 };
#else
enum { STAGES = 1 << 14, ITEMS = 1 << 24 };
#endif

const ts_limits ts_limits_usual = {
  .ranks = 1 << 23,
  .vertices = 1 << 25,
  .links = 1 << 27,
  .ops = 1 << 20,
  .blocks = 64,
  .stages = STAGES,
  .items = ITEMS,
  .importing = 2000,
  .plans = 1000000,
  .unpacked = 1 << 30,
};
