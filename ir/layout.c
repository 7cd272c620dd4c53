#include "ir/layout.h"

#include <stdio.h>

#include "base/text.h"

#define SAME_SIZE(type, bytes)                                                                     \
  _Static_assert(sizeof(type) == (bytes), #type " has no hidden padding")
SAME_SIZE(ts_ir_header, 56);
SAME_SIZE(ts_ir_section, 24);
SAME_SIZE(ts_ir_meta, 80);
SAME_SIZE(ts_ir_source, 48);
SAME_SIZE(ts_ir_loc, 16);
SAME_SIZE(ts_ir_axis, 16);
SAME_SIZE(ts_ir_group, 8);
SAME_SIZE(ts_ir_array, 40);
SAME_SIZE(ts_ir_device_class, 32);
SAME_SIZE(ts_ir_device, 16);
SAME_SIZE(ts_ir_link_class, 40);
SAME_SIZE(ts_ir_link, 16);
SAME_SIZE(ts_ir_net_model, 240);
SAME_SIZE(ts_ir_net_method, 144);
SAME_SIZE(ts_ir_net_point, 32);
SAME_SIZE(ts_ir_net_curve, 160);
SAME_SIZE(ts_ir_cost_source, 16);
SAME_SIZE(ts_ir_kernel, 40);
SAME_SIZE(ts_ir_collective, 16);
SAME_SIZE(ts_ir_stream, 8);
SAME_SIZE(ts_ir_node, 40);
SAME_SIZE(ts_ir_mem, 16);
SAME_SIZE(ts_ir_port, 16);
SAME_SIZE(ts_ir_fragment, 24);
SAME_SIZE(ts_ir_binding, 8);
SAME_SIZE(ts_ir_item, 16);
SAME_SIZE(ts_ir_holding, 16);
SAME_SIZE(ts_ir_program, 24);
SAME_SIZE(ts_ir_remark, 24);
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "files are used as they lie: little-endian");

const ts_ir_table ts_ir_tables[TS_IR_SECTION_KINDS] = {
  [TS_IR_META] = {"meta", sizeof(ts_ir_meta), offsetof(ts_ir, meta), 0},
#define TABLE(kind, type, name)                                                                    \
  [kind] = {#name, sizeof(type), offsetof(ts_ir, name), offsetof(ts_ir, name##_count)},
  TS_IR_TABLES(TABLE)
#undef TABLE
};

const ts_ir_ref ts_ir_refs[] = {
#define REF(kind, record, field, target, none)                                                     \
  {TS_IR_##kind, offsetof(ts_ir_##record, field), TS_IR_##target, none, #field},
#include "ir/refs.def"
#undef REF
};
const uint32_t ts_ir_ref_count = sizeof ts_ir_refs / sizeof *ts_ir_refs;

int ts_ir_fail(ts_error *error, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  ts_fail_va(error, NULL, format, args);
  va_end(args);
  return -1;
}
