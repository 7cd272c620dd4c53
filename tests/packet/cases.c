/* Small cases of messages for the packet simulation: cases NAME prints its links and flows, cases -p NAME when the flow level has each one end, in ms. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/collective/flow_traffic.h"

typedef struct message { uint32_t from, to; double bytes; } message;
typedef struct flows { uint32_t count; message at[64]; } flows;

static void add(flows *f, uint32_t from, uint32_t to, double megabytes) { f->at[f->count++] = (message){from, to, megabytes * 1e6}; }

/* Eight devices on a hub; `tree`: on two leaves, with 20 GB/s between these. */
static ts_ir_builder *cluster(bool tree)
{
  char text[4096], *at = text;
  ts_ir_error error = {{0}, 0, 0};
  at += sprintf(at, "axis x 8\nstream compute\ndevice_class d 1 TB/s\ndevices gpu[8] of d\nswitches leaf[%d]\nlink_class nic 10 GB/s latency 1 us tier 1\nlink_class up 20 GB/s latency 1 us tier 1\n", tree ? 2 : 1);
  for (int i = 0; i < 8; i++)
    at += sprintf(at, "link gpu[%d] -- leaf[%d] nic\n", i, tree ? i / 4 : 0);
  if (tree)
    at += sprintf(at, "link leaf[0] -- leaf[1] up\n");
  sprintf(at, "fragment F { compute 1 us }\nprogram { F }\n");
  ts_ir_builder *b = ts_ir_parse(text, strlen(text), &error);
  if (!b)
    fprintf(stderr, "line %u: %s\n", error.line, error.message), exit(70);
  return b;
}

static bool make(const char *name, flows *f, bool *tree)
{
  *tree = !strncmp(name, "tree", 4);
  if (!strcmp(name, "ring"))
    for (uint32_t i = 0; i < 8; i++)
      add(f, i, (i + 1) % 8, 200);
  else if (!strcmp(name, "incast") || !strcmp(name, "incast-100") || !strcmp(name, "incast-400"))
    for (uint32_t i = 0; i < 3; i++)
      add(f, i, 7, name[6] ? atof(name + 7) : 200);
  else if (!strcmp(name, "unequal"))
    add(f, 0, 7, 400), add(f, 1, 7, 200), add(f, 1, 6, 200);
  else if (!strcmp(name, "tree-pairs"))
    for (uint32_t i = 0; i < 4; i++)
      add(f, i, i + 4, 200);
  else if (!strcmp(name, "tree-ring"))
    for (uint32_t i = 0; i < 8; i++)
      add(f, i, (i + 1) % 8, 200);
  return f->count;
}

static void predict(const ts_ir *ir, const flows *f)
{
  const ts_ir_net_model model = {.kind = TS_IR_NET_FLOW, .routing = TS_IR_ROUTE_SHORTEST, .efficiency = 1};
  ts_arena *arena = ts_arena_new("cases");
  ts_flow_maker *maker = ts_flow_maker_new(arena, ir, ts_graph_new(arena, ir), &model);
  ts_traffic *t = ts_traffic_new(arena, ir);
  ts_flow_pattern *patterns = TS_NEW_ARRAY(arena, ts_flow_pattern, f->count);
  double *end = TS_NEW_ARRAY(arena, double, f->count);
  for (uint32_t i = 0; i < f->count; i++) {
    ts_flow_pattern_message(maker, arena, f->at[i].from, f->at[i].to, &patterns[i]);
    ts_traffic_start(t, &patterns[i], f->at[i].bytes * (4096 + 30) / 4096, patterns[i].latency); /* with the headers of the packets */
  }
  for (uint64_t now; (now = ts_traffic_next(t)) != TS_FLOW_NEVER;) {
    ts_traffic_advance(t, now);
    for (uint32_t id; (id = ts_traffic_ended(t)) != TS_FLOW_NONE;)
      end[id] = (double)now * 1e-9;
  }
  for (uint32_t i = 0; i < f->count; i++)
    printf("%.4f\n", end[i]);
  ts_arena_free(arena);
}

int main(int argc, char **argv)
{
  flows f = {0};
  bool tree, ends = argc == 3 && !strcmp(argv[1], "-p");
  ts_ir ir;
  if (argc < 2 || !make(argv[argc - 1], &f, &tree))
    return 2;
  ts_ir_builder *b = cluster(tree);
  ts_ir_builder_view(b, &ir);
  if (ends)
    predict(&ir, &f);
  for (uint32_t l = 0; l < ir.links_count && !ends; l++)
    printf("link %u %u %g %g\n", ir.links[l].from, ir.links[l].to, ir.link_classes[ir.links[l].link_class].bandwidth * 1e-9, (double)ir.link_classes[ir.links[l].link_class].latency * 1e-6);
  for (uint32_t i = 0; i < f.count && !ends; i++)
    printf("flow %u %u %.0f\n", f.at[i].from, f.at[i].to, f.at[i].bytes);
  ts_ir_builder_free(b);
  return 0;
}
