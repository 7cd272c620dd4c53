#include "runtime/collective/flow_traffic.h"

#include <math.h>
#include <string.h>

#include "runtime/load/event_queue.h"

typedef struct circuit {
  uint32_t in, out;
  uint32_t link;      /* of the solver */
  uint32_t users;     /* parts */
  bool up;
  uint64_t used, ready; /* last time; set up from then on */
  uint32_t next;      /* with the same link in, plus 1 */
} circuit;

typedef struct flow_traffic_end { /* of circuits: a directed link */
  uint32_t ports, taken;
  uint32_t needed;    /* by the part looked at */
  uint32_t first;     /* circuit that comes by it, plus 1 */
  TS_VEC(uint32_t) up; /* circuits that hold its ports */
} flow_traffic_end;

typedef struct flow_traffic_call {
  const ts_flow_pattern *pattern;
  double bytes;
  double pace;
  double left;        /* of its latency, ps, at `since` */
  uint64_t since, begin; /* begin: when its latency is over, as announced last */
  bool waits;         /* for that */
  uint32_t open;      /* parts that have not ended */
  uint32_t parts;     /* chain by `next`, those that have ended too, or TS_FLOW_NONE */
} flow_traffic_call;

typedef struct flow_traffic_part {
  uint32_t call, index;
  ts_flow_use *uses;  /* its own where there are circuits */
  uint32_t room;
  uint32_t flow;      /* or TS_FLOW_NONE: waits for circuits, or has ended */
  uint32_t next;      /* of the call */
} flow_traffic_part;

typedef enum change { LATENCY_ENDS, PART_BEGINS } change;

struct ts_traffic {
  ts_arena *arena;
  const ts_ir *ir;
  ts_flows *flows;
  flow_traffic_end *ends; /* [2 * links] NULL: there are no circuits */
  TS_VEC(circuit) circuits;
  TS_VEC(flow_traffic_call) calls;
  TS_VEC(uint32_t) free_calls;
  TS_VEC(flow_traffic_part) parts;
  TS_VEC(uint32_t) free_parts;
  TS_VEC(uint32_t) part_of;  /* of each flow */
  ts_event_queue heap; /* moments: detail a change, of the call or part `id` */
  TS_VEC(uint32_t) waiting;  /* parts, for circuits */
  TS_VEC(uint32_t) ended;    /* calls */
  uint64_t now, order, started, setups, evictions;
};

static const ts_ir_link_class *flow_traffic_class_of(const ts_ir *ir, uint32_t link)
{
  return &ir->link_classes[ir->links[link / 2].link_class];
}

ts_traffic *ts_traffic_new(ts_arena *arena, const ts_ir *ir)
{
  ts_traffic *t = TS_NEW(arena, ts_traffic);
  *t = (ts_traffic){.arena = arena, .ir = ir};
  t->flows = ts_flows_new(arena, 2 * ir->links_count, ts_flow_capacities(arena, ir));
  for (uint32_t c = 0; c < ir->link_classes_count && !t->ends; c++)
    if (ir->link_classes[c].ports)
      t->ends = TS_NEW_ARRAY(arena, flow_traffic_end, 2 * (size_t)ir->links_count);
  for (uint32_t l = 0; t->ends && l < 2 * ir->links_count; l++)
    t->ends[l].ports = flow_traffic_class_of(ir, l)->ports;
  return t;
}

/* ---- What comes when ---- */

static void announce(ts_traffic *t, uint64_t time, change what, uint32_t id)
{
  ts_event_queue_announce(t->arena, &t->heap, (ts_moment){time, t->order++, id, what});
}

/* ---- Circuits ---- */

static const ts_flow_part *pattern_part(const ts_traffic *t, const flow_traffic_part *p)
{
  return &t->calls.at[p->call].pattern->parts[p->index];
}

static uint32_t circuit_of(ts_traffic *t, const ts_circuit *wanted)
{
  flow_traffic_end *in = &t->ends[wanted->in];
  for (uint32_t c = in->first; c; c = t->circuits.at[c - 1].next)
    if (t->circuits.at[c - 1].out == wanted->out)
      return c - 1;
  double a = flow_traffic_class_of(t->ir, wanted->in)->bandwidth,
         b = flow_traffic_class_of(t->ir, wanted->out)->bandwidth;
  circuit c = {.in = wanted->in,
               .out = wanted->out,
               .next = in->first,
               .link = ts_flows_add_link(t->flows, a < b ? a : b)};
  TS_PUSH(t->arena, &t->circuits, c);
  return (in->first = (uint32_t)t->circuits.count) - 1;
}

/* Ports of an end that the part could have: free ones, and those of circuits that nobody uses and
 * that it does not want itself. */
static bool has_ports(const ts_traffic *t, const flow_traffic_end *e)
{
  uint32_t idle = e->ports - e->taken;
  for (size_t i = 0; i < e->up.count; i++)
    idle += !t->circuits.at[e->up.at[i]].users;
  return idle >= e->needed;
}

static void leave_port(flow_traffic_end *e, uint32_t id)
{
  for (size_t i = 0; i < e->up.count; i++)
    if (e->up.at[i] == id) {
      e->up.at[i] = e->up.at[--e->up.count];
      break;
    }
  e->taken--;
}

static void take_down(ts_traffic *t, uint32_t id)
{
  circuit *c = &t->circuits.at[id];
  c->up = false;
  leave_port(&t->ends[c->in], id);
  leave_port(&t->ends[c->out], id);
  t->evictions++;
}

static void flow_traffic_make_room(ts_traffic *t, flow_traffic_end *e)
{
  if (e->taken < e->ports)
    return;
  uint32_t oldest = TS_FLOW_NONE;
  for (size_t i = 0; i < e->up.count; i++) {
    uint32_t id = e->up.at[i];
    const circuit *c = &t->circuits.at[id],
                  *o = oldest == TS_FLOW_NONE ? NULL : &t->circuits.at[oldest];
    if (!c->users && (!o || c->used < o->used || (c->used == o->used && id < oldest)))
      oldest = id;
  }
  take_down(t, oldest);
}

static void set_up(ts_traffic *t, uint32_t id)
{
  circuit *c = &t->circuits.at[id];
  uint64_t a = flow_traffic_class_of(t->ir, c->in)->setup,
           b = flow_traffic_class_of(t->ir, c->out)->setup;
  flow_traffic_end *ends[] = {&t->ends[c->in], &t->ends[c->out]};
  for (int i = 0; i < 2; i++) {
    flow_traffic_make_room(t, ends[i]);
    ends[i]->taken++;
    TS_PUSH(t->arena, &ends[i]->up, id);
  }
  c->up = true;
  c->ready = t->now + (a > b ? a : b);
  t->setups++;
}

/* Counts a part's circuits that are not up at their ends, and holds those that are. False: some end
 * has not enough ports. */
static bool flow_traffic_hold(ts_traffic *t, const ts_flow_part *p)
{
  bool enough = true;
  for (uint32_t i = 0; i < p->circuit_count; i++) {
    uint32_t id = circuit_of(t, &p->circuits[i]); /* may move them all */
    circuit *c = &t->circuits.at[id];
    c->users++;
    if (!c->up) {
      t->ends[c->in].needed++;
      t->ends[c->out].needed++;
    }
  }
  for (uint32_t i = 0; i < p->circuit_count; i++)
    enough = enough && has_ports(t, &t->ends[p->circuits[i].in]) &&
             has_ports(t, &t->ends[p->circuits[i].out]);
  for (uint32_t i = 0; i < p->circuit_count; i++)
    t->ends[p->circuits[i].in].needed = t->ends[p->circuits[i].out].needed = 0;
  for (uint32_t i = 0; i < p->circuit_count && !enough; i++)
    t->circuits.at[circuit_of(t, &p->circuits[i])].users--;
  return enough;
}

static void let_go(ts_traffic *t, const ts_flow_part *p)
{
  for (uint32_t i = 0; i < p->circuit_count; i++) {
    circuit *c = &t->circuits.at[circuit_of(t, &p->circuits[i])];
    c->users--;
    c->used = t->now;
  }
}

static void own_uses(ts_traffic *t, flow_traffic_part *p, const ts_flow_part *from)
{
  uint32_t count = from->count + from->circuit_count;
  if (count > p->room) {
    p->room = 2 * count;
    p->uses = TS_NEW_ARRAY(t->arena, ts_flow_use, p->room);
  }
  if (from->count)
    memcpy(p->uses, from->uses, from->count * sizeof *from->uses);
  for (uint32_t i = 0; i < from->circuit_count; i++)
    p->uses[from->count + i] = (ts_flow_use){t->circuits.at[circuit_of(t, &from->circuits[i])].link,
                                             from->circuits[i].connections};
}

/* ---- Parts ---- */

static void flow_part(ts_traffic *t, uint32_t id)
{
  flow_traffic_part *p = &t->parts.at[id];
  const ts_flow_part *from = pattern_part(t, p);
  if (from->circuit_count)
    own_uses(t, p, from);
  uint32_t flow = ts_flows_start(t->flows, from->circuit_count ? p->uses : from->uses,
                                 from->count + from->circuit_count, t->calls.at[p->call].bytes);
  while (t->part_of.count <= flow)
    TS_PUSH(t->arena, &t->part_of, TS_FLOW_NONE);
  t->part_of.at[flow] = id;
  p->flow = flow;
  ts_flows_pace(t->flows, flow, t->calls.at[p->call].pace);
}

/* False: its circuits cannot be had yet. */
static bool begin_part(ts_traffic *t, uint32_t id)
{
  const ts_flow_part *from = pattern_part(t, &t->parts.at[id]);
  uint64_t ready = t->now;
  if (from->circuit_count && !flow_traffic_hold(t, from))
    return false;
  for (uint32_t i = 0; i < from->circuit_count; i++) {
    uint32_t c = circuit_of(t, &from->circuits[i]);
    if (!t->circuits.at[c].up)
      set_up(t, c);
    ready = t->circuits.at[c].ready > ready ? t->circuits.at[c].ready : ready;
  }
  if (ready > t->now)
    announce(t, ready, PART_BEGINS, id);
  else
    flow_part(t, id);
  return true;
}

static void begin_waiting(ts_traffic *t)
{
  size_t remaining = 0;
  for (size_t i = 0; i < t->waiting.count; i++)
    if (!begin_part(t, t->waiting.at[i]))
      t->waiting.at[remaining++] = t->waiting.at[i];
  t->waiting.count = remaining;
}

/* Its latency is over: its parts flow. */
static void begin_call(ts_traffic *t, uint32_t id)
{
  flow_traffic_call *c = &t->calls.at[id];
  c->waits = false;
  c->open = c->bytes > 0 ? c->pattern->count : 0;
  if (!c->open)
    TS_PUSH(t->arena, &t->ended, id);
  for (uint32_t i = 0, count = c->open; i < count; i++) {
    uint32_t p =
      t->free_parts.count ? t->free_parts.at[--t->free_parts.count] : (uint32_t)t->parts.count;
    if (p == t->parts.count)
      TS_PUSH(t->arena, &t->parts, (flow_traffic_part){0});
    t->parts.at[p].call = id;
    t->parts.at[p].index = i;
    t->parts.at[p].flow = TS_FLOW_NONE;
    t->parts.at[p].next = t->calls.at[id].parts;
    t->calls.at[id].parts = p;
    if (!begin_part(t, p))
      TS_PUSH(t->arena, &t->waiting, p);
  }
}

static void end_part(ts_traffic *t, uint32_t id)
{
  const ts_flow_part *from = pattern_part(t, &t->parts.at[id]);
  uint32_t c = t->parts.at[id].call;
  let_go(t, from);
  t->parts.at[id].flow = TS_FLOW_NONE;
  if (!--t->calls.at[c].open)
    TS_PUSH(t->arena, &t->ended, c);
}

uint32_t ts_traffic_start(ts_traffic *t, const ts_flow_pattern *pattern, double bytes,
                          uint64_t latency)
{
  uint32_t id =
    t->free_calls.count ? t->free_calls.at[--t->free_calls.count] : (uint32_t)t->calls.count;
  if (id == t->calls.count)
    TS_PUSH(t->arena, &t->calls, (flow_traffic_call){0});
  t->calls.at[id] = (flow_traffic_call){.pattern = pattern,
                                        .bytes = bytes,
                                        .pace = 1,
                                        .left = (double)latency,
                                        .since = t->now,
                                        .begin = t->now + latency,
                                        .waits = true,
                                        .parts = TS_FLOW_NONE};
  t->started++;
  announce(t, t->now + latency, LATENCY_ENDS, id);
  return id;
}

void ts_traffic_pace(ts_traffic *t, uint32_t id, double pace)
{
  flow_traffic_call *c = &t->calls.at[id];
  if (c->pace == pace)
    return;
  if (c->waits) {
    c->left = fmax(0, c->left - (double)(t->now - c->since) * c->pace);
    c->since = t->now;
    c->begin = t->now + (uint64_t)llround(fmin(c->left / pace, 0x1p61));
    announce(t, c->begin, LATENCY_ENDS, id);
  }
  c->pace = pace;
  for (uint32_t p = c->parts; p != TS_FLOW_NONE; p = t->parts.at[p].next)
    if (t->parts.at[p].flow != TS_FLOW_NONE)
      ts_flows_pace(t->flows, t->parts.at[p].flow, pace);
}

uint64_t ts_traffic_next(ts_traffic *t)
{
  uint64_t flow = ts_flows_next(t->flows),
           other = t->heap.count ? t->heap.at[0].time : TS_FLOW_NEVER;
  return t->ended.count ? t->now : flow < other ? flow : other;
}

void ts_traffic_advance(ts_traffic *t, uint64_t now)
{
  bool freed = false;
  t->now = now;
  ts_flows_advance(t->flows, now);
  for (uint32_t flow; (flow = ts_flows_ended(t->flows)) != TS_FLOW_NONE; freed = true)
    end_part(t, t->part_of.at[flow]);
  if (freed)
    begin_waiting(t);
  while (t->heap.count && t->heap.at[0].time <= now) {
    ts_moment m = ts_event_queue_take(&t->heap);
    if (m.detail == PART_BEGINS)
      flow_part(t, m.id);
    else if (t->calls.at[m.id].waits && t->calls.at[m.id].begin == m.time)
      begin_call(t, m.id);
  }
}

uint32_t ts_traffic_ended(ts_traffic *t)
{
  if (!t->ended.count)
    return TS_FLOW_NONE;
  uint32_t id = t->ended.at[--t->ended.count];
  for (uint32_t p = t->calls.at[id].parts; p != TS_FLOW_NONE; p = t->parts.at[p].next)
    TS_PUSH(t->arena, &t->free_parts, p);
  TS_PUSH(t->arena, &t->free_calls, id);
  return id;
}

void ts_traffic_again(ts_traffic *t)
{
  ts_flows_again(t->flows);
  for (size_t c = 0; c < t->circuits.count; c++) {
    flow_traffic_end *ends[] = {&t->ends[t->circuits.at[c].in], &t->ends[t->circuits.at[c].out]};
    for (int e = 0; e < 2; e++) {
      ends[e]->taken = ends[e]->first = 0;
      ends[e]->up.count = 0;
    }
  }
  t->free_parts.count = 0;
  for (uint32_t p = (uint32_t)t->parts.count; p-- > 0;)
    TS_PUSH(t->arena, &t->free_parts, p);
  t->circuits.count = t->calls.count = t->free_calls.count = t->part_of.count = 0;
  t->heap.count = t->waiting.count = t->ended.count = 0;
  t->now = t->order = 0;
}

bool ts_traffic_any_ended(const ts_traffic *t) { return t->ended.count; }

ts_traffic_work ts_traffic_work_of(const ts_traffic *t)
{
  return (ts_traffic_work){ts_flows_work_of(t->flows), t->started, t->setups, t->evictions};
}

bool ts_traffic_possible(const ts_ir *ir, const ts_flow_pattern *pattern, uint32_t *link,
                         uint32_t *needed)
{
  bool circuits = false;
  for (uint32_t p = 0; p < pattern->count; p++)
    circuits |= pattern->parts[p].circuit_count > 0;
  if (!circuits)
    return true;
  ts_arena *scratch = ts_arena_new("circuits of a pattern");
  uint32_t *count = TS_NEW_ARRAY(scratch, uint32_t, 2 * (size_t)ir->links_count);
  bool possible = true;
  for (uint32_t p = 0; p < pattern->count && possible; p++) {
    const ts_flow_part *from = &pattern->parts[p];
    for (uint32_t i = 0; i < from->circuit_count; i++) {
      uint32_t ends[] = {from->circuits[i].in, from->circuits[i].out};
      for (int e = 0; e < 2; e++)
        if (++count[ends[e]] > flow_traffic_class_of(ir, ends[e])->ports &&
            count[ends[e]] > *needed) {
          *link = ends[e];
          *needed = count[ends[e]];
          possible = false;
        }
    }
    for (uint32_t i = 0; i < from->circuit_count; i++)
      count[from->circuits[i].in] = count[from->circuits[i].out] = 0;
  }
  ts_arena_free(scratch);
  return possible;
}
