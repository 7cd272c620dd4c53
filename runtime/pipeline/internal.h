/* Shared by the files of runtime/pipeline/ alone: what an item does to the clocks of its rank. */
#ifndef TS_RUNTIME_PIPELINE_INTERNAL_H
#define TS_RUNTIME_PIPELINE_INTERNAL_H

#include "runtime/pipeline/pipeline.h"

#define TS_PIPELINE_UNKNOWN INT64_MIN /* of an arrival: nobody has sent the message */

static inline int64_t ts_pipeline_later(int64_t a, int64_t b) { return a > b ? a : b; }

/* `x`: clocks of the item's rank; `in`: its messages, all of which are there. */
static inline int64_t ts_pipeline_row_value(const ts_pipeline_play *s, const ts_pipeline_row *row,
                                            const uint32_t *in, const int64_t *x)
{
  const ts_pipeline *p = s->of;
  int64_t value = TS_PIPELINE_NEVER;
  for (const ts_pipeline_term *t = p->terms + row->first_term, *end = t + row->term_count; t < end;
       t++) {
    int64_t from = t->in < p->clocks ? x[t->in] : s->arrived[in[t->in - p->clocks]];
    value = ts_pipeline_later(value, from + t->time);
  }
  return value;
}

static inline void ts_pipeline_apply(ts_pipeline_play *s, const ts_pipeline_item *item, int64_t *x)
{
  const ts_pipeline *p = s->of;
  const ts_pipeline_map *map = &p->maps[item->map];
  const ts_pipeline_row *row = p->rows + map->first_row;
  int64_t y[TS_PIPELINE_ROWS];
  for (uint32_t r = 0; r < map->row_count; r++)
    y[r] = ts_pipeline_row_value(s, &row[r], p->ins + item->first_in, x);
  for (uint32_t r = 0; r < map->row_count; r++)
    if (row[r].out < p->clocks)
      x[row[r].out] = y[r];
    else
      s->arrived[item->first_out + row[r].out - p->clocks] = y[r];
}

#endif
