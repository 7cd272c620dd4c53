/* No input makes the compiler say that it has a bug: E0799 ends the target, as a crash does. */
#ifndef TS_TESTS_FUZZ_NO_BUG_H
#define TS_TESTS_FUZZ_NO_BUG_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag_record.h"

static inline void no_bug(const ts_diags *diags)
{
  for (size_t i = 0; i < diags->all.count; i++)
    if (diags->all.at[i]->code == TS_E0799) {
      fprintf(stderr, "E0799: %s\n", diags->all.at[i]->message);
      abort();
    }
}

/* The same of messages that were printed. */
static inline void no_bug_in(const char *text, size_t size)
{
  for (size_t i = 0; i + 5 <= size; i++)
    if (!memcmp(text + i, "E0799", 5)) {
      fprintf(stderr, "%.*s\n", (int)size, text);
      abort();
    }
}

#endif
