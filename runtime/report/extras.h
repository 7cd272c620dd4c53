/* Parts of a report that only come when they are asked for. */
#ifndef TS_RUNTIME_REPORT_EXTRAS_H
#define TS_RUNTIME_REPORT_EXTRAS_H

#include <stdio.h>

#include "runtime/account/energy.h"
#include "runtime/account/allocator.h"
#include "runtime/account/blame.h"
#include "runtime/account/modules.h"
#include "runtime/play/slowdown.h"
#include "runtime/report/ways_out.h"
#include "runtime/study/compare.h"
#include "runtime/study/goodput.h"
#include "runtime/study/sensitivity.h"
#include "runtime/study/spread.h"
#include "runtime/study/steps.h"

typedef struct ts_asserted { const char *text; bool holds; } ts_asserted;

/* A choice of a framework's profile, and the time of a step without it, in ps; 0: the plan is
 * refused without it. */
typedef struct ts_choice {
  const char *name;
  uint64_t without;
} ts_choice;

typedef struct ts_extras { /* NULL: not asked for */
  const ts_blames *blames;
  const ts_modules *modules;
  const ts_reserved *reserved;    /* by class */
  const ts_spread *spread;
  const ts_goodput *goodput;
  const ts_slowdown *overlap;     /* what the run was played with */
  const ts_day *day;              /* with failures at given times */
  const ts_steps *steps;
  const ts_sensitivities *sensitivities;
  const char *what_if;            /* the change, and the step then */
  uint64_t what_if_step;
  ts_energy what_if_energy;
  const char *what_if_stays;      /* links that the change leaves as slow as they are, or NULL */
  const struct ts_not_followed *not_followed; /* models that do not follow the change */
  uint32_t not_followed_count;
  const ts_difference *difference; /* from another plan */
  const char *difference_from;
  const struct ts_summary *other;  /* that plan's, for pages */
  const char *name;                /* of the plan in a page of two; NULL: as it calls itself */
  const ts_choice *choices;        /* of the framework, that change the step */
  uint32_t choice_count, choices_tried; /* 0: the plan names no profile */
  const ts_asserted *asserted;     /* of the command line */
  uint32_t asserted_count;
  const ts_ways_out *ways_out;     /* looked for where memory does not suffice */
} ts_extras;

struct ts_summary;
struct cJSON;
void ts_report_extras_text(const struct ts_summary *summary, ts_arena *arena, FILE *out);
void ts_report_extras_json(const struct ts_summary *summary, struct cJSON *root);

/* runtime/report/insight.c: steps, sensitivities, changes, differences */
void ts_report_insight_text(const struct ts_summary *summary, ts_arena *arena, FILE *out);
void ts_report_insight_json(const struct ts_summary *summary, struct cJSON *root);

#endif
