/* trainspec COMMAND ...: all programs under one name. */
#include <string.h>

#include "base/options.h"
#include "tools/cli/interrupt.h"
#include "tools/cli/programs.h"

enum { MAX_NAME = 256 };

static int run_fit(int argc, char **argv);

static const struct command {
  const char *name;
  int (*run)(int argc, char **argv);
} commands[] = {{"compile", ts_tsc_main},   {"run", ts_tsrun_main},
                {"sweep", ts_sweep_main},   {"diff", ts_diff_main},
                {"fmt", ts_tsfmt_main},     {"calibrate", ts_calibrate_main},
                {"fit", run_fit},           {"trace", ts_trace_main},
                {"table", ts_table_main},
                {"replay", ts_replay_main}, {"export", ts_export_main},
                {"import", ts_import_main}, {"topo", ts_topo_main},
                {"collective", ts_collective_main},
                {"db", ts_db_main},         {"lsp", ts_lsp_main}},
  fits[] = {
    {"ops", ts_fit_ops_main}, {"network", ts_fit_network_main}, {"slowdown", ts_fit_slowdown_main}};

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const ts_option no_options[] = {{0}};
static const char *const usage[] = {"COMMAND [ARGUMENT]...", NULL};
static const char *const command_lines[] = {
  "  compile                   check a plan and write it as IR (tsc)",
  "  run                       play a plan or an IR and report (tsrun)",
  "  sweep                     play a family of plans and say which are best",
  "  diff                      compare two plans and their results",
  "  calibrate                 fit a plan to a few measured steps",
  "  fmt                       format files of the language (tsfmt)",
  "  fit ops                   fit curves of operators to measured tables",
  "  fit network               calibrate a network to measured collectives",
  "  fit slowdown              learn how overlap slows kernels",
  "  trace                     summarize traces of real runs",
  "  table                     a table of costs from traces",
  "  replay                    play a trace and compare with its times",
  "  export                    write Chakra traces or a GOAL schedule",
  "  import                    a plan from the command line of a training framework",
  "  topo                      draw the cluster of a plan",
  "  collective                show the cost of a collective, part by part",
  "  db                        measured operators of many devices in one file",
  "  lsp                       the language server, for editors",
  NULL,
};
static const char *const notes[] = {
  "Examples:",
  "$ run -D tp=8 plan.ts",
  "$ compile --help",
  NULL,
};
static const ts_program program = {
  .summary = "TrainSpec: how long a distributed training step takes and how much memory it needs, "
             "from one text file.",
  .usage = usage,
  .options = no_options,
  .notes = notes,
  .manual = "trainspec(1)",
  .commands = command_lines,
};

/* The command gets its own name, "trainspec run", for its messages. */
static int dispatch(ts_options *o, const struct command *table, size_t count, int argc, char **argv,
                    const char *what)
{
  char name[MAX_NAME];
  const char *words[COUNT(commands) + 1] = {0};
  for (size_t i = 0; i < count; i++) {
    words[i] = table[i].name;
    if (strcmp(table[i].name, argv[0]) != 0)
      continue;
    snprintf(name, sizeof name, "%s %s", o->called, argv[0]);
    argv[0] = name;
    return table[i].run(argc, argv);
  }
  return ts_options_not_among(o, what, argv[0], words);
}

static int run_fit(int argc, char **argv)
{
  static const char *const fit_usage[] = {"ops [ARGUMENT]...", "network [ARGUMENT]...",
                                          "slowdown [ARGUMENT]...", NULL};
  static const char *const fit_commands[] = {
    "  ops                       curves of operators from tables of measured times",
    "  network                   networks from logs and tables of measured collectives",
    "  slowdown                  slowdown of kernels by communication, from tables and recordings",
    NULL};
  static const ts_program fit = {.summary = "TrainSpec: fits curves to measured tables.",
                                 .usage = fit_usage,
                                 .options = no_options,
                                 .commands = fit_commands,
                                 .manual = "trainspec(1)"};
  ts_options o = ts_options_start(&fit, argc, argv);
  int id = ts_options_next(&o);
  if (id == TS_OPTIONS_EXIT)
    return o.status;
  if (id == TS_OPTIONS_END)
    return ts_options_wrong(&o, "nothing to fit given: `%s ops`, `%s network` or `%s slowdown`",
                            o.called, o.called, o.called);
  return dispatch(&o, fits, COUNT(fits), argc - o.at + 1, argv + o.at - 1, "table to fit");
}

int main(int argc, char **argv)
{
  ts_options_begin(argc, argv);
  ts_interrupt_plain();
  ts_options o = ts_options_start(&program, argc, argv);
  int id = ts_options_next(&o);
  if (id == TS_OPTIONS_EXIT)
    return o.status;
  if (id == TS_OPTIONS_END)
    return ts_options_wrong(&o, "no command given");
  return dispatch(&o, commands, COUNT(commands), argc - o.at + 1, argv + o.at - 1, "command");
}
