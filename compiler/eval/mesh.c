#include "compiler/eval/mesh.h"

#include "compiler/eval/reuse.h"

int64_t ts_axes_size(ts_session *s, uint32_t axes)
{
  int64_t size = 1;
  s->reuse->touched.mesh = true;
  s->reuse->touched.sizes |= axes;
  for (uint32_t a = 0; a < s->mesh->count; a++)
    if (axes >> a & 1)
      size *= s->mesh->axis[a].size;
  return size;
}

uint32_t ts_axes_effective(ts_session *s, uint32_t axes)
{
  s->reuse->touched.mesh = true;
  s->reuse->touched.ones |= axes;
  for (uint32_t a = 0; a < s->mesh->count; a++)
    if (s->mesh->axis[a].size == 1)
      axes &= ~(UINT32_C(1) << a);
  return axes;
}
