/* `--assert`: what a command line asserts of a played step. */
#ifndef TS_TOOLS_CLI_ASSERTIONS_H
#define TS_TOOLS_CLI_ASSERTIONS_H

#include "compiler/assertion.h"
#include "runtime/report/report.h"

typedef struct ts_assertions {
  TS_VEC(const char *) texts; /* as typed */
  TS_VEC(ts_assertion) read;
} ts_assertions;

/* Before the play. False after errors, which are in the session's queue. */
bool ts_assertions_read(ts_assertions *a, ts_session *s, uint32_t devices);
/* Judges all of them and puts them into the summary. False if one does not hold: why is in the
 * queue. */
bool ts_assertions_judge(const ts_assertions *a, ts_session *s, ts_summary *summary);

#endif
