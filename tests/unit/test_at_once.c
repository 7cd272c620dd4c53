/* Messages that are sent at the same time share links without --contention as with it: ranks of a
 * stage over an uplink to the next stage, workers into a server's link. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "runtime/account/run.h"

static uint64_t step_of(const char *text, bool contention)
{
  ts_error error = {0};
  ts_ir ir;
  ts_arena *arena = ts_arena_new("test");
  ts_stop stop = {.arena = arena};
  uint64_t step = 0;
  ts_ir_builder *b = ts_ir_parse(text, strlen(text), &error);
  cr_assert(b, "line %u: %s", error.line, error.message);
  ts_ir_builder_view(b, &ir);
  cr_assert_eq(ts_ir_verify(&ir, &error), 0, "%s", error.message);
  cr_assert(ts_run_step(&ir, &(ts_run_options){.contention = contention}, &step, &stop), "%s",
            stop.title);
  ts_arena_free(arena);
  ts_ir_builder_free(b);
  return step;
}

/* Two sites of `ranks` GPUs, `share` of them on each leaf; leaves of `up` GB/s to the other site. */
static void write_sites(char *text, uint32_t ranks, uint32_t share, uint32_t up, const char *model)
{
  uint32_t leaves = (ranks + share - 1) / share;
  char *at =
    text + sprintf(text,
                   "axis x %u\naxis p 2 pipeline\nstream compute\nstream down\nstream back\n"
                   "device_class d 1 TB/s\ndevices gpu[%u] of d\nswitches leaf[%u]\n"
                   "switches core[1]\nlink_class nic 50 GB/s latency 1 us tier 1\n"
                   "link_class up %u GB/s latency 2 ms tier 2\n",
                   ranks, 2 * ranks, 2 * leaves, up);
  for (uint32_t g = 0; g < 2 * ranks; g++)
    at += sprintf(at, "link gpu[%u] -- leaf[%u] nic\n", g,
                  g / ranks * leaves + g % ranks / share);
  for (uint32_t l = 0; l < 2 * leaves; l++)
    at += sprintf(at, "link leaf[%u] -- core[0] up\n", l);
  at += sprintf(at, "net_model m %s\n", model);
  sprintf(at, "%s",
          "kernel work 1 ms\n"
          "fragment F0 { compute work\n send 40 MB over p on down after work }\n"
          "fragment F1 { recv 40 MB over p on down\n compute work after recv }\n"
          "fragment B1 { compute work\n send 20 MB over p on back after work }\n"
          "fragment B0 { recv 20 MB over p on back\n compute work after recv }\n"
          "program { F0 0 to 1\n F0 1 to 1\n F0 2 to 1\n B0 0 from 1\n B0 1 from 1\n B0 2 from 1 }\n"
          "program { F1 0 from 0\n B1 0 to 0\n F1 1 from 0\n B1 1 to 0\n F1 2 from 0\n B1 2 to 0 }\n");
}

Test(at_once, ranks_of_a_stage_share_their_way_to_the_next)
{
  char text[16384];
  for (uint32_t ranks = 1; ranks <= 8; ranks++)
    for (uint32_t share = 1; share <= ranks; share++)
      for (uint32_t up = 10; up <= 160; up *= 4) {
        write_sites(text, ranks, share, up, "flow");
        uint64_t alone = step_of(text, false), played = step_of(text, true);
        /* a byte or so of rounding in each message */
        cr_assert(alone <= played * (1 + 1e-7) && played <= alone * (1 + 1e-7),
                  "%u ranks, %u a leaf, %u GB/s: %lu ps, with contention %lu ps", ranks, share, up,
                  (unsigned long)alone, (unsigned long)played);
        write_sites(text, ranks, share, up, "alpha_beta");
        uint64_t links = step_of(text, false);
        cr_assert(ranks % share || (links <= alone * (1 + 1e-7) && alone <= links * (1 + 1e-7)),
                  "%u ranks, %u a leaf, %u GB/s: %lu ps, as flows %lu ps", ranks, share, up,
                  (unsigned long)links, (unsigned long)alone);
      }
}

Test(at_once, workers_share_the_link_of_a_server)
{
  for (uint32_t workers = 1; workers <= 9; workers += 2) {
    char text[8192],
      *at = text + sprintf(text,
                           "axis p %u pipeline\nstream compute\nstream comm\ndevice_class d 1 "
                           "TB/s\ndevices gpu[%u] of d\nswitches hub[1]\n"
                           "link_class nic 10 GB/s latency 1 us tier 1\n",
                           workers + 1, workers + 1);
    for (uint32_t g = 0; g <= workers; g++)
      at += sprintf(at, "link gpu[%u] -- hub[0] nic\n", g);
    at += sprintf(at, "net_model m flow\nkernel work 1 ms\n"
                      "fragment W { compute work\n send 10 MB over p on comm after work }\n"
                      "fragment R { recv 10 MB over p on comm }\n");
    for (uint32_t w = 0; w < workers; w++)
      at += sprintf(at, "program { W %u to %u }\n", w, workers);
    at += sprintf(at, "program {");
    for (uint32_t w = 0; w < workers; w++)
      at += sprintf(at, "%s R %u from %u\n", w ? "" : "\n", w, w);
    sprintf(at, "}\n");
    uint64_t alone = step_of(text, false), played = step_of(text, true);
    cr_assert_eq(alone, played, "%u workers: %lu ps, with contention %lu ps", workers,
                 (unsigned long)alone, (unsigned long)played);
    cr_assert_eq(alone, UINT64_C(1000000000) * (1 + workers) + 2000000);
  }
}
