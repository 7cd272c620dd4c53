/* Reports by module: text, JSON and CSV. Columns: doc/reports.md. */
#ifndef TS_RUNTIME_REPORT_MODULES_H
#define TS_RUNTIME_REPORT_MODULES_H

#include <stdio.h>

#include "runtime/account/modules.h"

struct ts_summary;
struct cJSON;
void ts_modules_text(const struct ts_summary *summary, const ts_modules *modules, ts_arena *arena,
                     FILE *out);
void ts_modules_json(const struct ts_summary *summary, const ts_modules *modules,
                     struct cJSON *root);
/* A row for each module of each class of ranks. */
void ts_modules_csv(const struct ts_summary *summary, const ts_modules *modules, FILE *out);

#endif
