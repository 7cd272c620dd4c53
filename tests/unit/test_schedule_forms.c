/* Makespans and activation peaks against closed forms: those of the papers, and what follows from
 * the order where stages are uneven. Played in the schedule laboratory, times in units of 1 us. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/compile.h"
#include "runtime/account/memory.h"
#include "tests/unit/amount.h"

enum { US = 1000000 };

typedef struct costs { double f, i, w, message; } costs;
typedef struct played { double makespan, held; } played; /* held: most forwards on a rank */

/* `stages`: of the model, which `schedule` cuts; 0: one for every part of the schedule. */
static played play_stages(int stages, costs c, const char *schedule)
{
  const char *source = getenv("top_srcdir");
  ts_arena *arena = ts_arena_new("test");
  ts_session *s = ts_session_new(arena);
  const char *names[] = {"f", "i", "w", "message"};
  const double times[] = {c.f, c.i, c.w, c.message};
  ts_define define[6] = {{"schedule", schedule}};
  for (int k = 0; k < 4; k++)
    define[1 + k] = (ts_define){names[k], ts_arena_printf(arena, "%g us", times[k])};
  define[5] = (ts_define){"count", ts_arena_printf(arena, "%d", stages)};
  ts_compile_options options = {.defines = define, .define_count = stages ? 6 : 5};
  ts_input input;
  ts_stop stop = {.arena = arena};
  if (!ts_input_open(s,
                     ts_arena_printf(arena, "%s/examples/schedule_lab.ts", source ? source : "."),
                     &options, &input)) {
    ts_diags_print(s->diags, stderr, TS_COLOR_NEVER);
    cr_assert_fail("%s", schedule);
  }
  ts_run *run = ts_run_new(&input.ir, &(ts_run_options){0}, &stop);
  cr_assert(run, "%s", schedule);
  const ts_memory *memory = ts_memory_new(arena, &input.ir, run);
  played result = {.makespan = (double)ts_run_result(run)->step / US};
  for (uint32_t k = 0; k < memory->class_count; k++)
    result.held = fmax(result.held, floor((double)memory->classes[k].peak / 1073741824.0));
  ts_run_free(run);
  ts_input_close(&input);
  ts_arena_free(arena);
  return result;
}

static const char *named(char *text, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  vsnprintf(text, 200, format, args);
  va_end(args);
  return text;
}

#define PLAY(costs, ...) play_stages(0, costs, named(text, __VA_ARGS__))
#define EXPECT(got, want, ...)                                                                     \
  cr_expect(fabs((got) - (want)) < 1e-6, "%s: %g, expected %g", named(text, __VA_ARGS__), got, want)

static const costs even = {1, 1, 1, 0}, uneven = {10, 12, 8, 0}, whole = {1, 0.5, 0.5, 0},
                   twice = {1, 1, 1, 0};

/* GPipe; 1F1B (Narayanan et al., arXiv 2006.09503); eager 1F1B: (m + p - 1)(F + B). Held: m, min(p,
 * m), min(2 p - 1, m). */
Test(schedule_forms, one_chunk)
{
  char text[200];
  for (int p = 1; p <= 8; p++)
    for (int m = 1; m <= 17; m += p > 4 ? 4 : (int)amount(3, 1)) {
      double want = 30 * (m + p - 1);
      played gpipe = PLAY(uneven, "gpipe(p: %d, m: %d)", p, m),
             one = PLAY(uneven, "one_f_one_b(p: %d, m: %d)", p, m),
             eager = PLAY(uneven, "eager_one_f_one_b(p: %d, m: %d)", p, m);
      EXPECT(gpipe.makespan, want, "gpipe %d %d", p, m);
      EXPECT(one.makespan, want, "1F1B %d %d", p, m);
      EXPECT(eager.makespan, want, "eager %d %d", p, m);
      EXPECT(gpipe.held, (double)m, "gpipe %d %d, held", p, m);
      EXPECT(one.held, fmin(p, m), "1F1B %d %d, held", p, m);
      EXPECT(eager.held, fmin(2 * p - 1, m), "eager %d %d, held", p, m);
    }
}

/* Messages: eager 1F1B hides them for as long as a whole micro-batch's work, 1F1B does not. */
Test(schedule_forms, eager_hides_messages)
{
  char text[200];
  costs slow = {10, 10, 10, 8};
  for (int p = 3; p <= 6; p++) {
    played one = PLAY(slow, "one_f_one_b(p: %d, m: 24)", p),
           eager = PLAY(slow, "eager_one_f_one_b(p: %d, m: 24)", p);
    EXPECT(eager.makespan, 30.0 * (24 + p - 1) + 2 * 8 * (p - 1), "eager %d", p);
    cr_expect(one.makespan > eager.makespan + 8 * 20, "%d: %g %g", p, one.makespan, eager.makespan);
  }
}

/* Interleaved 1F1B (Narayanan et al., arXiv 2104.04473) and breadth-first (Lamy-Poirier, arXiv
 * 2211.05953): (v m + p - 1)(F + B), of a chunk. */
Test(schedule_forms, several_chunks)
{
  char text[200];
  for (int p = 2; p <= 6; p++)
    for (int v = 1; v <= 4; v++)
      for (int m = p; m <= 3 * p; m += p) {
        EXPECT(PLAY(uneven, "interleaved_one_f_one_b(p: %d, m: %d, v: %d)", p, m, v).makespan,
               30.0 * (v * m + p - 1), "interleaved %d %d %d", p, m, v);
        EXPECT(PLAY(uneven, "breadth_first(p: %d, m: %d, v: %d)", p, m, v).makespan,
               30.0 * (v * m + p - 1), "breadth-first %d %d %d", p, m, v);
        EXPECT(PLAY(uneven, "breadth_first(p: %d, m: %d, v: %d)", p, m + 1, v).makespan,
               30.0 * (v * (m + 1) + p - 1), "breadth-first %d %d %d", p, m + 1, v);
      }
}

/* Interleaved where p does not divide m: PyTorch's larger groups, or Megatron-LM's with a smaller
 * one last. Never less than the even form; the larger groups cost no more than a group's leftovers
 * a chunk. */
Test(schedule_forms, uneven_groups)
{
  char text[200];
  static const int cases[][4] = {{4, 6, 2, 0}, {4, 10, 2, 0}, {3, 5, 3, 0}, {5, 14, 2, 0},
                                 {4, 9, 2, 5}, {4, 13, 2, 9}, {3, 10, 4, 7}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    int p = cases[k][0], m = cases[k][1], v = cases[k][2], group = cases[k][3];
    double got =
      PLAY(uneven, "interleaved_one_f_one_b(p: %d, m: %d, v: %d, group: %d)", p, m, v, group)
        .makespan;
    cr_expect(got >= 30.0 * (v * m + p - 1) - 1e-6 && got < 30.0 * v * (m + p - 1),
              "%d %d %d %d: %g", p, m, v, group, got);
  }
}

/* 1F1B on stages of sizes: with the slowest last, the others' time once and the last one's m times;
 * with the slowest first, once its round trip is covered, m times the first. */
Test(schedule_forms, uneven_stages)
{
  char text[200];
  for (int m = 1; m <= 9; m++) {
    EXPECT(
      play_stages(5, uneven, named(text, "one_f_one_b(p: 3, m: %d, sizes: [1, 1, 3])", m)).makespan,
      30.0 * (2 + 3 * m), "last %d", m);
    EXPECT(play_stages(8, uneven, named(text, "one_f_one_b(p: 4, m: %d, sizes: [1, 2, 1, 4])", m))
             .makespan,
           30.0 * (4 + 4 * m), "last of 4, %d", m);
    if (m >= 3)
      EXPECT(
        play_stages(5, even, named(text, "one_f_one_b(p: 3, m: %d, sizes: [3, 1, 1])", m)).makespan,
        9.0 * m, "first %d", m);
    EXPECT(play_stages(9, uneven, named(text, "one_f_one_b(p: 3, m: %d, balanced: true)", m)).makespan,
           90.0 * (m + 2), "balanced %d", m);
  }
}

/* ZB-H1 (Qi et al., arXiv 2401.10241): m (F + I + W) + (p - 1)(F + I - W) from m = 2 p on; ZB-H2
 * and ZB-V at equal times: no bubble but the p - 1 forwards of the start. */
Test(schedule_forms, zero_bubble)
{
  char text[200];
  for (int p = 2; p <= 9; p++)
    for (int m = 2 * p; m <= 4 * p; m += p == 9 ? 5 : p) {
      EXPECT(PLAY(uneven, "zb_h1(p: %d, m: %d)", p, m).makespan, 30.0 * m + 14.0 * (p - 1),
             "zb_h1 %d %d", p, m);
      EXPECT(PLAY(even, "zb_h2(p: %d, m: %d)", p, m).makespan, 3.0 * m + p - 1, "zb_h2 %d %d", p,
             m);
      played v = PLAY(even, "zb_v(p: %d, m: %d)", p, m);
      EXPECT(v.makespan, 6.0 * m + p - 1, "zb_v %d %d", p, m);
      cr_expect(v.held <= 2 * p, "zb_v %d %d holds %g", p, m, v.held);
    }
}

/* V-Half and V-Min (Qi et al., arXiv 2405.15362): held in chunks of half a stage; V-Min's 2 p / 3
 * and a little. */
Test(schedule_forms, controllable_memory)
{
  char text[200];
  for (int p = 2; p <= 12; p++) {
    played half = PLAY(even, "v_half(p: %d, m: %d)", p, 3 * p),
           least = PLAY(even, "v_min(p: %d, m: %d)", p, 3 * p);
    cr_expect(half.held <= p + 2, "v_half %d holds %g", p, half.held);
    cr_expect(least.held <= 2 * p / 3.0 + 3, "v_min %d holds %g", p, least.held);
  }
}

/* Chimera (Li and Hoefler, arXiv 2107.06925), F and B of one time: bubble (p - 2) / (2 m + p - 2),
 * for whole units of p micro-batches. */
Test(schedule_forms, chimera)
{
  char text[200];
  for (int p = 2; p <= 12; p += 2)
    for (int m = p; m <= 3 * p; m += p) {
      played got = PLAY(whole, "chimera(p: %d, m: %d)", p, m);
      EXPECT(got.makespan, 2.0 * m + p - 2, "chimera %d %d", p, m);
      cr_expect(got.held <= p, "chimera %d %d holds %g", p, m, got.held);
    }
}

/* Hanayo (Liu et al., arXiv 2308.15762, section 3.4), m = p, B of twice F's time, messages of none:
 * bubble (2 p - 2) / (3 p w + p - 1), which is no whole number of items; and with two units of p
 * micro-batches in a row no larger a share. */
Test(schedule_forms, hanayo)
{
  char text[200];
  for (int p = 2; p <= 8; p++)
    for (int w = 1; w <= 4; w *= 2)
      for (int units = 1; units <= 2; units++) {
        int m = units * p;
        double busy = 6.0 * w * m, bubble = (2.0 * p - 2) / (3 * p * w + p - 1),
               got = PLAY(twice, "hanayo(p: %d, m: %d, waves: %d)", p, m, w).makespan;
        cr_expect(1 - busy / got < bubble + 0.03, "hanayo %d %d %d: bubble %g, the paper's %g", p,
                  m, w, 1 - busy / got, bubble);
        if (units == 1 && w > 1)
          cr_expect(1 - busy / got > bubble - 0.025, "hanayo %d %d %d: bubble %g, the paper's %g",
                    p, m, w, 1 - busy / got, bubble);
      }
}

/* DualPipe (DeepSeek-AI): m (F + B) + (p / 2 - 1)(F&B + B - 3 W), with equal times, and p + 1
 * forwards held. */
Test(schedule_forms, dual_pipe)
{
  char text[200];
  for (int p = 2; p <= 10; p += 2)
    for (int m = 2 * p; m <= 4 * p; m += 2) {
      played got = PLAY(even, "dual_pipe(p: %d, m: %d)", p, m);
      EXPECT(got.makespan, 3.0 * m + (p / 2.0 - 1) * (3 + 2 - 3), "dual_pipe %d %d", p, m);
      EXPECT(got.held, p + 1.0, "dual_pipe %d %d, held", p, m);
    }
}
