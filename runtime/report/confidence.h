/* How sure a prediction is, as reports say it. */
#ifndef TS_RUNTIME_REPORT_CONFIDENCE_H
#define TS_RUNTIME_REPORT_CONFIDENCE_H

#include <stdio.h>

#include "base/format.h"
#include "runtime/account/confidence.h"
#include "runtime/report/summary.h"

/* "80 %: 20.9 to 24.0" beside "22.2 s": in the unit and with the digits of `figure`, which is what
 * is printed of the interval's own; "" where nothing is known. */
const char *ts_interval_text(ts_arena *arena, const ts_interval *interval, ts_text figure);

/* "The step is 29.9 % longer (80 %: 24.1 % to 36.0 % longer)": of one step time over another. */
void ts_report_ratio_text(const ts_interval *ratio, ts_arena *arena, FILE *out);
void ts_report_confidence_text(const ts_summary *s, ts_arena *arena, FILE *out);
struct cJSON;
void ts_report_confidence_json(const ts_summary *s, struct cJSON *root);

#endif
