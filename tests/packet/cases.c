/* Flows beside packets: cases [NAME...] plays small cases at both levels and prints when the last
 * message has arrived, or how long a collective takes, and by how much they differ; `skipped` plays
 * 20 cases to the end and with steady rates skipped. Exit code 1: a long message without loss
 * differs by more than 5 %, or a skipped case by more than 1 %. 77: this build has no ns-3. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/packets.h"
#include "ir/spelling.h"
#include "runtime/collective/flow_traffic.h"
#include "runtime/collective/packet_model.h"

enum { DEVICES = 8 };

typedef struct message { uint32_t from, to; double megabytes; } message;

typedef struct messages {
  const char *name, *what;
  /* eight devices on two leaves with 20 GB/s between these; else on one switch */
  bool leaves;
  uint32_t count;
  message at[DEVICES];
} messages;

#define RING(mb)                                                                                   \
  {0, 1, mb}, {1, 2, mb}, {2, 3, mb}, {3, 4, mb}, {4, 5, mb}, {5, 6, mb}, {6, 7, mb}, { 7, 0, mb }
static const messages cases[] = {{"ring", "ring of 8 on one switch", false, 8, {RING(200)}},
                                 {"leaves-ring", "ring of 8 over two leaves", true, 8, {RING(200)}},
                                 {"leaves-pairs",
                                  "four messages over a link two to one oversubscribed",
                                  true,
                                  4,
                                  {{0, 4, 200}, {1, 5, 200}, {2, 6, 200}, {3, 7, 200}}},
                                 {"unequal",
                                  "two senders, three messages that share at both ends",
                                  false,
                                  3,
                                  {{0, 7, 400}, {1, 7, 200}, {1, 6, 200}}},
                                 {"incast-100",
                                  "three senders to one, 100 MB each",
                                  false,
                                  3,
                                  {{0, 7, 100}, {1, 7, 100}, {2, 7, 100}}},
                                 {"incast-200",
                                  "three senders to one, 200 MB each",
                                  false,
                                  3,
                                  {{0, 7, 200}, {1, 7, 200}, {2, 7, 200}}},
                                 {"incast-400",
                                  "three senders to one, 400 MB each",
                                  false,
                                  3,
                                  {{0, 7, 400}, {1, 7, 400}, {2, 7, 400}}}};

typedef struct calls {
  const char *name, *what;
  uint32_t islands;
  ts_flow_shape shape;
  uint32_t kind;
  double megabytes;
} calls;

static const calls collectives[] = {
  {"loop-1", "all-reduce, 8 ranks in 2 nodes, rings, 1 MB", 2, TS_FLOW_LOOP, TS_IR_ALL_REDUCE, 1},
  {"loop-10", "all-reduce, 8 ranks in 2 nodes, rings, 10 MB", 2, TS_FLOW_LOOP, TS_IR_ALL_REDUCE,
   10},
  {"loop-100", "all-reduce, 8 ranks in 2 nodes, rings, 100 MB", 2, TS_FLOW_LOOP, TS_IR_ALL_REDUCE,
   100},
  {"tree-100", "all-reduce, 8 ranks in 4 nodes, trees, 100 MB", 4, TS_FLOW_TREE, TS_IR_ALL_REDUCE,
   100},
  {"pairs-10", "all-to-all, 8 ranks in 4 nodes, 10 MB", 4, TS_FLOW_PAIRS, TS_IR_ALL_TO_ALL, 10},
  {"pairs-100", "all-to-all, 8 ranks in 4 nodes, 100 MB", 4, TS_FLOW_PAIRS, TS_IR_ALL_TO_ALL, 100}};

typedef struct net {
  ts_arena *arena;
  ts_ir_builder *builder;
  ts_ir ir;
  ts_link_graph *graph;
} net;

/* `islands`: nodes with 100 GB/s inside, rails outside; 0: devices on `leaves` switches. */
static net net_of(uint32_t leaves, uint32_t islands)
{
  char text[8192], *at = text;
  ts_error error = {0};
  at +=
    sprintf(at, "axis x 8\nstream compute\ndevice_class d 1 TB/s\ndevices gpu[8] of d\nlink_class "
                "inside 100 GB/s latency 500 ns\nlink_class nic 10 GB/s latency 1 us tier 1\n"
                "link_class up 20 GB/s latency 1 us tier 1\n");
  uint32_t rails = islands ? DEVICES / islands : leaves;
  at += sprintf(at, "switches leaf[%u]\nswitches node[%u]\n", rails, islands ? islands : 1);
  for (uint32_t i = 0; i < DEVICES; i++) {
    at +=
      sprintf(at, "link gpu[%u] -- leaf[%u] nic\n", i, islands ? i % rails : i * leaves / DEVICES);
    if (islands)
      at += sprintf(at, "link gpu[%u] -- node[%u] inside\n", i, i / rails);
  }
  for (uint32_t r = 1; r < rails; r++)
    at += sprintf(at, "link leaf[0] -- leaf[%u] up\n", r);
  sprintf(at, "fragment F { compute 1 us }\nprogram { F }\n");
  net n = {.arena = ts_arena_new("packets"), .builder = ts_ir_parse(text, strlen(text), &error)};
  if (!n.builder)
    fprintf(stderr, "line %u: %s\n", error.line, error.message), exit(70);
  ts_ir_builder_view(n.builder, &n.ir);
  n.graph = ts_graph_new(n.arena, &n.ir);
  return n;
}

static void net_free(net *n)
{
  ts_ir_builder_free(n->builder);
  ts_arena_free(n->arena);
}

/* With the headers of the packets; both without the latency of steps. */
static double by_flows(net *n, const ts_flow_pattern *const *patterns, uint32_t count,
                       const double *bytes)
{
  const ts_ir_net_packets *p = &ts_ir_usual_packets;
  ts_traffic *t = ts_traffic_new(n->arena, &n->ir);
  uint64_t now, last = 0;
  for (uint32_t i = 0; i < count; i++)
    ts_traffic_start(t, patterns[i],
                     bytes[i] * patterns[i]->share * (double)(p->mtu + p->header) / (double)p->mtu,
                     0);
  for (; (now = ts_traffic_next(t)) != TS_FLOW_NEVER; last = now) {
    ts_traffic_advance(t, now);
    while (ts_traffic_ended(t) != TS_FLOW_NONE)
      ;
  }
  return (double)last * 1e-9;
}

/* `skipped`: the share of packets that were, or NULL. */
static double by_packets(net *n, const ts_ir_net_packets *with,
                         const ts_flow_pattern *const *patterns, uint32_t count,
                         const double *bytes, double *skipped)
{
  ts_packet_case c = ts_packet_case_of(n->arena, &n->ir, with, patterns, count, bytes);
  uint64_t transfer[DEVICES] = {0}, last = 0;
  ts_packet_use *use = TS_NEW_ARRAY(n->arena, ts_packet_use, 2 * c.job.link_count), sum = {0};
  ts_packet_status status = ts_packet_case_play(&c, transfer, use);
  if (status != TS_PACKET_DONE)
    fprintf(stderr, "not played: %d\n", (int)status), exit(70);
  for (uint32_t i = 0; i < count; i++)
    last = transfer[i] > last ? transfer[i] : last;
  for (uint32_t l = 0; l < 2 * c.job.link_count; l++) {
    sum.packets += use[l].packets;
    sum.skipped += use[l].skipped;
  }
  if (skipped)
    *skipped = (double)sum.skipped / (double)sum.packets;
  return (double)last * 1e-9;
}

static double print_row(const char *what, double flows, double packets)
{
  double difference = flows / packets - 1;
  printf("| %s | %.3f ms | %.3f ms | %+.2f %% |\n", what, flows, packets, 100 * difference);
  fflush(stdout);
  return fabs(difference);
}

/* Messages or a collective as patterns with their bytes. */
typedef struct traffic {
  net n;
  ts_flow_pattern made[DEVICES];
  const ts_flow_pattern *patterns[DEVICES];
  double bytes[DEVICES];
  uint32_t count;
} traffic;

static void traffic_of_messages(traffic *t, const messages *m, double times)
{
  *t = (traffic){.n = net_of(m->leaves ? 2 : 1, 0), .count = m->count};
  const ts_ir_net_model model = {
    .kind = TS_IR_NET_PACKET, .routing = TS_IR_ROUTE_SHORTEST, .efficiency = 1};
  ts_flow_maker *maker = ts_flow_maker_new(t->n.arena, &t->n.ir, t->n.graph, &model);
  for (uint32_t i = 0; i < m->count; i++) {
    ts_flow_pattern_message(maker, t->n.arena, m->at[i].from, m->at[i].to, &t->made[i]);
    t->patterns[i] = &t->made[i];
    t->bytes[i] = m->at[i].megabytes * 1e6 * times;
  }
}

static void traffic_of_call(traffic *t, const calls *c, double times)
{
  *t = (traffic){.n = net_of(0, c->islands), .count = 1};
  const ts_ir_net_model model = {.kind = TS_IR_NET_PACKET,
                                 .routing = TS_IR_ROUTE_RAIL,
                                 .algorithm = TS_IR_NONE,
                                 .efficiency = 1};
  ts_flow_maker *maker = ts_flow_maker_new(t->n.arena, &t->n.ir, t->n.graph, &model);
  const uint32_t ranks[DEVICES] = {0, 1, 2, 3, 4, 5, 6, 7};
  uint32_t unroutable[2];
  t->patterns[0] = &t->made[0];
  t->bytes[0] = ts_flow_volume(c->shape, c->kind, DEVICES) * c->megabytes * 1e6 * times;
  if (!ts_flow_pattern_make(maker, t->n.arena, c->shape, ranks, DEVICES, &t->made[0], unroutable))
    exit(70);
}

static double compare(traffic *t, const char *what)
{
  double flows = by_flows(&t->n, t->patterns, t->count, t->bytes),
         packets = by_packets(&t->n, &ts_ir_usual_packets, t->patterns, t->count, t->bytes, NULL);
  net_free(&t->n);
  return print_row(what, flows, packets);
}

/* ---- Skipped beside played to the end ---- */

enum { MESSAGES = sizeof cases / sizeof *cases, CALLS = sizeof collectives / sizeof *collectives };

/* `of`: a message of the first table, or, from MESSAGES on, a collective; its bytes `times`. */
typedef struct skip {
  uint32_t of, control;
  double times;
} skip;

#define EACH(of, times)                                                                            \
  {of, TS_IR_CONTROL_DCQCN, times}, {of, TS_IR_CONTROL_HPCC, times},                               \
    {of, TS_IR_CONTROL_TIMELY, times}, {of, TS_IR_CONTROL_SWIFT, times},                           \
  {                                                                                                \
    of, TS_IR_CONTROL_DCTCP, times                                                                 \
  }
static const skip skips[] = {EACH(2, 2),            /* four messages over a narrow link */
                             EACH(3, 2),            /* messages that share at both ends */
                             EACH(MESSAGES + 3, 2), /* trees */
                             {MESSAGES + 2, TS_IR_CONTROL_DCQCN, 2}, /* rings */
                             {MESSAGES + 2, TS_IR_CONTROL_SWIFT, 4},
                             {MESSAGES + 5, TS_IR_CONTROL_DCQCN, 4}, /* all-to-all */
                             {MESSAGES + 5, TS_IR_CONTROL_HPCC, 4},
                             {1, TS_IR_CONTROL_DCTCP, 2}}; /* a ring over leaves */

static double compare_skipped(const skip *s)
{
  traffic t;
  ts_ir_net_packets with = ts_ir_usual_packets_of(s->control);
  if (s->of < MESSAGES)
    traffic_of_messages(&t, &cases[s->of], s->times);
  else
    traffic_of_call(&t, &collectives[s->of - MESSAGES], s->times);
  double share, ms = by_packets(&t.n, &with, t.patterns, t.count, t.bytes, &share);
  with.steady = 0;
  double all = by_packets(&t.n, &with, t.patterns, t.count, t.bytes, NULL), error = ms / all - 1;
  printf("| %g times: %s | %s | %.3f ms | %.3f ms | %.0f %% | %+.2f %% |\n", s->times,
         s->of < MESSAGES ? cases[s->of].what : collectives[s->of - MESSAGES].what,
         ts_ir_control_names[s->control], all, ms, 100 * share, 100 * error);
  fflush(stdout);
  net_free(&t.n);
  return fabs(error);
}

/* false: one is off by more than a percent */
static bool all_skipped(void)
{
  double sum = 0, most = 0;
  size_t count = sizeof skips / sizeof *skips;
  printf("\n| skipped at steady rates | control | all played | skipped | share | error |\n"
         "|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < count; i++) {
    double error = compare_skipped(&skips[i]);
    sum += error;
    most = fmax(most, error);
  }
  printf("\n%zu cases: mean error %.2f %%, worst %.2f %%\n", count, 100 * sum / (double)count,
         100 * most);
  return most <= 0.01;
}

static bool wanted(const char *name, int argc, char **argv)
{
  bool found = argc < 2;
  for (int i = 1; i < argc; i++)
    found |= !strcmp(argv[i], name);
  return found;
}

int main(int argc, char **argv)
{
  traffic t;
  double worst = 0;
  if (!ts_packet_available())
    return 77;
  printf("| messages | flows | packets | difference |\n|---|---|---|---|\n");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (wanted(cases[i].name, argc, argv)) {
      traffic_of_messages(&t, &cases[i], 1);
      worst = fmax(worst, compare(&t, cases[i].what));
    }
  printf("\n| collectives | flows | packets | difference |\n|---|---|---|---|\n");
  for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
    if (wanted(collectives[i].name, argc, argv)) {
      traffic_of_call(&t, &collectives[i], 1);
      compare(&t, collectives[i].what);
    }
  bool close = !wanted("skipped", argc, argv) || all_skipped();
  return worst > 0.05 || !close;
}
