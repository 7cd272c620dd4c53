/* Reports of a run: one summary, several printers. Formats: doc/reports.md. Nothing here opens the
 * terminal. */
#ifndef TS_RUNTIME_REPORT_REPORT_H
#define TS_RUNTIME_REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/progress.h"
#include "runtime/account/memory.h"
#include "runtime/account/result.h"
#include "runtime/load/stop.h"
#include "runtime/report/summary.h"
#include "runtime/report/window.h"

struct cJSON;
void ts_report_text(const ts_summary *summary, FILE *out);
void ts_report_json(const ts_summary *summary, FILE *out);
/* runtime/report/provenance.c: warnings, and what the report was made from. */
void ts_report_warnings_text(const ts_summary *summary, ts_arena *arena, FILE *out);
void ts_report_warnings_html(const ts_summary *summary, FILE *out);
struct cJSON *ts_report_warnings_json(const ts_summary *summary);
/* The cluster, the files of the plan, the program: one line, for headings. */
const char *ts_report_made_from(const ts_summary *summary, ts_arena *arena);
void ts_report_provenance_text(const ts_summary *summary, ts_arena *arena, FILE *out);
void ts_report_provenance_json(const ts_summary *summary, struct cJSON *root);
void ts_report_print_json(struct cJSON *root, FILE *out); /* a line feed behind it; frees it */
void ts_report_csv(const ts_summary *summary, FILE *out);
void ts_report_html(const ts_summary *summary, FILE *out); /* with pictures */
/* the timeline alone; window: NULL: all of the step */
void ts_report_svg(const ts_summary *summary, const ts_window *window, FILE *out);

/* The timeline in letters and blocks, for a terminal: runtime/report/text_timeline.c */
typedef struct ts_terminal {
  unsigned columns;
  bool unicode;
  ts_color color;
} ts_terminal;
void ts_report_timeline(const ts_summary *summary, const ts_window *window,
                        const ts_terminal *terminal, FILE *out);

typedef struct ts_trace_options {
  bool memory;      /* with counters of what is held */
  ts_window window; /* ranks: NULL: one of each class */
  const ts_progress *progress; /* or NULL */
} ts_trace_options;

/* Writes the timeline in the trace event format, packed if `path` ends in .gz. Writes beside `path`
 * and renames. 0, or -1 after filling *stop. */
int ts_report_trace(const ts_summary *summary, const ts_trace_options *options, const char *path,
                    ts_stop *stop);

/* 0, or -1 after filling *stop with R0101 when some rank needs more memory than its device has. */
int ts_report_out_of_memory(const ts_summary *summary, ts_stop *stop);

/* Adds to a queue of diagnostics why there is no result; with an excerpt if the text of the source
 * is at hand and is what `ir` was made from. `read` gives the text of a source by its name, NULL if
 * it cannot; may be NULL itself. False when the stop has no code: then it is not about the plan. */
typedef struct ts_source_reader {
  const char *(*read)(void *closure, ts_arena *arena, const char *name, size_t *size);
  void *closure;
} ts_source_reader;
bool ts_stop_diagnose(const ts_stop *stop, const ts_ir *ir, ts_source_reader reader,
                      ts_arena *arena, ts_sources *sources, ts_diags *diags);
/* The same for warnings. Left out are those whose code is not known here, and with `compiled` those
 * of a compilation, which the queue has already. */
void ts_warnings_diagnose(const ts_warnings *warnings, const ts_ir *ir, bool compiled,
                          ts_source_reader reader, ts_arena *arena, ts_sources *sources,
                          ts_diags *diags);
/* Switches off in `diags` the warnings that the report tells, for those who see both. */
void ts_report_tells(const ts_summary *summary, ts_diags *diags);
/* Leaves out of the report what `diags` silences (-W no-NAME). */
void ts_report_silence(ts_summary *summary, const ts_diags *diags);
/* Prints a stop without a code: one line that begins with the program's name, and its facts. */
void ts_stop_print(const ts_stop *stop, const char *program, FILE *out);

#endif
