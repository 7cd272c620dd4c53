/* Errors found in evaluation, each reported once. */
#ifndef TS_COMPILER_EVAL_REPORT_H
#define TS_COMPILER_EVAL_REPORT_H

#include "compiler/eval/session.h"

struct ts_reported;
typedef struct ts_aside {
  ts_diags *diags;
  struct ts_reported *reported;
} ts_aside;
typedef struct ts_reports {
  struct ts_reported *reported; /* errors already reported */
  ts_aside aside;               /* for trials */
  size_t before;                /* messages of plans compiled before this one */
} ts_reports;

/* From now on nothing is a repetition. */
void ts_reports_begin(ts_session *s);
/* An error found in evaluation. The same one (code and place) found again is only counted: "and 95
 * more like it". Never NULL. */
ts_diag *ts_report(ts_session *s, ts_code code, ts_span span, const char *format, ...)
  __attribute__((format(printf, 4, 5)));

/* Between these two nothing is reported: what goes wrong in trials is nobody's mistake, and is told
 * when it is met again. The code of the first error of the trial; TS_CODE_COUNT: there was none. */
ts_aside ts_session_set_aside(ts_session *s);
ts_code ts_session_take_up(ts_session *s, ts_aside before);

#endif
