/* What links had to do in a step (account/link_use.h), in text, JSON and CSV. */
#ifndef TS_RUNTIME_REPORT_LINKS_H
#define TS_RUNTIME_REPORT_LINKS_H

#include <stdio.h>

#include "runtime/account/link_use.h"
#include "runtime/report/summary.h"

struct cJSON;
void ts_report_links_text(const ts_summary *s, ts_arena *arena, FILE *out);
void ts_report_links_json(const ts_summary *s, struct cJSON *root);
/* The names of its columns, and what is in them on each row; both with a comma before each. */
void ts_report_links_columns(const ts_link_uses *uses, FILE *out);
void ts_report_links_row(const ts_link_uses *uses, FILE *out);

#endif
