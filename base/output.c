#include "base/output.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/source.h"
#include "base/text.h"

char *ts_printed(ts_print *put, void *closure, size_t *size)
{
  char *text = NULL;
  size_t length = 0;
  FILE *memory = open_memstream(&text, &length);
  if (!memory)
    abort();
  put(closure, memory);
  if (fclose(memory) != 0)
    abort(); /* the buffer did not grow: what was printed is not all there */
  if (size)
    *size = length;
  return text;
}

int ts_print_file(const char *path, ts_print *put, void *closure)
{
  size_t size;
  char *text = ts_printed(put, closure, &size);
  int error = ts_write_file(path, text, size);
  free(text);
  return error;
}

static bool is_plain(unsigned char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

void ts_put_json_string(FILE *out, const char *text)
{
  putc('"', out);
  for (size_t size = strlen(text), used; size; text += used, size -= used) {
    uint32_t c = 0;
    for (used = 0; used < size && is_plain((unsigned char)text[used]);) used++;
    if (used) {
      fwrite(text, 1, used, out);
      continue;
    }
    used = ts_utf8_decode(text, size, &c);
    if (!used)
      fputs("\\ufffd", out), used = 1;
    else if (c == '"' || c == '\\')
      fprintf(out, "\\%c", (int)c);
    else if (c == '\n')
      fputs("\\n", out);
    else if (c < 0x20 || c == 0x7f)
      fprintf(out, "\\u%04x", (unsigned)c);
    else
      fwrite(text, 1, used, out);
  }
  putc('"', out);
}
