/* What all reports say, worked out once from a result: rates, stages, where the time of the job
 * went, what its costs rest on. */
#ifndef TS_RUNTIME_REPORT_SUMMARY_H
#define TS_RUNTIME_REPORT_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/digest.h"
#include "base/figures.h"
#include "ir/ir.h"
#include "runtime/account/confidence.h"
#include "runtime/account/energy.h"
#include "runtime/account/memory.h"
#include "runtime/account/result.h"
#include "runtime/report/extras.h"
#include "runtime/report/warnings.h"

typedef struct ts_time_split { /* mean over ranks, ps; phases, waits and tail sum up to the step */
  double phase[TS_IR_PHASES], compute; /* compute: sum of the phases */
  double exposed;                      /* of all groups */
  double bubble, host, tail;
} ts_time_split;

typedef struct ts_stage_summary { /* all ranks of one program */
  uint32_t program, ranks;
  /* class: the one that works longest, compute and exposed communication together */
  uint32_t busiest;
  uint32_t fullest;   /* class: the one with the highest peak */
  ts_time_split time;
} ts_stage_summary;

typedef struct ts_group_total { /* of one group, collectives or messages, mean over all ranks */
  uint32_t group;
  bool messages;
  double calls, bytes, busy, exposed, transfer;
} ts_group_total;

/* TS_IR_NONE: stated in the plan */
typedef struct ts_source_share { uint32_t source; double time; } ts_source_share;

/* What was asked for, so that a report can be made again: an option as typed, with the digest of
 * the file that it names, if it names one. */
/* file: its name without folders, or NULL */
typedef struct ts_given_option {
  const char *text, *file;
  uint8_t sha256[TS_DIGEST_SIZE];
} ts_given_option;

typedef struct ts_summary {
  ts_arena *arena;
  const ts_ir *ir;
  const ts_run *run;
  const ts_result *result;
  const ts_memory *memory;
  const char *network;       /* the only network model that was asked, or NULL */
  ts_confidence confidence;

  double seconds;            /* of a step */
  /* these may be unknown (base/known.h) */
  double tokens_per_second, samples_per_second;
  double flops_per_device;   /* model FLOP/s of each device */
  double mfu;                /* model FLOPs utilization, 0..1 */
  double executed_per_device; /* FLOP/s of kernels, recomputed ones and padding included */
  double hfu;                /* hardware FLOPs utilization: of those, 0..1 */
  ts_energy energy;

  uint32_t stage_count;
  const ts_stage_summary *stages;    /* by program; only those that have ranks */
  uint32_t busiest;          /* class */
  uint32_t busiest_stage;    /* index into stages */
  ts_time_split time;        /* of all ranks */
  uint32_t group_count;
  const ts_group_total *groups; /* by group, collectives before messages */
  double basis[TS_IR_BASES]; /* compute time of all ranks by what it rests on */
  uint32_t source_count;
  const ts_source_share *sources; /* shares of compute time, largest first; they sum up to 1 */
  uint32_t assumption_count;
  ts_extras extras;          /* all NULL after ts_summary_new: for the owner to set */
  uint32_t requested_count;
  /* for the owner to set: options that decide what is played and studied, and the file that was
   * played if it is an IR (text NULL) */
  const ts_given_option *requested;
  bool verbose; /* for the owner to set: text has all rows, and what it was made from */
  ts_warnings warnings;      /* of the compilation, then of what was played */
  const char *const *assumptions; /* sentences: what the plan left out and what was taken instead */
} ts_summary;

const ts_summary *ts_summary_new(ts_arena *arena, const ts_ir *ir, const ts_run *run,
                                 const ts_memory *memory, const char *network);

/* Of what is 0 where nobody states it; or unknown. */
static inline double ts_ratio_of(double amount, double to)
{
  return to > 0 ? ts_unless_zero(amount / to) : TS_NOT_KNOWN;
}
void ts_summary_utilization(ts_summary *s); /* runtime/report/utilization.c */
ts_figures ts_figures_of(const ts_summary *s); /* runtime/report/figures.c */

static inline uint64_t ts_class_compute(const ts_class_result *c)
{
  uint64_t sum = 0;
  for (uint32_t p = 0; p < TS_IR_PHASES; p++)
    sum += c->phase[p];
  return sum;
}
static inline uint64_t ts_class_exposed(const ts_class_result *c)
{
  uint64_t sum = 0;
  for (uint32_t i = 0; i < c->comm_count; i++)
    sum += c->comms[i].exposed;
  return sum;
}
static inline const char *ts_summary_string(const ts_summary *s, ts_ir_str text)
{
  return s->ir->strings + text;
}

/* Of what a network model answered: calls of a rank, and the share of the step that they take by
 * themselves, both the mean of all ranks. */
ts_text ts_summary_calls(const ts_summary *s, const ts_network_use *use);
double ts_summary_share(const ts_summary *s, const ts_network_use *use);

/* Of a figure of a step, that of 10^12 tokens; unknown: the plan has no tokens. */
static inline double ts_of_trillion_tokens(const ts_summary *s, double of_step)
{
  double tokens = (double)s->ir->meta->tokens_per_step;
  return tokens > 0 ? of_step * 1e12 / tokens : TS_NOT_KNOWN;
}

const char *ts_phase_name(uint32_t phase);       /* "backward (input)" */
const char *ts_phase_column(uint32_t phase);     /* of tables: "backward_input_ps" */
const char *ts_category_name(uint32_t category); /* "activations" */
const char *ts_basis_name(uint32_t basis);       /* "measured" */
const char *ts_critical_name(ts_critical_kind kind); /* "compute" */

enum { TS_REPORT_WIDTH = 100 }; /* columns of the text */
/* Words of `text` in lines that begin at column `indent` and end within the report; the first line
 * has `used` columns already. (runtime/report/provenance.c) */
void ts_report_wrapped(ts_arena *arena, const char *text, unsigned indent, unsigned used,
                       FILE *out);

#endif
