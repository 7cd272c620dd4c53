/* Searches: a family of plans, and which of them is best.
 *
 *   search degrees of my_plan {
 *     vary tp in [1, 2, 4, 8]
 *     set dp = 1024 / tp
 *     require heads % tp == 0, "heads are split evenly"
 *     minimize step_time
 *   }
 *
 * Items are worked off in order, so each may use what those before it gave; the later a `vary`, the
 * faster it moves. Conditions and goals may also use FIGURES of a played step. */
#ifndef TS_COMPILER_SEARCH_H
#define TS_COMPILER_SEARCH_H

#include "compiler/compile.h"
#include "compiler/eval/figures.h"
#include "compiler/eval/module.h"

typedef struct ts_search_reason { const char *text; uint64_t count; } ts_search_reason;

enum { TS_SEARCH_GOALS = 8 }; /* at most */

/* The goal where none is written, and what it comes to of plans with as many tokens a step. */
#define TS_SEARCH_PER_TOKEN "minimize step_time / tokens_per_step"
#define TS_SEARCH_PER_STEP "minimize step_time"

typedef struct ts_search {
  const char *name, *plan;
  const char *items;             /* as they are written */
  uint32_t column_count;
  const char *const *columns;    /* parameters that it gives, in its order */
  size_t point_count;            /* plans of the family */
  const char *goal;              /* "minimize step_time"; several: with commas between */
  bool maximize;                 /* the first one */
  /* no goal is written: time for each token, of those plans that state tokens. Whoever finds that
   * all plans have as many may clear it: then it is the time of a step, which people know. */
  bool per_token;
  uint32_t goal_count;           /* from 1 */
  /* dimension: once a plan was judged */
  struct ts_search_goal {
    const char *text;
    bool maximize;
    ts_dimension dimension;
  } goals[TS_SEARCH_GOALS];
  uint32_t condition_count;      /* that need a played step */
  const char *const *conditions; /* what they say */
  /* conditions, and values that must divide, in its order; counts of plans left out: grow with
   * ts_search_judge */
  uint32_t reason_count;
  ts_search_reason *reasons;
  struct ts_searcher *searcher;
  /* not listed, but for the first plan, if that: it has more than were asked for; ts_search_draw */
  bool open;
  double combinations; /* of an open one: values of all `vary` along the last plan that was drawn */
} ts_search;

/* Finds the search (the only one, or the one named) and lists its plans. `text`: items of a search
 * in the place of one in the file; its plan is o->plan_name, or the only one. `extends`: they are
 * added to that of the file, if it has any, and a goal replaces its goal. NULL after errors. The
 * session must live as long. */
ts_search *ts_search_load(ts_session *s, const char *path, const ts_compile_options *o,
                          const char *name, const char *text, bool extends);

/* Likewise, but a search with more than `most` plans is left open. */
ts_search *ts_search_load_within(ts_session *s, const char *path, const ts_compile_options *o,
                                 const char *name, const char *text, bool extends, size_t most);

/* Of a plan the value of a column: as it would be written, and itself. */
const char *ts_search_text_at(const ts_search *search, size_t point, uint32_t column);
const ts_value *ts_search_value_at(const ts_search *search, size_t point, uint32_t column);
/* All that is to be given to the compiler, the caller's first. In the arena. */
const ts_define *ts_search_defines_at(const ts_search *search, size_t point, ts_arena *arena,
                                      uint32_t *count);

/* Plans of an open search, which become its last points; any may be there already. */
/* One, chosen by the random number. False: none was found, or an error is in the queue. */
bool ts_search_draw(ts_search *search, uint64_t random);
/* Where the values of such a plan stand in the lists of what varies, [columns]; and, in another
 * process, the plan of such places. False: there is none, or an error is in the queue. */
const int64_t *ts_search_places(const ts_search *search, size_t point);
bool ts_search_put(ts_search *search, const int64_t *places);
/* Those that differ from a point in one `vary` (and in what follows from it), by one place in its
 * list, two, four and so on. False after an error. */
bool ts_search_neighbours(ts_search *search, size_t point);

/* What a played plan is worth by the first goal, in base units. False if a condition leaves it out
 * (counted), or after an error (in the queue). */
bool ts_search_judge(ts_search *search, size_t point, const ts_figures *figures, double *objective);

/* Which of the conditions a played plan satisfies; they are not counted. False after an error. */
bool ts_search_holds(ts_search *search, size_t point, const ts_figures *figures, bool *holds);

/* By all goals, of a plan that was judged. False after an error. */
bool ts_search_objectives(ts_search *search, size_t point, const ts_figures *figures,
                          double objectives[TS_SEARCH_GOALS]);

/* The best that a plan can be worth by each goal if its figures are between these, as the goals
 * are: an infinity where that is not known. False: it cannot satisfy a condition; the first one's
 * place among the reasons is given. Adds no messages. */
bool ts_search_bound(ts_search *search, size_t point, const ts_figures *low, const ts_figures *high,
                     double best[TS_SEARCH_GOALS], uint32_t *reason);

#endif
