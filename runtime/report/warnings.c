#include "runtime/report/warnings.h"

void ts_warnings_of_ir(ts_arena *arena, const ts_ir *ir, ts_warnings *out)
{
  for (uint32_t i = 0; i < ir->remarks_count; i++) {
    const ts_ir_remark *r = &ir->remarks[i];
    const char *name = ir->strings + r->name, *text = ir->strings + r->text;
    if (r->kind == TS_IR_REMARK_WARNING)
      TS_PUSH(arena, &out->at,
              (ts_warning){.code = name,
                           .message = text,
                           .here = ir->strings + r->here,
                           .loc = r->loc,
                           .more = r->more,
                           .compiled = true});
    else if (r->kind != TS_IR_REMARK_ASSUMED)
      TS_PUSH(arena, &out->at.at[out->at.count - 1].notes,
              (ts_warning_note){r->kind, r->loc, name, text});
  }
}

ts_warning *ts_warning_add(ts_arena *arena, ts_warnings *list, const char *code, uint32_t loc,
                           const char *format, ...)
{
  ts_warning w = {.code = code, .loc = loc, .here = ""};
  TS_FORMATTED(arena, format, w.message);
  TS_PUSH(arena, &list->at, w);
  return &list->at.at[list->at.count - 1];
}

void ts_warning_here(ts_arena *arena, ts_warning *w, const char *format, ...)
{
  TS_FORMATTED(arena, format, w->here);
}

void ts_warning_fact(ts_arena *arena, ts_warning *w, const char *name, const char *format, ...)
{
  ts_warning_note note = {TS_IR_REMARK_FACT, TS_IR_NONE, name, NULL};
  TS_FORMATTED(arena, format, note.text);
  TS_PUSH(arena, &w->notes, note);
}

void ts_warning_help(ts_arena *arena, ts_warning *w, const char *format, ...)
{
  ts_warning_note note = {TS_IR_REMARK_HELP, TS_IR_NONE, "", NULL};
  TS_FORMATTED(arena, format, note.text);
  TS_PUSH(arena, &w->notes, note);
}
