/* The IR's number formats, with model FLOPs of the job and peaks of the devices that play it: what
 * MFU is of. */
#include <string.h>

#include "compiler/eval/mesh.h"
#include "compiler/lower/lowering.h"
#include "compiler/machine/cluster.h"

/* Ranks on each array of devices: where they are placed, or one after the other. */
static uint32_t *ranks_of(const ts_lowering *l, const ts_cluster *c, const ts_ir *view,
                          uint32_t world)
{
  uint32_t *ranks = TS_NEW_ARRAY(l->s->arena, uint32_t, c->array_count + 1);
  for (uint32_t r = 0; r < view->placement_count; r++)
    ranks[c->vertices[view->placement[r]].array]++;
  for (uint32_t a = 0, left = view->placement_count ? 0 : world; a < c->array_count; a++)
    if (!c->arrays[a].is_switch) {
      ranks[a] += left < c->arrays[a].count ? left : c->arrays[a].count;
      left -= left < c->arrays[a].count ? left : c->arrays[a].count;
    }
  return ranks;
}

/* Mean over ranks; 0 if a device that has some does not state it. */
static double peak_of(const ts_cluster *c, const uint32_t *ranks, const char *dtype)
{
  double sum = 0, count = 0;
  for (uint32_t a = 0; a < c->array_count; a++) {
    const ts_value *gpu = &c->arrays[a].device_class;
    if (!ranks[a])
      continue;
    const ts_value *peak = gpu->type == TS_T_GPU ? ts_record_find(gpu->u.record, "peak") : NULL;
    const ts_value *rate =
      peak && peak->type == TS_T_RECORD ? ts_dtype_peak(peak->u.record, dtype) : NULL;
    if (!rate || rate->type != TS_T_QUANTITY || !(rate->u.real > 0))
      return 0;
    sum += rate->u.real * ranks[a];
    count += ranks[a];
  }
  return count > 0 ? sum / count : 0;
}

static void write_format(ts_lowering *l, const ts_cluster *c, const uint32_t *ranks, ts_ir_str name,
                         const char *dtype, double flops)
{
  void *record;
  ts_ir_append(l->b, TS_IR_FORMATS, 1, &record);
  *(ts_ir_format *)record =
    (ts_ir_format){.dtype = name, .model_flops = flops, .peak = peak_of(c, ranks, dtype)};
}

static bool listed(const ts_ir *view, ts_ir_str dtype)
{
  for (uint32_t i = 0; i < view->formats_count; i++)
    if (view->formats[i].dtype == dtype)
      return true;
  return false;
}

void ts_lower_formats(ts_lowering *l, uint32_t world, double micro_batches, ts_ir_meta *meta)
{
  const ts_cluster *c = l->plan->cluster.u.cluster;
  ts_ir view;
  ts_ir_builder_view(l->b, &view);
  const uint32_t *ranks = ranks_of(l, c, &view, world);
  for (size_t i = 0; i < l->sh->formats.count; i++) {
    const char *dtype = l->sh->formats.at[i].dtype->name;
    write_format(l, c, ranks, ts_ir_add_string(l->b, dtype), dtype,
                 l->sh->formats.at[i].flops * micro_batches);
  }
  ts_ir_builder_view(l->b, &view);
  for (uint32_t n = 0; n < view.nodes_count; n++) {
    const ts_ir_kernel *k =
      view.nodes[n].op == TS_IR_COMPUTE && view.nodes[n].phase != TS_IR_PHASE_OPTIMIZER ?
        &view.kernels[view.nodes[n].arg] :
        NULL;
    if (!k || !(k->flops > 0) || listed(&view, k->dtype))
      continue;
    write_format(l, c, ranks, k->dtype, view.strings + k->dtype, 0);
    ts_ir_builder_view(l->b, &view);
  }
  double at_peak = 0; /* seconds of one device at the peaks */
  bool known = true;
  ts_ir_builder_view(l->b, &view);
  for (uint32_t i = 0; i < view.formats_count; i++) {
    const ts_ir_format *f = &view.formats[i];
    meta->model_flops_per_step += f->model_flops;
    at_peak += f->peak > 0 ? f->model_flops / f->peak : 0;
    known &= f->peak > 0 || !(f->model_flops > 0);
  }
  meta->peak_flops = known && at_peak > 0 ? meta->model_flops_per_step / at_peak : 0;
}

uint32_t ts_world_of(const ts_lowering *l)
{
  uint32_t world = 1;
  for (uint32_t a = 0; a < l->s->mesh->count; a++)
    world *= (uint32_t)l->s->mesh->axis[a].size;
  return world;
}

uint64_t ts_tokens_of(const ts_lowering *l, int64_t samples)
{
  const ts_plan *plan = l->plan;
  double tokens = plan->tokens_per_sample > 0 ? plan->tokens_per_sample : l->g->tokens_per_sample;
  return (uint64_t)(tokens * (double)samples);
}
