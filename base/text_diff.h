/* Differences of two texts, line by line, in the unified format. */
#ifndef TS_BASE_TEXT_DIFF_H
#define TS_BASE_TEXT_DIFF_H

#include <stdio.h>

#include "base/arena.h"

/* Prints nothing for equal texts. `name` stands for both sides. */
void ts_text_diff(FILE *out, ts_arena *arena, const char *name, const char *old_text,
                  const char *new_text);

#endif
