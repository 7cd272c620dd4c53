/* Fabrics of equal rates everywhere: however their pods, rails, planes and NICs are arranged, rings
 * get what the cut between islands carries, and circuits what their ports do. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/collective/network.h"

typedef struct fabric {
  uint32_t nodes, gpus, rails, pod, planes;
  bool blocks; /* the first GPUs of a node are on the first rail, not every rails-th */
} fabric;

enum { NIC = 48 }; /* GB/s: whole for 1 to 4 planes */

static uint32_t rail_of(const fabric *f, uint32_t gpu)
{
  return f->blocks ? gpu / (f->gpus / f->rails) : gpu % f->rails;
}

/* Leaves for each pod, rail and plane, a spine for each plane; no link is oversubscribed. */
static char *write_fabric(const fabric *f)
{
  char *text = malloc(1 << 20), *at = text;
  uint32_t pods = (f->nodes + f->pod - 1) / f->pod, port = NIC / f->planes;
  at += sprintf(at,
                "axis x %u\naxis y %u\ngroup all = x, y\ngroup mates = y\nstream compute\n"
                "stream comm\ndevice_class d 1 TB/s\ndevices gpu[%u] of d\nswitches near[%u]\n"
                "switches leaf[%u]\nswitches spine[%u]\nlink_class in %u GB/s latency 1 us\n"
                "link_class port %u GB/s latency 2 us tier 1\nlink_class up %u GB/s latency 1 us "
                "tier 2\n",
                f->gpus, f->nodes, f->nodes * f->gpus, f->nodes, pods * f->rails * f->planes,
                f->planes, 4 * f->gpus * NIC, port, port * f->pod * (f->gpus / f->rails));
  for (uint32_t n = 0; n < f->nodes; n++)
    for (uint32_t g = 0; g < f->gpus; g++) {
      at += sprintf(at, "link gpu[%u] -- near[%u] in\n", n * f->gpus + g, n);
      for (uint32_t p = 0; p < f->planes; p++)
        at += sprintf(at, "link gpu[%u] -- leaf[%u] port\n", n * f->gpus + g,
                      (p * pods + n / f->pod) * f->rails + rail_of(f, g));
    }
  for (uint32_t l = 0; l < pods * f->rails * f->planes; l++)
    at += sprintf(at, "link leaf[%u] -- spine[%u] up\n", l, l / (pods * f->rails));
  sprintf(at, "net_model f flow by ring\nfragment F { all_reduce 1 MB over all\n all_gather 1 MB "
              "over all\n all_reduce 1 MB over mates }\nprogram { F }\n");
  return text;
}

static ts_estimate estimate(const char *text, uint32_t group, uint32_t kind, double bytes)
{
  ts_error error = {0};
  ts_ir ir;
  ts_arena *arena = ts_arena_new("test");
  ts_stop stop = {.arena = arena};
  ts_ir_builder *b = ts_ir_parse(text, strlen(text), &error);
  cr_assert(b, "line %u: %s", error.line, error.message);
  ts_ir_builder_view(b, &ir);
  cr_assert_eq(ts_ir_verify(&ir, &error), 0, "%s", error.message);
  ts_network *network = ts_network_new(arena, &ir, ts_ranks_new(arena, &ir), NULL, &stop);
  const uint32_t *profile = ts_network_group(network, group, &stop);
  cr_assert(profile, "%s", stop.title);
  ts_estimate e = ts_network_estimate(network, kind, (uint64_t)bytes, profile[0]);
  ts_arena_free(arena);
  ts_ir_builder_free(b);
  return e;
}

/* Times of the transfer as multiples of what the bytes take over the group's own NICs. */
static double against_the_cut(const char *text, uint32_t group, uint32_t kind, uint32_t ranks,
                              uint32_t nics)
{
  double bytes = 1e9, volume = (kind == TS_IR_ALL_REDUCE ? 2. : 1.) * (ranks - 1) / ranks * bytes;
  return (double)estimate(text, group, kind, bytes).transfer / (volume / (nics * NIC * 1e9) * 1e12);
}

static uint32_t draw(uint64_t *seed, uint32_t n)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*seed >> 33) % n;
}

static fabric some_fabric(uint64_t *seed)
{
  fabric f = {.nodes = 2 + draw(seed, 5), .gpus = 2u << draw(seed, 4)};
  f.pod = 1 + draw(seed, f.nodes);
  f.planes = 1 + draw(seed, 3);
  f.rails = f.gpus >> draw(seed, 3);
  f.rails += !f.rails;
  f.blocks = draw(seed, 2);
  return f;
}

Test(fabrics, no_arrangement_of_a_fabric_that_does_not_block_slows_a_ring)
{
  uint64_t seed = 1;
  for (int i = 0; i < 120; i++) {
    fabric f = some_fabric(&seed);
    char *text = write_fabric(&f);
    double sum = against_the_cut(text, 0, TS_IR_ALL_REDUCE, f.nodes * f.gpus, f.gpus),
           gather = against_the_cut(text, 0, TS_IR_ALL_GATHER, f.nodes * f.gpus, f.gpus),
           mates = against_the_cut(text, 1, TS_IR_ALL_REDUCE, f.nodes, 1);
    cr_assert(sum < 1.05 && gather < 1.05 && mates < 1.05,
              "%u nodes of %u, %u rails%s, pods of %u, %u planes: %g, %g and %g times the cut",
              f.nodes, f.gpus, f.rails, f.blocks ? " in blocks" : "", f.pod, f.planes, sum, gather,
              mates);
    free(text);
  }
}

/* Dies on one switch of light, 10 GB/s a circuit. */
static void write_light(char *text, uint32_t dies, uint32_t ports, const char *model)
{
  char *at = text + sprintf(text,
                            "axis x %u\ngroup all = x\nstream compute\nstream comm\n"
                            "device_class d 1 TB/s\ndevices die[%u] of d\nswitches light[1]\n"
                            "link_class ray 10 GB/s latency 1 us ports %u\n",
                            dies, dies, ports);
  for (uint32_t i = 0; i < dies; i++)
    at += sprintf(at, "link die[%u] -- light[0] ray\n", i);
  sprintf(at, "net_model f %s\nfragment F { all_reduce 1 MB over all\n all_to_all 1 MB over all }\n"
              "program { F }\n",
          model);
}

Test(fabrics, circuits_carry_what_their_ports_do)
{
  char text[4096];
  for (uint32_t dies = 3; dies <= 8; dies++)
    for (uint32_t ports = 2; ports <= 8; ports++) {
      write_light(text, dies, ports, "flow by ring channels 2");
      ts_estimate ring = estimate(text, 0, TS_IR_ALL_REDUCE, 8e8),
                  pairs = estimate(text, 0, TS_IR_ALL_TO_ALL, 8e8);
      /* two rings of half the bytes, a circuit each; circuits to all others, as many at a time as
       * there are ports */
      double wanted = 2. * (dies - 1) / dies * 8e8 / 20e9 * 1e12,
             turns = (double)((dies - 1 + ports - 1) / ports) / dies * 8e8 / 10e9 * 1e12;
      cr_assert(!ring.raised && fabs((double)ring.transfer / wanted - 1) < 1e-6,
                "%u dies, %u ports: %g of %g", dies, ports, (double)ring.transfer, wanted);
      cr_assert(!pairs.raised && (double)pairs.transfer >= turns * (1 - 1e-6) &&
                  (ports + 1 < dies || (double)pairs.transfer <= turns * (1 + 1e-6)),
                "%u dies, %u ports: %g of %g", dies, ports, (double)pairs.transfer, turns);
      write_light(text, dies, ports, "alpha_beta");
      pairs = estimate(text, 0, TS_IR_ALL_TO_ALL, 8e8);
      cr_assert(!pairs.raised);
    }
}
