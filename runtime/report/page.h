/* The page for people: one file that needs nothing else. C writes what was played as compact data;
 * what draws it are the scripts of runtime/report/page/, embedded as they are. */
#ifndef TS_RUNTIME_REPORT_PAGE_H
#define TS_RUNTIME_REPORT_PAGE_H

#include "runtime/report/summary.h"

/* The file lines of a script or style, NULL at the end: made from runtime/report/page/ by
 * tools/embed_text.awk. */
extern const char *const ts_page_style[], *const ts_page_script[], *const ts_topology_script[];

/* A page up to its body, and from behind its body on. Nothing but this script runs in it, and
 * nothing is fetched; `live`: but from where it came. */
void ts_page_begin(const char *title, const char *const *style, const char *const *script,
                   bool live, FILE *out);
void ts_page_end(const char *const *script, FILE *out);

/* A figure of the headline, with what is to be said of it; `over`: it is too much. */
void ts_page_tile(FILE *out, bool over, const char *name, const char *value, const char *more);

/* A run as JSON for a <script>: doc/reports.md, "What a page holds". `name`: of the run. */
void ts_page_data(const ts_summary *summary, const char *name, FILE *out);

#endif
