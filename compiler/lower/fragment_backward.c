/* The backward of a stage: gradients of inputs, of weights, or of both, op by op in reverse;
 * recomputation where the plan asks for it; and on the last micro-batch the collectives that sum
 * the gradients of the replicas. */
#include "compiler/lower/fragment.h"
#include "compiler/lower/fragment_pieces.h"
#include "compiler/lower/fragment_parameters.h"
#include "compiler/lower/fragment_split.h"
#include "compiler/lower/fragment_ring.h"
#include "compiler/model/traced.h"

#include <string.h>

typedef struct fragment_backward_pass {
  ts_fragment *f;
  bool inputs, weights, first, last;
  bool *recomputed;    /* by group: done */
  int64_t unsummed;    /* bytes of weight gradients of this micro-batch alone */
} fragment_backward_pass;

static const ts_op *fragment_backward_op_at(const ts_fragment *f, uint32_t op)
{
  return &f->l->g->ops.at[op];
}
static uint32_t fragment_backward_source_of(const ts_fragment *f, uint32_t tensor)
{
  return f->l->g->tensors.at[tensor].source;
}
static bool has(const ts_fragment *f, uint32_t op, ts_phase phase)
{
  return ts_class_of(f->l, op)->work.phase[phase].count > 0;
}

static bool fragment_backward_split(const fragment_backward_pass *p)
{
  return !(p->inputs && p->weights);
} /* I and W apart */

/* -- gradients -- */

static uint32_t new_gradient(ts_fragment *f, uint32_t node, int64_t bytes, const char *label,
                             bool allocate)
{
  uint32_t note = allocate && bytes && node != TS_NO_INDEX ? (uint32_t)f->mems.count : TS_NO_INDEX;
  TS_PUSH(f->scratch, &f->gradients, (ts_gradient){node, bytes, 1, label, note, false});
  if (allocate)
    ts_note_memory(f, node, bytes, TS_IR_TEMPORARIES, label);
  return (uint32_t)f->gradients.count - 1;
}

static void drop_gradient(ts_fragment *f, uint32_t gradient, uint32_t node)
{
  if (gradient == TS_NO_INDEX)
    return;
  ts_gradient *g = &f->gradients.at[gradient];
  if (--g->owners == 0 && !g->waits)
    ts_note_memory(f, node, -g->bytes, TS_IR_TEMPORARIES, g->label);
}

static int64_t tensor_bytes(const ts_fragment *f, uint32_t tensor)
{
  const ts_edge *e = &f->l->g->tensors.at[tensor];
  return ts_layout_bytes(f->l->s, &f->l->sh->layouts[tensor], e->shape, e->dtype);
}

/* Measured backwards may hold sums. */
static bool is_sum_paid(const ts_graph *g, uint32_t op)
{
  const ts_measured *m = g->ops.at[op].measured;
  return g->sums_measured && (!m || !m->untimed || m->joined);
}

/* A tensor used twice gets two gradients: autograd adds them. */
static void add_gradient(ts_fragment *f, uint32_t op, uint32_t tensor, uint32_t gradient)
{
  ts_tensor_state *t = &f->tensors[tensor];
  if (t->gradient == TS_NO_INDEX) {
    t->gradient = gradient;
    return;
  }
  const ts_edge *e = &f->l->g->tensors.at[tensor];
  int64_t bytes = f->gradients.at[gradient].bytes;
  ts_kernel sum = ts_moving_kernel(f->l, "elementwise", e->dtype, 3.0 * (double)bytes, 0,
                                   fragment_backward_op_at(f, op)->span);
  if (is_sum_paid(f->l->g, op)) {
    sum.cost = ts_costing_measured(f->l->costing, f->l->g, sum.cost, 0, 1);
    sum.host = 0;
  }
  ts_need(f, f->gradients.at[t->gradient].ready);
  ts_need(f, f->gradients.at[gradient].ready);
  uint32_t node = ts_emit_kernel(f, &sum, TS_IR_PHASE_BACKWARD_INPUT, ts_origin_of(f, op));
  uint32_t total = new_gradient(f, node, bytes, f->gradients.at[gradient].label, true);
  drop_gradient(f, t->gradient, node);
  drop_gradient(f, gradient, node);
  t->gradient = total;
}

/* -- collectives -- */

static uint32_t comms(fragment_backward_pass *p, uint32_t i, ts_when when, bool after,
                      bool gradient, uint32_t need)
{
  ts_fragment *f = p->f;
  const ts_class *class = ts_class_of(f->l, i);
  uint32_t last = TS_NO_INDEX;
  for (uint32_t c = 0; c < class->comm_count; c++) {
    const ts_comm *comm = &class->comms[c];
    if (comm->when != when || comm->after != after || comm->gradient != gradient ||
        comm->slot == TS_ALL_PARAMETERS || comm->ring)
      continue;
    ts_need(f, last != TS_NO_INDEX ? last : need);
    if (!comm->overlap) /* not even with work before it: its stream waits for that of the kernels */
      ts_need(f, f->last[0]);
    last = ts_emit_collective(f, comm, (uint64_t)comm->bytes, ts_origin_of(f, i));
  }
  return last;
}

/* Bytes that the collectives before a phase gather, held while the op's backward runs. */
static int64_t gathered(const fragment_backward_pass *p, uint32_t i, ts_when when)
{
  const ts_class *class = ts_class_of(p->f->l, i);
  int64_t bytes = 0;
  for (uint32_t c = 0; c < class->comm_count; c++) {
    const ts_comm *comm = &class->comms[c];
    bool stays = fragment_backward_split(p) && when == TS_WHEN_INPUT && comm->gradient &&
                 ts_waits_gathered(class, comm->slot);
    if (comm->when == when && !comm->after && comm->kind == TS_IR_ALL_GATHER && !comm->ring &&
        comm->slot < TS_ALL_PARAMETERS && !stays)
      bytes += ts_seen_bytes(class, comm->slot, comm->gradient);
  }
  return bytes;
}

/* The buffer that was copied into last goes before there is another, when it is scattered
 * (torch/distributed/fsdp, post_backward: reduce_scatter_state). */
static void drop_copy(ts_fragment *f)
{
  if (!f->copied)
    return;
  for (size_t k = 0; k < f->buckets.count; k++)
    ts_need(f, f->buckets.at[k].sent[1]);
  ts_note_memory(f, ts_emit_record(f, 0), -f->copied, TS_IR_GRADIENTS,
                 "gradients before they are scattered");
  f->copied = 0;
}

/* Gradients in the format of weights go to the buffer that is summed. */
static void copy_in(ts_fragment *f, ts_bucket *bucket)
{
  drop_copy(f);
  const ts_lowering *l = f->l;
  const ts_comm *comm = bucket->comm;
  double written = bucket->bytes / comm->share;
  ts_kernel copy = ts_moving_kernel(
    f->l, "elementwise", l->plan->precision.gradients,
    written + (bucket->whole > 0 ? (double)bucket->whole : written), 0, comm->span);
  ts_need(f, bucket->ready);
  bucket->ready = ts_emit_kernel(f, &copy, TS_IR_PHASE_BACKWARD_WEIGHT,
                                 (ts_origin){"gradients", comm->span, comm->span});
  ts_note_memory(f, bucket->ready, (int64_t)written, TS_IR_GRADIENTS,
                 "gradients before they are scattered");
  ts_note_memory(f, bucket->ready, -bucket->whole, TS_IR_GRADIENTS,
                 "gradients before they are scattered");
  bucket->whole = 0;
  f->copied = (int64_t)written;
}

static void flush(ts_fragment *f, ts_bucket *bucket)
{
  if (!(bucket->bytes > 0))
    return;
  if (bucket->comm->copied)
    copy_in(f, bucket);
  ts_need(f, bucket->ready);
  if (!bucket->comm->overlap)
    ts_need(f, f->last[0]);
  uint32_t node =
    ts_emit_collective(f, bucket->comm, (uint64_t)(bucket->bytes + 0.5),
                       (ts_origin){"gradients", bucket->comm->span, bucket->comm->span});
  ts_note_memory(f, node, -bucket->whole, TS_IR_GRADIENTS, "gradients before they are scattered");
  for (size_t k = (size_t)(bucket - f->buckets.at) + 1; k < f->buckets.count; k++)
    f->buckets.at[k].ready = node; /* what comes after it carries its result */
  bucket->bytes = 0;
  bucket->room = bucket->comm->bucket;
  bucket->whole = 0;
  bucket->sent[0] = bucket->sent[1];
  bucket->sent[1] = node;
}

/* Of parameters that have gradients. */
static double trained_bytes(const ts_fragment *f, uint32_t i, uint32_t slot, double element)
{
  return ts_trained_elements(fragment_backward_op_at(f, i), ts_class_of(f->l, i), slot) * element;
}

/* Of the ops whose gradients travel together, this one's come last. */
static bool ends_group(const ts_fragment *f, const ts_comm *comm, uint32_t i)
{
  for (uint32_t k = i;
       k-- > f->stage->first_op &&
       ts_same_group(comm, fragment_backward_op_at(f, i), fragment_backward_op_at(f, k));) {
    const ts_class *class = ts_class_of(f->l, k);
    for (uint32_t c = 0; c < class->comm_count; c++)
      if (ts_same_comm(&class->comms[c], comm) && trained_bytes(f, k, TS_ALL_PARAMETERS, 1) > 0)
        return false;
  }
  return true;
}

/* On gradients, after the backward of every micro-batch. */
static bool sums_each(const ts_comm *comm)
{
  return comm->when == TS_WHEN_WEIGHT && comm->after && comm->gradient &&
         comm->slot == TS_ALL_PARAMETERS;
}

/* Between its backward and the collective that scatters it a gradient is whole. */
static int64_t whole_gradient(const fragment_backward_pass *p, uint32_t i, const ts_comm *comm,
                              uint32_t slot)
{
  const ts_class *class = ts_class_of(p->f->l, i);
  bool scatters = comm->when == TS_WHEN_WEIGHT && (class->gradient_axes & comm->axes);
  double element = comm->copied ? ts_weight_bytes(p->f->l) : ts_gradient_bytes(p->f->l);
  return scatters ? (int64_t)(trained_bytes(p->f, i, slot, element) *
                              ts_comm_part(p->f->l, class, comm) / comm->share) :
                    0;
}

/* Of gradients that every micro-batch scatters two buckets are under way at most: the next one
 * waits. */
static void need_bucket(fragment_backward_pass *p)
{
  for (size_t k = 0; k < p->f->buckets.count; k++)
    if (p->f->buckets.at[k].comm->when == TS_WHEN_WEIGHT)
      ts_need(p->f, p->f->buckets.at[k].sent[0]);
}

static ts_bucket *bucket_of(ts_fragment *f, const ts_comm *comm, bool each)
{
  size_t k = 0;
  while (k < f->buckets.count && !ts_same_comm(f->buckets.at[k].comm, comm))
    k++;
  if (k == f->buckets.count) {
    /* by the items before */
    uint32_t sent = each ? ts_emit_record(f, ts_comm_stream(f->l, comm)) : TS_NO_INDEX;
    TS_PUSH(f->scratch, &f->buckets,
            (ts_bucket){comm, 0, comm->first, TS_NO_INDEX, 0, {TS_NO_INDEX, sent}});
  }
  return &f->buckets.at[k];
}

/* The gradient of a weight of two ops is there when the first of them has made its part (autograd
 * adds the other's to it), and leaves with the other's. Which op that is; TS_NO_INDEX: none. */
static uint32_t tied_before(const ts_fragment *f, uint32_t i)
{
  const ts_sharding *sh = f->l->sh;
  for (size_t k = 0; k < sh->shared.count; k++)
    if (sh->shared.at[k].with == i && sh->shared.at[k].op > i &&
        sh->shared.at[k].op < f->stage->first_op + f->stage->op_count &&
        ts_tied_elements(f->l, sh->shared.at[k].op) > 0)
      return sh->shared.at[k].op;
  return TS_NO_INDEX;
}

/* At the end of the op that makes it first. */
static void hold_tied(fragment_backward_pass *p, uint32_t i, uint32_t node)
{
  uint32_t with = ts_tied_elements(p->f->l, i) > 0 ? ts_tied_with(p->f, i) : TS_NO_INDEX;
  if (with == TS_NO_INDEX || with > i || tied_before(p->f, with) != i)
    return;
  const ts_class *class = ts_class_of(p->f->l, with);
  for (uint32_t c = 0; c < class->comm_count; c++)
    if (sums_each(&class->comms[c]))
      ts_note_memory(
        p->f, node,
        whole_gradient(p, with, &class->comms[c], fragment_backward_op_at(p->f, with)->input_count),
        TS_IR_GRADIENTS, "gradients before they are scattered");
}

/* The first backward after a step makes what later ones add to. That of a weight of two ops is
 * there with the first of them. */
static void hold_gradients(fragment_backward_pass *p, uint32_t i, uint32_t node)
{
  const ts_lowering *l = p->f->l;
  uint32_t before = tied_before(p->f, i),
           with = ts_tied_elements(l, i) > 0 ? ts_tied_with(p->f, i) : TS_NO_INDEX;
  int64_t bytes = ts_lower_frees(l, i) ? ts_lower_gradients(l, i, TS_ALL_PARAMETERS) : 0;
  if (bytes && before != TS_NO_INDEX)
    bytes -= ts_lower_gradients(l, i, fragment_backward_op_at(p->f, i)->input_count);
  ts_note_memory(p->f, node, bytes, TS_IR_GRADIENTS, fragment_backward_op_at(p->f, i)->label);
  if (with != TS_NO_INDEX && tied_before(p->f, with) == i && ts_lower_frees(l, with))
    ts_note_memory(p->f, node,
                   ts_lower_gradients(l, with, fragment_backward_op_at(p->f, with)->input_count),
                   TS_IR_GRADIENTS, fragment_backward_op_at(p->f, with)->label);
}

/* Gradients of one parameter, or of all of the op's, join the bucket. */
static void join_bucket(fragment_backward_pass *p, uint32_t i, const ts_comm *comm,
                        ts_bucket *bucket, uint32_t slot, uint32_t node)
{
  ts_fragment *f = p->f;
  int64_t whole = whole_gradient(p, i, comm, slot);
  bucket->bytes += trained_bytes(f, i, slot, ts_gradient_bytes(f->l)) *
                   ts_comm_part(f->l, ts_class_of(f->l, i), comm);
  bucket->whole += whole;
  if (tied_before(f, i) != TS_NO_INDEX &&
      (slot == TS_ALL_PARAMETERS || slot == fragment_backward_op_at(f, i)->input_count))
    whole -= whole_gradient(p, i, comm, fragment_backward_op_at(f, i)->input_count);
  ts_note_memory(f, node, whole, TS_IR_GRADIENTS, "gradients before they are scattered");
  if (bucket->ready == TS_NO_INDEX || bucket->ready < node)
    bucket->ready = node;
}

/* A bucket that is never exceeded: it leaves before the tensor that would not fit (DeepSpeed,
 * stage3.py: reduce_independent_p_g_buckets_and_remove_grads). */
static void fragment_backward_fill(fragment_backward_pass *p, uint32_t i, const ts_comm *comm,
                                   ts_bucket *bucket, uint32_t node)
{
  ts_fragment *f = p->f;
  const ts_op *op = fragment_backward_op_at(f, i);
  double share = ts_comm_part(f->l, ts_class_of(f->l, i), comm);
  for (uint32_t k = op->input_count; k < op->input_count + op->param_count; k++) {
    double bytes = trained_bytes(f, i, k, ts_gradient_bytes(f->l)) * share;
    if (bytes > 0 && bucket->bytes > 0 && bucket->bytes + bytes > bucket->room * share)
      flush(f, bucket);
    if (bytes > 0)
      join_bucket(p, i, comm, bucket, k, node);
  }
}

/* The gradients of an op are complete, for this micro-batch or for the step: they join their
 * bucket, which leaves when it is full, or when its group is. */
static void reduce_gradients(fragment_backward_pass *p, uint32_t i, uint32_t node)
{
  ts_fragment *f = p->f;
  const ts_class *class = ts_class_of(f->l, i);
  for (uint32_t c = 0; c < class->comm_count; c++) {
    const ts_comm *comm = &class->comms[c];
    bool each = sums_each(comm);
    if (!each && !(p->last && comm->when == TS_WHEN_GRADIENTS))
      continue;
    ts_bucket *bucket = bucket_of(f, comm, each);
    double share = ts_comm_part(f->l, class, comm);
    if (!comm->exceeds) {
      fragment_backward_fill(p, i, comm, bucket, node);
      continue;
    }
    join_bucket(p, i, comm, bucket, comm->slot, node);
    bool filled = bucket->bytes >= bucket->room * share, grouped = comm->group.type != TS_T_NONE;
    bool full = grouped ? ends_group(f, comm, i) || (bucket->room > 0 && filled) : filled;
    if (comm->overlap && full)
      flush(f, bucket);
  }
}

/* -- one op -- */

/* What the ops of a group keep lives from its recomputation to their backward. */
static void keep_again(ts_fragment *f, uint32_t first, uint32_t end)
{
  for (uint32_t k = first; k <= end; k++) {
    const ts_class *class = ts_class_of(f->l, k);
    for (uint32_t s = 0; s < class->saved_count; s++) {
      if (!class->saved[s].edge)
        continue;
      uint32_t tensor =
        f->tensors[fragment_backward_source_of(
                     f, fragment_backward_op_at(f, k)->slots[class->saved[s].slot].tensor)]
          .root;
      ts_tensor_state *t = &f->tensors[tensor];
      uint32_t producer = f->l->g->tensors.at[tensor].producer;
      bool own = producer != TS_NO_INDEX && producer >= first && producer <= end;
      if (!own || (t->saved && !t->again))
        continue;
      if (!t->saved)
        t->release = k;
      if (t->late == TS_NO_INDEX && ts_saved_for_weights(f->l, class, class->saved[s].slot))
        t->late = k;
      t->saved = t->again = true;
    }
  }
}

/* What the group drops for others: those take it from its recomputation on. */
static void keep_discarded(ts_fragment *f, uint32_t first, uint32_t end)
{
  for (uint32_t k = first; k <= end; k++) {
    const ts_op *op = fragment_backward_op_at(f, k);
    for (uint32_t out = op->slot_count - op->output_count; out < op->slot_count; out++) {
      ts_tensor_state *t = &f->tensors[f->tensors[op->slots[out].tensor].root];
      if (t->discarded)
        t->saved = t->again = true;
    }
  }
}

/* W alone: its I recomputed, and left what W takes. */
static void keep_all_again(ts_fragment *f)
{
  const uint32_t *group = f->l->sh->recompute_group;
  for (uint32_t i = f->stage->first_op, end = i + f->stage->op_count, next; i < end; i = next) {
    for (next = i + 1; next < end && group[next] == group[i];)
      next++;
    if (group[i]) {
      keep_again(f, i, next - 1);
      keep_discarded(f, i, next - 1);
    }
  }
}

static void recompute_discarded(fragment_backward_pass *p, uint32_t op);

/* The group from its first op to `end`. */
static void recompute_group(fragment_backward_pass *p, uint32_t end)
{
  ts_fragment *f = p->f;
  const uint32_t *groups = f->l->sh->recompute_group;
  uint32_t first = end;
  if (p->recomputed[groups[end]])
    return;
  p->recomputed[groups[end]] = true;
  while (first > f->stage->first_op && groups[first - 1] == groups[end])
    first--;
  for (uint32_t k = first; k <= end; k++)
    recompute_discarded(p, k);
  for (uint32_t k = end + 1; k-- > first;)
    ts_gathers_enter(f, k);
  ts_offloads_need(f, first, end);
  for (uint32_t k = first; k <= end; k++) {
    const ts_op *op = fragment_backward_op_at(f, k);
    for (uint32_t in = 0; in < op->input_count; in++)
      f->tensors[f->tensors[fragment_backward_source_of(f, op->slots[in].tensor)].root].uses++;
  }
  keep_again(f, first, end);
  keep_discarded(f, first, end);
  for (uint32_t k = first; k <= end; k++) {
    ts_forward_op(f, k, true);
    if (!fragment_backward_op_at(f, k)->needs_gradient) /* it has no backward to wait for */
      ts_gathers_leave(f, k, f->last[0]);
  }
}

/* Groups that made what the op takes and dropped it. */
static void recompute_discarded(fragment_backward_pass *p, uint32_t i)
{
  const ts_fragment *f = p->f;
  const uint32_t *groups = f->l->sh->recompute_group;
  const ts_op *op = fragment_backward_op_at(f, i);
  for (uint32_t k = 0; k < op->slot_count; k++) {
    if (op->slots[k].kind == TS_SLOT_WEIGHT)
      continue;
    uint32_t root = f->tensors[fragment_backward_source_of(f, op->slots[k].tensor)].root;
    uint32_t end = f->l->g->tensors.at[root].producer;
    if (!f->tensors[root].discarded || groups[end] == groups[i])
      continue;
    while (end + 1 < f->stage->first_op + f->stage->op_count && groups[end + 1] == groups[end])
      end++;
    while (!fragment_backward_op_at(f, end)->needs_gradient)
      end--;
    recompute_group(p, end);
  }
}

static void recompute(fragment_backward_pass *p, uint32_t i)
{
  if (!p->inputs)
    return;
  recompute_discarded(p, i);
  if (p->f->l->sh->recompute_group[i])
    recompute_group(p, i);
}

/* What the op keeps of its own. */
static void release_own(fragment_backward_pass *p, uint32_t i, uint32_t node)
{
  ts_fragment *f = p->f;
  const ts_class *class = ts_class_of(f->l, i);
  const ts_op *op = fragment_backward_op_at(f, i);
  int64_t bytes = ts_own_saved(f, i), late = ts_saved_bytes_for_weights(f->l, class);
  int64_t made = has(f, i, TS_PHASE_WEIGHT) ? ts_gradients_for_weights(class, op) : 0;
  for (uint32_t k = 0; k < class->saved_count; k++)
    if (ts_casts_again(f, i, &class->saved[k]) &&
        ts_saved_for_weights(f->l, class, class->saved[k].slot))
      late -= class->saved[k].bytes;
  if (!fragment_backward_split(p))
    ts_note_memory(f, node, -bytes, TS_IR_ACTIVATIONS, op->label);
  else
    ts_note_memory(f, node, p->weights ? -late - made : late - bytes, TS_IR_ACTIVATIONS, op->label);
}

/* Kept memory whose last user in backward is this op. */
static void release(fragment_backward_pass *p, uint32_t i, uint32_t node)
{
  ts_fragment *f = p->f;
  const ts_op *op = fragment_backward_op_at(f, i);
  if (node == TS_NO_INDEX)
    node = f->last[0];
  release_own(p, i, node);
  for (uint32_t k = 0; k < op->slot_count; k++) {
    if (op->slots[k].kind == TS_SLOT_WEIGHT)
      continue;
    uint32_t tensor = f->tensors[fragment_backward_source_of(f, op->slots[k].tensor)].root;
    ts_tensor_state *t = &f->tensors[tensor];
    bool late = fragment_backward_split(p) && t->late != TS_NO_INDEX;
    if (!t->saved || (late ? t->late : t->release) != i ||
        (fragment_backward_split(p) && p->weights != late))
      continue;
    uint32_t producer = f->l->g->tensors.at[tensor].producer;
    ts_note_memory(f, node, -tensor_bytes(f, tensor), TS_IR_ACTIVATIONS,
                   producer == TS_NO_INDEX ? f->l->g->tensors.at[tensor].name :
                                             fragment_backward_op_at(f, producer)->label);
    t->saved = false;
  }
}

static uint32_t kernels(fragment_backward_pass *p, uint32_t i, const ts_kernels *list,
                        ts_phase phase, uint32_t *first)
{
  ts_fragment *f = p->f;
  uint32_t node = TS_NO_INDEX;
  for (uint32_t k = 0; k < list->count; k++) {
    if (list->at[k].early)
      continue;
    uint32_t here = ts_emit_kernel(f, &list->at[k],
                                   phase == TS_PHASE_INPUT ? TS_IR_PHASE_BACKWARD_INPUT :
                                                             TS_IR_PHASE_BACKWARD_WEIGHT,
                                   ts_origin_of(f, i));
    if (list->at[k].host_only)
      continue;
    node = here;
    if (first && *first == TS_NO_INDEX)
      *first = node;
  }
  return node;
}

/* dy as the op gets it: the gradients of its outputs. */
static void need_outputs(ts_fragment *f, uint32_t i)
{
  const ts_op *op = fragment_backward_op_at(f, i);
  for (uint32_t k = op->slot_count - op->output_count; k < op->slot_count; k++) {
    uint32_t gradient = f->tensors[op->slots[k].tensor].gradient;
    if (gradient != TS_NO_INDEX)
      ts_need(f, f->gradients.at[gradient].ready);
  }
  ts_gathers_need(f, i);
}

static uint32_t run_casts(fragment_backward_pass *p, uint32_t i, ts_phase phase)
{
  const ts_kernels *list = &ts_class_of(p->f->l, i)->work.phase[phase];
  uint32_t node = TS_NO_INDEX;
  for (uint32_t k = 0; k < list->count && list->at[k].early; k++) {
    need_outputs(p->f, i);
    node = ts_emit_kernel(p->f, &list->at[k],
                          phase == TS_PHASE_INPUT ? TS_IR_PHASE_BACKWARD_INPUT :
                                                    TS_IR_PHASE_BACKWARD_WEIGHT,
                          ts_origin_of(p->f, i));
  }
  return node;
}

static uint32_t ready_output(const ts_fragment *f, uint32_t i)
{
  const ts_op *op = fragment_backward_op_at(f, i);
  uint32_t node = TS_NO_INDEX;
  for (uint32_t k = op->slot_count - op->output_count; k < op->slot_count; k++) {
    uint32_t gradient = f->tensors[op->slots[k].tensor].gradient;
    uint32_t ready = gradient == TS_NO_INDEX ? TS_NO_INDEX : f->gradients.at[gradient].ready;
    if (ready != TS_NO_INDEX && (node == TS_NO_INDEX || ready > node))
      node = ready;
  }
  return node;
}

/* Sums this micro-batch's weight gradients into those of the step, where the product does not do
 * that itself. Then they have memory of their own, in the type of the weights, until the backward
 * is over. */
static void accumulate(fragment_backward_pass *p, uint32_t i)
{
  ts_fragment *f = p->f;
  const ts_op *op = fragment_backward_op_at(f, i);
  const ts_class *class = ts_class_of(f->l, i);
  for (uint32_t k = op->input_count;
       f->l->plan->precision.accumulate > 0 && k < op->input_count + op->param_count; k++) {
    double elements = ts_slot_elements(&class->local[k]);
    if (!(elements > 0) || op->slots[k].frozen)
      continue;
    ts_kernel sum = ts_moving_kernel(f->l, "elementwise", class->local[k].dtype,
                                     elements * f->l->plan->precision.accumulate, 0, op->span);
    uint32_t node = ts_emit_kernel(f, &sum, TS_IR_PHASE_BACKWARD_WEIGHT, ts_origin_of(f, i));
    ts_note_memory(f, node, (int64_t)(elements * ts_weight_bytes(f->l)), TS_IR_TEMPORARIES,
                   "gradients");
    p->unsummed += (int64_t)(elements * ts_weight_bytes(f->l));
  }
}

/* Gradients of the inputs: one tensor each, written by the kernels; or, where there are none, the
 * output's gradient itself. */
static void pass_on(fragment_backward_pass *p, uint32_t i, uint32_t first, uint32_t ready,
                    uint32_t dy)
{
  ts_fragment *f = p->f;
  const ts_op *op = fragment_backward_op_at(f, i);
  for (uint32_t k = 0; k < op->input_count; k++) {
    uint32_t tensor = fragment_backward_source_of(f, op->slots[k].tensor), gradient;
    if (!f->l->g->tensors.at[tensor].needs_gradient)
      continue;
    if (first == TS_NO_INDEX && dy != TS_NO_INDEX) {
      f->gradients.at[dy].owners++;
      gradient = dy;
    } else {
      gradient = new_gradient(f, first != TS_NO_INDEX ? first : f->last[0], tensor_bytes(f, tensor),
                              op->label, true);
      f->gradients.at[gradient].ready = ready;
    }
    add_gradient(f, i, tensor, gradient);
  }
}

/* What an after-collective shrinks was whole before: held from the kernel that wrote it to the
 * collective's end. */
static void shrink(fragment_backward_pass *p, uint32_t i, uint32_t first, uint32_t node)
{
  const ts_class *class = ts_class_of(p->f->l, i);
  for (uint32_t c = 0; c < class->comm_count; c++)
    if (class->comms[c].when == TS_WHEN_INPUT && class->comms[c].after &&
        class->comms[c].kind == TS_IR_REDUCE_SCATTER && !class->comms[c].ring) {
      ts_note_memory(p->f, first, class->comms[c].bytes, TS_IR_TEMPORARIES,
                     fragment_backward_op_at(p->f, i)->label);
      ts_note_memory(p->f, node, -class->comms[c].bytes, TS_IR_TEMPORARIES,
                     fragment_backward_op_at(p->f, i)->label);
    }
}

/* One op's backward as far as it has come: nodes, TS_NO_INDEX where there is none. */
typedef struct op_backward {
  uint32_t op;
  bool inputs, weights;     /* which gradients are computed */
  uint32_t ready;           /* the gradients of the outputs are there, cast where they have to be */
  uint32_t outputs;         /* collective that gathers these */
  uint32_t saved_inputs;    /* gathers saved inputs again, for gradients of inputs */
  uint32_t weight_inputs;   /* the same for gradients of weights */
  int64_t held, weight_held; /* bytes that these collectives gather */
  uint32_t first, last;     /* of the kernels */
} op_backward;

static uint32_t or_else(uint32_t node, uint32_t other)
{
  return node != TS_NO_INDEX ? node : other;
}

/* Collectives and casts before the kernels. What is saved is there: for the weights it is gathered
 * while the gradients are computed. */
static void fragment_backward_gather(fragment_backward_pass *p, op_backward *b)
{
  b->ready = ready_output(p->f, b->op);
  if (b->weights) {
    b->weight_inputs = comms(p, b->op, TS_WHEN_WEIGHT, false, false, TS_NO_INDEX);
    b->weight_held = gathered(p, b->op, TS_WHEN_WEIGHT);
  }
  if (b->inputs)
    b->ready = or_else(run_casts(p, b->op, TS_PHASE_INPUT), b->ready);
  else if (b->weights)
    b->ready = or_else(run_casts(p, b->op, TS_PHASE_WEIGHT), b->ready);
  if (p->inputs) {
    b->outputs = comms(p, b->op, TS_WHEN_INPUT, false, true, b->ready);
    b->saved_inputs = comms(p, b->op, TS_WHEN_INPUT, false, false, TS_NO_INDEX);
  }
  uint32_t node = or_else(b->outputs, b->saved_inputs);
  b->held = node != TS_NO_INDEX ? gathered(p, b->op, TS_WHEN_INPUT) : 0;
  ts_note_memory(p->f, node, b->held, TS_IR_TEMPORARIES,
                 fragment_backward_op_at(p->f, b->op)->label);
}

/* The kernels of a phase: those of the rank's own part, which need no collective, were before. */
static uint32_t rest_of_kernels(fragment_backward_pass *p, const op_backward *b, ts_phase phase,
                                uint32_t *first, uint32_t *sum)
{
  const ts_class *class = ts_class_of(p->f->l, b->op);
  if (class->rounds[phase])
    return phase == TS_PHASE_INPUT ?
             ts_ring(p->f, b->op, phase, TS_IR_PHASE_BACKWARD_INPUT, b->ready, first, sum) :
             ts_ring(p->f, b->op, phase, TS_IR_PHASE_BACKWARD_WEIGHT, TS_NO_INDEX, first, sum);
  return kernels(p, b->op, class->parted[phase] ? &class->rest[phase] : &class->work.phase[phase],
                 phase, phase == TS_PHASE_INPUT ? first : NULL);
}

static void input_gradients(fragment_backward_pass *p, op_backward *b)
{
  ts_fragment *f = p->f;
  const ts_op *op = fragment_backward_op_at(f, b->op);
  const ts_class *class = ts_class_of(f->l, b->op);
  uint32_t sum = TS_NO_INDEX,
           dy = op->output_count ? f->tensors[op->slots[op->slot_count - 1].tensor].gradient :
                                   TS_NO_INDEX;
  need_outputs(f, b->op);
  if (class->parted[TS_PHASE_INPUT])
    kernels(p, b->op, &class->own[TS_PHASE_INPUT], TS_PHASE_INPUT, &b->first);
  ts_need(f, b->outputs);
  ts_need(f, b->saved_inputs);
  b->last = rest_of_kernels(p, b, TS_PHASE_INPUT, &b->first, &sum);
  if (b->first == TS_NO_INDEX && b->outputs != TS_NO_INDEX)
    b->first = b->last = b->outputs;
  f->needs.count = 0;
  uint32_t need = or_else(sum, or_else(b->last, b->ready)),
           after = or_else(comms(p, b->op, TS_WHEN_INPUT, true, true, need), sum);
  b->first = or_else(b->first, after);
  shrink(p, b->op, b->first, after);
  pass_on(p, b->op, b->first, or_else(after, b->last), dy);
}

static void weight_gradients(fragment_backward_pass *p, op_backward *b)
{
  ts_fragment *f = p->f;
  const char *label = fragment_backward_op_at(f, b->op)->label;
  const ts_class *class = ts_class_of(f->l, b->op);
  uint32_t sum = TS_NO_INDEX, begun = TS_NO_INDEX,
           late = comms(p, b->op, TS_WHEN_WEIGHT, false, true, b->ready);
  ts_note_memory(f, or_else(b->weight_inputs, late), b->weight_held, TS_IR_TEMPORARIES, label);
  need_outputs(f, b->op);
  need_bucket(p);
  ts_need(f, b->outputs);
  if (class->parted[TS_PHASE_WEIGHT])
    kernels(p, b->op, &class->own[TS_PHASE_WEIGHT], TS_PHASE_WEIGHT, NULL);
  ts_need(f, b->weight_inputs);
  ts_need(f, late);
  b->last = or_else(rest_of_kernels(p, b, TS_PHASE_WEIGHT, &begun, &sum), b->last);
  f->needs.count = 0;
  comms(p, b->op, TS_WHEN_WEIGHT, true, true, b->last);
  ts_note_memory(f, b->last, -b->weight_held, TS_IR_TEMPORARIES, label);
}

/* What the op's backward needed goes when it is over, at `end`; or waits for the weights' part. */
static void let_go(fragment_backward_pass *p, const op_backward *b, uint32_t end)
{
  ts_fragment *f = p->f;
  const ts_op *op = fragment_backward_op_at(f, b->op);
  ts_note_memory(f, end, -b->held, TS_IR_TEMPORARIES, op->label);
  if (fragment_backward_split(p) && p->inputs && has(f, b->op, TS_PHASE_WEIGHT))
    ts_note_memory(f, or_else(b->outputs, or_else(b->first, end)),
                   ts_gradients_for_weights(ts_class_of(f->l, b->op), op), TS_IR_ACTIVATIONS,
                   op->label);
  for (uint32_t k = op->slot_count - op->output_count; p->inputs && k < op->slot_count; k++) {
    if (fragment_backward_split(p))
      ts_gradient_waits(f, op->slots[k].tensor);
    drop_gradient(f, f->tensors[op->slots[k].tensor].gradient, end);
  }
  ts_gathers_leave(f, b->op, end);
  if (!p->inputs)
    ts_gradients_leave(f, b->op, end);
}

/* Casts of what was dropped, for the weight gradient. */
static int64_t cast_again(fragment_backward_pass *p, uint32_t i)
{
  ts_fragment *f = p->f;
  const ts_class *class = ts_class_of(f->l, i);
  int64_t bytes = 0;
  for (uint32_t k = 0; k < class->saved_count; k++)
    bytes += ts_casts_again(f, i, &class->saved[k]) ? class->saved[k].bytes : 0;
  if (bytes)
    ts_note_memory(f, ts_run_casts(f, i, true), bytes, TS_IR_TEMPORARIES,
                   fragment_backward_op_at(f, i)->label);
  return bytes;
}

static void backward_op(fragment_backward_pass *p, uint32_t i)
{
  ts_fragment *f = p->f;
  const ts_op *op = fragment_backward_op_at(f, i);
  if (!op->needs_gradient)
    return;
  ts_gathers_enter(f, i);
  recompute(p, i);
  op_backward b = {.op = i,
                   .inputs = p->inputs && op->needs_input_gradient,
                   .weights = p->weights && has(f, i, TS_PHASE_WEIGHT),
                   .outputs = TS_NO_INDEX,
                   .saved_inputs = TS_NO_INDEX,
                   .weight_inputs = TS_NO_INDEX,
                   .first = TS_NO_INDEX,
                   .last = TS_NO_INDEX};
  int64_t casts = b.weights ? cast_again(p, i) : 0;
  fragment_backward_gather(p, &b);
  if (b.inputs)
    input_gradients(p, &b);
  if (b.weights)
    weight_gradients(p, &b);
  if (p->weights && trained_bytes(f, i, TS_ALL_PARAMETERS, 1) > 0) {
    accumulate(p, i);
    reduce_gradients(p, i, f->last[0]);
  }
  if (p->weights)
    hold_tied(p, i, f->last[0]);
  if (p->first)
    hold_gradients(p, i, f->last[0]);
  uint32_t end = or_else(b.last, or_else(f->last[0], 0));
  if (casts)
    ts_note_memory(f, end, -casts, TS_IR_TEMPORARIES, op->label);
  let_go(p, &b, end);
  release(p, i, end);
}

/* -- the whole -- */

static const char *label_of(const ts_fragment *f, uint32_t tensor)
{
  uint32_t producer = f->l->g->tensors.at[tensor].producer;
  return producer == TS_NO_INDEX ? f->l->g->tensors.at[tensor].name :
                                   fragment_backward_op_at(f, producer)->label;
}

static void receive(ts_fragment *f, uint32_t start)
{
  for (uint32_t k = 0; k < f->stage->out_count; k++) {
    const ts_transfer *t = &f->stage->out[k];
    uint32_t node = start;
    bool travels = !t->local && !(f->l->sc->without & TS_CLAUSE_GRADIENTS);
    if (!t->gradient)
      continue;
    if (travels) {
      ts_need(f, start);
      node = ts_emit_message(f, false, t->bytes, (ts_port_ref){TS_PORT_GRADIENT_IN, k, 0},
                             "receive gradients",
                             (ts_origin){label_of(f, t->tensor), TS_NO_SPAN, TS_NO_SPAN});
    }
    uint32_t gradient = new_gradient(f, node, t->bytes, label_of(f, t->tensor), true);
    f->gradients.at[gradient].ready = travels ? node : TS_NO_INDEX;
    if (f->tensors[t->tensor].gradient == TS_NO_INDEX)
      f->tensors[t->tensor].gradient = gradient;
    else
      add_gradient(f, f->l->g->tensors.at[t->tensor].producer, t->tensor, gradient);
  }
}

/* Where I and W are one, frameworks pass gradients on when the whole backward has returned. */
static void fragment_backward_send(ts_fragment *f, bool whole)
{
  for (uint32_t k = 0; k < f->stage->in_count; k++) {
    const ts_transfer *t = &f->stage->in[k];
    uint32_t gradient = f->tensors[t->tensor].gradient;
    if (!t->gradient)
      continue;
    uint32_t node = gradient == TS_NO_INDEX ? f->last[0] : f->gradients.at[gradient].ready;
    if (!t->local && !(f->l->sc->without & TS_CLAUSE_GRADIENTS)) {
      ts_need(f, node);
      ts_need(f, whole ? f->last[0] : TS_NO_INDEX);
      node = ts_emit_message(f, true, t->bytes, (ts_port_ref){TS_PORT_GRADIENT_OUT, k, 0},
                             "send gradients",
                             (ts_origin){label_of(f, t->tensor), TS_NO_SPAN, TS_NO_SPAN});
    } else if (t->local && node != TS_NO_INDEX && f->nodes.at[node].stream != 0) {
      ts_need(f, node);
      node = ts_emit_record(f, 0);
    }
    if (!whole)
      ts_gradient_waits(f, t->tensor);
    drop_gradient(f, gradient, node != TS_NO_INDEX ? node : f->last[0]);
  }
}

void ts_backward(ts_fragment *f, const ts_placed *item, bool inputs, bool weights, bool last)
{
  fragment_backward_pass p = {.f = f,
                              .inputs = inputs,
                              .weights = weights,
                              .first = item->first && weights,
                              .last = last && weights,
                              .recomputed =
                                TS_NEW_ARRAY(f->scratch, bool, f->l->sh->group_count + 1)};
  if (f->l->plan->host.item)
    ts_emit_host(f, f->l->plan->host.item, "item");
  uint32_t start = ts_emit_record(f, 0);
  ts_plan_memory(f);
  for (uint32_t t = 0; t < f->l->g->tensors.count; t++)
    f->tensors[t].uses = 0;
  if (fragment_backward_split(&p))
    ts_split_plan(f);
  ts_tie_receives(f, item);
  f->inputs = inputs;
  f->weights = weights;
  if (inputs)
    receive(f, start);
  ts_gathers_plan(f, TS_WHEN_INPUT, item);
  if (!inputs)
    keep_all_again(f);
  for (uint32_t i = f->stage->first_op + f->stage->op_count; i-- > f->stage->first_op;)
    backward_op(&p, i);
  for (size_t k = 0; k < f->buckets.count; k++)
    flush(f, &f->buckets.at[k]);
  drop_copy(f);
  need_bucket(&p);
  if (f->needs.count)
    ts_emit_record(f, 0);
  ts_note_memory(f, f->last[0], -p.unsummed, TS_IR_TEMPORARIES, "gradients");
  ts_gathers_end(f, f->last[0]);
  if (inputs)
    fragment_backward_send(f, weights);
  ts_tie_sends(f, item);
}
