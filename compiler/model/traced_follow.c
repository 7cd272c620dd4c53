/* How the dimensions of a moved tensor go into those of the result. Tables say shapes only, so it
 * is worked out from them. */
#include <string.h>

#include "compiler/model/traced_table.h"

enum { MAX_RANK = 8 };

/* those that are not 1, and the first: a batch may be 1 */
typedef struct dims { uint32_t count, at[MAX_RANK]; } dims;

static dims not_one(ts_shape shape)
{
  dims list = {0};
  for (uint32_t d = 0; d < shape.rank && d < MAX_RANK; d++)
    if (!d || shape.dim[d] != 1)
      list.at[list.count++] = d;
  return list;
}

static int64_t elements(ts_shape shape)
{
  int64_t n = 1;
  for (uint32_t d = 0; d < shape.rank; d++)
    if (__builtin_mul_overflow(n, shape.dim[d], &n))
      return -1;
  return n;
}

static void traced_follow_add(ts_follow *f, uint32_t out, uint32_t in)
{
  int n = 0;
  while (n < TS_FOLLOW_MAX && f->of[out][n] >= 0)
    n++;
  if (n < TS_FOLLOW_MAX)
    f->of[out][n] = (int32_t)in;
}

/* Each dimension of `out` takes the first one of equal size that is left: a transposition. */
static bool by_size(ts_shape in, dims a, ts_shape out, dims b, ts_follow *f)
{
  bool taken[MAX_RANK] = {false}, all = true;
  for (uint32_t i = 0; i < b.count; i++) {
    uint32_t k = 0;
    while (k < a.count && (taken[k] || in.dim[a.at[k]] != out.dim[b.at[i]]))
      k++;
    if (k < a.count) {
      taken[k] = true;
      traced_follow_add(f, b.at[i], a.at[k]);
    } else {
      all = false;
    }
  }
  return all;
}

/* The same from the last: a dimension dropped, mostly one in front (one of several queries, keys
 * and values). */
static void by_size_from_last(ts_shape in, dims a, ts_shape out, dims b, ts_follow *f)
{
  for (uint32_t i = b.count, k = a.count; i-- > 0;) {
    uint32_t left = k;
    while (left > 0 && in.dim[a.at[left - 1]] != out.dim[b.at[i]])
      left--;
    if (left > 0) {
      k = left - 1;
      traced_follow_add(f, b.at[i], a.at[k]);
    }
  }
}

/* Of a run that is taken apart, what splits of the whole go to: the largest but the last, as heads
 * among queries, keys and values, (3, heads, width); the first of two. */
static uint32_t split_part(ts_shape out, dims b, uint32_t first, uint32_t end)
{
  uint32_t best = first;
  for (uint32_t k = first; k + 1 < end; k++)
    if (out.dim[b.at[k]] > out.dim[b.at[best]])
      best = k;
  return b.at[best];
}

/* Runs of equal product, from the left: one dimension of a run of `out`, mostly the first, follows
 * all of the run of `in`. */
static void by_runs(ts_shape in, dims a, ts_shape out, dims b, bool batch, ts_follow *f)
{
  uint32_t i = 0, k = 0;
  while (i < a.count && k < b.count) {
    uint32_t first = i, begin = k, leading = b.at[k];
    int64_t p = in.dim[a.at[i++]], q = out.dim[b.at[k++]];
    while (p != q)
      if (p < q && i < a.count)
        p *= in.dim[a.at[i++]];
      else if (k < b.count)
        q *= out.dim[b.at[k++]];
      else
        return;
    if (!batch && !leading && k > 1) /* several: behind the batch */
      leading = b.at[1];
    else if (leading && i == first + 1)
      leading = split_part(out, b, begin, k);
    for (uint32_t d = first; d < i; d++)
      traced_follow_add(f, leading, a.at[d]);
  }
}

void ts_shape_follow(ts_shape in, ts_shape out, bool batch, ts_follow *follow)
{
  memset(follow, 0xff, sizeof *follow);
  if (in.rank > MAX_RANK || out.rank > MAX_RANK)
    return;
  dims a = not_one(in), b = not_one(out);
  int64_t n = elements(in);
  if (n < 0 || elements(out) < 0)
    return;
  if (n == elements(out)) {
    if (a.count == b.count && by_size(in, a, out, b, follow))
      return;
    memset(follow, 0xff, sizeof *follow);
    by_runs(in, a, out, b, batch, follow);
  } else if (in.rank == out.rank) { /* a slice: each dimension is a part of its own */
    for (uint32_t d = 0; d < in.rank; d++)
      if (in.dim[d] != 1 || out.dim[d] == 1)
        traced_follow_add(follow, d, d);
  } else {
    by_size_from_last(in, a, out, b, follow);
  }
}
