/* Memory that ranks hold for the whole step: parameters, gradients, state of the optimizer, and
 * what the plan states. */
#include <string.h>

#include "compiler/eval/mesh.h"
#include "compiler/eval/options.h"
#include "compiler/lower/fragment_parameters.h"
#include "compiler/lower/lowering.h"
#include "compiler/model/op.h"

/* bytes */
typedef struct op_holdings {
  double parameters, gradients, buffers, optimizer;
} op_holdings;

/* Sums of whole gradients lie in buckets, which stay (torch/nn/parallel/distributed.py:
 * Reducer). */
bool ts_lower_frees(const ts_lowering *l, uint32_t i)
{
  const ts_class *class = ts_class_of(l, i);
  bool summed = false;
  for (uint32_t c = 0; c < class->comm_count; c++)
    summed |= class->comms[c].slot == TS_ALL_PARAMETERS && class->comms[c].gradient;
  return l->plan->precision.free_gradients && !l->holds_gradients &&
         (class->gradient_axes || !summed);
}

int64_t ts_lower_gradients(const ts_lowering *l, uint32_t i, uint32_t slot)
{
  const ts_class *class = ts_class_of(l, i);
  return (int64_t)(ts_trained_elements(&l->g->ops.at[i], class, slot) * ts_gradient_bytes(l) /
                     (double)ts_axes_size(l->s, class->gradient_axes) +
                   0.5);
}

/* Each step of each rank follows a backward of each of its stages, and each backward comes before a
 * step: there is what it frees. */
static bool steps_free(const ts_lowering *l)
{
  const ts_schedule *sc = l->sc;
  bool *made = TS_NEW_ARRAY(l->s->arena, bool, sc->stages + 1), free = true;
  for (uint32_t r = 0; r < sc->ranks; r++) {
    const uint32_t *stage_of = sc->stage_of + (size_t)r * sc->chunks;
    for (uint32_t i = sc->order[r].first; i < sc->order[r].first + sc->order[r].count; i++) {
      const ts_placed *p = &sc->items.at[i];
      if (p->kind == TS_BACKWARD || p->kind == TS_WEIGHT_GRADIENT)
        made[p->stage] = true;
      for (uint32_t c = 0; c < sc->chunks && p->kind == TS_STEP; c++) {
        free &= made[stage_of[c]];
        made[stage_of[c]] = false;
      }
    }
    for (uint32_t c = 0; c < sc->chunks; c++)
      free &= !made[stage_of[c]];
  }
  return free;
}

static op_holdings holdings_of(const ts_lowering *l, uint32_t i)
{
  const ts_op *op = &l->g->ops.at[i];
  const ts_class *class = ts_class_of(l, i);
  const ts_plan *plan = l->plan;
  op_holdings held = {0};
  double elements = ts_local_elements(l, op, class, TS_ALL_PARAMETERS),
         trained = ts_trained_elements(op, class, TS_ALL_PARAMETERS);
  double whole = ts_whole_elements(l, op, class);
  held.parameters =
    ((elements - whole) / (double)ts_axes_size(l->s, class->parameter_axes) + whole) *
    ts_weight_bytes(l);
  if ((plan->optimizer.stated || op->needs_gradient) && !ts_lower_frees(l, i))
    held.gradients =
      trained * ts_gradient_bytes(l) / (double)ts_axes_size(l->s, class->gradient_axes);
  held.buffers = trained * plan->precision.buffers;
  if (!(class->optimizer.rate > 0))
    held.optimizer = trained * (plan->optimizer.state + plan->optimizer.master) /
                     (double)ts_axes_size(l->s, class->optimizer_axes);
  return held;
}

static uint64_t holdings_whole(double bytes) { return bytes > 0 ? (uint64_t)(bytes + 0.5) : 0; }

/* -- as records -- */

/* What ranks have in common: what ops of a class hold, and names of patterns in the IR, + 1; 0: not
 * yet. `at`: of the rank at hand. */
struct ts_holder {
  ts_lowering *l;
  bool *known;
  op_holdings *by_class;
  ts_ir_str *name;
  TS_VEC(ts_ir_holding) at;
};

ts_holder *ts_holder_new(ts_lowering *l)
{
  ts_arena *arena = l->s->arena;
  ts_holder *h = TS_NEW(arena, ts_holder);
  h->l = l;
  l->holds_gradients = !steps_free(l);
  h->known = TS_NEW_ARRAY(arena, bool, l->sh->classes.count + 1);
  h->by_class = TS_NEW_ARRAY(arena, op_holdings, l->sh->classes.count + 1);
  h->name = TS_NEW_ARRAY(arena, ts_ir_str, l->g->pattern_count + 1);
  return h;
}

static void holdings_hold(ts_holder *h, ts_ir_category category, double bytes, ts_ir_str name)
{
  for (size_t i = 0; i < h->at.count; i++)
    if (h->at.at[i].category == category && h->at.at[i].label == name) {
      h->at.at[i].bytes += holdings_whole(bytes);
      return;
    }
  TS_PUSH(h->l->s->arena, &h->at, (ts_ir_holding){holdings_whole(bytes), category, name});
}

static void hold_called(ts_holder *h, ts_ir_category category, double bytes, const char *label)
{
  if (bytes > 0)
    holdings_hold(h, category, bytes, ts_ir_add_string(h->l->b, label));
}

/* Under the pattern of an op's label. */
static void hold_of_op(ts_holder *h, ts_ir_category category, double bytes, const ts_op *op)
{
  ts_ir_str *name = &h->name[op->pattern_index];
  if (!(bytes > 0))
    return;
  if (!*name)
    *name = ts_ir_add_string(h->l->b, op->pattern) + 1;
  holdings_hold(h, category, bytes, *name - 1);
}

static void hold_op(ts_holder *h, uint32_t i)
{
  const ts_op *op = &h->l->g->ops.at[i];
  uint32_t class = h->l->sh->class_of[i];
  if (!h->known[class])
    h->by_class[class] = holdings_of(h->l, i);
  h->known[class] = true;
  op_holdings held = h->by_class[class];
  hold_of_op(h, TS_IR_PARAMETERS, held.parameters, op);
  hold_of_op(h, TS_IR_GRADIENTS, held.gradients, op);
  hold_called(h, TS_IR_BUFFERS, held.buffers, "gradient buckets");
  hold_of_op(h, TS_IR_OPTIMIZER, held.optimizer, op);
}

/* Bytes of a field of what the plan states; 0: it is no size. */
static double holdings_stated(const ts_field *f)
{
  bool size =
    f->value->type == TS_T_QUANTITY && ts_dimension_equal(f->value->dimension, TS_DIM_SIZE);
  return size ? f->value->u.real / 8 : 0;
}

static void hold_stated(ts_holder *h)
{
  ts_value memory = h->l->plan->memory;
  for (uint32_t i = 0; memory.type == TS_T_RECORD && i < memory.u.record->count; i++)
    hold_called(h, TS_IR_BUFFERS, holdings_stated(&memory.u.record->at[i]),
                memory.u.record->at[i].name);
}

uint32_t ts_lower_holdings(ts_holder *h, uint32_t rank, uint32_t *count)
{
  const ts_lowering *l = h->l;
  h->at.count = 0;
  for (uint32_t c = 0; c < l->sc->chunks; c++) {
    const ts_stage *stage = &l->stages->at[l->sc->stage_of[rank * l->sc->chunks + c]];
    for (uint32_t i = stage->first_op; i < stage->first_op + stage->op_count; i++)
      hold_op(h, i);
  }
  hold_stated(h);
  *count = (uint32_t)h->at.count;
  return ts_ir_append_copies(l->b, TS_IR_HOLDINGS, h->at.at, *count);
}

/* -- as a sum -- */

/* Ops of a class hold the same. `known`: [classes] bytes + 1; 0: not yet. */
static uint64_t of_op(const ts_lowering *l, uint32_t i, uint64_t *known)
{
  uint64_t *bytes = &known[l->sh->class_of[i]];
  if (!*bytes) {
    op_holdings held = holdings_of(l, i);
    *bytes = 1 + holdings_whole(held.parameters) + holdings_whole(held.gradients) +
             holdings_whole(held.buffers) + holdings_whole(held.optimizer);
  }
  return *bytes - 1;
}

static uint64_t of_stage(const ts_lowering *l, const ts_stage *stage, uint64_t *known)
{
  uint64_t sum = 0;
  for (uint32_t i = stage->first_op; i < stage->first_op + stage->op_count; i++)
    sum += of_op(l, i, known);
  return sum;
}

static uint64_t of_plan(const ts_lowering *l)
{
  ts_value memory = l->plan->memory;
  uint64_t sum = 0;
  for (uint32_t i = 0; memory.type == TS_T_RECORD && i < memory.u.record->count; i++)
    sum += holdings_whole(holdings_stated(&memory.u.record->at[i]));
  return sum;
}

uint64_t *ts_lower_holding_sums(const ts_lowering *l)
{
  const ts_schedule *sc = l->sc;
  uint64_t *stage = TS_NEW_ARRAY(l->s->arena, uint64_t, sc->stages + 1),
           *known = TS_NEW_ARRAY(l->s->arena, uint64_t, l->sh->classes.count + 1),
           *rank = TS_NEW_ARRAY(l->s->arena, uint64_t, sc->ranks + 1);
  for (uint32_t i = 0; i < sc->stages; i++)
    stage[i] = of_stage(l, &l->stages->at[i], known);
  for (uint32_t r = 0; r < sc->ranks; r++) {
    rank[r] = of_plan(l);
    for (uint32_t c = 0; c < sc->chunks; c++)
      rank[r] += stage[sc->stage_of[r * sc->chunks + c]];
  }
  return rank;
}

bool ts_lower_holds_too_much(const ts_lowering *l, ts_memory_bound *held)
{
  const uint64_t *rank = ts_lower_holding_sums(l);
  held->bytes = 0;
  for (uint32_t r = 0; r < l->sc->ranks; r++)
    held->bytes = rank[r] > held->bytes ? rank[r] : held->bytes;
  return ts_cluster_room(l, held) && held->bytes > held->limit - held->reserved;
}
