/* doc/accuracy.md: each set with its sources, its figures, what is asked of it, and a picture of
 * predicted against measured. */
#ifndef TS_ACCURACY_PAGE_H
#define TS_ACCURACY_PAGE_H

#include "tests/accuracy/result.h"

/* Writes `path`, and pictures/accuracy/SET.svg beside it. 0 or an errno value, after a message. */
int acc_page_write(ts_arena *arena, const acc_results *all, const char *path);

#endif
