/* From a plan to its IR: runs the passes in order, then writes fragments, programs, memory that is
 * held, and what the step is about. */
#include <math.h>
#include <string.h>

#include "base/format.h"
#include "base/version.h"
#include "compiler/eval/files.h"
#include "compiler/eval/lifetime.h"
#include "compiler/eval/mesh.h"
#include "compiler/eval/options.h"
#include "compiler/eval/report.h"
#include "compiler/lower/calibrated.h"
#include "compiler/lower/early.h"
#include "compiler/lower/fragment.h"
#include "compiler/lower/fragment_pieces.h"
#include "compiler/lower/fragment_parameters.h"
#include "compiler/lower/lower.h"
#include "compiler/lower/places.h"
#include "compiler/machine/cluster.h"
#include "compiler/shard/model_work.h"

/* Fragments of the same work differ by these marks of ts_placed, and by its place, of so many. */
enum { LAST = 1, GATHERS = 2, DROPS = 4, FRESH = 8, FIRST = 16, MARKS = 32 };
enum { PARTS = MARKS * TS_PLACES };

/* a fragment of the IR */
typedef struct made {
  uint32_t index;
  const ts_port_ref *roles;
  uint32_t role_count;
  bool done;
} made;

/* of ranks with chunks of these kinds, whose copies are on other ranks; comms: which collectives
 * take part */
typedef struct step {
  const uint32_t *stages;
  const bool *apart;
  uint32_t comms;
  made fragment;
} step;
/* of an item that clauses tie to others or slow */
typedef struct special {
  const ts_placed *item;
  uint64_t stage;
  uint32_t part;
  made *fragment;
} special;

/* key: kind of stage, of work, and its part in the step */
typedef struct pair { uint32_t key[2]; bool tied; made fragment; } pair;

/* of a kind of stages: what tells apart fragments of the same work */
typedef struct marks { bool known, sums, gathers, updates, offloads, frees; } marks;

/* an item of a program, whose ports are yet to be bound */
typedef struct unbound {
  uint32_t rank, role_count;
  const ts_placed *item;
  const ts_port_ref *roles;
} unbound;

typedef struct programs {
  ts_lowering *l;
  marks *marks; /* [kind of stage] */
  TS_VEC(unbound) unbound; /* in the order of the items */
  made *shared;      /* [kind of stage][work kind][part in the step] */
  uint32_t part_count; /* that there are of the last */
  TS_VEC(special) specials;
  TS_VEC(pair *) pairs;
  TS_VEC(step) steps;
  /* of collectives around steps that not all steps have; different ones */
  TS_VEC(int64_t) every;
  /* [every] which of them take part: one for each combination that there is */
  TS_VEC(const bool *) parts;
} programs;

/* -- the batch -- */

/* Axes that split tensors of the model. What is left besides the pipeline holds replicas. */
static uint32_t model_axes(const ts_lowering *l)
{
  uint32_t axes = 0;
  for (size_t c = 0; c < l->sh->classes.count; c++) {
    const ts_class *class = &l->sh->classes.at[c];
    const ts_op *op = &l->g->ops.at[class->op];
    for (uint32_t i = 0; i < op->slot_count; i++) {
      axes |= class->view[i].partial | class->edge[i].partial;
      for (int d = 0; d < TS_MAX_DIMS; d++)
        axes |= class->view[i].split[d] | class->edge[i].split[d];
    }
  }
  return axes;
}

static int64_t replicas(const ts_lowering *l, uint32_t pipeline_axis, uint32_t *axes)
{
  uint32_t taken = model_axes(l);
  int64_t n = 1;
  if (pipeline_axis != TS_NO_INDEX)
    taken |= UINT32_C(1) << pipeline_axis;
  *axes = 0;
  for (uint32_t a = 0; a < l->s->mesh->count; a++)
    if (!(taken >> a & 1)) {
      n *= l->s->mesh->axis[a].size;
      *axes |= UINT32_C(1) << a;
    }
  return n;
}

static bool uneven_batch(ts_lowering *l, int64_t micro, int64_t count, int64_t copies)
{
  const ts_plan *plan = l->plan;
  ts_span at =
    plan->span_of[TS_PLAN_batch].file ? plan->span_of[TS_PLAN_batch] : plan->decl->name_span;
  ts_diag *d = ts_diag_add(l->s->diags, TS_E0316, at, "the batch does not divide evenly");
  ts_diag_here(d, "the global batch is %lld", (long long)plan->global_batch);
  if (count) {
    ts_diag_note_at(
      d, l->sc->span,
      "the schedule runs %lld micro-batches of %lld on each of %lld replicas: %lld in all",
      (long long)count, (long long)micro, (long long)copies, (long long)(count * micro * copies));
    ts_diag_help(d, "let `global` be %lld, or the number of micro-batches `global / micro / %lld`",
                 (long long)(count * micro * copies), (long long)copies);
  } else {
    ts_diag_note(d, "%lld replicas with micro-batches of %lld need a multiple of %lld",
                 (long long)copies, (long long)micro, (long long)(copies * micro));
  }
  return false;
}

/* Micro-batches of a plan without a schedule. */
static uint32_t neutral_micro_batches(ts_lowering *l)
{
  uint32_t axes;
  int64_t copies = replicas(l, TS_NO_INDEX, &axes),
          micro = l->plan->micro_batch > 0 ? l->plan->micro_batch : 1;
  if (l->plan->global_batch <= 0)
    return 1;
  if (l->plan->global_batch % (copies * micro)) {
    uneven_batch(l, micro, 0, copies);
    l->failed = true;
    return 1;
  }
  int64_t count = l->plan->global_batch / copies / micro;
  uint32_t most = ts_most_micro_batches(&l->s->limits);
  if (count <= most)
    return (uint32_t)count;
  ts_diag *d =
    ts_diag_add(l->s->diags, TS_E0316, l->plan->span_of[TS_PLAN_batch],
                "a step of %s micro-batches is too long", ts_count_print(l->s->arena, count));
  ts_diag_here(d, "at most %s are possible", ts_count_print(l->s->arena, most));
  ts_diag_help(d, "take larger ones, `micro: ...`, or more replicas");
  l->failed = true;
  return 1;
}

static bool reduces_over(const ts_lowering *l, uint32_t axis)
{
  for (size_t c = 0; c < l->sh->classes.count; c++) {
    const ts_class *class = &l->sh->classes.at[c];
    for (uint32_t i = 0; i < class->comm_count; i++)
      if ((class->comms[i].when >= TS_WHEN_GRADIENTS ||
           class->comms[i].slot == TS_ALL_PARAMETERS) &&
          (class->comms[i].axes >> axis & 1))
        return true;
  }
  return false;
}

/* Ranks along the schedule's axis do different work: nothing can be split, gathered or summed along
 * it. */
static bool check_axis(const ts_lowering *l)
{
  const ts_schedule *sc = l->sc;
  if (sc->axis == TS_NO_INDEX || sc->stages < 2)
    return true;
  for (size_t c = 0; c < l->sh->classes.count; c++) {
    const ts_class *class = &l->sh->classes.at[c];
    for (uint32_t i = 0; i < class->comm_count; i++) {
      const ts_comm *comm = &class->comms[i];
      if (!(comm->axes >> sc->axis & 1))
        continue;
      const ts_rule *rule = &l->sh->rules.at[comm->rule];
      const char *axis = l->s->mesh->axis[sc->axis].name;
      ts_diag *d = ts_diag_add(
        l->s->diags, TS_E0320, comm->span,
        "rule `%s` of `%s` has a collective over %s, whose ranks are stages of the pipeline",
        rule->ast->name, rule->strategy, axis);
      ts_diag_here(d, "of `%s`", l->g->ops.at[class->op].label);
      ts_diag_note_at(d, rule->applied, "applied here");
      ts_diag_note_at(d, sc->span, "`%s` places its stages along %s", sc->name, axis);
      ts_diag_help(d, "give the strategy another axis of the mesh: `mesh = { ..., %s }`", axis);
      return false;
    }
  }
  return true;
}

static bool check_batch(ts_lowering *l, int64_t *samples)
{
  uint32_t axes;
  int64_t copies = replicas(l, l->sc->axis, &axes),
          micro = l->plan->micro_batch > 0 ? l->plan->micro_batch : 1;
  l->data_axes = axes;
  *samples = micro * l->sc->micro_batches * l->sc->copies * copies;
  for (uint32_t a = 0; a < l->s->mesh->count; a++)
    if ((axes >> a & 1) && l->s->mesh->axis[a].size > 1 && !reduces_over(l, a) && l->g->trained) {
      ts_diag *d = ts_diag_add(l->s->diags, TS_W0321, l->s->mesh->axis[a].span,
                               "no rule uses axis `%s`", l->s->mesh->axis[a].name);
      ts_diag_here(d, "%lld replicas that never exchange gradients",
                   (long long)l->s->mesh->axis[a].size);
      ts_diag_help(d, "apply a strategy over it, such as `data_parallel(%s)`",
                   l->s->mesh->axis[a].name);
    }
  return l->plan->global_batch <= 0 || l->plan->global_batch == *samples ||
         uneven_batch(l, micro, (int64_t)l->sc->micro_batches * l->sc->copies, copies);
}

/* -- fragments and programs -- */

static ts_fragment *open_fragment(ts_lowering *l, uint32_t stage, const ts_placed *item)
{
  ts_fragment *f = ts_fragment_new(l, stage);
  f->slowed = item->slowed ? l->sc->slowed.at[item->slowed - 1].by : 1;
  return f;
}

static ts_fragment *write_work(ts_lowering *l, uint32_t stage, const ts_placed *item, uint32_t part)
{
  ts_fragment *f = open_fragment(l, stage, item);
  bool last = part & LAST;
  switch (item->kind) {
  case TS_FORWARD: ts_forward(f, item); break;
  case TS_BACKWARD: ts_backward(f, item, true, true, last); break;
  case TS_INPUT_GRADIENT: ts_backward(f, item, true, false, false); break;
  case TS_WEIGHT_GRADIENT: ts_backward(f, item, false, true, last); break;
  default: break;
  }
  return f;
}

static const char *work_name(ts_lowering *l, uint32_t kind, const ts_placed *item, uint32_t part)
{
  const char *name = ts_work_letter(item->kind);
  if (l->stages->kind_count > 26)
    name = ts_arena_printf(l->s->arena, "%s %u", name, kind);
  else if (l->stages->kind_count > 1)
    name = ts_arena_printf(l->s->arena, "%s %c", name, 'a' + (int)kind);
  if (part / MARKS)
    name = ts_arena_printf(l->s->arena, "%s place %u", name, part / MARKS);
  return ts_arena_printf(l->s->arena, "%s%s%s%s%s", name, part & FIRST ? " first" : "",
                         part & LAST ? " last" : "",
                         part & (GATHERS | FRESH) ? " gathers" : "", part & DROPS ? " drops" : "");
}

static made finish(ts_fragment *f, const char *name, const char *letter)
{
  ts_lowering *l = f->l;
  made m = {.done = true, .role_count = (uint32_t)f->roles.count};
  m.roles = m.role_count ?
              ts_arena_copy(l->s->arena, f->roles.at, f->roles.count * sizeof *f->roles.at) :
              NULL;
  m.index = ts_fragment_finish(f, name, letter);
  ts_fragment_free(f);
  return m;
}

static made build(ts_lowering *l, uint32_t stage, const ts_placed *item, uint32_t part)
{
  return finish(write_work(l, stage, item, part),
                work_name(l, l->stages->at[stage].kind, item, part), ts_work_letter(item->kind));
}

static bool sums_gradients(const ts_lowering *l, const ts_stage *stage)
{
  for (uint32_t i = stage->first_op; i < stage->first_op + stage->op_count; i++) {
    const ts_class *class = ts_class_of(l, i);
    for (uint32_t c = 0; c < class->comm_count; c++)
      if (class->comms[c].when == TS_WHEN_GRADIENTS)
        return true;
  }
  return false;
}

static bool offloads(const ts_lowering *l, const ts_stage *stage)
{
  for (uint32_t i = stage->first_op; i < stage->first_op + stage->op_count; i++)
    if (ts_class_of(l, i)->activations.rate > 0)
      return true;
  return false;
}

static const marks *marks_of(programs *p, const ts_stage *stage)
{
  marks *m = &p->marks[stage->kind];
  if (!m->known)
    *m = (marks){true, sums_gradients(p->l, stage), ts_gathers_shared(p->l, stage),
                 ts_gathers_updated(p->l, stage), offloads(p->l, stage), ts_frees(p->l, stage)};
  return m;
}

static uint32_t part_in_step(programs *p, const ts_stage *stage, const ts_placed *item)
{
  const marks *m = marks_of(p, stage);
  uint32_t part = (item->last && m->sums ? LAST : 0u) | (item->first && m->frees ? FIRST : 0u);
  if (m->gathers)
    part |= (item->gathers ? GATHERS : 0u) | (item->drops ? DROPS : 0u);
  if (item->fresh && m->updates)
    part |= FRESH;
  return part + (m->offloads ? item->place * MARKS : 0);
}

static bool same_ends(const ts_schedule *sc, const ts_placed *a, const ts_placed *b)
{
  for (uint32_t k = 0; k < a->link_count; k++) {
    const ts_tie_end *x = &sc->links.at[a->link_first + k], *y = &sc->links.at[b->link_first + k];
    const ts_tie *s = &sc->ties.at[x->tie], *t = &sc->ties.at[y->tie];
    if (x->outgoing != y->outgoing || s->clause != t->clause || s->bytes != t->bytes ||
        s->some != t->some || s->lane != t->lane)
      return false;
  }
  return true;
}

/* Items that are tied and slowed alike, by the same clauses, on stages of one kind, share a
 * fragment. NULL: this one is new. */
static const made *find_special(const programs *p, const ts_placed *item, uint64_t stage,
                                uint32_t part)
{
  const ts_schedule *sc = p->l->sc;
  double by = item->slowed ? sc->slowed.at[item->slowed - 1].by : 1;
  for (size_t i = 0; i < p->specials.count; i++) {
    const special *x = &p->specials.at[i];
    if (x->item->kind == item->kind && x->stage == stage && x->part == part &&
        x->item->link_count == item->link_count &&
        (x->item->slowed ? sc->slowed.at[x->item->slowed - 1].by : 1) == by &&
        same_ends(sc, x->item, item))
      return x->fragment;
  }
  return NULL;
}

static const made *keep_special(programs *p, const ts_placed *item, uint64_t stage, uint32_t part,
                                made fragment)
{
  made *kept = ts_arena_copy(p->l->s->arena, &fragment, sizeof fragment);
  TS_PUSH(p->l->s->arena, &p->specials, (special){item, stage, part, kept});
  return kept;
}

static const made *work_fragment(programs *p, const ts_placed *item)
{
  ts_lowering *l = p->l;
  const ts_stage *stage = &l->stages->at[item->stage];
  uint32_t example = l->stages->example[stage->kind];
  uint32_t part = part_in_step(p, stage, item);
  if (item->link_count || item->slowed) {
    const made *found = find_special(p, item, example, part);
    return found ? found : keep_special(p, item, example, part, build(l, example, item, part));
  }
  made *m = &p->shared[(stage->kind * TS_WORK_KINDS + item->kind) * p->part_count + part];
  if (!m->done)
    *m = build(l, example, item, part);
  return m;
}

/* Two items as one. Pairs of the same kinds of work on the same kinds of stages share a fragment,
 * unless clauses tie one of them. */
static const made *pair_fragment(programs *p, const ts_placed *item)
{
  ts_lowering *l = p->l;
  const ts_placed *of[2] = {item, item + 1};
  pair found = {0};
  uint32_t stage[2], part[2];
  bool tied = item[0].link_count || item[1].link_count || item[0].slowed || item[1].slowed;
  for (int k = 0; k < 2; k++) {
    const ts_stage *at = &l->stages->at[of[k]->stage];
    part[k] = part_in_step(p, at, of[k]);
    stage[k] = tied ? of[k]->stage : l->stages->example[at->kind];
    found.key[k] = (at->kind * TS_WORK_KINDS + of[k]->kind) * PARTS + part[k];
  }
  for (size_t i = 0; !tied && i < p->pairs.count; i++)
    if (!p->pairs.at[i]->tied && p->pairs.at[i]->key[0] == found.key[0] &&
        p->pairs.at[i]->key[1] == found.key[1])
      return &p->pairs.at[i]->fragment;
  const char *name[2], *letter = ts_arena_printf(l->s->arena, "%s&%s", ts_work_letter(item[0].kind),
                                                 ts_work_letter(item[1].kind));
  ts_fragment *f[2];
  for (int k = 0; k < 2; k++) {
    f[k] = write_work(l, stage[k], of[k], part[k]);
    name[k] = work_name(l, l->stages->at[stage[k]].kind, of[k], part[k]);
  }
  ts_fragment *merged = ts_fragment_merge(f[0], f[1]);
  pair *kept = TS_NEW(l->s->arena, pair);
  *kept = (pair){{found.key[0], found.key[1]},
                 tied,
                 finish(merged, ts_arena_printf(l->s->arena, "%s & %s", name[0], name[1]), letter)};
  ts_fragment_free(f[0]);
  ts_fragment_free(f[1]);
  TS_PUSH(l->s->arena, &p->pairs, kept);
  return &kept->fragment;
}

/* The n-th copy farther of a stage. */
static uint32_t copy_of(const ts_schedule *sc, uint32_t stage, uint32_t n)
{
  return (stage + n * sc->parts) % sc->stages;
}

static made build_step(programs *p, const uint32_t *stages, const bool *apart,
                       const ts_placed *item)
{
  ts_lowering *l = p->l;
  ts_fragment *f = open_fragment(l, TS_NO_INDEX, item);
  f->devices = ts_devices_of_stage(l, stages[0]);
  ts_update_step(f, item, stages, l->sc->chunks, apart);
  ts_text letters = ts_format_letters(p->steps.count);
  bool several = l->stages->kind_count > 1;
  return finish(f, several ? ts_arena_printf(l->s->arena, "S %s", letters.text) : "S", "S");
}

static void find_rhythms(programs *p)
{
  const ts_sharding *sh = p->l->sh;
  for (size_t c = 0; c < sh->classes.count; c++)
    for (uint32_t i = 0; i < sh->classes.at[c].comm_count; i++) {
      int64_t every = sh->classes.at[c].comms[i].every;
      size_t k = 0;
      while (k < p->every.count && p->every.at[k] != every)
        k++;
      if (every > 1 && k == p->every.count)
        TS_PUSH(p->l->s->arena, &p->every, every);
    }
}

/* Which collectives a step is one of, by their `every`: equal numbers for equal ones. */
static uint32_t collectives_of(programs *p, const ts_placed *item)
{
  bool *parts = TS_NEW_ARRAY(p->l->s->arena, bool, p->every.count + 1);
  uint32_t found = 0;
  for (size_t k = 0; k < p->every.count; k++)
    parts[k] = ts_takes_part(p->every.at[k], item);
  while (found < p->parts.count && memcmp(p->parts.at[found], parts, p->every.count))
    found++;
  if (found == p->parts.count)
    TS_PUSH(p->l->s->arena, &p->parts, parts);
  return found;
}

/* The step of a rank depends on the kinds of its stages, on which of their copies it does not hold
 * itself, and on which collectives take part. */
static const made *step_fragment(programs *p, uint32_t rank, const ts_placed *item)
{
  ts_lowering *l = p->l;
  const ts_schedule *sc = l->sc;
  uint32_t count = sc->chunks;
  uint32_t *stages = TS_NEW_ARRAY(l->s->arena, uint32_t, count + 1);
  bool any = false, *apart = TS_NEW_ARRAY(l->s->arena, bool, count * sc->copies + 1);
  for (uint32_t c = 0; c < count; c++) {
    uint32_t stage = sc->stage_of[rank * count + c];
    stages[c] = l->stages->example[l->stages->at[stage].kind];
    for (uint32_t n = 0; n < sc->copies; n++)
      any |= apart[c * sc->copies + n] =
        !(sc->without & TS_CLAUSE_COPIES) && sc->rank_of[copy_of(sc, stage, n)] != rank;
  }
  size_t kind = 0;
  uint32_t comms = collectives_of(p, item);
  while (kind < p->steps.count &&
         (p->steps.at[kind].comms != comms ||
          memcmp(p->steps.at[kind].stages, stages, count * sizeof *stages) ||
          memcmp(p->steps.at[kind].apart, apart, count * sc->copies * sizeof *apart)))
    kind++;
  if (item->link_count || item->slowed) {
    uint64_t key = (count == 1 && !any ? stages[0] : l->s->limits.stages + rank) | (uint64_t)comms
                                                                                     << 32;
    const made *found = find_special(p, item, key, 0);
    return found ? found : keep_special(p, item, key, 0, build_step(p, stages, apart, item));
  }
  if (kind == p->steps.count)
    TS_PUSH(l->s->arena, &p->steps,
            (step){stages, apart, comms, build_step(p, stages, apart, item)});
  return &p->steps.at[kind].fragment;
}

/* Tags of what travels between stages count from 0; of the others, from here. */
enum { SHARED_TAGS = 0x40000000, COPY_TAGS = 0x50000000 };

/* Gradients between the copies of a stage: a tag for every step, stage that sends, copy that
 * receives, and round. */
static ts_ir_binding bind_copy(const ts_schedule *sc, uint32_t rank, uint32_t step,
                               ts_port_ref role)
{
  uint32_t round = role.index % 2, chunk = role.index / 2 / sc->copies,
           stage = sc->stage_of[rank * sc->chunks + chunk];
  uint32_t other = copy_of(sc, stage, role.index / 2 % sc->copies);
  uint32_t from = role.role == TS_PORT_COPY_OUT ? stage : other,
           to = role.role == TS_PORT_COPY_OUT ? other : stage;
  return (ts_ir_binding){sc->rank_of[other],
                         COPY_TAGS +
                           2 * ((step * sc->stages + from) * sc->copies + to / sc->parts) + round};
}

static ts_ir_binding bind(const ts_lowering *l, uint32_t rank, const ts_placed *item,
                          ts_port_ref role)
{
  const ts_stage *stage = &l->stages->at[item->stage];
  const ts_schedule *sc = l->sc;
  if (role.role == TS_PORT_TIE || role.role == TS_PORT_CHOICE) {
    const ts_tie_end *end = &sc->links.at[item->link_first + role.index];
    const ts_tie *tie = &sc->ties.at[end->tie];
    uint32_t other = end->outgoing ? tie->to : tie->from;
    return (ts_ir_binding){ts_schedule_rank(sc, other),
                           l->stages->transfer_count * 2 * sc->micro_batches + tie->id};
  }
  if (role.role == TS_PORT_SHARED)
    return (ts_ir_binding){l->shared_rank[role.index ^ 1],
                           SHARED_TAGS + item->micro_batch * (uint32_t)l->sh->shared.count +
                             role.index / 2};
  if (role.role == TS_PORT_COPY_OUT || role.role == TS_PORT_COPY_IN)
    return bind_copy(l->sc, rank, item->micro_batch, role);
  bool in = role.role == TS_PORT_ACTIVATION_IN || role.role == TS_PORT_GRADIENT_OUT;
  bool gradient = role.role == TS_PORT_GRADIENT_IN || role.role == TS_PORT_GRADIENT_OUT;
  const ts_transfer *t = in ? &stage->in[role.index] : &stage->out[role.index];
  return (ts_ir_binding){sc->rank_of[t->other],
                         (t->id * 2 + gradient) * sc->micro_batches + item->micro_batch};
}

static void lower_item(programs *p, uint32_t rank, const ts_placed *item, ts_ir_item *record)
{
  ts_lowering *l = p->l;
  const made *m = item->kind == TS_STEP ? step_fragment(p, rank, item) :
                  item->paired          ? pair_fragment(p, item) :
                                          work_fragment(p, item);
  *record = (ts_ir_item){.fragment = m->index,
                         .micro_batch = item->kind == TS_STEP ? TS_IR_NONE : item->micro_batch,
                         .chunk = item->chunk};
  TS_PUSH(l->s->arena, &p->unbound, (unbound){rank, m->role_count, item, m->roles});
}

/* The ends of messages, of all programs at once. */
static void bind_ports(const programs *p)
{
  const ts_lowering *l = p->l;
  void *records;
  uint32_t count = 0;
  for (size_t i = 0; i < p->unbound.count; i++)
    count += p->unbound.at[i].role_count;
  uint32_t at = ts_ir_append(l->b, TS_IR_BINDINGS, count, &records);
  ts_ir_binding *to = records;
  ts_ir_item *items = ts_ir_builder_records(l->b, TS_IR_ITEMS);
  for (size_t i = 0; i < p->unbound.count; i++) {
    const unbound *u = &p->unbound.at[i];
    items[i].first_binding = u->role_count ? at : 0;
    at += u->role_count;
    for (uint32_t k = 0; k < u->role_count; k++)
      *to++ = bind(l, u->rank, u->item + u->roles[k].part, u->roles[k]);
  }
}

static void lower_programs(programs *p)
{
  ts_lowering *l = p->l;
  const ts_schedule *sc = l->sc;
  void *records;
  find_rhythms(p);
  p->marks = TS_NEW_ARRAY(l->s->arena, marks, l->stages->kind_count + 1);
  p->part_count = MARKS;
  for (uint32_t k = 0; k < l->stages->kind_count; k++)
    if (marks_of(p, &l->stages->at[l->stages->example[k]])->offloads)
      p->part_count = PARTS;
  p->shared =
    TS_NEW_ARRAY(l->s->arena, made, l->stages->kind_count * TS_WORK_KINDS * p->part_count + 1);
  p->unbound.room = sc->items.count;
  p->unbound.at = ts_arena_alloc_raw(l->s->arena, p->unbound.room * sizeof *p->unbound.at);
  ts_holder *holder = ts_holder_new(l);
  for (uint32_t r = 0; r < sc->ranks && !l->failed; r++) {
    ts_ir_program program = {0};
    ts_ir_item *items = TS_NEW_ARRAY(l->s->arena, ts_ir_item, sc->order[r].count + 1);
    for (uint32_t i = 0; i < sc->order[r].count; i++) {
      const ts_placed *item = &sc->items.at[sc->order[r].first + i];
      lower_item(p, r, item, &items[program.item_count++]);
      i += item->paired;
    }
    program.name =
      ts_ir_add_string(l->b, sc->ranks > 1 ? ts_arena_printf(l->s->arena, "stage %u", r) : "all");
    program.first_item = ts_ir_append(l->b, TS_IR_ITEMS, program.item_count, &records);
    memcpy(records, items, program.item_count * sizeof *items);
    program.first_holding = ts_lower_holdings(holder, r, &program.holding_count);
    ts_ir_append(l->b, TS_IR_PROGRAMS, 1, &records);
    *(ts_ir_program *)records = program;
  }
}

/* -- mesh, sources, meta -- */

static void lower_mesh(ts_lowering *l)
{
  void *records;
  const ts_mesh *mesh = l->s->mesh;
  ts_ir_append(l->b, TS_IR_AXES, mesh->count, &records);
  ts_ir_axis *axes = records;
  for (uint32_t a = 0; a < mesh->count; a++)
    axes[a] = (ts_ir_axis){ts_ir_add_string(l->b, mesh->axis[a].name), (uint32_t)mesh->axis[a].size,
                           (uint32_t)mesh->axis[a].stride, 0};
}

/* In the order of loading, with the names of the language, never the machine's. */
void ts_lower_sources(ts_lowering *l)
{
  void *records;
  uint32_t count = (uint32_t)l->s->files->dependencies.count;
  ts_ir_append(l->b, TS_IR_SOURCES, count, &records);
  ts_ir_source *sources = records;
  for (uint32_t i = 0; i < count; i++) {
    const ts_dependency *d = &l->s->files->dependencies.at[i];
    sources[i].name = ts_ir_add_string(l->b, d->name);
    sources[i].role = ts_ir_add_string(l->b, d->role);
    memcpy(sources[i].sha256, d->sha256, sizeof d->sha256);
    if (!strcmp(d->role, "command line"))
      sources[i].text = ts_ir_add_string(l->b, ts_sources_get(l->s->sources, d->file)->text);
  }
}

bool ts_lower_placement(ts_lowering *l, uint32_t world)
{
  void *records;
  if (l->plan->placement.type == TS_T_NONE)
    return true;
  const uint32_t *vertex = ts_devices_of_ranks(l, world);
  if (!vertex)
    return false;
  ts_ir_append(l->b, TS_IR_PLACEMENT, world, &records);
  memcpy(records, vertex, world * sizeof *vertex);
  return true;
}

/* As the plan has it: `dgx_h100(nodes: 8)` says more than the name of the declaration that it ends
 * in. */
const char *ts_cluster_text(const ts_lowering *l)
{
  ts_span span = l->plan->span_of[TS_PLAN_cluster];
  const ts_source *source = ts_sources_get(l->s->sources, span.file);
  const char *name =
    l->plan->cluster.type == TS_T_CLUSTER ? l->plan->cluster.u.cluster->named.name : NULL;
  if (!source)
    return name ? name : "";
  char *text = ts_arena_string(l->s->arena, source->text + span.begin, span.end - span.begin);
  for (char *c = text; *c; c++)
    if ((unsigned char)*c <= ' ')
      *c = ' ';
  return !name || strchr(text, '(') || !strcmp(name, text) ?
           text :
           ts_arena_printf(l->s->arena, "%s: %s", text, name);
}

static void lower_meta(ts_lowering *l, uint32_t world, int64_t samples)
{
  const ts_plan *plan = l->plan;
  int64_t micro = plan->micro_batch > 0 ? plan->micro_batch : 1;
  ts_ir_meta meta = {
    .plan = ts_ir_add_string(l->b, plan->name),
    .tool = ts_ir_add_string(l->b, ts_arena_printf(l->s->arena, "trainspec %s", ts_version())),
    .plan_loc = ts_ir_loc_of(l, plan->decl->name_span),
    .pipeline_axis = l->sc->axis == TS_NO_INDEX ? TS_IR_NONE : l->sc->axis,
    .world = world,
    .micro_batches = l->sc->micro_batches * l->sc->copies,
    .steps = l->sc->step_first[1] > 1 ? l->sc->step_first[1] : 0,
    .tokens_per_step = ts_tokens_of(l, samples),
    .samples_per_step = (uint64_t)samples,
    .parameters = l->g->parameters - l->shared_parameters};
  ts_lower_formats(l, world, (double)samples / (double)micro, &meta);
  meta.cluster = ts_ir_add_string(l->b, ts_cluster_text(l));
  meta.carbon = plan->carbon;
  meta.framework = ts_ir_add_string(l->b, plan->framework);
  meta.release = ts_ir_add_string(l->b, plan->release);
  ts_span memory = plan->span_of[TS_PLAN_schedule].file ? plan->span_of[TS_PLAN_schedule] :
                                                          plan->span_of[TS_PLAN_batch];
  meta.memory_loc = ts_ir_loc_of(l, memory);
  meta.mesh_loc = ts_ir_loc_of(l, plan->span_of[TS_PLAN_mesh]);
  *ts_ir_builder_meta(l->b) = meta;
}

/* A policy finds its order now that costs are known. */
static bool settle(ts_lowering *l)
{
  if (!l->sc->policy)
    return true;
  ts_stage_costs costs = ts_stage_costs_of(l);
  return !l->failed && ts_schedule_settle(l->s, l->sc, &costs);
}

/* What would be refused in the end is so whatever is known of it before. */
static bool is_enough(const ts_lowering *l)
{
  ts_held *held = l->s->options->held;
  ts_ir view;
  if (!held || !held->enough || ts_diags_errors(l->s->diags))
    return false;
  ts_ir_builder_view(l->b, &view);
  held->had = ts_ir_totals_hold(&view) && held->enough(held->closure, &view);
  return held->had;
}

/* Collectives join the compute stream's numbers: stream 0 computes. */
static bool write_ir(ts_lowering *l, int64_t samples)
{
  uint32_t world = ts_world_of(l);
  ts_lower_sources(l);
  lower_mesh(l);
  if (l->sc->axis != TS_NO_INDEX)
    l->pipeline_group = ts_ir_group_of(l, UINT32_C(1) << l->sc->axis);
  if (!ts_lower_cluster(l) || !ts_lower_placement(l, world) || !ts_lower_network(l) || !settle(l) ||
      !ts_progress_check(l->s, l->sc, l->stages))
    return false;
  programs p = {.l = l};
  lower_programs(&p);
  lower_meta(l, world, samples);
  if (l->failed || is_enough(l))
    return false;
  bind_ports(&p);
  ts_lower_confidence(l);
  return !l->failed;
}

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
                                                              at[TS_WEIGHT_GRADIENT * kind])) / 3;
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

static bool cut(ts_lowering *l)
{
  bool plain = ts_stages_are_plain(l->g, l->sc);
  const double *seconds = plain ? NULL : seconds_of_stages(l);
  l->stages =
    plain || seconds ? ts_stages_build(l->s, l->g, l->sh, l->sc, seconds) : NULL;
  if (!l->stages)
    return false;
  l->sc->built = l->stages;
  place_shared(l);
  return !l->failed;
}

/* For who asks: before any order, cost or fragment is worked out. True: nothing else need be. */
static bool holds_too_much(ts_lowering *l)
{
  if (!l->s->options->held || !ts_stages_are_plain(l->g, l->sc))
    return false;
  return !cut(l) || ts_lower_holds_too_much(l, l->s->options->held);
}

static ts_schedule *open_schedule(ts_session *s, const ts_plan *plan, uint32_t neutral)
{
  ts_arena *arena = s->arena;
  s->arena = s->lasting;
  ts_schedule *sc = ts_schedule_open(s, plan, neutral);
  s->arena = arena;
  return sc;
}

ts_ir_builder *ts_plan_lower(ts_session *s, const ts_plan *plan,
                             const struct ts_schedule **schedule)
{
  ts_lowering l = {.s = s, .plan = plan};
  int64_t samples = 0;
  const ts_sharding *sh = NULL;
  if (!(l.g = ts_graph_of_plan(s, plan)) || !(sh = ts_shard(s, plan, l.g)))
    return NULL;
  ts_session_scratch(s); /* what lasts is there, but for the schedule's names */
  l.sh = ts_sharding_copy(s->arena, l.g, sh);
  if (!(l.costing = ts_costing_new(s, plan)) || !ts_calibration_of_plan(s, plan, &l.calibration))
    return NULL;
  l.costing->calibration = l.calibration.is;
  l.calibrated_host =
    l.calibration.is ? ts_calibration_of_kind(l.calibration.is, TS_QUANTITY_HOST) : 0;
  if (s->options->explain)
    s->explained = ts_shard_explain(s, l.g, l.sh, s->options->explain);
  uint32_t neutral = plan->schedule.type == TS_T_NONE ? neutral_micro_batches(&l) : 1;
  if (l.failed || !(l.sc = open_schedule(s, plan, neutral)) || !ts_lower_places(&l) ||
      holds_too_much(&l) ||
      !ts_schedule_place(s, l.sc) || !check_axis(&l) || !check_batch(&l, &samples) ||
      ts_lower_is_full(&l) || !ts_costing_classes(l.costing, l.g, l.sh) ||
      (!l.stages && !cut(&l)) || ts_lower_is_enough_early(&l, samples))
    return NULL;
  l.b = ts_ir_builder_new();
  l.shared_labels = TS_NEW_ARRAY(s->arena, ts_shared_label, l.g->ops.count + 1);
  ts_stream(&l, "compute", TS_IR_STREAM_COMPUTE);
  ts_lower_calibration(&l);
  if (schedule)
    *schedule = l.sc;
  bool written = write_ir(&l, samples);
  if (s->options->held && s->options->held->had) {
    ts_ir_builder_free(l.b);
    return NULL;
  }
  ts_costing_tell(l.costing, ts_costing_runs(l.costing, l.g, l.sh));
  ts_lower_doubts(&l);
  if (written && !ts_diags_errors(s->diags)) {
    ts_lower_remarks(&l);
    return l.b;
  }
  ts_ir_builder_free(l.b);
  return NULL;
}
