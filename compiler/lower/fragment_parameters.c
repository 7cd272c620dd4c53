/* Parameters that ranks hold a part of: gathered for a group of ops before its forward and its
 * backward, and dropped after it (Zhao et al., arXiv 2304.11277). */
#include <string.h>

#include "compiler/lower/fragment.h"
#include "compiler/lower/fragment_parameters.h"

double ts_trained_elements(const ts_op *op, const ts_class *class, uint32_t slot)
{
  double elements = 0;
  for (uint32_t k = op->input_count; k < op->input_count + op->param_count; k++)
    if ((slot == TS_ALL_PARAMETERS || slot == k) && !op->slots[k].frozen)
      elements += ts_slot_elements(&class->local[k]);
  return elements;
}

double ts_local_elements(const ts_op *op, const ts_class *class, uint32_t slot)
{
  double elements = 0;
  for (uint32_t k = op->input_count; k < op->input_count + op->param_count; k++)
    if (slot == TS_ALL_PARAMETERS || slot == k)
      elements += ts_slot_elements(&class->local[k]);
  return elements;
}

double ts_whole_elements(const ts_op *op, const ts_class *class)
{
  double elements = 0;
  for (uint32_t k = op->input_count; k < op->input_count + op->param_count; k++) {
    double own = ts_slot_elements(&class->local[k]);
    elements += own <= (double)class->whole_up_to ? own : 0;
  }
  return elements;
}

/* -- groups -- */

bool ts_same_group(const ts_comm *comm, const ts_op *a, const ts_op *b)
{
  if (comm->group.type == TS_T_NONE)
    return a == b;
  size_t of_a = ts_label_group(comm->group, a->label), of_b = ts_label_group(comm->group, b->label);
  return of_a == of_b && !strncmp(a->label, b->label, of_a);
}

bool ts_same_comm(const ts_comm *a, const ts_comm *b)
{
  return a->kind == b->kind && a->when == b->when && a->after == b->after && a->axes == b->axes &&
         a->bucket == b->bucket && a->overlap == b->overlap && a->rule == b->rule &&
         (a->stream == b->stream || (a->stream && b->stream && !strcmp(a->stream, b->stream)));
}

/* Collectives on all parameters or gradients follow each other by moment, then as written: what one
 * has scattered, the next carries a part of. */
static bool earlier(const ts_comm *a, const ts_comm *b)
{
  return a->when < b->when || (a->when == b->when && a < b);
}

double ts_comm_part(const ts_lowering *l, const ts_class *class, const ts_comm *comm)
{
  uint32_t axes = comm->gradient ? 0 : class->parameter_axes & ~comm->axes;
  for (uint32_t c = 0; c < class->comm_count; c++) {
    const ts_comm *other = &class->comms[c];
    if (other->slot != TS_ALL_PARAMETERS || other->gradient != comm->gradient ||
        !earlier(other, comm))
      continue;
    if (comm->gradient && other->kind == TS_IR_REDUCE_SCATTER)
      axes |= other->axes;
    else if (!comm->gradient && other->kind == TS_IR_ALL_GATHER && other->when == comm->when &&
             other->after == comm->after)
      axes &= ~other->axes;
  }
  if (!comm->gradient && comm->when == TS_WHEN_STEP)
    axes = 0;
  return comm->share / (double)ts_axes_size(l->s, axes);
}

/* -- gathers -- */

static const ts_op *op_at(const ts_fragment *f, uint32_t op) { return &f->l->g->ops.at[op]; }

static bool gathers(const ts_comm *comm, ts_when when)
{
  return comm->slot == TS_ALL_PARAMETERS && !comm->gradient && comm->kind == TS_IR_ALL_GATHER &&
         comm->when == when && !comm->after;
}

/* Parameters that are held whole change at an update alone: they are gathered once, before their
 * first use after it. */
static bool updated(const ts_class *class, const ts_comm *comm)
{
  return gathers(comm, TS_WHEN_FORWARD) && !(class->parameter_axes & comm->axes);
}

static bool gathers_some(const ts_class *class, ts_when when)
{
  for (uint32_t c = 0; c < class->comm_count; c++)
    if (gathers(&class->comms[c], when))
      return true;
  return false;
}

static bool gathered_again(const ts_class *class)
{
  return gathers_some(class, TS_WHEN_INPUT) || gathers_some(class, TS_WHEN_WEIGHT);
}

/* Once for the op's backward: for the gradients of its inputs, or else for those of its weights. */
static bool gathers_for_backward(const ts_fragment *f, uint32_t i, const ts_comm *comm)
{
  const ts_op *op = op_at(f, i);
  bool inputs = (op->needs_input_gradient || f->l->sh->recompute_group[i]) &&
                gathers_some(ts_class_of(f->l, i), TS_WHEN_INPUT);
  if (gathers(comm, TS_WHEN_INPUT))
    return inputs;
  return gathers(comm, TS_WHEN_WEIGHT) && op->needs_gradient && !inputs;
}

static ts_gather *join(ts_fragment *f, uint32_t i, const ts_comm *comm, bool keep, uint32_t node)
{
  uint32_t before = TS_NO_INDEX;
  for (size_t k = f->gathers.count; k-- > 0 && before == TS_NO_INDEX;)
    if (ts_same_comm(f->gathers.at[k].comm, comm) &&
        f->gathers.at[k].comm->span.begin == comm->span.begin)
      before = (uint32_t)k;
  bool room = before != TS_NO_INDEX && f->gathers.at[before].bytes < comm->bucket;
  if (before == TS_NO_INDEX ||
      !(room || ts_same_group(comm, op_at(f, f->gathers.at[before].last), op_at(f, i)))) {
    TS_PUSH(f->scratch, &f->gathers,
            (ts_gather){.comm = comm, .first = i, .after = before, .node = node, .keep = keep});
    before = (uint32_t)f->gathers.count - 1;
  }
  ts_gather *g = &f->gathers.at[before];
  g->last = i;
  return g;
}

static void join_parameters(ts_fragment *f, uint32_t i, const ts_comm *comm, bool keep,
                            uint32_t node)
{
  const ts_class *class = ts_class_of(f->l, i);
  const ts_op *op = op_at(f, i);
  double elements = updated(class, comm) ? ts_trained_elements(op, class, comm->slot) :
                                           ts_local_elements(op, class, comm->slot) -
                                             ts_whole_elements(op, class);
  if (!(elements > 0))
    return;
  double bytes = elements * ts_weight_bytes(f->l) * ts_comm_part(f->l, class, comm);
  ts_gather *g = join(f, i, comm, keep, node);
  g->bytes += bytes;
  g->memory += updated(class, comm) ? 0 : (int64_t)(bytes / comm->share);
}

/* What the op kept on the host, of its own and of tensors that it is the first to need. */
static void join_offloaded(ts_fragment *f, uint32_t i)
{
  const ts_class *class = ts_class_of(f->l, i);
  const ts_op *op = op_at(f, i);
  bool own = op->needs_gradient && !f->l->sh->recompute_group[i];
  int64_t bytes = 0;
  for (uint32_t k = 0; own && k < class->kept_count; k++)
    bytes += class->kept[k].edge ? 0 : class->kept[k].bytes;
  for (uint32_t t = 0; t < f->l->g->tensors.count; t++) {
    const ts_edge *e = &f->l->g->tensors.at[t];
    const ts_tensor_state *state = &f->tensors[t];
    if (state->root == t && e->source == t && state->kept && state->offloaded && state->fetch == i)
      bytes += ts_layout_bytes(f->l->s, &f->l->sh->layouts[t], e->shape, e->dtype);
  }
  if (!bytes)
    return;
  ts_gather *g = join(f, i, &class->activations.options, true, TS_NO_INDEX);
  g->rate = class->activations.rate;
  g->bytes += (double)bytes;
  g->memory += bytes;
}

/* Kept from the forward to the backward: one copy for all micro-batches, from the first item of a
 * step that needs it to the last. */
static void join_shared(ts_fragment *f, uint32_t i, const ts_comm *comm, const ts_placed *item)
{
  join_parameters(f, i, comm, !item->drops, item->gathers ? TS_NO_INDEX : TS_HELD);
}

static void plan_op(ts_fragment *f, uint32_t i, ts_when when, const ts_placed *item)
{
  const ts_class *class = ts_class_of(f->l, i);
  const ts_op *op = op_at(f, i);
  bool again = gathered_again(class);
  if (when == TS_WHEN_INPUT && class->activations.rate > 0)
    join_offloaded(f, i);
  if (!(ts_local_elements(op, class, TS_ALL_PARAMETERS) > 0))
    return;
  for (uint32_t c = 0; c < class->comm_count; c++) {
    const ts_comm *comm = &class->comms[c];
    if (updated(class, comm)) {
      if (item->fresh && when == TS_WHEN_FORWARD)
        join_parameters(f, i, comm, true, TS_NO_INDEX);
    } else if (gathers(comm, TS_WHEN_FORWARD) && !again && op->needs_gradient) {
      join_shared(f, i, comm, item);
    } else if (when == TS_WHEN_FORWARD && gathers(comm, when)) {
      join_parameters(f, i, comm, false, TS_NO_INDEX);
    } else if (when == TS_WHEN_INPUT && gathers_for_backward(f, i, comm)) {
      join_parameters(f, i, comm, false, TS_NO_INDEX);
    }
  }
}

static void plan_ops(ts_fragment *f, ts_when when, const ts_placed *item)
{
  uint32_t first = f->stage->first_op, end = first + f->stage->op_count;
  f->gathers = (ts_gather_list){0};
  for (uint32_t k = first; k < end; k++)
    plan_op(f, when == TS_WHEN_FORWARD ? k : end - 1 - (k - first), when, item);
}

static bool prefetches(const ts_comm *comm)
{
  return comm->prefetch > 0 || comm->reuse > 0;
}

static bool some_early(const ts_gather_list *list)
{
  for (size_t k = 0; k < list->count; k++)
    if (prefetches(list->at[k].comm))
      return true;
  return false;
}

/* What the backward finds gathered is one copy for all items of the step, as `join_shared` has it.
 */
static void plan_early(ts_fragment *f, ts_when when, const ts_placed *item)
{
  ts_gather_list mine = f->gathers, other;
  bool forward = when == TS_WHEN_FORWARD;
  plan_ops(f, forward ? TS_WHEN_INPUT : TS_WHEN_FORWARD, item);
  other = f->gathers;
  f->gathers = mine;
  ts_prefetch_plan(f, forward ? &f->gathers : &other, forward ? &other : &f->gathers);
  for (size_t k = 0; k < f->gathers.count; k++) {
    ts_gather *g = &f->gathers.at[k];
    if (!g->found)
      continue;
    g->keep = !item->drops;
    g->node = item->gathers ? TS_NO_INDEX : TS_HELD;
  }
}

static void leave_together(ts_fragment *f, uint32_t call);

void ts_gathers_plan(ts_fragment *f, ts_when when, const ts_placed *item)
{
  f->fetches = item;
  plan_ops(f, when, item);
  if (some_early(&f->gathers))
    plan_early(f, when, item);
  if (f->gathers.count && f->last[0] == TS_NO_INDEX)
    ts_emit_record(f, 0);
  for (size_t k = 0; k < f->gathers.count; k++)
    if (f->gathers.at[k].call && f->gathers.at[k].at == TS_NO_INDEX)
      leave_together(f, f->gathers.at[k].call);
}

static bool covers(const ts_gather *g, uint32_t op)
{
  return (g->first <= op && op <= g->last) || (g->last <= op && op <= g->first);
}

/* Of the same rule, this one comes at most so many after that one. */
static bool within(const ts_fragment *f, uint32_t gather, uint32_t of, int64_t ahead)
{
  for (; gather != TS_NO_INDEX && ahead >= 0; ahead--) {
    if (gather == of)
      return true;
    gather = f->gathers.at[gather].after;
  }
  return false;
}

static void arrive(ts_fragment *f, ts_gather *g, uint32_t node)
{
  g->node = node;
  g->landed = g->comm->copied;
  ts_note_memory(f, node, g->memory, g->landed ? TS_IR_BUFFERS : TS_IR_PARAMETERS,
                 "gathered parameters");
}

static void leave(ts_fragment *f, ts_gather *g)
{
  ts_origin origin = {ts_label_pattern(f->scratch, op_at(f, g->first)->label),
                      op_at(f, g->first)->span, g->comm->span};
  if (g->rate > 0 && f->fetches)
    ts_copies_await(f, f->fetches);
  ts_need(f, f->last[0]);
  if (g->rate > 0) {
    f->fetches = NULL;
    g->node = ts_emit_copy(f, g->bytes, g->rate, true, origin);
    ts_note_memory(f, g->node, g->memory, TS_IR_ACTIVATIONS, op_at(f, g->first)->label);
    return;
  }
  arrive(f, g, ts_emit_collective(f, g->comm, (uint64_t)(g->bytes + 0.5),
                                  (ts_origin){"parameters", origin.span, origin.rule}));
}

/* One collective of several groups' parameters. */
static void leave_together(ts_fragment *f, uint32_t call)
{
  const ts_gather *first = NULL;
  double bytes = 0;
  for (size_t k = 0; k < f->gathers.count; k++) {
    const ts_gather *g = &f->gathers.at[k];
    if (g->call != call || g->node != TS_NO_INDEX)
      continue;
    first = first ? first : g;
    bytes += g->bytes;
  }
  if (!first)
    return;
  ts_need(f, f->last[0]);
  uint32_t node = ts_emit_collective(
    f, first->comm, (uint64_t)(bytes + 0.5),
    (ts_origin){"parameters", op_at(f, first->first)->span, first->comm->span});
  for (size_t k = 0; k < f->gathers.count; k++)
    if (f->gathers.at[k].call == call && f->gathers.at[k].node == TS_NO_INDEX)
      arrive(f, &f->gathers.at[k], node);
}

/* What has landed in one buffer becomes a tensor for each parameter. */
static void copy_out(ts_fragment *f, ts_gather *g)
{
  ts_kernel copy = ts_moving_kernel(f->l, "elementwise", f->l->plan->precision.weights,
                                    2 * (double)g->memory, 0, g->comm->span);
  ts_need(f, g->node);
  g->node = ts_emit_kernel(f, &copy, f->forward ? TS_IR_PHASE_FORWARD : TS_IR_PHASE_BACKWARD_INPUT,
                           (ts_origin){"gathered parameters", g->comm->span, g->comm->span});
  g->landed = false;
  ts_note_memory(f, g->node, g->memory, TS_IR_PARAMETERS, "gathered parameters");
  ts_note_memory(f, g->node, -g->memory, TS_IR_BUFFERS, "gathered parameters");
}

bool ts_gathers_shared(const ts_lowering *l, const ts_stage *stage)
{
  for (uint32_t i = stage->first_op; i < stage->first_op + stage->op_count; i++) {
    const ts_class *class = ts_class_of(l, i);
    for (uint32_t c = 0; c < class->comm_count; c++)
      if (gathers(&class->comms[c], TS_WHEN_FORWARD) &&
          (!gathered_again(class) || prefetches(&class->comms[c])) &&
          !updated(class, &class->comms[c]))
        return true;
  }
  return false;
}

bool ts_gathers_updated(const ts_lowering *l, const ts_stage *stage)
{
  for (uint32_t i = stage->first_op; i < stage->first_op + stage->op_count; i++) {
    const ts_class *class = ts_class_of(l, i);
    for (uint32_t c = 0; c < class->comm_count; c++)
      if (updated(class, &class->comms[c]))
        return true;
  }
  return false;
}

void ts_gathers_enter(ts_fragment *f, uint32_t op)
{
  for (uint32_t k = 0; k < f->gathers.count; k++) {
    if (!covers(&f->gathers.at[k], op))
      continue;
    for (uint32_t n = 0; n < f->gathers.count; n++)
      if (f->gathers.at[n].node == TS_NO_INDEX && within(f, n, k, f->gathers.at[n].comm->ahead))
        leave(f, &f->gathers.at[n]);
  }
  for (uint32_t n = 0; n < f->gathers.count; n++)
    if (f->gathers.at[n].call && f->gathers.at[n].at == op)
      leave_together(f, f->gathers.at[n].call);
}

void ts_gathers_need(ts_fragment *f, uint32_t op)
{
  for (uint32_t k = 0; k < f->gathers.count; k++)
    if (covers(&f->gathers.at[k], op) && f->gathers.at[k].node < TS_HELD) {
      if (f->gathers.at[k].landed)
        copy_out(f, &f->gathers.at[k]);
      ts_need(f, f->gathers.at[k].node);
    }
}

void ts_offloads_need(ts_fragment *f, uint32_t first, uint32_t last)
{
  for (uint32_t k = 0; k < f->gathers.count; k++) {
    const ts_gather *g = &f->gathers.at[k];
    uint32_t low = g->first < g->last ? g->first : g->last,
             high = g->first < g->last ? g->last : g->first;
    if (g->rate > 0 && low <= last && high >= first && g->node < TS_HELD)
      ts_need(f, g->node);
  }
  if (f->needs.count)
    ts_emit_record(f, 0);
}

void ts_gathers_leave(ts_fragment *f, uint32_t op, uint32_t node)
{
  for (uint32_t k = 0; k < f->gathers.count; k++)
    if (f->gathers.at[k].last == op && !f->gathers.at[k].keep)
      ts_note_memory(f, node, -f->gathers.at[k].memory, TS_IR_PARAMETERS, "gathered parameters");
}
