/* Names as reports show them; what is typed here can be pasted into options of the tools. */
#ifndef TS_RUNTIME_REPORT_NAMES_H
#define TS_RUNTIME_REPORT_NAMES_H

#include <stdint.h>

#include "base/arena.h"
#include "ir/ir.h"

const char *ts_report_coordinates(ts_arena *arena, const ts_ir *ir, uint32_t rank); /* "{ tp: 0, dp: 3, pp: 1 }"; "" without axes */
const char *ts_report_mesh(ts_arena *arena, const ts_ir *ir);                       /* "{ tp: 8, dp: 8, pp: 16 }": sizes */
const char *ts_report_item(ts_arena *arena, const ts_ir *ir, uint32_t item);        /* "F(15)", "B(3, chunk 1)", "S" */
const char *ts_report_vertex(ts_arena *arena, const ts_ir *ir, uint32_t vertex);    /* "gpu[0, 3]" */
/* `text` without control characters, cut with ".." if it takes more columns. */
const char *ts_report_fit(ts_arena *arena, const char *text, unsigned columns);
unsigned ts_report_columns(const char *text);

#endif
