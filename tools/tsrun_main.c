/* tsrun: plays a plan or an IR and reports what it found. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag_record.h"
#include "base/escape.h"
#include "base/format.h"
#include "base/heap.h"
#include "base/options.h"
#include "base/output.h"
#include "base/raster.h"
#include "base/terminal.h"
#include "compiler/compile.h"
#include "runtime/account/forecast.h"
#include "runtime/account/memory.h"
#include "runtime/account/result.h"
#include "runtime/collective/packet_model.h"
#include "runtime/load/workers.h"
#include "runtime/play/play.h"
#include "runtime/report/plausible.h"
#include "runtime/report/report.h"
#include "tools/cli/assertions.h"
#include "tools/cli/choices.h"
#include "tools/cli/interrupt.h"
#include "tools/cli/locked.h"
#include "tools/cli/networks.h"
#include "tools/cli/plan_options.h"
#include "tools/cli/programs.h"
#include "tools/cli/play_live.h"
#include "tools/cli/progress.h"
#include "tools/cli/study.h"
#include "tools/cli/play_warnings.h"
#include "tools/cli/ways_out.h"
#include "tools/cli/windows.h"

enum {
  FORMAT = 1,
  OUTPUT,
  TRACE,
  TRACE_RANKS,
  MEMORY_TRACE,
  NETWORK,
  CONTENTION,
  NO_FOLD,
  THREADS,
  SERVE,
  IGNORE_MEMORY,
  CHOICES,
  SOURCES,
  ASSERT,
  LOCKED,
  LOCK_FILE,
  VERBOSE,
  WARNING
};

static const ts_option options[] = {
  {OUTPUT, 'o', "output", "FILE", "write the report to FILE instead of standard output", "Report"},
  {FORMAT, 0, "format", "FORM",
   "text, json, csv, html, svg, png, pdf or timeline (what FILE of -o ends in, else text)", NULL},
  {VERBOSE, 'v', "verbose", NULL, "text with all rows, and what it was made from", NULL},
  {TRACE, 0, "trace", "FILE",
   "write the timeline to FILE, for Perfetto or chrome://tracing; packed if FILE ends in .gz",
   NULL},
  {TRACE_RANKS, 0, "trace-ranks", "LIST", "ranks in the trace: 0-7,16 or all (one of each kind)",
   NULL},
  {MEMORY_TRACE, 0, "memory-trace", NULL, "also trace the memory held", NULL},
  WINDOW_OPTIONS,
  PLAN_OPTIONS,
  {NETWORK, 0, "network", "NAME",
   "use only the network models with this name; links: none of them; all: compare them",
   "Simulation"},
  {CONTENTION, 0, "contention", NULL,
   "calls of flow models share links with all other calls under way; simulates every rank", NULL},
  {NO_FOLD, 0, "no-fold", NULL, "simulate every rank, also equal ones", NULL},
  {THREADS, 0, "threads", "N", "threads that simulate and sum up (one for each processor)", NULL},
  {SERVE, 0, "serve", "PORT", "show a page of how far it is at that port while it runs", NULL},
  {IGNORE_MEMORY, 0, "ignore-memory", NULL, "report even if the step does not fit in memory", NULL},
  {ASSERT, 0, "assert", "EXPR",
   "fail (exit 3) unless EXPR holds, such as 'step_time < 7 s and peak_memory < 72 GiB'", NULL},
  {LOCKED, 0, "locked", NULL, "refuse a plan that is not as its lock holds it (trainspec lock)",
   NULL},
  {LOCK_FILE, 0, "lock-file", "FILE", "the lock, for --locked (the plan's name with .lock)", NULL},
  {SOURCES, 0, "sources", NULL, "quote source lines that an IR refers to, from files beside it",
   NULL},
  {STUDY_OVERLAP, 0, "overlap", "MODEL",
   "model of how compute and communication slow each other: none, turns (of kernels), "
   "constant:1.1, "
   "physical or a file (none)",
   NULL},
  {STUDY_STEPS, 0, "steps", "N", "simulate N steps in a row and report the steady state",
   "Studies"},
  {STUDY_WHAT_IF, 0, "what-if", "CHANGE",
   "also simulate with a change: compute.speed*1.1, nic=800Gb/s, dp.speed*2, gpu[0,1].speed/2, ...",
   NULL},
  {CHOICES, 0, "choices", NULL,
   "also simulate without each choice of the framework's profile: what it saves", NULL},
  {STUDY_SENSITIVITY, 0, "sensitivity", NULL, "the gain from one percent more of each resource",
   NULL},
  {STUDY_DIFF, 0, "diff", "FILE", "explain the difference in step time to another plan", NULL},
  {STUDY_BLAME, 0, "blame", NULL, "the ranks that made others wait", NULL},
  {STUDY_BY, 0, "by", "KIND", "time and memory by module (layers as one) or by layer", NULL},
  {STUDY_DEPTH, 0, "depth", "N", "parts of a module's name that count (module 2, layer 1)", NULL},
  {STUDY_ALLOCATOR, 0, "allocator", "KIND",
   "memory that the framework reserves: caching, then any of :expandable, :max_split=128MiB, "
   ":streams, :channels=24",
   NULL},
  {STUDY_REPEAT, 0, "repeat", "N", "simulate N steps with jitter and report percentiles", NULL},
  {STUDY_JITTER, 0, "jitter", "DIST",
   "jitter of each rank's compute time: lognormal:2%, normal:2%, exponential:1%, "
   "slow:SHARE:FACTOR; of each call: network:2%; several joined by commas",
   NULL},
  {STUDY_SEED, 0, "seed", "NAME", "seed of the random draws, any text (trainspec)", NULL},
  {STUDY_MTBF, 0, "mtbf", "TIME",
   "mean time between failures of a device; reports the goodput of a day", NULL},
  {STUDY_FAIL_AT, 0, "fail-at", "TIMES",
   "times of a day at which devices fail, such as 3h,17h; reports the goodput of that day", NULL},
  {STUDY_RESTART, 0, "restart", "TIME", "time from a failure until work goes on", NULL},
  {STUDY_CHECKPOINT, 0, "checkpoint", "TIME", "time that a checkpoint stops the job", NULL},
  {STUDY_EVERY, 0, "checkpoint-every", "STEPS", "steps between checkpoints (the best interval)",
   NULL},
  {WARNING, 'W', "warn", "NAME", "NAME, no-NAME, error or error=NAME; tsc -W list prints all names",
   "Warnings"},
  {0},
};

static const char *const usage[] = {"[OPTION]... FILE", NULL};
static const char *const notes[] = {
  "FILE is a plan (.ts, .trainspec), an IR (.ir) or the text of one (.tsir); `-` is",
  "standard input.",
  "",
  "Examples:",
  "$ -D pp=8 -D dp=16 plan.ts",
  "$ --format=json plan.ir | jq .step_time_ps",
  "$ --network=all plan.ir",
  "$ --assert 'step_time < 7 s and peak_memory < 72 GiB' plan.ts",
  "$ --trace=step.json --memory-trace plan.ir   # for ui.perfetto.dev",
  "",
  "Exit codes: 0 done, 1 input rejected, 2 wrong usage, 3 the answer is no (out of",
  "memory, stalled, an assertion), 4 files or system, 70 a bug of ours.",
  NULL};

static const ts_program program = {
  .summary =
    "TrainSpec runtime: simulates a training step and reports how long it takes, where the "
    "time goes and how much memory it needs.",
  .usage = usage,
  .options = options,
  .notes = notes,
  .manual = "tsrun(1)",
};

/* the plan is to be compiled with all of its rounds; no code of the program */
enum { TS_EXIT_AGAIN = -1 };

typedef enum form { TEXT, JSON, CSV, HTML, SVG, TIMELINE, PNG, PDF } form;

typedef struct tsrun_task {
  ts_arena *arena;
  ts_options options;
  ts_session *session;
  const char *path, *output, *trace, *trace_ranks;
  form form;
  bool memory_trace, ignore_memory, choices, sources, verbose;
  ts_window_options window;
  char *picture;          /* PNG or PDF */
  size_t picture_size;
  bool compiled; /* the plan, here: its warnings are reported already */
  study study;
  ts_progress_bar bar;
  ts_progress progress;
  const char *serve; /* where a page shows how far it is; NULL: nowhere */
  ts_play_live *live;
  ts_run_options run;
  ts_plan_options plan;
  TS_VEC(ts_given_option) requested; /* options that the report is to name */
  size_t requested_diff;             /* which of them is the last `--diff` */
  ts_assertions assertions;
  bool locked;
  const char *lock;       /* its file; NULL: the plan's name with .lock */
  TS_VEC(const char *) locked_options; /* those that the answer rests on */
} tsrun_task;

static const char *tsrun_name_of(int id)
{
  const ts_option *o = options;
  while (o->id != id)
    o++;
  return o->name;
}

static bool is_plain(const char *text)
{
  return *text &&
         strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,:/=+%@-") ==
           strlen(text);
}

/* A file by what was read of it: one that is read again may be another, and a pipe is empty. */
static ts_given_option requested_file(const char *text, const char *path,
                                      const uint8_t sha256[TS_DIGEST_SIZE])
{
  ts_given_option a = {.text = text, .file = ts_base_name(path)};
  memcpy(a.sha256, sha256, sizeof a.sha256);
  return a;
}

static ts_given_option requested_input(const char *text, const char *path, const ts_input *input)
{
  uint8_t sha256[TS_DIGEST_SIZE];
  ts_input_digest(input, sha256);
  return requested_file(text, path, sha256);
}

/* As one would type it again. Threads, folding and forms of the report change nothing that is
 * reported. */
static void note_requested(tsrun_task *t, int id)
{
  bool decides = id == NETWORK || id == CONTENTION || id == IGNORE_MEMORY || id == CHOICES ||
                 id == PLAN_NAME || (id >= STUDY_BLAME && id <= STUDY_DEPTH);
  if (!decides)
    return;
  const char *argument = t->options.argument, *quote = argument && !is_plain(argument) ? "'" : "";
  const char *text = ts_arena_printf(t->arena, "--%s%s%s%s%s", tsrun_name_of(id),
                                     argument ? "=" : "", quote, argument ? argument : "", quote);
  const ts_slowdown *overlap = id == STUDY_OVERLAP ? t->study.overlap : NULL;
  if (id == STUDY_DIFF)
    t->requested_diff = t->requested.count; /* it is read later */
  if (id == NETWORK || id == CONTENTION || id == STUDY_OVERLAP)
    TS_PUSH(t->arena, &t->locked_options, text);
  TS_PUSH(t->arena, &t->requested,
          overlap && overlap->file ? requested_file(text, overlap->file, overlap->sha256) :
                                     (ts_given_option){.text = text});
}

static int take_option(tsrun_task *t, int id)
{
  static const char *const forms[] = {"text", "json",     "csv", "html", "svg",
                                      "timeline", "png", "pdf",  NULL};
  const char *argument = t->options.argument;
  long long number;
  int choice;
  switch (id) {
  case TS_OPERAND:
    if (t->path)
      return ts_options_second(&t->options, t->path, argument);
    t->path = argument;
    break;
  case FORMAT:
    if ((choice = ts_options_choice(&t->options, forms)) < 0)
      return TS_EXIT_USAGE;
    t->form = (form)choice;
    break;
  case OUTPUT:
    t->output = argument;
    t->form = (form)ts_options_form(&t->options, forms, (int)t->form);
    break;
  case VERBOSE: t->verbose = true; break;
  case TRACE: t->trace = argument; break;
  case TRACE_RANKS: t->trace_ranks = argument; break;
  case MEMORY_TRACE: t->memory_trace = true; break;
  case PLAN_DEFINE:
  case PLAN_NAME:
  case PLAN_IMPORT:
  case PLAN_STDLIB:
  case PLAN_READ:
  case PLAN_NATIVE: ts_plan_option(&t->plan, t->arena, &t->options, id); break;
  case WINDOW_FROM:
  case WINDOW_TO:
  case WINDOW_LEVEL:
  case WINDOW_RANKS: return ts_window_option(&t->window, &t->options, id);
  case NETWORK: t->run.network = argument; break;
  case CONTENTION: t->run.contention = true; break;
  case SERVE: t->serve = argument; break;
  case THREADS:
    if (!ts_options_number(&t->options, 1, 1024, &number))
      return TS_EXIT_USAGE;
    t->run.threads = (uint32_t)number;
    break;
  case NO_FOLD: t->run.no_fold = true; break;
  case WARNING: return ts_warning_option(&t->options, t->session->diags);
  case IGNORE_MEMORY: t->ignore_memory = true; break;
  case CHOICES: t->choices = true; break;
  case SOURCES: t->sources = true; break;
  case LOCKED: t->locked = true; break;
  case LOCK_FILE:
    t->locked = true;
    t->lock = argument;
    break;
  case ASSERT: TS_PUSH(t->arena, &t->assertions.texts, argument); break;
  default: return ts_study_option(&t->study, t->arena, &t->options, id);
  }
  return TS_EXIT_DONE;
}

/* Told before a long play. */
static bool can_draw(tsrun_task *t)
{
  ts_error error = {0};
  if (ts_raster_loads(&error))
    return true;
  ts_put_text(stderr, "%s: %s\n   = help: %s\n", t->options.called, error.message, error.help);
  t->options.status = TS_EXIT_ENVIRONMENT;
  return false;
}

/* False when main is to return t->options.status. */
static bool tsrun_read_options(tsrun_task *t, int argc, char **argv)
{
  t->options = ts_options_start(&program, argc, argv);
  for (int id; (id = ts_options_next(&t->options)) != TS_OPTIONS_END;) {
    if (id == TS_OPTIONS_EXIT)
      return false;
    t->options.status |= take_option(t, id);
    if (t->options.status)
      return false;
    note_requested(t, id);
  }
  const char *wrong =
    !t->path ? "no file given" :
    ts_same_file(t->output, t->path) ? "`-o` names the plan itself: give the report another file" :
    ts_same_file(t->trace, t->path)  ? "`--trace` names the plan itself: give it another file" :
    t->study.diff && !strcmp(t->study.diff, "-") && !strcmp(t->path, "-") ?
               "only one of the two plans can be standard input" :
    ts_networks_several(t->run.network) && (t->trace || t->form > JSON) ?
               "comparing networks gives text or json, and no trace" :
    ts_networks_several(t->run.network) && ts_study_any(&t->study) ?
               "studies need one network: name it" :
    ts_networks_several(t->run.network) && t->assertions.texts.count ?
               "`--assert` needs one network: name it" :
    t->locked && ts_networks_several(t->run.network) ? "`--locked` needs one network: name it" :
    t->locked && !t->lock && !strcmp(t->path, "-") ?
               "standard input has no lock: name it with `--lock-file FILE`" :
    t->trace && !strcmp(t->trace, "-") && (!t->output || !strcmp(t->output, "-")) ?
               "the trace uses standard output: write the report to a file with `-o FILE`" :
    !t->trace && t->trace_ranks  ? "`--trace-ranks` needs `--trace FILE`" :
    !t->trace && t->memory_trace ? "`--memory-trace` needs `--trace FILE`" :
    (t->window.from || t->window.to || t->window.window.level) && !t->trace && t->form < SVG ?
               "`--from`, `--to` and `--level` are for `--trace`, svg and timeline" :
    t->window.ranks && t->form != TIMELINE ?
               "`--ranks` is for `--format=timeline`; a trace has `--trace-ranks`" :
    t->form >= PNG && (!t->output || !strcmp(t->output, "-")) && isatty(STDOUT_FILENO) ?
               "a picture goes to a file: `-o FILE`" :
    ts_window_wrong(&t->window) ? ts_window_wrong(&t->window) :
                                   ts_study_wrong(&t->study);
  if (wrong) {
    ts_options_wrong(&t->options, "%s", wrong);
    return false;
  }
  t->run.overlap = t->study.overlap;
  return t->form < PNG || can_draw(t);
}

/* ---- Messages ---- */

/* The text of a source that the IR names: from the compilation or the standard library; and from a
 * file below the IR's folder where that is asked for, as an IR may come from anybody. */
static const char *read_source(void *closure, ts_arena *arena, const char *name, size_t *size)
{
  const tsrun_task *t = closure;
  ts_source_reader known = ts_session_source_reader(t->session);
  const char *text = known.read(known.closure, arena, name, size);
  int error;
  if (text)
    return text;
  int folder = (int)(ts_base_name(t->path) - t->path);
  return t->sources ?
           ts_read_beneath(arena, folder ? ts_arena_string(arena, t->path, (size_t)folder) : ".",
                           name, size, &error) :
           NULL;
}

/* A stop of the plan joins the compiler's diagnostics, which are printed at the end. */
static int report_stop(tsrun_task *t, const ts_stop *stop, const ts_ir *ir)
{
  if (ts_progress_interrupted())
    ts_progress_die(&t->bar, t->options.called);
  ts_progress_end(&t->bar);
  ts_source_reader reader = {read_source, t};
  if (ts_stop_diagnose(stop, ir, reader, t->arena, t->session->sources, t->session->diags))
    return stop->exit_code;
  if (stop->exit_code == TS_EXIT_USAGE && !stop->fact_count)
    return ts_options_wrong(&t->options, "%s", stop->title);
  ts_stop_print(stop, t->options.called, stderr);
  return stop->exit_code;
}

/* Warnings join them too. False when one of them was made an error. */
static bool warn(tsrun_task *t, const ts_warnings *warnings, const ts_ir *ir)
{
  ts_report_play_warnings(t->session, warnings, ir, t->compiled,
                          (ts_source_reader){read_source, t});
  return !ts_diags_errors(t->session->diags);
}

/* ---- Output ---- */

enum { USUAL_COLUMNS = 80 };

typedef struct tsrun_page {
  const tsrun_task *task;
  const ts_summary *summary;
} tsrun_page;

static void put_timeline(const tsrun_task *t, const ts_summary *summary, FILE *out)
{
  bool file = t->output && strcmp(t->output, "-") != 0;
  ts_terminal terminal = {.columns = file ? USUAL_COLUMNS : ts_terminal_columns(out, USUAL_COLUMNS),
                          .unicode = ts_terminal_unicode(),
                          .color = ts_options_color(&t->options, out)};
  ts_report_timeline(summary, &t->window.window, &terminal, out);
}

static void put_svg(void *closure, FILE *out)
{
  const tsrun_page *p = closure;
  ts_report_svg(p->summary, &p->task->window.window, out);
}

/* Of a picture that is drawn by libraries, before anything is written. False after a message. */
static bool draw_picture(tsrun_task *t, const ts_summary *summary)
{
  ts_error error = {0};
  size_t size;
  if (t->form < PNG)
    return true;
  char *svg = ts_printed(put_svg, &(tsrun_page){t, summary}, &size);
  FILE *out = ts_heap_print(&t->picture, &t->picture_size);
  bool drawn = ts_raster_draw(svg, size, t->form == PNG ? TS_RASTER_PNG : TS_RASTER_PDF, out,
                              &error);
  ts_heap_printed(out);
  free(svg);
  if (!drawn)
    ts_put_text(stderr, "%s: %s\n   = help: %s\n", t->options.called, error.message, error.help);
  return drawn;
}

static void tsrun_put_report(void *closure, FILE *out)
{
  const tsrun_page *p = closure;
  switch (p->task->form) {
  case TEXT: ts_report_text(p->summary, out); break;
  case JSON: ts_report_json(p->summary, out); break;
  case CSV: ts_report_csv(p->summary, out); break;
  case HTML: ts_report_html(p->summary, out); break;
  case SVG: ts_report_svg(p->summary, &p->task->window.window, out); break;
  case TIMELINE: put_timeline(p->task, p->summary, out); break;
  case PNG:
  case PDF: ts_put_bytes(out, p->task->picture, p->task->picture_size); break;
  }
}

static bool wants_hints(void)
{
  const char *hints = getenv("TRAINSPEC_HINTS");
  return !hints || strcmp(hints, "0") != 0;
}

static void hint(const tsrun_task *t)
{
  if (t->form == TEXT && !t->trace && !t->output && isatty(STDOUT_FILENO) &&
      isatty(STDERR_FILENO) && wants_hints())
    ts_put_text(stderr,
                "\nhint: %s --trace step.json %s writes the timeline; open it in ui.perfetto.dev\n",
                t->options.called, t->path);
}

/* ---- The run ---- */

/* False after a message: the plan or its answer is not as the lock holds it. */
static bool is_locked(tsrun_task *t, const ts_input *input, const ts_run *run,
                      const ts_memory *memory)
{
  const char *file = t->lock ? t->lock : ts_lock_path(t->arena, t->path);
  const ts_lock *before = ts_lock_open(t->session, file);
  ts_locked_play how = {t->path, file, &t->plan.compile, &t->run};
  ts_lock now = ts_lock_now(t->session, t->path, input);
  ts_lock_answer(&now, run, memory);
  now.options = t->locked_options.at;
  now.option_count = (uint32_t)t->locked_options.count;
  return before && ts_lock_check(t->session, &how, before, &now);
}

/* `before`, `other`: the plan to compare with and its run, or NULL. */
static int tsrun_report(tsrun_task *t, const ts_input *input, const ts_run *run,
                        const ts_ir *before, const ts_run *other, const ts_trace_options *wanted)
{
  const ts_ir *ir = &input->ir;
  ts_stop stop = {.arena = t->arena};
  ts_heap_doing("reporting");
  uint64_t step = ts_run_result(run)->step;
  if (t->window.from && t->window.window.from >= step) {
    ts_progress_end(&t->bar);
    return ts_options_wrong(&t->options, "`--from %s` is not before the end of the step, %s",
                            t->window.from, ts_format_time(step).text);
  }
  const ts_memory *memory = ts_memory_new(t->arena, ir, run);
  if (ts_progress_interrupted())
    ts_progress_die(&t->bar, t->options.called);
  if (t->locked && !is_locked(t, input, run, memory))
    return ts_diags_exit(t->session->diags);
  ts_summary *summary = ts_arena_copy(
    t->arena, ts_summary_new(t->arena, ir, run, memory, t->run.network), sizeof *summary);
  if (ts_study_add(&t->study, other, &t->run, summary, &stop) < 0)
    return report_stop(t, &stop, ir);
  if (other && t->form == HTML)
    summary->extras.other = ts_summary_new(t->arena, before, other,
                                           ts_memory_new(t->arena, before, other), NULL);
  if (ts_progress_interrupted())
    ts_progress_die(&t->bar, t->options.called);
  if (t->choices)
    ts_choices_find(t->arena, t->path, input, &t->plan.compile, &t->run, summary);
  bool fits = t->ignore_memory || !memory->classes[memory->fullest].over;
  if (!fits)
    summary->extras.ways_out =
      ts_ways_out_find(t->arena, t->path, input, &t->plan.compile, summary, &t->run);
  if (ts_progress_interrupted())
    ts_progress_die(&t->bar, t->options.called);
  ts_progress_end(&t->bar);
  /* one that was compiled names what it was made from */
  if (!t->compiled && !ir->sources_count && strcmp(t->path, "-") != 0)
    TS_PUSH(t->arena, &t->requested, requested_input(NULL, t->path, input));
  summary->requested = t->requested.at;
  summary->requested_count = (uint32_t)t->requested.count;
  if (!ts_plausible(summary, &t->run))
    return TS_EXIT_AGAIN;
  summary->verbose = t->verbose;
  ts_report_silence(summary, t->session->diags);
  if (!warn(t, &summary->warnings, ir))
    return TS_EXIT_REJECTED;
  int answer = ts_assertions_judge(&t->assertions, t->session, summary) ? TS_EXIT_DONE : TS_EXIT_NO;
  ts_interrupt_ends(ts_arena_printf(
    t->arena, "%s: interrupted while files were written; each is complete or unchanged\n",
    t->options.called));
  if (ts_progress_interrupted()) /* just before */
    ts_progress_die(&t->bar, t->options.called);
  int traced = t->trace ? ts_report_trace(summary, wanted, t->trace, &stop) : 0;
  ts_progress_end(&t->bar);
  if (traced < 0)
    return report_stop(t, &stop, ir);
  /* text says it all in its message; the other forms are written */
  if (!fits && ts_report_out_of_memory(summary, &stop) < 0) {
    int written = t->form == TEXT ? TS_EXIT_DONE :
                  !draw_picture(t, summary) ?
                                    TS_EXIT_ENVIRONMENT :
                                    ts_options_write(&t->options, t->output, tsrun_put_report,
                                                     &(tsrun_page){t, summary});
    return written == TS_EXIT_DONE ? report_stop(t, &stop, ir) : written;
  }
  int status = draw_picture(t, summary) ? ts_options_write(&t->options, t->output, tsrun_put_report,
                                                           &(tsrun_page){t, summary}) :
                                          TS_EXIT_ENVIRONMENT;
  bool seen = t->form == TEXT && (!t->output || !strcmp(t->output, "-"));
  if (status == TS_EXIT_DONE && seen && t->options.messages == TS_MESSAGES_TEXT)
    ts_report_tells(summary, t->session->diags);
  if (status == TS_EXIT_DONE && answer == TS_EXIT_DONE)
    hint(t);
  return status == TS_EXIT_DONE ? answer : status;
}

enum { LONG = 5 }; /* s */

/* Before what takes long, or much: what it takes. Standard output and reports know nothing of it.
 * */
static void say_what_it_takes(const tsrun_task *t, const ts_ir *ir)
{
  ts_forecast e = ts_forecast_play(ir, &t->run);
  double most = (double)ts_heap_ceiling(), held = (double)ts_heap_in_use().now;
  bool too_much = most > 0 && held + e.requested > most,
       event_by_event = t->run.contention || ts_run_goes_by_time(ir, &t->run);
  if ((e.seconds < LONG && (!most || e.requested < most / 4) && !too_much) ||
      t->options.messages != TS_MESSAGES_TEXT || !wants_hints())
    return;
  ts_put_text(
    stderr,
    "%s: note: simulating this takes about %.2g s of processor time%s and %.2g GB of memory\n",
    t->options.called, e.seconds, event_by_event ? ", and longer as it goes event by event," : "",
    (held + e.bytes) / 1e9);
  if (too_much)
    ts_put_text(
      stderr,
      "   = note: it asks for about %.2g GB, more than the %.2g GB that it may use\n   = help: "
      "allow more, `--max-memory=SIZE`,%s or take fewer ranks, stages or micro-batches\n",
      (held + e.requested) / 1e9, most / 1e9,
      t->run.no_fold    ? " leave out `--no-fold`," :
      t->run.contention ? " leave out `--contention`," :
                          "");
}

static int compare_networks(tsrun_task *t, const ts_ir *ir)
{
  ts_stop stop = {.arena = t->arena};
  ts_warnings warnings = {0};
  ts_warnings_of_ir(t->arena, ir, &warnings);
  if (!warn(t, &warnings, ir))
    return TS_EXIT_REJECTED;
  ts_warnings implausible = {0};
  ts_networks *networks =
    ts_networks_play(t->arena, ir, &t->run, t->run.network, &implausible, &stop);
  if (!networks)
    return report_stop(t, &stop, ir);
  if (!warn(t, &implausible, ir))
    return TS_EXIT_REJECTED;
  return ts_options_write(&t->options, t->output,
                          t->form == JSON ? ts_networks_json : ts_networks_text, networks);
}

/* `before`: the plan to compare with, or NULL. */
static int tsrun_play(tsrun_task *t, const ts_input *input, const ts_ir *before)
{
  const ts_ir *ir = &input->ir;
  ts_stop stop = {.arena = t->arena};
  ts_trace_options wanted = {
    .memory = t->memory_trace, .window = t->window.window, .progress = &t->progress};
  uint32_t world = ir->meta->world;
  if (t->trace_ranks && !ts_window_ranks(&t->options, "--trace-ranks", t->trace_ranks, world,
                                         t->arena, &wanted.window))
    return TS_EXIT_USAGE;
  if (t->window.ranks && !ts_window_ranks(&t->options, "--ranks", t->window.ranks, world, t->arena,
                                          &t->window.window))
    return TS_EXIT_USAGE;
  if (ts_networks_several(t->run.network))
    return compare_networks(t, ir);
  if (!ts_assertions_read(&t->assertions, t->session, ir->meta->world))
    return TS_EXIT_REJECTED;
  say_what_it_takes(t, ir);
  ts_run *other = before ? ts_run_new(before, &t->run, &stop) : NULL;
  if (before && !other)
    return report_stop(t, &stop, before);
  ts_run *run = ts_run_new(ir, &t->run, &stop);
  if (stop.unsteady)
    return TS_EXIT_AGAIN;
  int status =
    run ? tsrun_report(t, input, run, before, other, &wanted) : report_stop(t, &stop, ir);
  ts_run_free(run);
  ts_run_free(other);
  free(t->picture);
  return status;
}

/* What is asked for is summed up from rounds, and shows none of them. */
static bool needs_no_rounds(const tsrun_task *t)
{
  return t->form <= CSV && strcmp(t->path, "-") != 0 && !t->trace && !ts_study_any(&t->study) &&
         !t->run.contention && !t->run.overlap && !t->locked &&
         !ts_networks_several(t->run.network);
}

static void let_compile(const tsrun_task *t)
{
  ts_interrupt_ends(
    ts_arena_printf(t->arena, "%s: interrupted while the plan was compiled; nothing was written\n",
                    t->options.called));
}

/* Nothing was said yet. */
static tsrun_task *begin_again(tsrun_task *t)
{
  const ts_diags *requested = t->session->diags;
  let_compile(t);
  if (ts_progress_interrupted()) /* just before */
    ts_progress_die(&t->bar, t->options.called);
  t->session = ts_session_new(t->arena);
  t->session->diags->warnings_are_errors = requested->warnings_are_errors;
  memcpy(t->session->diags->off, requested->off, sizeof requested->off);
  memcpy(t->session->diags->promoted, requested->promoted, sizeof requested->promoted);
  return t;
}

static int open_and_play(tsrun_task *t, ts_input *input, uint32_t listed, const ts_ir *before,
                         bool *opened)
{
  ts_compile_options o = t->plan.compile;
  o.listed = listed;
  o.orderless = true;
  *opened = ts_input_open(t->session, t->path, &o, input);
  t->compiled = input->kind == TS_INPUT_PLAN;
  if (*opened && t->choices && !t->compiled)
    return ts_options_wrong(
      &t->options, "`--choices` changes a plan, and `%s` is an IR: name the plan", t->path);
  t->progress = ts_progress_start(&t->bar);
  if (t->live)
    t->progress = ts_play_live_watch(t->live, t->progress);
  t->run.progress = &t->progress;
  t->run.packets = ts_packet_memo_new(t->arena, ts_workers_size(t->run.threads, UINT32_MAX));
  int status = *opened ? tsrun_play(t, input, before) : TS_EXIT_DONE;
  if (status == TS_EXIT_AGAIN)
    ts_input_close(input);
  return status;
}

static bool show_live(tsrun_task *t)
{
  ts_error error = {0};
  if (!t->serve)
    return true;
  t->live = ts_play_live_begin(t->arena, t->serve, t->path, &error);
  if (t->live)
    ts_put_text(stderr, "%s: %s shows how far it is\n", t->options.called,
                ts_play_live_url(t->live));
  else
    ts_diag_add_error(t->session->diags, TS_E0709, &error, "cannot show the play of `%s`", t->path);
  return t->live != NULL;
}

int ts_tsrun_main(int argc, char **argv)
{
  tsrun_task t = {.arena = ts_arena_new("tsrun")};
  t.session = ts_session_new(t.arena);
  if (!tsrun_read_options(&t, argc, argv)) {
    ts_arena_free(t.arena);
    return t.options.status;
  }
  let_compile(&t);
  ts_input input = {0}, before = {0};
  bool shown = show_live(&t);
  bool compared =
    shown && t.study.diff && ts_input_open(t.session, t.study.diff, &t.plan.compile, &before);
  if (compared)
    t.requested.at[t.requested_diff] =
      requested_input(t.requested.at[t.requested_diff].text, t.study.diff, &before);
  bool opened = shown && (!t.study.diff || compared);
  int status = TS_EXIT_DONE;
  if (opened) {
    const ts_ir *other = compared ? &before.ir : NULL;
    uint32_t listed = needs_no_rounds(&t) ? TS_LISTED : 0;
    status = open_and_play(&t, &input, listed, other, &opened);
    bool refused = !opened && t.session->options->listed; /* perhaps as rounds are left out */
    if (listed && (refused || status == TS_EXIT_AGAIN))
      status = open_and_play(begin_again(&t), &input, 0, other, &opened);
  }
  int rejected = ts_options_report(&t.options, t.session->diags); /* and warnings */
  if (!opened)
    status = rejected;
  else
    ts_input_close(&input);
  if (compared)
    ts_input_close(&before);
  if (t.live)
    ts_play_live_end(t.live);
  ts_arena_free(t.arena);
  return status;
}
