/* The model cut into stages, and where the two ops of a shared weight then lie. */
#include "compiler/eval/report.h"
#include "compiler/lower/lowering.h"

static bool has_op(const ts_lowering *l, uint32_t stage, uint32_t op)
{
  return op - l->stages->at[stage].first_op < l->stages->at[stage].op_count;
}

/* Whether each rank that has `op` has `with` too, in one copy of the model or another. */
static bool together(const ts_lowering *l, uint32_t op, uint32_t with)
{
  for (uint32_t s = 0; s < l->stages->count; s++) {
    bool found = !has_op(l, s, op);
    for (uint32_t t = 0; t < l->stages->count && !found; t++)
      found = l->sc->rank_of[s] == l->sc->rank_of[t] && has_op(l, t, with);
    if (!found)
      return false;
  }
  return true;
}

static void three_ranks(ts_lowering *l, const ts_shared_weight *shared,
                        const ts_shared_weight *other)
{
  const ts_op *op = &l->g->ops.at[shared->op];
  ts_diag *d =
    ts_report(l->s, TS_E0332, l->sc->stages_span,
              "a weight that %s, %s and %s share would be on three ranks of the pipeline",
              ts_arena_printf(l->s->arena, "`%s`", l->g->ops.at[shared->with].label),
              ts_arena_printf(l->s->arena, "`%s`", l->g->ops.at[other->op].label),
              ts_arena_printf(l->s->arena, "`%s`", op->label));
  ts_diag_here(d, "gradients are summed between two");
  ts_diag_label(d, op->span, "the third");
  ts_diag_note_at(d, shared->span, "shared here");
  ts_diag_help(
    d, "state the sizes of the stages, so that two of them are on one rank: `stages p of [...]`");
  l->failed = true;
}

/* Where the two ops of a shared weight lie. On one rank it is held, and updated, once. */
static void place_shared(ts_lowering *l)
{
  l->shared_rank = TS_NEW_ARRAY(l->s->arena, uint32_t, 2 * l->sh->shared.count + 1);
  for (uint32_t k = 0; k < l->sh->shared.count; k++) {
    const ts_shared_weight *shared = &l->sh->shared.at[k];
    for (uint32_t side = 0; side < 2; side++)
      for (uint32_t s = l->stages->count; s-- > 0;)
        if (has_op(l, s, side ? shared->with : shared->op))
          l->shared_rank[2 * k + side] = l->sc->rank_of[s];
    bool once = together(l, shared->op, shared->with);
    for (uint32_t j = 0; j < k && !once; j++) {
      const ts_shared_weight *other = &l->sh->shared.at[j];
      if (other->with != shared->with || l->shared_rank[2 * j] == l->shared_rank[2 * j + 1])
        continue;
      once = together(l, shared->op, other->op);
      if (once)
        l->shared_rank[2 * k] = l->shared_rank[2 * k + 1]; /* the other one's sum is this one's */
      else
        three_ranks(l, shared, other);
      break;
    }
    l->shared_parameters +=
      (uint64_t)ts_shape_elements(l->g->ops.at[shared->op].slots[shared->slot].shape);
    if (once)
      l->sh->classes.at[l->sh->class_of[shared->op]].local[shared->slot].present = false;
  }
}

/* The mean over the micro-batches, a backward as two forwards. */
static double slowed_by(const ts_schedule *sc, const double *slow, uint32_t stage)
{
  size_t kind = (size_t)sc->stages * sc->micro_batches;
  double sum = 0;
  for (uint32_t i = 0; slow && i < sc->micro_batches; i++) {
    const double *at = slow + (size_t)stage * sc->micro_batches + i;
    sum += (at[TS_FORWARD * kind] + at[TS_BACKWARD * kind] * (at[TS_INPUT_GRADIENT * kind] +
                                                              at[TS_WEIGHT_GRADIENT * kind])) /
           3;
  }
  return sum > 0 ? sum / sc->micro_batches : 1;
}

/* [parts][ops] seconds of each op, forward and backward, where the part is; NULL after errors */
static const double *seconds_of_stages(ts_lowering *l)
{
  const ts_schedule *sc = l->sc;
  const double *slow;
  double *seconds = TS_NEW_ARRAY(l->s->arena, double, sc->parts * l->g->ops.count + 1);
  if (!ts_schedule_slow(l->s, l->sc, &slow))
    return NULL;
  for (uint32_t part = 0; part < sc->parts; part++) {
    uint32_t rank = sc->rank_of[part];
    double *at = seconds + part * l->g->ops.count;
    ts_costing_seconds(l->costing, l->g, l->sh, sc->devices ? sc->devices[rank] : 0, at);
    for (size_t i = 0; i < l->g->ops.count; i++)
      at[i] *= ts_schedule_slowness(sc, rank) * slowed_by(sc, slow, part);
  }
  return seconds;
}

bool ts_lower_stages(ts_lowering *l)
{
  bool plain = ts_stages_are_plain(l->g, l->sc);
  const double *seconds = plain ? NULL : seconds_of_stages(l);
  l->stages = plain || seconds ? ts_stages_build(l->s, l->g, l->sh, l->sc, seconds) : NULL;
  if (!l->stages)
    return false;
  l->sc->built = l->stages;
  place_shared(l);
  return !l->failed;
}
