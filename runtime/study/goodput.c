#include "runtime/study/goodput.h"

#include <math.h>
#include <stdbool.h>

enum { DAY = 86400 };

/* Useful share of time with a checkpoint every `n` steps. */
static double useful(double n, double step, double m, const ts_faults *f)
{
  double t = n * step;
  return t / (m * exp(f->restart / m) * expm1((t + f->checkpoint) / m));
}

/* The share rises up to one number of steps and falls from there on. */
static uint64_t best(double step, double m, const ts_faults *f)
{
  uint64_t low = 1, high = 2;
  while (high < UINT64_C(1) << 50 &&
         useful((double)high, step, m, f) > useful((double)(high / 2), step, m, f))
    high *= 2;
  while (high - low > 2) {
    uint64_t left = low + (high - low) / 3, right = high - (high - low) / 3;
    if (useful((double)left, step, m, f) < useful((double)right, step, m, f))
      low = left;
    else
      high = right;
  }
  for (uint64_t n = low + 1; n <= high; n++)
    if (useful((double)n, step, m, f) > useful((double)low, step, m, f))
      low = n;
  return low;
}

/* Works from `from` to `to`; when it fails there, what the last checkpoint does not hold is lost.
 * */
static void goodput_work(ts_day *d, double from, double to, double step, const ts_faults *f,
                         bool fails)
{
  double round = (double)f->every * step + f->checkpoint, time = to - from,
         rounds = floor(time / round);
  double rest = fmin(time - rounds * round, (double)f->every * step),
         steps = fails ? 0 : floor(rest / step);
  d->steps += (uint64_t)(rounds * (double)f->every + steps);
  d->useful += (rounds * (double)f->every + steps) * step;
  d->checkpoints += rounds * f->checkpoint;
  d->lost += time - rounds * round - steps * step;
}

ts_day ts_day_of(double step, const ts_faults *f, const double *at, uint32_t count)
{
  ts_day d = {0};
  double now = 0;
  for (uint32_t i = 0; i < count; i++) {
    double end = fmin(at[i] + f->restart, DAY);
    if (at[i] >= DAY)
      break;
    if (at[i] >= now)
      goodput_work(&d, now, at[i], step, f, true);
    d.restarts += end - fmax(at[i], now); /* a restart that fails begins anew */
    now = end;
    d.failures++;
  }
  goodput_work(&d, now, DAY, step, f, false);
  return d;
}

ts_goodput ts_goodput_of(double step, uint32_t devices, const ts_faults *faults)
{
  double m = faults->between_failures / devices;
  ts_goodput g = {.faults = *faults,
                  .job_between_failures = m,
                  .every = faults->every ? faults->every : best(step, m, faults)};
  g.interval = (double)g.every * step;
  g.useful = useful((double)g.every, step, m, faults);
  g.checkpoints = g.useful * faults->checkpoint / g.interval;
  g.lost = 1 - g.useful - g.checkpoints;
  g.failures_a_day = DAY / m;
  g.steps_a_day = DAY * g.useful / step;
  return g;
}
