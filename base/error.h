/* What is wrong with an input, as a value: what, where, and what to do about it. Readers of files
 * in all rooms fill one, and whoever asked them makes a diagnostic of it (ts_diag_add_error). Those
 * that read a whole input clear it first. */
#ifndef TS_BASE_ERROR_H
#define TS_BASE_ERROR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

typedef enum ts_error_kind {
  TS_ERROR_CONTENT,    /* of the input */
  TS_ERROR_UNREADABLE, /* the system refused it */
  TS_ERROR_TOO_MUCH    /* correct, but more than is counted or played */
} ts_error_kind;

typedef struct ts_error {
  char message[400]; /* "": nothing is wrong */
  char help[400];    /* may be "" */
  ts_error_kind kind;
  uint64_t begin, end;   /* bytes of the text, of a packed file those of the unpacked text */
  uint32_t line, column; /* from 1, the column in bytes; 0: not known */
} ts_error;

/* Fills the error if it has none yet, and returns false. `help` and `error` may be NULL. Only whole
 * characters are kept: names may be cut short, or be no UTF-8. */
bool ts_fail(ts_error *error, const char *help, const char *format, ...)
  __attribute__((format(printf, 3, 4)));
void ts_fail_va(ts_error *error, const char *help, const char *format, va_list args);
/* The same at text[begin, end), with its line and column. */
bool ts_fail_at(ts_error *error, const char *text, size_t begin, size_t end, const char *help,
                const char *format, ...) __attribute__((format(printf, 6, 7)));

/* "line 3: message", or the message of one without a line. */
const char *ts_error_words(ts_arena *arena, const ts_error *error);

#endif
