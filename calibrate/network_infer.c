/* A group of a few sizes says little about those between them; other numbers of ranks and other
 * collectives of the same library on the same machine say more, because the library changes its
 * protocols for all of them alike. Residuals are logarithms of measured over modelled. */
#include "calibrate/network_infer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "cost/gp.h"

enum {
  SIZES,
  RANKS,
  ISLANDS,
  KINDS,
  INPUTS = KINDS + TS_IR_COLLECTIVE_KINDS,
  KERNELS = 2,
  MOST_ROWS = 640
};

/* Octaves of bytes, octaves of ranks and of islands, and collectives (two are the square root of
 * two apart) over which residuals are alike: of the curve as a whole, whose deviation is that of
 * the residuals, and of its bends, where protocols change. Repeated calls differ by some percent.
 * Between half and twice these the errors on sizes left out of ops/nccl_intra.csv.gz differ by less
 * than a tenth. */
static const struct reach { double sizes, ranks, kinds; } reaches[KERNELS] = {{8, 4, 2}, {2, 1, 2}};
static const double bends = 0.2, repeats = 0.03;

struct ts_network_inference {
  ts_arena *arena;
  const ts_network_file *hardware;
  ts_fit_links links;
  const ts_ir_net_point *points;
  uint32_t count;
  ts_fit_kernel kernel[KERNELS];
  double *input, *target, *weight, *left_out, mean;
  uint64_t *sizes;
  uint32_t size_count;
};

typedef ts_network_inference inference;

static void inputs_of(const ts_ir_net_point *p, double *x)
{
  memset(x, 0, INPUTS * sizeof *x);
  x[SIZES] = log2((double)p->bytes);
  x[RANKS] = log2(p->ranks);
  x[ISLANDS] = log2(p->islands);
  x[KINDS + p->collective] = 1;
}

/* Without rates of the links the highest bandwidth measured stands for them. */
static ts_fit_links known_links(ts_fit_links links, const ts_ir_net_point *p, uint32_t count)
{
  ts_fit_links known = links;
  for (uint32_t i = 0; i < count; i++) {
    double rate =
      ts_ring_volume(p[i].collective, p[i].ranks) * (double)p[i].bytes / (double)p[i].time * 1e12;
    if (p[i].islands == 1 && !(links.intra > 0))
      known.intra = fmax(known.intra, rate);
    if (p[i].islands > 1 && !(links.inter > 0))
      known.inter = fmax(known.inter, rate);
  }
  return known;
}

static double modelled(const inference *f, const ts_ir_net_point *p)
{
  ts_profile profile = ts_fit_profile(f->links, p->ranks, p->islands);
  return ts_network_file_time(f->hardware, p->collective, p->bytes, &profile);
}

static void set_kernels(inference *f, double deviation)
{
  const double deviations[KERNELS] = {fmax(deviation, bends), bends};
  for (int k = 0; k < KERNELS; k++) {
    f->kernel[k] = (ts_fit_kernel){.smoothness = 1.5, .deviation = deviations[k]};
    for (int d = 0; d < INPUTS; d++)
      f->kernel[k].scale[d] = d == SIZES ? reaches[k].sizes :
                              d < KINDS  ? reaches[k].ranks :
                                           reaches[k].kinds;
  }
}

static bool learn(inference *f)
{
  double sum = 0, square = 0;
  for (uint32_t i = 0; i < f->count; i++) {
    double time = f->points[i].bytes && f->points[i].time ? modelled(f, &f->points[i]) : 0;
    if (!(time > 0))
      return false;
    inputs_of(&f->points[i], f->input + (size_t)i * INPUTS);
    sum += f->target[i] = log((double)f->points[i].time * 1e-12 / time);
  }
  f->mean = sum / f->count;
  for (uint32_t i = 0; i < f->count; i++) {
    f->target[i] -= f->mean;
    square += f->target[i] * f->target[i];
  }
  set_kernels(f, sqrt(square / f->count));
  ts_gp_data data = {f->count, INPUTS, f->input, f->target, NULL};
  return ts_gp_solve(&data, f->kernel, KERNELS, repeats, f->weight, f->left_out, NULL);
}

static uint64_t infer(const inference *f, const ts_ir_net_point *p)
{
  double x[INPUTS], residual = f->mean;
  inputs_of(p, x);
  for (uint32_t i = 0; i < f->count; i++)
    residual +=
      f->weight[i] * ts_gp_covariance(f->kernel, KERNELS, INPUTS, x, f->input + (size_t)i * INPUTS);
  return (uint64_t)llround(fmin(modelled(f, p) * exp(residual), 1e5) * 1e12);
}

/* Sizes of the table, and powers of two between. */
static uint32_t sizes_of(ts_arena *arena, const ts_ir_net_point *p, uint32_t count,
                         uint64_t **sizes)
{
  uint64_t *all = *sizes = TS_NEW_ARRAY(arena, uint64_t, count + 64);
  uint32_t n = 0, distinct = 0;
  for (uint32_t i = 0; i < count; i++)
    all[n++] = p[i].bytes;
  qsort(all, n, sizeof *all, ts_by_u64);
  for (uint64_t x = 1; x && x < all[count - 1]; x *= 2)
    if (x > all[0])
      all[n++] = x;
  qsort(all, n, sizeof *all, ts_by_u64);
  for (uint32_t i = 0; i < n; i++)
    if (!distinct || all[i] != all[distinct - 1])
      all[distinct++] = all[i];
  return distinct;
}

const ts_network_inference *ts_network_infer(ts_arena *arena, const ts_network_file *hardware,
                                             ts_fit_links links, const ts_ir_net_point *points,
                                             uint32_t count)
{
  if (!count || count > MOST_ROWS)
    return NULL;
  inference *f = TS_NEW(arena, inference);
  *f = (inference){arena,
                   hardware,
                   known_links(links, points, count),
                   points,
                   count,
                   .input = TS_NEW_ARRAY(arena, double, (size_t)count *INPUTS),
                   .target = TS_NEW_ARRAY(arena, double, count),
                   .weight = TS_NEW_ARRAY(arena, double, count),
                   .left_out = TS_NEW_ARRAY(arena, double, count)};
  f->size_count = sizes_of(arena, points, count, &f->sizes);
  return learn(f) ? f : NULL;
}

double ts_network_infer_error(const ts_network_inference *f, uint32_t first, uint32_t count)
{
  double sum = 0;
  for (uint32_t i = first; i < first + count; i++)
    sum += (f->target[i] - f->left_out[i]) * (f->target[i] - f->left_out[i]);
  return sum / count;
}

void ts_network_infer_group(const ts_network_inference *f, uint32_t first, uint32_t count,
                            ts_network_points *out)
{
  const ts_ir_net_point *at = f->points + first, *end = at + count;
  ts_ir_net_point p = *at;
  for (uint32_t s = 0; s < f->size_count; s++) {
    bool measured = at < end && at->bytes == f->sizes[s];
    p.bytes = f->sizes[s];
    p.time = measured ? at->time : infer(f, &p);
    at += measured;
    TS_PUSH(f->arena, out, p);
  }
}
