/* trainspec COMMAND ...: all programs under one name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complete.h"
#include "base/options.h"
#include "tools/cli/interrupt.h"
#include "tools/cli/programs.h"

enum { MAX_NAME = 256 };

static int run_fit(int argc, char **argv);
static int run_help(int argc, char **argv);

static const struct command {
  const char *name;
  int (*run)(int argc, char **argv);
} commands[] = {{"compile", ts_tsc_main},
                {"run", ts_tsrun_main},
                {"sweep", ts_sweep_main},
                {"diff", ts_diff_main},
                {"compare", ts_compare_main},
                {"watch", ts_watch_main},
                {"lock", ts_lock_main},
                {"log", ts_log_main},
                {"fmt", ts_tsfmt_main},
                {"calibrate", ts_calibrate_main},
                {"fit", run_fit},
                {"trace", ts_trace_main},
                {"table", ts_table_main},
                {"replay", ts_replay_main},
                {"export", ts_export_main},
                {"import", ts_import_main},
                {"topo", ts_topo_main},
                {"collective", ts_collective_main},
                {"schedule", ts_schedule_main},
                {"help", run_help},
                {"completion", ts_completion_main},
                {"init", ts_init_main},
                {"list", ts_list_main},
                {"show", ts_show_main},
                {"db", ts_db_main},
                {"profile", ts_profile_main},
                {"lsp", ts_lsp_main}},
  fits[] = {
    {"ops", ts_fit_ops_main}, {"network", ts_fit_network_main}, {"slowdown", ts_fit_slowdown_main}};

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const ts_option no_options[] = {{0}};
static const char *const usage[] = {"COMMAND [ARGUMENT]...", NULL};
static const char *const command_lines[] = {
  "  compile                   check a plan and write it as IR (tsc)",
  "  run                       simulate a plan or an IR and report (tsrun)",
  "  sweep                     simulate a family of plans and say which are best",
  "  schedule                  search a faster schedule for a plan's pipeline",
  "  diff                      compare two plans and their results",
  "  compare                   compare a plan with a run, and say why they differ",
  "  watch                     compare a growing log with its plan",
  "  lock                      lock what a plan's answer rests on",
  "  log                       show the steps of a training log",
  "  calibrate                 fit a plan to a few measured steps",
  "  fmt                       format files of the language (tsfmt)",
  "  fit ops                   fit curves of operators to measured tables",
  "  fit network               calibrate a network to measured collectives",
  "  fit slowdown              learn how overlap slows kernels",
  "  trace                     summarize traces of real runs",
  "  table                     make a table of costs from traces",
  "  replay                    simulate a trace and compare with its times",
  "  export                    write Chakra traces or a GOAL schedule",
  "  import                    make a plan from the command line of a framework",
  "  topo                      draw the cluster of a plan",
  "  collective                show the cost of a collective, part by part",
  "  db                        keep measured operators of many devices in one file",
  "  profile                   measure this machine: kernels, collectives, both",
  "  init                      write a first plan for a model and a machine",
  "  list                      list what plans are made of: models, gpus, ...",
  "  show                      show what a name means, and its source",
  "  help                      show the manual of a command, page, message or name",
  "  completion                print the script that completes command lines",
  "  lsp                       run the language server, for editors",
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
  if (table == commands && strpbrk(argv[0], "./"))
    return ts_options_wrong(o, "`%s` is no command: a plan is simulated by `trainspec run %s`",
                            argv[0], argv[0]);
  return ts_options_not_among(o, what, argv[0], words);
}

static bool asks_for_command(int argc, char **argv)
{
  return ts_complete_requested(argc, argv) && (atoi(argv[2]) > 0 || argc < 4 || argv[3][0] != '-');
}

/* A shell asks what may stand on the line (base/complete.h): the names of commands, or what the
 * command of that name answers. */
static int trainspec_complete(const ts_program *of, const struct command *table, size_t count,
                              int argc, char **argv)
{
  enum { COLUMN = 28 };
  int place = atoi(argv[2]);
  const char *word = argc > 3 ? argv[3] : "";
  char number[16], name[MAX_NAME];
  for (size_t i = 0; i < count; i++) {
    const char *const *line = of->commands;
    while (*line && strncmp(*line + 2, table[i].name, strlen(table[i].name)) != 0)
      line++;
    if (place <= 0) {
      ts_complete_word(word, table[i].name, *line ? *line + COLUMN : "", stdout);
    } else if (!strcmp(table[i].name, word)) {
      snprintf(number, sizeof number, "%d", place - 1);
      snprintf(name, sizeof name, "%s %s", argv[0], word);
      argv[1] = name;
      argv[3] = number;
      argv[2] = "--complete";
      return table[i].run(argc - 1, argv + 1);
    }
  }
  return TS_EXIT_DONE;
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
  if (asks_for_command(argc, argv))
    return trainspec_complete(&fit, fits, COUNT(fits), argc, argv);
  ts_options o = ts_options_start(&fit, argc, argv);
  int id = ts_options_next(&o);
  if (id == TS_OPTIONS_EXIT)
    return o.status;
  if (id == TS_OPTIONS_END)
    return ts_options_wrong(&o, "nothing to fit given: `%s ops`, `%s network` or `%s slowdown`",
                            o.called, o.called, o.called);
  return dispatch(&o, fits, COUNT(fits), argc - o.at + 1, argv + o.at - 1, "table to fit");
}

/* Of a command, its own. */
static int run_help(int argc, char **argv)
{
  static char help[] = "--help";
  char name[MAX_NAME], *own[] = {name, help, NULL};
  static const char *const alone[][2] = {{"tsc", "compile"}, {"tsrun", "run"}, {"tsfmt", "fmt"}};
  const char *topic = argc == 2 ? argv[1] : "";
  for (size_t i = 0; i < COUNT(alone); i++)
    topic = strcmp(topic, alone[i][0]) ? topic : alone[i][1];
  for (size_t i = 0; i < COUNT(commands); i++)
    if (!strcmp(commands[i].name, topic) && commands[i].run != run_help) {
      snprintf(name, sizeof name, "trainspec %s", topic);
      return commands[i].run(2, own);
    }
  return ts_help_main(argc, argv);
}

int main(int argc, char **argv)
{
  ts_options_begin(argc, argv);
  ts_interrupt_plain();
  if (asks_for_command(argc, argv))
    return trainspec_complete(&program, commands, COUNT(commands), argc, argv);
  ts_options o = ts_options_start(&program, argc, argv);
  int id = ts_options_next(&o);
  if (id == TS_OPTIONS_EXIT)
    return o.status;
  if (id == TS_OPTIONS_END)
    return ts_options_wrong(&o, "no command given");
  return dispatch(&o, commands, COUNT(commands), argc - o.at + 1, argv + o.at - 1, "command");
}
