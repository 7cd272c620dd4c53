/* How long orders of work take to make: the schedule laboratory compiled for p ranks and m
 * micro-batches, by exact orders, by one policy, by slots, and by policies that try many; and
 * DeepSeek-V3 on 2,048 devices. CPU time of this process, best of three. What should stay the same
 * down a column is the time of an item (F, I, W, or B, of a stage). */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "compiler/compile.h"

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds, or below 0 after errors. */
static double compile(const char *plan, const char *schedule)
{
  const char *source = getenv("top_srcdir");
  double best = -1;
  for (int k = 0; k < 3; k++) {
    ts_arena *arena = ts_arena_new("bench");
    ts_session *s = ts_session_new(arena);
    ts_define define = {"schedule", schedule};
    ts_compile_options options = {.defines = &define, .define_count = schedule ? 1 : 0};
    double start = now();
    ts_ir_builder *b = ts_compile(
      s, ts_arena_printf(arena, "%s/examples/%s", source ? source : ".", plan), &options);
    double time = now() - start;
    if (b)
      ts_ir_builder_free(b);
    else
      ts_diags_print(s->diags, stderr, TS_COLOR_NEVER);
    ts_arena_free(arena);
    if (!b)
      return -1;
    best = best < 0 || time < best ? time : best;
  }
  return best;
}

int main(void)
{
  /* of a rank and micro-batch */
  static const struct { const char *schedule; int items;
  } kinds[] = {{"one_f_one_b(p: %d, m: %d)", 2},
               {"zb_1p(p: %d, m: %d)", 3},
               {"zb_memory(p: %d, m: %d, memory: 20 GiB)", 3},
               {"v_half(p: %d, m: %d)", 6},
               {"zb_h1(p: %d, m: %d)", 3},
               {"zb_v(p: %d, m: %d)", 6},
               {"hanayo(p: %d, m: %d, waves: 1)", 4},
               {"chimera(p: %d, m: %d)", 2}};
  static const int sizes[][2] = {{8, 64},   {16, 64},  {16, 128}, {16, 256},
                                 {32, 256}, {32, 512}, {64, 512}};
  double empty = compile("schedule_lab.ts", "one_f_one_b(p: 1, m: 1)");
  int bad = empty < 0;
  printf("%-42s %4s %5s %10s %12s\n", "", "p", "m", "compile", "of an item");
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
    for (size_t n = 0; n < sizeof sizes / sizeof sizes[0]; n++) {
      char schedule[128];
      int p = sizes[n][0], m = sizes[n][1];
      snprintf(schedule, sizeof schedule, kinds[k].schedule, p, m);
      double time = compile("schedule_lab.ts", schedule);
      bad |= time < 0;
      printf("%-42s %4d %5d %7.1f ms %9.0f ns\n", schedule, p, m, 1e3 * time,
             1e9 * (time - empty) / ((double)kinds[k].items * p * m));
    }
  double time = compile("deepseek_v3.ts", NULL);
  printf("examples/deepseek_v3.ts on 2,048 devices   %18.1f ms\n", 1e3 * time);
  return bad || time < 0;
}
