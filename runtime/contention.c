#include "runtime/contention.h"

#include "runtime/collective/flow_model.h"
#include "runtime/intern.h"

typedef struct begin { uint64_t time, order; const ts_flow_pattern *pattern; double bytes; uint64_t latency; uint32_t tag; } begin;

struct ts_contention {
  ts_arena *arena;
  const ts_tables *tables;
  ts_network *network;
  ts_traffic *traffic;
  TS_VEC(begin) heap;          /* calls that begin later */
  uint64_t order;
  TS_VEC(uint32_t) tags;       /* of each call of the traffic */
  ts_flow_pattern **patterns;  /* [groups] of [instances * models * shapes]: made when asked for first */
  ts_intern paths;             /* model, sender, receiver */
  TS_VEC(ts_flow_pattern *) path_patterns;
};

ts_contention *ts_contention_new(ts_arena *arena, const ts_tables *tables, ts_network *network)
{
  ts_contention *c = TS_NEW(arena, ts_contention);
  *c = (ts_contention){.arena = arena, .tables = tables, .network = network, .traffic = ts_traffic_new(arena, tables->ir), .paths.arena = arena};
  c->patterns = TS_NEW_ARRAY(arena, ts_flow_pattern *, tables->ir->groups_count);
  return c;
}

static bool sooner(const begin *a, const begin *b) { return a->time != b->time ? a->time < b->time : a->order < b->order; }

static void add(ts_contention *c, begin b)
{
  b.order = c->order++;
  TS_PUSH(c->arena, &c->heap, b);
  begin *h = c->heap.at;
  size_t i = c->heap.count - 1;
  for (; i && sooner(&b, &h[(i - 1) / 2]); i = (i - 1) / 2)
    h[i] = h[(i - 1) / 2];
  h[i] = b;
}

static begin take(ts_contention *c)
{
  begin *h = c->heap.at, top = h[0], b = h[--c->heap.count];
  size_t i = 0, n = c->heap.count;
  for (size_t k; (k = 2 * i + 1) < n; i = k) {
    k += k + 1 < n && sooner(&h[k + 1], &h[k]);
    if (!sooner(&h[k], &b))
      break;
    h[i] = h[k];
  }
  if (n)
    h[i] = b;
  return top;
}

static const ts_flow_pattern *group_pattern(ts_contention *c, uint32_t group, uint32_t instance, uint32_t model, ts_flow_shape shape)
{
  const ts_ranks *ranks = c->tables->ranks;
  const ts_rank_group *g = &ranks->groups[group];
  size_t models = c->tables->ir->net_models_count;
  if (!c->patterns[group])
    c->patterns[group] = TS_NEW_ARRAY(c->arena, ts_flow_pattern, (size_t)g->instances * models * TS_FLOW_SHAPES);
  ts_flow_pattern *p = &c->patterns[group][((size_t)instance * models + model) * TS_FLOW_SHAPES + shape];
  if (!p->count) {
    ts_arena *scratch = ts_arena_new("members");
    uint32_t *vertex = TS_NEW_ARRAY(scratch, uint32_t, g->size), pair[2];
    for (uint32_t j = 0; j < g->size; j++)
      vertex[j] = ranks->vertex[g->base[instance] + g->offset[j]];
    ts_flow_pattern_make(ts_network_maker(c->network, model), c->arena, shape, vertex, g->size, p, pair); /* the network has found paths before */
    ts_arena_free(scratch);
  }
  return p;
}

bool ts_contention_collective(ts_contention *c, const ts_kind *kind, uint32_t collective, uint32_t rank, uint64_t start, uint32_t tag)
{
  const ts_ir *ir = c->tables->ir;
  const ts_ir_collective *call = &ir->collectives[collective];
  const ts_rank_group *g = &c->tables->ranks->groups[call->group];
  ts_flow_call flows;
  if (!ts_network_flows(c->network, call->kind, call->bytes, kind->group_profile[call->group], &flows))
    return false;
  const ts_flow_pattern *pattern = group_pattern(c, call->group, g->instance_of[rank], flows.model, flows.shape);
  add(c, (begin){.time = start, .pattern = pattern, .bytes = flows.volume * pattern->share, .latency = flows.base + ts_flow_latency(pattern, call->kind), .tag = tag});
  return true;
}

bool ts_contention_message(ts_contention *c, uint32_t profile, uint64_t bytes, uint32_t from, uint32_t to, uint64_t start, uint32_t tag)
{
  ts_flow_call flows;
  if (!ts_network_flows(c->network, TS_IR_MESSAGE, bytes, profile, &flows))
    return false;
  const uint32_t *vertex = c->tables->ranks->vertex;
  uint32_t path = ts_intern_run(&c->paths, (uint32_t[]){flows.model, vertex[from], vertex[to]}, 3);
  if (path == c->path_patterns.count) {
    ts_flow_pattern *made = TS_NEW(c->arena, ts_flow_pattern);
    ts_flow_pattern_message(ts_network_maker(c->network, flows.model), c->arena, vertex[from], vertex[to], made);
    TS_PUSH(c->arena, &c->path_patterns, made);
  }
  const ts_flow_pattern *pattern = c->path_patterns.at[path];
  add(c, (begin){.time = start, .pattern = pattern, .bytes = flows.volume, .latency = flows.base + pattern->latency, .tag = tag});
  return true;
}

static void begin_calls(ts_contention *c, uint64_t now)
{
  while (c->heap.count && c->heap.at[0].time <= now) {
    begin b = take(c);
    uint32_t call = ts_traffic_start(c->traffic, b.pattern, b.bytes, b.latency);
    while (c->tags.count <= call)
      TS_PUSH(c->arena, &c->tags, TS_IR_NONE);
    c->tags.at[call] = b.tag;
  }
}

bool ts_contention_play(ts_contention *c, uint64_t *now)
{
  for (;;) {
    uint64_t next = ts_traffic_next(c->traffic);
    if (c->heap.count && c->heap.at[0].time < next)
      next = c->heap.at[0].time;
    if (next == TS_FLOW_NEVER)
      return false;
    ts_traffic_advance(c->traffic, next);
    begin_calls(c, next);
    *now = next;
    if (ts_traffic_any_ended(c->traffic))
      return true;
  }
}

uint32_t ts_contention_ended(ts_contention *c)
{
  uint32_t call = ts_traffic_ended(c->traffic);
  return call == TS_FLOW_NONE ? TS_IR_NONE : c->tags.at[call];
}

ts_traffic_work ts_contention_work(const ts_contention *c) { return ts_traffic_work_of(c->traffic); }
