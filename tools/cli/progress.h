/* Interrupts, and a bar on a terminal for what takes longer than a second: how far it is, how fast
 * it goes, how long it will still take. */
#ifndef TS_TOOLS_CLI_PROGRESS_H
#define TS_TOOLS_CLI_PROGRESS_H

#include "base/progress.h"

typedef struct ts_progress_bar {
  double begun, drawn;    /* s */
  double since;           /* when `what` began, s */
  bool terminal, shown;
  const char *what;       /* is done at the moment */
  double share;
  const char *unit;       /* NULL: none was told */
  double done;
  char note[80];          /* stands behind all that */
  unsigned columns;       /* that are drawn */
} ts_progress_bar;

/* Whether standard error is a terminal on which a line can be drawn again. */
bool ts_progress_terminal(void);
/* From now on the first interrupt (SIGINT, SIGTERM) asks the work to stop; a second one ends the
 * program. */
ts_progress ts_progress_start(ts_progress_bar *bar);
/* The same of a program that an interrupt ends. */
ts_progress ts_progress_shown(ts_progress_bar *bar);
/* Takes the bar off the terminal. */
void ts_progress_end(ts_progress_bar *bar);
bool ts_progress_interrupted(void);
/* Says how far it got, and ends the program as the signal would have. */
_Noreturn void ts_progress_die(ts_progress_bar *bar, const char *called);

#endif
