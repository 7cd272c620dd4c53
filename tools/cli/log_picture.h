/* The steps of a log as an SVG picture. */
#ifndef TS_TOOLS_CLI_LOG_PICTURE_H
#define TS_TOOLS_CLI_LOG_PICTURE_H

#include <stdio.h>

#include "trace/log/steady.h"

void ts_log_picture(const ts_log *log, const ts_log_steady *steady, const char *title, FILE *out);

#endif
