/* Of the verifier: every field that names a record of another table or a string. */
#include "ir/forms.h"
#include "ir/layout.h"

/* A field that names a record of another table. */
static int check_ref(const ts_ir *ir, uint32_t kind, const ts_ir_field *f, ts_error *error)
{
  uint32_t target = ts_ir_target(f), limit = ts_ir_count(ir, target);
  uint32_t count = ts_ir_count(ir, kind), size = ts_ir_tables[kind].record_size;
  const uint8_t *record = ts_ir_records(ir, kind);
  for (uint32_t i = 0; i < count; i++, record += size) {
    uint32_t index = *(const uint32_t *)(const void *)(record + f->offset);
    if (index >= limit && !(ts_ir_may_be_none(f) && index == TS_IR_NONE))
      return ts_ir_fail(error, "%s %u: its %s is number %u of %u %s", ts_ir_tables[kind].name, i,
                        f->name, index, limit, ts_ir_tables[target].name);
    if (target == TS_IR_STRINGS && index && ir->strings[index - 1])
      return ts_ir_fail(error, "%s %u: its %s begins inside a string", ts_ir_tables[kind].name, i,
                        f->name);
  }
  return 0;
}

int ts_ir_verify_refs(const ts_ir *ir, ts_error *error)
{
  int failed = 0;
  for (uint32_t kind = TS_IR_STRINGS; kind < TS_IR_SECTION_KINDS; kind++)
    for (const ts_ir_form *form = ts_ir_forms; form < ts_ir_forms + TS_IR_FORMS; form++)
      for (const ts_ir_field *f = form->fields; form->kind == kind && f->name && !failed; f++)
        if (ts_ir_target(f) && f->size == sizeof(uint32_t)) /* a node's stream: see check_node */
          failed = check_ref(ir, kind, f, error);
  return failed;
}
