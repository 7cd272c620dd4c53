/* Warnings of played plans: each with a plan that has it, and a near twin that has not. */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "runtime/report/plausible.h"
#include "tests/unit/ir_text.h"

typedef struct played {
  ts_arena *arena;
  ts_ir_builder *builder;
  ts_ir ir;
  ts_run *run;
  ts_summary *summary;
} played;

static played play(const char *format, ...)
{
  played p = {.arena = ts_arena_new("test")};
  ts_error error = {0};
  va_list args;
  va_start(args, format);
  const char *text = ts_arena_vprintf(p.arena, format, args);
  va_end(args);
  p.builder = ts_ir_parse(text, strlen(text), &error);
  cr_assert(p.builder, "line %u: %s", error.line, error.message);
  ts_ir_builder_view(p.builder, &p.ir);
  ts_stop stop = {.arena = p.arena};
  const ts_run_options options = {0};
  p.run = ts_run_new(&p.ir, &options, &stop);
  cr_assert(p.run, "%s", stop.title);
  const ts_summary *summary =
    ts_summary_new(p.arena, &p.ir, p.run, ts_memory_new(p.arena, &p.ir, p.run), NULL);
  p.summary = ts_arena_copy(p.arena, summary, sizeof *summary);
  ts_plausible(p.summary, &options);
  return p;
}

static void end(played *p)
{
  ts_run_free(p->run);
  ts_ir_builder_free(p->builder);
  ts_arena_free(p->arena);
}

static const ts_warning *find(const played *p, const char *code)
{
  for (size_t i = 0; i < p->summary->warnings.at.count; i++)
    if (!strcmp(p->summary->warnings.at.at[i].code, code))
      return &p->summary->warnings.at.at[i];
  return NULL;
}

static void expect(played p, const char *code, const char *message) /* NULL: no such warning */
{
  const ts_warning *w = find(&p, code);
  if (!message)
    cr_expect_null(w, "%s: %s", code, w ? w->message : "");
  else {
    cr_assert(w, "no %s", code);
    cr_expect(strstr(w->message, message), "%s", w->message);
    cr_expect(w->notes.count && w->notes.at[w->notes.count - 1].kind == TS_IR_REMARK_HELP,
              "%s: nothing says what to do", code);
  }
  end(&p);
}

/* -- faster than the devices -- */

static const char mfu[] = "model_flops %s TFLOP\npeak 100 TFLOP/s\nstream compute\nfragment F { "
                          "compute 1 s }\nprogram { F }\n";

Test(plausible, no_plan_beats_the_peak_of_its_devices)
{
  expect(play(mfu, "160"), "W0803", "MFU is 160.0 %");
  expect(play(mfu, "100"), "W0803", NULL);
}

/* Two gathers side by side over one NIC, each as if it had it alone: (n-1)/n of 1 GB at 40 GB/s,
 * twice, in the time of one. */
static const char nic[] =
  "axis dp 2\nstream compute\nstream comm\nstream more\ndevice_class h 3 TB/s\ndevices gpu[2] of "
  "h\nlink_class nic 40 GB/s tier 1\nlink gpu[0] -- gpu[1] nic\n"
  "fragment F { all_gather 1 GB over dp; all_gather 1 GB over dp %s }\nprogram { F }\n";

Test(plausible, no_link_carries_more_than_its_rate)
{
  expect(
    play(nic, "on more"), "W0809",
    "links out of `gpu[0]` carry more than they can: 200.0 % of their rate for the whole step");
  expect(play(nic, ""), "W0809", NULL);
}

/* 100 MB each way between two islands of one NIC of 40 GB/s take 2.5 ms. */
static const char table[] =
  "axis dp 2\nstream compute\nstream comm\ndevice_class h 3 TB/s\ndevices gpu[2] of h\nlink_class "
  "nic 40 GB/s tier 1\nlink gpu[0] -- gpu[1] nic\n"
  "net_model t table for all_reduce {\n all_reduce 2 2 100 MB %s\n}\nfragment F { compute 1 s; "
  "all_reduce 100 MB over dp }\nprogram { F }\n";

Test(plausible, no_measured_call_beats_its_links)
{
  expect(play(table, "1.25 ms"), "W0809",
         "with the measured times of all_reduce over 2 ranks, links carry more than they can: "
         "200.0 % of their rate");
  expect(play(table, "2.6 ms"), "W0809", NULL);
}

/* Messages are counted too: 1 GB each way and a gather share the NIC. */
Test(plausible, messages_count_on_links)
{
  static const char text[] =
    "axis pp 2 pipeline\naxis dp 2\nstream compute\nstream comm\nstream pp\ndevice_class h 3 "
    "TB/s\ndevices gpu[4] of h\nswitches sw\nlink_class nic 40 GB/s tier 1\n"
    "link gpu[0] -- sw nic\nlink gpu[1] -- sw nic\nlink gpu[2] -- sw nic\nlink gpu[3] -- sw nic\n"
    "fragment F { send %s over pp on pp; all_gather 1 GB over dp on comm }\nfragment G { recv %s "
    "over pp on pp; all_gather 1 GB over dp on comm }\n"
    "program { F 0 to 1 }\nprogram { G 0 from 0 }\n";
  expect(play(text, "0.4 GB", "0.4 GB"), "W0809",
         "links out of `gpu[0]` carry more than they can: 180.0 %");
  expect(play(text, "1 kB", "1 kB"), "W0809", NULL);
}

/* -- equal paths -- */

/* Two leaves of one device, four spines of a quarter of their rate; one connection, or eight by
 * hash or by load. */
static const char spines[] =
  "axis dp 2\nstream compute\nstream comm\ndevice_class h 3 TB/s\ndevices gpu[2] of h\nswitches "
  "leaf[2]\nswitches spine[4]\nlink_class nic 40 GB/s tier 1\nlink_class up 10 GB/s tier 1\n"
  "link gpu[0] -- leaf[0] nic\nlink gpu[1] -- leaf[1] nic\n%snet_model f flow for any by ring "
  "channels 8 routing %s\nfragment F { all_reduce %s over dp; compute 10 ms }\nprogram { F }\n";

Test(plausible, equal_paths_left_unused)
{
  ts_arena *arena = ts_arena_new("test");
  const char *up = "";
  for (int s = 0; s < 4; s++)
    up = ts_arena_printf(arena, "%slink leaf[0] -- spine[%d] up\nlink leaf[1] -- spine[%d] up\n",
                         up, s, s);
  played even = play(spines, up, "adaptive", "400 MB"),
         one = play(spines, up, "shortest", "400 MB");
  const ts_warning *w = find(&one, "W0810");
  cr_assert(w);
  cr_expect(strstr(w->message, "6 of 8 links of equal paths are unused"), "%s", w->message);
  cr_expect(strstr(w->message, ts_arena_printf(arena, "a step takes %s",
                                               ts_format_time(even.summary->result->step).text)),
            "%s", w->message);
  end(&even);
  end(&one);
  expect(play(spines, up, "adaptive", "400 MB"), "W0810", NULL);
  expect(play(spines, up, "shortest", "1 MB"), "W0810", NULL); /* nobody waits for it */
  ts_arena_free(arena);
}

/* -- what was never measured -- */

static const char roofline[] =
  "stream compute\nkernel gemm %s dtype fp8 basis roofline\nkernel norm 1 ms dtype bf16 basis "
  "roofline\nkernel attention 60 ms dtype bf16 basis measured\n"
  "fragment F { compute gemm; compute attention; compute norm }\nprogram { F }\n";

Test(plausible, roofline_above_a_third_of_compute_time)
{
  expect(
    play(roofline, "40 ms"), "W0804",
    "40.6 % of the compute time comes from a roofline, not from measurements: gemm in fp8 39.6 %");
  expect(play(roofline, "28 ms"), "W0804", NULL);
  /* families from 2 % on are named: the norm has 2.5, then 1.6 % */
  expect(play("stream compute\nkernel gemm 38 ms dtype fp8 basis roofline\nkernel norm 1 ms dtype "
              "bf16 basis roofline\nfragment F { compute gemm; compute norm }\nprogram { F }\n"),
         "W0804", "gemm in fp8 97.4 %, norm in bf16 2.6 %");
  played small = play("stream compute\nkernel gemm 61 ms dtype fp8 basis roofline\nkernel norm 1 "
                      "ms dtype bf16 basis roofline\nfragment F { compute gemm; compute norm }\n"
                      "program { F }\n");
  cr_expect_null(strstr(find(&small, "W0804")->message, "norm"));
  end(&small);
}

/* -- islands without work -- */

static const char nodes[] =
  "axis tp 4\nstream compute\nstream comm\ndevice_class h 3 TB/s\ndevices gpu[%d,%d] of "
  "h\nswitches sw[%d]\nswitches top\nlink_class fast 400 GB/s\nlink_class slow 40 GB/s tier 1\n%s"
  "fragment F { all_reduce 100 MB over tp }\nprogram { F }\n";

static const char *links(ts_arena *arena, int islands, int each)
{
  const char *text = "";
  for (int n = 0; n < islands; n++) {
    text = ts_arena_printf(arena, "%slink sw[%d] -- top slow\n", text, n);
    for (int g = 0; g < each; g++)
      text = ts_arena_printf(arena, "%slink gpu[%d,%d] -- sw[%d] fast\n", text, n, g, n);
  }
  return text;
}

Test(plausible, whole_islands_without_work)
{
  ts_arena *arena = ts_arena_new("test");
  expect(play(nodes, 3, 4, 3, links(arena, 3, 4)), "W0805",
         "8 of the cluster's 12 devices, 2 whole islands, have no work");
  expect(play(nodes, 1, 4, 1, links(arena, 1, 4)), "W0805", NULL);
  /* a part of a node may be left */
  expect(play(nodes, 1, 8, 1, links(arena, 1, 8)), "W0805", NULL);
  ts_arena_free(arena);
}

/* -- order of the mesh -- */

static const char order[] =
  "axis %s 4\naxis %s 4\ngroup tp = tp\ngroup dp = dp\nstream compute\nstream comm\ndevice_class h "
  "3 TB/s\ndevices gpu[4,4] of h\nswitches sw[4]\nswitches top\n"
  "link_class fast 400 GB/s\nlink_class slow 40 GB/s tier 1\n%s"
  "fragment F { ar: all_reduce 1 GB over tp; compute 1 ms after ar; all_reduce 10 MB over dp "
  "}\nprogram { F }\n";

/* Were the order of the message played by itself, it would take the time that the message gives. */
Test(plausible, chatty_axis_across_islands)
{
  ts_arena *arena = ts_arena_new("test");
  const char *l = links(arena, 4, 4);
  played good = play(order, "tp", "dp", l), bad = play(order, "dp", "tp", l);
  const ts_warning *w = find(&bad, "W0806");
  cr_assert(w);
  cr_expect(strstr(w->message, ts_arena_printf(arena, "with `{ tp, dp }` a step takes %s",
                                               ts_format_time(good.summary->result->step).text)),
            "%s", w->message);
  cr_expect_null(find(&good, "W0806"));
  end(&good);
  end(&bad);
  ts_arena_free(arena);
}

/* -- communication that nobody measured -- */

static const char network[] =
  "axis dp 2\nstream compute\nstream comm\ndevice_class h 3 TB/s\ndevices gpu[2] of h\nlink_class "
  "nic 40 GB/s tier 1\nlink gpu[0] -- gpu[1] nic\n"
  "net_model a alpha_beta for %s base 20 us%s\nfragment F { compute %s; all_reduce 400 MB over dp "
  "}\nprogram { F }\n";

Test(plausible, communication_on_assumed_figures)
{
  expect(play(network, "all_reduce", " assumed", "10 ms"), "W0807", "is priced by assumed figures");
  expect(play(network, "all_reduce", "", "10 ms"), "W0807", NULL);
  expect(play(network, "all_gather", "", "10 ms"), "W0807", "is priced by the links' own rates");
  expect(play(network, "all_reduce", " assumed", "1 s"), "W0807", NULL);
  expect(play("axis dp 2\nstream compute\nstream comm\ndevice_class h 3 TB/s\ndevices gpu[2] of "
              "h\nlink_class nic 40 GB/s tier 1\nlink gpu[0] -- gpu[1] nic\n"
              "fragment F { compute 10 ms; all_reduce 400 MB over dp }\nprogram { F }\n"),
         "W0807", "as the plan has no `network`");
}
