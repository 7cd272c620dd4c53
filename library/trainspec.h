/* TrainSpec as a library: compile a plan, play it, read the results.
 *
 *   trainspec *ts = trainspec_new();
 *   trainspec_plan *plan = trainspec_open(ts, "plan.ts", NULL);
 *   trainspec_run *run = plan ? trainspec_play(plan, NULL) : NULL;
 *   if (run)
 *     printf("%.3f s\n", trainspec_result_of(run).step_ps * 1e-12);
 *   trainspec_print_messages(ts, stderr, TRAINSPEC_TEXT);
 *   trainspec_free(ts);
 *
 * A workspace owns everything that it creates: plans, runs, sweeps and all text that functions
 * return live until trainspec_free, unless they are freed earlier. There is no global state:
 * workspaces of different threads are independent. One thread at a time may use a workspace.
 *
 * A function that fails returns NULL or false and leaves a message in the workspace. Nothing is
 * printed, no signal is touched, and the process does not end. A function that needs more memory
 * than trainspec_max_memory() allows, or than there is, fails like any other; its workspace then
 * has its messages alone. Only a thread of the library's own that the system itself refuses memory
 * calls abort().
 *
 * Numbers are read and printed with a decimal point, whatever locale the process has; functions of
 * the caller's are called in the caller's locale.
 *
 * Times are picoseconds (ps), memory is bytes, rates are per second. Ranks count from 0. Results
 * are the same on every machine and for any number of threads. */
#ifndef TRAINSPEC_H
#define TRAINSPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct trainspec trainspec;             /* a workspace: settings and messages */
typedef struct trainspec_plan trainspec_plan;   /* a compiled plan, or an IR */
typedef struct trainspec_run trainspec_run;     /* a played plan */
typedef struct trainspec_sweep trainspec_sweep; /* a family of plans */

const char *trainspec_version(void); /* "1.2.3" */

/* ---- Workspace ---- */

trainspec *trainspec_new(void); /* NULL: no memory */
void trainspec_free(trainspec *ts); /* and all that it owns; NULL is fine */

/* The most bytes that all workspaces of the process may hold together; half of the machine's
 * memory, or of the container's where that is less, unless set. 0: no limit. */
void trainspec_max_memory(uint64_t bytes);

/* Settings apply to plans opened afterwards. Text is copied. */
/* "tp", "8"; the last value of a name is used */
void trainspec_define(trainspec *ts, const char *parameter, const char *expression);
/* searched by `import` after the plan's folder */
void trainspec_import_dir(trainspec *ts, const char *folder);
/* data files may be read from there */
void trainspec_read_dir(trainspec *ts, const char *folder);
/* a library of native code that plans may call: SECURITY.md */
void trainspec_allow_native(trainspec *ts, const char *file);
/* replaces the built-in standard library; NULL: built in */
void trainspec_stdlib_dir(trainspec *ts, const char *folder);
/* as after -W: "error", "no-NAME", "error=NAME"; false: unknown warning */
bool trainspec_warning(trainspec *ts, const char *option);

/* ---- Messages ---- */

typedef enum trainspec_severity {
  TRAINSPEC_NOTE,
  TRAINSPEC_WARNING,
  TRAINSPEC_ERROR
} trainspec_severity;

typedef struct trainspec_message {
  trainspec_severity severity;
  const char *code;  /* "E0304"; doc/diagnostics.md explains it */
  const char *name;  /* "uneven-split" */
  const char *text;
  const char *file;  /* NULL: no place */
  uint32_t line, column; /* from 1; columns count characters */
  const char *help;  /* NULL: none */
} trainspec_message;

size_t trainspec_message_count(const trainspec *ts);
/* i < count; in the order in which they were found */
trainspec_message trainspec_message_at(const trainspec *ts, size_t i);

typedef enum trainspec_format {
  TRAINSPEC_TEXT,
  TRAINSPEC_JSON,
  TRAINSPEC_CSV,
  TRAINSPEC_HTML,
  TRAINSPEC_SVG
} trainspec_format;
/* All messages, as the programs print them: text with excerpts, or JSON, one object a line. Other
 * formats print nothing. */
void trainspec_print_messages(const trainspec *ts, FILE *out, trainspec_format format);
/* The same as text of *size bytes, for languages without FILE. `size` may be NULL. */
const char *trainspec_messages_text(const trainspec *ts, trainspec_format format, size_t *size);

/* ---- Plans ---- */

/* Opens a plan, an IR or the text of an IR. `plan`: its name if the file has several, else NULL.
 * NULL after errors. */
trainspec_plan *trainspec_open(trainspec *ts, const char *path, const char *plan);
/* The same from text of `size` bytes; `path`: its place, for imports and messages. */
trainspec_plan *trainspec_compile(trainspec *ts, const char *path, const char *text, size_t size,
                                  const char *plan);
/* The text of a plan from what starts a job of a framework, as `trainspec import` writes it: words
 * such as `--num-layers 4`, and files. `gpus`, `gpu`: how many of which kind, NULL: what the
 * framework has. NULL after errors. It lives until trainspec_free. */
const char *trainspec_import(trainspec *ts, const char *framework, const char *const *word,
                             size_t count, const char *gpus, const char *gpu);
/* Writes the IR: the whole file, or none. */
bool trainspec_write(const trainspec_plan *plan, const char *path);
uint32_t trainspec_ranks(const trainspec_plan *plan);
const char *trainspec_plan_name(const trainspec_plan *plan);
/* A parameter that trainspec_define sets, in the words of the plan. value: what was defined, else
 * the default. An IR has none. */
typedef struct trainspec_parameter {
  const char *name, *type;
  const char *default_value, *value; /* NULL: none */
} trainspec_parameter;
/* The i-th. False past the last. */
bool trainspec_parameter_at(trainspec_plan *plan, size_t i, trainspec_parameter *parameter);
void trainspec_close(trainspec_plan *plan); /* its runs are freed first; NULL is fine */

/* ---- Playing ---- */

typedef struct trainspec_options { /* all may be left zero */
  const char *network; /* use only network models of this name */
  /* a model of how compute and communication slow each other: "physical", "constant:1.1", or a file
   * */
  const char *overlap;
  bool contention;     /* calls of flow models share links with all others under way */
  bool no_fold;        /* play every rank, equal ones too */
  uint32_t threads;    /* to play and to sum up with; 0: one for each processor */
  /* called repeatedly with the share 0..1 of `what`; false: stop */
  bool (*progress)(void *closure, const char *what, double share);
  void *closure;
  /* what a framework's allocator reserves joins the report: "caching", as after --allocator */
  const char *allocator;
} trainspec_options;

/* Plays one step. `options` may be NULL. NULL after errors. A step that needs more memory than a
 * device has is played; see peak and limit. */
trainspec_run *trainspec_play(trainspec_plan *plan, const trainspec_options *options);
void trainspec_run_free(trainspec_run *run); /* NULL is fine */

/* ---- Results ---- */

/* A figure of a step; doc/reports.md says what each is. unit: of its values: "s", "bit", "1/s",
 * "J", "$", "g", "share" (from 0 to 1), "" (a count). better: 1 where more of it is, else -1. */
typedef struct trainspec_figure { const char *name, *unit; int better; } trainspec_figure;
/* The i-th. False past the last. */
bool trainspec_figure_at(size_t i, trainspec_figure *figure);

typedef struct trainspec_time { /* ps, the mean of all ranks; the parts sum up to the step */
  /* tail: from a rank's end to the end of the step */
  double compute, exposed_communication, bubble, host, tail;
} trainspec_time;

typedef struct trainspec_result {
  uint64_t step_ps;
  trainspec_time time;
  /* by trainspec_figure_at; NaN: unknown. They live as long as the run, or the sweep */
  const double *figures;
  double samples_per_second; /* NaN: unknown */
  uint32_t fullest_rank;   /* the one with the least room left */
  uint64_t peak, reserved; /* bytes there: of the plan, and of driver and libraries */
  uint64_t limit;          /* of its device; 0: unknown */
  uint64_t nodes;          /* operations of all ranks */
  uint64_t step_low_ps, step_high_ps; /* the step is between with 80 %; 0 and 0: nothing is known */
} trainspec_result;
trainspec_result trainspec_result_of(const trainspec_run *run);

typedef struct trainspec_rank {
  uint32_t like;  /* the lowest rank that does the same, in the same times */
  /* the last five sum up to the step */
  uint64_t end_ps, compute_ps, exposed_ps, bubble_ps, host_ps, tail_ps;
  uint64_t peak, limit; /* bytes, without the memory of drivers; limit 0: unknown */
} trainspec_rank;
/* rank < trainspec_ranks */
trainspec_rank trainspec_rank_of(const trainspec_run *run, uint32_t rank);

/* What a rank holds at its peak, by category ("activations"): bytes; names end with NULL. */
const char *trainspec_category(size_t category);
uint64_t trainspec_held_at_peak(const trainspec_run *run, uint32_t rank, size_t category);

/* Calls `each` after each change of what a rank holds, with the bytes by category. */
void trainspec_memory(const trainspec_run *run, uint32_t rank,
                      void (*each)(void *closure, uint64_t time_ps, const int64_t *held),
                      void *closure);

typedef enum trainspec_kind {
  TRAINSPEC_COMPUTE,
  TRAINSPEC_COLLECTIVE,
  TRAINSPEC_SEND,
  TRAINSPEC_RECEIVE,
  TRAINSPEC_HOST,
  TRAINSPEC_OTHER
} trainspec_kind;

typedef struct trainspec_event { /* a node of a rank's timeline */
  trainspec_kind kind;
  const char *label;   /* "layer[3].attn.qkv" */
  const char *what;    /* kernel family, kind of collective, "" */
  const char *stream;  /* "compute", ...; "host" */
  /* a collective waits for others from ready to start */
  uint64_t issued_ps, ready_ps, start_ps, end_ps;
  uint32_t peer;       /* of messages; UINT32_MAX: none */
} trainspec_event;
/* Calls `each` for every node of the rank, in the order in which its host issues them. */
void trainspec_timeline(const trainspec_run *run, uint32_t rank,
                        void (*each)(void *closure, const trainspec_event *event), void *closure);

/* When the first kernel of the rank starts; 0: it has none. Where steps follow one another without
 * a barrier, the rank's step is from there to its end. */
uint64_t trainspec_start_of(const trainspec_run *run, uint32_t rank);

typedef struct trainspec_critical {
  const char *kind, *name, *label;
  uint64_t time_ps, count;
} trainspec_critical;
/* The i-th part of the critical path, largest first; they sum up to the step. False past the last.
 * */
bool trainspec_critical_at(const trainspec_run *run, size_t i, trainspec_critical *part);

/* Writes the report to an open file, as `tsrun --format` does. */
bool trainspec_report(trainspec_run *run, FILE *out, trainspec_format format);
/* The same as text of *size bytes, which lives until the run is freed. `size` may be NULL. NULL
 * after errors. */
const char *trainspec_report_text(trainspec_run *run, trainspec_format format, size_t *size);
/* Writes the timeline of a rank of each kind for ui.perfetto.dev, compressed if the path ends in
 * .gz: the whole file, or none. */
bool trainspec_trace(trainspec_run *run, const char *path);

/* ---- Sweeps ---- */

typedef enum trainspec_state {
  TRAINSPEC_RANKED,
  TRAINSPEC_LEFT_OUT,
  TRAINSPEC_TOO_LARGE,
  TRAINSPEC_REFUSED
} trainspec_state;

typedef struct trainspec_outcome {
  /* TOO_LARGE: memory does not suffice; LEFT_OUT: excluded by a condition of the search; REFUSED:
   * it does not compile or play */
  trainspec_state state;
  trainspec_result result;  /* unless REFUSED */
  double objective;         /* RANKED: of the goal, in base units (s, bits, 1/s); without one
                            * step_time / tokens_per_step, or step_time of a plan without tokens */
  const char *why;          /* REFUSED: the first error; else NULL */
} trainspec_outcome;

/* Finds the search of the file (the only one, or the named one) and lists its plans. `items`: "vary
 * tp in [1, 2]\n..." replaces the one in the file, or NULL. NULL after errors. */
trainspec_sweep *trainspec_sweep_open(trainspec *ts, const char *path, const char *name,
                                      const char *items);
size_t trainspec_sweep_plans(const trainspec_sweep *sweep);
bool trainspec_sweep_maximizes(const trainspec_sweep *sweep);
/* Parameters that distinguish the plans: names end with NULL; the value of one in a plan, as it
 * would be written. */
const char *trainspec_sweep_column(const trainspec_sweep *sweep, size_t column);
const char *trainspec_sweep_value(const trainspec_sweep *sweep, size_t plan, size_t column);
/* Compiles and plays a plan of the family. False after an error of the search itself. */
bool trainspec_sweep_play(trainspec_sweep *sweep, size_t plan, trainspec_outcome *outcome);

#ifdef __cplusplus
}
#endif

#endif
