/* Private to the writer of the text form. */
#ifndef TS_IR_TEXT_WRITE_INTERNAL_H
#define TS_IR_TEXT_WRITE_INTERNAL_H

#include "ir/layout.h"
#include "ir/text/output.h"
#include "ir/text/text.h"

typedef struct ts_ir_writer {
  const ts_ir *ir;
  ts_ir_output to;
  ts_arena *arena;
  ts_ir_symbols taken;                     /* symbols by kind, labels by fragment */
  const char **names[TS_IR_SECTION_KINDS]; /* the symbol of each record */
  const char *symbol;                      /* of the record that is written */
  uint32_t index;                          /* its place in its table */
  const ts_ir_fragment *fragment;          /* that is written */
  uint32_t labels;                         /* the space of its labels */
  uint32_t comm_stream;
} ts_ir_writer;

static inline void ts_ir_write_text(ts_ir_writer *w, const char *text)
{
  ts_ir_out_text(&w->to, text);
}
static inline const char *ts_ir_write_string(const ts_ir_writer *w, ts_ir_str s)
{
  return w->ir->strings + s;
}

void ts_ir_write_symbol(ts_ir_writer *w, uint32_t kind, uint32_t index);
void ts_ir_write_fields(ts_ir_writer *w, const ts_ir_field *f, const void *record,
                        const void *usual);
void ts_ir_write_record(ts_ir_writer *w, const ts_ir_form *form, const void *record);
void ts_ir_write_run(ts_ir_writer *w, const ts_ir_form *form, const char *begin, uint32_t first,
                     uint32_t count);
void ts_ir_write_fragment(ts_ir_writer *w, const ts_ir_fragment *f, uint32_t index);
void ts_ir_write_program(ts_ir_writer *w, const ts_ir_program *p);

#endif
