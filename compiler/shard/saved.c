/* What an op casts before it works on it, and what a rank keeps of it for the backward. */
#include <math.h>
#include <string.h>

#include "compiler/shard/internal.h"
#include "compiler/shard/layout.h"

/* The format of a slot or its gradient, as the op takes it. */
const ts_dtype *ts_sharder_taken(const ts_class *class, uint32_t slot, bool gradient)
{
  const ts_slot *local = &class->local[slot];
  return gradient && local->gradient ? local->gradient : local->dtype;
}

int64_t ts_seen_bytes(const ts_class *class, uint32_t slot, bool gradient)
{
  return (int64_t)ceil(ts_slot_elements(&class->local[slot]) *
                       ts_sharder_taken(class, slot, gradient)->bits / 8);
}

/* Read once and written once, or what the op says: some read it again for its scales, or write a
 * second copy. */
static double cast_bytes(const ts_sharder *c, uint32_t slot, const ts_dtype *from,
                         const ts_dtype *to)
{
  ts_shape shape = c->op->slots[slot].shape;
  double read = (double)ts_layout_bytes(c->s, &c->class->edge[slot], shape, from),
         written = (double)ts_layout_bytes(c->s, &c->class->edge[slot], shape, to),
         moves = c->class->local[slot].cast_moves;
  return moves > 0 ? moves * read * 8 / from->bits : read + written;
}

/* Casts as kernels of their own, of what lies here, before the phase that needs it first. */
void ts_sharder_casts(ts_sharder *c)
{
  for (uint32_t i = c->op->slot_count + c->op->part_count; i-- > 0;) {
    const ts_slot *slot = &c->op->slots[i], *local = &c->class->local[i];
    bool input = slot->kind == TS_SLOT_INPUT;
    const ts_dtype *from = slot->dtype, *to = input ? local->dtype : local->gradient;
    if (!to || to == from || (slot->kind != TS_SLOT_OUTPUT && !input))
      continue;
    ts_phase phase = input                       ? TS_PHASE_FORWARD :
                     c->op->needs_input_gradient ? TS_PHASE_INPUT :
                                                   TS_PHASE_WEIGHT;
    ts_kernels *list = &c->class->work.phase[phase];
    ts_kernel *at = TS_NEW_ARRAY(c->s->arena, ts_kernel, list->count + 1);
    memcpy(at + 1, list->at, list->count * sizeof *at);
    double bytes = cast_bytes(c, i, from, to);
    at[0] = (ts_kernel){.family = ts_lang_intern(c->s->lang, "cast", 4),
                        .dtype = from,
                        .bytes = bytes,
                        .host = -1,
                        .early = true,
                        .span = c->op->decl->name_span};
    *list = (ts_kernels){list->count + 1, at};
  }
}

static bool gathered_again(const ts_class *class, uint32_t slot, bool *gathered)
{
  *gathered = false;
  bool again = false;
  for (uint32_t i = 0; i < class->comm_count; i++) {
    const ts_comm *comm = &class->comms[i];
    if (comm->slot != slot || comm->gradient || !comm->axes)
      continue;
    *gathered |= comm->when == TS_WHEN_FORWARD;
    again |= (comm->when == TS_WHEN_INPUT || comm->when == TS_WHEN_WEIGHT) && !comm->after;
  }
  return again;
}

/* What a rank keeps: the tensor outside of the op if the op's own copy is gathered again in
 * backward, or is no copy. */
void ts_sharder_keep(ts_sharder *c)
{
  const ts_work *work = &c->class->work;
  c->class->saved = TS_NEW_ARRAY(c->s->arena, ts_saved_slot, work->saved_count + 1);
  for (uint32_t i = 0; i < work->saved_count; i++) {
    const ts_saved *saved = &work->saved[i];
    ts_saved_slot result = {saved->slot, false, saved->bytes};
    if (saved->slot != TS_NO_INDEX) {
      bool gathered;
      bool again = gathered_again(c->class, saved->slot, &gathered);
      result.edge = (again || !gathered) && c->op->slots[saved->slot].kind != TS_SLOT_WEIGHT;
      if (c->op->slots[saved->slot].kind == TS_SLOT_WEIGHT)
        continue;
      const ts_dtype *cast = c->class->local[saved->slot].dtype;
      /* the op's own, of what lies here or of what was gathered */
      if (cast != c->op->slots[saved->slot].dtype) {
        const ts_layout *layout =
          result.edge ? &c->class->edge[saved->slot] : &c->class->view[saved->slot];
        result.bytes = ts_layout_bytes(c->s, layout, c->op->slots[saved->slot].shape, cast);
        result.edge = false;
      } else
        result.bytes = result.edge ? 0 : ts_slot_bytes(&c->class->local[saved->slot]);
    }
    c->class->saved[c->class->saved_count++] = result;
  }
}
