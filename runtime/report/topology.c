/* What is drawn are NODES and EDGES between them: vertices and links, or, when there are too many,
 * arrays and the links between two arrays of one class, with how many they are. */
#include "runtime/report/topology.h"

#include <string.h>

#include "base/escape.h"
#include "base/format.h"
#include "base/json_writer.h"
#include "ir/names.h"
#include "runtime/collective/graph.h"
#include "runtime/report/bisection.h"

typedef struct edge {
  uint32_t from, to, link_class, count;
  double use, most; /* sum and highest share of all directions */
} edge;

typedef struct drawing {
  ts_arena *arena;
  const ts_ir *ir;
  bool by_array;
  uint32_t node_count;
  TS_VEC(edge) edges;
} drawing;

static const char *str(const ts_ir *ir, ts_ir_str s) { return ir->strings + s; }

static const char *node_name(const drawing *d, uint32_t node)
{
  return d->by_array ? ts_array_shape(d->arena, d->ir, &d->ir->arrays[node]) :
                       ts_report_vertex(d->arena, d->ir, node);
}

static bool is_device(const drawing *d, uint32_t node)
{
  return d->by_array ? d->ir->arrays[node].kind == TS_IR_DEVICE :
                       d->ir->devices[node].device_class != TS_IR_NONE;
}

static uint32_t node_of(const drawing *d, uint32_t vertex)
{
  return d->by_array ? d->ir->devices[vertex].array : vertex;
}

static bool same_class(const ts_ir_link_class *a, const ts_ir_link_class *b)
{
  return a->tier == b->tier && a->latency == b->latency && a->bandwidth == b->bandwidth &&
         a->ports == b->ports && a->setup == b->setup && a->loss == b->loss && a->down == b->down;
}

static void add_edge(drawing *d, edge e)
{
  for (size_t i = 0; d->by_array && i < d->edges.count; i++) {
    edge *x = &d->edges.at[i];
    if (x->from == e.from && x->to == e.to &&
        same_class(&d->ir->link_classes[x->link_class], &d->ir->link_classes[e.link_class])) {
      x->count++;
      x->use += e.use;
      x->most = e.most > x->most ? e.most : x->most;
      return;
    }
  }
  TS_PUSH(d->arena, &d->edges, e);
}

/* `use`: of the directions of links, or NULL. */
static drawing topology_draw(ts_arena *arena, const ts_ir *ir, bool by_array, const double *use)
{
  drawing d = {.arena = arena,
               .ir = ir,
               .by_array = by_array,
               .node_count = by_array ? ir->arrays_count : ir->devices_count};
  for (uint32_t l = 0; l < ir->links_count; l++) {
    const ts_ir_link *link = &ir->links[l];
    double there = use ? use[2 * (size_t)l] : 0, back = use ? use[2 * (size_t)l + 1] : 0;
    add_edge(&d, (edge){node_of(&d, link->from), node_of(&d, link->to), link->link_class, 1,
                        there + back, there > back ? there : back});
  }
  return d;
}

/* -- text -- */

static void put_rate(FILE *out, double rate)
{
  fprintf(out, rate >= 1e12 ? "%7.2f TB/s" : "%7.1f GB/s",
          rate >= 1e12 ? rate * 1e-12 : rate * 1e-9);
}

/* Paths from one device to all others, alike ones together. */
typedef struct way { uint32_t hops, tier, count, example; uint64_t latency; double rate; } way;

static void put_paths(FILE *out, ts_arena *arena, const ts_ir *ir)
{
  ts_link_graph *graph = ts_graph_new(arena, ir);
  TS_VEC(way) ways = {0};
  uint32_t from = TS_IR_NONE, unreached = 0;
  for (uint32_t v = 0; v < ir->devices_count; v++) {
    ts_path path;
    if (ir->devices[v].device_class == TS_IR_NONE)
      continue;
    if (from == TS_IR_NONE) {
      from = v;
      continue;
    }
    if (!ts_graph_path(graph, from, v, &path)) {
      unreached++;
      continue;
    }
    size_t w = 0;
    while (w < ways.count &&
           (ways.at[w].hops != path.hops || ways.at[w].tier != path.tier ||
            ways.at[w].latency != path.latency || ways.at[w].rate != path.bandwidth))
      w++;
    if (w == ways.count)
      TS_PUSH(arena, &ways, ((way){path.hops, path.tier, 0, v, path.latency, path.bandwidth}));
    ways.at[w].count++;
  }
  if (from == TS_IR_NONE)
    return;
  ts_put_text(
    out,
    "\nPaths from %s\n  to                           devices  hops  tier    latency         rate\n",
    ts_report_vertex(arena, ir, from));
  for (size_t w = 0; w < ways.count; w++) {
    const way *x = &ways.at[w];
    ts_put_text(out, "  %-28s %7u %5u %5u %7.2f us ",
                ts_arena_printf(arena, "%s%s", ts_report_vertex(arena, ir, x->example),
                                x->count > 1 ? " ..." : ""),
                x->count, x->hops, x->tier, (double)x->latency * 1e-6);
    put_rate(out, x->rate);
    fprintf(out, "\n");
  }
  if (unreached)
    fprintf(out, "  no path to %u devices\n", unreached);
}

static void put_bisection(FILE *out, ts_arena *arena, const ts_ir *ir)
{
  ts_bisection b = ts_bisection_of(ir);
  if (b.rate > 0)
    ts_put_text(out,
                "\nBisection: %s each way between two halves of the devices, which can send %s "
                "(%.3g : 1 oversubscribed)\n",
                ts_rate_text(arena, b.rate), ts_rate_text(arena, b.leaving), b.leaving / b.rate);
}

void ts_topology_text(FILE *out, ts_arena *arena, const ts_ir *ir, const double *use)
{
  drawing d = topology_draw(arena, ir, true, use);
  fprintf(out, "Cluster: %u devices and switches, %u links\n", ir->devices_count, ir->links_count);
  for (uint32_t a = 0; a < ir->arrays_count; a++) {
    const ts_ir_array *array = &ir->arrays[a];
    uint32_t class = array->count ? ir->devices[array->first].device_class : TS_IR_NONE;
    ts_put_text(out, "  %-7s %-24s %7u%s%s\n", array->kind == TS_IR_DEVICE ? "devices" : "switch",
                ts_array_shape(arena, ir, array), array->count, class == TS_IR_NONE ? "" : "  ",
                class == TS_IR_NONE ? "" : str(ir, ir->device_classes[class].name));
  }
  ts_put_text(out,
              "\nLinks\n  class                                         links  tier    latency    "
              "     rate%s\n",
              use ? "  mean use  busiest" : "");
  for (size_t i = 0; i < d.edges.count; i++) {
    const edge *e = &d.edges.at[i];
    const ts_ir_link_class *k = &ir->link_classes[e->link_class];
    ts_put_text(out, "  %-42s %8u %5u %7.2f us ", str(ir, k->name), e->count, k->tier,
            (double)k->latency * 1e-6);
    put_rate(out, k->bandwidth);
    if (use)
      ts_put_text(out, "%10s%9s", ts_format_share(e->use / 2 / e->count).text,
                  ts_format_share(e->most).text);
    if (k->ports)
      fprintf(out, "  %u circuits per end, set up in %.4g us", k->ports, (double)k->setup * 1e-6);
    if (k->loss > 0)
      fprintf(out, "  loses %.4g of packets", k->loss);
    if (k->down)
      fprintf(out, "  down from %.4g us on", (double)k->down * 1e-6);
    fprintf(out, "\n");
  }
  put_bisection(out, arena, ir);
  put_paths(out, arena, ir);
}

/* -- path table -- */

static uint32_t topology_end_of(const ts_ir *ir, uint32_t link)
{
  return link % 2 ? ir->links[link / 2].from : ir->links[link / 2].to;
}

static void put_path(FILE *out, ts_arena *arena, const ts_ir *ir, ts_link_graph *graph,
                     uint32_t from, uint32_t to)
{
  ts_path path;
  ts_put_text(out, "  %-18s %-18s", ts_report_vertex(arena, ir, from),
              ts_report_vertex(arena, ir, to));
  if (!ts_graph_path(graph, from, to, &path)) {
    fprintf(out, " no path\n");
    return;
  }
  fprintf(out, "%5u %5u %7.2f us ", path.hops, path.tier, (double)path.latency * 1e-6);
  put_rate(out, path.bandwidth);
  for (uint32_t h = 0; h < path.hops; h++)
    ts_put_text(out, " %s %s",
                ir->link_classes[ir->links[path.link[h] / 2].link_class].ports ? "~" : "-",
                ts_report_vertex(arena, ir, topology_end_of(ir, path.link[h])));
  fprintf(out, "\n");
}

void ts_topology_paths(FILE *out, ts_arena *arena, const ts_ir *ir, uint32_t most)
{
  ts_link_graph *graph = ts_graph_new(arena, ir);
  uint32_t devices = 0;
  for (uint32_t v = 0; v < ir->devices_count; v++)
    devices += ir->devices[v].device_class != TS_IR_NONE;
  ts_put_text(out, "Paths%s; ~ is a circuit\n  %-18s %-18s%5s %5s %10s %12s  %s\n",
              devices > most ? " from the first device" : "", "from", "to", "hops", "tier",
              "latency", "rate", "over");
  for (uint32_t from = 0, sources = 0; from < ir->devices_count && (devices <= most || !sources);
       from++) {
    if (ir->devices[from].device_class == TS_IR_NONE)
      continue;
    sources++;
    for (uint32_t to = 0; to < ir->devices_count; to++)
      if (to != from && ir->devices[to].device_class != TS_IR_NONE)
        put_path(out, arena, ir, graph, from, to);
  }
}

/* -- Graphviz -- */

void ts_topology_dot(FILE *out, ts_arena *arena, const ts_ir *ir, uint32_t most)
{
  drawing d = topology_draw(arena, ir, ir->devices_count > most, NULL);
  fprintf(out, "graph cluster {\n  rankdir=BT;\n  node [fontname=\"sans-serif\"];\n  edge "
               "[fontname=\"sans-serif\", fontsize=9];\n");
  for (uint32_t n = 0; n < d.node_count; n++)
    ts_put_dot(out, "  n%u [label=\"%s\", shape=%s];\n", n, node_name(&d, n),
               is_device(&d, n) ? "box" : "ellipse");
  for (size_t i = 0; i < d.edges.count; i++) {
    const edge *e = &d.edges.at[i];
    const ts_ir_link_class *k = &ir->link_classes[e->link_class];
    ts_put_dot(out, "  n%u -- n%u [label=\"%s%s\"%s];\n", e->from, e->to,
               e->count > 1 ? ts_arena_printf(arena, "%s x ", ts_format_count(e->count).text) : "",
               ts_rate_text(arena, k->bandwidth), k->tier ? ", style=dashed" : "");
  }
  fprintf(out, "}\n");
}

/* -- JSON, as `topology(...)` of std.clusters.topologies reads it -- */

void ts_topology_json(FILE *out, ts_arena *arena, const ts_ir *ir)
{
  ts_json_writer w = {.out = out, .spaced = true};
  bool *outside = TS_NEW_ARRAY(arena, bool, ir->devices_count + 1); /* of islands */
  for (uint32_t l = 0; l < ir->links_count; l++)
    if (ir->link_classes[ir->links[l].link_class].tier)
      outside[ir->links[l].from] = outside[ir->links[l].to] = true;
  ts_json_begin(&w, NULL, '{');
  ts_json_put_text(&w, "type", "trainspec-topology");
  ts_json_put_count(&w, "format", 1);
  ts_json_begin(&w, "nodes", '[');
  for (uint32_t v = 0; v < ir->devices_count; v++) {
    ts_json_line(&w, 2);
    ts_json_begin(&w, NULL, '{');
    ts_json_put_text(&w, "id", ts_report_vertex(arena, ir, v));
    ts_json_put_text(&w, "type",
                     ir->devices[v].device_class != TS_IR_NONE ? "gpu" :
                     outside[v]                                ? "switch" :
                                                                 "nvswitch");
    ts_json_end(&w, '}');
  }
  ts_json_last_line(&w, 0);
  ts_json_end(&w, ']');
  ts_json_begin(&w, "links", '[');
  for (uint32_t l = 0; l < ir->links_count; l++) {
    const ts_ir_link_class *k = &ir->link_classes[ir->links[l].link_class];
    ts_json_line(&w, 2);
    ts_json_begin(&w, NULL, '{');
    ts_json_put_text(&w, "source", ts_report_vertex(arena, ir, ir->links[l].from));
    ts_json_put_text(&w, "target", ts_report_vertex(arena, ir, ir->links[l].to));
    ts_json_put_number(&w, "bandwidth", "%.9g", k->bandwidth * 8e-9);     /* Gb/s */
    ts_json_put_number(&w, "latency", "%.9g", (double)k->latency * 1e-6); /* us */
    ts_json_put_count(&w, "tier", k->tier);
    ts_json_end(&w, '}');
  }
  ts_json_last_line(&w, 0);
  ts_json_end(&w, ']');
  ts_json_end(&w, '}');
  ts_json_end_document(&w);
}
