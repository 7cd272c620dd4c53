/* Warnings of played plans as messages of the session: the same in all programs. */
#ifndef TS_TOOLS_CLI_PLAY_WARNINGS_H
#define TS_TOOLS_CLI_PLAY_WARNINGS_H

#include "compiler/compile.h"
#include "runtime/report/report.h"

/* Texts of sources that an IR names: from the session's compilations and the standard library. */
ts_source_reader ts_session_source_reader(const ts_session *s);
/* Adds warnings of `ir` to the session's messages, but those of a compilation that took place in it
 * (`compiled`), which are there already. */
void ts_report_play_warnings(ts_session *s, const ts_warnings *warnings, const ts_ir *ir,
                             bool compiled, ts_source_reader reader);
/* Adds a first note to each warning from number `first` on: which play it is of. */
void ts_label_play_warnings(ts_arena *arena, ts_warnings *warnings, size_t first, const char *name,
                            const char *text);

#endif
