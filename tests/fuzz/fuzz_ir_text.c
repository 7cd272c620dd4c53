/* The reader of the text form, on any bytes. What it accepts must print and read back to the same
 * bytes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"

typedef struct text { char *at; size_t size, room; } text;

static void put(void *closure, const char *bytes, size_t size)
{
  text *t = closure;
  if (t->size + size > t->room) {
    t->room = 2 * (t->size + size);
    t->at = realloc(t->at, t->room);
    if (!t->at)
      abort();
  }
  memcpy(t->at + t->size, bytes, size);
  t->size += size;
}

static uint8_t *encode(ts_ir_builder *b, ts_ir *view, size_t *size)
{
  ts_ir_builder_view(b, view);
  uint8_t *bytes = ts_ir_encode(view, size);
  if (!bytes)
    abort();
  return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  ts_error error;
  ts_ir view, again;
  ts_ir_builder *b = ts_ir_parse((const char *)bytes, size, &error), *c;
  if (!b && !error.message[0])
    abort();
  if (!b)
    return 0;
  size_t first_size, second_size;
  text t = {0};
  uint8_t *first = encode(b, &view, &first_size);
  if (ts_ir_print(&view, put, &t) || !(c = ts_ir_parse(t.at, t.size, &error)))
    abort();
  uint8_t *second = encode(c, &again, &second_size);
  if (first_size != second_size || memcmp(first, second, first_size))
    abort();
  free(first);
  free(second);
  free(t.at);
  ts_ir_builder_free(b);
  ts_ir_builder_free(c);
  return 0;
}
