#include "compiler/schedule/stage.h"

#include "compiler/eval/report.h"

#include <string.h>

typedef struct splitter {
  ts_session *s;
  const ts_graph *g;
  const ts_sharding *sh;
  const ts_schedule *sc;
  ts_stages *stages;
  uint32_t *stage_of; /* by op, in the first copy */
} splitter;

static uint32_t unit_of(const ts_graph *g, uint32_t op)
{
  return g->unit_count ? g->unit[op] : op;
}
static uint32_t units(const ts_graph *g)
{
  return g->unit_count ? g->unit_count : (uint32_t)g->ops.count;
}

/* -- which units go where -- */

static bool stage_stated(splitter *c, uint32_t *first_unit)
{
  int64_t sum = 0;
  for (uint32_t i = 0; i < c->sc->parts; i++) {
    first_unit[i] = (uint32_t)sum;
    sum += c->sc->sizes[i];
  }
  first_unit[c->sc->parts] = units(c->g);
  if (sum == units(c->g))
    return true;
  ts_diag *d = ts_report(c->s, TS_E0313, c->sc->stages_span,
                         "the sizes of the stages add up to %lld, but the model has %u %s",
                         (long long)sum, units(c->g), c->g->unit_count ? "repeats" : "ops");
  ts_diag_here(d, "must add up to %u", units(c->g));
  if (c->g->unit_count)
    ts_diag_label(d, c->g->unit_span, "`%s` is repeated here", c->g->unit_name);
  return false;
}

/* Contiguous parts whose largest is as small as can be: bisection on the bound, then greedy
 * filling. Deterministic: costs are sums in op order. cost: [most][n], as each part is where it
 * is. */
static uint32_t parts_for(const double *cost, uint32_t n, double bound, uint32_t most,
                          uint32_t *first)
{
  uint32_t parts = 0;
  double sum = bound + 1;
  for (uint32_t i = 0; i < n; i++) {
    bool must = parts && n - i <= most - parts; /* the rest suffices for one each */
    const double *here = cost + (size_t)(parts && parts <= most ? parts - 1 : 0) * n;
    if (!parts || sum + here[i] > bound || must) {
      if (parts < most)
        first[parts] = i;
      parts++;
      here = cost + (size_t)(parts <= most ? parts - 1 : 0) * n;
      sum = 0;
    }
    sum += here[i];
  }
  return parts;
}

/* -- and then evened out: what counts is the sum over the stages of a rank -- */

typedef struct spread { /* compared from the first to the last */
  double busiest, squares;           /* of the sums of ranks */
  double longest, stage_squares;     /* of stages */
} spread;

typedef struct evening {
  const splitter *c;
  /* [part][unit]: seconds of all units before it, where the part is */
  const double *until;
  double *load;          /* [rank], for one spread at a time */
} evening;

static spread spread_of(const evening *e, const uint32_t *first)
{
  const ts_schedule *sc = e->c->sc;
  spread s = {0};
  memset(e->load, 0, sc->ranks * sizeof *e->load);
  for (uint32_t i = 0; i < sc->parts; i++) {
    const double *until = e->until + (size_t)i * (units(e->c->g) + 1);
    double time = until[first[i + 1]] - until[first[i]];
    s.longest = time > s.longest ? time : s.longest;
    s.stage_squares += time * time;
    for (uint32_t copy = i; copy < sc->stages; copy += sc->parts)
      e->load[sc->rank_of[copy]] += time;
  }
  for (uint32_t r = 0; r < sc->ranks; r++) {
    s.busiest = e->load[r] > s.busiest ? e->load[r] : s.busiest;
    s.squares += e->load[r] * e->load[r];
  }
  return s;
}

/* By more than rounding: sums of equal times in another order differ in their last digits. */
static bool better(spread a, spread b)
{
  enum { KEYS = 4 };
  const double x[KEYS] = {a.busiest, a.squares, a.longest, a.stage_squares};
  const double y[KEYS] = {b.busiest, b.squares, b.longest, b.stage_squares};
  for (int k = 0; k < KEYS; k++)
    if (x[k] < y[k] * (1 - 1e-9) || x[k] > y[k] * (1 + 1e-9))
      return x[k] < y[k];
  return false;
}

/* Stage `from` gets one unit less, `to` one more; those between keep their numbers. */
static void pass_unit(uint32_t *first, uint32_t from, uint32_t to)
{
  for (uint32_t i = from + 1; i <= to; i++)
    first[i]--;
  for (uint32_t i = to + 1; i <= from; i++)
    first[i]++;
}

/* Single units go from stage to stage, each time where it helps most, as long as it helps. The
 * bound on tries only matters for hundreds of stages, whose first division is left closer. */
static void even_out(const splitter *c, const double *until, uint32_t *first)
{
  const uint64_t tries = 400000000 / c->sc->stages;
  evening e = {c, until, TS_NEW_ARRAY(c->s->arena, double, c->sc->ranks + 1)};
  spread now = spread_of(&e, first);
  uint32_t stages = c->sc->parts;
  for (uint64_t tried = 0; tried < tries;) {
    spread best = now;
    uint32_t best_from = 0, best_to = 0;
    for (uint32_t from = 0; from < stages && tried < tries; from++)
      for (uint32_t to = 0; to < stages && first[from + 1] - first[from] > 1; to++, tried++) {
        pass_unit(first, from, to);
        spread s = spread_of(&e, first);
        pass_unit(first, to, from);
        if (better(s, best)) {
          best = s;
          best_from = from;
          best_to = to;
        }
      }
    if (best_from == best_to)
      return;
    pass_unit(first, best_from, best_to);
    now = best;
  }
}

static void balanced(splitter *c, const double *seconds, uint32_t *first_unit)
{
  uint32_t n = units(c->g), stages = c->sc->parts;
  double *cost = TS_NEW_ARRAY(c->s->arena, double, stages * n + 1), low = 0, high = 0;
  double *until = TS_NEW_ARRAY(c->s->arena, double, stages *(n + 1) + 1),
         *min = TS_NEW_ARRAY(c->s->arena, double, n + 1);
  for (uint32_t part = 0; part < stages; part++) {
    double *here = cost + (size_t)part * n, *sum = until + (size_t)part * (n + 1);
    for (uint32_t i = 0; i < c->g->ops.count; i++)
      here[unit_of(c->g, i) < n ? unit_of(c->g, i) : n - 1] += *seconds++;
    for (uint32_t i = 0; i < n; i++) {
      min[i] = part && min[i] < here[i] ? min[i] : here[i];
      sum[i + 1] = sum[i] + here[i];
    }
    high = sum[n] > high ? sum[n] : high;
  }
  for (uint32_t i = 0; i < n; i++)
    low = min[i] > low ? min[i] : low;
  for (int step = 0; step < 60 && low < high; step++) {
    double middle = (low + high) / 2;
    if (parts_for(cost, n, middle, stages, first_unit) <= stages)
      high = middle;
    else
      low = middle;
  }
  parts_for(cost, n, high * (1 + 1e-12), stages, first_unit);
  first_unit[stages] = n;
  even_out(c, until, first_unit);
}

/* As even as can be, which is not what every framework does: say so. */
static void evenly(splitter *c, uint32_t n, uint32_t stages, uint32_t *first_unit)
{
  const char *text = "";
  for (uint32_t i = 0; i <= stages; i++)
    first_unit[i] = (uint32_t)((uint64_t)i * n / stages);
  if (n % stages == 0)
    return;
  for (uint32_t i = 0; i < stages && i < 24; i++)
    text = ts_arena_printf(c->s->arena, "%s%s%u", text, i ? ", " : "",
                           first_unit[i + 1] - first_unit[i]);
  ts_diag *d =
    ts_report(c->s, TS_W0322, c->sc->span, "%u repeats do not fill %u stages evenly", n, stages);
  ts_diag_here(d, "%u stages", stages);
  ts_diag_label(d, c->g->unit_span, "%u repeats of `%s`", n, c->g->unit_name);
  ts_diag_note(d, "the stages hold %s%s", text, stages > 24 ? ", ..." : "");
  ts_diag_help(d, "state the sizes (`stages p of [...]`), or divide by time (`stages p balanced`)");
}

/* What stands before all repeats is on the first stage, what stands behind them on the last,
 * whether these hold repeats or not. */
static bool stage_before(const splitter *c, uint32_t op, uint32_t stage, const uint32_t *first_unit)
{
  return stage + 1 == c->sc->parts || unit_of(c->g, op) < first_unit[stage + 1] ||
         (!stage && op < c->g->before_units);
}

/* nanotron has such stages, with the last norm or nothing. */
static void say_empty(const splitter *c)
{
  enum { NAMED = 8 };
  const char *text = "";
  uint32_t empty = 0, last = 0;
  for (uint32_t i = 0; i < c->sc->parts; i++)
    if (!c->stages->at[i].op_count) {
      if (empty && empty <= NAMED)
        text = ts_arena_printf(c->s->arena, "%s%s%u", text, *text ? ", " : "", last);
      last = i;
      empty++;
    }
  if (!empty)
    return;
  bool one = empty == 1, all = empty <= NAMED + 1;
  ts_diag *d = ts_report(c->s, TS_W0322, c->sc->stages_span,
                         "stage%s %s%s%s hold%s no op: messages go past %s", one ? "" : "s", text,
                         one ? "" : " and ",
                         all ? ts_arena_printf(c->s->arena, "%u", last) :
                               ts_arena_printf(c->s->arena, "%u more", empty - NAMED),
                         one ? "s" : "", one ? "it" : "them");
  ts_diag_here(d, one ? "its size is 0" : "their sizes are 0");
  ts_diag_help(d, "a framework whose empty stages pass messages on takes one more for each: let "
                  "each stage hold a repeat; the first may have what stands before all, the last "
                  "what stands behind them");
}

bool ts_stages_are_plain(const ts_graph *g, const ts_schedule *sc)
{
  uint32_t n = units(g);
  return sc->sizes || (!sc->balanced && g->unit_count && n >= sc->parts && n % sc->parts == 0);
}

static bool stage_divide(splitter *c, const double *seconds)
{
  uint32_t n = units(c->g), stages = c->sc->parts;
  uint32_t *first_unit = TS_NEW_ARRAY(c->s->arena, uint32_t, stages + 1);
  if (n < stages && !c->sc->sizes) {
    ts_diag *d = ts_report(c->s, TS_E0311, c->sc->stages_span, "%u stages cannot share %u %s",
                           stages, n, c->g->unit_count ? "repeats" : "ops");
    ts_diag_here(d, "%u stages", stages);
    if (c->g->unit_count)
      ts_diag_label(d, c->g->unit_span, "%u repeats of `%s`", n, c->g->unit_name);
    ts_diag_note_at(d, c->sc->span, "%u ranks of %u chunk%s", c->sc->ranks, c->sc->chunks,
                    c->sc->chunks == 1 ? "" : "s");
    ts_diag_help(d, "a stage holds at least one: let ranks times chunks be at most %u",
                 n * c->sc->copies);
    return false;
  }
  if (c->sc->sizes) {
    if (!stage_stated(c, first_unit))
      return false;
  } else if (c->sc->balanced || !c->g->unit_count) {
    balanced(c, seconds, first_unit);
  } else {
    evenly(c, n, stages, first_unit);
  }
  uint32_t op = 0;
  for (uint32_t i = 0; i < stages; i++) {
    ts_stage *stage = &c->stages->at[i];
    stage->first_op = op;
    while (op < c->g->ops.count && stage_before(c, op, i, first_unit))
      c->stage_of[op++] = i;
    stage->op_count = op - stage->first_op;
  }
  say_empty(c);
  for (uint32_t i = stages; i < c->sc->stages; i++) { /* further copies of the model */
    c->stages->at[i].first_op = c->stages->at[i % stages].first_op;
    c->stages->at[i].op_count = c->stages->at[i % stages].op_count;
  }
  return true;
}

/* -- what travels -- */

static void add_transfer(splitter *c, uint32_t tensor, uint32_t from, uint32_t to)
{
  ts_stage *a = &c->stages->at[from], *b = &c->stages->at[to];
  for (uint32_t i = 0; i < b->in_count; i++)
    if (b->in[i].tensor == tensor)
      return;
  const ts_edge *e = &c->g->tensors.at[tensor];
  ts_transfer t = {.tensor = tensor,
                   .other = from,
                   .id = c->stages->transfer_count++,
                   .gradient = e->needs_gradient,
                   .bytes = ts_layout_bytes(c->s, &c->sh->layouts[tensor], e->shape, e->dtype),
                   .local = c->sc->rank_of[from] == c->sc->rank_of[to]};
  b->in = ts_arena_grow(c->s->arena, b->in, b->in_count * sizeof t, (b->in_count + 1) * sizeof t);
  b->in[b->in_count++] = t;
  t.other = to;
  a->out =
    ts_arena_grow(c->s->arena, a->out, a->out_count * sizeof t, (a->out_count + 1) * sizeof t);
  a->out[a->out_count++] = t;
}

static void find_transfers(splitter *c)
{
  for (uint32_t i = 0; i < c->g->ops.count; i++) {
    const ts_op *op = &c->g->ops.at[i];
    if (c->g->reach[i] >= c->stages->at[c->stage_of[i]].first_op) /* all it takes is made there */
      continue;
    for (uint32_t k = 0; k < op->input_count; k++) {
      uint32_t tensor = c->g->tensors.at[op->slots[k].tensor].source;
      uint32_t producer = c->g->tensors.at[tensor].producer;
      for (uint32_t first = 0; producer != TS_NO_INDEX && c->stage_of[producer] != c->stage_of[i] &&
                               first < c->sc->stages;
           first += c->sc->parts)
        add_transfer(c, tensor, first + c->stage_of[producer], first + c->stage_of[i]);
    }
  }
}

/* -- kinds -- */

typedef TS_VEC(uint32_t) words;

/* Everything that decides what a stage does, relative to itself. */
static void describe(const splitter *c, uint32_t index, words *w)
{
  const ts_stage *stage = &c->stages->at[index];
  uint32_t group = 0, shift = 0;
  w->count = 0;
#define SAY(x) TS_PUSH(c->s->arena, w, (uint32_t)(x))
  for (uint32_t i = stage->first_op; i < stage->first_op + stage->op_count; i++) {
    const ts_op *op = &c->g->ops.at[i];
    group = c->sh->recompute_group[i];
    if (group && !shift)
      shift = group;
    SAY(c->sh->class_of[i]);
    SAY(group ? group - shift + 1 : 0);
    SAY(op->span.begin);
    for (uint32_t k = 0; k < op->input_count; k++) {
      uint32_t tensor = c->g->tensors.at[op->slots[k].tensor].source,
               producer = c->g->tensors.at[tensor].producer;
      bool inside = producer != TS_NO_INDEX && c->stage_of[producer] == index % c->sc->parts;
      SAY(inside ? i - producer : TS_NO_INDEX);
      if (inside) {
        const ts_op *maker = &c->g->ops.at[producer];
        SAY(tensor - maker->slots[maker->slot_count - maker->output_count].tensor);
        continue;
      }
      for (uint32_t t = 0; t < stage->in_count; t++)
        if (stage->in[t].tensor == tensor)
          SAY(t);
    }
  }
  SAY(stage->in_count);
  SAY(stage->out_count);
  for (uint32_t t = 0; t < stage->in_count; t++)
    SAY(stage->in[t].local * 2u + stage->in[t].gradient);
  for (uint32_t t = 0; t < stage->out_count; t++) {
    uint32_t producer = c->g->tensors.at[stage->out[t].tensor].producer;
    SAY(stage->out[t].local * 2u + stage->out[t].gradient);
    SAY(producer - stage->first_op);
    SAY(stage->out[t].tensor -
        c->g->ops.at[producer]
          .slots[c->g->ops.at[producer].slot_count - c->g->ops.at[producer].output_count]
          .tensor);
  }
#undef SAY
}

/* Of tensors that leave two stages: the same outputs of the same ops, counted from the first. */
static bool same_out(const splitter *c, const ts_stage *a, const ts_stage *b, uint32_t t)
{
  const ts_edge *edges = c->g->tensors.at;
  const ts_transfer *x = &a->out[t], *y = &b->out[t];
  uint32_t from = edges[x->tensor].producer, other = edges[y->tensor].producer;
  const ts_op *one = &c->g->ops.at[from], *two = &c->g->ops.at[other];
  return x->local == y->local && x->gradient == y->gradient &&
         from - a->first_op == other - b->first_op &&
         x->tensor - one->slots[one->slot_count - one->output_count].tensor ==
           y->tensor - two->slots[two->slot_count - two->output_count].tensor;
}

/* The same ops with the same ones before them, and the same tensors that come and go. What is not
 * may be of one kind all the same: where a tensor comes from does not matter, for one. */
static bool plainly_alike(const splitter *c, const ts_stage *a, const ts_stage *b)
{
  const uint32_t *form = c->sh->form;
  bool same = !memcmp(form + a->first_op, form + b->first_op, a->op_count * sizeof *form);
  for (uint32_t t = 0; t < a->in_count && same; t++)
    same = a->in[t].local == b->in[t].local && a->in[t].gradient == b->in[t].gradient;
  for (uint32_t t = 0; t < a->out_count && same; t++)
    same = same_out(c, a, b, t);
  return same;
}

static bool same_sizes(const ts_stage *a, const ts_stage *b)
{
  return a->op_count == b->op_count && a->in_count == b->in_count && a->out_count == b->out_count;
}

/* Kernels take as long on both. */
static bool same_place(const splitter *c, uint32_t one, uint32_t other)
{
  const uint32_t *devices = c->sc->devices, *rank = c->sc->rank_of;
  return !devices || devices[rank[one]] == devices[rank[other]];
}

static const words *described(const splitter *c, uint32_t index, words *w)
{
  if (!w->count)
    describe(c, index, w);
  return w;
}

/* said: of the kinds so far, once somebody asks. */
static uint32_t stage_kind_of(const splitter *c, uint32_t index, const uint32_t *example,
                              words *said)
{
  const ts_stage *stages = c->stages->at, *stage = &stages[index];
  uint32_t kinds = c->stages->kind_count;
  for (uint32_t k = 0; k < kinds; k++)
    if (same_place(c, example[k], index) && same_sizes(&stages[example[k]], stage) &&
        plainly_alike(c, &stages[example[k]], stage))
      return k;
  said[kinds].count = 0;
  for (uint32_t k = 0; k < kinds; k++) {
    if (!same_place(c, example[k], index) || !same_sizes(&stages[example[k]], stage))
      continue;
    const words *a = described(c, example[k], &said[k]), *b = described(c, index, &said[kinds]);
    if (a->count == b->count && !memcmp(a->at, b->at, a->count * sizeof *a->at))
      return k;
  }
  return kinds;
}

static void find_kinds(splitter *c)
{
  ts_stages *stages = c->stages;
  uint32_t *example = TS_NEW_ARRAY(c->s->arena, uint32_t, stages->count + 1),
           *kind_size = TS_NEW_ARRAY(c->s->arena, uint32_t, stages->count + 1);
  words *said = TS_NEW_ARRAY(c->s->arena, words, stages->count + 1);
  for (uint32_t i = 0; i < stages->count; i++) {
    uint32_t k = stage_kind_of(c, i, example, said);
    if (k == stages->kind_count)
      example[stages->kind_count++] = i;
    stages->at[i].kind = k;
    kind_size[k]++;
  }
  stages->example = example;
  stages->kind_size = kind_size;
}

ts_stages *ts_stages_build(ts_session *s, const ts_graph *g, const ts_sharding *sh,
                           const ts_schedule *sc, const double *seconds)
{
  ts_stages *stages = TS_NEW(s->arena, ts_stages);
  splitter c = {s, g, sh, sc, stages, TS_NEW_ARRAY(s->arena, uint32_t, g->ops.count + 1)};
  stages->count = sc->stages;
  stages->at = TS_NEW_ARRAY(s->arena, ts_stage, sc->stages + 1);
  if (!stage_divide(&c, seconds))
    return NULL;
  find_transfers(&c);
  find_kinds(&c);
  return stages;
}
