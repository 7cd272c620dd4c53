/* A recording by module of the model: where its device's time goes, and, of graphs, what is held at
 * the fullest moment. */
#ifndef TS_TRACE_BY_MODULE_H
#define TS_TRACE_BY_MODULE_H

#include "base/json_writer.h"
#include "trace/read/events.h"

/* ns; exposed: communication beside which nothing is computed, of calls that overlap the earlier
 * one's. memory: bytes. */
typedef struct ts_module_sum {
  const char *name;
  uint32_t count;
  int64_t compute, exposed, transfer, memory;
} ts_module_sum;

/* depth: parts of a path that count, a number belongs to the part before it; layers: numbers stay,
 * else "blocks.3" is "blocks.*". */
typedef struct ts_by_module {
  uint32_t depth;
  bool layers, positions; /* positions: no modules were recorded, rows are outermost operators */
  bool has_memory, has_exposed;
  TS_VEC(ts_module_sum) rows; /* in the order in which the recording comes to them */
} ts_by_module;

ts_by_module *ts_by_module_new(ts_arena *arena, const ts_events *e, uint32_t depth, bool layers);
void ts_by_module_text(const ts_by_module *m, FILE *out);
void ts_by_module_json(const ts_by_module *m, ts_json_writer *w, const char *key);

#endif
