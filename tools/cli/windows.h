/* The part of a step that pictures and traces show, from the command line. */
#ifndef TS_TOOLS_CLI_WINDOWS_H
#define TS_TOOLS_CLI_WINDOWS_H

#include "base/options.h"
#include "runtime/report/window.h"

enum { WINDOW_FROM = 300, WINDOW_TO, WINDOW_LEVEL, WINDOW_RANKS };
#define WINDOW_OPTIONS                                                                             \
  {WINDOW_FROM, 0, "from", "TIME", "timeline, SVG and trace begin at TIME of the step, such as 1.5s", \
   "Pictures"},                                                                                    \
    {WINDOW_TO, 0, "to", "TIME", "they end at TIME", NULL},                                        \
    {WINDOW_LEVEL, 0, "level", "LEVEL",                                                            \
     "how much SVG and trace show: items, kernels or all (trace: all)", NULL},                     \
    {WINDOW_RANKS, 0, "ranks", "LIST", "ranks in the timeline: 0-7,16 or all (one of each stage)", \
     NULL}

typedef struct ts_window_options {
  ts_window window; /* but for its ranks */
  const char *from, *to; /* as typed; NULL: not stated */
  const char *ranks;
} ts_window_options;

/* TS_EXIT_DONE, or TS_EXIT_USAGE after reporting a mistake. */
int ts_window_option(ts_window_options *w, ts_options *o, int id);
/* What of them do not go together; NULL: they do. */
const char *ts_window_wrong(const ts_window_options *w);
/* "0-7,16" or "all" into the window. False after a message, which names the option. */
bool ts_window_ranks(ts_options *o, const char *option, const char *list, uint32_t world,
                     ts_arena *arena, ts_window *window);

#endif
