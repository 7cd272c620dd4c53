/* The programs as functions: each main() and the umbrella call these. They own the terminal; the
 * library below them does not print. */
#ifndef TS_TOOLS_CLI_PROGRAMS_H
#define TS_TOOLS_CLI_PROGRAMS_H

#include "base/options.h"

/* A command of the umbrella: its file has `usage`, `options` and `notes`. */
#define TS_COMMAND(about)                                                                        \
  {.summary = "TrainSpec: " about,                                                               \
   .usage = usage,                                                                               \
   .options = options,                                                                           \
   .notes = notes,                                                                               \
   .manual = "trainspec(1)"}

int ts_tsc_main(int argc, char **argv);     /* compile a plan to IR */
int ts_tsrun_main(int argc, char **argv);   /* play a plan or IR */
int ts_tsfmt_main(int argc, char **argv);   /* format files of the language */
int ts_fit_ops_main(int argc, char **argv); /* fit curves of operators to measured tables */
int ts_fit_network_main(int argc, char **argv); /* calibrate a network to measured collectives */
int ts_fit_slowdown_main(int argc, char **argv); /* learn what overlap costs kernels */
int ts_calibrate_main(int argc, char **argv); /* calibrate a plan to measured steps */
int ts_trace_main(int argc, char **argv);   /* what is in traces */
int ts_table_main(int argc, char **argv);   /* a table of costs from traces */
int ts_replay_main(int argc, char **argv);  /* play a trace */
int ts_export_main(int argc, char **argv);  /* Chakra, GOAL */
int ts_sweep_main(int argc, char **argv);   /* play a family of plans */
int ts_diff_main(int argc, char **argv);     /* what two plans differ in */
int ts_lock_main(int argc, char **argv);     /* what an answer rests on */
int ts_log_main(int argc, char **argv);      /* the steps of a training log */
int ts_compare_main(int argc, char **argv);  /* a plan beside a run */
int ts_watch_main(int argc, char **argv);    /* a growing log beside its plan */
int ts_collective_main(int argc, char **argv); /* a collective taken apart */
int ts_db_main(int argc, char **argv);      /* the profile database */
int ts_profile_main(int argc, char **argv); /* measure this machine */
int ts_lsp_main(int argc, char **argv);     /* the language server */
int ts_import_main(int argc, char **argv);   /* a plan from a framework's command line */
int ts_init_main(int argc, char **argv);    /* a plan to begin with */
int ts_help_main(int argc, char **argv);    /* what the manual says of a topic */
int ts_completion_main(int argc, char **argv); /* scripts for shells */
int ts_list_main(int argc, char **argv);    /* what there is in std */
int ts_show_main(int argc, char **argv);    /* what a name means */
int ts_schedule_main(int argc, char **argv); /* search an order of work */
int ts_topo_main(int argc, char **argv);    /* draw the cluster of a plan */

#endif
