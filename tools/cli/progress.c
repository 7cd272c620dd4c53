#include "tools/cli/progress.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/format.h"
#include "tools/cli/interrupt.h"

enum { WIDTH = 20 };
static const double LEAST = 0.5; /* s, before a pace tells anything */

bool ts_progress_interrupted(void) { return ts_interrupt_pending() != 0; }

/* "12 s left", as far as the pace so far tells. */
static ts_text left_of(const ts_progress_bar *b, double elapsed)
{
  enum { MINUTE = 60, HOUR = 3600 };
  ts_text text = {""};
  double left = b->share > 0 ? elapsed * (1 - b->share) / b->share : 0;
  if (elapsed < LEAST || b->share < 0.01)
    return text;
  if (left < MINUTE)
    snprintf(text.text, sizeof text.text, "%.0f s left", ceil(left));
  else if (left < HOUR)
    snprintf(text.text, sizeof text.text, "%.0f min left", ceil(left / MINUTE));
  else
    snprintf(text.text, sizeof text.text, "%.1f h left", left / HOUR);
  return text;
}

static ts_text rate_of(const ts_progress_bar *b, double elapsed)
{
  ts_text text = {""};
  if (!b->unit || !(b->done > 0) || elapsed < LEAST)
    return text;
  if (strcmp(b->unit, "B") == 0)
    return ts_format_scaled(b->done / elapsed, "B/s");
  snprintf(text.text, sizeof text.text, "%.20s %s/s",
           ts_format_significant(b->done / elapsed).text, b->unit);
  return text;
}

static void erase(ts_progress_bar *b) { ts_put_text(stderr, "\r%*s\r", (int)b->columns, ""); }

static void progress_draw(ts_progress_bar *b, double elapsed)
{
  int full = (int)(b->share * WIDTH);
  unsigned before = b->columns;
  b->columns = (unsigned)ts_put_text(
    stderr, "\r%-24s [%.*s%*s] %3d %%  %-11s  %s%s", b->what, full, "####################",
    WIDTH - full, "", (int)(100 * b->share), left_of(b, elapsed).text, rate_of(b, elapsed).text,
    b->note);
  if (before > b->columns) /* what is left of a longer one */
    ts_put_text(stderr, "%*s", (int)(before - b->columns), "");
  b->shown = true;
}

static void advance(ts_progress_bar *b, const char *what, double share)
{
  double at = ts_clock();
  if (!b->what || strcmp(b->what, what) != 0) {
    b->since = at;
    b->unit = NULL;
  }
  b->what = what;
  b->share = share < 0 ? 0 : share > 1 ? 1 : share;
  if (b->terminal && at - b->begun > 1 && at - b->drawn > 0.1) {
    b->drawn = at;
    progress_draw(b, at - b->since);
  }
}

static bool tick(void *closure, const char *what, double share)
{
  advance(closure, what, share);
  return !ts_progress_interrupted();
}

static void progress_count(void *closure, const char *unit, double done)
{
  ts_progress_bar *b = closure;
  b->unit = unit;
  b->done = done;
}

bool ts_progress_terminal(void)
{
  const char *term = getenv("TERM");
  return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
}

ts_progress ts_progress_start(ts_progress_bar *bar)
{
  ts_interrupt_asks();
  return ts_progress_shown(bar);
}

ts_progress ts_progress_shown(ts_progress_bar *bar)
{
  double now = ts_clock();
  *bar = (ts_progress_bar){
    .begun = now, .since = now, .terminal = ts_progress_terminal(), .what = "reading"};
  return (ts_progress){.tick = tick, .closure = bar, .count = progress_count};
}

void ts_progress_end(ts_progress_bar *bar)
{
  if (bar->shown)
    erase(bar);
  bar->shown = false;
}

_Noreturn void ts_progress_die(ts_progress_bar *bar, const char *called)
{
  int number = ts_interrupt_pending();
  ts_progress_end(bar);
  ts_put_text(stderr, "%s: interrupted after %.1f s, %s: %d %% done; nothing was written\n", called,
              ts_clock() - bar->begun, bar->what, (int)(100 * bar->share));
  signal(number, SIG_DFL);
  raise(number);
  _exit(128 + number);
}
