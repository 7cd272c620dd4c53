/* `--locked`: a plan, what it reads and its answer against a lock file; what moved the answer. */
#ifndef TS_TOOLS_CLI_LOCKED_H
#define TS_TOOLS_CLI_LOCKED_H

#include "compiler/compile.h"
#include "runtime/account/run.h"
#include "runtime/report/lock.h"

/* "folder/plan.lock" of "folder/plan.ts" */
const char *ts_lock_path(ts_arena *arena, const char *plan);
/* NULL after a message in the session's queue. */
const ts_lock *ts_lock_open(ts_session *s, const char *path);
/* Of what the session compiled or read; with the names that files have in git. A file
 * that cannot be read again is a message in the session's queue. */
ts_lock ts_lock_now(ts_session *s, const char *path, const ts_input *input);

/* How the plan was played. */
typedef struct ts_locked_play {
  const char *path, *lock;           /* files */
  const ts_compile_options *compile;
  const ts_run_options *run;         /* NULL: it was only compiled, and has no answer */
} ts_locked_play;

/* False after E0710, which says what differs from the lock. An input that was changed is put back
 * for a play of its own, if its old text is in the lock or in git, to say by how much it moved the
 * answer. */
bool ts_lock_check(ts_session *s, const ts_locked_play *how, const ts_lock *before,
                   const ts_lock *now);

#endif
