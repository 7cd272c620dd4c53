#include "runtime/collective/flow.h"

#include <math.h>
#include <string.h>

/* of a flow on a link: its use-th one */
typedef struct flow_place {
  uint32_t flow, use;
  double connections;
} flow_place;

typedef struct link {
  double capacity;
  flow_place *at;
  uint32_t count, room;
  uint32_t bound;       /* flows that it bounds; while solving, of those that keep their rates */
  bool touched;         /* a flow to solve for uses it */
  bool changed;         /* flows have come or gone */
  uint32_t waiting;     /* flows of it to solve for */
  double spare, wanted; /* what the others leave, and the connections of those */
  uint32_t open;        /* in a pass: flows without a rate yet */
  double rest, weight;  /* what is not given away yet, and the connections that wait for it */
  double demand;        /* of these, if each had what the others leave it on its narrowest link */
  double highest;       /* of the rates given, the last; 0: none */
  double settled;       /* rate of those that it bounds now; INFINITY: it bounds none */
} link;

typedef struct flow {
  double rate;          /* bytes/s */
  uint32_t bottleneck;  /* link; TS_FLOW_NONE: it uses none */
  bool solving, set;    /* is solved for; has got its rate in this pass */
  uint16_t room;        /* log2 of the places' */
  uint32_t heap;        /* place there + 1; 0: in none */
  uint32_t count;
  const ts_flow_use *uses;
  uint32_t *places;     /* [count] where it stands on each link */
  double left;          /* bytes, at `since` */
  double pace;          /* times the rate: how fast it gets on */
  double fresh;         /* rate that a pass found */
  uint64_t since, end;
} flow;

typedef struct level { double rate; uint32_t link; } level;

struct ts_flows {
  ts_arena *arena;
  const double *capacity; /* [given] of links that no flow has used yet, too */
  uint32_t given;
  TS_VEC(link) links;
  TS_VEC(flow) flows;
  uint32_t free;             /* chain of free numbers by `heap` */
  TS_VEC(uint32_t) heap;     /* flows by end */
  TS_VEC(uint32_t) solving;  /* flows to solve for */
  TS_VEC(uint32_t) touched;  /* links that they use */
  TS_VEC(uint32_t) changed;  /* links whose flows have come or gone */
  TS_VEC(level) levels;      /* heap: how high each link would lift its open flows */
  TS_VEC(uint32_t *) stock[33]; /* places of ended flows, by log2 of their number */
  uint32_t unset;            /* flows without a rate yet, in a pass */
  uint64_t now;
  bool dirty;
  ts_flows_work work;
};

ts_flows *ts_flows_new(ts_arena *arena, uint32_t links, const double *capacity)
{
  ts_flows *f = TS_NEW(arena, ts_flows);
  *f = (ts_flows){.arena = arena, .capacity = capacity, .given = links, .free = TS_FLOW_NONE};
  f->links.at = TS_NEW_ARRAY(arena, link, links); /* memory that no flow touches costs nothing */
  f->links.count = f->links.room = links;
  return f;
}

uint32_t ts_flows_add_link(ts_flows *f, double capacity)
{
  TS_PUSH(f->arena, &f->links, (link){.capacity = capacity});
  return (uint32_t)f->links.count - 1;
}

/* ---- What ends when: a heap with four children a place ---- */

static bool sooner(const ts_flows *f, uint32_t a, uint32_t b)
{
  const flow *x = &f->flows.at[a], *y = &f->flows.at[b];
  return x->end != y->end ? x->end < y->end : a < b;
}

static void flow_put(ts_flows *f, size_t i, uint32_t id)
{
  f->heap.at[i] = id;
  f->flows.at[id].heap = (uint32_t)i + 1;
}

static void rise(ts_flows *f, size_t i, uint32_t id)
{
  for (; i && sooner(f, id, f->heap.at[(i - 1) / 4]); i = (i - 1) / 4)
    flow_put(f, i, f->heap.at[(i - 1) / 4]);
  flow_put(f, i, id);
}

static void sink(ts_flows *f, size_t i, uint32_t id)
{
  for (size_t first; (first = 4 * i + 1) < f->heap.count;) {
    size_t best = first, end = first + 4 < f->heap.count ? first + 4 : f->heap.count;
    for (size_t c = first + 1; c < end; c++)
      best = sooner(f, f->heap.at[c], f->heap.at[best]) ? c : best;
    if (!sooner(f, f->heap.at[best], id))
      break;
    flow_put(f, i, f->heap.at[best]);
    i = best;
  }
  flow_put(f, i, id);
}

static void leave_heap(ts_flows *f, uint32_t id)
{
  size_t i = f->flows.at[id].heap;
  if (!i--)
    return;
  f->flows.at[id].heap = 0;
  uint32_t last = f->heap.at[--f->heap.count];
  if (last == id)
    return;
  if (i && sooner(f, last, f->heap.at[(i - 1) / 4]))
    rise(f, i, last);
  else
    sink(f, i, last);
}

static void schedule(ts_flows *f, uint32_t id)
{
  flow *w = &f->flows.at[id];
  /* 0 / 0 cannot be: left > 0 */
  double length = w->left > 0 ? w->left / (w->rate * w->pace) * 1e12 : 0;
  uint64_t end = length < 9e18 ? f->now + (uint64_t)llround(length) : TS_FLOW_NEVER;
  if (end == TS_FLOW_NEVER) {
    leave_heap(f, id);
    w->end = end;
    return;
  }
  if (!w->heap) {
    w->end = end;
    TS_PUSH(f->arena, &f->heap, id);
    rise(f, f->heap.count - 1, id);
    return;
  }
  bool earlier = end < w->end;
  w->end = end;
  if (earlier)
    rise(f, w->heap - 1, id);
  else
    sink(f, w->heap - 1, id);
}

/* ---- Flows on links ---- */

static uint32_t *take_places(ts_flows *f, flow *w)
{
  uint16_t room = 0;
  while (UINT64_C(1) << room < w->count)
    room++;
  w->room = room;
  if (f->stock[room].count)
    return f->stock[room].at[--f->stock[room].count];
  return TS_NEW_ARRAY(f->arena, uint32_t, (size_t)1 << room);
}

static void flow_change(ts_flows *f, uint32_t l)
{
  f->dirty = true;
  if (!f->links.at[l].changed) {
    f->links.at[l].changed = true;
    TS_PUSH(f->arena, &f->changed, l);
  }
}

static void join_link(ts_flows *f, uint32_t id, uint32_t use)
{
  flow *w = &f->flows.at[id];
  link *l = &f->links.at[w->uses[use].link];
  if (l->count == l->room) {
    flow_place *old = l->at;
    l->room = l->room ? 2 * l->room : 8;
    l->at = TS_NEW_ARRAY(f->arena, flow_place, l->room);
    if (l->count)
      memcpy(l->at, old, l->count * sizeof *old);
  }
  w->places[use] = l->count;
  l->at[l->count++] = (flow_place){id, use, w->uses[use].connections};
}

static void leave_link(ts_flows *f, const flow *w, uint32_t use)
{
  link *l = &f->links.at[w->uses[use].link];
  flow_place last = l->at[--l->count];
  if (w->places[use] == l->count)
    return;
  l->at[w->places[use]] = last;
  f->flows.at[last.flow].places[last.use] = w->places[use];
}

static void touch(ts_flows *f, uint32_t at)
{
  link *l = &f->links.at[at];
  if (l->touched)
    return;
  l->touched = true;
  if (at < f->given)
    l->capacity = f->capacity[at];
  l->waiting = 0;
  l->wanted = 0;
  l->spare = l->capacity;
  f->work.looked += l->count;
  for (uint32_t i = 0; i < l->count; i++)
    l->spare -= l->at[i].connections * f->flows.at[l->at[i].flow].rate;
  TS_PUSH(f->arena, &f->touched, at);
}

static void solve_for(ts_flows *f, uint32_t id)
{
  flow *w = &f->flows.at[id];
  if (w->solving)
    return;
  w->solving = true;
  TS_PUSH(f->arena, &f->solving, id);
  if (w->bottleneck != TS_FLOW_NONE)
    f->links.at[w->bottleneck].bound--;
  for (uint32_t u = 0; u < w->count; u++) {
    link *l = &f->links.at[w->uses[u].link];
    touch(f, w->uses[u].link);
    l->spare += w->uses[u].connections * w->rate;
    l->wanted += w->uses[u].connections;
    l->waiting++;
  }
}

uint32_t ts_flows_start(ts_flows *f, const ts_flow_use *uses, uint32_t count, double bytes)
{
  uint32_t id = f->free;
  if (id == TS_FLOW_NONE) {
    id = (uint32_t)f->flows.count;
    TS_PUSH(f->arena, &f->flows, (flow){0});
  } else {
    f->free = f->flows.at[id].heap;
  }
  flow *w = &f->flows.at[id];
  *w = (flow){.count = count,
              .uses = uses,
              .left = bytes,
              .pace = 1,
              .since = f->now,
              .end = TS_FLOW_NEVER,
              .bottleneck = TS_FLOW_NONE};
  w->places = take_places(f, w);
  solve_for(f, id);
  for (uint32_t u = 0; u < count; u++) {
    join_link(f, id, u);
    flow_change(f, uses[u].link);
  }
  f->work.events++;
  f->dirty = true;
  return id;
}

static void flow_leave(ts_flows *f, uint32_t id)
{
  solve_for(f, id); /* takes it out of what others leave, and of what a link bounds */
  flow *w = &f->flows.at[id];
  leave_heap(f, id);
  for (uint32_t u = 0; u < w->count; u++) {
    link *l = &f->links.at[w->uses[u].link];
    l->wanted -= w->uses[u].connections;
    l->waiting--;
    leave_link(f, w, u);
    flow_change(f, w->uses[u].link);
  }
  TS_PUSH(f->arena, &f->stock[w->room], w->places);
  for (size_t i = f->solving.count; i-- > 0;)
    if (f->solving.at[i] == id) {
      f->solving.at[i] = f->solving.at[--f->solving.count];
      break;
    }
  w->count = 0;
  w->solving = false;
  w->heap = f->free;
  f->free = id;
  f->dirty = true;
  f->work.events++;
}

static double left_now(const ts_flows *f, const flow *w)
{
  if (w->since == f->now)
    return w->left;
  double left = w->left - w->rate * w->pace * 1e-12 * (double)(f->now - w->since);
  return left > 0 ? left : 0;
}

void ts_flows_pace(ts_flows *f, uint32_t id, double pace)
{
  flow *w = &f->flows.at[id];
  if (w->pace == pace)
    return;
  w->left = left_now(f, w);
  w->since = f->now;
  w->pace = pace;
  leave_heap(f, id);
  w->end = TS_FLOW_NEVER;
  if (!w->solving) /* else it will be scheduled with its rate */
    schedule(f, id);
}

/* ---- Rates ---- */

static const double slack = 1e-9; /* of rounding, relative */

static bool lower(const level *a, const level *b)
{
  return a->rate != b->rate ? a->rate < b->rate : a->link < b->link;
}

static void sink_level(ts_flows *f, size_t i, level at)
{
  level *h = f->levels.at;
  size_t n = f->levels.count;
  for (size_t c; (c = 2 * i + 1) < n; i = c) {
    c += c + 1 < n && lower(&h[c + 1], &h[c]);
    if (!lower(&h[c], &at))
      break;
    h[i] = h[c];
  }
  h[i] = at;
}

/* No flow gets more than all that its narrowest link can spare. */
static void demand(ts_flows *f, const flow *w)
{
  double most = INFINITY;
  for (uint32_t u = 0; u < w->count; u++)
    most = fmin(most, fmax(f->links.at[w->uses[u].link].spare, 0) / w->uses[u].connections);
  for (uint32_t u = 0; u < w->count; u++)
    f->links.at[w->uses[u].link].demand += w->uses[u].connections * most;
}

/* How high each link would lift its flows; links that have enough for all that these could get are
 * no bottleneck. */
static void flow_prepare(ts_flows *f)
{
  f->levels.count = 0;
  f->unset = 0;
  for (size_t t = 0; t < f->touched.count; t++) {
    link *l = &f->links.at[f->touched.at[t]];
    l->rest = l->spare;
    l->weight = l->wanted;
    l->open = l->waiting;
    l->highest = l->demand = 0;
    l->settled = INFINITY;
  }
  for (size_t i = 0; i < f->solving.count; i++) {
    flow *w = &f->flows.at[f->solving.at[i]];
    w->set = false;
    demand(f, w);
    if (!w->count)
      w->fresh = INFINITY, w->set = true;
    f->unset += !w->set;
  }
  for (size_t t = 0; t < f->touched.count; t++) {
    const link *l = &f->links.at[f->touched.at[t]];
    if (l->open && l->demand >= l->rest * (1 - slack))
      TS_PUSH(f->arena, &f->levels,
              (level){l->rest > 0 ? l->rest / l->weight : 0, f->touched.at[t]});
  }
  for (size_t i = f->levels.count / 2; i-- > 0;)
    sink_level(f, i, f->levels.at[i]);
}

static void set_rate(ts_flows *f, uint32_t id, double rate, uint32_t bottleneck)
{
  flow *w = &f->flows.at[id];
  w->fresh = rate;
  w->set = true;
  f->unset--;
  w->bottleneck = bottleneck;
  for (uint32_t u = 0; u < w->count; u++) {
    link *l = &f->links.at[w->uses[u].link];
    l->rest -= w->uses[u].connections * rate;
    l->weight -= w->uses[u].connections;
    l->highest = rate; /* rates are given in rising order */
    l->open--;
  }
}

/* Progressive filling: the links' levels only rise while others are settled, so a stale one is
 * looked at again later. */
static void flow_fill(ts_flows *f)
{
  flow_prepare(f);
  while (f->unset) {
    level low = f->levels.at[0];
    link *l = &f->links.at[low.link];
    double rate = l->rest > 0 ? l->rest / l->weight : 0;
    if (l->open && rate > low.rate) {
      sink_level(f, 0, (level){rate, low.link});
      continue;
    }
    level last = f->levels.at[--f->levels.count];
    if (f->levels.count)
      sink_level(f, 0, last);
    if (!l->open)
      continue;
    l->settled = low.rate;
    f->work.looked += l->count;
    for (uint32_t i = 0; i < l->count && l->open; i++) {
      const flow *w = &f->flows.at[l->at[i].flow];
      if (w->solving && !w->set)
        set_rate(f, l->at[i].flow, low.rate, low.link);
    }
  }
}

/* Adds the flows that have no bottleneck any more because of the new rates on a link. False: there
 * is none. */
static bool displaced(ts_flows *f, uint32_t at)
{
  const link *l = &f->links.at[at];
  bool lost = l->bound && l->rest > slack * l->capacity;
  if (l->waiting == l->count || (!l->bound && l->settled == INFINITY))
    return false;
  size_t before = f->solving.count;
  f->work.looked += l->count;
  for (uint32_t i = 0; i < l->count; i++) {
    const flow *w = &f->flows.at[l->at[i].flow];
    if (!w->solving && (w->rate > l->settled * (1 + slack) ||
                        (w->bottleneck == at && (lost || l->highest > w->rate * (1 + slack)))))
      solve_for(f, l->at[i].flow);
  }
  return f->solving.count > before;
}

static bool displace(ts_flows *f)
{
  bool any = false;
  for (size_t t = 0, n = f->touched.count; t < n; t++)
    any |= displaced(f, f->touched.at[t]);
  return any;
}

static void take_rate(ts_flows *f, uint32_t id)
{
  flow *w = &f->flows.at[id];
  w->solving = false;
  if (w->bottleneck != TS_FLOW_NONE)
    f->links.at[w->bottleneck].bound++;
  if (w->since == f->now ? w->fresh == w->rate && w->end != TS_FLOW_NEVER :
                           fabs(w->fresh - w->rate) <= 1e-13 * w->rate)
    return;
  w->left = left_now(f, w);
  w->since = f->now;
  w->rate = w->fresh;
  f->work.rated++;
  schedule(f, id);
}

static void solve(ts_flows *f)
{
  if (!f->dirty)
    return;
  for (size_t c = 0; c < f->changed.count; c++) {
    uint32_t at = f->changed.at[c];
    link *l = &f->links.at[at];
    l->changed = false;
    for (uint32_t i = 0; i < l->count; i++)
      if (f->flows.at[l->at[i].flow].bottleneck == at)
        solve_for(f, l->at[i].flow);
  }
  if (f->solving.count) {
    do
      flow_fill(f);
    while (displace(f));
    f->work.solves++;
  }
  for (size_t i = 0; i < f->solving.count; i++)
    take_rate(f, f->solving.at[i]);
  for (size_t t = 0; t < f->touched.count; t++)
    f->links.at[f->touched.at[t]].touched = false;
  f->solving.count = f->touched.count = f->changed.count = 0;
  f->dirty = false;
}

uint64_t ts_flows_next(ts_flows *f)
{
  solve(f);
  return f->heap.count ? f->flows.at[f->heap.at[0]].end : TS_FLOW_NEVER;
}

void ts_flows_advance(ts_flows *f, uint64_t now)
{
  solve(f);
  f->now = now;
}

uint32_t ts_flows_ended(ts_flows *f)
{
  if (!f->heap.count || f->flows.at[f->heap.at[0]].end > f->now)
    return TS_FLOW_NONE;
  uint32_t id = f->heap.at[0];
  flow_leave(f, id);
  return id;
}

void ts_flows_again(ts_flows *f)
{
  for (uint32_t id = 0; id < f->flows.count; id++)
    if (f->flows.at[id].count)
      flow_leave(f, id);
  solve(f);
  f->links.count = f->given;
  f->flows.count = f->heap.count = 0;
  f->free = TS_FLOW_NONE;
  f->now = 0;
}

double ts_flows_rate(ts_flows *f, uint32_t id)
{
  solve(f);
  return f->flows.at[id].rate;
}

ts_flows_work ts_flows_work_of(const ts_flows *f) { return f->work; }
