/* A played plan as facts, for reviewers: what it is and what comes of it, each with a number; and
 * which facts of two plans differ. */
#ifndef TS_RUNTIME_REPORT_FACTS_H
#define TS_RUNTIME_REPORT_FACTS_H

#include <stdbool.h>
#include <stdio.h>

#include "runtime/report/summary.h"

typedef enum ts_fact_part {
  TS_FACT_OUTCOME,
  TS_FACT_PLAN,
  TS_FACT_CLUSTER,
  TS_FACT_KERNELS,
  TS_FACT_CALLS,
  TS_FACT_TIME,
  TS_FACT_MEMORY,
  TS_FACT_BASIS,
  TS_FACT_PARTS
} ts_fact_part;
typedef struct ts_plan_fact {
  ts_fact_part part;
  const char *name;   /* one of its part */
  ts_figure_unit unit;
  double value;        /* ps, bytes, ...: ts_figure_units */
} ts_plan_fact;

typedef struct ts_plan_facts { size_t count; const ts_plan_fact *at; } ts_plan_facts;

/* By part. Means are over all ranks. */
ts_plan_facts ts_facts_of(ts_arena *arena, const ts_summary *summary);

/* fact.value: of neither */
typedef struct ts_fact_change {
  ts_plan_fact fact;
  bool had, has;
  double before, after;
} ts_fact_change;
typedef struct ts_fact_changes { size_t count; const ts_fact_change *at; } ts_fact_changes;

/* Facts that are not in both with the same value, by part. */
ts_fact_changes ts_facts_compare(ts_arena *arena, ts_plan_facts before, ts_plan_facts after);

void ts_report_changes_text(ts_fact_changes changes, const char *before, const char *after,
                            ts_arena *arena, FILE *out);
void ts_report_changes_html(ts_fact_changes changes, const char *before, const char *after,
                            ts_arena *arena, FILE *out); /* a table */
/* Tables of Markdown: the results, then the other parts to be unfolded. */
void ts_report_changes_markdown(ts_fact_changes changes, const char *before, const char *after,
                                ts_arena *arena, FILE *out);
/* ratio: of the step times, after over before */
void ts_report_changes_json(ts_fact_changes changes, const ts_interval *ratio, FILE *out);

#endif
