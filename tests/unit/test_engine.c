/* What the engine does with small programs, in times that one can work out by hand. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/account/run.h"
#include "tests/unit/engine_plan.h"

typedef struct played { ts_ir_builder *b; ts_ir ir; ts_run *run; } played;

static void play(played *p, const char *text)
{
  ts_error error = {0};
  ts_stop stop = {.arena = ts_arena_new("stop")};
  p->b = ts_ir_parse(text, strlen(text), &error);
  cr_assert(p->b, "line %u: %s", error.line, error.message);
  ts_ir_builder_view(p->b, &p->ir);
  p->run = ts_run_new(&p->ir, &(ts_run_options){0}, &stop);
  cr_assert(p->run, "%s", stop.title);
  ts_arena_free(stop.arena);
}

static void end(played *p)
{
  ts_run_free(p->run);
  ts_ir_builder_free(p->b);
}

typedef struct page { const ts_ir *ir; char text[2048]; size_t length; } page;

static void note(void *closure, const ts_span_event *e)
{
  page *page = closure;
  const double us = 1e-6;
  page->length += (size_t)snprintf(page->text + page->length, sizeof page->text - page->length,
                                   "%s %g %g\n", page->ir->strings + e->node->label,
                                   us * (double)e->start, us * (double)e->end);
}

/* A line for each node: label, start and end in microseconds. */
static void expect(const played *p, uint32_t rank, const char *lines)
{
  page page = {.ir = &p->ir};
  ts_run_timeline(p->run, rank, note, &page);
  cr_assert_str_eq(page.text, lines, "rank %u:\n%s", rank, page.text);
}

Test(timeline, streams_run_beside_each_other_and_events_join_them)
{
  played p;
  play(&p, "stream compute\nstream side compute unshared\n"
           "fragment F {\n"
           " a: compute 10 us\n"
           " b: compute 30 us on side\n"
           " c: compute 10 us\n"
           " d: compute 5 us after b\n"
           " e: record on side after d\n"
           " f: compute 1 us on side\n"
           "}\nprogram { F; F }\n");
  expect(&p, 0, "a 0 10\nb 0 30\nc 10 20\nd 30 35\ne 35 35\nf 35 36\n"
                "a 35 45\nb 36 66\nc 45 55\nd 66 71\ne 71 71\nf 71 72\n");
  end(&p);
}

Test(timeline, a_send_does_not_wait_for_its_receiver)
{
  played p;
  play(
    &p,
    "axis pp 2 pipeline\nstream compute\nstream comm\n"
    "net_model fixed alpha_beta for any base 4 us\n"
    "fragment give { w: compute 10 us; s: send 1 MiB over pp after w; x: compute 1 us after s }\n"
    "fragment take { y: compute 50 us; r: recv 1 MiB over pp after y; z: compute 1 us after r }\n"
    "program { give 0 to 1; give 1 to 1 }\nprogram { take 0 from 0; take 1 from 0 }\n");
  expect(&p, 0, "w 0 10\ns 10 14\nx 14 15\nw 15 25\ns 25 29\nx 29 30\n");
  expect(&p, 1, "y 0 50\nr 50 50\nz 50 51\ny 51 101\nr 101 101\nz 101 102\n");
  end(&p);
}

Test(timeline, a_collective_starts_when_its_last_member_is_ready)
{
  played p;
  play(&p, "axis tp 2 pipeline\nstream compute\nstream comm\n"
           "net_model fixed alpha_beta for any base 3 us\n"
           "fragment fast { a: compute 10 us; g: all_reduce 1 MiB over tp after a; b: compute 10 "
           "us; c: compute 1 us after g }\n"
           "fragment slow { a: compute 25 us; g: all_reduce 1 MiB over tp after a; b: compute 10 "
           "us; c: compute 1 us after g }\n"
           "program { fast }\nprogram { slow }\n");
  expect(&p, 0, "a 0 10\ng 25 28\nb 10 20\nc 28 29\n");
  expect(&p, 1, "a 0 25\ng 25 28\nb 25 35\nc 35 36\n");
  end(&p);
}

Test(timeline, work_starts_when_the_host_has_issued_it)
{
  played p;
  play(&p, "stream compute\n"
           "fragment F {\n"
           " a: compute 1 us launch 5 us\n"
           " b: compute 20 us launch 5 us\n"
           " c: compute 1 us launch 5 us\n"
           " h: host 30 us\n"
           " d: compute 1 us launch 5 us\n"
           " s: sync after b launch 2 us\n"
           " t: sync after d launch 1 us\n"
           " e: compute 1 us\n"
           "}\nprogram { F }\n");
  expect(&p, 0, "a 5 6\nb 10 30\nc 30 31\nh 15 45\nd 50 51\ns 50 52\nt 52 53\ne 53 54\n");
  end(&p);
}

Test(timeline, host_work_waits_for_its_dependencies)
{
  played p;
  play(&p, "stream compute\n"
           "fragment F { a: compute 20 us launch 5 us; h: host 10 us after a; b: compute 1 us "
           "launch 5 us }\nprogram { F; F }\n");
  expect(&p, 0, "a 5 25\nh 25 35\nb 40 41\na 45 65\nh 65 75\nb 80 81\n");
  end(&p);
}

Test(timeline, a_slow_device_takes_longer_for_kernels_alone)
{
  played p;
  play(&p, "device_class d 1 TB/s\ndevices gpu[1] of d\nvertex gpu[0] speed 0.8\nstream compute\n"
           "fragment F { a: compute 10 us launch 1 us; b: compute 7 ps }\nprogram { F }\n");
  expect(&p, 0, "a 1 13.5\nb 13.5 13.5\n");
  cr_assert_eq(ts_run_result(p.run)->step, 13500009u); /* 7 / 0.8 = 8.75 */
  end(&p);
}

/* Two stages: the first is idle until the answer comes. 5 us of it are the transfer, of both
 * messages the second is waited for. */
Test(composition, splits_idle_time_by_what_was_waited_for)
{
  played p;
  play(&p, "axis pp 2 pipeline\nstream compute\nstream down\nstream up\n"
           "net_model fixed alpha_beta for any base 5 us\n"
           "fragment ask { a: compute 10 us launch 2 us; s: send 1 MiB over pp on down after a; r: "
           "recv 1 MiB over pp on up;"
           " b: compute 3 us after r }\n"
           "fragment answer { r: recv 1 MiB over pp on down; a: compute 40 us after r; s: send 1 "
           "MiB over pp on up after a }\n"
           "program { ask 0 to 1 from 1 }\nprogram { answer 0 from 0 to 0 }\n");
  const ts_result *r = ts_run_result(p.run);
  const ts_class_result *first = &r->classes[0], *second = &r->classes[1];
  const uint64_t us = 1000000;
  cr_assert_eq(r->step, 65 * us); /* 2 + 10 + 5 + 40 + 5 + 3 */
  cr_assert_eq(first->phase[TS_IR_PHASE_OTHER], 13 * us);
  cr_assert_eq(first->host, 2 * us);
  cr_assert_eq(first->bubble, 45 * us);
  cr_assert_eq(first->comms[0].exposed, 5 * us);
  cr_assert_eq(first->comms[0].transfer, 10 * us);
  /* the receive is posted when the host comes to it, at 2 us */
  cr_assert_eq(first->comms[0].busy, (5 + 60) * us);
  cr_assert_eq(first->tail, 0);
  cr_assert_eq(second->phase[TS_IR_PHASE_OTHER], 40 * us);
  cr_assert_eq(second->bubble, 12 * us);
  cr_assert_eq(second->comms[0].exposed, 10 * us); /* its end is that of its send */
  cr_assert_eq(second->tail, 3 * us);
  ts_critical_parts path = ts_run_critical(p.run);
  cr_assert_eq(path.count, 4); /* kernels a, messages, kernel b, the host */
  cr_assert_eq(path.at[0].kind, TS_CRITICAL_COMPUTE);
  cr_assert_eq(r->critical_rank, 0);
  end(&p);
}

Test(composition, waiting_for_members_counts_as_waiting_for_the_group)
{
  played p;
  play(&p, "axis tp 2 pipeline\nstream compute\nstream comm\n"
           "net_model fixed alpha_beta for any base 3 us\n"
           "fragment fast { a: compute 10 us; g: all_reduce 1 MiB over tp after a; c: compute 1 us "
           "after g }\n"
           "fragment slow { a: compute 25 us; g: all_reduce 1 MiB over tp after a; c: compute 1 us "
           "after g }\n"
           "program { fast }\nprogram { slow }\n");
  const ts_class_result *fast = &ts_run_result(p.run)->classes[0];
  cr_assert_eq(fast->comms[0].calls, 1);
  cr_assert_eq(fast->comms[0].bytes, 1u << 20);
  cr_assert_eq(fast->comms[0].busy, 18000000);
  cr_assert_eq(fast->comms[0].exposed, 18000000);
  cr_assert_eq(fast->comms[0].transfer, 3000000);
  cr_assert_eq(fast->bubble + fast->host + fast->tail, 0);
  end(&p);
}

Test(folding, counts_of_classes)
{
  const char *text =
    "axis tp 2\naxis dp 4\naxis pp 2 pipeline\nstream compute\nstream comm\n"
    "device_class d 1 TB/s\ndevices gpu[16] of d\nswitches s[1]\nlink_class l 1 GB/s latency 1 us\n"
    "%s"
    "link gpu[0] -- s[0] l\nlink gpu[1] -- s[0] l\nlink gpu[2] -- s[0] l\nlink gpu[3] -- s[0] l\n"
    "link gpu[4] -- s[0] l\nlink gpu[5] -- s[0] l\nlink gpu[6] -- s[0] l\nlink gpu[7] -- s[0] l\n"
    "link gpu[8] -- s[0] l\nlink gpu[9] -- s[0] l\nlink gpu[10] -- s[0] l\nlink gpu[11] -- s[0] l\n"
    "link gpu[12] -- s[0] l\nlink gpu[13] -- s[0] l\nlink gpu[14] -- s[0] l\nlink gpu[15] -- s[0] "
    "l\n"
    "fragment F { a: compute 9 us; all_gather 1 MB over tp after a; send 1 MB over pp }\n"
    "fragment G { recv 1 MB over pp; a: compute 9 us after recv; all_gather 1 MB over tp after a "
    "}\n"
    "program { F 0 to 1 }\nprogram { G 0 from 0 }\n";
  struct { const char *slow; uint32_t classes; } cases[] = {
      {"", 2},                          /* a class for each stage */
      /* it, its tensor partner, and their like in the second stage, apart from the rest */
      {"vertex gpu[0] speed 0.5\n", 6},
      {"vertex gpu[8] speed 0.5\n", 6},
      {"vertex gpu[0] speed 0.5\nvertex gpu[2] speed 0.5\n", 6}, /* two such pairs behave alike */
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    char plan[4096];
    snprintf(plan, sizeof plan, text, cases[c].slow);
    played p;
    play(&p, plan);
    cr_expect_eq(ts_run_result(p.run)->class_count, cases[c].classes, "case %zu: %u", c,
                 ts_run_result(p.run)->class_count);
    end(&p);
  }
}

/* ---- Loading ---- */

/* Two stages; the first sends these tags, the second receives those. */
static const char *refusal(ts_arena *arena, const uint32_t *sent, uint32_t sends,
                           const uint32_t *received, uint32_t receives)
{
  plan p = plan_new(1, (uint32_t[]){2}, 0, 2);
  uint32_t pipe = plan_group(&p, 1), out, in;
  plan_network(&p, 100);
  out = plan_begin(&p, "out");
  plan_port(&p, 2, true, pipe, 1 << 20, 10, NULL);
  plan_end(&p);
  in = plan_begin(&p, "in");
  plan_port(&p, 2, false, pipe, 1 << 20, 10, NULL);
  plan_end(&p);
  plan_item *list = calloc(sends + receives, sizeof *list);
  for (uint32_t i = 0; i < sends; i++)
    list[i] = (plan_item){out, 0, {{1, sent[i]}}};
  plan_program(&p, list, sends);
  for (uint32_t i = 0; i < receives; i++)
    list[i] = (plan_item){in, 0, {{0, received[i]}}};
  plan_program(&p, list, receives);
  free(list);
  ts_ir ir;
  ts_stop stop = {.arena = arena};
  ts_ir_builder_view(p.b, &ir);
  ts_run *run = ts_run_new(&ir, &(ts_run_options){0}, &stop);
  bool played = run != NULL;
  cr_assert_eq(played, ts_ir_verify(&ir, NULL) == 0);
  ts_run_free(run);
  plan_free(&p);
  return played ? NULL : stop.title;
}

/* What the compiler has made is not looked at before it is played (ts_ir_verify_compiled). */
Test(loading, messages_that_do_not_match_are_refused)
{
  enum { MANY = 200 };
  ts_arena *arena = ts_arena_new("test");
  uint32_t up[MANY], down[MANY], apart[MANY];
  for (uint32_t i = 0; i < MANY; i++) {
    up[i] = i;
    down[i] = MANY - 1 - i;
    apart[i] = i * 7919 % MANY * 1000003;
  }
  cr_assert_null(refusal(arena, up, MANY, up, MANY));
  cr_assert_null(refusal(arena, up, MANY, down, MANY)); /* later ones first */
  cr_assert_null(refusal(arena, apart, MANY, apart, MANY));
  cr_assert(strstr(refusal(arena, up, MANY, up, MANY - 1), "has no receiver"));
  cr_assert(strstr(refusal(arena, down, MANY, up, MANY - 1), "has no receiver"));
  cr_assert(strstr(refusal(arena, up, MANY - 1, up, MANY), "sent by nobody"));
  cr_assert(strstr(refusal(arena, (uint32_t[]){4, 4}, 2, (uint32_t[]){4, 5}, 2), "no receiver"));
  cr_assert(strstr(refusal(arena, (uint32_t[]){4, 6}, 2, (uint32_t[]){4, 5}, 2), "no receiver"));
  ts_arena_free(arena);
}
