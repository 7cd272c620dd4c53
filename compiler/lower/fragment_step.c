/* The end of a step: gradients that are still on their way, the optimizer, and what surrounds it.
 * And the messages of `depend` clauses. */
#include <math.h>
#include <string.h>

#include "compiler/eval/mesh.h"
#include "compiler/eval/report.h"
#include "compiler/lower/fragment.h"
#include "compiler/lower/fragment_pieces.h"
#include "compiler/lower/fragment_parameters.h"

static const ts_class *class_at(const ts_fragment *f, uint32_t i) { return ts_class_of(f->l, i); }

/* parameters whose optimizer state is sharded and kept the same way */
typedef struct chunk {
  uint32_t axes;
  const ts_offload *offload;
  double elements;
  double gradients; /* elements of gradients that the rank holds before they are dealt out */
  uint32_t tensors;
} chunk;

static void update(ts_fragment *f, const ts_update_kernel *u, double elements)
{
  ts_kernel k = ts_moving_kernel(f->l, u->family, ts_dtype_find("fp32"), u->bytes * elements,
                                 u->flops * elements, u->span);
  ts_emit_kernel(f, &k, TS_IR_PHASE_OPTIMIZER,
                 (ts_origin){u->name ? u->name : "optimizer", u->span, TS_NO_SPAN});
}

/* One of so many pieces of a chunk. */
static void update_all(ts_fragment *f, const ts_optimizer *o, const chunk *c, double pieces)
{
  for (uint32_t k = 0; k < o->kernel_count; k++)
    update(f, &o->kernels[k], (o->kernels[k].whole ? c->gradients : c->elements) / pieces);
}

/* A traced update: all of its kernels as one, by the share of the parameters that is updated here.
 * */
static void update_as_measured(ts_fragment *f, const ts_optimizer *optimizer, double elements)
{
  ts_lowering *l = f->l;
  double all = (double)(l->g->trained - l->shared_parameters),
         share = all > 0 ? elements / all : 0;
  bool timed = l->g->optimizer_seconds > 0;
  ts_kernel k = ts_moving_kernel(l, "elementwise", ts_dtype_find("fp32"),
                                 timed ? elements * ts_weight_bytes(l) : share * l->g->update_bytes,
                                 0, optimizer->span);
  if (timed)
    k.cost = ts_costing_measured(l->costing, l->g, k.cost, l->g->optimizer_seconds, share);
  ts_emit_kernel(f, &k, TS_IR_PHASE_OPTIMIZER,
                 (ts_origin){"optimizer", optimizer->span, TS_NO_SPAN});
}

/* Traced copies of gradients into buckets and out of them, which run while the last buckets are on
 * their way. */
static void copy_buckets(ts_fragment *f, const chunk *chunks, uint32_t count)
{
  ts_lowering *l = f->l;
  double all = (double)(l->g->trained - l->shared_parameters), held = 0;
  for (uint32_t c = 0; c < count; c++)
    held += chunks[c].gradients;
  if (!l->plan->optimizer.listed || !(l->g->bucket_bytes > 0 && held > 0 && all > 0))
    return;
  ts_kernel k = ts_moving_kernel(l, "elementwise", ts_dtype_find("fp32"),
                                 held / all * l->g->bucket_bytes, 0, l->plan->optimizer.span);
  ts_emit_kernel(f, &k, TS_IR_PHASE_BACKWARD_WEIGHT,
                 (ts_origin){"buckets", l->plan->optimizer.span, TS_NO_SPAN});
}

/* In how many pieces so many bytes go; a bucket of 0 B is as large as all. More than MOST_PIECES
 * are refused: each is work of its own. */
enum { MOST_PIECES = 1 << 16 };

static double pieces_of(ts_fragment *f, double bytes, const ts_comm *comm)
{
  double piece = comm->bucket, pieces = piece > 0 && piece < bytes ? ceil(bytes / piece) : 1;
  if (pieces <= MOST_PIECES)
    return pieces;
  ts_session *s = f->l->s;
  ts_diag *d = ts_report(s, TS_E0226, comm->span,
                         "a step would move its %.4g GiB in %.4g pieces, more than %s",
                         bytes / (1 << 30), pieces, ts_count_print(s->arena, MOST_PIECES));
  ts_diag_here(d, "in buckets of %.6g B", piece);
  ts_diag_note_at(d, f->l->sh->rules.at[comm->rule].applied, "applied here");
  ts_diag_help(d, "make the bucket larger: at least %.0f MiB",
               ceil(bytes / MOST_PIECES / (1 << 20)));
  f->l->failed = true;
  return 1;
}

/* State that lies on the host comes in pieces, is updated, and goes back, while the next piece
 * comes. */
static void update_offloaded(ts_fragment *f, const ts_optimizer *optimizer, const chunk *c)
{
  double bytes = c->elements * (optimizer->state + optimizer->master);
  double pieces = pieces_of(f, bytes, &c->offload->options);
  ts_origin origin = {"optimizer", c->offload->options.span, c->offload->options.span};
  uint32_t sent = ts_emit_record(f, ts_copy_stream(f->l, false)); /* by the step before */
  for (double n = 0; n < pieces; n++) {
    ts_need(f, f->last[0]);
    ts_need(f, sent);
    uint32_t come = ts_emit_copy(f, bytes / pieces, c->offload->rate, true, origin);
    ts_note_memory(f, come, (int64_t)(bytes / pieces), TS_IR_OPTIMIZER, "state from the host");
    ts_need(f, come);
    update_all(f, optimizer, c, pieces);
    ts_need(f, f->last[0]);
    ts_note_memory(f, ts_emit_copy(f, bytes / pieces, c->offload->rate, false, origin),
                   -(int64_t)(bytes / pieces), TS_IR_OPTIMIZER, "state from the host");
  }
}

/* State that never leaves the host: gradients go there in pieces, its processors update, and the
 * weights come back (Ren et al., arXiv 2101.06840). */
static void update_on_host(ts_fragment *f, const ts_optimizer *optimizer, const chunk *c)
{
  const ts_lowering *l = f->l;
  double moved = 0, sent = c->elements * ts_gradient_bytes(l),
         pieces = pieces_of(f, sent, &c->offload->options);
  for (uint32_t k = 0; k < optimizer->kernel_count; k++)
    moved +=
      (optimizer->kernels[k].whole ? c->gradients : c->elements) * optimizer->kernels[k].bytes;
  ts_origin origin = {"optimizer", c->offload->options.span, c->offload->options.span};
  uint32_t ready = f->last[0], back = TS_NO_INDEX;
  for (double n = 0; n < pieces; n++) {
    ts_need(f, ready);
    ts_need(f, ts_emit_copy(f, sent / pieces, c->offload->rate, false, origin));
    ts_need(f, ts_emit_host_update(f, moved / pieces, c->offload->updates, origin));
    back =
      ts_emit_copy(f, c->elements * ts_weight_bytes(l) / pieces, c->offload->rate, true, origin);
  }
  ts_need(f, back);
  ts_emit_record(f, 0);
}

static void run_optimizer(ts_fragment *f, const chunk *chunks, uint32_t count)
{
  const ts_optimizer *optimizer = &f->l->plan->optimizer;
  if (!optimizer->listed)
    return;
  if (f->l->g->optimizer_seconds > 0 || f->l->g->update_bytes > 0) {
    for (uint32_t c = 0; c < count; c++)
      update_as_measured(f, optimizer, chunks[c].elements);
    return;
  }
  for (uint32_t c = 0; c < count; c++) {
    if (chunks[c].offload) {
      if (chunks[c].offload->updates > 0)
        update_on_host(f, optimizer, &chunks[c]);
      else
        update_offloaded(f, optimizer, &chunks[c]);
      continue;
    }
    uint32_t launches = optimizer->fused ? 1 : chunks[c].tensors;
    for (uint32_t n = 0; n < launches; n++)
      update_all(f, optimizer, &chunks[c], launches);
  }
}

/* What the update holds of its own, such as copies of gradients in another format. */
static void hold_while_updating(ts_fragment *f, const chunk *chunks, uint32_t count)
{
  double bytes = 0;
  for (uint32_t c = 0; c < count; c++)
    bytes += chunks[c].offload ? 0 : chunks[c].elements * f->l->plan->optimizer.temp;
  if (!(bytes > 0) || f->last[0] == TS_NO_INDEX)
    return;
  ts_note_memory(f, f->last[0], (int64_t)bytes, TS_IR_OPTIMIZER, "update");
  ts_note_memory(f, f->last[0], -(int64_t)bytes, TS_IR_OPTIMIZER, "update");
}

/* Bytes of one parameter that the collective carries: those kept in parts are gathered where they
 * are used, not after the step; those that stay whole are in no parts. */
static double around_step(const ts_lowering *l, const ts_op *op, const ts_class *class,
                          const ts_comm *comm, uint32_t slot)
{
  double elements = ts_trained_elements(op, class, slot),
         element = comm->gradient ? ts_gradient_bytes(l) : ts_weight_bytes(l);
  if (!comm->gradient && elements <= (double)class->whole_up_to)
    return elements * element * comm->share;
  bool parts = !comm->gradient && comm->kind == TS_IR_ALL_GATHER &&
               (class->parameter_axes & comm->axes);
  return parts ? 0 : elements * element * ts_comm_part(l, class, comm);
}

typedef struct total { const ts_comm *comm; double bytes; } total;
typedef TS_VEC(total) total_list;

/* A bucket that is never exceeded is one of its own where the next tensor does not fit. */
static void add_total(ts_fragment *f, total_list *totals, const ts_comm *comm, double bytes)
{
  for (size_t t = totals->count; t-- > 0 && bytes > 0;) {
    const ts_comm *other = totals->at[t].comm;
    if (other->rule != comm->rule || other->kind != comm->kind || other->axes != comm->axes ||
        other->every != comm->every)
      continue;
    if (!comm->exceeds && totals->at[t].bytes + bytes > comm->bucket)
      break;
    totals->at[t].bytes += bytes;
    return;
  }
  if (bytes > 0)
    TS_PUSH(f->scratch, totals, (total){comm, bytes});
}

/* Collectives of `before step` and `after step`: one for each rule, or one for each bucket. They
 * begin when the compute stream has done what is before them. Marks their streams. */
static void surround(ts_fragment *f, const ts_placed *item, const uint32_t *stages, uint32_t count,
                     bool after, bool *streams)
{
  ts_lowering *l = f->l;
  total_list totals = {0};
  for (uint32_t s = 0; s < count; s++)
    for (uint32_t i = l->stages->at[stages[s]].first_op,
                  end = i + l->stages->at[stages[s]].op_count;
         i < end; i++) {
      const ts_op *op = &l->g->ops.at[i];
      const ts_class *class = class_at(f, i);
      for (uint32_t c = 0; c < class->comm_count; c++) {
        const ts_comm *comm = &class->comms[c];
        if (comm->when != TS_WHEN_STEP || comm->after != after || !ts_takes_part(comm->every, item))
          continue;
        for (uint32_t k = op->input_count; k < op->input_count + op->param_count; k++)
          add_total(f, &totals, comm, around_step(l, op, class, comm, k));
      }
    }
  for (size_t t = 0; t < totals.count; t++) {
    const ts_comm *comm = totals.at[t].comm;
    double left = totals.at[t].bytes,
           bucket = comm->exceeds && pieces_of(f, left, comm) > 1 ? comm->bucket : left;
    uint32_t ready = f->last[0] == TS_NO_INDEX ? ts_emit_record(f, 0) : f->last[0];
    streams[ts_comm_stream(l, comm)] = true;
    for (; left > 0; left -= bucket) {
      ts_need(f, ready);
      ts_emit_collective(f, comm, (uint64_t)((left < bucket ? left : bucket) + 0.5),
                         (ts_origin){"step", comm->span, TS_NO_SPAN});
    }
  }
}

/* Both NULL, or to the same host at the same rates in the same pieces. */
static bool same_offload(const ts_offload *a, const ts_offload *b)
{
  return a == b || (a && b && a->rate == b->rate && a->updates == b->updates &&
                    a->options.bucket == b->options.bucket);
}

static uint32_t fragment_step_collect(ts_fragment *f, const uint32_t *stages, uint32_t count,
                                      chunk *chunks, bool *streams)
{
  ts_lowering *l = f->l;
  uint32_t n = 0;
  for (uint32_t s = 0; s < count; s++)
    for (uint32_t i = l->stages->at[stages[s]].first_op,
                  end = i + l->stages->at[stages[s]].op_count;
         i < end; i++) {
      const ts_op *op = &l->g->ops.at[i];
      const ts_class *class = class_at(f, i);
      double elements = ts_trained_elements(op, class, TS_ALL_PARAMETERS);
      uint32_t tensors = 0;
      for (uint32_t k = op->input_count; k < op->input_count + op->param_count; k++)
        tensors += class->local[k].present && !op->slots[k].frozen;
      for (uint32_t c = 0; c < class->comm_count; c++)
        if (class->comms[c].when == TS_WHEN_GRADIENTS ||
            (class->comms[c].when == TS_WHEN_WEIGHT && class->comms[c].slot == TS_ALL_PARAMETERS))
          streams[ts_comm_stream(l, &class->comms[c])] = true;
      if (!(elements > 0))
        continue;
      uint32_t c = 0;
      const ts_offload *offload = class->optimizer.rate > 0 ? &class->optimizer : NULL;
      while (c < n &&
             (chunks[c].axes != class->optimizer_axes || !same_offload(chunks[c].offload, offload)))
        c++;
      if (c == n)
        chunks[n++] = (chunk){.axes = class->optimizer_axes, .offload = offload};
      chunks[c].elements += elements / (double)ts_axes_size(l->s, class->optimizer_axes);
      chunks[c].gradients += elements / (double)ts_axes_size(l->s, class->gradient_axes);
      chunks[c].tensors += tensors;
    }
  return n;
}

/* The weight that this op has in common with another, on another rank of the pipeline: both sum
 * what each found (Megatron-LM's embedding group). */
static void fragment_step_share(ts_fragment *f, uint32_t shared, uint32_t side)
{
  ts_lowering *l = f->l;
  const ts_shared_weight *s = &l->sh->shared.at[shared];
  uint32_t i = side ? s->with : s->op;
  const ts_class *class = class_at(f, i);
  const ts_op *op = &l->g->ops.at[i];
  double bytes =
    ts_slot_elements(&class->local[side ? op->input_count : s->slot]) * ts_gradient_bytes(l);
  bytes *= ts_gradients_left(l, class);
  ts_origin origin = {op->label, s->span, s->span};
  uint32_t ready = f->last[0] == TS_NO_INDEX ? ts_emit_record(f, 0) : f->last[0];
  ts_need(f, ready);
  ts_emit_message(f, true, (int64_t)bytes, (ts_port_ref){TS_PORT_SHARED, 2 * shared + side, 0},
                  "send shared gradients", origin);
  ts_need(f, ready);
  ts_need(f, ts_emit_message(f, false, (int64_t)bytes,
                             (ts_port_ref){TS_PORT_SHARED, 2 * shared + side, 0},
                             "receive shared gradients", origin));
  ts_kernel sum = ts_moving_kernel(l, "elementwise", ts_dtype_find("fp32"), 3 * bytes, 0, s->span);
  ts_emit_kernel(f, &sum, TS_IR_PHASE_OPTIMIZER, origin);
}

/* Whether one of the stages has the op. */
static bool fragment_step_holds(const ts_lowering *l, const uint32_t *stages, uint32_t count,
                                uint32_t op)
{
  for (uint32_t s = 0; s < count; s++)
    if (op - l->stages->at[stages[s]].first_op < l->stages->at[stages[s]].op_count)
      return true;
  return false;
}

/* A rank that holds both sides (of two copies of the model that run in opposite directions, say)
 * sums them where they are. */
static void share_all(ts_fragment *f, const uint32_t *stages, uint32_t count)
{
  ts_lowering *l = f->l;
  for (uint32_t k = 0; k < l->sh->shared.count; k++) {
    bool here[2] = {fragment_step_holds(l, stages, count, l->sh->shared.at[k].op),
                    fragment_step_holds(l, stages, count, l->sh->shared.at[k].with)};
    if (l->shared_rank[2 * k] != l->shared_rank[2 * k + 1] && here[0] != here[1])
      fragment_step_share(f, k, here[1]);
  }
}

/* Bytes of a stage's gradients that are left on a rank when its strategies have reduced them. */
static double gradient_bytes(const ts_fragment *f, uint32_t stage)
{
  const ts_lowering *l = f->l;
  double bytes = 0;
  for (uint32_t i = l->stages->at[stage].first_op, end = i + l->stages->at[stage].op_count; i < end;
       i++) {
    const ts_op *op = &l->g->ops.at[i];
    const ts_class *class = class_at(f, i);
    double elements = ts_trained_elements(op, class, TS_ALL_PARAMETERS);
    bytes += elements * ts_gradients_left(l, class) * ts_gradient_bytes(l);
  }
  return bytes;
}

/* Messages between the copies of a rank's stages, to and from each of the others; after the compute
 * stream's last. */
static void exchange(ts_fragment *f, const int64_t *share, uint32_t count, const bool *apart,
                     uint32_t round, ts_origin origin)
{
  uint32_t copies = f->l->sc->copies,
           ready = f->last[0] == TS_NO_INDEX ? ts_emit_record(f, 0) : f->last[0];
  for (int in = 0; in < 2; in++)
    for (uint32_t c = 0; c < count; c++)
      for (uint32_t n = 1; n < copies; n++) {
        ts_port_ref port = {in ? TS_PORT_COPY_IN : TS_PORT_COPY_OUT, 2 * (c * copies + n) + round,
                            0};
        if (!apart[c * copies + n] || !share[c])
          continue;
        ts_need(f, ready);
        uint32_t node =
          ts_emit_message(f, !in, share[c], port,
                          in ? "receive gradients of copies" : "send gradients of copies", origin);
        if (in)
          TS_PUSH(f->scratch, &f->barrier, node);
      }
}

/* Where the model is there several times (a schedule's `copies`), the copies of a stage sum their
 * gradients: each gets a share of them from all others, sums it, and passes the sum on, as much as
 * a ring of as many ranks moves. */
static void join_copies(ts_fragment *f, const uint32_t *stages, uint32_t count, const bool *apart)
{
  ts_lowering *l = f->l;
  uint32_t copies = l->sc->copies;
  int64_t *share = TS_NEW_ARRAY(f->scratch, int64_t, count + 1), moved = 0;
  ts_origin origin = {"gradients of copies", l->sc->span, l->sc->stages_span};
  for (uint32_t c = 0; c < count; c++) {
    share[c] = (int64_t)(gradient_bytes(f, stages[c]) / copies);
    for (uint32_t n = 1; n < copies; n++)
      moved += apart[c * copies + n] ? 3 * share[c] : 0; /* two are read and one written */
  }
  if (!moved)
    return;
  exchange(f, share, count, apart, 0, origin);
  ts_kernel sum =
    ts_moving_kernel(l, "elementwise", ts_dtype_find("fp32"), (double)moved, 0, l->sc->span);
  ts_emit_kernel(f, &sum, TS_IR_PHASE_OPTIMIZER, origin);
  exchange(f, share, count, apart, 1, origin);
}

/* The compute stream goes on when all is done that was issued to these. */
static void wait_for(ts_fragment *f, const bool *streams)
{
  for (uint32_t s = 1; s < f->l->stream_count; s++)
    if (streams[s])
      ts_need(f, ts_emit_record(f, s));
  if (f->needs.count)
    ts_emit_record(f, 0);
}

bool ts_frees(const ts_lowering *l, const ts_stage *stage)
{
  for (uint32_t i = stage->first_op; i < stage->first_op + stage->op_count; i++)
    if (ts_lower_frees(l, i) && ts_lower_gradients(l, i, TS_ALL_PARAMETERS))
      return true;
  return false;
}

/* What the step has used (torch/optim: zero_grad sets gradients to none): layers together. */
static void free_gradients(ts_fragment *f, const uint32_t *stages, uint32_t count)
{
  const ts_graph *g = f->l->g;
  int64_t *bytes = TS_NEW_ARRAY(f->scratch, int64_t, g->pattern_count + 1);
  const char **pattern = TS_NEW_ARRAY(f->scratch, const char *, g->pattern_count + 1);
  for (uint32_t s = 0; s < count; s++)
    for (uint32_t i = f->l->stages->at[stages[s]].first_op,
                  end = i + f->l->stages->at[stages[s]].op_count;
         i < end; i++) {
      if (!ts_lower_frees(f->l, i))
        continue;
      bytes[g->ops.at[i].pattern_index] += ts_lower_gradients(f->l, i, TS_ALL_PARAMETERS);
      pattern[g->ops.at[i].pattern_index] = g->ops.at[i].pattern;
    }
  for (uint32_t p = 0; p < g->pattern_count; p++) {
    if (bytes[p] && f->last[0] == TS_NO_INDEX)
      ts_emit_record(f, 0);
    ts_note_memory(f, f->last[0], -bytes[p], TS_IR_GRADIENTS, pattern[p]);
  }
}

void ts_update_step(ts_fragment *f, const ts_placed *item, const uint32_t *stages, uint32_t count,
                    const bool *apart)
{
  ts_lowering *l = f->l;
  uint32_t ops = 0;
  bool gradients[TS_MAX_STREAMS] = {false}, before[TS_MAX_STREAMS] = {false},
       after[TS_MAX_STREAMS] = {false};
  for (uint32_t s = 0; s < count; s++)
    ops += l->stages->at[stages[s]].op_count;
  chunk *chunks = TS_NEW_ARRAY(f->scratch, chunk, ops + 1); /* each op is of one */
  if (l->plan->host.step)
    ts_emit_host(f, l->plan->host.step, "step");
  ts_tie_receives(f, item);
  uint32_t n = fragment_step_collect(f, stages, count, chunks, gradients);
  copy_buckets(f, chunks, n);
  wait_for(f, gradients);
  surround(f, item, stages, count, false, before);
  wait_for(f, before);
  share_all(f, stages, count);
  join_copies(f, stages, count, apart);
  run_optimizer(f, chunks, n);
  hold_while_updating(f, chunks, n);
  surround(f, item, stages, count, true, after);
  wait_for(f, after); /* the next step takes the updated weights */
  free_gradients(f, stages, count);
  ts_tie_sends(f, item);
}

/* -- `depend` clauses -- */

static ts_origin origin_of(const ts_tie *tie)
{
  return (ts_origin){tie->clause->name ? tie->clause->name : "depend", tie->clause->span,
                     tie->clause->span};
}

/* Messages that carry nothing overtake those that carry something. Of those among which a clause
 * chooses each comes by a stream of its own. */
static uint32_t tie(ts_fragment *f, const ts_placed *item, uint32_t k)
{
  const ts_schedule *sc = f->l->sc;
  const ts_tie_end *end = &sc->links.at[item->link_first + k];
  const ts_tie *tie = &sc->ties.at[end->tie];
  const char *stream = tie->bytes ? "protocol" : "signals";
  bool chosen = tie->some && !end->outgoing;
  stream = chosen ?
             ts_arena_printf(f->l->s->arena, "receive %s %u", origin_of(tie).label, tie->lane) :
             ts_arena_printf(f->l->s->arena, "%s %s", end->outgoing ? "send" : "receive", stream);
  if (f->last[0] == TS_NO_INDEX)
    ts_emit_record(f, 0);
  ts_need(f, f->last[0]);
  return ts_emit_message(f, end->outgoing, tie->bytes,
                         (ts_port_ref){chosen ? TS_PORT_CHOICE : TS_PORT_TIE, k, 0}, stream,
                         origin_of(tie));
}

/* The ties of a clause stand together. */
static uint32_t receive_some(ts_fragment *f, const ts_placed *item, uint32_t k)
{
  const ts_schedule *sc = f->l->sc;
  const ts_tie *first = &sc->ties.at[sc->links.at[item->link_first + k].tie];
  TS_VEC(uint32_t) nodes = {0};
  for (; k < item->link_count; k++) {
    const ts_tie_end *end = &sc->links.at[item->link_first + k];
    if (end->outgoing)
      continue;
    if (sc->ties.at[end->tie].clause != first->clause)
      break;
    TS_PUSH(f->scratch, &nodes, tie(f, item, k));
  }
  ts_emit_choice(f, nodes.at, (uint32_t)nodes.count, first->some, origin_of(first));
  return k;
}

void ts_tie_receives(ts_fragment *f, const ts_placed *item)
{
  const ts_schedule *sc = f->l->sc;
  for (uint32_t k = 0; k < item->link_count;) {
    const ts_tie_end *end = &sc->links.at[item->link_first + k];
    if (!end->outgoing && sc->ties.at[end->tie].some) {
      k = receive_some(f, item, k);
      continue;
    }
    if (!end->outgoing) {
      ts_need(f, tie(f, item, k));
      ts_emit_record(f, 0);
    }
    k++;
  }
}

void ts_tie_sends(ts_fragment *f, const ts_placed *item)
{
  for (uint32_t k = 0; k < item->link_count; k++)
    if (f->l->sc->links.at[item->link_first + k].outgoing)
      tie(f, item, k);
}
