/* Warnings of a report: those of the compilation, which the IR carries, and those of the played
 * plan (runtime/report/plausible.h). */
#ifndef TS_RUNTIME_REPORT_WARNINGS_H
#define TS_RUNTIME_REPORT_WARNINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "ir/ir.h"

/* as a ts_ir_remark */
typedef struct ts_warning_note { uint32_t kind, loc; const char *name, *text; } ts_warning_note;

typedef struct ts_warning {
  /* "W0801"; one line; what stands at its place, "" for nothing */
  const char *code, *message, *here;
  uint32_t loc;                      /* of the IR, or TS_IR_NONE */
  uint32_t more;                     /* so many more like it */
  bool compiled;                     /* of the compilation */
  TS_VEC(ts_warning_note) notes;
} ts_warning;

typedef struct ts_warnings { TS_VEC(ts_warning) at; } ts_warnings;

/* Those of the compilation, in the arena. */
void ts_warnings_of_ir(ts_arena *arena, const ts_ir *ir, ts_warnings *out);

/* Adds one; the pointer is good until the next. */
ts_warning *ts_warning_add(ts_arena *arena, ts_warnings *list, const char *code, uint32_t loc,
                           const char *format, ...) __attribute__((format(printf, 5, 6)));
void ts_warning_here(ts_arena *arena, ts_warning *w, const char *format, ...)
  __attribute__((format(printf, 3, 4)));
void ts_warning_fact(ts_arena *arena, ts_warning *w, const char *name, const char *format, ...)
  __attribute__((format(printf, 4, 5)));
void ts_warning_help(ts_arena *arena, ts_warning *w, const char *format, ...)
  __attribute__((format(printf, 3, 4)));

#endif
