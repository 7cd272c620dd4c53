/* Interrupts, and a bar on a terminal for what takes longer than a second. */
#ifndef TS_TOOLS_TSRUN_PROGRESS_H
#define TS_TOOLS_TSRUN_PROGRESS_H

#include "runtime/progress.h"

typedef struct progress_bar {
  double begun, drawn;    /* s */
  bool terminal, shown;
  const char *what;       /* is done at the moment */
  double share;
} progress_bar;

/* From now on the first interrupt (SIGINT, SIGTERM) asks the work to stop; a second one ends the program. */
ts_progress progress_start(progress_bar *bar);
/* Takes the bar off the terminal. */
void progress_end(progress_bar *bar);
bool progress_interrupted(void);
/* Says how far it got, and ends the program as the signal would have. */
_Noreturn void progress_die(progress_bar *bar, const char *called);

#endif
