#include "tools/cli/windows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "1.5s", "300ms", "20us", "5ns" */
static bool read_time(ts_options *o, uint64_t *ps)
{
  static const struct unit { const char *name; double ps;
  } units[] = {{"s", 1e12}, {"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}, {"ps", 1}};
  char *end;
  double number = strtod(o->argument, &end);
  size_t blanks = strspn(end, " ");
  for (size_t u = 0; end != o->argument && u < sizeof units / sizeof *units; u++) {
    double time = number * units[u].ps;
    if (strcmp(end + blanks, units[u].name) == 0 && time >= 0 && time < 1e18) {
      *ps = (uint64_t)(time + 0.5);
      return true;
    }
  }
  ts_options_wrong(o, "`%s` takes a time such as 1.5s, 300ms or 20us, not `%s`", o->spelled,
                   o->argument);
  return false;
}

int ts_window_option(ts_window_options *w, ts_options *o, int id)
{
  static const char *const levels[] = {"items", "kernels", "all", NULL};
  int choice;
  switch (id) {
  case WINDOW_FROM:
    w->from = o->argument;
    return read_time(o, &w->window.from) ? TS_EXIT_DONE : TS_EXIT_USAGE;
  case WINDOW_TO:
    w->to = o->argument;
    return read_time(o, &w->window.to) ? TS_EXIT_DONE : TS_EXIT_USAGE;
  case WINDOW_LEVEL:
    if ((choice = ts_options_choice(o, levels)) < 0)
      return TS_EXIT_USAGE;
    w->window.level = (ts_level)(TS_LEVEL_ITEMS + choice);
    break;
  default: w->ranks = o->argument; break;
  }
  return TS_EXIT_DONE;
}

const char *ts_window_wrong(const ts_window_options *w)
{
  return w->to && w->window.to <= w->window.from ? "`--to` must be later than `--from`" : NULL;
}

bool ts_window_ranks(ts_options *o, const char *option, const char *list, uint32_t world,
                     ts_arena *arena, ts_window *window)
{
  uint8_t *chosen = TS_NEW_ARRAY(arena, uint8_t, world);
  uint32_t *ranks = TS_NEW_ARRAY(arena, uint32_t, world), count = 0;
  bool all = strcmp(list, "all") == 0;
  if (all)
    memset(chosen, 1, world);
  for (const char *at = list; !all; at++) {
    unsigned long long first, last;
    int length = 0;
    if (sscanf(at, "%8llu-%8llu%n", &first, &last, &length) != 2 &&
        (length = 0, sscanf(at, "%8llu%n", &first, &length) == 1))
      last = first;
    if (!length || *at < '0' || *at > '9' || last < first || last >= world ||
        (at[length] && at[length] != ',')) {
      ts_options_wrong(o, "`%s` takes `all` or ranks from 0 to %u such as `0-7,16`, not `%s`",
                       option, world - 1, list);
      return false;
    }
    memset(chosen + first, 1, (size_t)(last - first) + 1);
    at += length;
    if (!*at)
      break;
  }
  for (uint32_t r = 0; r < world; r++)
    if (chosen[r])
      ranks[count++] = r;
  window->ranks = ranks;
  window->rank_count = count;
  return true;
}
