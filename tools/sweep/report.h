/* What a sweep found, in all forms. */
#ifndef TS_TOOLS_SWEEP_REPORT_H
#define TS_TOOLS_SWEEP_REPORT_H

#include <stdio.h>

#include "base/format.h"
#include "tools/sweep/sweep.h"

/* "12,300,000", "1e+15" */
ts_text ts_format_combinations(double combinations);

/* Of outcomes that are ranked. top: plans to show; 0: all. */
void ts_sweep_put_text(const ts_sweep *s, size_t top, FILE *out);
void ts_sweep_put_csv(const ts_sweep *s, FILE *out); /* all plans, a row each */
void ts_sweep_put_json(const ts_sweep *s, FILE *out);
/* One file that needs nothing else: doc/sweeps.md, "A page". It links to so many pages of plans in
 * `folder`; NULL: there are none. */
void ts_sweep_put_html(const ts_sweep *s, const char *folder, size_t pages, FILE *out);
/* Those pages, of the best `most` plans (0: all): plan-1.html and so on. 0 or an errno value. */
int ts_sweep_put_pages(const ts_sweep *s, const char *folder, size_t most, size_t *count);

/* Style and script of that page, and of the live one (serve.h): made by tools/embed_text.awk. */
extern const char *const ts_sweep_page_style[], *const ts_sweep_page_script[],
  *const ts_sweep_live_script[];

#endif
