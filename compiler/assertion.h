/* What a command line asserts of a played step: `step_time < 7 s and peak_memory < 72 GiB`, an
 * expression of the language with the figures that searches know. */
#ifndef TS_COMPILER_ASSERTION_H
#define TS_COMPILER_ASSERTION_H

#include "compiler/search.h"

typedef struct ts_assertion {
  const char *text; /* as typed */
  const ts_ast *expr;
} ts_assertion;

/* Reads it, and tries it with figures that are made up, so that names and units are checked before
 * a long play. False after errors. */
bool ts_assertion_read(ts_session *s, const char *text, uint32_t devices, ts_assertion *assertion);

/* Does it hold for these figures? Each part of an `and` that does not is reported (R0401) with the
 * figures that it names. A part with a figure that is not known does not hold. */
bool ts_assertion_holds(ts_session *s, const ts_assertion *assertion, const ts_figures *figures);

/* Of a change of a plan: `step_time > 1.01 * before`. In a part of an `and` or an `or` that names
 * one figure, `before` is what that figure was. */
bool ts_condition_read(ts_session *s, const char *text, ts_assertion *condition);
/* Each part of an `or` that holds is reported (R0402); one with a figure that is not known is not
 * passed. */
bool ts_condition_passes(ts_session *s, const ts_assertion *condition, const ts_figures *before,
                         const ts_figures *after);

#endif
