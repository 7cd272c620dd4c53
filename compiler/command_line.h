/* The command line of a training framework as a plan. A file of the standard library's
 * `frameworks/` declares a type of records whose fields are the arguments that it follows, and a
 * record `command_line` that says what becomes of all others and how the plan goes on. */
#ifndef TS_COMPILER_COMMAND_LINE_H
#define TS_COMPILER_COMMAND_LINE_H

#include "compiler/eval/env.h"

typedef struct ts_command_line {
  const char *framework; /* the file: std.frameworks.NAME */
  /* words, as a shell would hand them over: NAME=VALUE of the environment, a script, arguments */
  const char *const *word;
  uint32_t word_count;
  const char *gpus, *gpu; /* values of the plan's parameters of these names; NULL: theirs */
} ts_command_line;

/* The frameworks of the standard library: the files that declare `command_line`. */
void ts_command_line_frameworks(ts_session *s, ts_name_list *names);

/* The text of a plan, laid out as tsfmt does, in the session's arena. NULL after errors, which are
 * in the queue; what is passed over and has a bearing is warned of. */
const char *ts_command_line_plan(ts_session *s, const ts_command_line *line, size_t *size);

#endif
