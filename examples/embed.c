/* TrainSpec in a program of yours: the time of a step, where it goes, and what memory it takes.
 *   cc $(pkg-config --cflags trainspec) embed.c $(pkg-config --libs trainspec) -o embed && ./embed
 *   gpt3_175b.ts */
#include <stdio.h>

#include <trainspec.h>

int main(int argc, char **argv)
{
  trainspec *ts = trainspec_new();
  trainspec_plan *plan = argc == 2 ? trainspec_open(ts, argv[1], NULL) : NULL;
  trainspec_run *run = plan ? trainspec_play(plan, NULL) : NULL;
  if (run) {
    trainspec_result r = trainspec_result_of(run);
    double step = (double)r.step_ps;
    printf("%.3f s on %u ranks: %.1f %% compute, %.1f %% exposed communication, %.1f %% bubble; "
           "%.1f GiB\n",
           step * 1e-12, trainspec_ranks(plan), 100 * r.time.compute / step,
           100 * r.time.exposed_communication / step, 100 * r.time.bubble / step,
           (double)(r.peak + r.reserved) / (1 << 30));
  }
  trainspec_print_messages(ts, stderr, TRAINSPEC_TEXT);
  trainspec_free(ts);
  return run ? 0 : 1;
}
