/* The inside of the library's handles. */
#ifndef TS_LIBRARY_WORKSPACE_H
#define TS_LIBRARY_WORKSPACE_H

#include <setjmp.h>

#include "base/heap.h"
#include "base/locale.h"
#include "compiler/compile.h"
#include "library/trainspec.h"
#include "runtime/account/allocator.h"
#include "runtime/account/result.h"
#include "runtime/report/summary.h"

/* What the library's functions do around their work: numbers are those of C, and where there is no
 * memory the function ends, not the process. */
typedef struct ts_library_call {
  ts_heap_rescue rescue;
  ts_locale locale;
  struct ts_library_call *before;
} ts_library_call;
bool ts_library_enter(ts_library_call *call, trainspec *ts);
void ts_library_leave(ts_library_call *call, trainspec *ts);
#define TS_LIBRARY_CALL(workspace, work)                                 \
  do {                                                                   \
    ts_library_call call;                                                \
    if (ts_library_enter(&call, workspace) && !setjmp(call.rescue.none)) \
      work;                                                              \
    ts_library_leave(&call, workspace);                                  \
  } while (0)

struct trainspec {
  ts_arena *arena;
  ts_library_call *call;      /* under way */
  bool spent;                 /* one had no memory: there are only its messages any more */
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
  ts_compile_options options; /* it was compiled with */
  const char *path, *text;    /* NULL: it is an IR */
  size_t size;
  ts_input input;
  ts_input whole; /* with rounds that `input` leaves out (ts_ir_left_out); or empty */
  bool open;
  ts_parameters parameters; /* once they were asked for */
  TS_VEC(trainspec_run *) runs;
};

struct trainspec_run {
  trainspec_plan *plan;
  ts_arena *arena;         /* NULL: freed */
  const ts_input *input;   /* that was played: of the plan */
  ts_run *run;
  ts_run_options options;
  const ts_allocator_options *allocator; /* NULL: of no report */
  const ts_memory *memory;
  ts_summary *summary;
  ts_figures figures;
  bool looked;             /* for what is implausible: on the first report */
  bool refused;            /* a warning found there was made an error */
};

/* A session with the workspace's settings of warnings. */
ts_session *ts_library_session(trainspec *ts);
/* The settings so far, for a compilation of the plan of this name. */
ts_compile_options ts_library_options(trainspec *ts, const char *plan);
/* `figures` are the summary's, and outlive the result. */
trainspec_result ts_library_result(const ts_summary *summary, const ts_figures *figures);

#endif
