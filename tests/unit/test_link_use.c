/* What links had to do in a step: bytes that go into a switch come out of it, devices send what
 * their calls ask for, and no link carries more than it can. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/account/link_use.h"
#include "runtime/account/run.h"

enum { GPUS = 8 };

/* Two leaves of four under two spines, two devices an island. */
static ts_ir_builder *plan_of(const char *model, ts_ir *ir)
{
  char text[8192], *at = text;
  ts_error error = {0};
  at += sprintf(at, "axis x 4\naxis y 2\ngroup rows = x\ngroup all = x, y\nstream compute\nstream "
                    "comm\nstream other\ndevice_class d 1 TB/s\ndevices gpu[8] of d\nswitches "
                    "near[4]\nswitches leaf[2]\nswitches spine[2]\nlink_class in 100 GB/s latency "
                    "500 ns\nlink_class nic 10 GB/s latency 1 us tier 1\nlink_class up 10 GB/s "
                    "latency 1 us tier 2\n");
  for (int i = 0; i < GPUS; i++)
    at += sprintf(at, "link gpu[%d] -- near[%d] in\nlink gpu[%d] -- leaf[%d] nic\n", i, i / 2, i,
                  i / 4);
  for (int i = 0; i < 4; i++)
    at += sprintf(at, "link leaf[%d] -- spine[%d] up\n", i / 2, i % 2);
  sprintf(at,
          "net_model m %s\nfragment F {\n a: all_reduce 8 MB over all on comm\n b: all_gather 2 MB "
          "over rows on comm\n c: all_to_all 4 MB over all on other\n}\nprogram { F 0\n F 1\n}\n",
          model);
  ts_ir_builder *b = ts_ir_parse(text, strlen(text), &error);
  cr_assert(b, "line %u: %s", error.line, error.message);
  ts_ir_builder_view(b, ir);
  return b;
}

static ts_link_uses uses_of(ts_arena *arena, const ts_ir *ir, bool contention, double *bytes)
{
  ts_stop stop = {.arena = arena};
  const ts_run_options options = {.contention = contention};
  ts_prepared p;
  cr_assert(ts_run_prepare(arena, ir, &options, &p, &stop), "%s", stop.title);
  const ts_facts *facts = ts_run_play(arena, &p, &options, 0, &stop);
  cr_assert(facts, "%s", stop.title);
  return ts_link_uses_of(arena, &p, facts, bytes);
}

static void conserves(const char *model, bool contention, double header)
{
  ts_ir ir;
  ts_ir_builder *b = plan_of(model, &ir);
  ts_arena *arena = ts_arena_new("test");
  double *bytes = TS_NEW_ARRAY(arena, double, 2 * (size_t)ir.links_count),
         *in = TS_NEW_ARRAY(arena, double, ir.devices_count),
         *out = TS_NEW_ARRAY(arena, double, ir.devices_count), sent = 0, tiers = 0, all = 0;
  ts_link_uses uses = uses_of(arena, &ir, contention, bytes);
  for (uint32_t l = 0; l < 2 * ir.links_count; l++) {
    const ts_ir_link *link = &ir.links[l / 2];
    out[l % 2 ? link->to : link->from] += bytes[l];
    in[l % 2 ? link->from : link->to] += bytes[l];
    all += bytes[l];
  }
  for (uint32_t v = 0; v < ir.devices_count; v++)
    if (ir.devices[v].device_class == TS_IR_NONE)
      cr_assert_float_eq(in[v], out[v], 1e-9 * all, "%s: switch %u: %f in, %f out", model, v, in[v],
                         out[v]);
    else
      sent += out[v];
  /* each rank, each of the two times: rings 2 * 7/8 of 8 MB, rows 3/4 of 2 MB, to others 7/8 of 4 MB */
  double data = GPUS * 2 * (2 * 7. / 8 * 8e6 + 3. / 4 * 2e6 + 7. / 8 * 4e6);
  cr_assert_float_eq(sent / data, header, 2e-3, "%s: %f of %f", model, sent, data);
  for (uint32_t t = 0; t < uses.tier_count; t++) {
    tiers += uses.tiers[t].bytes;
    cr_assert(uses.tiers[t].mean <= uses.tiers[t].most + 1e-12);
    if (contention)
      cr_assert_leq(uses.tiers[t].most, 1 + 1e-9, "%s", model);
  }
  cr_assert_float_eq(tiers, all, 1e-9 * all);
  cr_assert(uses.busiest_count && uses.busiest[0].bytes == bytes[uses.busiest[0].link]);
  for (uint32_t i = 1; i < uses.busiest_count; i++)
    cr_assert_geq(uses.busiest[i - 1].share, uses.busiest[i].share);
  ts_arena_free(arena);
  ts_ir_builder_free(b);
}

Test(link_use, bytes_of_flows_are_conserved)
{
  static const char *const models[] = {
    "flow by ring unrelayed routing ecmp", "flow by ring unrelayed routing shortest",
    "flow by ring unrelayed routing spray", "flow by ring unrelayed routing adaptive",
    "flow by ring unrelayed routing ecmp efficiency 0.5"};
  for (size_t m = 0; m < sizeof models / sizeof *models; m++)
    for (int contention = 0; contention < 2; contention++)
      conserves(models[m], contention, 1);
}

/* Four devices under a switch of light, over whose ports a ring sets up circuits: what goes in by
 * one port comes out of another. */
Test(link_use, circuits_carry_what_goes_in_out_again)
{
  char text[2048], *at = text;
  ts_error error = {0};
  ts_ir ir;
  at += sprintf(at, "axis x 4\ngroup all = x\nstream compute\nstream comm\ndevice_class d 1 TB/s\n"
                    "devices gpu[4] of d\nswitches light[1]\nlink_class fibre 10 GB/s latency 1 us "
                    "tier 1 ports 2 setup 20 us\n");
  for (int i = 0; i < 4; i++)
    at += sprintf(at, "link gpu[%d] -- light[0] fibre\n", i);
  sprintf(at, "net_model m flow by ring\nfragment F { a: all_reduce 8 MB over all on comm }\n"
              "program { F 0\n}\n");
  ts_ir_builder *b = ts_ir_parse(text, strlen(text), &error);
  cr_assert(b, "line %u: %s", error.line, error.message);
  ts_ir_builder_view(b, &ir);
  ts_arena *arena = ts_arena_new("test");
  double bytes[8] = {0}, ways[2] = {0};
  cr_assert_eq(uses_of(arena, &ir, false, bytes).tier_count, 1);
  for (uint32_t l = 0; l < 8; l++)
    ways[l % 2] += bytes[l];
  cr_assert_float_eq(ways[0], 4 * 2 * 3. / 4 * 8e6, 1, "%f to the switch", ways[0]);
  cr_assert_float_eq(ways[1], ways[0], 1, "%f from the switch, %f to it", ways[1], ways[0]);
  ts_arena_free(arena);
  ts_ir_builder_free(b);
}

Test(packet, bytes_are_conserved)
{
  if (!ts_packet_available())
    cr_skip_test("no ns-3 in this build");
  static const char *const models[] = {"packet by ring unrelayed routing ecmp pause 500 kB",
                                       "packet by ring unrelayed routing spray control hpcc"};
  for (size_t m = 0; m < sizeof models / sizeof *models; m++)
    for (int contention = 0; contention < 2; contention++)
      conserves(models[m], contention, (4096 + 82) / 4096.);
}

Test(link_use, none_of_other_models)
{
  ts_ir ir;
  ts_ir_builder *b = plan_of("alpha_beta efficiency 0.5", &ir);
  ts_arena *arena = ts_arena_new("test");
  cr_assert_eq(uses_of(arena, &ir, false, NULL).tier_count, 0);
  ts_arena_free(arena);
  ts_ir_builder_free(b);
}

/* Calls of models that do not say their way are counted as rings: what devices send is what the
 * calls ask for, some of it once more by the device that hands it on, and switches pass on what they
 * get. */
static void loads_are(const char *model, double assumed)
{
  ts_ir ir;
  ts_ir_builder *b = plan_of(model, &ir);
  ts_arena *arena = ts_arena_new("test");
  ts_stop stop = {.arena = arena};
  ts_run *run = ts_run_new(&ir, &(ts_run_options){0}, &stop);
  cr_assert(run, "%s", stop.title);
  ts_link_loads loads = ts_run_link_loads(run, arena);
  double seconds = (double)ts_run_result(run)->step * 1e-12, sent = 0, into = 0, out_of = 0;
  cr_assert(loads.share);
  cr_assert_float_eq(loads.assumed, assumed, 1e-9, "%s: %f", model, loads.assumed);
  for (uint32_t l = 0; l < 2 * ir.links_count; l++) {
    const ts_ir_link *link = &ir.links[l / 2];
    double bytes = loads.share[l] * seconds * ir.link_classes[link->link_class].bandwidth;
    uint32_t from = l % 2 ? link->to : link->from, to = l % 2 ? link->from : link->to;
    sent += ir.devices[from].device_class == TS_IR_NONE ? 0 : bytes;
    out_of += ir.devices[from].device_class == TS_IR_NONE ? bytes : 0;
    into += ir.devices[to].device_class == TS_IR_NONE ? bytes : 0;
  }
  double data = GPUS * 2 * (2 * 7. / 8 * 8e6 + 3. / 4 * 2e6 + 7. / 8 * 4e6);
  cr_assert(sent > (1 - 2e-3) * data && sent < (assumed > 0 ? 2 : 1 + 2e-3) * data,
            "%s: %f of %f", model, sent, data);
  cr_assert_float_eq(into / out_of, 1, 1e-9);
  ts_run_free(run);
  ts_arena_free(arena);
  ts_ir_builder_free(b);
}

Test(link_use, loads_of_any_model)
{
  loads_are("flow by ring unrelayed routing ecmp", 0);
  loads_are("alpha_beta efficiency 0.5", 1);
}
