/* The forward of a stage: receives, then every op's collectives and kernels, then sends; and what
 * of it stays in memory for the backward. */
#include "compiler/lower/fragment.h"
#include "compiler/lower/fragment_pieces.h"
#include "compiler/lower/fragment_parameters.h"
#include "compiler/lower/fragment_split.h"
#include "compiler/lower/fragment_ring.h"

#include <string.h>

static const ts_op *fragment_forward_op_at(const ts_fragment *f, uint32_t op)
{
  return &f->l->g->ops.at[op];
}

static uint32_t fragment_forward_source_of(const ts_fragment *f, uint32_t tensor)
{
  return f->l->g->tensors.at[tensor].source;
}

static bool inside(const ts_fragment *f, uint32_t op)
{
  return op >= f->stage->first_op && op < f->stage->first_op + f->stage->op_count;
}

static int64_t edge_bytes(const ts_fragment *f, uint32_t tensor)
{
  const ts_edge *e = &f->l->g->tensors.at[tensor];
  return ts_layout_bytes(f->l->s, &f->l->sh->layouts[tensor], e->shape, e->dtype);
}

static const char *tensor_label(const ts_fragment *f, uint32_t tensor)
{
  uint32_t producer = f->l->g->tensors.at[tensor].producer;
  return producer == TS_NO_INDEX ? f->l->g->tensors.at[tensor].name :
                                   fragment_forward_op_at(f, producer)->label;
}

/* -- what is kept -- */

/* By the group that makes it, unless an op of the same group takes it. */
static bool is_discarded(const ts_fragment *f, uint32_t op, uint32_t root)
{
  const ts_sharding *sh = f->l->sh;
  uint32_t producer = f->l->g->tensors.at[root].producer;
  return producer != TS_NO_INDEX && inside(f, producer) && sh->recompute_discards[producer] &&
         sh->recompute_group[producer] != sh->recompute_group[op];
}

/* A cast of what is made again is made again, too: frameworks keep the tensor itself then
 * (Megatron-LM's set_save_original_input; torchao always). */
bool ts_casts_again(const ts_fragment *f, uint32_t op, const ts_saved_slot *saved)
{
  if (saved->edge || saved->slot >= fragment_forward_op_at(f, op)->input_count ||
      f->l->sh->recompute_group[op])
    return false;
  return is_discarded(f, op,
                      f->tensors[fragment_forward_source_of(
                                   f, fragment_forward_op_at(f, op)->slots[saved->slot].tensor)]
                        .root);
}

int64_t ts_own_saved(const ts_fragment *f, uint32_t op)
{
  const ts_class *class = ts_class_of(f->l, op);
  int64_t bytes = 0;
  for (uint32_t k = 0; k < class->saved_count; k++)
    if (!class->saved[k].edge && !ts_casts_again(f, op, &class->saved[k]))
      bytes += class->saved[k].bytes;
  return bytes;
}

/* Ops come in order: the first that needs it is the last in backward. */
static void keep_tensor(ts_fragment *f, uint32_t op, uint32_t slot)
{
  uint32_t root =
    f->tensors[fragment_forward_source_of(f, fragment_forward_op_at(f, op)->slots[slot].tensor)]
      .root;
  ts_tensor_state *t = &f->tensors[root];
  if (!t->saved && !t->discarded)
    t->release = op;
  if (t->late == TS_NO_INDEX && ts_saved_for_weights(f->l, ts_class_of(f->l, op), slot))
    t->late = op;
  t->discarded = is_discarded(f, op, root);
  if (t->discarded)
    return;
  bool leaves = ts_class_of(f->l, op)->activations.rate > 0;
  t->offloaded = leaves && (!t->saved || t->offloaded); /* only if all that keep it let it go */
  t->fetch = op;
  t->saved = true;
}

/* A group that is recomputed keeps what comes into it; other ops keep what they say they do. */
static void find_saved(ts_fragment *f)
{
  const ts_sharding *sh = f->l->sh;
  for (uint32_t i = f->stage->first_op; i < f->stage->first_op + f->stage->op_count; i++) {
    const ts_op *op = fragment_forward_op_at(f, i);
    const ts_class *class = ts_class_of(f->l, i);
    uint32_t group = sh->recompute_group[i];
    if (!op->needs_gradient)
      continue;
    if (!group) {
      for (uint32_t k = 0; k < class->saved_count; k++)
        if (class->saved[k].edge || ts_casts_again(f, i, &class->saved[k]))
          keep_tensor(f, i, class->saved[k].slot);
      continue;
    }
    for (uint32_t k = 0; k < op->input_count; k++) {
      uint32_t tensor = fragment_forward_source_of(f, op->slots[k].tensor),
               producer = f->l->g->tensors.at[tensor].producer;
      if (producer == TS_NO_INDEX || !inside(f, producer) || sh->recompute_group[producer] != group)
        keep_tensor(f, i, k);
    }
  }
}

static bool is_view(const ts_fragment *f, uint32_t i)
{
  return fragment_forward_op_at(f, i)->input_count == 1 &&
         fragment_forward_op_at(f, i)->output_count == 1 &&
         !ts_class_of(f->l, i)->work.phase[TS_PHASE_FORWARD].count;
}

void ts_plan_memory(ts_fragment *f)
{
  for (uint32_t t = 0; t < f->l->g->tensors.count; t++)
    f->tensors[t] = (ts_tensor_state){.ready = TS_NO_INDEX,
                                      .root = fragment_forward_source_of(f, t),
                                      .gradient = TS_NO_INDEX,
                                      .late = TS_NO_INDEX,
                                      .gradient_root = TS_NO_INDEX,
                                      .gradient_late = TS_NO_INDEX};
  for (uint32_t i = f->stage->first_op; i < f->stage->first_op + f->stage->op_count; i++) {
    const ts_op *op = fragment_forward_op_at(f, i);
    if (is_view(f, i)) /* makes nothing: its output lies in its input's memory */
      f->tensors[op->slots[op->slot_count - 1].tensor].root =
        f->tensors[fragment_forward_source_of(f, op->slots[0].tensor)].root;
    for (uint32_t k = 0; k < op->input_count; k++)
      f->tensors[f->tensors[fragment_forward_source_of(f, op->slots[k].tensor)].root].uses++;
  }
  for (uint32_t k = 0; k < f->stage->out_count; k++)
    f->tensors[f->tensors[f->stage->out[k].tensor].root].uses++;
  find_saved(f);
}

/* -- one op -- */

static ts_ir_category category(const ts_tensor_state *t)
{
  return t->saved ? TS_IR_ACTIVATIONS : TS_IR_TEMPORARIES;
}

static void use_ends(ts_fragment *f, uint32_t tensor, uint32_t node)
{
  ts_tensor_state *t = &f->tensors[f->tensors[tensor].root];
  if (t->uses)
    t->uses--;
  if (!t->uses && t->allocated && !t->saved) {
    ts_note_memory(f, node, -edge_bytes(f, f->tensors[tensor].root), TS_IR_TEMPORARIES,
                   tensor_label(f, f->tensors[tensor].root));
    t->allocated = false;
  }
  if (!t->uses && f->forward && t->saved && t->offloaded) {
    int64_t bytes = edge_bytes(f, f->tensors[tensor].root);
    const ts_class *class = ts_class_of(f->l, t->fetch);
    ts_need(f, node);
    uint32_t copy =
      ts_emit_copy(f, (double)bytes, class->activations.rate, false,
                   (ts_origin){tensor_label(f, f->tensors[tensor].root),
                               class->activations.options.span, class->activations.options.span});
    ts_note_memory(f, copy, -bytes, TS_IR_ACTIVATIONS, tensor_label(f, f->tensors[tensor].root));
    t->offloaded = false;
  }
}

static bool keeps_own(const ts_fragment *f, uint32_t i, uint32_t slot)
{
  const ts_class *class = ts_class_of(f->l, i);
  for (uint32_t k = 0; k < class->saved_count; k++)
    if (class->saved[k].slot == slot && !class->saved[k].edge)
      return class->saved[k].bytes >= ts_slot_bytes(&class->local[slot]); /* or a part, cast */
  return false;
}

/* What the op keeps of its own leaves for the host. */
static void offload_own(ts_fragment *f, uint32_t i, uint32_t node)
{
  const ts_class *class = ts_class_of(f->l, i);
  int64_t bytes = ts_own_saved(f, i);
  if (!f->forward || !(class->activations.rate > 0) || !bytes)
    return;
  ts_origin origin = ts_origin_of(f, i);
  origin.rule = class->activations.options.span;
  ts_need(f, node);
  ts_note_memory(f, ts_emit_copy(f, (double)bytes, class->activations.rate, false, origin), -bytes,
                 TS_IR_ACTIVATIONS, fragment_forward_op_at(f, i)->label);
}

/* Collectives that stand before the forward, on its inputs. What they gather lives as long as the
 * op, unless it is kept. */
static uint32_t comms_before(ts_fragment *f, uint32_t i, uint32_t cast, int64_t *gathered)
{
  const ts_op *op = fragment_forward_op_at(f, i);
  const ts_class *class = ts_class_of(f->l, i);
  uint32_t last = TS_NO_INDEX;
  for (uint32_t c = 0; c < class->comm_count; c++) {
    const ts_comm *comm = &class->comms[c];
    bool input = comm->slot < op->input_count ||
                 (comm->slot >= op->slot_count && comm->slot != TS_ALL_PARAMETERS);
    if (comm->when != TS_WHEN_FORWARD || comm->after || comm->gradient || comm->ring || !input)
      continue;
    ts_need(f, f->tensors[fragment_forward_source_of(f, op->slots[comm->slot].tensor)].ready);
    ts_need(f, cast);
    last = ts_emit_collective(f, comm, (uint64_t)comm->bytes, ts_origin_of(f, i));
    /* the next one on it comes after */
    f->tensors[fragment_forward_source_of(f, op->slots[comm->slot].tensor)].ready = last;
    if (comm->kind == TS_IR_ALL_GATHER && comm->slot < TS_ALL_PARAMETERS &&
        !keeps_own(f, i, comm->slot)) {
      int64_t bytes = ts_slot_bytes(&class->local[comm->slot]);
      ts_note_memory(f, last, bytes, TS_IR_TEMPORARIES, op->label);
      *gathered += bytes;
    }
  }
  return last;
}

/* What is cast is cast where it lies: before it is gathered. */
uint32_t ts_run_casts(ts_fragment *f, uint32_t i, bool again)
{
  const ts_kernels *kernels = &ts_class_of(f->l, i)->work.phase[TS_PHASE_FORWARD];
  const ts_op *op = fragment_forward_op_at(f, i);
  uint32_t node = TS_NO_INDEX;
  for (uint32_t k = 0; k < kernels->count && kernels->at[k].early; k++) {
    for (uint32_t in = 0; in < op->input_count; in++)
      ts_need(f, f->tensors[fragment_forward_source_of(f, op->slots[in].tensor)].ready);
    node = ts_emit_kernel(f, &kernels->at[k], again ? TS_IR_PHASE_RECOMPUTE : TS_IR_PHASE_FORWARD,
                          ts_origin_of(f, i));
  }
  return node;
}

static uint32_t run_kernels(ts_fragment *f, uint32_t i, const ts_kernels *kernels, bool again,
                            uint32_t *first)
{
  uint32_t node = TS_NO_INDEX;
  for (uint32_t k = 0; k < kernels->count; k++) {
    const ts_kernel *kernel = &kernels->at[k];
    if (kernel->early)
      continue;
    uint32_t here = ts_emit_kernel(f, kernel, again ? TS_IR_PHASE_RECOMPUTE : TS_IR_PHASE_FORWARD,
                                   ts_origin_of(f, i));
    if (kernel->host_only)
      continue;
    node = here;
    if (*first == TS_NO_INDEX)
      *first = node;
  }
  return node;
}

static void allocate_own(ts_fragment *f, uint32_t i, uint32_t node)
{
  const ts_class *class = ts_class_of(f->l, i);
  for (uint32_t k = 0; k < class->saved_count; k++)
    if (!class->saved[k].edge && !ts_casts_again(f, i, &class->saved[k]))
      ts_note_memory(f, node, class->saved[k].bytes, TS_IR_ACTIVATIONS,
                     fragment_forward_op_at(f, i)->label);
}

static bool resizes(const ts_class *class, uint32_t slot)
{
  for (uint32_t c = 0; c < class->comm_count; c++)
    if (class->comms[c].when == TS_WHEN_FORWARD && class->comms[c].after &&
        class->comms[c].slot == slot && !class->comms[c].gradient &&
        (class->comms[c].kind == TS_IR_REDUCE_SCATTER || class->comms[c].kind == TS_IR_ALL_GATHER))
      return true;
  return false;
}

/* A tensor that was kept from the forward is not stored a second time by recomputation. */
static void allocate_output(ts_fragment *f, uint32_t i, uint32_t tensor, uint32_t node, bool again)
{
  ts_tensor_state *t = &f->tensors[tensor];
  if (t->root != tensor || (again && t->saved && !t->again))
    return;
  ts_note_memory(f, node, edge_bytes(f, tensor), category(t), fragment_forward_op_at(f, i)->label);
  t->allocated = true;
}

/* An output, and the collectives after it. One that changes its size makes a second tensor and ends
 * the first. */
static uint32_t finish_output(ts_fragment *f, uint32_t i, uint32_t slot, uint32_t first,
                              uint32_t last, bool again)
{
  const ts_op *op = fragment_forward_op_at(f, i);
  const ts_class *class = ts_class_of(f->l, i);
  uint32_t tensor = op->slots[slot].tensor, node = last;
  bool changes = resizes(class, slot);
  int64_t local = ts_slot_bytes(&class->local[slot]);
  if (changes)
    ts_note_memory(f, first, local, TS_IR_TEMPORARIES, op->label);
  else
    allocate_output(f, i, tensor, first, again);
  for (uint32_t c = 0; c < class->comm_count; c++) {
    const ts_comm *comm = &class->comms[c];
    if (comm->when != TS_WHEN_FORWARD || !comm->after || comm->slot != slot || comm->gradient ||
        comm->ring)
      continue;
    ts_need(f, node);
    node = ts_emit_collective(f, comm, (uint64_t)comm->bytes, ts_origin_of(f, i));
  }
  if (changes) {
    allocate_output(f, i, tensor, node, again);
    ts_note_memory(f, node, -local, TS_IR_TEMPORARIES, op->label);
  }
  f->tensors[tensor].ready = node;
  return node;
}

static void need_inputs(ts_fragment *f, const ts_op *op)
{
  for (uint32_t k = 0; k < op->input_count; k++)
    ts_need(f, f->tensors[fragment_forward_source_of(f, op->slots[k].tensor)].ready);
  ts_gathers_need(f, (uint32_t)(op - f->l->g->ops.at));
}

/* Inputs of the model that stay for backward: they come from nowhere, so their memory begins with
 * the first op that takes them. */
static void allocate_inputs(ts_fragment *f, const ts_op *op, uint32_t node)
{
  for (uint32_t k = 0; k < op->input_count; k++) {
    uint32_t tensor = fragment_forward_source_of(f, op->slots[k].tensor);
    ts_tensor_state *t = &f->tensors[tensor];
    if (f->l->g->tensors.at[tensor].producer != TS_NO_INDEX || !t->saved || t->allocated)
      continue;
    ts_note_memory(f, node, edge_bytes(f, tensor), TS_IR_ACTIVATIONS,
                   f->l->g->tensors.at[tensor].name);
    t->allocated = true;
  }
}

void ts_forward_op(ts_fragment *f, uint32_t i, bool again)
{
  const ts_op *op = fragment_forward_op_at(f, i);
  bool keeps = op->needs_gradient && (again || !f->l->sh->recompute_group[i]);
  int64_t gathered = 0;
  const ts_class *class = ts_class_of(f->l, i);
  uint32_t last, end;
  if (!again)
    ts_gathers_enter(f, i);
  uint32_t cast = ts_run_casts(f, i, again), first = cast;
  if (class->rounds[TS_PHASE_FORWARD]) {
    uint32_t ready = cast != TS_NO_INDEX ?
                       cast :
                       f->tensors[fragment_forward_source_of(f, op->slots[0].tensor)].ready,
             sum;
    end = comms_before(f, i, cast, &gathered);
    need_inputs(f, op);
    last = ts_ring(f, i, TS_PHASE_FORWARD, again ? TS_IR_PHASE_RECOMPUTE : TS_IR_PHASE_FORWARD,
                   ready, &first, &sum);
    if (sum != TS_NO_INDEX)
      last = sum;
  } else if (class->parted[TS_PHASE_FORWARD]) {
    uint32_t before = f->tensors[fragment_forward_source_of(f, op->slots[0].tensor)].ready;
    end = comms_before(f, i, cast, &gathered);
    ts_need(f, before);
    ts_gathers_need(f, i);
    run_kernels(f, i, &class->own[TS_PHASE_FORWARD], again, &first);
    need_inputs(f, op);
    last = run_kernels(f, i, &class->rest[TS_PHASE_FORWARD], again, &first);
  } else {
    end = comms_before(f, i, cast, &gathered);
    need_inputs(f, op);
    last = run_kernels(f, i, &class->work.phase[TS_PHASE_FORWARD], again, &first);
  }
  if (class->sync && last != TS_NO_INDEX)
    ts_emit_sync(f, last, op->label);
  if (last == TS_NO_INDEX)
    last = first = f->needs.count || (end == TS_NO_INDEX && f->last[0] == TS_NO_INDEX) ?
                     ts_emit_record(f, 0) :
                   end != TS_NO_INDEX ? end :
                                        f->last[0];
  f->needs.count = 0;
  if (keeps)
    allocate_own(f, i, first);
  if (!again)
    allocate_inputs(f, op, first);
  if (!again)
    ts_gathers_leave(f, i, last);
  if (gathered)
    ts_note_memory(f, last, -gathered, TS_IR_TEMPORARIES, op->label);
  end = last;
  for (uint32_t k = op->slot_count - op->output_count; k < op->slot_count; k++) {
    uint32_t node = finish_output(f, i, k, first, last, again);
    end = node != TS_NO_INDEX ? node : end;
  }
  if (keeps)
    offload_own(f, i, last);
  for (uint32_t k = 0; k < op->input_count; k++)
    use_ends(f, fragment_forward_source_of(f, op->slots[k].tensor), last);
  for (uint32_t k = op->slot_count - op->output_count; k < op->slot_count; k++)
    if (!f->tensors[f->tensors[op->slots[k].tensor].root].uses)
      use_ends(f, op->slots[k].tensor, end);
}

/* -- the whole -- */

static void receive(ts_fragment *f, uint32_t start)
{
  for (uint32_t k = 0; k < f->stage->in_count; k++) {
    const ts_transfer *t = &f->stage->in[k];
    ts_tensor_state *state = &f->tensors[t->tensor];
    uint32_t node = start;
    if (!t->local && !(f->l->sc->without & TS_CLAUSE_ACTIVATIONS)) {
      ts_need(f, start);
      node = ts_emit_message(f, false, t->bytes, (ts_port_ref){TS_PORT_ACTIVATION_IN, k, 0},
                             "receive activations",
                             (ts_origin){tensor_label(f, t->tensor), TS_NO_SPAN, TS_NO_SPAN});
      state->ready = node;
    }
    ts_note_memory(f, node, t->bytes, category(state), tensor_label(f, t->tensor));
    state->allocated = true;
  }
}

static void fragment_forward_send(ts_fragment *f)
{
  for (uint32_t k = 0; k < f->stage->out_count; k++) {
    const ts_transfer *t = &f->stage->out[k];
    uint32_t node = f->tensors[t->tensor].ready;
    if (!t->local && !(f->l->sc->without & TS_CLAUSE_ACTIVATIONS)) {
      ts_need(f, node);
      node = ts_emit_message(f, true, t->bytes, (ts_port_ref){TS_PORT_ACTIVATION_OUT, k, 0},
                             "send activations",
                             (ts_origin){tensor_label(f, t->tensor), TS_NO_SPAN, TS_NO_SPAN});
    } else if (t->local && node != TS_NO_INDEX && f->nodes.at[node].stream != 0) {
      ts_need(f, node); /* the next item takes it from the compute stream */
      node = ts_emit_record(f, 0);
    }
    use_ends(f, t->tensor, node);
  }
}

void ts_forward(ts_fragment *f, const ts_placed *item)
{
  if (f->l->plan->host.item)
    ts_emit_host(f, f->l->plan->host.item, "item");
  uint32_t start = f->stage->in_count || item->link_count ? ts_emit_record(f, 0) : TS_NO_INDEX;
  ts_plan_memory(f);
  ts_tie_receives(f, item);
  receive(f, start);
  ts_gathers_plan(f, TS_WHEN_FORWARD, item);
  f->forward = true;
  for (uint32_t i = f->stage->first_op; i < f->stage->first_op + f->stage->op_count; i++)
    ts_forward_op(f, i, false);
  fragment_forward_send(f);
  ts_copies_sent(f, item);
  ts_tie_sends(f, item);
}
