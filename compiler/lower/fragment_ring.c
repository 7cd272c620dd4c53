/* A phase around a ring of ranks: each round works on one rank's share of a tensor while the next
 * one travels (ring attention: Liu et al., arXiv 2310.01889; the same for matrix products: Wang et
 * al., ASPLOS 2023). A gather so done holds two shares instead of the whole; a reduce-scatter
 * passes the sum on after each round. */
#include "compiler/eval/mesh.h"
#include "compiler/lower/fragment.h"
#include "compiler/lower/fragment_ring.h"

static ts_when moment(ts_phase phase)
{
  return phase == TS_PHASE_FORWARD ? TS_WHEN_FORWARD :
         phase == TS_PHASE_INPUT   ? TS_WHEN_INPUT :
                                     TS_WHEN_WEIGHT;
}

static int64_t share_bytes(const ts_fragment *f, const ts_comm *comm)
{
  return comm->bytes / ts_axes_size(f->l->s, comm->axes);
}

/* The next shares of all tensors that travel before (or after) the kernels of a round. Returns the
 * last. */
static uint32_t shift(ts_fragment *f, uint32_t op, ts_phase phase, bool after, uint32_t need,
                      uint32_t last, int64_t *held)
{
  const ts_class *class = ts_class_of(f->l, op);
  for (uint32_t c = 0; c < class->comm_count; c++) {
    ts_comm comm = class->comms[c];
    if (!comm.ring || comm.when != moment(phase) || comm.after != after)
      continue;
    int64_t bytes = share_bytes(f, &comm);
    comm.kind = TS_IR_SHIFT;
    ts_need(f, need);
    bool begins = last == TS_NO_INDEX;
    uint32_t node = ts_emit_collective(f, &comm, (uint64_t)bytes, ts_origin_of(f, op));
    if (begins) {
      ts_note_memory(f, node, 2 * bytes, TS_IR_TEMPORARIES, f->l->g->ops.at[op].label);
      *held += 2 * bytes;
    }
    last = node;
  }
  return last;
}

uint32_t ts_ring(ts_fragment *f, uint32_t op, ts_phase phase, ts_ir_phase as, uint32_t ready,
                 uint32_t *first, uint32_t *sum)
{
  const ts_class *class = ts_class_of(f->l, op);
  uint32_t rounds = class->rounds[phase], last = TS_NO_INDEX, came = TS_NO_INDEX;
  int64_t held = 0;
  TS_VEC(uint32_t) given = {0}; /* what the first round waits for */
  for (size_t i = 0; i < f->needs.count; i++)
    TS_PUSH(f->scratch, &given, f->needs.at[i]);
  f->needs.count = 0;
  *sum = TS_NO_INDEX;
  for (uint32_t round = 0; round < rounds; round++) {
    uint32_t here = came;
    if (round + 1 < rounds)
      came = shift(f, op, phase, false, last != TS_NO_INDEX ? last : ready, came, &held);
    for (size_t i = 0; round == 0 && i < given.count; i++)
      ts_need(f, given.at[i]);
    ts_need(f, here);
    for (uint32_t k = 0; k < class->own[phase].count; k++) {
      const ts_kernel *kernel = &class->own[phase].at[k];
      uint32_t node = ts_emit_kernel(f, kernel, as, ts_origin_of(f, op));
      if (kernel->host_only)
        continue;
      last = node;
      if (*first == TS_NO_INDEX)
        *first = node;
    }
    if (round + 1 < rounds)
      *sum = shift(f, op, phase, true, last, *sum, &held);
  }
  ts_note_memory(f, *sum != TS_NO_INDEX && *sum > last ? *sum : last, -held, TS_IR_TEMPORARIES,
                 f->l->g->ops.at[op].label);
  return last;
}
