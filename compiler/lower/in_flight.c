/* What ranks hold, at least, of micro-batches between their forward and their backward: known from
 * the order of work and the layouts, before anything has a cost or a fragment. */
#include <string.h>

#include "compiler/eval/options.h"
#include "compiler/lower/fragment_pieces.h"

/* It starts a kernel on the compute stream in the forward. */
static bool computes(const ts_lowering *l, uint32_t op)
{
  const ts_class *class = ts_class_of(l, op);
  const ts_kernels *kernels = &class->work.phase[TS_PHASE_FORWARD];
  bool any = false;
  for (uint32_t k = 0; k < kernels->count; k++)
    any |= !kernels->at[k].host_only;
  return any && !class->rounds[TS_PHASE_FORWARD];
}

/* A collective after it makes another tensor of what the op gave. */
static bool resized(const ts_class *class)
{
  for (uint32_t c = 0; c < class->comm_count; c++)
    if (class->comms[c].when == TS_WHEN_FORWARD && class->comms[c].after)
      return true;
  return false;
}

/* Tensors that are there when the compute stream has done the forward: it makes them itself, or
 * has waited for them. Others may come later. */
static void find_there(const ts_fragment *f, bool *there)
{
  const ts_graph *g = f->l->g;
  for (uint32_t i = f->stage->first_op, end = i + f->stage->op_count; i < end; i++) {
    const ts_op *op = &g->ops.at[i];
    bool here = computes(f->l, i);
    for (uint32_t k = 0; here && k < op->input_count; k++) {
      uint32_t root = f->tensors[g->tensors.at[op->slots[k].tensor].source].root;
      there[root] |= g->tensors.at[root].producer != TS_NO_INDEX;
    }
    for (uint32_t k = op->slot_count - op->output_count;
         here && !resized(ts_class_of(f->l, i)) && k < op->slot_count; k++)
      there[op->slots[k].tensor] = true;
  }
}

/* Of a micro-batch, from its forward on a stage to its backward there. What goes to the host
 * meanwhile does not count. */
static uint64_t of_stage(ts_lowering *l, uint32_t stage)
{
  const ts_graph *g = l->g;
  ts_fragment *f = ts_fragment_new(l, stage);
  bool *there = TS_NEW_ARRAY(f->scratch, bool, g->tensors.count + 1);
  int64_t bytes = 0;
  ts_plan_memory(f);
  find_there(f, there);
  for (uint32_t t = 0; t < g->tensors.count; t++) {
    const ts_tensor_state *state = &f->tensors[t];
    const ts_edge *e = &g->tensors.at[t];
    if (state->saved && !state->offloaded && state->root == t && there[t])
      bytes += ts_layout_bytes(l->s, &l->sh->layouts[t], e->shape, e->dtype);
  }
  for (uint32_t i = f->stage->first_op, end = i + f->stage->op_count; i < end; i++)
    if (g->ops.at[i].needs_gradient && !l->sh->recompute_group[i] && computes(l, i) &&
        !(ts_class_of(l, i)->activations.rate > 0))
      bytes += ts_own_saved(f, i);
  ts_fragment_free(f);
  return bytes > 0 ? (uint64_t)bytes : 0;
}

/* Work that takes time has what stands before it: the fullest moment lies between two items. */
static uint64_t of_rank(const ts_schedule *sc, const ts_order *order, const uint64_t *stage)
{
  uint64_t held = 0, most = 0;
  for (uint32_t i = order->first; i < order->first + order->count; i++) {
    const ts_placed *p = &sc->items.at[i];
    if (p->kind == TS_FORWARD)
      held += stage[p->stage];
    else if (p->kind == TS_BACKWARD || p->kind == TS_INPUT_GRADIENT)
      held -= stage[p->stage];
    most = !p->paired && held > most ? held : most;
  }
  return most;
}

static bool is_too_much(ts_lowering *l, ts_memory_bound *held)
{
  const ts_schedule *sc = l->sc;
  const ts_stages *stages = l->stages;
  uint64_t *kind = TS_NEW_ARRAY(l->s->arena, uint64_t, stages->kind_count + 1),
           *stage = TS_NEW_ARRAY(l->s->arena, uint64_t, stages->count + 1),
           *throughout = ts_lower_holding_sums(l);
  for (uint32_t k = 0; k < stages->kind_count; k++)
    kind[k] = of_stage(l, stages->example[k]);
  for (uint32_t s = 0; s < stages->count; s++)
    stage[s] = kind[stages->at[s].kind];
  for (uint32_t r = 0; r < sc->ranks; r++) {
    uint64_t bytes = throughout[r] + of_rank(sc, &sc->order[r], stage);
    held->bytes = bytes > held->bytes ? bytes : held->bytes;
  }
  return ts_cluster_room(l, held) && held->bytes > held->limit - held->reserved;
}

ts_pass_status ts_lower_in_flight(ts_lowering *l)
{
  ts_memory_bound *held = l->s->options->held;
  if (!held || !held->early || !l->stages || l->sc->policy || ts_diags_errors(l->s->diags) ||
      !is_too_much(l, held))
    return TS_PASS_DONE;
  held->in_flight = true;
  return ts_progress_check(l->s, l->sc, l->stages) ? TS_PASS_TOO_LARGE : TS_PASS_REFUSED;
}
