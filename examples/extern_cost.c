/* A cost model of one's own, for examples/extern_cost.ts: the time of a matrix product on an array
 * of `UNITS` x `UNITS` multiply-accumulate cells that works on one tile at a time. Build: cc
 * -shared -fPIC -o libextern_cost.so extern_cost.c
 *
 * TrainSpec calls it through libffi: Int arguments are int64_t, Real and quantities are double in
 * base units (second, byte, FLOP). */
#include <stdint.h>

enum { UNITS = 256 };
static const double CLOCK = 1.4e9; /* cycles a second */
static const double ARRAYS = 128;

static double tiles(int64_t extent) { return (double)((extent + UNITS - 1) / UNITS); }

double systolic_gemm(int64_t m, int64_t n, int64_t k)
{
  /* stream k values through each tile, fill and drain */
  double cycles = tiles(m) * tiles(n) * ((double)k + 2 * UNITS);
  return cycles / ARRAYS / CLOCK;
}
