/* Backward split into I and W: what I leaves in memory for W. Of what the forward saved, and of the
 * gradients that I makes, that is what the kernels of backward(weight) state in their `reads`, and
 * no more (Qi et al., arXiv 2401.10241, section 3: activations of B and of W). A framework that
 * keeps the graph until W (`keep_graph` of the plan's precision) holds all that the forward saved,
 * too. */
#include "compiler/lower/fragment.h"
#include "compiler/lower/fragment_split.h"

static const ts_op *fragment_split_op_at(const ts_fragment *f, uint32_t op)
{
  return &f->l->g->ops.at[op];
}
static uint32_t fragment_split_source_of(const ts_fragment *f, uint32_t tensor)
{
  return f->l->g->tensors.at[tensor].source;
}

static bool reads(const ts_class *class, uint32_t slot, bool gradient)
{
  const ts_work *work = &class->work;
  for (uint32_t i = 0; i < work->late_count; i++)
    if (work->late[i].slot == slot && work->late[i].gradient == gradient)
      return true;
  return false;
}

bool ts_saved_for_weights(const ts_lowering *l, const ts_class *class, uint32_t slot)
{
  return l->plan->precision.keep_graph || class->work.late_saved || reads(class, slot, false);
}

/* -- of the op's own -- */

static bool gathers_gradient(const ts_class *class, uint32_t slot, ts_when when)
{
  for (uint32_t c = 0; c < class->comm_count; c++) {
    const ts_comm *comm = &class->comms[c];
    if (comm->when == when && !comm->after && comm->gradient && comm->slot == slot &&
        comm->kind == TS_IR_ALL_GATHER)
      return true;
  }
  return false;
}

/* W reads the gradient that I gathered, and nothing gathers it again. */
bool ts_waits_gathered(const ts_class *class, uint32_t slot)
{
  return reads(class, slot, true) && gathers_gradient(class, slot, TS_WHEN_INPUT) &&
         !gathers_gradient(class, slot, TS_WHEN_WEIGHT);
}

/* W reads the gradient as I has cast it. */
static bool waits_cast(const ts_class *class, uint32_t slot)
{
  return class->local[slot].gradient && reads(class, slot, true) &&
         !gathers_gradient(class, slot, TS_WHEN_WEIGHT);
}

static int64_t sized(const ts_class *class)
{
  int64_t bytes = 0;
  for (uint32_t k = 0; k < class->saved_count; k++)
    bytes += class->saved[k].slot == TS_NO_INDEX ? class->saved[k].bytes : 0;
  return bytes;
}

/* Sizes have no names: what W reads of them is first what the forward saved, and the rest what I
 * made. */
int64_t ts_saved_bytes_for_weights(const ts_lowering *l, const ts_class *class)
{
  int64_t own = sized(class), bytes = l->plan->precision.keep_graph || class->work.late_saved ||
                                          class->work.late_bytes > own ?
                                        own :
                                        class->work.late_bytes;
  for (uint32_t k = 0; k < class->saved_count; k++)
    if (class->saved[k].slot != TS_NO_INDEX && !class->saved[k].edge &&
        ts_saved_for_weights(l, class, class->saved[k].slot))
      bytes += class->saved[k].bytes;
  return bytes;
}

int64_t ts_gradients_for_weights(const ts_class *class, const ts_op *op)
{
  int64_t own = sized(class),
          bytes = class->work.late_bytes > own ? class->work.late_bytes - own : 0;
  for (uint32_t k = op->slot_count - op->output_count; k < op->slot_count; k++)
    bytes +=
      ts_waits_gathered(class, k) || waits_cast(class, k) ? ts_seen_bytes(class, k, true) : 0;
  return bytes;
}

/* -- gradients of tensors -- */

/* Its inputs' gradient is its output's: nothing computes it, nothing travels. */
static bool passes_on(const ts_class *class)
{
  for (uint32_t c = 0; c < class->comm_count; c++)
    if (class->comms[c].when == TS_WHEN_INPUT && class->comms[c].gradient &&
        class->comms[c].slot != TS_ALL_PARAMETERS)
      return false;
  for (uint32_t k = 0; k < class->work.phase[TS_PHASE_INPUT].count; k++)
    if (!class->work.phase[TS_PHASE_INPUT].at[k].host_only)
      return false;
  return true;
}

/* The tensor in whose gradient's memory each tensor's gradient lies, or TS_NO_INDEX: it has none.
 */
static void find_roots(ts_fragment *f)
{
  uint32_t first = f->stage->first_op;
  for (uint32_t k = 0; k < f->stage->out_count; k++)
    if (f->stage->out[k].gradient)
      f->tensors[f->stage->out[k].tensor].gradient_root = f->stage->out[k].tensor;
  for (uint32_t i = first + f->stage->op_count; i-- > first;) {
    const ts_op *op = fragment_split_op_at(f, i);
    uint32_t dy = op->output_count ? f->tensors[op->slots[op->slot_count - 1].tensor].gradient_root
                                   : TS_NO_INDEX;
    if (!op->needs_gradient || !op->needs_input_gradient)
      continue;
    bool passes = passes_on(ts_class_of(f->l, i)) && dy != TS_NO_INDEX;
    for (uint32_t k = 0; k < op->input_count; k++) {
      uint32_t tensor = fragment_split_source_of(f, op->slots[k].tensor),
               *root = &f->tensors[tensor].gradient_root;
      if (f->l->g->tensors.at[tensor].needs_gradient)
        *root = passes && *root == TS_NO_INDEX ? dy : tensor; /* of several uses a sum is made */
    }
  }
}

/* W goes backwards too: the first op that reads a gradient is the last that needs it. */
static void read_by(ts_fragment *f, uint32_t tensor, uint32_t op)
{
  uint32_t root = f->tensors[tensor].gradient_root;
  if (root != TS_NO_INDEX && op < f->tensors[root].gradient_late)
    f->tensors[root].gradient_late = op;
}

void ts_split_plan(ts_fragment *f)
{
  find_roots(f);
  for (uint32_t i = f->stage->first_op; i < f->stage->first_op + f->stage->op_count; i++) {
    const ts_op *op = fragment_split_op_at(f, i);
    const ts_class *class = ts_class_of(f->l, i);
    if (!op->needs_gradient || !class->work.phase[TS_PHASE_WEIGHT].count)
      continue;
    for (uint32_t k = 0; k < op->input_count; k++)
      if (reads(class, k, true))
        read_by(f, fragment_split_source_of(f, op->slots[k].tensor), i);
    for (uint32_t k = op->slot_count - op->output_count; k < op->slot_count; k++)
      if (reads(class, k, true) && !ts_waits_gathered(class, k) && !waits_cast(class, k))
        read_by(f, op->slots[k].tensor, i);
  }
}

static int64_t tensor_bytes(const ts_fragment *f, uint32_t tensor)
{
  const ts_edge *e = &f->l->g->tensors.at[tensor];
  return ts_layout_bytes(f->l->s, &f->l->sh->layouts[tensor], e->shape, e->dtype);
}

void ts_gradient_waits(ts_fragment *f, uint32_t tensor)
{
  uint32_t root = f->tensors[tensor].gradient_root, gradient = f->tensors[tensor].gradient;
  uint32_t late = root == TS_NO_INDEX ? TS_NO_INDEX : f->tensors[root].gradient_late;
  if (gradient == TS_NO_INDEX || late == TS_NO_INDEX || f->gradients.at[gradient].waits)
    return;
  ts_gradient *g = &f->gradients.at[gradient];
  g->waits = true;
  if (g->note == TS_NO_INDEX)
    return;
  ts_ir_mem *mem = &f->mems.at[g->note].mem;
  mem->category = TS_IR_ACTIVATIONS;
  mem->label =
    ts_ir_add_string(f->l->b, ts_label_pattern(f->scratch, fragment_split_op_at(f, late)->label));
}

void ts_gradients_leave(ts_fragment *f, uint32_t op, uint32_t node)
{
  for (uint32_t t = 0; t < f->l->g->tensors.count; t++)
    if (f->tensors[t].gradient_late == op && f->tensors[t].gradient_root == t)
      ts_note_memory(f, node, -tensor_bytes(f, t), TS_IR_ACTIVATIONS,
                     fragment_split_op_at(f, op)->label);
}
