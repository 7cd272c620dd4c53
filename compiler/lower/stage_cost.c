/* What a policy goes by: the kernels' times of each stage's forward and backward, the activations
 * that it holds in between, and the time of a message. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/lower/fragment.h"
#include "compiler/lower/fragment_pieces.h"

static double activations(const ts_fragment *f)
{
  double bytes = 0;
  for (size_t i = 0; i < f->mems.count; i++)
    if (f->mems.at[i].mem.category == TS_IR_ACTIVATIONS)
      bytes += (double)f->mems.at[i].mem.bytes;
  return bytes;
}

static int by_node(const void *a, const void *b)
{
  const ts_mem_note *x = a, *y = b;
  bool x_frees = x->mem.bytes < 0, y_frees = y->mem.bytes < 0;
  return x->node != y->node ? (x->node > y->node) - (x->node < y->node) :
                              (int)x_frees - (int)y_frees;
}

/* The most activations above those at the beginning: a node has what it makes before it lets go of
 * what it used. */
static double rise(const ts_fragment *f)
{
  ts_mem_note *notes = ts_arena_copy(f->scratch, f->mems.at, f->mems.count * sizeof *notes);
  double bytes = 0, most = 0;
  if (f->mems.count)
    qsort(notes, f->mems.count, sizeof *notes, by_node);
  for (size_t i = 0; i < f->mems.count; i++) {
    bytes += notes[i].mem.category == TS_IR_ACTIVATIONS ? (double)notes[i].mem.bytes : 0;
    most = fmax(most, bytes);
  }
  return most;
}

static uint64_t computing(const ts_fragment *f)
{
  uint64_t time = 0;
  for (size_t i = 0; i < f->kernels.count; i++)
    time += ts_costing_time(f->l->costing, f->kernels.at[i]);
  return time;
}

static ts_stage_cost cost_of(ts_lowering *l, uint32_t stage)
{
  static const struct { ts_work_kind kind; bool inputs, weights;
  } work[] = {{TS_FORWARD, false, false},
              {TS_BACKWARD, true, true},
              {TS_INPUT_GRADIENT, true, false},
              {TS_WEIGHT_GRADIENT, false, true}};
  ts_stage_cost cost = {0};
  ts_placed item = {.stage = stage};
  for (size_t k = 0; k < sizeof work / sizeof work[0]; k++) {
    ts_fragment *f = ts_fragment_new(l, stage);
    if (work[k].kind == TS_FORWARD)
      ts_forward(f, &item);
    else
      ts_backward(f, &item, work[k].inputs, work[k].weights, false);
    cost.time[work[k].kind] = computing(f);
    cost.rise[work[k].kind] = rise(f);
    if (work[k].kind == TS_FORWARD)
      cost.held = activations(f);
    else if (work[k].kind == TS_INPUT_GRADIENT)
      cost.freed = -activations(f);
    ts_fragment_free(f);
  }
  return cost;
}

static double slowest_link(const ts_ir *ir)
{
  double bandwidth = 0;
  for (uint32_t i = 0; i < ir->link_classes_count; i++)
    if (!(bandwidth > 0) || ir->link_classes[i].bandwidth < bandwidth)
      bandwidth = ir->link_classes[i].bandwidth;
  return bandwidth;
}

static uint64_t slowest_latency(const ts_ir *ir)
{
  uint64_t latency = 0;
  for (uint32_t i = 0; i < ir->link_classes_count; i++)
    latency = ir->link_classes[i].latency > latency ? ir->link_classes[i].latency : latency;
  return latency;
}

static int64_t largest_message(const ts_stages *stages)
{
  int64_t bytes = 0;
  for (uint32_t s = 0; s < stages->count; s++)
    for (uint32_t t = 0; t < stages->at[s].in_count; t++)
      bytes = stages->at[s].in[t].bytes > bytes ? stages->at[s].in[t].bytes : bytes;
  return bytes;
}

/* Over the slowest link, as the first model of the plan that answers messages with a formula gives
 * it. */
uint64_t ts_stage_message_time(ts_lowering *l, int64_t bytes)
{
  ts_ir ir;
  ts_ir_builder_view(l->b, &ir);
  double bandwidth = slowest_link(&ir), efficiency = 1;
  uint64_t base = 2 * slowest_latency(&ir); /* up to the switch and down */
  for (uint32_t i = 0; i < ir.net_models_count; i++) {
    const ts_ir_net_model *m = &ir.net_models[i];
    if (m->kind != TS_IR_NET_ALPHA_BETA || !(m->collectives >> TS_IR_MESSAGE & 1) ||
        (i + 1 < ir.net_models_count && m->tier == 0))
      continue;
    base += m->base + m->inter_hop;
    efficiency = m->efficiency;
    break;
  }
  double seconds = bandwidth > 0 ? (double)bytes / (efficiency * bandwidth) : 0;
  return base + (uint64_t)llround(seconds * 1e12);
}

ts_stage_costs ts_stage_costs_of(ts_lowering *l)
{
  ts_stage_cost *of_kind = TS_NEW_ARRAY(l->s->arena, ts_stage_cost, l->stages->kind_count + 1);
  ts_stage_cost *of_stage = TS_NEW_ARRAY(l->s->arena, ts_stage_cost, l->stages->count + 1);
  for (uint32_t k = 0; k < l->stages->kind_count; k++)
    of_kind[k] = cost_of(l, l->stages->example[k]);
  for (uint32_t s = 0; s < l->stages->count; s++) {
    double slowness = ts_schedule_slowness(l->sc, l->sc->rank_of[s]);
    of_stage[s] = of_kind[l->stages->at[s].kind];
    for (uint32_t k = 0; k < TS_STEP; k++)
      of_stage[s].time[k] =
        (uint64_t)llround((double)of_stage[s].time[k] * slowness);
  }
  return (ts_stage_costs){.at = of_stage,
                          .message = ts_stage_message_time(l, largest_message(l->stages))};
}
