/* tsc: a plan to IR. The program owns the terminal; all else is in the library. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/options.h"
#include "base/output.h"
#include "compiler/compile.h"
#include "compiler/eval/options.h"
#include "compiler/measured_rows.h"
#include "compiler/schedule/schedule.h"
#include "tools/cli/interrupt.h"
#include "tools/cli/locked.h"
#include "tools/cli/plan_options.h"
#include "tools/cli/programs.h"

enum {
  OUTPUT = 1,
  TEXT,
  EMIT,
  CHECK,
  LIST_PARAMS,
  LIST_OPS,
  LIST_MEASURED,
  EXPLAIN,
  LOCKED,
  LOCK_FILE,
  DEPENDS,
  DEPEND_FILE,
  WARNING
};

static const ts_option options[] = {
  {OUTPUT, 'o', "output", "FILE",
   "write to FILE, `-` for standard output (the plan's name with .ir, here)", "Output"},
  {TEXT, 'S', NULL, NULL,
   "write the text form of the IR, to standard output unless -o names a file", NULL},
  {EMIT, 0, "emit", "FORM", "the form to write: ir, text or schedule-csv (ir)", NULL},
  {CHECK, 0, "check", NULL, "compile and write nothing", NULL},
  {LIST_PARAMS, 0, "list-params", NULL, "print the parameters that -D may set", NULL},
  {LIST_OPS, 0, "list-ops", NULL, "print the labels of the model's ops, which rules match", NULL},
  {LIST_MEASURED, 0, "list-measured", NULL,
   "print the times of a traced model's kernels as a table of costs, for trainspec fit ops", NULL},
  {EXPLAIN, 0, "explain", "WHAT",
   "print which rules apply to the ops with this label, or why a work item such as `F(3) at 2` "
   "stands where it does",
   NULL},
  {LOCKED, 0, "locked", NULL, "refuse a plan that reads other inputs than its lock holds", NULL},
  {LOCK_FILE, 0, "lock-file", "FILE", "the lock, for --locked (the plan's name with .lock)", NULL},
  PLAN_OPTIONS,
  {DEPENDS, 0, "-MD", NULL, "also write the files that were read as a rule for make",
   "Dependencies"},
  {DEPEND_FILE, 0, "-MF", "FILE", "where -MD writes (the output with .d)", NULL},
  {WARNING, 'W', "warn", "NAME", "NAME, no-NAME, error or error=NAME; -W list prints all names",
   "Warnings"},
  {0},
};

static const char *const usage[] = {"[OPTION]... PLAN", NULL};
static const char *const notes[] = {
  "PLAN is a file of the language, an IR, or the text of an IR; `-` is standard",
  "input.",
  "",
  "Examples:",
  "$ -D tp=8 -o plan.ir plan.ts",
  "$ -S plan.ir",
  "",
  "Exit codes: 0 done, 1 the plan has errors, 2 wrong usage, 4 cannot read or",
  "write, 70 a bug of ours.",
  NULL,
};
static const ts_program program = {
  .summary = "TrainSpec compiler: checks a plan of a distributed training step and writes it as "
             "IR, which tsrun simulates.",
  .usage = usage,
  .options = options,
  .notes = notes,
  .manual = "tsc(1)",
};

typedef struct command {
  ts_options options;
  ts_session *session;
  ts_plan_options plan;
  const char *input, *output, *depfile, *explain;
  const char *lock;
  bool locked, text, csv, check, list_params, list_ops, list_measured, depends;
} command;

/* ---- The command line ---- */

static int list_warnings(command *c)
{
  for (size_t i = 0; ts_warning_name(i); i++)
    ts_put_text(stdout, "%s\n", ts_warning_name(i));
  return c->options.status = ts_options_finish(&c->options, stdout, TS_EXIT_DONE);
}

static bool set_warning(command *c)
{
  bool list = strcmp(c->options.argument, "list") == 0;
  if (list)
    list_warnings(c);
  return !list && ts_warning_option(&c->options, c->session->diags) == TS_EXIT_DONE;
}

static bool set(command *c, int id)
{
  static const char *const forms[] = {"ir", "text", "schedule-csv", NULL};
  const char *argument = c->options.argument;
  int choice;
  switch (id) {
  case TS_OPERAND:
    if (c->input)
      ts_options_wrong(&c->options, "one plan at a time: `%s` and `%s` were given", c->input,
                       argument);
    c->input = argument;
    return !c->options.status;
  case OUTPUT: c->output = argument; return true;
  case TEXT: return c->text = true;
  case EMIT:
    choice = ts_options_choice(&c->options, forms);
    c->text = choice == 1;
    c->csv = choice == 2;
    return choice >= 0;
  case CHECK: return c->check = true;
  case LIST_PARAMS: return c->list_params = true;
  case LIST_OPS: return c->list_ops = true;
  case LIST_MEASURED: return c->list_measured = true;
  case EXPLAIN: c->plan.compile.explain = c->explain = argument; return true;
  case LOCKED: return c->locked = true;
  case LOCK_FILE:
    c->lock = argument;
    return c->locked = true;
  case DEPENDS: return c->depends = true;
  case DEPEND_FILE: c->depfile = argument; return true;
  case WARNING: return set_warning(c);
  case TS_OPTIONS_EXIT: return false; /* --help and the like: done */
  default: ts_plan_option(&c->plan, c->session->arena, &c->options, id); return !c->options.status;
  }
}

/* "plans/big.ts" is written to "big.ir" here, as compilers do. */
static const char *default_output(ts_arena *arena, const char *input, bool text)
{
  if (text || strcmp(input, "-") == 0)
    return "-";
  const char *base = ts_base_name(input), *dot = strrchr(base, '.');
  bool suffix =
    dot && dot != base &&
    (strcmp(dot, ".ts") == 0 || strcmp(dot, ".trainspec") == 0 || strcmp(dot, ".tsir") == 0);
  return ts_arena_printf(arena, "%.*s.ir", (int)(suffix ? (size_t)(dot - base) : strlen(base)),
                         base);
}

static bool read_command(command *c, int argc, char **argv)
{
  c->options = ts_options_start(&program, argc, argv);
  for (int id; (id = ts_options_next(&c->options)) != TS_OPTIONS_END;)
    if (!set(c, id))
      return false;
  ts_options *o = &c->options;
  if (!c->input)
    ts_options_wrong(o, "no plan given");
  else if (ts_same_file(c->output, c->input))
    ts_options_wrong(o, "`-o` names the plan itself: give the IR another file");
  else if (c->depfile && !c->depends)
    ts_options_wrong(o, "`-MF` says where `-MD` writes, and `-MD` is missing");
  if (o->status)
    return false;
  if (!c->output)
    c->output = default_output(c->session->arena, c->input, c->text || c->csv);
  if (strcmp(c->output, "-") == 0 && !c->text && !c->csv && !c->explain && !c->check &&
      !c->list_params && !c->list_ops && !c->list_measured && isatty(STDOUT_FILENO))
    ts_options_wrong(o, "an IR is not for a terminal; give `-o FILE`, or `-S` for text");
  else if (c->depends && !c->depfile && strcmp(c->output, "-") == 0)
    ts_options_wrong(o, "`-MD` needs `-MF FILE` when the output is standard output");
  return !o->status;
}

/* ---- Writing ---- */

static void write_to(command *c, const char *path, const void *bytes, size_t size)
{
  int error = ts_write_file(path, bytes, size);
  if (error)
    ts_diag_add(c->session->diags, TS_E0702, TS_NO_SPAN, "cannot write `%s`: %s",
                strcmp(path, "-") ? path : "<stdout>", strerror(error));
}

static void put_bytes(void *closure, const char *bytes, size_t size)
{
  fwrite(bytes, 1, size, closure);
}

static void tsc_put_text(void *closure, FILE *out)
{
  ts_ir_print(*(const ts_ir **)closure, put_bytes, out);
}

static void write_ir(command *c, const ts_ir *ir)
{
  size_t size = 0;
  void *bytes = c->text ? (void *)ts_printed(tsc_put_text, &ir, &size) : ts_ir_encode(ir, &size);
  if (bytes)
    write_to(c, c->output, bytes, size);
  else
    ts_diag_add(c->session->diags, TS_E0799, TS_NO_SPAN,
                "the compiler made an IR that is not valid");
  free(bytes);
}

static void write_depfile(command *c)
{
  ts_arena *arena = c->session->arena;
  const char *target = strcmp(c->output, "-") == 0 ? "-" : c->output;
  const char *slash = strrchr(target, '/'), *dot = strrchr(target, '.');
  size_t stem = dot && (!slash || dot > slash + 1) ? (size_t)(dot - target) : strlen(target);
  const char *path = c->depfile ? c->depfile : ts_arena_printf(arena, "%.*s.d", (int)stem, target);
  const char *text = ts_depfile(c->session, target);
  write_to(c, path, text, strlen(text));
}

static void tsc_put_lines(void *closure, FILE *out) { ts_put_lines(out, closure); }

static void tsc_show(command *c, const char *text)
{
  size_t size;
  char *shown = ts_printed(tsc_put_lines, (void *)(uintptr_t)text, &size);
  write_to(c, "-", shown, size);
  free(shown);
}

/* Of the plan's schedule: its order as a file, or why an item of it is where it is. */
static void write_schedule(command *c, const ts_schedule *schedule)
{
  ts_session *s = c->session;
  const char *text = NULL;
  if (c->explain && s->explained)
    text = s->explained;
  else if (!schedule)
    ts_diag_add(s->diags, TS_E0401, TS_NO_SPAN,
                "`%s` has no schedule: an IR keeps what each rank does, not why", c->input);
  else if (c->csv)
    text = ts_schedule_csv(s, schedule);
  else if (!(text = ts_schedule_explain(s, schedule, c->explain)) && !ts_diags_errors(s->diags))
    ts_diag_help(
      ts_diag_add(s->diags, TS_E0401, TS_NO_SPAN, "`%s` is neither a work item nor an op",
                  c->explain),
      "write a label as `tsc --list-ops` prints them, or `F(3) at 2`, or `F(3, 1) at 2` for chunk "
      "1 of rank 2");
  if (text && c->csv)
    write_to(c, c->output, text, strlen(text));
  else if (text)
    tsc_show(c, text);
}

/* Its inputs: an answer has only who plays it. */
static void check_lock(command *c, const ts_input *input)
{
  ts_session *s = c->session;
  const char *file = c->lock ? c->lock : ts_lock_path(s->arena, c->input);
  const ts_lock *before = ts_lock_open(s, file);
  ts_locked_play how = {c->input, file, &c->plan.compile, NULL};
  ts_lock now = ts_lock_now(s, c->input, input);
  if (before)
    ts_lock_check(s, &how, before, &now);
}

static void tsc_compile(command *c)
{
  ts_input input;
  ts_interrupt_ends(ts_arena_printf(
    c->session->arena, "%s: interrupted while the plan was compiled; nothing was written\n",
    c->options.called));
  bool opened = ts_input_open(c->session, c->input, &c->plan.compile, &input);
  ts_interrupt_plain();
  if (!opened)
    return;
  if (c->locked)
    check_lock(c, &input);
  /* A warning that was made an error counts like any other. */
  if ((c->csv || c->explain) && !ts_diags_errors(c->session->diags)) {
    write_schedule(c, input.schedule);
  } else if (!c->check && !ts_diags_errors(c->session->diags)) {
    write_ir(c, &input.ir);
    if (c->depends && !ts_diags_errors(c->session->diags))
      write_depfile(c);
  }
  ts_input_close(&input);
}

static void list(command *c)
{
  const ts_compile_options *o = &c->plan.compile;
  const char *text = c->list_ops      ? ts_list_ops(c->session, c->input, o) :
                     c->list_measured ? ts_list_measured(c->session, c->input, o) :
                                        ts_list_params(c->session, c->input, o);
  if (text)
    tsc_show(c, text);
}

int ts_tsc_main(int argc, char **argv)
{
  ts_arena *arena = ts_arena_new("tsc");
  command c = {.session = ts_session_new(arena)};
  int status;
  if (read_command(&c, argc, argv)) {
    if (c.list_params || c.list_ops || c.list_measured)
      list(&c);
    else
      tsc_compile(&c);
    status = ts_options_report(&c.options, c.session->diags);
  } else {
    status = c.options.status;
  }
  ts_arena_free(arena);
  return status;
}
