/* Values of a command line's arguments as the language writes them. */
#ifndef TS_COMPILER_ARGUMENT_VALUE_H
#define TS_COMPILER_ARGUMENT_VALUE_H

#include <stdint.h>

#include "base/arena.h"
#include "lang/ast.h"

/* The words of an argument as a value of the TYPE: `[0, 0, 1]` for ([0]*2+[1]), if it takes any
 * value or lists. A layout is letters in groups that `|` parts, (tt|)*6: a list of lists. NULL: the
 * words are not of the type. */
const char *ts_argument_value(ts_arena *arena, const ts_ast *type, const char *const *word,
                              uint32_t count);
const char *ts_argument_layout(ts_arena *arena, const char *word);
/* In quotes. */
const char *ts_argument_quoted(ts_arena *arena, const char *word);

/* Splits a text into words: blanks, quotes, `\` before a line end, `#` to the end of a line. */
const char *const *ts_argument_words(ts_arena *arena, const char *text, uint32_t *count);

#endif
