/* Layouts: sizes, text, and what collectives and reshapes make of them. */
#include <math.h>
#include <string.h>

#include "compiler/shard/layout.h"

#include "compiler/eval/mesh.h"

const char *ts_axes_name(ts_session *s, uint32_t axes)
{
  const char *text = "";
  for (uint32_t a = 0; a < s->mesh->count; a++)
    if (axes >> a & 1)
      text = ts_arena_printf(s->arena, "%s%s%s", text, *text ? " * " : "", s->mesh->axis[a].name);
  return text;
}

/* Products of small numbers that are whole but for their last digits do not count as more. */
static const double rounding = 1e-12;

/* Of a dimension, on the rank that has most of it. */
static int64_t local_extent(ts_session *s, const ts_layout *layout, ts_shape shape,
                            uint32_t d)
{
  int64_t size = ts_axes_size(s, layout->split[d]), even = (shape.dim[d] + size - 1) / size;
  if (!(layout->more[d] > 0))
    return even;
  int64_t most =
    (int64_t)ceil((double)shape.dim[d] / (double)size * (1 + layout->more[d]) * (1 - rounding));
  return most > even ? most : even;
}

int64_t ts_layout_bytes(ts_session *s, const ts_layout *layout, ts_shape shape,
                        const ts_dtype *dtype)
{
  double bits = dtype->bits;
  for (uint32_t d = 0; d < shape.rank; d++)
    bits *= (double)local_extent(s, layout, shape, d);
  return (int64_t)ceil(bits / 8);
}

uint32_t ts_layout_axes(const ts_layout *layout)
{
  uint32_t axes = 0;
  for (int d = 0; d < TS_MAX_DIMS; d++)
    axes |= layout->split[d];
  return axes;
}

ts_shape ts_layout_local(ts_session *s, const ts_layout *layout, ts_shape shape)
{
  int64_t *dim = TS_NEW_ARRAY(s->arena, int64_t, shape.rank + 1);
  for (uint32_t d = 0; d < shape.rank; d++)
    dim[d] = local_extent(s, layout, shape, d);
  return (ts_shape){shape.rank, dim};
}

const char *ts_layout_print(ts_session *s, const ts_layout *layout, ts_shape shape)
{
  const char *text = "[";
  for (uint32_t d = 0; d < shape.rank; d++) {
    text = ts_arena_printf(s->arena, "%s%s%lld", text, d ? ", " : "", (long long)shape.dim[d]);
    if (layout->more[d] > 0)
      text = ts_arena_printf(s->arena, "%s x %.4g", text, 1 + layout->more[d]);
    if (layout->split[d])
      text = ts_arena_printf(s->arena,
                             layout->split[d] & (layout->split[d] - 1) ? "%s / (%s)" : "%s / %s",
                             text, ts_axes_name(s, layout->split[d]));
  }
  text = ts_arena_printf(s->arena, "%s]", text);
  if (layout->partial)
    text = ts_arena_printf(s->arena, "%s, a partial sum over %s", text,
                           ts_axes_name(s, layout->partial));
  return text;
}

/* What lay split elsewhere is split along comm->dim now. Dealt out by content, the fullest rank has
 * more of what is gathered; where that is split again, no more. */
static void exchange(ts_layout *layout, const ts_comm *comm)
{
  double before = layout->more[comm->dim];
  for (int d = 0; d < TS_MAX_DIMS; d++) {
    if (!before && layout->split[d] & comm->axes)
      layout->more[d] = (1 + layout->more[d]) * (1 + comm->more) - 1;
    layout->split[d] &= ~comm->axes;
  }
  layout->split[comm->dim] |= comm->axes;
  if (before > 0)
    layout->more[comm->dim] = fmax(0, (1 + before) / (1 + comm->more) - 1);
  if (layout->more[comm->dim] < rounding)
    layout->more[comm->dim] = 0;
}

const char *ts_layout_move(ts_layout *layout, const ts_comm *comm)
{
  uint32_t axes = comm->axes;
  switch (comm->kind) {
  case TS_IR_ALL_REDUCE:
  case TS_IR_REDUCE:
    if (ts_layout_axes(layout) & axes)
      return "is split over these axes: its parts are not sums";
    layout->partial &= ~axes;
    return NULL;
  case TS_IR_REDUCE_SCATTER:
    if (comm->dim < 0)
      return "needs `dim:`, the dimension it splits";
    if ((layout->partial & axes) != axes)
      return ts_layout_axes(layout) & axes ? "is split over these axes already" :
                                             "is no partial sum over these axes";
    layout->partial &= ~axes;
    layout->split[comm->dim] |= axes;
    return NULL;
  case TS_IR_ALL_GATHER:
    if (comm->dim < 0)
      return "needs `dim:`, the dimension it makes whole";
    if ((layout->split[comm->dim] & axes) != axes)
      return "gathers a dimension that is not split over these axes";
    layout->split[comm->dim] &= ~axes;
    return NULL;
  case TS_IR_ALL_TO_ALL:
    if (comm->dim < 0)
      return NULL;
    if ((ts_layout_axes(layout) & axes) != axes)
      return "exchanges parts of a tensor that is not split over these axes";
    exchange(layout, comm);
    return NULL;
  default: return NULL;
  }
}

bool ts_layout_equal(const ts_layout *a, const ts_layout *b)
{
  bool equal = a->partial == b->partial && a->uneven == b->uneven &&
               !memcmp(a->split, b->split, sizeof a->split);
  for (int d = 0; equal && d < TS_MAX_DIMS; d++)
    equal = a->more[d] == b->more[d];
  return equal;
}

/* Dimensions of the two shapes are taken from the left in runs of equal product. A split is carried
 * by the first dimension of a run, when it is the first there too and the size divides. */
bool ts_layout_reshape(ts_session *s, const ts_layout *from, ts_shape old, ts_shape new,
                       ts_layout *to)
{
  uint32_t i = 0, k = 0;
  *to = (ts_layout){.partial = from->partial, .rule = from->rule, .failed = from->failed};
  while (i < old.rank || k < new.rank) {
    uint32_t first_old = i, first_new = k;
    int64_t a = i < old.rank ? old.dim[i++] : 1, b = k < new.rank ? new.dim[k++] : 1;
    while (a != b) {
      if (a < b && i < old.rank)
        a *= old.dim[i++];
      else if (k < new.rank)
        b *= new.dim[k++];
      else
        break;
    }
    while (first_old < i && old.dim[first_old] == 1 && first_old + 1 < i)
      first_old++;
    while (first_new < k && new.dim[first_new] == 1 && first_new + 1 < k)
      first_new++;
    for (uint32_t d = first_old; d < i; d++) {
      uint32_t axes = from->split[d];
      if (first_new < new.rank && from->more[d] > 0)
        to->more[first_new] = (1 + to->more[first_new]) * (1 + from->more[d]) - 1;
      if (first_new < new.rank && from->uneven >> d & 1)
        to->uneven |= UINT32_C(1) << first_new;
      if (!axes)
        continue;
      if (d != first_old || first_new >= new.rank ||
          (new.dim[first_new] % ts_axes_size(s, axes) && !(to->uneven >> first_new & 1)))
        return false;
      to->split[first_new] = axes;
    }
  }
  return true;
}
