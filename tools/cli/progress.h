/* Interrupts, and a bar on a terminal for what takes longer than a second. */
#ifndef TS_TOOLS_CLI_PROGRESS_H
#define TS_TOOLS_CLI_PROGRESS_H

#include "runtime/load/progress.h"

typedef struct ts_progress_bar {
  double begun, drawn;    /* s */
  bool terminal, shown;
  const char *what;       /* is done at the moment */
  double share;
} ts_progress_bar;

/* Whether standard error is a terminal on which a line can be drawn again. */
bool ts_progress_terminal(void);
/* From now on the first interrupt (SIGINT, SIGTERM) asks the work to stop; a second one ends the
 * program. */
ts_progress ts_progress_start(ts_progress_bar *bar);
/* Takes the bar off the terminal. */
void ts_progress_end(ts_progress_bar *bar);
bool ts_progress_interrupted(void);
/* Says how far it got, and ends the program as the signal would have. */
_Noreturn void ts_progress_die(ts_progress_bar *bar, const char *called);

#endif
