/* What the files of searches share: compiler/search.c reads a search, search_list.c lists or draws
 * its plans, search_bound.c says what they can be at the best, search_objective.c judges them. */
#ifndef TS_COMPILER_SEARCH_INTERNAL_H
#define TS_COMPILER_SEARCH_INTERNAL_H

#include "base/hash_table.h"
#include "compiler/search.h"

/* a parameter that the search gives; choice: among the values of its column, once a plan has it;
 * place: in the list of its `vary` */
#define TS_SEARCH_NO_CHOICE UINT32_MAX
typedef struct ts_given {
  const char *name;
  ts_value value;
  const char *text;
  uint32_t choice;
  int64_t place;
} ts_given;

/* The values of a column, each once. */
typedef struct ts_search_choice { const char *text; ts_value value; } ts_search_choice;
typedef struct ts_search_choices {
  bool pinned; /* -D gives it */
  ts_hash_table by_text;
  TS_VEC(ts_search_choice) all;
} ts_search_choices;

typedef struct ts_search_range { double low, high; } ts_search_range; /* truth: 0 and 1 */

/* What an item asks for, where so many parameters are given: others by their places, and axes of
 * the mesh. Bits of the first 64. */
typedef struct ts_item_needs {
  bool known;
  uint32_t given;
  uint64_t parameters, axes;
} ts_item_needs;

typedef struct ts_searcher {
  ts_session *s;
  ts_module *module;
  const ts_ast *decl, *plan;
  ts_ast_list items;          /* of the search */
  uint32_t goal_count;        /* 0: minimize step_time */
  const ts_ast *goals[TS_SEARCH_GOALS];
  uint32_t given_count;
  ts_given *given;               /* [columns], those before `given_count` hold */
  uint32_t *column_of;        /* [items] of VARY and SET */
  uint32_t *reason_of;        /* [items] of VARY, SET and REQUIRE */
  bool *late;                 /* [items] that need figures */
  ts_item_needs *needs;       /* [items + 1] */
  bool *empty;                /* [items] VARY over a list that is always empty */
  const ts_figures *played;   /* NULL while plans are listed */
  ts_search *search;
  ts_search_choices *choices; /* [columns] */
  const char **quoted;        /* [columns] their names, for messages */
  TS_VEC(uint32_t *) pages;   /* rows of plans: compiler/search_points.c */
  TS_VEC(int64_t) places;     /* [points of an open search][columns] */
  ts_arena **levels;          /* [items] what is made below a value of a VARY, until the next one */
  ts_arena *passing;          /* what is made for one plan and its figures */
  bool keeps;                 /* values point to what was made: nothing of it goes */
  uint64_t tried;             /* values of `vary`, whatever became of them */
  struct conflicts *conflicts; /* NULL, or it is found out why there are no plans */
  /* NULL, or where names of conditions stand, which nobody keeps; or that, for the next one */
  ts_env *names, *spare;
  uint64_t only;              /* conditions that are looked at, by reason; 0: all */
  size_t most;                /* plans to list */
  bool may_open;              /* more: the search is open; else an error */
  struct draw *draw;          /* NULL, or one plan is looked for */
  ts_search_range *all;       /* [items] between what values of each `vary` with a fixed list are */
  double combinations;        /* of those lists */
  bool prunes;                /* there are too many to look at them one by one */
} ts_searcher;

/* The plan's mesh as it is written; NULL if it is not written out. */
const ts_ast *ts_search_mesh(const ts_searcher *v);
/* May the condition hold, or the item give a value, for values between these of the items from
 * `from` on, and those that are given of the items before? */
bool ts_search_may_hold(ts_searcher *v, uint32_t item, uint32_t from,
                        const ts_search_range *values);
const ts_ast *ts_search_formal(const ts_searcher *v, const char *name);
const ts_ast *ts_search_expression(const ts_searcher *v, uint32_t item);
/* Does the item, a `let` before it, or the default of a parameter that one of these uses name
 * parameter `index`? What nobody asks for is not evaluated: it may not be possible yet. */
bool ts_search_needs(const ts_searcher *v, uint32_t item, uint32_t index);
/* Lists all plans. False after an error, and where the search is left open. */
bool ts_search_list(ts_searcher *v);
/* Why there are none. */
void ts_search_conflicts(ts_searcher *v, ts_diag *d);
/* The names that an item may use. */
ts_env *ts_search_scope(ts_searcher *v, uint32_t item);
/* What a plan is worth where no goal is written. */
double ts_search_usual(const ts_search *search, const ts_figures *figures);
/* A plan of the values that are given. */
void ts_search_put_point(ts_searcher *v);
/* Between these two, what is made goes into `arena`, which is empty then, unless somebody keeps
 * something of it. */
typedef struct ts_search_passing { ts_arena *outer; uint64_t reads; } ts_search_passing;
ts_search_passing ts_search_pass(ts_searcher *v, ts_arena *arena);
void ts_search_passed(ts_searcher *v, ts_search_passing before);
/* What items are evaluated for: a plan, and its figures unless NULL. */
void ts_search_take(ts_searcher *v, size_t point, const ts_figures *played);
/* Of a REQUIRE, counted. False after an error. */
bool ts_search_condition(ts_searcher *v, uint32_t item, bool *holds);
/* Of conditions and goals that need figures, before any plan is played. False after an error. */
bool ts_search_check_dimensions(ts_searcher *v);

#endif
