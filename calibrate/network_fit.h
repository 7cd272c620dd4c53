/* Calibration of a white box: the methods of a collective library fitted to measured calls, group
 * by group (collective, ranks, islands). */
#ifndef TS_CALIBRATE_NETWORK_FIT_H
#define TS_CALIBRATE_NETWORK_FIT_H

#include <stdio.h>

#include "base/json_writer.h"
#include "base/progress.h"
#include "compiler/machine/network_file.h"
#include "runtime/collective/white_box.h"

/* bytes/s of a rank inside an island, of an island to the next; 0: not known */
typedef struct ts_fit_links { double intra, inter; } ts_fit_links;

/* `progress`, here and below: NULL: nobody asks. */

/* Fits what `points` (sorted, as the IR wants them) measure; what they do not is left to the
 * methods of `hardware`, for any ranks. */
ts_network_file *ts_network_fit(ts_arena *arena, const ts_network_file *hardware,
                                ts_fit_links links, const ts_ir_net_point *points,
                                uint32_t count, const ts_progress *progress);

/* The file's white box for calls of one kind and profile, NULL: no method; seconds of such a call.
 * */
const ts_white_box_plan *ts_network_file_plan(ts_arena *arena, const ts_network_file *file,
                                              uint32_t kind, const ts_profile *profile);
double ts_network_plan_time(const ts_white_box_plan *plan, uint64_t bytes);
/* Seconds of one call; 0: no method. */
double ts_network_file_time(const ts_network_file *file, uint32_t kind, uint64_t bytes,
                            const ts_profile *profile);
/* seconds, of a call without bytes */
double ts_network_method_latency(const ts_ir_net_method *method, const ts_profile *profile);
ts_profile ts_fit_profile(ts_fit_links links, uint32_t ranks, uint32_t islands);

/* How well it predicts sizes that it has not seen: fitted on every second size of each group, from
 * the first (`odd`: from the second) on. */
typedef struct ts_network_score {
  uint32_t collective, ranks, islands, rows; /* rows predicted */
  /* rows outside of the sizes fitted: not predicted unless asked for */
  uint32_t beyond;
  double mean, median, worst;   /* relative errors */
  double baseline;              /* mean of latency and bandwidth fitted to the same rows */
  double *error, *base_error;   /* of each row; `error` is sorted */
  double *predicted, *measured; /* of each row, s */
} ts_network_score;

/* One score for each group of three sizes or more, in the order of the points; these are sorted, a
 * size may be there more than once. */
uint32_t ts_network_hold_out(ts_arena *arena, const ts_network_file *hardware, ts_fit_links links,
                             const ts_ir_net_point *points, uint32_t count, bool odd,
                             bool extrapolate, ts_network_score **scores,
                             const ts_progress *progress);

/* The same of statistical curves, which all groups' halves are fitted to at once. */
uint32_t ts_network_hold_out_curves(ts_arena *arena, const ts_ir_net_point *points, uint32_t count,
                                    bool odd, bool extrapolate, ts_network_score **scores);

/* Errors of a group on all its sizes, each predicted from the half without it; `error` and
 * `base_error` are NULL. Statistical curves without hardware. *all: of all groups together, rows
 * and means alone. */
uint32_t ts_network_residuals(ts_arena *arena, const ts_network_file *hardware, ts_fit_links links,
                              const ts_ir_net_point *points, uint32_t count, bool extrapolate,
                              ts_network_score **scores, ts_network_score *all,
                              const ts_progress *progress);

/* `put_sources`: writes members of the object, which say what it rests on; or NULL. */
void ts_network_file_write(FILE *out, const ts_network_file *file,
                           void (*put_sources)(void *closure, ts_json_writer *w), void *closure);

/* Raw output of nccl-tests (all_reduce_perf and its like), whole. Ranks and nodes come from its
 * list of devices, the collective from its title or `collective` (-1: from the title). Points are
 * in the order of the log. NULL after an error with its line. */
const struct ts_network_table *ts_network_log_read(ts_arena *arena, const char *text, size_t size,
                                                   int collective, ts_error *error);
bool ts_network_is_log(const char *text, size_t size);

#endif
