/* How well the devices are used: model FLOPs (MFU) and executed FLOPs (HFU) against the time they
 * take at the peak of their number formats (Chowdhery et al., arXiv 2204.02311, section 4.1 and
 * appendix B). */
#include "runtime/report/summary.h"

/* FLOP/s of one device for what is in this format; 0: not known. */
static double peak_of(const ts_ir *ir, ts_ir_str dtype)
{
  for (uint32_t i = 0; i < ir->formats_count; i++)
    if (ir->formats[i].dtype == dtype)
      return ir->formats[i].peak;
  return ir->formats_count ? 0 : ir->meta->peak_flops;
}

static bool is_counted(const ts_ir *ir, const ts_ir_node *node)
{
  return node->op == TS_IR_COMPUTE && node->phase != TS_IR_PHASE_OPTIMIZER &&
         ir->kernels[node->arg].flops > 0;
}

typedef struct utilization_work {
  double flops, at_peak;
  bool unknown;
} utilization_work; /* at_peak: seconds at the peaks */

static utilization_work utilization_work_of(const ts_ir *ir, const ts_ir_fragment *f)
{
  utilization_work w = {0};
  for (uint32_t n = 0; n < f->node_count; n++) {
    const ts_ir_node *node = &ir->nodes[f->first_node + n];
    if (!is_counted(ir, node))
      continue;
    double peak = peak_of(ir, ir->kernels[node->arg].dtype);
    w.flops += ir->kernels[node->arg].flops;
    w.at_peak += peak > 0 ? ir->kernels[node->arg].flops / peak : 0;
    w.unknown |= !(peak > 0);
  }
  return w;
}

void ts_summary_utilization(ts_summary *s)
{
  const ts_ir *ir = s->ir;
  double device_seconds = s->seconds * ir->meta->world;
  utilization_work all = {0},
                   *of = TS_NEW_ARRAY(s->arena, utilization_work, ir->fragments_count + 1);
  for (uint32_t f = 0; f < ir->fragments_count; f++)
    of[f] = utilization_work_of(ir, &ir->fragments[f]);
  double *plays = TS_NEW_ARRAY(s->arena, double, ir->fragments_count + 1);
  for (uint32_t i = 0; i < s->stage_count; i++)
    ts_ir_count_plays(ir, s->stages[i].program, s->stages[i].ranks, plays);
  for (uint32_t f = 0; f < ir->fragments_count; f++) {
    all.flops += of[f].flops * plays[f];
    all.at_peak += of[f].at_peak * plays[f];
    all.unknown |= plays[f] > 0 && of[f].unknown;
  }
  s->flops_per_device = ts_ratio_of(ir->meta->model_flops_per_step, device_seconds);
  s->executed_per_device = ts_ratio_of(all.flops, device_seconds);
  s->mfu = ts_ratio_of(s->flops_per_device, ir->meta->peak_flops);
  s->hfu = s->mfu > 0 && !all.unknown ? ts_ratio_of(all.at_peak, device_seconds) : TS_NOT_KNOWN;
}
