/* What a set came to: parts of lines of points, notes, and the errors that std.errors counts. */
#ifndef TS_ACCURACY_RESULT_H
#define TS_ACCURACY_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/container.h"

/* A row, in seconds. */
typedef struct acc_point {
  const char *name;
  double predicted, measured;
  double work;      /* done in the time, a device; 0: not a time of work */
  double baseline;  /* what something simpler predicts; 0: nothing */
  double low, high; /* the 80 % interval; 0 and 0: none */
} acc_point;
typedef TS_VEC(acc_point) acc_points;

typedef struct acc_line {
  const char *name;
  acc_points points;
} acc_line;

typedef struct acc_part {
  const char *title;
  bool drawn; /* its points are in the picture of the set */
  TS_VEC(acc_line) lines;
} acc_part;

/* A figure of one origin by itself, a kernel or a call: which record of std.errors its error
 * belongs to. */
typedef struct acc_origin {
  uint32_t origin, basis;   /* ts_ir_origin; ts_ir_basis or ts_ir_net_kind */
  const char *name, *dtype; /* of a family or a file, of a number format; or NULL: of any */
  bool between;
  uint32_t least_kib;
} acc_origin;

typedef struct acc_seen {
  acc_origin of;
  const char *group; /* what is left out together, a device or a cluster */
  double predicted, measured;
} acc_seen;

typedef struct acc_note { const char *label, *text; } acc_note;

typedef struct acc_result {
  TS_VEC(acc_part *) parts;
  TS_VEC(acc_note) notes;
  TS_VEC(acc_seen) seen;
} acc_result;

acc_part *acc_part_new(ts_arena *arena, acc_result *r, const char *title);
/* Nothing of no points. */
void acc_line_add(ts_arena *arena, acc_part *part, const char *name, const acc_points *points);
void acc_note_add(ts_arena *arena, acc_result *r, const char *label, const char *text);
void acc_seen_add(ts_arena *arena, acc_result *r, acc_seen seen);

/* Of errors, in % of what was measured; of some points. */
double acc_mean_error(const acc_points *points);
double acc_median_error(ts_arena *arena, const acc_points *points);

/* As JSON. 0 or an errno value. */
int acc_result_write(acc_result *r, const char *path);

#endif
