/* What a set came to: parts of lines, each with its figures; what is asked of them; what they rest
 * on. Printed in one form, and kept for doc/accuracy.md (page.h). */
#ifndef TS_ACCURACY_RESULT_H
#define TS_ACCURACY_RESULT_H

#include "tests/accuracy/figures.h"

typedef enum acc_figure {
  ACC_MEAN,         /* at most */
  ACC_MEDIAN,
  ACC_WORST,
  ACC_ORDER,        /* at least */
  ACC_RATE_ORDER,
  ACC_WITHIN_FIVE,
  ACC_WITHIN_THIRD,
  ACC_SAME_SIGN,
} acc_figure;

/* Of each line that matches, by itself; the line `all` only where it is meant or stands alone.
 * Lists end with one without `part`. */
typedef struct acc_ask {
  const char *part, *line; /* patterns of fnmatch(3) */
  acc_figure figure;
  double limit;
  const char *found;       /* why it is missed where it is, as far as it is known */
} acc_ask;

typedef enum acc_unit { ACC_SECONDS, ACC_BYTES, ACC_PLAIN } acc_unit;

typedef struct acc_line {
  const char *name;
  const acc_point *points;
  acc_figures figures;
} acc_line;

typedef struct acc_part {
  const char *title;
  acc_unit unit;
  bool drawn; /* its points are in the picture of the set */
  TS_VEC(acc_line) lines;
} acc_part;

/* "fitted", "assumed", "not predicted": text */
typedef struct acc_note { const char *label, *text; } acc_note;

typedef struct acc_result {
  const char *name, *title, *sources; /* sources: of the measurements, or NULL */
  const acc_ask *asks;                /* or NULL */
  TS_VEC(acc_part *) parts;
  TS_VEC(acc_note) notes;
} acc_result;

typedef TS_VEC(acc_result *) acc_results;

/* `all`: where the result is kept. */
acc_result *acc_result_new(ts_arena *arena, acc_results *all, const char *name, const char *title);
acc_part *acc_part_new(ts_arena *arena, acc_result *r, const char *title, acc_unit unit);
/* Nothing of no points. */
void acc_line_add(ts_arena *arena, acc_part *part, const char *name, const acc_points *points);
void acc_note_add(ts_arena *arena, acc_result *r, const char *label, const char *text);
void acc_result_print(ts_arena *arena, const acc_result *r);

/* What was asked and what came, of every line that an ask matches. */
typedef struct acc_mark {
  const acc_ask *ask;
  const acc_part *part;
  const acc_line *line;
  bool missed;
  const char *asked, *came; /* "mean 7 %", "5.3 %" */
} acc_mark;
typedef TS_VEC(acc_mark) acc_marks;
acc_marks acc_marks_of(ts_arena *arena, const acc_result *r);

#endif
