/* Traces of several ranks of one job, put together: which communication is the same on which ranks,
 * how far their clocks are apart, and what has no partner.
 *
 * Collectives are the same when group, step and sequence agree: the sequence that the trace states,
 * or else the place among the group's calls in the step. A group is its ranks or its name; where
 * neither is known, the stream's place among those that communicate stands for it. All members
 * leave a collective together, so the median difference of their ends is the difference of their
 * clocks. */
#ifndef TS_TRACE_MATCH_H
#define TS_TRACE_MATCH_H

#include <stdio.h>

#include "base/json_writer.h"
#include "trace/read/events.h"

typedef struct ts_match_rank {
  int64_t rank;
  uint32_t calls, matched;     /* collectives of the trace, and those found on another rank */
  int64_t offset;              /* ns to take off its clock to have that of the first */
  int64_t spread;              /* ns: half of the ends agree within this after that */
  /* ns of matched collectives before the last member began, and after */
  int64_t waiting, transfer;
  uint32_t sends, receives, orphans;
} ts_match_rank;

typedef struct ts_orphan { uint32_t trace, event; const char *why; } ts_orphan;

typedef struct ts_match {
  const ts_events *const *traces;
  /* matched; with different kinds on different ranks */
  uint32_t count, collectives, disagreeing, messages;
  ts_match_rank *ranks;        /* [count] */
  TS_VEC(ts_orphan) orphans;
} ts_match;

ts_match *ts_match_new(ts_arena *arena, const ts_events *const *traces, uint32_t count);
void ts_match_text(const ts_match *m, FILE *out);
/* a member of an object */
void ts_match_json(const ts_match *m, ts_json_writer *w, const char *key);

#endif
