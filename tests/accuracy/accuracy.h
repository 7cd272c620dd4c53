/* Predicted against measured training steps: `./dev accuracy`. A set is a file of measured rows, a
 * plan, and how the columns of one become parameters of the other. */
#ifndef TS_ACCURACY_ACCURACY_H
#define TS_ACCURACY_ACCURACY_H

#include "compiler/compile.h"
#include "runtime/account/confidence.h"
#include "runtime/account/result.h"
#include "tests/accuracy/csv.h"
#include "tests/accuracy/result.h"

typedef struct acc_coverage acc_coverage; /* tests/accuracy/coverage.h */

/* source: root of the tree; results: of the sets so far; coverage: of intervals, or NULL */
typedef struct acc_context {
  ts_arena *arena;
  const char *data, *source;
  bool verbose;
  acc_results *results;
  acc_coverage *coverage;
} acc_context;

/* The kind of run that a plan is, and the logarithms of how far its memory's interval reaches. */
typedef struct acc_run {
  char framework[48], gpu[48];
  uint32_t bits;
  bool experts, nodes;
  uint64_t parameters;
  double memory_below, memory_above; /* NAN: no interval */
} acc_run;

/* A figure of one origin by itself, a kernel or a call: which record of std.errors its error
 * belongs to. */
typedef struct acc_origin {
  uint32_t origin, basis;   /* ts_ir_origin; ts_ir_basis or ts_ir_net_kind */
  const char *name, *dtype; /* of a family or a file, of a number format; or NULL: of any */
  bool between;
  uint32_t least_kib;
} acc_origin;

typedef struct acc_row {
  const char *name;        /* of the configuration, for people */
  const char *group;       /* rows that compare with one another */
  const char *missing;     /* why it cannot be predicted: counted, not guessed; or NULL */
  bool validation;         /* not used by any fit */
  double measured;         /* seconds */
  double rate;             /* where a source states model FLOP/s a device alone: time follows */
  double memory;           /* bytes, NaN: not measured */
  bool pools;              /* streams allocate from pools of their own, as FSDP2 uses them */
  bool any_rank;           /* ... of the rank that holds most, not of rank 0 */
  /* steps follow one another without a barrier: what counts is the longest time from a rank's first
   * work to its last */
  bool unsynchronised;
  /* in a group each that is compared stands against each reference: relative throughput */
  enum acc_side { ACC_ALONE, ACC_REFERENCE, ACC_COMPARED } side;
  bool effect;             /* ... by how much longer it takes */
  /* for factors.h, or NULL: rows that one factor may hold for (a GPU, release and precision), rows
   * that differ in the size of the system alone, and that size */
  const char *kind, *series;
  double size;
  size_t csv_row;
  /* values of the parameter `recompute`, to NULL, that are tried one after the other while the plan
   * does not fit in memory: what a source does not state; or NULL */
  const char *const *ladder;
  uint32_t define_count;
  ts_define define[40];
  /* Prediction. */
  bool done;
  const char *why;         /* if not done */
  /* reserved: with the framework's caching allocator */
  double predicted, predicted_memory, reserved_memory;
  double work;             /* 6 N tokens / devices */
  double flops;            /* of the model, a step and device */
  double low, high;        /* the 80 % interval of `predicted`; 0 and 0: none */
  double memory_low, memory_high; /* likewise of `predicted_memory` */
  double spread;           /* of log(measured / predicted), put together from the step's parts */
  acc_run run;
} acc_row;

typedef struct acc_set {
  const char *name, *title;
  const char *csv;         /* under the data folder, or that of the tree */
  const char *plan;        /* under tests/accuracy/plans */
  const char *columns;     /* "tp=tp,micro=micro_batch": parameter=column */
  const char *fixed;       /* "-D"s of all rows: "gpu=h100_sxm,..." or "" */
  /* Fills name, group, measured, memory, validation, and defines that are no plain columns. False:
   * not a row of this set. */
  bool (*row)(const acc_context *c, const csv *table, size_t i, acc_row *row);
  const char *sources;     /* who measured, as the files name them */
  const char *fitted;      /* what was fitted, and on which rows, for the report; or NULL */
  const char *assumed;     /* what the rows leave open and the plan assumes; or NULL */
  const acc_ask *asks;     /* or NULL: reported only */
  /* its rows are no whole steps, or apart by a rule: intervals around others do not rest on them */
  bool apart;
  bool here;               /* its file is in the tree */
  const acc_origin *figure; /* rows are not steps but figures of this origin; or NULL */
} acc_set;

extern const acc_set acc_sets[];
extern const size_t acc_set_count;


typedef struct acc_rows { acc_row *at; size_t count; } acc_rows;

/* Reads a set; rows without prediction. False after a message if the file is not there. */
bool acc_read(const acc_context *c, const acc_set *set, acc_rows *rows);
/* Compiles the plan of a row; what a run of it says of the measured time. */
bool acc_open(const acc_context *c, const acc_set *set, const acc_row *row,
              const ts_define *extra, uint32_t extra_count, ts_session *s, ts_input *input);
double acc_seconds(const acc_row *row, const ts_run *run);
/* Compiles and plays the plan of a row, with `extra` defines after its own. */
void acc_predict(const acc_context *c, const acc_set *set, acc_row *row, const ts_define *extra,
                 uint32_t extra_count);
/* All rows of a set, on as many processes as there are processors. */
void acc_predict_all(const acc_context *c, const acc_set *set, acc_rows *rows);
void acc_report(const acc_context *c, const acc_set *set, const acc_rows *rows);
/* Searches parameters of a set's plan on the rows that are not validation:
 * "launch=20us:1us:60us,...": start, least, most. `group`: only rows whose group begins so; NULL:
 * all. */
int acc_fit(const acc_context *c, const acc_set *set, const char *group, const char *parameters);

/* `memory`: an interval around its figure. */
acc_run acc_run_of(const ts_ir *ir, const ts_interval *memory);

void acc_define(ts_arena *arena, acc_row *row, const char *name, const char *expression);

#endif
