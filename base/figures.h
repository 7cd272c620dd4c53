/* The figures of a played step: what each is called, its unit, and how its value is written. */
#ifndef TS_BASE_FIGURES_H
#define TS_BASE_FIGURES_H

#include <stdbool.h>

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
  const char *fact;
  double facts;
} ts_figure_units[TS_FIGURE_UNITS];

typedef enum ts_figure_id {
#define FIGURE(id, ...) TS_FIGURE_##id,
#include "base/figures.def"
#undef FIGURE
  TS_FIGURES
} ts_figure_id;

typedef enum ts_figure_place { /* of reports of one step */
  TS_FIGURE_BY_HAND = 0,  /* in lines of several figures, or among the facts of the plan */
  TS_FIGURE_JSON = 1,
  TS_FIGURE_CSV = 2,
  TS_FIGURE_DIFF = 4,
  TS_FIGURE_LINE = 8,     /* of its own, and a tile of the page */
  TS_FIGURE_EVERYWHERE = 15,
  TS_FIGURE_PER_STEP = 16 /* it is that of a step, which its names say */
} ts_figure_place;

typedef struct ts_figure {
  const char *name;   /* in the language, and the stem of others */
  ts_figure_unit unit;
  int better;         /* 1: more is better; -1: less */
  unsigned places;
  const char *title;
  const char *lacks, *help;
} ts_figure;
extern const ts_figure ts_figure_table[TS_FIGURES];

/* Of one step, in base units; NaN: not known (base/known.h). */
typedef struct ts_figures { double of[TS_FIGURES]; } ts_figures;

static inline bool ts_figure_is_in(ts_figure_id id, ts_figure_place place)
{
  return ts_figure_table[id].places & (unsigned)place;
}

ts_text ts_figure_title(ts_figure_id id);  /* "energy of a step" */
ts_text ts_figure_member(ts_figure_id id); /* of JSON, and a column: "energy_joules" */
/* What a member or a column holds: ps, bytes, kg. */
double ts_figure_scaled(ts_figure_unit unit, double value);
bool ts_figure_is_whole(ts_figure_unit unit); /* columns have no digits behind the point */

/* For people: "22.17 s", "41.2 %"; "-": not known. */
ts_text ts_figure_text(ts_figure_unit unit, double value);

#endif
