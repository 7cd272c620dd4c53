/* How far a sweep has come, as its journal knows. */
#ifndef TS_TOOLS_SWEEP_PROGRESS_H
#define TS_TOOLS_SWEEP_PROGRESS_H

#include "base/json_writer.h"
#include "tools/sweep/journal.h"

static inline uint64_t ts_progress_done(const ts_journal_sweep *s) { return s->known + s->played; }
/* plans a second; 0: not known */
double ts_progress_rate(const ts_journal_sweep *s);
/* s until all are played; negative: not known */
double ts_progress_left(const ts_journal_sweep *s);
/* Members of an object. now: s since 1970; last: it may be under way */
void ts_progress_put_json(const ts_journal_sweep *s, double now, bool last, ts_json_writer *w);

#endif
