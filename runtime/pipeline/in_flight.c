#include "runtime/pipeline/in_flight.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"

static inline int64_t in_flight_larger(int64_t a, int64_t b) { return a > b ? a : b; }

static void sort(int64_t *to, const int64_t *from, uint32_t count)
{
  memcpy(to, from, count * sizeof *to);
  qsort(to, count, sizeof *to, ts_by_i64);
}

/* Whatever the order, the n-th that opens is not earlier than the n-th earliest; where as many are
 * in flight as may be, it waits for one to close. The n-th that closes comes behind n + 1 that
 * opened, and of these one opened as the n-th or later. The rank does one thing at a time. */
static void find_nth(ts_flights *f)
{
  uint32_t count = f->chunks * f->micro_batches;
  int64_t *open = f->nth_open, *close = f->nth_close;
  sort(open, f->opens, count);
  sort(close, f->closes, count);
  for (uint32_t n = 0; n < count; n++) {
    if (n)
      open[n] = in_flight_larger(open[n], open[n - 1] + f->open_busy);
    if (n >= f->most) {
      uint32_t closed = n + 1 - f->most;
      int64_t others = (int64_t)(n - closed) * f->open_busy;
      open[n] = in_flight_larger(open[n], close[closed - 1]);
      open[n] = in_flight_larger(open[n], open[0] + closed * f->busy + others);
    }
    if (n)
      close[n] = in_flight_larger(close[n], close[n - 1] + f->close_busy);
    close[n] = in_flight_larger(close[n], open[n] + f->span);
    close[n] = in_flight_larger(close[n], open[0] + (int64_t)(n + 1) * f->busy);
  }
}

/* How many items of all chunks come before that of micro-batch n of a chunk, at least. */
static uint32_t in_flight_before(const ts_flights *f, const bool *order, uint32_t chunk, uint32_t n)
{
  uint32_t count = n;
  for (uint32_t c = 0; c < f->chunks; c++)
    if (c != chunk && order[c * f->chunks + chunk])
      count += n + 1;
  return count;
}

/* Where a chunk runs ahead, memory holds it back: what was opened n - `most` + 1 times must have
 * closed, which takes as many openings of the chunk that all wait for. With d of these, at most
 * d flights of each chunk have closed, and at least d of each were opened. */
static uint32_t opened_before(const ts_flights *f, uint32_t chunk, uint32_t n)
{
  uint32_t count = in_flight_before(f, f->open_before, chunk, n);
  if (f->needed < f->chunks && chunk != f->needed && n >= f->most &&
      !f->open_before[f->needed * f->chunks + chunk])
    count += n + 1 - f->most;
  return count;
}

void ts_flights_raise(ts_flights *f)
{
  find_nth(f);
  for (uint32_t c = 0; c < f->chunks; c++)
    for (uint32_t n = 0; n < f->micro_batches; n++) {
      int64_t *open = &f->opens[c * f->micro_batches + n],
              *close = &f->closes[c * f->micro_batches + n];
      *open = in_flight_larger(*open, f->nth_open[opened_before(f, c, n)]);
      *close = in_flight_larger(*close, f->nth_close[in_flight_before(f, f->close_before, c, n)]);
    }
}
