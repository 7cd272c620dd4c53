#include "runtime/report/bisection.h"

#include <stdbool.h>
#include <string.h>

#include "runtime/collective/graph.h"
#include "runtime/report/topology_fold.h"

/* ---- Maximum flow ---- */

enum { FIRST, SECOND, SWITCHES }; /* nodes: the two halves, then what is in none */

typedef struct flow_edge {
  uint32_t to, next;
  double room;
} flow_edge; /* at 2 k and 2 k + 1: the two directions */

typedef struct flow {
  uint32_t nodes, edge_count;
  flow_edge *edges;
  uint32_t *first, *at, *level, *queue; /* [nodes] */
  double tiny;
} flow;

static void flow_join(flow *f, uint32_t from, uint32_t to, double rate, bool both)
{
  f->edges[f->edge_count] = (flow_edge){to, f->first[from], rate};
  f->first[from] = f->edge_count++;
  f->edges[f->edge_count] = (flow_edge){from, f->first[to], both ? rate : 0};
  f->first[to] = f->edge_count++;
}

static bool find_flow_levels(flow *f)
{
  uint32_t count = 0;
  memset(f->level, 0xff, sizeof *f->level * f->nodes);
  f->level[FIRST] = 0;
  f->queue[count++] = FIRST;
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t e = f->first[f->queue[i]]; e != TS_IR_NONE; e = f->edges[e].next)
      if (f->edges[e].room > f->tiny && f->level[f->edges[e].to] == TS_IR_NONE) {
        f->level[f->edges[e].to] = f->level[f->queue[i]] + 1;
        f->queue[count++] = f->edges[e].to;
      }
  return f->level[SECOND] != TS_IR_NONE;
}

static double flow_push(flow *f, uint32_t node, double most)
{
  double sent = 0;
  if (node == SECOND)
    return most;
  for (uint32_t *e = &f->at[node]; *e != TS_IR_NONE; *e = f->edges[*e].next) {
    flow_edge *x = &f->edges[*e];
    if (x->room <= f->tiny || f->level[x->to] != f->level[node] + 1)
      continue;
    double left = most - sent, part = flow_push(f, x->to, left < x->room ? left : x->room);
    x->room -= part;
    f->edges[*e ^ 1].room += part;
    sent += part;
    if (most - sent <= f->tiny)
      break;
  }
  return sent;
}

/* node: of each vertex. */
static double flow_between(ts_arena *scratch, const ts_ir *ir, const uint32_t *node, uint32_t nodes)
{
  flow f = {.nodes = nodes};
  double most = 0, sum = 0;
  f.edges = TS_NEW_ARRAY(scratch, flow_edge, 2 * (size_t)ir->links_count + 1);
  f.first = TS_NEW_ARRAY(scratch, uint32_t, nodes);
  f.at = TS_NEW_ARRAY(scratch, uint32_t, nodes);
  f.level = TS_NEW_ARRAY(scratch, uint32_t, nodes);
  f.queue = TS_NEW_ARRAY(scratch, uint32_t, nodes);
  memset(f.first, 0xff, sizeof *f.first * nodes);
  for (uint32_t l = 0; l < ir->links_count; l++) {
    const ts_ir_link *x = &ir->links[l];
    double rate = ir->link_classes[x->link_class].bandwidth;
    most += rate;
    if (node[x->from] != node[x->to])
      flow_join(&f, node[x->from], node[x->to], rate, x->duplex);
  }
  f.tiny = most * 1e-12;
  while (find_flow_levels(&f)) {
    memcpy(f.at, f.first, sizeof *f.at * nodes);
    sum += flow_push(&f, FIRST, most);
  }
  return sum;
}

/* ---- Halves ---- */

typedef struct halver {
  ts_arena *scratch;
  const ts_ir *ir;
  const uint32_t *island; /* [vertices] its lowest vertex */
  uint32_t devices;
  bool one_island;
  uint32_t *side; /* [vertices] of islands, by their lowest vertex */
  uint32_t *node; /* [vertices] */
} halver;

static bool is_device(const ts_ir *ir, uint32_t v)
{
  return ir->devices[v].device_class != TS_IR_NONE;
}

/* By the index in the dimension, or, at the end of dimensions, in the order of all devices. */
static bool is_second(const halver *h, uint32_t v, uint32_t before, uint32_t dimension)
{
  const ts_ir_array *a = &h->ir->arrays[h->ir->devices[v].array];
  uint32_t stride = 1;
  if (dimension == TS_IR_NONE)
    return 2 * before >= h->devices;
  if (dimension >= a->dims)
    return false;
  for (uint32_t d = dimension + 1; d < a->dims; d++)
    stride *= a->dim[d];
  return 2 * ((v - a->first) / stride % a->dim[dimension]) >= a->dim[dimension];
}

/* Sets the nodes; the number of devices in the first half. Of one island devices part, else islands
 * go with their first device. */
static uint32_t halve_devices(halver *h, uint32_t dimension)
{
  uint32_t before = 0, first = 0;
  memset(h->side, 0xff, sizeof *h->side * h->ir->devices_count);
  for (uint32_t v = 0; v < h->ir->devices_count; v++) {
    if (!is_device(h->ir, v))
      continue;
    uint32_t *side = &h->side[h->one_island ? v : h->island[v]];
    if (*side == TS_IR_NONE)
      *side = is_second(h, v, before, dimension) ? SECOND : FIRST;
    h->node[v] = *side;
    first += *side == FIRST;
    before++;
  }
  return first;
}

/* What a half can send out of its islands; of one island, over the links of its devices. */
static double leaving_of(const halver *h, uint32_t half)
{
  double rate = 0;
  for (uint32_t l = 0; l < h->ir->links_count; l++) {
    const ts_ir_link *x = &h->ir->links[l];
    uint32_t ends[] = {x->from, x->to};
    for (uint32_t k = 0; k < 1U + x->duplex; k++) {
      uint32_t v = ends[k], other = ends[1 - k];
      bool out = h->one_island ? is_device(h->ir, v) && h->side[v] == half :
                                 h->side[h->island[v]] == half && h->island[other] != h->island[v];
      rate += out ? h->ir->link_classes[x->link_class].bandwidth : 0;
    }
  }
  return rate;
}

static void take_halves(halver *h, uint32_t dimension, uint32_t nodes, ts_bisection *narrowest)
{
  uint32_t first = halve_devices(h, dimension);
  if (!first || first == h->devices || (dimension != TS_IR_NONE && 2 * first != h->devices))
    return;
  double rate = flow_between(h->scratch, h->ir, h->node, nodes), leaving = leaving_of(h, FIRST),
         other = leaving_of(h, SECOND);
  if (narrowest->leaving > 0 && rate >= narrowest->rate)
    return;
  *narrowest = (ts_bisection){rate, leaving < other ? leaving : other};
}

ts_bisection ts_bisection_of(const ts_ir *ir)
{
  ts_bisection narrowest = {0, 0};
  uint32_t nodes = SWITCHES, dimensions = 0;
  ts_arena *scratch = ts_arena_new("bisection");
  ts_link_graph *graph = ts_graph_new(scratch, ir);
  uint32_t *island = TS_NEW_ARRAY(scratch, uint32_t, (size_t)ir->devices_count + 1);
  halver h = {.scratch = scratch, .ir = ir, .island = island, .one_island = true};
  h.side = TS_NEW_ARRAY(scratch, uint32_t, (size_t)ir->devices_count + 1);
  h.node = TS_NEW_ARRAY(scratch, uint32_t, (size_t)ir->devices_count + 1);
  for (uint32_t v = 0, lowest = TS_IR_NONE; v < ir->devices_count; v++) {
    island[v] = ts_graph_island(graph, v);
    if (!is_device(ir, v)) {
      h.node[v] = nodes++;
      continue;
    }
    lowest = lowest == TS_IR_NONE ? island[v] : lowest;
    h.one_island &= island[v] == lowest;
    dimensions =
      ir->arrays[ir->devices[v].array].dims > dimensions ? ir->arrays[ir->devices[v].array].dims :
                                                           dimensions;
    h.devices++;
  }
  bool circuits = false;
  for (uint32_t c = 0; c < ir->link_classes_count; c++)
    circuits |= ir->link_classes[c].ports > 0;
  if (!circuits && h.devices > 1) {
    take_halves(&h, TS_IR_NONE, nodes, &narrowest);
    for (uint32_t d = 0; d < dimensions; d++)
      take_halves(&h, d, nodes, &narrowest);
  }
  ts_arena_free(scratch);
  return narrowest;
}

const char *ts_bisection_text(ts_arena *arena, const ts_bisection *b)
{
  return b->rate > 0 ? ts_arena_printf(arena, "%s each way, %.3g : 1 oversubscribed",
                                       ts_rate_text(arena, b->rate), b->leaving / b->rate) :
                       "";
}
