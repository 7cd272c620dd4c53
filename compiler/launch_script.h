/* What a shell script would start, without running it: variables, arrays, conditions and files that
 * are written from the script itself. No command of it is run. */
#ifndef TS_COMPILER_LAUNCH_SCRIPT_H
#define TS_COMPILER_LAUNCH_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct ts_launch_script {
  /* of the command with the most arguments, with variables that are set before it (NAME=VALUE) in
   * front; without such a command the arguments that variables hold. A variable that nobody sets
   * stays as ${NAME}. */
  const char *const *word;
  uint32_t word_count;
  struct ts_launch_variable *variable; /* at its end */
  struct ts_launch_file *file;         /* what here-documents write */
} ts_launch_script;

typedef struct ts_launch_variable {
  const char *name, *value; /* the words of an array with blanks between */
  struct ts_launch_variable *next;
} ts_launch_variable;

typedef struct ts_launch_file {
  const char *name, *text;
  struct ts_launch_file *next;
} ts_launch_file;

/* `given`: NAME=VALUE, `count` of them, which the environment holds when the script starts. */
ts_launch_script ts_launch_script_read(ts_arena *arena, const char *text, size_t size,
                                       const char *const *given, uint32_t count);
/* `word` with what `given` says of its ${NAME}, ${NAME:-else}; `defaults`: of a file that is no
 * script, ${NAME:else} is that, too. */
const char *ts_launch_expanded(ts_arena *arena, const char *word, const char *const *given,
                               uint32_t count, bool defaults);
/* The line of a script on which a word stands by itself; 0: on none. */
uint32_t ts_launch_line(const char *text, const char *word);

#endif
