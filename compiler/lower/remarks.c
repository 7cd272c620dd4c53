/* The warnings of a compilation as records of the IR, so that playing the IR says them again. */
#include <stdarg.h>

#include "base/diag_record.h"
#include "compiler/eval/report.h"
#include "compiler/lower/lowering.h"

static void remarks_put(ts_lowering *l, uint32_t kind, ts_span span, const char *name,
                        const char *text, const char *here, uint32_t more)
{
  void *at;
  if (!*text)
    return;
  ts_ir_remark record = {kind,
                         ts_ir_loc_of(l, span),
                         ts_ir_add_string(l->b, name),
                         ts_ir_add_string(l->b, text),
                         ts_ir_add_string(l->b, here),
                         more};
  ts_ir_append(l->b, TS_IR_REMARKS, 1, &at);
  *(ts_ir_remark *)at = record;
}

static void put_child(ts_lowering *l, const ts_diag_child *child)
{
  const char *text = child->kind == TS_CHILD_EDIT && child->replacement[0] ?
                       ts_arena_printf(l->s->arena, "%s: `%s`", child->text, child->replacement) :
                       child->text;
  static const uint32_t kinds[] = {[TS_CHILD_NOTE] = TS_IR_REMARK_NOTE,
                                   [TS_CHILD_FACT] = TS_IR_REMARK_FACT,
                                   [TS_CHILD_HELP] = TS_IR_REMARK_HELP,
                                   [TS_CHILD_EDIT] = TS_IR_REMARK_HELP};
  remarks_put(l, kinds[child->kind], child->span, child->kind == TS_CHILD_FACT ? child->name : "",
              text, "", 0);
}

static void put_warning(ts_lowering *l, const ts_diag *d)
{
  remarks_put(l, TS_IR_REMARK_WARNING, d->primary, ts_code_name(d->code), d->message,
              d->here ? d->here : "", d->more);
  for (size_t i = 0; i < d->labels.count; i++)
    remarks_put(l, TS_IR_REMARK_LABEL, d->labels.at[i].span, "", d->labels.at[i].text, "", 0);
  for (size_t i = 0; i < d->values.count; i++)
    remarks_put(
      l, TS_IR_REMARK_NOTE, TS_NO_SPAN, "",
      ts_arena_printf(l->s->arena, "`%s` is %s", d->values.at[i].name, d->values.at[i].value), "",
      0);
  for (size_t i = 0; i < d->children.count; i++)
    put_child(l, &d->children.at[i]);
}

void ts_lower_assume(ts_lowering *l, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  remarks_put(l, TS_IR_REMARK_ASSUMED, TS_NO_SPAN, "", ts_arena_vprintf(l->s->arena, format, args),
              "", 0);
  va_end(args);
}

/* In the order in which they are printed. */
void ts_lower_remarks(ts_lowering *l)
{
  size_t count;
  ts_diag **all = ts_diags_sorted_from(l->s->diags, l->s->reports->before, l->s->arena, &count);
  for (size_t i = 0; i < count; i++)
    if (all[i]->severity == TS_WARNING)
      put_warning(l, all[i]);
  if (l->sc && l->sc->slowed.count) /* a recording has no schedule */
    ts_lower_assume(l, "`slow` takes time and does no work: MFU counts the items as if not slowed");
}
