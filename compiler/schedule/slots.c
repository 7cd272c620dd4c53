/* Policies that say when: a timetable of slots, checked, squeezed (schedule_timetable.c), and then
 * followed by the plan's times. */
#include <math.h>

#include "compiler/eval/report.h"
#include "compiler/schedule/policy.h"
#include "compiler/schedule/timetable.h"

enum { MAX_SLOTS = 1 << 24 }; /* of all ranks together */

static bool slots_fail(ts_schedule_builder *b)
{
  b->failed = true;
  return false;
}

static bool wrong_slot(ts_schedule_builder *b, const ts_ast *at, ts_work_kind kind, uint32_t i,
                       uint32_t stage, double slot)
{
  ts_diag *d = ts_report(b->s, TS_E0408, at->span, "%s(%u) at stage %u in slot %g",
                         ts_work_letter(kind), i, stage, slot);
  ts_diag_here(d, "must be a whole number from 0, below %u", MAX_SLOTS / b->sc->ranks);
  return slots_fail(b);
}

/* The slots as the policy has them, of one kind: [stage * m + micro-batch]. */
static const int32_t *read_slots(ts_attempt *a, bool backward, uint32_t *slots)
{
  const ts_schedule *sc = a->b->sc;
  int32_t *slot = TS_NEW_ARRAY(a->arena, int32_t, (size_t)sc->stages * sc->micro_batches + 1);
  for (uint32_t stage = 0; stage < sc->stages; stage++) {
    uint32_t rank = sc->rank_of[stage],
             k = (a->policy[rank].preferences.at[0].kind != TS_FORWARD) != backward;
    const ts_preference *f = &a->policy[rank].preferences.at[k];
    for (uint32_t i = 0; i < sc->micro_batches; i++) {
      double at = ts_policy_key(a, rank, k, sc->chunk_of[stage], i);
      if (a->b->failed)
        return NULL;
      if (at < 0 || at != floor(at) || at >= MAX_SLOTS / sc->ranks) {
        wrong_slot(a->b, f->key, f->kind, i, stage, at);
        return NULL;
      }
      slot[(size_t)stage * sc->micro_batches + i] = (int32_t)at;
      *slots = (uint32_t)at + 2 > *slots ? (uint32_t)at + 2 : *slots;
    }
  }
  return slot;
}

static bool slot_taken(const ts_attempt *a, const ts_timetable *t, const uint64_t *owner,
                       ts_work_kind kind, uint32_t stage, uint32_t i, uint32_t slot)
{
  const ts_schedule *sc = a->b->sc;
  uint64_t other = *owner - 1, items = (uint64_t)sc->stages * sc->micro_batches;
  const char *first = ts_work_letter(other < items ? TS_FORWARD :
                                     t->whole      ? TS_BACKWARD :
                                                     TS_INPUT_GRADIENT);
  ts_diag *d = ts_report(a->b->s, TS_E0408, a->policy[sc->rank_of[stage]].timetable->span,
                         "two items in slot %u of rank %u", slot, sc->rank_of[stage]);
  ts_diag_here(d, "places %s(%u, %u) and %s(%u, %u) there", first,
               (uint32_t)(other % items % sc->micro_batches),
               sc->chunk_of[other % items / sc->micro_batches], ts_work_letter(kind), i,
               sc->chunk_of[stage]);
  if (t->whole)
    ts_diag_note(d, "B takes two slots, I and W of one each");
  return slots_fail(a->b);
}

static bool slot_too_early(const ts_attempt *a, const ts_timetable *t, bool backward,
                           uint32_t stage, uint32_t i, const char *needs, int32_t after)
{
  const ts_schedule *sc = a->b->sc;
  const char *letter = ts_work_letter(!backward ? TS_FORWARD :
                                      t->whole  ? TS_BACKWARD :
                                                  TS_INPUT_GRADIENT);
  ts_diag *d = ts_report(a->b->s, TS_E0404, a->policy[sc->rank_of[stage]].timetable->span,
                         "%s(%u) at stage %u begins before what it needs", letter, i, stage);
  ts_diag_here(d, "places it in slot %d of rank %u",
               t->slot[backward][(size_t)stage * sc->micro_batches + i], sc->rank_of[stage]);
  ts_diag_note(d, "%s, which ends with slot %d", needs, after - 1);
  return slots_fail(a->b);
}

/* One item a slot on a rank, nothing before what it needs, micro-batches of a stage in their order.
 * */
static bool check_timetable(const ts_attempt *a, const ts_timetable *t)
{
  const ts_schedule *sc = a->b->sc;
  uint32_t m = sc->micro_batches;
  uint64_t *owner = TS_NEW_ARRAY(a->arena, uint64_t, (size_t)sc->ranks * t->slots + 1);
  for (uint32_t backward = 0; backward < 2; backward++)
    for (uint32_t stage = 0; stage < sc->stages; stage++) {
      uint32_t part = stage % sc->parts, wide = backward && t->whole ? 2 : 1;
      ts_work_kind kind = !backward ? TS_FORWARD : t->whole ? TS_BACKWARD : TS_INPUT_GRADIENT;
      for (uint32_t i = 0; i < m; i++) {
        size_t at = (size_t)stage * m + i;
        int32_t slot = t->slot[backward][at];
        for (uint32_t k = 0; k < wide; k++) {
          uint64_t *mine = &owner[(size_t)sc->rank_of[stage] * t->slots + (uint32_t)slot + k];
          if (*mine)
            return slot_taken(a, t, mine, kind, stage, i, (uint32_t)slot + k);
          *mine = (uint64_t)backward * sc->stages * m + at + 1;
        }
        if (i && slot < t->slot[backward][at - 1])
          return slot_too_early(a, t, backward, stage, i, "after that of the micro-batch before",
                                t->slot[backward][at - 1] + 1);
        if (!backward && part && slot <= t->slot[0][at - m])
          return slot_too_early(a, t, backward, stage, i, "it needs the F of the stage before",
                                t->slot[0][at - m] + 1);
        if (backward && slot <= t->slot[0][at])
          return slot_too_early(a, t, backward, stage, i, "it needs its own F", t->slot[0][at] + 1);
        if (backward && part + 1 < sc->parts && slot < t->slot[1][at + m] + (int32_t)wide)
          return slot_too_early(a, t, backward, stage, i,
                                "it needs the gradients of the stage behind it",
                                t->slot[1][at + m] + (int32_t)wide);
      }
    }
  return true;
}

static ts_span placed_at(const ts_rank_policy *p, ts_work_kind kind)
{
  for (size_t f = 0; f < p->preferences.count; f++)
    if (p->preferences.at[f].kind == kind)
      return p->preferences.at[f].item->span;
  return p->timetable->span;
}

/* The items in the order of the squeezed timetable, each as soon as what it needs is there. */
static bool slots_follow(ts_attempt *a, const ts_timetable *t)
{
  const ts_schedule *sc = a->b->sc;
  ts_timed *order =
    TS_NEW_ARRAY(a->arena, ts_timed, 3 * (size_t)sc->stages * sc->micro_batches + 1);
  uint32_t n = ts_timetable_order(a->arena, sc, t, order);
  for (uint32_t k = 0; k < n; k++) {
    uint32_t stage = order[k].stage, rank = sc->rank_of[stage], i = order[k].micro_batch;
    ts_placed item = {
      .kind = order[k].kind, .micro_batch = i, .chunk = sc->chunk_of[stage], .stage = stage};
    item.span = placed_at(&a->policy[rank], item.kind);
    const ts_policy_limit *limit =
      item.kind == TS_FORWARD ? ts_policy_held_back(a, rank, item.chunk, i) : NULL;
    if (limit)
      return ts_policy_stops(a, limit, rank, stage, i);
    uint64_t ready = ts_policy_ready(a, item.kind, stage, i), free_from = a->rank[rank].free;
    if (!ts_policy_put(a, rank, &item, ready > free_from ? ready : free_from))
      return false;
  }
  return true;
}

static int32_t freed(const ts_attempt *a)
{
  double min = 1;
  for (uint32_t s = 0; s < a->b->sc->stages; s++)
    min = fmin(min, ts_policy_freed(&a->costs->at[s]));
  return (int32_t)floor(TS_TIMETABLE_FORWARD * min);
}

bool ts_policy_slots(ts_attempt *a)
{
  ts_timetable t = {.slots = 0, .freed = freed(a)};
  for (size_t k = 0; k < a->policy[0].preferences.count; k++)
    t.whole = t.whole || a->policy[0].preferences.at[k].kind == TS_BACKWARD;
  for (int k = 0; k < 2; k++)
    if (!(t.slot[k] = read_slots(a, k, &t.slots)))
      return false;
  return check_timetable(a, &t) && slots_follow(a, &t);
}
