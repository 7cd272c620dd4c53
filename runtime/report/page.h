/* The page for people: one file that needs nothing else. C writes what was played as compact data;
 * what draws it are the scripts of runtime/report/page/, embedded as they are. */
#ifndef TS_RUNTIME_REPORT_PAGE_H
#define TS_RUNTIME_REPORT_PAGE_H

#include "runtime/report/summary.h"

/* The file lines of a script or style, NULL at the end: made from runtime/report/page/ by
 * tools/embed_text.awk. */
extern const char *const ts_page_style[], *const ts_page_script[];

/* A run as JSON for a <script>: doc/reports.md, "What a page holds". `name`: of the run. */
void ts_page_data(const ts_summary *summary, const char *name, FILE *out);

#endif
