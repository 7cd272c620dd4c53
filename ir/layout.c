#include "ir/layout.h"

#include <stdio.h>

#include "base/text.h"

#define SAME_SIZE(type, bytes)                                                                     \
  _Static_assert(sizeof(type) == (bytes), #type " has no hidden padding")
SAME_SIZE(ts_ir_header, 56);
SAME_SIZE(ts_ir_section, 24);
#define TABLE(kind, record, name, bytes) SAME_SIZE(record, bytes);
#include "ir/records.def"
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "files are used in place, so they are little-endian");

const ts_ir_table ts_ir_tables[TS_IR_SECTION_KINDS] = {
#define TABLE(kind, record, name, bytes)                                                           \
  [TS_IR_##kind] = {#name, bytes, offsetof(ts_ir, name), offsetof(ts_ir, name##_count)},
#define SINGLE(kind, record, name, bytes) [TS_IR_##kind] = {#name, bytes, offsetof(ts_ir, name), 0},
#include "ir/records.def"
};

const ts_ir_run_fields ts_ir_runs[] = {
#define RUN(kind, record, first, count, table, own)                                                \
  {TS_IR_##kind, offsetof(ts_ir_##record, first), offsetof(ts_ir_##record, count),                 \
   sizeof(((ts_ir_##record *)NULL)->count), TS_IR_##table, own},
#include "ir/records.def"
};
const uint32_t ts_ir_run_count = sizeof ts_ir_runs / sizeof *ts_ir_runs;

int ts_ir_fail(ts_error *error, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  ts_fail_va(error, NULL, format, args);
  va_end(args);
  return -1;
}
