/* What a rank does, node after node, in the order of issue. Of a step of any length only the place
 * in it is kept. */
#ifndef TS_RUNTIME_ACCOUNT_TIMELINE_H
#define TS_RUNTIME_ACCOUNT_TIMELINE_H

#include "base/arena.h"
#include "runtime/account/result.h"

/* As ts_run_timeline has it, one at a time. False at the end. */
typedef struct ts_issues ts_issues;
ts_issues *ts_issues_new(ts_arena *arena, const ts_run *run, uint32_t rank);
bool ts_issues_next(ts_issues *issues, ts_span_event *event);

/* As ts_run_timeline, but of an item that was played like an earlier one `again` is told instead:
 * its nodes are those of `like`, `by` later, and what the host does is `host_by` later. Items are
 * the IR's. */
typedef struct ts_item_reader {
  void *closure;
  void (*each)(void *closure, const ts_span_event *event);
  void (*again)(void *closure, uint32_t item, uint32_t like, uint64_t by, uint64_t host_by);
} ts_item_reader;
void ts_run_timeline_items(const ts_run *run, uint32_t rank, const ts_item_reader *reader);

/* When the node has something to do: until its sender begins to send, a receive only waits. */
uint64_t ts_event_begun(const ts_span_event *event);
/* Whether pictures of a step show it as work, from then to its end: a part of the compute stream's.
 * What lies between two of an item is waited. */
bool ts_event_works(const ts_span_event *event);

#endif
