/* What a compilation is asked for. */
#ifndef TS_COMPILER_EVAL_OPTIONS_H
#define TS_COMPILER_EVAL_OPTIONS_H

#include "compiler/eval/session.h"

typedef struct ts_define {
  const char *name;
  const char *expression;
} ts_define; /* -D NAME=EXPR */

/* How a pass over a plan ended, and so the whole compilation. */
typedef enum ts_pass_status {
  TS_PASS_REFUSED, /* after errors, which are in the session's queue */
  TS_PASS_DONE,
  /* These two where they are asked for (ts_memory_bound): no plan needs more to be decided on. */
  TS_PASS_TOO_LARGE, /* more is held than any device has room for */
  TS_PASS_ENOUGH     /* who asked knows enough */
} ts_pass_status;

struct ts_ir;
/* Before there is a fragment: s that a step takes at least, bytes of the fullest rank, and what the
 * whole job is about. */
typedef struct ts_early_bound {
  double seconds, tokens, devices;
  uint64_t bytes;
} ts_early_bound;
/* For who need not have an IR of each plan. Memory that the fullest rank holds throughout, and the
 * device with the most room. */
typedef struct ts_memory_bound {
  uint64_t bytes;
  uint64_t reserved, limit; /* by drivers and libraries, and in all */
  /* asked for: it ends, too, as soon as an order shows which micro-batches are in flight; bytes are
   * then less than an IR would show */
  bool early;
  bool in_flight; /* so it ended: bytes are with these micro-batches */
  /* or NULL; asked once the IR has fragments, programs and all of the machine, and their messages
   * have no ends yet. True: that will do, and there is no IR. */
  bool (*enough)(void *closure, const struct ts_ir *ir);
  /* likewise, or NULL; asked once there is an order, and ops have costs */
  bool (*enough_early)(void *closure, const ts_early_bound *known);
  void *closure;
} ts_memory_bound;

/* As `listed`: rounds for who needs none of them, besides those that fill a pipeline. */
enum { TS_LISTED = 16 };
typedef struct ts_compile_options { /* all may be left zero */
  const char *plan_name;            /* when the file has several */
  const char *stdlib_dir;           /* NULL: the one inside the library */
  const char *const *import_dirs;
  uint32_t import_dir_count;
  const ts_define *defines;
  uint32_t define_count;
  /* folders that files of the language may read, besides their own and -I */
  const char *const *read_dirs;
  uint32_t read_dir_count;
  const char *const *natives; /* libraries of native code that may be loaded and called */
  uint32_t native_count;
  bool uncalibrated; /* the plan's `calibration` is left out */
  /* texts in the stead of files, by their paths */
  const struct ts_embedded_file *given;
  uint32_t given_count;
  /* NULL, or what a plan holds is worked out as soon as its stages are known. If it is too much,
   * the compilation ends there without a message, and gives nothing. */
  ts_memory_bound *held;
  /* graphs of ranks (trace/play_rank_graph.h) that play on the plan's machine, in the stead of its
   * own model; NULL: none */
  const struct ts_events *const *ranks;
  uint32_t rank_count;
  /* of a workload (trace/play_workload.h), the one of its `ranks`: what is played, and what that
   * is; may be NULL */
  const struct ts_workload_choice *workload;
  struct ts_workload_facts *workload_facts;
  bool priced; /* times that they have are not taken: `costs` price all work */
  /* an expression in the stead of the plan's `schedule`, which may name what the plan may; NULL:
   * the plan's own */
  const char *schedule;
  /* an order of work in the stead of the schedule's, whose stages and clauses stay
   * (compiler/schedule/schedule.h); NULL: its own */
  const struct ts_given_order *order;
  const char *explain; /* a label to explain: see `explained` of the session */
  /* rounds of a loop that an order lists at least, where one loop of each rank is nothing but equal
   * rounds: the IR says how many more there are (ts_ir_left_out). 0: all */
  uint32_t listed;
  bool orderless; /* of the schedule nothing but its numbers is looked at later */
} ts_compile_options;

#endif
