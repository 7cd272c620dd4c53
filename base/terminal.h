/* The terminal that text goes to: how wide it is, what it can show, and paragraphs that fit it. */
#ifndef TS_BASE_TERMINAL_H
#define TS_BASE_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* Columns of the terminal that `out` is, between 40 and 1,000; `usual` where it is none. */
unsigned ts_terminal_columns(FILE *out, unsigned usual);
/* Whether characters beyond ASCII can be shown: by the character set of the locale in the
 * environment (LC_ALL, LC_CTYPE, LANG). Where none is set, they are. */
bool ts_terminal_unicode(void);
/* Words of `text` from `column` on, for lines of at most `width` columns; further lines begin at
 * `indent`. Ends with a line break. */
void ts_put_wrapped(FILE *out, const char *text, unsigned column, unsigned indent, unsigned width);

#endif
