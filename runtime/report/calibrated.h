/* What of a report rests on measured steps: the factors of a calibration. */
#ifndef TS_RUNTIME_REPORT_CALIBRATED_H
#define TS_RUNTIME_REPORT_CALIBRATED_H

#include <stdio.h>

#include "runtime/account/result.h"

struct cJSON;
/* Nothing without a calibration. */
void ts_report_calibrated_text(const ts_ir *ir, ts_arena *arena, FILE *out);
/* A member `calibration`; none without one. */
void ts_report_calibrated_json(const ts_ir *ir, const ts_result *result, ts_arena *arena,
                               struct cJSON *root);

#endif
