#include "tools/sweep/progress.h"

double ts_progress_rate(const ts_journal_sweep *s)
{
  return s->played && s->seen > s->begun ? (double)s->played / (s->seen - s->begun) : 0;
}

double ts_progress_left(const ts_journal_sweep *s)
{
  double rate = ts_progress_rate(s);
  return ts_progress_done(s) >= s->plans ? 0 :
         rate > 0                        ? (double)(s->plans - ts_progress_done(s)) / rate :
                                           -1;
}

void ts_progress_put_json(const ts_journal_sweep *s, double now, bool last, ts_json_writer *w)
{
  ts_json_put_text(w, "title", s->title);
  ts_json_put_text(w, "goal", s->goal);
  ts_json_put_count(w, "plans", s->plans);
  ts_json_put_count(w, "known", s->known);
  ts_json_put_count(w, "played", s->played);
  ts_json_put_bool(w, "done", s->ended);
  ts_json_put_number(w, "silent_seconds", "%.3f", now - s->seen);
  if (ts_progress_rate(s) > 0)
    ts_json_put_number(w, "plans_per_second", "%.6g", ts_progress_rate(s));
  if (last && ts_progress_left(s) >= 0)
    ts_json_put_number(w, "seconds_left", "%.6g", ts_progress_left(s));
  ts_json_put_text(w, "best", s->best);
}
