/* Warnings of played plans as messages of the session, as all programs tell them. */
#ifndef TS_TOOLS_CLI_TOLD_H
#define TS_TOOLS_CLI_TOLD_H

#include "compiler/compile.h"
#include "runtime/report/report.h"

/* Texts of sources that an IR names: from the session's compilations and the standard library. */
ts_source_reader ts_told_reader(const ts_session *s);
/* Adds warnings of `ir` to the session's messages, but those of a compilation that took place in it
 * (`compiled`), which are there already. */
void ts_told_warnings(ts_session *s, const ts_warnings *warnings, const ts_ir *ir, bool compiled,
                      ts_source_reader reader);
/* Makes a fact the first note of each from number `first` on: of what play it is. */
void ts_told_of(ts_arena *arena, ts_warnings *warnings, size_t first, const char *name,
                const char *text);

#endif
