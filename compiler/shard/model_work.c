#include "compiler/shard/model_work.h"


/* -- of an op -- */

static void model_work_add(ts_format_work *formats, uint32_t *count, const ts_dtype *dtype,
                           double flops)
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
  return phase == TS_PHASE_FORWARD ||
         (phase == TS_PHASE_INPUT ? op->needs_input_gradient : op->needs_gradient);
}

static bool is_forward(int phase) { return phase == TS_PHASE_FORWARD; }

static double model_work_sum_of(const ts_op *op, const ts_work *work, bool forward)
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
  double sum = model_work_sum_of(op, local, forward);
  for (int p = 0; p < TS_PHASES; p++)
    for (uint32_t i = 0;
         sum > 0 && needed(op, p) && is_forward(p) == forward && i < local->phase[p].count; i++) {
      const ts_kernel *k = &local->phase[p].at[i];
      model_work_add(class->formats, &class->format_count, k->dtype,
                     flops * (k->model_flops / sum));
    }
}

/* Forward, and backward at most twice that: the gradients of a product of two matrices are two
 * products of its size (Chowdhery et al., arXiv 2204.02311, appendix B: 6 N a token). What a
 * backward does beyond that it repeats, like the scores of flash attention. Amounts are those of
 * the op as the model states it, formats those that rules make a rank compute in. */
void ts_model_work(ts_arena *arena, const ts_op *op, const ts_work *whole, ts_class *class)
{
  const ts_work *local = &class->work;
  double forward = model_work_sum_of(op, whole, true),
         backward = model_work_sum_of(op, whole, false);
  uint32_t kernels = local->phase[TS_PHASE_FORWARD].count + local->phase[TS_PHASE_INPUT].count +
                     local->phase[TS_PHASE_WEIGHT].count;
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
