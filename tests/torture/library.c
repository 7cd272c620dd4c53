/* A program of others: the library opens a plan, writes its IR, plays it, writes a trace, reports,
 * and plays a sweep of it. Without memory its functions fail, and the program goes on to say so:
 * library PLAN IR TRACE */
#include <stdio.h>

#include "library/trainspec.h"

static int refused(const trainspec *ts)
{
  trainspec_print_messages(ts, stderr, TRAINSPEC_TEXT);
  fprintf(stderr, "library: %zu messages\n", ts ? trainspec_message_count(ts) : 0);
  return 4;
}

static bool report(trainspec_plan *plan, const char *path, const char *trace)
{
  const trainspec_options alone = {.threads = 1};
  trainspec_run *run = plan && trainspec_write(plan, path) ? trainspec_play(plan, &alone) : NULL;
  return run && trainspec_trace(run, trace) && trainspec_report(run, stdout, TRAINSPEC_TEXT);
}

static bool sweep(trainspec *ts, const char *path)
{
  trainspec_sweep *s =
    trainspec_sweep_open(ts, path, NULL, "vary layers in [1, 2]\nminimize step_time\n");
  trainspec_outcome outcome;
  for (size_t i = 0; s && i < trainspec_sweep_plans(s); i++) {
    if (!trainspec_sweep_play(s, i, &outcome))
      return false;
    if (outcome.why)
      printf("%s refused: %s\n", trainspec_sweep_value(s, i, 0), outcome.why);
    else
      printf("%s: %.6g\n", trainspec_sweep_value(s, i, 0), outcome.objective);
  }
  return s;
}

int main(int argc, char **argv)
{
  trainspec *ts = argc == 4 ? trainspec_new() : NULL;
  if (!ts) {
    fprintf(stderr, "library: no workspace\n");
    return 4;
  }
  bool good = report(trainspec_open(ts, argv[1], NULL), argv[2], argv[3]) && sweep(ts, argv[1]);
  int status = good && !fflush(stdout) && !ferror(stdout) ? 0 : refused(ts);
  trainspec_free(ts);
  return status;
}
