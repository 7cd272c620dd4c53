#include "base/error.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static void keep_utf8(char *message)
{
  size_t left = strlen(message), length;
  char *out = message;
  uint32_t character;
  for (const char *p = message; left; p += length, left -= length) {
    length = ts_utf8_decode(p, left, &character);
    if (length && (unsigned char)*p >= ' ') {
      memmove(out, p, length);
      out += length;
    } else if (!length)
      length = 1;
  }
  *out = 0;
}

void ts_fail_va(ts_error *error, const char *help, const char *format, va_list args)
{
  if (!error || error->message[0])
    return;
  vsnprintf(error->message, sizeof error->message, format, args);
  keep_utf8(error->message);
  snprintf(error->help, sizeof error->help, "%s", help ? help : "");
}

bool ts_fail(ts_error *error, const char *help, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  ts_fail_va(error, help, format, args);
  va_end(args);
  return false;
}

static void set_place(ts_error *error, const char *text, size_t begin, size_t end)
{
  error->begin = begin;
  error->end = end;
  error->line = error->column = 1;
  for (size_t i = 0; i < begin; i++) {
    error->column++;
    if (text[i] == '\n')
      error->line++, error->column = 1;
  }
}

bool ts_fail_at(ts_error *error, const char *text, size_t begin, size_t end, const char *help,
                const char *format, ...)
{
  if (!error->message[0])
    set_place(error, text, begin, end);
  va_list args;
  va_start(args, format);
  ts_fail_va(error, help, format, args);
  va_end(args);
  return false;
}

const char *ts_error_words(ts_arena *arena, const ts_error *error)
{
  return error->line ? ts_arena_printf(arena, "line %u: %s", error->line, error->message) :
                       ts_arena_string(arena, error->message, strlen(error->message));
}
