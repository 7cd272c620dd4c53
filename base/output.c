#include "base/output.h"

#include <stdlib.h>

#include "base/source.h"

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
