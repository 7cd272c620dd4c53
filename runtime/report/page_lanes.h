/* Who did what when, for pages: the streams of a class of ranks as blocks that repeat. All numbers
 * are ps; doc/reports.md, "What a page holds", is the specification. */
#ifndef TS_RUNTIME_REPORT_PAGE_LANES_H
#define TS_RUNTIME_REPORT_PAGE_LANES_H

#include "runtime/report/runs.h"
#include "runtime/report/summary.h"

enum { TS_PAGE_HEAD = 2 }; /* numbers of a pattern before those of its spans */

typedef struct ts_page_lanes { /* of one class */
  const ts_run_list *streams;  /* [streams + 1] blocks; the last: the host */
  ts_run_list peers;           /* of the items with receives: whose message it was */
  ts_run_list idle;            /* of items: what the compute stream waited for before them */
} ts_page_lanes;

typedef struct ts_page_tables { /* what the lanes of all classes share; for the caller to zero */
  ts_tuples spans;             /* gap, wait, time of a node */
  ts_tuples patterns;          /* fragment, coarse, numbers of spans */
  ts_tuples blocks;            /* number of a pattern, gap before it, chunk */
  ts_tuples peers;             /* number of the class, item after mine, node: less mine */
  ts_tuples received;          /* numbers of peers, of an item */
  ts_tuples idles;             /* gap, kind, time, item after mine, node */
  ts_tuples waited;            /* numbers of idles, of an item */
  size_t numbers;              /* written so far in patterns */
  size_t coarse;               /* blocks whose nodes were left out, as there would be too many */
} ts_page_tables;

ts_page_lanes ts_page_lanes_of(ts_arena *arena, const ts_summary *summary, uint32_t class,
                               ts_page_tables *tables);

#endif
