/* A plan as what starts its job in a training framework: the job of an evaluated plan as a value,
 * of which std.frameworks.launch makes the lines. */
#ifndef TS_COMPILER_LAUNCH_LINE_H
#define TS_COMPILER_LAUNCH_LINE_H

#include "compiler/eval/session.h"

/* The text, lines and all, for the framework of this name. NULL after errors. */
const char *ts_launch_text(ts_session *s, const char *path, const char *plan,
                           const char *framework);
/* The names of frameworks that std.frameworks.launch writes for; NULL at the end. */
const char *const *ts_launch_frameworks(ts_session *s);

#endif
