/* Parameters that ranks hold a part of: gathered for a group of ops before its forward and its
 * backward, and dropped after it (Zhao et al., arXiv 2304.11277). */
#include <string.h>

#include "compiler/eval/mesh.h"
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

/* A parameter with a format of its own is so many of the plan's. */
static double formatted(const ts_lowering *l, const ts_slot *slot)
{
  double elements = ts_slot_elements(slot);
  return slot->frozen ? elements * slot->dtype->bits / l->plan->precision.weights->bits : elements;
}

double ts_local_elements(const ts_lowering *l, const ts_op *op, const ts_class *class,
                         uint32_t slot)
{
  double elements = 0;
  for (uint32_t k = op->input_count; k < op->input_count + op->param_count; k++)
    if (slot == TS_ALL_PARAMETERS || slot == k)
      elements += formatted(l, &class->local[k]);
  return elements;
}

double ts_whole_elements(const ts_lowering *l, const ts_op *op, const ts_class *class)
{
  double elements = 0;
  for (uint32_t k = op->input_count; k < op->input_count + op->param_count; k++) {
    double own = ts_slot_elements(&class->local[k]);
    elements += own <= (double)class->whole_up_to ? formatted(l, &class->local[k]) : 0;
  }
  return elements;
}

double ts_tied_elements(const ts_lowering *l, uint32_t op)
{
  const ts_class *class = ts_class_of(l, op);
  if (class->tied == TS_NO_INDEX || class->local[class->tied].present)
    return 0;
  ts_slot slot = class->local[class->tied];
  slot.present = true;
  return ts_slot_elements(&slot);
}

uint32_t ts_tied_with(const ts_fragment *f, uint32_t op)
{
  for (size_t k = 0; k < f->l->sh->shared.count; k++)
    if (f->l->sh->shared.at[k].op == op &&
        f->l->sh->shared.at[k].with - f->stage->first_op < f->stage->op_count)
      return f->l->sh->shared.at[k].with;
  return TS_NO_INDEX;
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
         a->bucket == b->bucket && a->first == b->first && a->overlap == b->overlap &&
         a->rule == b->rule &&
         (a->stream == b->stream || (a->stream && b->stream && !strcmp(a->stream, b->stream)));
}

/* Collectives on all parameters or gradients follow each other by moment, then as written: what one
 * has scattered, the next carries a part of, until one gathers it again. */
static uint32_t scattered(const ts_class *class, const ts_comm *until)
{
  uint32_t axes = 0;
  for (int when = 0; when <= (int)until->when; when++)
    for (uint32_t c = 0; c < class->comm_count; c++) {
      const ts_comm *other = &class->comms[c];
      if (other->slot != TS_ALL_PARAMETERS || !other->gradient || (int)other->when != when ||
          (other->when == until->when && other >= until))
        continue;
      axes = other->kind == TS_IR_REDUCE_SCATTER ? axes | other->axes :
             other->kind == TS_IR_ALL_GATHER     ? axes & ~other->axes :
                                                   axes;
    }
  return axes;
}

double ts_gradients_left(const ts_lowering *l, const ts_class *class)
{
  const ts_comm end = {.when = (ts_when)(TS_WHEN_STEP + 1)};
  return 1 / (double)ts_axes_size(l->s, scattered(class, &end));
}

/* Of parameters that are kept in parts: those of other axes, until a collective of the same moment
 * has gathered them. */
static uint32_t in_parts(const ts_class *class, const ts_comm *comm)
{
  uint32_t axes = class->parameter_axes;
  for (uint32_t c = 0; c < class->comm_count; c++) {
    const ts_comm *other = &class->comms[c];
    if (other < comm && other->slot == TS_ALL_PARAMETERS && !other->gradient &&
        other->kind == TS_IR_ALL_GATHER && other->when == comm->when &&
        other->after == comm->after)
      axes &= ~other->axes;
  }
  return axes;
}

double ts_comm_part(const ts_lowering *l, const ts_class *class, const ts_comm *comm)
{
  uint32_t axes = comm->gradient ? scattered(class, comm) : in_parts(class, comm);
  if (comm->kind == TS_IR_ALL_GATHER || !comm->gradient)
    axes &= ~comm->axes; /* a gather's bytes are those of what it makes */
  return comm->share / (double)ts_axes_size(l->s, axes);
}

/* -- gathers -- */

static const ts_op *fragment_parameters_op_at(const ts_fragment *f, uint32_t op)
{
  return &f->l->g->ops.at[op];
}

/* A collective before a phase that brings the op's parameters. */
static bool brings(const ts_comm *comm, ts_when when)
{
  return comm->slot == TS_ALL_PARAMETERS && !comm->gradient && comm->kind != TS_IR_BARRIER &&
         comm->when == when && !comm->after;
}

static bool gathers(const ts_comm *comm, ts_when when)
{
  return brings(comm, when) && comm->kind == TS_IR_ALL_GATHER;
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

/* The op's forward is run again, for a backward of it or of what comes after it in its group. */
static bool made_again(const ts_fragment *f, uint32_t i)
{
  const uint32_t *group = f->l->sh->recompute_group;
  uint32_t end = f->stage->first_op + f->stage->op_count;
  for (uint32_t k = i; group[i] && k < end && group[k] == group[i]; k++)
    if (fragment_parameters_op_at(f, k)->needs_gradient)
      return true;
  return false;
}

/* Once for the op's backward: for the gradients of its inputs, or else for those of its weights. */
static bool needs_for_backward(const ts_fragment *f, uint32_t i, const ts_comm *comm)
{
  const ts_op *op = fragment_parameters_op_at(f, i);
  bool inputs = op->needs_input_gradient || made_again(f, i);
  if (brings(comm, TS_WHEN_INPUT))
    return inputs;
  return op->needs_gradient && !(inputs && gathers_some(ts_class_of(f->l, i), TS_WHEN_INPUT));
}

/* The last gather of the same rule, or TS_NO_INDEX; where the next one is noted. */
static uint32_t *chain_end(ts_fragment *f, const ts_comm *comm)
{
  for (size_t k = 0; k < f->chains.count; k++) {
    const ts_comm *other = f->gathers.at[f->chains.at[k]].comm;
    if (ts_same_comm(other, comm) && other->span.begin == comm->span.begin)
      return &f->chains.at[k];
  }
  TS_PUSH(f->scratch, &f->chains, TS_NO_INDEX);
  return &f->chains.at[f->chains.count - 1];
}

/* Of what one group holds the last in the order of the phase says when it is dropped. In a backward
 * that is the end of all, where it has none of its own (torch/distributed/fsdp: the final callback
 * drops what no gradient of an input has dropped); of a group without any, its forward's end. */
static ts_gather *fragment_parameters_join(ts_fragment *f, uint32_t i, const ts_comm *comm,
                                           ts_when when, bool keep, uint32_t node)
{
  uint32_t *end = chain_end(f, comm), before = *end;
  bool room = before != TS_NO_INDEX && f->gathers.at[before].bytes < comm->bucket;
  if (before == TS_NO_INDEX ||
      !(room || ts_same_group(comm, fragment_parameters_op_at(f, f->gathers.at[before].last),
                              fragment_parameters_op_at(f, i)))) {
    TS_PUSH(f->scratch, &f->gathers,
            (ts_gather){
              .comm = comm, .first = i, .after = before, .node = node, .leaves = i, .keep = keep});
    *end = before = (uint32_t)f->gathers.count - 1;
  }
  ts_gather *g = &f->gathers.at[before];
  g->last = i;
  if (when == TS_WHEN_FORWARD || fragment_parameters_op_at(f, i)->needs_gradient)
    g->leaves = i;
  else if (g->leaves != TS_NO_INDEX && fragment_parameters_op_at(f, g->leaves)->needs_gradient)
    g->leaves = TS_NO_INDEX;
  return g;
}

/* A weight that another op holds for it comes again, unless it is there until the backward, or both
 * are of one group. */
static bool comes_again(const ts_fragment *f, uint32_t i, const ts_comm *comm)
{
  uint32_t with = ts_tied_with(f, i);
  return with == TS_NO_INDEX ||
         (gathered_again(ts_class_of(f->l, with)) &&
          (comm->group.type == TS_T_NONE || !ts_same_group(comm, fragment_parameters_op_at(f, i),
                                                           fragment_parameters_op_at(f, with))));
}

/* Elements of the op's parameters that the collective brings. */
static double brought(const ts_fragment *f, uint32_t i, const ts_comm *comm)
{
  const ts_class *class = ts_class_of(f->l, i);
  const ts_op *op = fragment_parameters_op_at(f, i);
  if (updated(class, comm))
    return ts_trained_elements(op, class, comm->slot);
  double elements = ts_local_elements(f->l, op, class, comm->slot);
  if (comm->kind != TS_IR_ALL_GATHER)
    return elements;
  double tied = ts_tied_elements(f->l, i);
  bool again = tied > (double)class->whole_up_to && comes_again(f, i, comm);
  return elements - ts_whole_elements(f->l, op, class) + (again ? tied : 0);
}

static ts_gather *join_parameters(ts_fragment *f, uint32_t i, const ts_comm *comm, ts_when when,
                                  bool keep, uint32_t node)
{
  const ts_class *class = ts_class_of(f->l, i);
  double elements = brought(f, i, comm);
  if (!(elements > 0))
    return NULL;
  double bytes = elements * ts_weight_bytes(f->l) * ts_comm_part(f->l, class, comm);
  ts_gather *g = fragment_parameters_join(f, i, comm, when, keep, node);
  g->bytes += bytes;
  if (comm->kind == TS_IR_ALL_GATHER && !updated(class, comm))
    g->memory += (int64_t)(bytes / comm->share);
  return g;
}

/* What comes from the host before the backward of each op of the stage that is the first to need
 * it. */
static int64_t *bytes_fetched(ts_fragment *f)
{
  int64_t *bytes = TS_NEW_ARRAY(f->scratch, int64_t, f->stage->op_count + 1);
  for (uint32_t t = 0; t < f->l->g->tensors.count; t++) {
    const ts_edge *e = &f->l->g->tensors.at[t];
    const ts_tensor_state *state = &f->tensors[t];
    uint32_t place = state->fetch - f->stage->first_op;
    if (state->root == t && e->source == t && state->saved && state->offloaded &&
        place < f->stage->op_count)
      bytes[place] += ts_layout_bytes(f->l->s, &f->l->sh->layouts[t], e->shape, e->dtype);
  }
  return bytes;
}

/* What the op kept on the host, of its own and of tensors that it is the first to need. */
static void join_offloaded(ts_fragment *f, uint32_t i)
{
  const ts_class *class = ts_class_of(f->l, i);
  const ts_op *op = fragment_parameters_op_at(f, i);
  bool own = op->needs_gradient && !f->l->sh->recompute_group[i];
  int64_t bytes = 0;
  for (uint32_t k = 0; own && k < class->saved_count; k++)
    bytes += class->saved[k].edge ? 0 : class->saved[k].bytes;
  if (!f->fetched)
    f->fetched = bytes_fetched(f);
  bytes += f->fetched[i - f->stage->first_op];
  if (!bytes)
    return;
  ts_gather *g =
    fragment_parameters_join(f, i, &class->activations.options, TS_WHEN_INPUT, true, TS_NO_INDEX);
  g->rate = class->activations.rate;
  g->bytes += (double)bytes;
  g->memory += bytes;
}

/* Nobody made it, or an op out of nothing. */
static bool is_given(const ts_fragment *f, const ts_edge *e)
{
  if (e->producer == TS_NO_INDEX)
    return true;
  const ts_op *op = fragment_parameters_op_at(f, e->producer);
  return !op->input_count && !op->param_count;
}

/* Whether an earlier op of the stage has brought this input of the model. */
static bool is_brought(const ts_fragment *f, uint32_t before, uint32_t source)
{
  for (uint32_t i = f->stage->first_op; i < before; i++) {
    const ts_op *op = fragment_parameters_op_at(f, i);
    for (uint32_t k = 0; ts_class_of(f->l, i)->inputs.rate > 0 && k < op->input_count; k++)
      if (f->l->g->tensors.at[op->slots[k].tensor].source == source)
        return true;
  }
  return false;
}

/* Inputs of the model that the op is the first to read, from a memory elsewhere. */
static void join_inputs(ts_fragment *f, uint32_t i)
{
  const ts_class *class = ts_class_of(f->l, i);
  const ts_op *op = fragment_parameters_op_at(f, i);
  double bytes = 0;
  for (uint32_t k = 0; k < op->input_count; k++) {
    uint32_t t = f->l->g->tensors.at[op->slots[k].tensor].source;
    const ts_edge *e = &f->l->g->tensors.at[t];
    if (is_given(f, e) && !is_brought(f, i, t))
      bytes += (double)ts_layout_bytes(f->l->s, &f->l->sh->layouts[t], e->shape, e->dtype);
  }
  if (!(bytes > 0))
    return;
  ts_gather *g =
    fragment_parameters_join(f, i, &class->inputs.options, TS_WHEN_FORWARD, true, TS_NO_INDEX);
  g->rate = class->inputs.rate;
  g->bytes += bytes;
}

/* Kept from the forward to the backward: one copy for all micro-batches, from the first item of a
 * step that needs it to the last, whether a gradient passes through it or not. */
static void join_shared(ts_fragment *f, uint32_t i, const ts_comm *comm, ts_when when,
                        const ts_placed *item)
{
  ts_gather *g =
    join_parameters(f, i, comm, when, !item->drops, item->gathers ? TS_NO_INDEX : TS_HELD);
  if (g && when == TS_WHEN_INPUT && !fragment_parameters_op_at(f, i)->needs_gradient)
    g->leaves = TS_NO_INDEX;
}

static void plan_comm(ts_fragment *f, uint32_t i, const ts_comm *comm, ts_when when,
                      const ts_placed *item)
{
  const ts_class *class = ts_class_of(f->l, i);
  ts_gather *g = NULL;
  if (updated(class, comm)) {
    if (item->fresh && when == TS_WHEN_FORWARD)
      join_parameters(f, i, comm, when, true, TS_NO_INDEX);
  } else if (gathers(comm, TS_WHEN_FORWARD) && !gathered_again(class)) {
    join_shared(f, i, comm, when, item);
  } else if (when == TS_WHEN_FORWARD && brings(comm, when)) {
    join_parameters(f, i, comm, when, false, TS_NO_INDEX);
  } else if (when == TS_WHEN_INPUT && (brings(comm, when) || brings(comm, TS_WHEN_WEIGHT))) {
    g = join_parameters(f, i, comm, when, false, TS_NO_INDEX);
  }
  if (g)
    g->needed |= needs_for_backward(f, i, comm);
}

static void plan_op(ts_fragment *f, uint32_t i, ts_when when, const ts_placed *item)
{
  const ts_class *class = ts_class_of(f->l, i);
  if (when == TS_WHEN_INPUT && class->activations.rate > 0)
    join_offloaded(f, i);
  if (when == TS_WHEN_FORWARD && class->inputs.rate > 0)
    join_inputs(f, i);
  for (uint32_t c = 0; c < class->comm_count; c++)
    plan_comm(f, i, &class->comms[c], when, item);
}

/* Keeps those of the list that stay. */
static void sift(ts_fragment *f, bool (*stays)(const ts_fragment *f, const ts_gather *g))
{
  ts_gather_list *list = &f->gathers;
  uint32_t *now = TS_NEW_ARRAY(f->scratch, uint32_t, list->count + 1);
  size_t count = 0;
  for (size_t k = 0; k < list->count; k++) {
    ts_gather g = list->at[k];
    g.after = g.after == TS_NO_INDEX ? TS_NO_INDEX : now[g.after];
    bool keeps = stays(f, &g);
    now[k] = keeps ? (uint32_t)count : g.after;
    if (keeps)
      list->at[count++] = g;
  }
  list->count = count;
}

/* Of some groups the backward takes nothing. */
static bool is_needed(const ts_fragment *f, const ts_gather *g)
{
  (void)f;
  return g->needed || g->rate > 0 || brings(g->comm, TS_WHEN_FORWARD);
}

/* Where I and W are apart, W gathers what only it takes, unless that is still there. */
static bool is_here(const ts_fragment *f, const ts_gather *g)
{
  bool late = g->rate == 0 && brings(g->comm, TS_WHEN_WEIGHT) && !g->found;
  return late ? f->weights : f->inputs;
}

static void plan_ops(ts_fragment *f, ts_when when, const ts_placed *item)
{
  uint32_t first = f->stage->first_op, end = first + f->stage->op_count;
  f->gathers = (ts_gather_list){0};
  f->chains.count = 0;
  f->fetched = NULL;
  for (uint32_t k = first; k < end; k++)
    plan_op(f, when == TS_WHEN_FORWARD ? k : end - 1 - (k - first), when, item);
  if (when == TS_WHEN_INPUT)
    sift(f, is_needed);
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
  if (when == TS_WHEN_INPUT)
    sift(f, is_here);
  ts_gathers_index(f);
  if (f->gathers.count && f->last[0] == TS_NO_INDEX)
    ts_emit_record(f, 0);
  for (size_t k = 0; k < f->gathers.count; k++)
    if (f->gathers.at[k].call && f->gathers.at[k].at == TS_NO_INDEX)
      leave_together(f, f->gathers.at[k].call);
}

static void arrive(ts_fragment *f, ts_gather *g, uint32_t node)
{
  g->node = node;
  g->landed = g->comm->copied;
  ts_note_memory(f, node, g->memory, g->landed ? TS_IR_BUFFERS : TS_IR_PARAMETERS,
                 "gathered parameters");
}

static void fragment_parameters_leave(ts_fragment *f, ts_gather *g)
{
  ts_origin origin = {ts_label_pattern(f->scratch, fragment_parameters_op_at(f, g->first)->label),
                      fragment_parameters_op_at(f, g->first)->span, g->comm->span};
  if (g->rate > 0 && f->fetches && !f->forward)
    ts_copies_await(f, f->fetches);
  ts_need(f, f->last[0]);
  if (g->rate > 0) {
    f->fetches = NULL;
    g->node = ts_emit_copy(f, g->bytes, g->rate, true, origin);
    if (g->memory) /* that of inputs is the step's */
      ts_note_memory(f, g->node, g->memory, TS_IR_ACTIVATIONS,
                     fragment_parameters_op_at(f, g->first)->label);
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
  ts_gathers_at called = ts_gathers_under(&f->index.call, call);
  for (uint32_t k = 0; k < called.count; k++) {
    const ts_gather *g = &f->gathers.at[called.at[k]];
    if (g->node != TS_NO_INDEX)
      continue;
    first = first ? first : g;
    bytes += g->bytes;
  }
  if (!first)
    return;
  ts_need(f, f->last[0]);
  uint32_t node = ts_emit_collective(
    f, first->comm, (uint64_t)(bytes + 0.5),
    (ts_origin){"parameters", fragment_parameters_op_at(f, first->first)->span, first->comm->span});
  for (uint32_t k = 0; k < called.count; k++)
    if (f->gathers.at[called.at[k]].node == TS_NO_INDEX)
      arrive(f, &f->gathers.at[called.at[k]], node);
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

/* Those of its rule that are not there, from it on, leave: as many as are to come ahead. */
static void leave_ahead(ts_fragment *f, const ts_gather *g)
{
  for (uint32_t *link = &f->index.waiting[g->chain]; *link != TS_NO_INDEX;) {
    ts_gather *n = &f->gathers.at[*link];
    int64_t ahead = (int64_t)n->place - g->place;
    if (n->node == TS_NO_INDEX && ahead > f->index.ahead)
      return;
    if (n->node == TS_NO_INDEX && ahead >= 0 && ahead <= n->comm->ahead)
      fragment_parameters_leave(f, n);
    if (n->node == TS_NO_INDEX)
      link = &n->next;
    else
      *link = n->next;
  }
}

static ts_gathers_at covering(const ts_fragment *f, uint32_t op)
{
  return ts_gathers_under(&f->index.covers, op - f->stage->first_op);
}

void ts_gathers_enter(ts_fragment *f, uint32_t op)
{
  ts_gathers_at mine = covering(f, op),
                early = ts_gathers_under(&f->index.early, op - f->stage->first_op);
  for (uint32_t k = 0; k < mine.count; k++)
    leave_ahead(f, &f->gathers.at[mine.at[k]]);
  for (uint32_t k = 0; k < early.count; k++)
    leave_together(f, f->gathers.at[early.at[k]].call);
}

void ts_gathers_need(ts_fragment *f, uint32_t op)
{
  ts_gathers_at mine = covering(f, op);
  for (uint32_t k = 0; k < mine.count; k++) {
    ts_gather *g = &f->gathers.at[mine.at[k]];
    if (g->node >= TS_HELD)
      continue;
    if (g->landed)
      copy_out(f, g);
    ts_need(f, g->node);
  }
}

void ts_offloads_need(ts_fragment *f, uint32_t first, uint32_t last)
{
  for (uint32_t op = first; op <= last; op++) {
    ts_gathers_at mine = covering(f, op);
    for (uint32_t k = 0; k < mine.count; k++) {
      const ts_gather *g = &f->gathers.at[mine.at[k]];
      if (g->rate > 0 && g->node < TS_HELD)
        ts_need(f, g->node);
    }
  }
  if (f->needs.count)
    ts_emit_record(f, 0);
}

/* Not before it is there, where nothing has waited for it. */
static void drop(ts_fragment *f, const ts_gather *g, uint32_t node)
{
  if (g->keep || g->node == TS_NO_INDEX)
    return;
  ts_note_memory(f, g->node < TS_HELD && g->node > node ? g->node : node, -g->memory,
                 g->landed ? TS_IR_BUFFERS : TS_IR_PARAMETERS, "gathered parameters");
}

void ts_gathers_leave(ts_fragment *f, uint32_t op, uint32_t node)
{
  ts_gathers_at mine = ts_gathers_under(&f->index.leaves, op - f->stage->first_op);
  for (uint32_t k = 0; k < mine.count; k++)
    drop(f, &f->gathers.at[mine.at[k]], node);
}

void ts_gathers_end(ts_fragment *f, uint32_t node)
{
  for (uint32_t k = 0; k < f->gathers.count; k++)
    if (f->gathers.at[k].leaves == TS_NO_INDEX)
      drop(f, &f->gathers.at[k], node);
}
