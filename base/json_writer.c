#include "base/json_writer.h"

#include <inttypes.h>
#include <stdarg.h>

#include "base/escape.h"

void ts_json_key(ts_json_writer *w, const char *key)
{
  ts_put_json_key(w->out, w->comma, key, w->spaced);
  w->comma = true;
}

void ts_json_begin(ts_json_writer *w, const char *key, char bracket)
{
  ts_json_key(w, key);
  fputs(bracket == '{' ? "{" : "[", w->out);
  w->comma = false;
}

void ts_json_end(ts_json_writer *w, char bracket)
{
  fputs(bracket == '}' ? "}" : "]", w->out);
  w->comma = true;
}

void ts_json_put_text(ts_json_writer *w, const char *key, const char *text)
{
  ts_json_key(w, key);
  ts_put_json_string(w->out, text);
}

void ts_json_put_count(ts_json_writer *w, const char *key, uint64_t value)
{
  ts_json_key(w, key);
  ts_put_digits(w->out, value, 1);
}

void ts_json_put_thousandths(ts_json_writer *w, const char *key, uint64_t value)
{
  ts_json_put_count(w, key, value / 1000);
  putc('.', w->out);
  ts_put_digits(w->out, value % 1000, 3);
}

void ts_json_put_signed(ts_json_writer *w, const char *key, int64_t value)
{
  ts_json_key(w, key);
  fprintf(w->out, "%" PRId64, value);
}

void ts_json_put_bool(ts_json_writer *w, const char *key, bool value)
{
  ts_json_key(w, key);
  fputs(value ? "true" : "false", w->out);
}

void ts_json_put_null(ts_json_writer *w, const char *key)
{
  ts_json_key(w, key);
  fputs("null", w->out);
}

void ts_json_put_number(ts_json_writer *w, const char *key, const char *format, ...)
{
  ts_json_key(w, key);
  va_list args;
  va_start(args, format);
  ts_vput_json(w->out, format, args);
  va_end(args);
}

void ts_json_last_line(ts_json_writer *w, unsigned indent)
{
  putc('\n', w->out);
  while (indent--)
    putc(' ', w->out);
  w->comma = false;
}

void ts_json_line(ts_json_writer *w, unsigned indent)
{
  if (w->comma)
    putc(',', w->out);
  ts_json_last_line(w, indent);
}

void ts_json_end_document(ts_json_writer *w) { ts_json_last_line(w, 0); }
