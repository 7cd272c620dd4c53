/* The loader and the verifier, on any bytes. The digest is put right first, else nothing would come
 * past it. What is accepted must encode, print and read back to the same bytes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
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

static void seal(uint8_t *bytes, size_t size)
{
  ts_ir_header header;
  if (size < sizeof header)
    return;
  memcpy(&header, bytes, sizeof header);
  memcpy(header.magic, TS_IR_MAGIC, sizeof header.magic);
  header.version = TS_IR_VERSION;
  header.section_count = TS_IR_SECTION_KINDS - 1;
  header.file_size = size;
  ts_digest_bytes(bytes + sizeof header, size - sizeof header, header.digest);
  memcpy(bytes, &header, sizeof header);
}

static void check_accepted(const ts_ir *ir)
{
  size_t size, again;
  uint8_t *bytes = ts_ir_encode(ir, &size);
  text t = {0};
  ts_error error;
  ts_ir view;
  if (!bytes || ts_ir_view_bytes(bytes, size, &view, &error) || ts_ir_print(ir, put, &t))
    abort();
  ts_ir_builder *b = ts_ir_parse(t.at, t.size, &error);
  if (!b)
    abort();
  ts_ir_builder_view(b, &view);
  uint8_t *same = ts_ir_encode(&view, &again);
  if (!same || size != again || memcmp(bytes, same, size))
    abort();
  free(bytes);
  free(same);
  free(t.at);
  ts_ir_builder_free(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  uint8_t *copy = malloc(size + 1);
  ts_ir view;
  ts_error error;
  if (!copy)
    return 0;
  memcpy(copy, bytes, size);
  ts_ir_view_bytes(copy, size, &view, &error);
  seal(copy, size);
  if (!ts_ir_view_bytes(copy, size, &view, &error))
    check_accepted(&view);
  else if (!error.message[0])
    abort();
  free(copy);
  return 0;
}
