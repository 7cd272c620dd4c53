/* Command lines: one table per program, from which options are read, --help is made and unknown
 * options get a suggestion. GNU conventions: --name=VALUE or --name VALUE, clusters of letters,
 * operands anywhere, `--` ends options. For main programs: help, version and mistakes are printed
 * here. */
#ifndef TS_BASE_OPTIONS_H
#define TS_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/exit.h"
#include "base/output.h"

typedef struct ts_option {
  int id;               /* what ts_options_next returns: from 1 */
  char letter;          /* -o, or 0 */
  /* "output" for --output, "-MD" for one that is written with one dash, or NULL */
  const char *name;
  const char *argument; /* "FILE"; NULL: takes none */
  const char *help;     /* NULL: understood but not shown */
  const char *group;    /* heading, at the first option of a group */
} ts_option;

/* Words that an option may take, or TS_OPERAND, for completion (those of ts_options_choice need not
 * be told again); the last one has none. One that begins with `:` is for the shell:
 * base/complete.h */
typedef struct ts_option_values { int id; const char *const *words; } ts_option_values;

typedef struct ts_program {
  const char *summary;      /* "TrainSpec compiler: ..." */
  const char *const *usage; /* operands of each form, after the program's name; NULL at the end */
  const ts_option *options; /* up to an id of 0; the common ones are added */
  /* lines at the end of --help: examples, exit codes; a leading `$` is followed by the program's
   * name */
  const char *const *notes;
  const char *manual;       /* "tsc(1)" */
  const char *const *commands; /* lines before the options, or NULL */
  const ts_option_values *values; /* for completion; or NULL */
} ts_program;

enum { TS_OPERAND = 0, TS_OPTIONS_END = -1, TS_OPTIONS_EXIT = -2 };

typedef struct ts_options {
  const ts_program *program;
  const char *called;   /* the program's name, for messages */
  const char *argument; /* of the option found, or the operand */
  const char *spelled;  /* the option as it was written, for messages */
  int status;           /* after TS_OPTIONS_EXIT: what main returns */
  enum { TS_MESSAGES_TEXT, TS_MESSAGES_JSON, TS_MESSAGES_SARIF } messages; /* --diagnostics */
  const char *color;    /* --color; NULL: auto */
  int argc, at;
  char **argv;
  const char *cluster;
  const char *completing; /* what stands before the value that a shell asks for; NULL: none does */
  bool only_operands, formed; /* formed: --format was given */
} ts_options;

/* First in main(): standard files that are closed are filled, and messages that come when memory
 * runs out bear the program's name. */
void ts_options_begin(int argc, char **argv);
ts_options ts_options_start(const ts_program *program, int argc, char **argv);
/* The next option's id, TS_OPERAND, TS_OPTIONS_END, or TS_OPTIONS_EXIT when the program is to
 * return o->status: after --help, --version or a mistake that was reported. --color and
 * --diagnostics are kept in *o. */
int ts_options_next(ts_options *o);
/* Hands all of them to `take`, until it reports a mistake. False: the program is to return
 * o->status. */
bool ts_options_read(ts_options *o, void *task, void (*take)(void *task, int id));
/* The operand, as one of two paths. */
void ts_options_operand(ts_options *o, const char **paths, int *count, const char *too_many);
/* The option that a word names, --name, --name=VALUE or -o: one of the program, or of all; NULL. */
const ts_option *ts_options_named(const ts_program *program, const char *word);
/* A second operand where one is taken: `tp=4` is meant as -D. Returns TS_EXIT_USAGE. */
int ts_options_second(ts_options *o, const char *first, const char *second);
/* Tells a mistake in one line and where help is; returns TS_EXIT_USAGE, as o->status is then. Those
 * below do the same after a mistake. */
int ts_options_wrong(ts_options *o, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same with "did you mean": `found` is none of `words` (NULL at the end). */
int ts_options_not_among(ts_options *o, const char *what, const char *found,
                         const char *const *words);
/* Which of `words` the option's argument is; -1 after reporting a mistake. */
int ts_options_choice(ts_options *o, const char *const *words);
/* The form of what -o writes: what its file ends in, out.html, among `words`; otherwise `form`, as
 * where --format says it. */
int ts_options_form(const ts_options *o, const char *const *words, int form);
/* A whole number from `min` to `max`; false after reporting a mistake. */
bool ts_options_number(ts_options *o, long long min, long long max, long long *value);
/* A rate, "450" or "450GB/s" or "400Gb/s" (also TB/s, Tb/s), in bytes/s; false after telling a
 * mistake. */
bool ts_options_rate(ts_options *o, double *rate);

/* A size, "1000000" or "8GiB" (B, kB to TB, KiB to TiB), in bytes; false after reporting a mistake.
 * */
bool ts_options_size(ts_options *o, double *bytes);

/* Prints the queue to standard error as the options ask, and gives the exit code that goes with it.
 * */
int ts_options_report(const ts_options *o, const ts_diags *diags);
ts_color ts_options_color(const ts_options *o, FILE *out);
/* Flushes `out`; a full disk is reported. Returns `status`, or TS_EXIT_ENVIRONMENT. */
int ts_options_finish(const ts_options *o, FILE *out, int status);
/* Writes what `put` prints to the file, whole or not at all, or to standard output (NULL, "-"). The
 * exit code, after reporting why it cannot. */
int ts_options_write(const ts_options *o, const char *path, ts_print *put, void *closure);

#endif
