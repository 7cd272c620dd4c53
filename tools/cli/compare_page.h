/* trainspec compare as a page: what was predicted and measured, the steps of the log in the band of
 * the prediction, and the causes with what each comes to. */
#ifndef TS_TOOLS_CLI_COMPARE_PAGE_H
#define TS_TOOLS_CLI_COMPARE_PAGE_H

#include "runtime/report/confidence.h"
#include "tools/cli/causes.h"
#include "trace/log/steady.h"

typedef struct ts_compare_page {
  const char *title;
  const char *const *parts; /* names of the parts that are shown */
  const ts_observed *predicted, *measured;
  const ts_interval *interval[TS_OBSERVED_SHOWN]; /* or NULL */
  bool inside[TS_OBSERVED_SHOWN], as_predicted;
  const ts_causes *causes; /* or NULL */
  long long most;          /* of them */
  const ts_log *log;       /* or NULL: it was no log */
  const ts_log_steady *steady;
  void (*text)(void *closure, FILE *out); /* the same in words */
  void *closure;
} ts_compare_page;

void ts_compare_put_html(const ts_compare_page *page, FILE *out);

#endif
