#include "compiler/eval/report.h"

#include <stdarg.h>

#include "base/diag_record.h"
#include "base/intern.h"
#include "compiler/eval/running.h"

enum { MAX_FRAMES = 3 };

typedef struct reported_key {
  ts_diag *diag;
  bool checked;
} reported_key;

struct ts_reported {
  ts_intern places; /* codes with their spans */
  TS_VEC(reported_key) all;
  ts_diags *repeats; /* where repetitions go: never printed */
};

/* The calls that led to an error, innermost first; not those whose whole text holds the place
 * anyway. */
static void note_calls(const ts_session *s, ts_diag *d, ts_span span)
{
  int reported = 0;
  for (const ts_frame *f = s->running->frame; f && reported < MAX_FRAMES; f = f->outer) {
    if (!f->span.file ||
        (f->span.file == span.file && f->span.begin <= span.begin && f->span.end >= span.end))
      continue;
    ts_diag_note_at(d, f->span, "in this call of `%s`", f->name);
    reported++;
  }
}

ts_diag *ts_report(ts_session *s, ts_code code, ts_span span, const char *format, ...)
{
  struct ts_reported *r = s->reports->reported;
  const char *text;
  TS_FORMATTED(s->arena, format, text);
  /* errors without a place are never the same */
  uint32_t found =
    span.file ? ts_intern_run(&r->places, (uint32_t[]){code, span.file, span.begin, span.end}, 4) :
                TS_HASH_NONE;
  if (found < r->all.count) {
    if (!r->all.at[found].checked)
      ts_diag_more(r->all.at[found].diag, 1);
    return ts_diag_add(r->repeats, code, span, "%s", text);
  }
  ts_diag *d = ts_diag_add(s->diags, code, span, "%s", text);
  if (span.file)
    TS_PUSH(s->lasting, &r->all, (reported_key){d, s->running->checking});
  note_calls(s, d, span);
  return d;
}

void ts_reports_begin(ts_session *s)
{
  s->reports->reported = TS_NEW(s->lasting, struct ts_reported);
  s->reports->reported->places.arena = s->lasting;
  s->reports->reported->repeats = ts_diags_new(s->lasting, s->sources);
}

ts_aside ts_session_set_aside(ts_session *s)
{
  ts_aside before = {s->diags, s->reports->reported};
  if (!s->reports->aside.diags ||
      s->reports->aside.diags == s->diags) { /* a trial within a trial has its own */
    s->diags = ts_diags_new(s->lasting, s->sources);
    ts_reports_begin(s);
    s->reports->aside = (ts_aside){s->diags, s->reports->reported};
  }
  s->diags = s->reports->aside.diags;
  s->reports->reported = s->reports->aside.reported;
  return before;
}

ts_code ts_session_take_up(ts_session *s, ts_aside before)
{
  ts_code code = s->diags->all.count ? s->diags->all.at[0]->code : TS_CODE_COUNT;
  if (s->diags->all.count) /* another one next time: what was reported here counts for nothing */
    s->reports->aside.diags = NULL;
  s->diags = before.diags;
  s->reports->reported = before.reported;
  return code;
}
