/* Where the text form goes: pieces put together, strings quoted where they must be. */
#include "ir/text/output.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ir/text/text.h"

void ts_ir_out_flush(ts_ir_output *w)
{
  if (w->used)
    w->put(w->closure, w->buffer, w->used);
  w->used = 0;
}

static void out_bytes(ts_ir_output *w, const char *bytes, size_t size)
{
  if (size > sizeof w->buffer - w->used)
    ts_ir_out_flush(w);
  if (size > sizeof w->buffer) {
    w->put(w->closure, bytes, size);
    return;
  }
  memcpy(w->buffer + w->used, bytes, size);
  w->used += size;
}

void ts_ir_out_text(ts_ir_output *w, const char *text) { out_bytes(w, text, strlen(text)); }

void ts_ir_out(ts_ir_output *w, const char *format, ...)
{
  char piece[160];
  va_list args;
  va_start(args, format);
  int length = vsnprintf(piece, sizeof piece, format, args);
  va_end(args);
  out_bytes(w, piece, (size_t)length);
}

void ts_ir_out_quoted(ts_ir_output *w, const char *text)
{
  out_bytes(w, "\"", 1);
  for (size_t length; *text; text += length) {
    uint32_t c = 0;
    length = ts_utf8_decode(text, strnlen(text, 4), &c);
    length = length ? length : 1;
    if (*text == '"' || *text == '\\')
      ts_ir_out(w, "\\%c", *text);
    else if (*text == '\n' || *text == '\t')
      ts_ir_out(w, *text == '\n' ? "\\n" : "\\t");
    else if ((unsigned char)*text < ' ' || *text == 127)
      ts_ir_out(w, "\\x%02x", (unsigned)*text);
    else if (ts_char_steers(c))
      ts_ir_out(w, "\\u%04x", (unsigned)c);
    else
      out_bytes(w, text, length);
  }
  out_bytes(w, "\"", 1);
}

void ts_ir_out_name(ts_ir_output *w, const char *name)
{
  size_t length = strlen(name);
  if (length && ts_ir_word_length(name, length) == length)
    out_bytes(w, name, length);
  else
    ts_ir_out_quoted(w, name);
}

void ts_ir_out_tenths(ts_ir_output *w, const uint8_t *tenths)
{
  char text[TS_IR_NET_SIZES + 1];
  size_t n = 0;
  for (; n < TS_IR_NET_SIZES && tenths[n]; n++)
    text[n] = "0123456789A"[tenths[n]];
  text[n] = 0;
  ts_ir_out_quoted(w, text);
}
