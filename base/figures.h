/* The figures of a played step: what each is called, its unit, and how its value is written. */
#ifndef TS_BASE_FIGURES_H
#define TS_BASE_FIGURES_H

#include <stdbool.h>
#include <stdio.h>

#include "base/format.h"
#include "base/known.h"

typedef enum ts_figure_unit {
#define FIGURE_UNIT(id, ...) TS_FIGURE_IN_##id,
#include "base/figure_units.def"
#undef FIGURE_UNIT
  TS_FIGURE_UNITS
} ts_figure_unit;

extern const struct ts_figure_unit_row { /* base/figure_units.def says what they are */
  const char *symbol, *ending;
  double times, over;
  bool whole;
  const char *fact;
  double facts;
} ts_figure_units[TS_FIGURE_UNITS];

typedef enum ts_figure_id {
#define FIGURE(id, ...) TS_FIGURE_##id,
#include "base/figures.def"
#undef FIGURE
  TS_FIGURES
} ts_figure_id;

typedef struct ts_figure {
  const char *name;   /* in the language, and the stem of others */
  ts_figure_unit unit;
  int better;         /* 1: more is better; -1: less */
  const char *title;
  const char *lacks, *help;
  /* of reports of one step: a line and a tile of its own; per_step: names say that it is of one */
  struct { bool json, csv, diff, line, per_step; } in;
} ts_figure;
extern const ts_figure ts_figure_table[TS_FIGURES];

/* Of one step, in base units; NaN: not known (base/known.h). */
typedef struct ts_figures { double of[TS_FIGURES]; } ts_figures;

ts_text ts_figure_title(ts_figure_id id);  /* "energy of a step" */
ts_text ts_figure_member(ts_figure_id id); /* of JSON, and a column: "energy_joules" */
ts_text ts_figure_member_per_step(ts_figure_id id); /* "energy_joules_per_step" */
/* What a member or a column holds: ps, bytes, kg. */
double ts_figure_scaled(ts_figure_unit unit, double value);

/* For people: "22.17 s", "41.2 %"; "-": not known. */
ts_text ts_figure_text(ts_figure_unit unit, double value);
/* A comma, and what a column holds; nothing where it is not known. */
void ts_figure_put_csv(ts_figure_unit unit, double value, FILE *out);

#endif
