/* Changes of a plan that make it fit in memory, as they were played. Found by tools/cli/ways_out.c,
 * shown by the reports. */
#ifndef TS_RUNTIME_REPORT_WAYS_OUT_H
#define TS_RUNTIME_REPORT_WAYS_OUT_H

#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"

typedef struct ts_way_out {
  /* what to write, line by line: options of the command line, lines of the plan */
  const char *change;
  const char *replaced; /* what the plan has instead; empty: nothing */
  uint64_t step;      /* ps */
  uint64_t peak;      /* bytes on the fullest device, with what driver and libraries hold */
  uint64_t over;      /* bytes more than that device has; 0: it fits */
} ts_way_out;

typedef struct ts_ways_out {
  uint32_t count;
  const ts_way_out *at;      /* those that fit, by step time */
  /* if none fits: the lowest peak that was found; NULL if no change could be played */
  const ts_way_out *closest;
  uint32_t tried, untried;   /* untried: left when the limit of nodes was reached */
} ts_ways_out;

struct cJSON;
/* A table: "18.31 s   71.2 GiB  recompute = full()", at most `most` rows (0: all). */
const char *ts_ways_out_table(const ts_ways_out *ways, ts_arena *arena, uint32_t most);
void ts_ways_out_text(const ts_ways_out *ways, ts_arena *arena, FILE *out);
void ts_ways_out_json(const ts_ways_out *ways, struct cJSON *root);

#endif
