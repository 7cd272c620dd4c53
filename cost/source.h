/* The inside of a cost source, for this folder only. */
#ifndef TS_COST_SOURCE_H
#define TS_COST_SOURCE_H

#include "cost/cost.h"
#include "cost/table.h"

typedef struct ts_fit ts_fit;

struct ts_cost_source {
  enum { TS_SOURCE_TABLE, TS_SOURCE_FIT, TS_SOURCE_ROOFLINE } kind;
  union {
    const ts_table *table;
    const ts_fit *fit;
    const ts_roofline *roofline;
  } u;
  double floor; /* of a fit: seconds in place of its own floor; 0: as fitted */
};

/* The rate of arithmetic in a format; NULL: none. */
const ts_peak *ts_roofline_peak(const ts_roofline *numbers, const char *dtype);
bool ts_roofline_ask(const ts_roofline *numbers, const ts_cost_query *query,
                     ts_cost_answer *answer);

ts_fit *ts_fit_read(ts_arena *arena, const char *text, size_t size, ts_error *error);
/* `floor` as in ts_cost_source. */
bool ts_fit_ask(const ts_fit *fit, double floor, const ts_cost_query *query,
                ts_cost_answer *answer);
const char *ts_fit_provenance(const ts_fit *fit);
const char *ts_fit_device(const ts_fit *fit);
const char *ts_fit_learners(const ts_fit *fit, ts_arena *arena);
uint32_t ts_fit_families(const ts_fit *fit, const char **family, uint32_t room);

#endif
