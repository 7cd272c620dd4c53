#include "compiler/eval/reuse.h"

#include "base/diag_record.h"
#include "compiler/eval/files.h"

ts_noting ts_noting_begin(ts_session *s, ts_touched touched)
{
  ts_noting before = {s->reuse->touched, s->files->reads, s->diags->all.count};
  s->reuse->touched = touched;
  return before;
}

ts_touched ts_noting_end(ts_session *s, const ts_noting *before)
{
  ts_touched touched = s->reuse->touched;
  ts_touch(&s->reuse->touched, before->touched);
  return touched;
}

bool ts_noting_said(const ts_session *s, const ts_noting *before)
{
  return s->diags->all.count != before->said;
}
