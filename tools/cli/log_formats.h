/* Formats of logs as files of the language declare them (std.import.logs). */
#ifndef TS_TOOLS_CLI_LOG_FORMATS_H
#define TS_TOOLS_CLI_LOG_FORMATS_H

#include "compiler/eval/module.h"
#include "trace/log/log.h"

/* Of the file, or of std where it is NULL. False after errors, which are in the session's queue. */
bool ts_log_formats_load(ts_session *s, const char *path, ts_log_formats *formats);

#endif
