/* The inside of the library's handles. */
#ifndef TS_LIBRARY_WORKSPACE_H
#define TS_LIBRARY_WORKSPACE_H

#include "compiler/compile.h"
#include "library/trainspec.h"
#include "runtime/account/result.h"
#include "runtime/report/summary.h"

struct trainspec {
  ts_arena *arena;
  ts_sources *sources;        /* of all sessions */
  /* one for each thing that was opened, so that errors of one are no others' */
  TS_VEC(ts_session *) sessions;
  TS_VEC(const char *) warnings; /* options of each session */
  ts_compile_options options; /* of what is opened next */
  TS_VEC(ts_define) defines;
  TS_VEC(const char *) import_dirs, read_dirs, natives;
  TS_VEC(trainspec_plan *) plans; /* open ones */
  TS_VEC(ts_common *) commons;    /* of sweeps */
};

struct trainspec_plan {
  trainspec *ts;
  ts_session *session;
  ts_input input;
  bool open;
  TS_VEC(trainspec_run *) runs;
};

struct trainspec_run {
  trainspec_plan *plan;
  ts_arena *arena;         /* NULL: freed */
  ts_run *run;
  ts_run_options options;
  const ts_memory *memory;
  ts_summary *summary;
  bool looked;             /* for what is implausible: on the first report */
  bool refused;            /* a warning found there was made an error */
};

/* A session with the workspace's settings of warnings. */
ts_session *ts_library_session(trainspec *ts);
/* The settings so far, for a compilation of the plan of this name. */
ts_compile_options ts_library_options(trainspec *ts, const char *plan);
trainspec_result ts_library_result(const ts_summary *summary);

#endif
