/* For a group of n ranks of which s are in a part and c = n - s are not, bytes that must leave the
 * part and enter it, of B:
 *   all-to-all      s c/n          s c/n     each rank keeps a part for each other
 *   all-gather      s/n            c/n       what is there must get out once; what is not must come
 *   in
 *   reduce-scatter  c/n            s/n       partial sums, likewise
 *   all-reduce      1              1         c/n of partial sums and s/n of results go out, the
 *   reverse comes in
 *   broadcast       1 with the root, else 0; 0 with the root, else 1; reduce the other way round
 *   shift           1 for each rank whose next one is outside
 * Where only ranks reduce, an all-reduce over m parts moves 2(m-1) B between them at least
 * (Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations",
 * 2009), over all their links together. Worked: 16 ranks in 2 islands of 8 NICs of 50 GB/s,
 * all-to-all of 1 GB: 4 GB leave each island at 400 GB/s: 10 ms. */
#include "runtime/collective/bound.h"

#include <math.h>
#include <string.h>

#include "base/sets.h"

enum { MOST_LEVELS = 8 };

/* a partition of the vertices; parts bear the number of their first vertex */
typedef struct level {
  uint32_t *part;    /* [vertices] */
  double *out, *in;  /* [vertices] bytes/s of the links that leave and enter a part */
  double *sent, *taken; /* [vertices] bytes that a step sends over these */
  bool single;       /* each vertex is a part of its own */
} level;

typedef struct piece { /* the members of an instance in one part */
  uint32_t part, instance, members, leaving, coming; /* shifts out of it and into it */
  bool root;
} piece;

typedef struct bound_use {
  double total, most;
} bound_use; /* of a part, by all instances */

struct ts_cuts {
  ts_arena *arena;
  const ts_ir *ir;
  uint32_t level_count;
  level levels[MOST_LEVELS];
  uint32_t *place;   /* [vertices] of the piece of an instance, plus 1 */
  bound_use *out, *in; /* [vertices] by part */
  uint32_t *sharers; /* [vertices] instances that have members in a part and outside */
};

/* ---- The parts ---- */

static void add_rates(const ts_ir *ir, level *at)
{
  for (uint32_t l = 0; l < ir->links_count; l++) {
    uint32_t from = at->part[ir->links[l].from], to = at->part[ir->links[l].to];
    double rate = ts_ir_link_rate(&ir->link_classes[ir->links[l].link_class]);
    for (uint32_t d = 0; from != to && d < (ir->links[l].duplex ? 2u : 1u); d++) {
      at->out[d ? to : from] += rate;
      at->in[d ? from : to] += rate;
    }
  }
}

/* `joins`: of each link, whether it is inside of a part. Partitions that are there already, or
 * leave nothing between devices, are not kept. */
static void add_level(ts_cuts *c, const bool *joins)
{
  const ts_ir *ir = c->ir;
  uint32_t n = ir->devices_count, some = TS_IR_NONE;
  level at = {.part = ts_sets_new(c->arena, n),
              .out = TS_NEW_ARRAY(c->arena, double, n),
              .in = TS_NEW_ARRAY(c->arena, double, n)};
  bool several = false;
  at.single = true;
  for (uint32_t l = 0; l < ir->links_count; l++)
    if (joins[l])
      ts_sets_join(at.part, ir->links[l].from, ir->links[l].to);
  ts_sets_settle(at.part, n);
  for (uint32_t v = 0; v < n; v++) {
    at.single &= at.part[v] == v;
    if (ir->devices[v].device_class == TS_IR_NONE)
      continue;
    several |= some != TS_IR_NONE && some != at.part[v];
    some = at.part[v];
  }
  for (uint32_t i = 0; i < c->level_count; i++)
    several &= memcmp(c->levels[i].part, at.part, n * sizeof *at.part) != 0;
  if (!several || c->level_count == MOST_LEVELS)
    return;
  add_rates(ir, &at);
  at.sent = TS_NEW_ARRAY(c->arena, double, n);
  at.taken = TS_NEW_ARRAY(c->arena, double, n);
  c->levels[c->level_count++] = at;
}

/* Links between a vertex and the nearest device. */
static uint32_t *heights(const ts_ir *ir, ts_arena *scratch)
{
  uint32_t *height = TS_NEW_ARRAY(scratch, uint32_t, ir->devices_count);
  for (uint32_t v = 0; v < ir->devices_count; v++)
    height[v] = ir->devices[v].device_class == TS_IR_NONE ? TS_IR_NONE - 1 : 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (uint32_t l = 0; l < ir->links_count; l++) {
      uint32_t *a = &height[ir->links[l].from], *b = &height[ir->links[l].to];
      uint32_t *high = *a > *b ? a : b, lower = (*a > *b ? *b : *a) + 1;
      moved |= *high > lower;
      *high = *high > lower ? lower : *high;
    }
  }
  return height;
}

ts_cuts *ts_cuts_new(ts_arena *arena, const ts_ir *ir)
{
  ts_cuts *c = TS_NEW(arena, ts_cuts);
  *c = (ts_cuts){.arena = arena,
                 .ir = ir,
                 .place = TS_NEW_ARRAY(arena, uint32_t, ir->devices_count),
                 .sharers = TS_NEW_ARRAY(arena, uint32_t, ir->devices_count)};
  c->out = TS_NEW_ARRAY(arena, bound_use, ir->devices_count);
  c->in = TS_NEW_ARRAY(arena, bound_use, ir->devices_count);
  ts_arena *scratch = ts_arena_new("cuts");
  bool *joins = TS_NEW_ARRAY(scratch, bool, ir->links_count);
  const uint32_t *height = heights(ir, scratch);
  uint32_t tiers = 0;
  add_level(c, joins); /* every vertex for itself */
  for (uint32_t k = 0; k < ir->link_classes_count; k++)
    tiers = ir->link_classes[k].tier > tiers ? ir->link_classes[k].tier : tiers;
  for (uint32_t t = 0; t < tiers && t < MOST_LEVELS; t++) {
    for (uint32_t l = 0; l < ir->links_count; l++)
      joins[l] = ir->link_classes[ir->links[l].link_class].tier <= t;
    add_level(c, joins);
  }
  for (uint32_t h = 1; h < MOST_LEVELS; h++) {
    for (uint32_t l = 0; l < ir->links_count; l++)
      joins[l] = height[ir->links[l].from] < h || height[ir->links[l].to] < h;
    add_level(c, joins);
  }
  ts_arena_free(scratch);
  return c;
}

/* ---- What a group must move over them ---- */

static void must_move(uint32_t kind, const piece *p, uint32_t ranks, double *out, double *in)
{
  double s = p->members, c = (double)ranks - s, n = ranks;
  switch (kind) {
  case TS_IR_ALL_TO_ALL: *out = *in = s * c / n; break;
  case TS_IR_ALL_GATHER: *out = s / n, *in = c / n; break;
  case TS_IR_REDUCE_SCATTER: *out = c / n, *in = s / n; break;
  case TS_IR_ALL_REDUCE: *out = *in = 1; break;
  case TS_IR_BROADCAST: *out = p->root, *in = !p->root; break;
  case TS_IR_REDUCE: *out = !p->root, *in = p->root; break;
  case TS_IR_SHIFT: *out = p->leaving, *in = p->coming; break;
  default: *out = *in = 0;
  }
}

/* Of an instance; none when one part has all members. Returns how many. */
static uint32_t pieces_of(ts_cuts *c, const level *at, const ts_ranks *ranks,
                          const ts_rank_group *g, uint32_t instance, piece *pieces)
{
  const uint32_t *member = ts_instance_ranks(g, instance);
  uint32_t count = 0, first = at->part[ranks->vertex[member[0]]], before = TS_IR_NONE;
  piece *last = NULL;
  for (uint32_t j = 0; j < g->size; j++) {
    uint32_t part = at->part[ranks->vertex[member[j]]];
    if (part != before) {
      if (!c->place[part]) {
        pieces[count] = (piece){.part = part, .instance = instance, .root = j == 0};
        c->place[part] = ++count;
      }
      piece *here = &pieces[c->place[part] - 1];
      here->coming += last != NULL;
      if (last)
        last->leaving++;
      last = here;
    }
    last->members++;
    before = part;
  }
  if (before != first) { /* around, from the last member to the first */
    last->leaving++;
    pieces[0].coming++;
  }
  for (uint32_t i = 0; i < count; i++)
    c->place[pieces[i].part] = 0;
  return count > 1 ? count : 0;
}

static void add_use(bound_use *u, double bytes)
{
  u->total += bytes;
  u->most = bytes > u->most ? bytes : u->most;
}

static void raise(double *bound, double bytes, double rate)
{
  double time = rate > 0 ? bytes / rate * 1e12 : 0;
  *bound = time > *bound ? time : *bound;
}

/* Others are in the way as long as they have as much to move. */
static double with_others(const bound_use *u, double bytes)
{
  return bytes < u->most ? bytes : u->total;
}

static void bound_kind(ts_cuts *c, const level *at, const piece *pieces, uint32_t count,
                       uint32_t kind, uint32_t ranks, ts_bound *bounds)
{
  double out, in;
  for (uint32_t i = 0; i < count; i++)
    c->out[pieces[i].part] = c->in[pieces[i].part] = (bound_use){0, 0};
  for (uint32_t i = 0; i < count; i++) {
    must_move(kind, &pieces[i], ranks, &out, &in);
    add_use(&c->out[pieces[i].part], out);
    add_use(&c->in[pieces[i].part], in);
  }
  for (uint32_t i = 0; i < count; i++) {
    uint32_t part = pieces[i].part;
    ts_bound *b = &bounds[pieces[i].instance];
    must_move(kind, &pieces[i], ranks, &out, &in);
    raise(&b->alone[kind], out, at->out[part]);
    raise(&b->alone[kind], in, at->in[part]);
    raise(&b->together[kind], with_others(&c->out[part], out), at->out[part]);
    raise(&b->together[kind], with_others(&c->in[part], in), at->in[part]);
  }
}

/* 2(m-1) over the links of all m parts. */
static void bound_sums(ts_cuts *c, const level *at, const piece *pieces, uint32_t count,
                       ts_bound *bounds)
{
  for (uint32_t i = 0; i < count; i++)
    c->sharers[pieces[i].part] = 0;
  for (uint32_t i = 0; i < count; i++)
    c->sharers[pieces[i].part]++;
  for (uint32_t i = 0, m; i < count; i += m) {
    double out = 0, in = 0, share_out = 0, share_in = 0;
    for (m = 0; i + m < count && pieces[i + m].instance == pieces[i].instance; m++) {
      uint32_t part = pieces[i + m].part;
      out += at->out[part];
      in += at->in[part];
      share_out += at->out[part] / c->sharers[part];
      share_in += at->in[part] / c->sharers[part];
    }
    raise(&bounds[pieces[i].instance].summed_alone, 2. * (m - 1), fmin(out, in));
    raise(&bounds[pieces[i].instance].summed_together, 2. * (m - 1), fmin(share_out, share_in));
  }
}

static void without_noise(double *x)
{
  int exponent;
  double mantissa = frexp(*x, &exponent);
  *x = ldexp(nearbyint(ldexp(mantissa, 32)), exponent - 32);
}

/* Sums in another order differ in the last bits; instances that are alike must not. */
static void round_off(ts_bound *b)
{
  for (uint32_t kind = 0; kind < TS_IR_COLLECTIVE_KINDS; kind++) {
    without_noise(&b->alone[kind]);
    without_noise(&b->together[kind]);
  }
  without_noise(&b->summed_alone);
  without_noise(&b->summed_together);
}

void ts_cuts_group(ts_cuts *c, const ts_ranks *ranks, const ts_rank_group *g, uint32_t kinds,
                   ts_bound *bounds)
{
  ts_arena *scratch = ts_arena_new("cuts of a group");
  piece *pieces = TS_NEW_ARRAY(scratch, piece, (size_t)g->size * g->instances);
  memset(bounds, 0, g->instances * sizeof *bounds);
  for (uint32_t l = 0; l < c->level_count && kinds; l++) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < g->instances; i++)
      count += pieces_of(c, &c->levels[l], ranks, g, i, pieces + count);
    for (uint32_t kind = 0; kind < TS_IR_COLLECTIVE_KINDS; kind++)
      if (kinds >> kind & 1)
        bound_kind(c, &c->levels[l], pieces, count, kind, g->size, bounds);
    if (kinds >> TS_IR_ALL_REDUCE & 1)
      bound_sums(c, &c->levels[l], pieces, count, bounds);
  }
  for (uint32_t i = 0; i < g->instances; i++)
    round_off(&bounds[i]);
  ts_arena_free(scratch);
}

ts_bound ts_cuts_path(const ts_cuts *c, uint32_t from, uint32_t to)
{
  ts_bound b = {0};
  for (uint32_t l = 0; l < c->level_count; l++) {
    const level *at = &c->levels[l];
    if (at->part[from] == at->part[to])
      continue;
    raise(&b.alone[TS_IR_MESSAGE], 1, at->out[at->part[from]]);
    raise(&b.alone[TS_IR_MESSAGE], 1, at->in[at->part[to]]);
  }
  b.together[TS_IR_MESSAGE] = b.alone[TS_IR_MESSAGE];
  return b;
}

/* ---- What a step moves over them ---- */

void ts_cuts_clear(ts_cuts *c)
{
  for (uint32_t l = 0; l < c->level_count; l++) {
    memset(c->levels[l].sent, 0, c->ir->devices_count * sizeof(double));
    memset(c->levels[l].taken, 0, c->ir->devices_count * sizeof(double));
  }
}

/* Kinds of which an instance moves something, and what it moves. */
typedef struct moves {
  uint32_t count, kind[TS_IR_COLLECTIVE_KINDS];
  double bytes[TS_IR_COLLECTIVE_KINDS];
} moves;

static moves moves_of(const double *bytes)
{
  moves m = {0};
  for (uint32_t kind = 0; kind < TS_IR_COLLECTIVE_KINDS; kind++)
    if (bytes[kind] != 0) {
      m.kind[m.count] = kind;
      m.bytes[m.count++] = bytes[kind];
    }
  return m;
}

/* Where each member is a part, all but the root move the same. */
static void add_single(level *at, const ts_ranks *ranks, const ts_rank_group *g, uint32_t instance,
                       const moves *m)
{
  const uint32_t *member = ts_instance_ranks(g, instance);
  for (uint32_t k = 0; k < m->count; k++) {
    double out[2], in[2];
    for (uint32_t root = 0; root < 2; root++) {
      piece p = {.members = 1, .leaving = 1, .coming = 1, .root = root};
      must_move(m->kind[k], &p, g->size, &out[root], &in[root]);
    }
    for (uint32_t j = 0; j < g->size; j++) {
      at->sent[ranks->vertex[member[j]]] += out[j == 0] * m->bytes[k];
      at->taken[ranks->vertex[member[j]]] += in[j == 0] * m->bytes[k];
    }
  }
}

static void add_pieces(level *at, const piece *pieces, uint32_t count, uint32_t ranks,
                       const moves *m)
{
  double out, in;
  for (uint32_t j = 0; j < count; j++)
    for (uint32_t k = 0; k < m->count; k++) {
      must_move(m->kind[k], &pieces[j], ranks, &out, &in);
      at->sent[pieces[j].part] += out * m->bytes[k];
      at->taken[pieces[j].part] += in * m->bytes[k];
    }
}

void ts_cuts_add_calls(ts_cuts *c, const ts_ranks *ranks, const ts_rank_group *g,
                       const double *bytes)
{
  ts_arena *scratch = ts_arena_new("calls over cuts");
  piece *pieces = TS_NEW_ARRAY(scratch, piece, g->size);
  for (uint32_t i = 0; i < g->instances && g->size > 1; i++) {
    moves m = moves_of(&bytes[(size_t)i * TS_IR_COLLECTIVE_KINDS]);
    for (uint32_t l = 0; l < c->level_count && m.count; l++) {
      if (c->levels[l].single) {
        add_single(&c->levels[l], ranks, g, i, &m);
        continue;
      }
      uint32_t count = pieces_of(c, &c->levels[l], ranks, g, i, pieces);
      add_pieces(&c->levels[l], pieces, count, g->size, &m);
    }
  }
  ts_arena_free(scratch);
}

void ts_cuts_add_messages(ts_cuts *c, uint32_t from, uint32_t to, double bytes)
{
  for (uint32_t l = 0; l < c->level_count; l++) {
    const level *at = &c->levels[l];
    if (at->part[from] == at->part[to])
      continue;
    at->sent[at->part[from]] += bytes;
    at->taken[at->part[to]] += bytes;
  }
}

static void take_fuller(ts_link_load *fullest, const level **of, const level *at, uint32_t part,
                        bool into)
{
  double bytes = into ? at->taken[part] : at->sent[part],
         rate = into ? at->in[part] : at->out[part], time = rate > 0 ? bytes / rate * 1e12 : 0;
  /* sums are rounded: of those that are alike the first */
  if (!(time > fullest->time * (1 + 1e-9)))
    return;
  *fullest = (ts_link_load){.time = time, .vertex = part, .into = into};
  *of = at;
}

ts_link_load ts_cuts_fullest(const ts_cuts *c)
{
  const level *of = NULL;
  ts_link_load fullest = {0};
  for (uint32_t l = 0; l < c->level_count; l++)
    for (uint32_t v = 0; v < c->ir->devices_count; v++) {
      take_fuller(&fullest, &of, &c->levels[l], v, false);
      take_fuller(&fullest, &of, &c->levels[l], v, true);
    }
  uint32_t part = fullest.vertex;
  for (uint32_t v = c->ir->devices_count; of && v-- > 0;)
    if (of->part[v] == part && c->ir->devices[v].device_class != TS_IR_NONE) {
      fullest.vertex = v;
      fullest.devices++;
    }
  return fullest;
}
