/* What a policy goes by: the kernels' times of each stage's forward and backward, and the activations that it holds in between. */
#include <string.h>

#include "compiler/fragment.h"

static double activations(const ts_fragment *f)
{
  double bytes = 0;
  for (size_t i = 0; i < f->mems.count; i++)
    if (f->mems.at[i].mem.category == TS_IR_ACTIVATIONS)
      bytes += (double)f->mems.at[i].mem.bytes;
  return bytes;
}

static uint64_t computing(const ts_fragment *f)
{
  uint64_t time = 0;
  for (size_t i = 0; i < f->kernels.count; i++)
    time += f->l->costing->kernels.at[f->kernels.at[i]].time;
  return time;
}

static ts_stage_cost cost_of(ts_lowering *l, uint32_t stage)
{
  static const struct { ts_work_kind kind; bool inputs, weights; } work[] = {
    {TS_FORWARD, false, false}, {TS_BACKWARD, true, true}, {TS_INPUT_GRADIENT, true, false}, {TS_WEIGHT_GRADIENT, false, true}};
  ts_stage_cost cost = {0};
  ts_placed item = {.stage = stage};
  for (size_t k = 0; k < sizeof work / sizeof work[0]; k++) {
    ts_fragment *f = ts_fragment_new(l, stage);
    if (work[k].kind == TS_FORWARD)
      ts_forward(f, &item);
    else
      ts_backward(f, &item, work[k].inputs, work[k].weights, false);
    cost.time[work[k].kind] = computing(f);
    if (work[k].kind == TS_FORWARD)
      cost.held = activations(f);
    else if (work[k].kind == TS_INPUT_GRADIENT)
      cost.freed = -activations(f);
    ts_fragment_free(f);
  }
  return cost;
}

ts_stage_costs ts_stage_costs_of(ts_lowering *l)
{
  ts_stage_cost *of_kind = TS_NEW_ARRAY(l->s->arena, ts_stage_cost, l->stages->kind_count + 1);
  ts_stage_cost *of_stage = TS_NEW_ARRAY(l->s->arena, ts_stage_cost, l->stages->count + 1);
  for (uint32_t k = 0; k < l->stages->kind_count; k++)
    of_kind[k] = cost_of(l, l->stages->example[k]);
  for (uint32_t s = 0; s < l->stages->count; s++)
    of_stage[s] = of_kind[l->stages->at[s].kind];
  return (ts_stage_costs){of_stage, 0};
}
