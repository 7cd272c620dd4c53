/* Intervals against what was measured: which share of the rows they hold, how wide they are; and
 * the table of std.errors that they come from, written anew from rows that no fit had. */
#ifndef TS_ACCURACY_COVERAGE_H
#define TS_ACCURACY_COVERAGE_H

#include "tests/accuracy/accuracy.h"

acc_coverage *acc_coverage_new(ts_arena *arena);

/* A row that was predicted, and its memory if that was measured. */
void acc_cover_row(const acc_context *c, const acc_set *set, const acc_row *row);
/* Peak memory of a run that is no row of a set. */
void acc_cover_memory(const acc_context *c, const char *set, const acc_run *run, double predicted,
                      double measured);

/* A figure by itself. `group`: what is left out together, a device or a cluster. */
void acc_cover_figure(const acc_context *c, const char *set, const acc_origin *of,
                      const char *group, double predicted, double measured);

/* Figures of a set; NAN where there are too few rows. The table: of the other configurations (their
 * model and machine left out), and as it ships. */
typedef struct acc_covered {
  size_t rows;
  double left_out, left_out_width, shipped, shipped_width;
} acc_covered;
acc_covered acc_covered_of(const acc_context *c, const char *set, const char *quantity);
/* All sets that were asked for. */
void acc_coverage_report(const acc_context *c);
/* Writes std.errors. False after a message. */
bool acc_errors_write(const acc_context *c, const char *path);

#endif
