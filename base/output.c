#include "base/output.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

int ts_part_open(ts_part *p, const char *path)
{
  enum { BUFFER = 1 << 20 };
  struct stat info;
  bool there = stat(path, &info) == 0, in_place = there && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
  *p = (ts_part){0};
  if (there && S_ISDIR(info.st_mode))
    return EISDIR;
  p->path = there && !in_place ? realpath(path, NULL) : strdup(path); /* through symbolic links to the file meant */
  if (!p->path)
    return errno;
  p->part = malloc(strlen(p->path) + sizeof ".part");
  p->buffer = malloc(BUFFER);
  if (!p->part || !p->buffer)
    abort(); /* no memory, as in the arena */
  sprintf(p->part, in_place ? "%s" : "%s.part", p->path);
  p->out = fopen(p->part, "we");
  if (!p->out) {
    int error = errno;
    ts_part_close(p, false);
    return error;
  }
  setvbuf(p->out, p->buffer, _IOFBF, BUFFER);
  return 0;
}

int ts_part_close(ts_part *p, bool keep)
{
  int error = 0;
  if (p->out) {
    bool failed = ferror(p->out);
    errno = 0;
    if (fclose(p->out) != 0 || failed)
      error = errno ? errno : EIO;
    bool in_place = strcmp(p->part, p->path) == 0;
    if (!in_place && keep && !error && rename(p->part, p->path) != 0)
      error = errno;
    if (!in_place && (!keep || error))
      remove(p->part);
  }
  free(p->path);
  free(p->part);
  free(p->buffer);
  *p = (ts_part){0};
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

void ts_put_csv_field(FILE *out, const char *text)
{
  if (!text[strcspn(text, ",\"\r\n")]) {
    fputs(text, out);
    return;
  }
  fputc('"', out);
  for (; *text; text++) {
    if (*text == '"')
      fputc('"', out);
    fputc(*text, out);
  }
  fputc('"', out);
}
