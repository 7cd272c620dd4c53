/* The steps of a log as an SVG picture. */
#ifndef TS_TOOLS_CLI_LOG_PICTURE_H
#define TS_TOOLS_CLI_LOG_PICTURE_H

#include <stdio.h>

#include "trace/log/steady.h"

/* What a plan predicts of a step, s. */
typedef struct ts_log_band {
  double predicted, low, high;
} ts_log_band;

/* `band`: drawn behind the steps; or NULL. */
void ts_log_picture(const ts_log *log, const ts_log_steady *steady, const ts_log_band *band,
                    const char *title, FILE *out);

#endif
