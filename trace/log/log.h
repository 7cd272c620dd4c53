/* Logs of training runs: what their lines say of each step. Formats are data (std.import.logs), so
 * that a log of one's own is read by a record of one's own. */
#ifndef TS_TRACE_LOG_LOG_H
#define TS_TRACE_LOG_LOG_H

#include "base/arena.h"
#include "base/error.h"

/* FIGURE(id, name): what a line may say. */
#define TS_LOG_FIGURES(FIGURE)                                                                     \
  FIGURE(STEP, "step")       /* its number */                                                      \
  FIGURE(SECONDS, "seconds") /* of one step */                                                     \
  FIGURE(STEP_RATE, "steps_per_second")                                                            \
  FIGURE(CLOCK, "clock") /* seconds, from any time on */                                           \
  FIGURE(BATCH, "batch") /* samples a step */                                                      \
  FIGURE(SAMPLE_RATE, "samples_per_second")                                                        \
  FIGURE(TOKEN_RATE, "tokens_per_second") /* of a device */                                        \
  FIGURE(TFLOPS, "tflops")                /* of a device */                                        \
  FIGURE(LOSS, "loss")                                                                             \
  FIGURE(MEMORY, "memory")       /* bytes that tensors of a device held at most */                 \
  FIGURE(RESERVED, "reserved")   /* bytes that its allocator held at most */                       \
  FIGURE(RUN, "run_seconds")     /* of all steps so far, pauses included */                        \
  FIGURE(PAUSE, "pause_seconds") /* of an evaluation or a checkpoint */

typedef enum ts_log_figure {
#define FIGURE(id, name) TS_LOG_##id,
  TS_LOG_FIGURES(FIGURE)
#undef FIGURE
    TS_LOG_FIGURE_COUNT
} ts_log_figure;

/* Its place among the figures; -1: there is none of that name. */
int ts_log_figure_named(const char *name);

/* A number of a line. */
typedef struct ts_log_reading {
  ts_log_figure figure;
  const char *after;  /* it stands behind this text and blanks, `:`, `=` or quotes; or "" */
  const char *before; /* it stands right before this text; or "" */
  double times;       /* the figure is the number times this, unless a unit is right behind it */
} ts_log_reading;

/* KIND(id, name): what a line is. */
#define TS_LOG_LINE_KINDS(KIND)                                                                    \
  KIND(DONE, "step")       /* says that a step is done */                                          \
  KIND(BESIDE, "beside")   /* says more of the last step, as memory */                             \
  KIND(PAUSED, "paused")   /* an evaluation or a checkpoint: clocks around it are no step */       \
  KIND(SETTING, "setting") /* what holds from there on, as the batch */                            \
  KIND(WHOLE, "whole")     /* the time of the whole run */

typedef enum ts_log_line_kind {
#define KIND(id, name) TS_LOG_##id,
  TS_LOG_LINE_KINDS(KIND)
#undef KIND
} ts_log_line_kind;

/* As ts_log_figure_named. */
int ts_log_line_kind_named(const char *name);

typedef struct ts_log_line {
  ts_log_line_kind kind;
  const char *const *has; /* all of these texts are in the line; NULL at the end */
  const ts_log_reading *reads;
  uint32_t count; /* of reads; several of one figure that all stand there: the first */
  bool sum;       /* several of one figure are added */
} ts_log_line;

typedef struct ts_log_format {
  const char *name;
  const ts_log_line *lines;
  uint32_t count;
} ts_log_format;

typedef struct ts_log_formats {
  const ts_log_format *at;
  uint32_t count;
  const ts_log_reading *columns; /* of CSV files: `after` is the column's name */
  uint32_t column_count;
  const char *const *lists; /* members of JSON whose elements are as lines; NULL at the end */
} ts_log_formats;

typedef struct ts_log_row {       /* a step, or the mean of several */
  double of[TS_LOG_FIGURE_COUNT]; /* NAN: not said; SECONDS is derived where it can be */
  double steps;                   /* whose mean it is, 1 or more */
  uint32_t line;                  /* of the file, from 1 */
  uint32_t run;                   /* of a file with several: numbers of steps began anew */
  bool paused;                    /* an evaluation or a checkpoint lies before it */
} ts_log_row;

typedef struct ts_log {
  const char *format;
  const ts_log_row *rows;
  uint32_t count, runs;
  uint32_t jumps;          /* pairs of rows whose clocks went back */
  bool by_clock;           /* times are differences of clocks: the log states none */
  bool whole;              /* the one time is that of the whole run, */
  double pauses;           /* less so many seconds of evaluations and checkpoints */
  double memory, reserved; /* bytes, of the fullest device that the log names; NAN: not said */
} ts_log;

/* Reads a text of lines, CSV or JSON. False with the error filled: no format has a step in it. */
bool ts_log_read(ts_arena *arena, const ts_log_formats *formats, const char *text, size_t size,
                 ts_log *log, ts_error *error);

#endif
