/* An IR as bytes: sections, digest, header. */
#include <stdlib.h>

#include "base/digest.h"
#include "base/heap.h"
#include "base/output.h"
#include "base/source.h"
#include "ir/layout.h"

static size_t aligned(size_t offset) { return (offset + 7) & ~(size_t)7; }

static uint8_t *encode_tables(const ts_ir *ir, size_t *size)
{
  ts_ir_section table[TS_IR_SECTION_KINDS - 1];
  size_t end = sizeof(ts_ir_header) + sizeof table;
  for (uint32_t kind = TS_IR_STRINGS; kind < TS_IR_SECTION_KINDS; kind++) {
    table[kind - 1] =
      (ts_ir_section){kind, ts_ir_tables[kind].record_size, end, ts_ir_count(ir, kind)};
    end = aligned(end + (size_t)table[kind - 1].count * table[kind - 1].record_size);
  }
  uint8_t *bytes = ts_heap_new(1, end);
  for (uint32_t kind = TS_IR_STRINGS; kind < TS_IR_SECTION_KINDS; kind++)
    if (table[kind - 1].count)
      memcpy(bytes + table[kind - 1].offset, ts_ir_records(ir, kind),
             (size_t)table[kind - 1].count * table[kind - 1].record_size);
  memcpy(bytes + sizeof(ts_ir_header), table, sizeof table);
  ts_ir_header header = {
    .version = TS_IR_VERSION, .section_count = TS_IR_SECTION_KINDS - 1, .file_size = end};
  memcpy(header.magic, TS_IR_MAGIC, sizeof header.magic);
  ts_digest_bytes(bytes + sizeof header, end - sizeof header, header.digest);
  memcpy(bytes, &header, sizeof header);
  *size = end;
  return bytes;
}

static uint8_t *encode(const ts_ir *ir, size_t *size)
{
  ts_ir_builder *canonical = ts_ir_canonical(ir);
  ts_ir view;
  ts_ir_builder_view(canonical, &view);
  uint8_t *bytes = encode_tables(&view, size);
  ts_ir_builder_free(canonical);
  return bytes;
}

uint8_t *ts_ir_encode(const ts_ir *ir, size_t *size)
{
  return ts_ir_verify(ir, NULL) ? NULL : encode(ir, size);
}

int ts_ir_write_file(const ts_ir *ir, const char *path, ts_error *error)
{
  if (ts_ir_verify(ir, error))
    return -1;
  size_t size;
  uint8_t *bytes = encode(ir, &size);
  int failed = ts_write_file(path, bytes, size);
  free(bytes);
  return failed ? ts_ir_fail(error, "cannot write it: %s", strerror(failed)) : 0;
}
