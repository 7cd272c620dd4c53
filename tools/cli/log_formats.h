/* Logs in the formats that files of the language declare (std.import.logs). */
#ifndef TS_TOOLS_CLI_LOG_FORMATS_H
#define TS_TOOLS_CLI_LOG_FORMATS_H

#include "compiler/eval/module.h"
#include "trace/log/steady.h"

/* Of the file, or of std where it is NULL. False after errors, which are in the session's queue. */
bool ts_log_formats_load(ts_session *s, const char *path, ts_log_formats *formats);

/* Reads a log and finds its steady steps; `formats` as above. 0, or the exit code after an error,
 * which is in the session's queue. */
int ts_log_open(ts_session *s, const char *path, const char *formats, ts_log *log,
                ts_log_steady *steady);

#endif
