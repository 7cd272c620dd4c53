#include "compiler/shard/model_work.h"

#include <string.h>

#include "compiler/lower/fragment.h"
#include "compiler/machine/cluster.h"

/* -- of an op -- */

static void add(ts_format_work *formats, uint32_t *count, const ts_dtype *dtype, double flops)
{
  uint32_t i = 0;
  if (!(flops > 0))
    return;
  while (i < *count && formats[i].dtype != dtype)
    i++;
  if (i == *count)
    formats[(*count)++] = (ts_format_work){dtype, 0};
  formats[i].flops += flops;
}

static bool needed(const ts_op *op, int phase)
{
  return phase == TS_PHASE_FORWARD || (phase == TS_PHASE_INPUT ? op->needs_input_gradient : op->needs_gradient);
}

static bool is_forward(int phase) { return phase == TS_PHASE_FORWARD; }

static double sum_of(const ts_op *op, const ts_work *work, bool forward)
{
  double flops = 0;
  for (int p = 0; p < TS_PHASES; p++)
    for (uint32_t i = 0; needed(op, p) && is_forward(p) == forward && i < work->phase[p].count; i++)
      flops += work->phase[p].at[i].model_flops;
  return flops;
}

/* So many FLOPs dealt out to formats as those of a rank's kernels are. */
static void deal(ts_class *class, const ts_op *op, const ts_work *local, bool forward, double flops)
{
  double sum = sum_of(op, local, forward);
  for (int p = 0; p < TS_PHASES; p++)
    for (uint32_t i = 0; sum > 0 && needed(op, p) && is_forward(p) == forward && i < local->phase[p].count; i++) {
      const ts_kernel *k = &local->phase[p].at[i];
      add(class->formats, &class->format_count, k->dtype, flops * (k->model_flops / sum));
    }
}

/* Forward, and backward at most twice that: the gradients of a product of two matrices are two products of its size (Chowdhery et al., arXiv 2204.02311,
 * appendix B: 6 N a token). What a backward does beyond that it repeats, like the scores of flash attention. Amounts are those of the op as the model
 * states it, formats those that rules make a rank compute in. */
void ts_model_work(ts_arena *arena, const ts_op *op, const ts_work *whole, ts_class *class)
{
  const ts_work *local = &class->work;
  double forward = sum_of(op, whole, true), backward = sum_of(op, whole, false);
  uint32_t kernels = local->phase[TS_PHASE_FORWARD].count + local->phase[TS_PHASE_INPUT].count + local->phase[TS_PHASE_WEIGHT].count;
  class->formats = TS_NEW_ARRAY(arena, ts_format_work, kernels + 1);
  deal(class, op, local, true, forward);
  deal(class, op, local, false, forward > 0 && backward > 2 * forward ? 2 * forward : backward);
}

void ts_model_work_add(ts_arena *arena, const ts_class *class, ts_sharding *sh)
{
  for (uint32_t i = 0; i < class->format_count; i++) {
    size_t k = 0;
    while (k < sh->formats.count && sh->formats.at[k].dtype != class->formats[i].dtype)
      k++;
    if (k == sh->formats.count)
      TS_PUSH(arena, &sh->formats, (ts_format_work){class->formats[i].dtype, 0});
    sh->formats.at[k].flops += class->formats[i].flops;
  }
}

/* -- of the job -- */

/* Ranks on each array of devices: where they are placed, or one after the other. */
static uint32_t *ranks_of(const ts_lowering *l, const ts_cluster *c, const ts_ir *view, uint32_t world)
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
    const ts_value *rate = peak && peak->type == TS_T_RECORD ? ts_record_find(peak->u.record, dtype) : NULL;
    if (!rate || rate->type != TS_T_QUANTITY || !(rate->u.real > 0))
      return 0;
    sum += rate->u.real * ranks[a];
    count += ranks[a];
  }
  return count > 0 ? sum / count : 0;
}

static void write_format(ts_lowering *l, const ts_cluster *c, const uint32_t *ranks, ts_ir_str name, const char *dtype, double flops)
{
  void *record;
  ts_ir_append(l->b, TS_IR_FORMATS, 1, &record);
  *(ts_ir_format *)record = (ts_ir_format){.dtype = name, .model_flops = flops, .peak = peak_of(c, ranks, dtype)};
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
    write_format(l, c, ranks, ts_ir_add_string(l->b, dtype), dtype, l->sh->formats.at[i].flops * micro_batches);
  }
  ts_ir_builder_view(l->b, &view);
  for (uint32_t n = 0; n < view.nodes_count; n++) {
    const ts_ir_kernel *k = view.nodes[n].op == TS_IR_COMPUTE && view.nodes[n].phase != TS_IR_PHASE_OPTIMIZER ? &view.kernels[view.nodes[n].arg] : NULL;
    if (!k || !(k->flops > 0) || listed(&view, k->dtype))
      continue;
    write_format(l, c, ranks, k->dtype, view.strings + k->dtype, 0);
    ts_ir_builder_view(l->b, &view);
  }
  double least = 0; /* seconds of one device at the peaks */
  bool known = true;
  ts_ir_builder_view(l->b, &view);
  for (uint32_t i = 0; i < view.formats_count; i++) {
    const ts_ir_format *f = &view.formats[i];
    meta->model_flops_per_step += f->model_flops;
    least += f->peak > 0 ? f->model_flops / f->peak : 0;
    known &= f->peak > 0 || !(f->model_flops > 0);
  }
  meta->peak_flops = known && least > 0 ? meta->model_flops_per_step / least : 0;
}
