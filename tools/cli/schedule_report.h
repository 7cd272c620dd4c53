/* What a search for an order found, in words, as a picture, and as JSON. */
#ifndef TS_TOOLS_CLI_SCHEDULE_REPORT_H
#define TS_TOOLS_CLI_SCHEDULE_REPORT_H

#include <stdio.h>

#include "tools/cli/schedule_search.h"

void ts_order_text(const ts_order_answer *answer, FILE *out);
void ts_order_json(const ts_order_answer *answer, FILE *out);

#endif
