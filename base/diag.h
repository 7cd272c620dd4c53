/* Diagnostics: one queue of records, filled by every phase, printed once by whoever owns the
 * terminal. Format and tone: doc/diagnostics.md. A record is built in place; text is copied, spans
 * refer to the source map.
 *
 *   ts_diag *d = ts_diag_add(cx->diags, TS_E0304, span, "cannot split %lld heads over %lld ranks",
 *   heads, ranks);
 *   ts_diag_here(d, "%lld does not divide %lld", ranks, heads);      label of the primary span
 *   ts_diag_label(d, heads_span, "%lld heads", heads);               secondary span
 *   ts_diag_note_at(d, rule_span, "rule `%s` asks for this split", rule);
 *   ts_diag_help(d, "..."); */
#ifndef TS_BASE_DIAG_H
#define TS_BASE_DIAG_H

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/source.h"

/* One row per code in base/diag_codes.def: DIAG(E0304, error, "uneven-split", "title without
 * names"). E01 syntax, E02 names, types and units, E03 mesh, ops and sharding, E04 schedules, E05
 * costs and data files, E06 clusters, E07 command line and environment; W the same rooms; R01
 * memory, R02 progress, R03 network, R04 what was asserted. */
typedef enum ts_code {
#define DIAG(code, severity, name, title) TS_##code,
#include "base/diag_codes.def"
#undef DIAG
  TS_CODE_COUNT
} ts_code;

typedef enum ts_severity { TS_NOTE, TS_WARNING, TS_ERROR } ts_severity;

typedef struct ts_diags ts_diags; /* the queue */
typedef struct ts_diag ts_diag;   /* one record */

ts_diags *ts_diags_new(ts_arena *arena, const ts_sources *sources);
ts_diag *ts_diag_add(ts_diags *diags, ts_code code, ts_span primary, const char *format, ...)
  __attribute__((format(printf, 4, 5)));
/* "FORMAT: message", with the place and the help. */
ts_diag *ts_diag_add_error(ts_diags *diags, ts_code code, const ts_error *e, const char *format,
                           ...) __attribute__((format(printf, 4, 5)));
void ts_diag_here(ts_diag *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ts_diag_label(ts_diag *d, ts_span span, const char *format, ...)
  __attribute__((format(printf, 3, 4)));
void ts_diag_note_at(ts_diag *d, ts_span span, const char *format, ...)
  __attribute__((format(printf, 3, 4)));
void ts_diag_note(ts_diag *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "   = NAME  text": aligned facts ("where", "held", "the cycle"); text may hold newlines. */
void ts_diag_fact(ts_diag *d, const char *name, const char *format, ...)
  __attribute__((format(printf, 3, 4)));
void ts_diag_help(ts_diag *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* help with a patched line: replaces `span` by `text`. */
void ts_diag_edit(ts_diag *d, ts_span span, const char *text, const char *format, ...)
  __attribute__((format(printf, 4, 5)));
/* What the last help would put in place of `found`, if the primary span begins with that: for
 * editors. */
void ts_diag_instead(ts_diag *d, const char *found, const char *replacement);
/* value of a name in the failing expression, for JSON and for a note. */
void ts_diag_value(ts_diag *d, const char *name, const char *value);
void ts_diag_more(ts_diag *d, unsigned count); /* "and N more like it" */

/* Adds all records of another queue, with the texts that they speak of, so that the other may be
 * freed. `sources`: those of `to`. */
void ts_diags_copy(ts_diags *to, ts_sources *sources, const ts_diags *from);

unsigned ts_diags_errors(const ts_diags *diags);
unsigned ts_diags_warnings(const ts_diags *diags);
/* What the first error says, without its place; NULL if there is none. */
const char *ts_diags_first_error(const ts_diags *diags);
/* The exit code that goes with the queue: 0 without errors, 4 if all of them are the environment's,
 * else 1. */
int ts_diags_exit(const ts_diags *diags);
/* Names of the warnings that -W knows, for lists and suggestions; NULL at the end. */
const char *ts_warning_name(size_t i);

/* Did you mean: ranks `candidates` against `found` (Damerau-Levenshtein, threshold a third of the
 * length, case-only first). Writes at most 3 into `best`, returns how many. */
size_t ts_suggest(const char *found, const char *const *candidates, size_t count,
                  const char *best[3]);
/* "`a`, `b`", in the arena. */
const char *ts_listed(ts_arena *arena, const char *const *names, size_t count);

typedef enum ts_color { TS_COLOR_NEVER, TS_COLOR_ALWAYS, TS_COLOR_TAGS } ts_color;
/* Warning control, from -W options: "error", "no-NAME", "error=NAME", "NAME". False for an unknown
 * name. */
bool ts_diags_warning_option(ts_diags *diags, const char *option);
/* Prints all records in source order, at most 20 errors, then a count. */
void ts_diags_print(const ts_diags *diags, FILE *out, ts_color color);
void ts_diags_print_json(const ts_diags *diags, FILE *out);
void ts_diags_print_sarif(const ts_diags *diags, FILE *out);
/* auto: NO_COLOR, TERM, isatty of `out`. */
ts_color ts_color_auto(FILE *out);

/* Was it silenced by -W no-NAME? */
bool ts_diags_silenced(const ts_diags *diags, ts_code code);
bool ts_code_named(const char *name, ts_code *code); /* "E0304" */
const char *ts_code_name(ts_code code);  /* "E0304" */
const char *ts_code_short_name(ts_code code); /* "uneven-split" */
const char *ts_code_title(ts_code code);

#endif
