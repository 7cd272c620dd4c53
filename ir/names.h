/* Names as reports show them; what is typed here can be pasted into options of the tools. */
#ifndef TS_IR_NAMES_H
#define TS_IR_NAMES_H

#include <stdint.h>

#include "base/arena.h"
#include "ir/ir.h"

/* "{ tp: 0, dp: 3, pp: 1 }"; "" without axes */
const char *ts_report_coordinates(ts_arena *arena, const ts_ir *ir, uint32_t rank);
/* "{ tp: 8, dp: 8, pp: 16 }": sizes */
const char *ts_report_mesh(ts_arena *arena, const ts_ir *ir);
/* What tells two reports apart: plan, ranks, device, the mesh
 * without axes of one rank, framework. */
const char *ts_report_title(ts_arena *arena, const ts_ir *ir);
/* "F(15)", "B(3, chunk 1)", "S" */
const char *ts_report_item(ts_arena *arena, const ts_ir *ir, uint32_t item);
/* "plan.ts:7:12"; "" for TS_IR_NONE */
const char *ts_report_place(ts_arena *arena, const ts_ir *ir, uint32_t loc);
/* "gpu[0, 3]" */
const char *ts_report_vertex(ts_arena *arena, const ts_ir *ir, uint32_t vertex);
/* " in bf16", " in fp8 95.8 %, bf16 4.2 %": number formats by their shares of the model FLOPs,
 * largest first; "" without any */
const char *ts_report_formats(ts_arena *arena, const ts_ir *ir);
/* `text` without control characters, cut with ".." if it takes more columns. */
const char *ts_report_fit(ts_arena *arena, const char *text, unsigned columns);
unsigned ts_report_columns(const char *text);

#endif
