/* Kernels alone, on the fastest device, along the order of work: collectives, messages and the host
 * take no time. Of an item it is known what its kernels take, and of each tensor that comes to it
 * which of them surely wait for that, and of each that leaves which surely come before.
 *
 * Kernels of a rank go one after the other: forward op by op, backward in reverse. So what comes
 * after the first one that depends on a tensor waits for it, and what goes before the last one that
 * a tensor depends on is done when it leaves. */
#include "compiler/lower/early.h"

#include <math.h>

#include "compiler/eval/options.h"
#include "compiler/machine/cluster.h"

enum { KINDS = TS_STEP };
enum { WALKED = 40000, WINDOW = 16 }; /* items: of all ranks, and of each, at either end */
static const double unknown = -1, never = -INFINITY; /* ps */

/* A tensor at the end of a stage. before: ps of kernels that may have run when it comes, or have
 * surely run when it leaves; at: the op that says so, in the order of the work */
typedef struct early_end {
  double before;
  uint32_t at;
} early_end;

typedef struct early_work { /* of a kind of stages and of work */
  double time;        /* ps */
  uint32_t coming_count, leaving_count;
  early_end *coming,
    *leaving; /* of a forward the stage's ins and outs; of a backward the opposite */
} early_work;

typedef struct early {
  ts_lowering *l;
  ts_arena *scratch;
  double speed;
  const double *phase[TS_PHASES]; /* [classes] ps */
  const early_work *works;        /* [kind of stage * KINDS + kind of work] */
  uint32_t width;                 /* most tensors at an end of a stage */
  uint32_t window;                /* items of a rank that are walked at either end */
  bool back;
  uint32_t *next;                 /* [ranks] items that are done */
  double *at;                     /* [ranks] the compute stream: free, or how long the step lasts */
  /* [ranks * window * width] when what leaves an item does so, or how long after something came to
   * it the step lasts; or unknown */
  double *ends;
} early;

/* ---- Kernels ---- */

static double early_time_of(const early *e, const ts_kernels *kernels, ts_phase phase)
{
  double time = 0;
  for (uint32_t k = 0; k < kernels->count; k++)
    if (!kernels->at[k].host_only && kernels->at[k].cost != TS_NO_INDEX &&
        !(kernels->at[k].early && phase == TS_PHASE_WEIGHT))
      time += fmax(0, (double)ts_costing_time(e->l->costing, kernels->at[k].cost) / e->speed *
                        (1 - 1e-12) - 0.5);
  return time;
}

static double *times_of(const early *e, ts_phase phase)
{
  const ts_sharding *sh = e->l->sh;
  double *times = TS_NEW_ARRAY(e->scratch, double, sh->classes.count + 1);
  for (size_t c = 0; c < sh->classes.count; c++) {
    const ts_class *class = &sh->classes.at[c];
    times[c] = class->rounds[phase] ?
                 class->rounds[phase] * early_time_of(e, &class->own[phase], phase) :
               class->parted[phase] ? early_time_of(e, &class->own[phase], phase) +
                                        early_time_of(e, &class->rest[phase], phase) :
                                      early_time_of(e, &class->work.phase[phase], phase);
  }
  return times;
}

static const ts_op *early_op_at(const early *e, uint32_t op) { return &e->l->g->ops.at[op]; }

static double of_op(const early *e, uint32_t op, ts_phase phase)
{
  const ts_op *o = early_op_at(e, op);
  bool runs = phase == TS_PHASE_FORWARD || (o->needs_gradient && (phase == TS_PHASE_WEIGHT ||
                                                                  o->needs_input_gradient));
  return runs ? e->phase[phase][e->l->sh->class_of[op]] : 0;
}

static double backward_of(const early *e, uint32_t op, ts_work_kind kind)
{
  return (kind != TS_WEIGHT_GRADIENT ? of_op(e, op, TS_PHASE_INPUT) : 0) +
         (kind != TS_INPUT_GRADIENT ? of_op(e, op, TS_PHASE_WEIGHT) : 0);
}

/* Ops of groups that are made again, up to the last one that needs a gradient. */
static double again(const early *e, const ts_stage *stage)
{
  const uint32_t *group = e->l->sh->recompute_group;
  double time = 0, since = 0;
  for (uint32_t i = stage->first_op, n = i + stage->op_count; i < n; i++) {
    if (i == stage->first_op || group[i] != group[i - 1])
      since = 0;
    since += group[i] ? of_op(e, i, TS_PHASE_FORWARD) : 0;
    if (early_op_at(e, i)->needs_gradient)
      time += since, since = 0;
  }
  return time;
}

/* ---- Tensors ---- */

static uint32_t early_source_of(const early *e, uint32_t tensor)
{
  return e->l->g->tensors.at[tensor].source;
}

/* Whether a tensor that is marked comes to the op, or leaves it. */
static bool takes(const early *e, uint32_t op, const bool *marked)
{
  for (uint32_t k = 0; k < early_op_at(e, op)->input_count; k++)
    if (marked[early_source_of(e, early_op_at(e, op)->slots[k].tensor)])
      return true;
  return false;
}

static bool gives(const early *e, uint32_t op, const bool *marked)
{
  const ts_op *o = early_op_at(e, op);
  for (uint32_t k = o->slot_count - o->output_count; k < o->slot_count; k++)
    if (marked[early_source_of(e, o->slots[k].tensor)])
      return true;
  return false;
}

static void mark_inputs(const early *e, uint32_t op, bool *marked)
{
  for (uint32_t k = 0; k < early_op_at(e, op)->input_count; k++)
    marked[early_source_of(e, early_op_at(e, op)->slots[k].tensor)] = true;
}

static void mark_outputs(const early *e, uint32_t op, bool *marked)
{
  const ts_op *o = early_op_at(e, op);
  for (uint32_t k = o->slot_count - o->output_count; k < o->slot_count; k++)
    marked[early_source_of(e, o->slots[k].tensor)] = true;
}

/* The first op with kernels that depends on the tensor, in the order of ops or against it; and what
 * comes before it. None: all of the stage. */
static early_end early_follow(const early *e, const ts_stage *stage, uint32_t tensor,
                              ts_work_kind kind)
{
  bool forward = kind == TS_FORWARD;
  bool *marked = TS_NEW_ARRAY(e->scratch, bool, e->l->g->tensors.count + 1);
  early_end r = {0, TS_NO_INDEX};
  marked[early_source_of(e, tensor)] = true;
  for (uint32_t k = 0; k < stage->op_count; k++) {
    uint32_t i = stage->first_op + (forward ? k : stage->op_count - 1 - k);
    double time = forward ? of_op(e, i, TS_PHASE_FORWARD) : backward_of(e, i, kind);
    bool depends = forward ? takes(e, i, marked) : gives(e, i, marked);
    if (depends && time > 0) {
      r.at = k;
      return r;
    }
    if (depends)
      (forward ? mark_outputs : mark_inputs)(e, i, marked);
    r.before += time;
  }
  return r;
}

/* The last op with kernels that the tensor, or its gradient, depends on; it and what comes before.
 * None: nothing. */
static early_end trace(const early *e, const ts_stage *stage, uint32_t tensor, ts_work_kind kind)
{
  bool forward = kind == TS_FORWARD;
  bool *marked = TS_NEW_ARRAY(e->scratch, bool, e->l->g->tensors.count + 1);
  early_end r = {0, TS_NO_INDEX};
  marked[early_source_of(e, tensor)] = true;
  for (uint32_t k = stage->op_count; k-- > 0 && r.at == TS_NO_INDEX;) {
    uint32_t i = stage->first_op + (forward ? k : stage->op_count - 1 - k);
    double time = forward ? of_op(e, i, TS_PHASE_FORWARD) : of_op(e, i, TS_PHASE_INPUT);
    bool depends = forward ? gives(e, i, marked) : takes(e, i, marked);
    if (depends && time > 0)
      r.at = k;
    else if (depends)
      (forward ? mark_inputs : mark_outputs)(e, i, marked);
  }
  for (uint32_t k = 0; r.at != TS_NO_INDEX && k <= r.at; k++) {
    uint32_t i = stage->first_op + (forward ? k : stage->op_count - 1 - k);
    r.before += forward ? of_op(e, i, TS_PHASE_FORWARD) : of_op(e, i, TS_PHASE_INPUT);
  }
  return r;
}

static early_work early_work_of(const early *e, const ts_stage *stage, ts_work_kind kind)
{
  bool forward = kind == TS_FORWARD, apart = kind == TS_WEIGHT_GRADIENT;
  const ts_transfer *coming = forward ? stage->in : stage->out,
                    *leaving = forward ? stage->out : stage->in;
  early_work w = {.coming_count = apart   ? 0 :
                                  forward ? stage->in_count :
                                            stage->out_count,
                  .leaving_count = apart   ? 0 :
                                   forward ? stage->out_count :
                                             stage->in_count};
  w.coming = TS_NEW_ARRAY(e->scratch, early_end, w.coming_count + 1);
  w.leaving = TS_NEW_ARRAY(e->scratch, early_end, w.leaving_count + 1);
  for (uint32_t i = stage->first_op; i < stage->first_op + stage->op_count; i++)
    w.time += forward ? of_op(e, i, TS_PHASE_FORWARD) : backward_of(e, i, kind);
  double made = forward || apart ? 0 : again(e, stage);
  w.time += made;
  for (uint32_t k = 0; k < w.coming_count; k++) {
    w.coming[k] = early_follow(e, stage, coming[k].tensor, kind);
    w.coming[k].before += made; /* it may be made again before */
  }
  for (uint32_t k = 0; k < w.leaving_count; k++)
    w.leaving[k] = kind == TS_BACKWARD ? (early_end){w.time, UINT32_MAX} : /* when all is done */
                                         trace(e, stage, leaving[k].tensor, kind);
  return w;
}

/* ---- The order ---- */

static const ts_placed *item_at(const early *e, uint32_t item) { return &e->l->sc->items.at[item]; }

static const early_work *work_at(const early *e, uint32_t item)
{
  static const early_work none;
  const ts_placed *p = item_at(e, item);
  return p->kind == TS_STEP ? &none :
                              &e->works[e->l->stages->at[p->stage].kind * KINDS + p->kind];
}

static double time_at(const early *e, uint32_t item)
{
  const ts_placed *p = item_at(e, item);
  double by = p->slowed ? fmin(1, e->l->sc->slowed.at[p->slowed - 1].by) : 1;
  return by * work_at(e, item)->time;
}

static uint32_t early_number_of(const ts_transfer *all, uint32_t count, uint32_t id)
{
  for (uint32_t k = 0; k < count; k++)
    if (all[k].id == id)
      return k;
  return TS_NO_INDEX;
}

static double *ends_of(const early *e, uint32_t rank, uint32_t place)
{
  return &e->ends[((size_t)rank * e->window + place) * e->width];
}

/* The other end of the k-th tensor that comes to the item, or leaves it. NULL: nothing travels, or
 * it does beyond the window. */
static double *other_end(const early *e, uint32_t item, uint32_t k, bool coming)
{
  const ts_schedule *sc = e->l->sc;
  const ts_placed *p = item_at(e, item);
  const ts_stage *stage = &e->l->stages->at[p->stage];
  bool forward = p->kind == TS_FORWARD, ins = forward == coming;
  const ts_transfer *t = ins ? &stage->in[k] : &stage->out[k];
  if (t->local || (!forward && !t->gradient) || p->slowed ||
      (sc->without & (forward ? TS_CLAUSE_ACTIVATIONS : TS_CLAUSE_GRADIENTS)))
    return NULL;
  const ts_stage *other = &e->l->stages->at[t->other];
  uint32_t to = ts_schedule_find(sc, forward ? TS_FORWARD : TS_BACKWARD, t->other, p->micro_batch);
  if (to == TS_NO_INDEX && !forward)
    to = ts_schedule_find(sc, TS_INPUT_GRADIENT, t->other, p->micro_batch);
  uint32_t number = ins ? early_number_of(other->out, other->out_count, t->id) :
                          early_number_of(other->in, other->in_count, t->id);
  if (to == TS_NO_INDEX || number == TS_NO_INDEX || item_at(e, to)->slowed)
    return NULL;
  uint32_t rank = sc->rank_of[t->other], place = to - sc->order[rank].first;
  place = e->back ? sc->order[rank].count - 1 - place : place;
  return place < e->window ? ends_of(e, rank, place) + number : NULL;
}

/* Of those that come to it, or where it is walked backwards of those that leave it. */
static bool early_is_open(const early *e, uint32_t item)
{
  const early_work *w = work_at(e, item);
  for (uint32_t k = 0; k < (e->back ? w->leaving_count : w->coming_count); k++) {
    const double *other = other_end(e, item, k, !e->back);
    if (other && *other <= unknown && !isinf(*other))
      return false;
  }
  return true;
}

/* What surely follows when a tensor has come, up to where another one leaves. */
static double way(const early_end *from, const early_end *to)
{
  return from->at != TS_NO_INDEX && to->at != TS_NO_INDEX && from->at <= to->at ?
           fmax(0, to->before - from->before) :
           never;
}

/* From when the compute stream comes to the item, `start`. Returns when it has done what waits for
 * what comes. */
static double early_fill(const early *e, uint32_t item, double start, double *left)
{
  const early_work *w = work_at(e, item);
  double done = start;
  for (uint32_t k = 0; k < w->leaving_count; k++)
    left[k] = start + (item_at(e, item)->slowed ? 0 : w->leaving[k].before);
  for (uint32_t j = 0; j < w->coming_count; j++) {
    const double *came = other_end(e, item, j, true);
    if (!came)
      continue;
    done = fmax(done, *came + fmax(0, w->time - w->coming[j].before));
    for (uint32_t k = 0; k < w->leaving_count; k++)
      left[k] = fmax(left[k], *came + way(&w->coming[j], &w->leaving[k]));
  }
  return done;
}

/* Back from `after`, how long the step lasts when the item is done. Returns how long it lasts at
 * least when it begins, because of what leaves it. */
static double drain(const early *e, uint32_t item, double after, double *came)
{
  const early_work *w = work_at(e, item);
  double lasts = 0;
  for (uint32_t j = 0; j < w->coming_count; j++)
    came[j] = fmax(0, w->time - w->coming[j].before) * !item_at(e, item)->slowed + after;
  for (uint32_t k = 0; k < w->leaving_count; k++) {
    const double *to = other_end(e, item, k, false);
    if (!to)
      continue;
    lasts = fmax(lasts, w->leaving[k].before + *to);
    for (uint32_t j = 0; j < w->coming_count; j++)
      came[j] = fmax(came[j], way(&w->coming[j], &w->leaving[k]) + *to);
  }
  return lasts;
}

/* The next item of the rank, or two that are played as one. False: it waits. */
static bool walk_on(early *e, uint32_t rank)
{
  const ts_order *order = &e->l->sc->order[rank];
  uint32_t n = e->next[rank], item = order->first + (e->back ? order->count - 1 - n : n);
  uint32_t other = TS_NO_INDEX;
  double *ends = ends_of(e, rank, n), *at = &e->at[rank];
  if (!e->back && item_at(e, item)->paired)
    other = item + 1;
  else if (e->back && item > order->first && item_at(e, item - 1)->paired)
    other = item - 1;
  bool inside = n + 1 < e->window;
  if (!early_is_open(e, item) || (other != TS_NO_INDEX && inside && !early_is_open(e, other)))
    return false;
  double (*one)(const early *, uint32_t, double, double *) = e->back ? drain : early_fill;
  double most = one(e, item, *at, ends), time = time_at(e, item);
  if (other != TS_NO_INDEX && inside) {
    most = fmax(most, one(e, other, *at, ends + e->width));
    time += time_at(e, other);
    e->next[rank]++;
  }
  *at = fmax(*at + time, most);
  e->next[rank]++;
  return true;
}

/* False: items wait for each other. */
static bool early_walk(early *e, const uint32_t *size, bool back)
{
  uint32_t ranks = e->l->sc->ranks;
  size_t ends = (size_t)ranks * e->window * e->width;
  e->back = back;
  e->next = TS_NEW_ARRAY(e->scratch, uint32_t, ranks + 1);
  e->at = TS_NEW_ARRAY(e->scratch, double, ranks + 1);
  e->ends = TS_NEW_ARRAY(e->scratch, double, ends + 1);
  for (size_t i = 0; i < ends; i++)
    e->ends[i] = unknown;
  for (uint32_t r = 0; r < ranks; r++) /* beyond a smaller window nothing is known */
    for (size_t i = (size_t)size[r] * e->width; i < (size_t)e->window * e->width; i++)
      e->ends[(size_t)r * e->window * e->width + i] = never;
  bool moved = true, all = false;
  while (moved && !all) {
    moved = false, all = true;
    for (uint32_t r = 0; r < ranks; r++) {
      while (e->next[r] < size[r] && walk_on(e, r))
        moved = true;
      all &= e->next[r] >= size[r];
    }
  }
  return all;
}

/* The item before this place of the rank is played together with the one there. */
static bool cuts_pair(const early *e, uint32_t rank, uint32_t place)
{
  const ts_order *order = &e->l->sc->order[rank];
  return place && place < order->count && item_at(e, order->first + place - 1)->paired;
}

static double early_step_of(early *e)
{
  const ts_schedule *sc = e->l->sc;
  uint32_t *first = TS_NEW_ARRAY(e->scratch, uint32_t, sc->ranks + 1),
           *last = TS_NEW_ARRAY(e->scratch, uint32_t, sc->ranks + 1);
  for (uint32_t r = 0; r < sc->ranks; r++) {
    uint32_t count = sc->order[r].count;
    first[r] = count < e->window ? count : e->window;
    last[r] = count - first[r] < e->window ? count - first[r] : e->window;
    first[r] -= cuts_pair(e, r, first[r]);
    last[r] -= last[r] && cuts_pair(e, r, count - last[r]);
  }
  if (!early_walk(e, first, false))
    return 0;
  double *at = e->at, most = 0;
  for (uint32_t r = 0; r < sc->ranks; r++) {
    for (uint32_t i = first[r]; i < sc->order[r].count - last[r]; i++)
      at[r] += ts_schedule_plays(sc, r, i) * time_at(e, sc->order[r].first + i);
    most = fmax(most, at[r]);
  }
  if (!early_walk(e, last, true))
    return most;
  for (uint32_t r = 0; r < sc->ranks; r++)
    most = fmax(most, at[r] + e->at[r]);
  return most;
}

/* ---- The whole ---- */

static double fastest(const ts_lowering *l)
{
  double speed = 0;
  const ts_cluster *c =
    l->plan->cluster.type == TS_T_CLUSTER ? l->plan->cluster.u.cluster : NULL;
  for (uint32_t v = 0; c && v < c->vertex_count; v++)
    speed = fmax(speed, c->vertices[v].speed);
  return speed > 0 ? speed : 1;
}

static bool early_alike(const ts_stages *stages)
{
  for (uint32_t i = 0; i < stages->count; i++) {
    const ts_stage *a = &stages->at[i], *b = &stages->at[stages->example[a->kind]];
    if (a->in_count != b->in_count || a->out_count != b->out_count)
      return false;
  }
  return true;
}

static double early_step(ts_lowering *l)
{
  const ts_schedule *sc = l->sc;
  const ts_stages *stages = l->stages;
  if (!sc->order || sc->policy || !stages || !early_alike(stages) || sc->ranks > WALKED ||
      l->costing->gpus.count > 1)
    return 0;
  early e = {.l = l, .scratch = ts_arena_new("early"), .speed = fastest(l), .width = 1};
  for (int p = 0; p < TS_PHASES; p++)
    e.phase[p] = times_of(&e, (ts_phase)p);
  early_work *works = TS_NEW_ARRAY(e.scratch, early_work, stages->kind_count * KINDS + 1);
  for (uint32_t k = 0; k < stages->kind_count; k++) {
    const ts_stage *stage = &stages->at[stages->example[k]];
    for (int w = 0; w < KINDS; w++)
      works[k * KINDS + (uint32_t)w] = early_work_of(&e, stage, (ts_work_kind)w);
    e.width = stage->in_count > e.width ? stage->in_count : e.width;
    e.width = stage->out_count > e.width ? stage->out_count : e.width;
  }
  e.works = works;
  e.window = WALKED / sc->ranks < WINDOW ? WALKED / sc->ranks : WINDOW;
  double step = early_step_of(&e) * 1e-12;
  ts_arena_free(e.scratch);
  return step;
}

ts_pass_status ts_lower_early(ts_lowering *l)
{
  const ts_memory_bound *held = l->s->options->held;
  if (!held || !held->enough_early || ts_diags_errors(l->s->diags))
    return TS_PASS_DONE;
  ts_early_bound known = {.seconds = early_step(l),
                          .tokens = (double)ts_tokens_of(l, l->samples),
                          .devices = ts_world_of(l),
                          .bytes = held->bytes};
  return known.seconds > 0 && held->enough_early(held->closure, &known) ? TS_PASS_ENOUGH :
                                                                          TS_PASS_DONE;
}
