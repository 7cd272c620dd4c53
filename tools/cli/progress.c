#include "tools/cli/progress.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/escape.h"
#include "tools/cli/interrupt.h"

enum { WIDTH = 30 };

bool ts_progress_interrupted(void) { return ts_interrupt_kept() != 0; }

static void draw(ts_progress_bar *b)
{
  int full = (int)(b->share * WIDTH);
  ts_put_text(stderr, "\r%-24s [%.*s%*s] %3d %%", b->what, full, "##############################",
              WIDTH - full, "", (int)(100 * b->share));
  b->shown = true;
}

static bool tick(void *closure, const char *what, double share)
{
  ts_progress_bar *b = closure;
  double at = ts_clock();
  b->what = what;
  b->share = share < 0 ? 0 : share > 1 ? 1 : share;
  if (b->terminal && at - b->begun > 1 && at - b->drawn > 0.1) {
    b->drawn = at;
    draw(b);
  }
  return !ts_progress_interrupted();
}

bool ts_progress_terminal(void)
{
  const char *term = getenv("TERM");
  return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
}

ts_progress ts_progress_start(ts_progress_bar *bar)
{
  ts_interrupt_asks();
  *bar =
    (ts_progress_bar){.begun = ts_clock(), .terminal = ts_progress_terminal(), .what = "reading"};
  return (ts_progress){tick, bar};
}

void ts_progress_end(ts_progress_bar *bar)
{
  if (bar->shown)
    ts_put_text(stderr, "\r%*s\r", WIDTH + 36, "");
  bar->shown = false;
}

_Noreturn void ts_progress_die(ts_progress_bar *bar, const char *called)
{
  int number = ts_interrupt_kept();
  ts_progress_end(bar);
  ts_put_text(stderr, "%s: interrupted after %.1f s, %s: %d %% done; nothing was written\n", called,
              ts_clock() - bar->begun, bar->what, (int)(100 * bar->share));
  signal(number, SIG_DFL);
  raise(number);
  _exit(128 + number);
}
