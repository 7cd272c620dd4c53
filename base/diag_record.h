/* The inside of a diagnostic, for the queue and those who print it or put it into an IR. */
#ifndef TS_BASE_DIAG_RECORD_H
#define TS_BASE_DIAG_RECORD_H

#include "base/diag.h"

enum { TS_MAX_ERRORS = 20 };

typedef enum ts_child_kind {
  TS_CHILD_NOTE,
  TS_CHILD_FACT,
  TS_CHILD_HELP,
  TS_CHILD_EDIT
} ts_child_kind;

typedef struct ts_diag_text { ts_span span; const char *text; } ts_diag_text;
typedef struct ts_diag_child {
  ts_child_kind kind;
  ts_span span;            /* TS_NO_SPAN: a fact without a place */
  const char *name;        /* of a fact; of a help with a replacement: what it would replace */
  const char *text;
  const char *replacement; /* of an edit, or of a help: ts_diag_instead */
} ts_diag_child;
typedef struct ts_diag_pair { const char *name, *value; } ts_diag_pair;

struct ts_diag {
  ts_arena *arena;
  ts_code code;
  ts_severity severity;
  bool off; /* a warning that was switched off */
  ts_span primary;
  const char *message, *here;
  TS_VEC(ts_diag_text) labels;
  TS_VEC(ts_diag_child) children;
  TS_VEC(ts_diag_pair) values;
  unsigned more;
};

struct ts_diags {
  ts_arena *arena;
  const ts_sources *sources;
  TS_VEC(ts_diag *) all;
  bool warnings_are_errors;
  uint8_t off[TS_CODE_COUNT], promoted[TS_CODE_COUNT];
};

const char *ts_severity_word(ts_severity severity);
/* The records to show, in source order and without exact repetitions; the array is in the arena
 * given. */
ts_diag **ts_diags_sorted(const ts_diags *diags, ts_arena *scratch, size_t *count);
/* The same of those that came after the first so many. */
ts_diag **ts_diags_sorted_from(const ts_diags *diags, size_t first, ts_arena *scratch,
                               size_t *count);
/* The span as it is shown: inside the text, without blank space at its end. */
ts_span ts_span_shown(const ts_sources *sources, ts_span span);
/* What the child would replace; file 0: nothing. */
ts_span ts_diag_edited(const ts_diag *d, const ts_diag_child *child, const ts_sources *sources);
void ts_diag_render(const ts_diag *d, const ts_sources *sources, ts_color color, FILE *out);

#endif
