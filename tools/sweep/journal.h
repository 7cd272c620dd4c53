/* The journal of sweeps: one SQLite file, a row for each plan that was played, under a key of its
 * parameters. All rows are of one TrainSpec and of the same inputs, which it names. Others may read
 * while one sweep writes. What is committed survives a kill. Format: doc/sweeps.md. */
#ifndef TS_TOOLS_SWEEP_JOURNAL_H
#define TS_TOOLS_SWEEP_JOURNAL_H

#include "base/digest.h"
#include "base/error.h"
#include "tools/sweep/inputs.h"
#include "tools/sweep/outcome.h"

typedef struct ts_journal ts_journal;

typedef enum ts_journal_how {
  TS_JOURNAL_NEW,   /* there is none yet */
  TS_JOURNAL_GO_ON, /* likewise, or there is one */
  TS_JOURNAL_UNSEEN, /* likewise; it is closed before anybody sees it, and nothing lies beside it */
  TS_JOURNAL_READ
} ts_journal_how;

/* What all rows are of: version and build of TrainSpec, the plan's file, and the digest of the
 * files of the language that it is made of. */
typedef struct ts_journal_about { const char *version, *build, *file, *inputs; } ts_journal_about;

typedef struct ts_journal_sweep { /* of one command that wrote in it */
  const char *title, *goal, *best; /* best: a plan and its objective so far, or "" */
  uint64_t plans;                  /* that were asked for */
  uint64_t known;                  /* of those, in the journal before it began */
  uint64_t played;                 /* by it */
  double begun, seen;              /* s since 1970: its begin, and its last commit */
  bool ended;                      /* all plans are in the journal */
} ts_journal_sweep;

/* NULL with the error filled: no journal, one of a newer version, or one that is being written. */
ts_journal *ts_journal_open(ts_arena *arena, const char *path, ts_journal_how how, ts_error *error);
void ts_journal_close(ts_journal *j); /* NULL is fine */

/* Reading. Texts live in the arena given. All return false with the error filled. */
bool ts_journal_about_of(ts_journal *j, ts_arena *arena, ts_journal_about *about, ts_error *error);
bool ts_journal_inputs(ts_journal *j, ts_inputs *inputs, ts_error *error); /* adds them */
bool ts_journal_find(ts_journal *j, const uint8_t key[TS_DIGEST_SIZE], ts_arena *arena,
                     ts_outcome *outcome, bool *found, ts_error *error);
bool ts_journal_plans(ts_journal *j, uint64_t *count, ts_error *error);
/* In order, the last one is the newest. */
bool ts_journal_sweeps(ts_journal *j, ts_arena *arena,
                       void (*take)(void *closure, const ts_journal_sweep *sweep), void *closure,
                       ts_error *error);

/* A row: its number grows with each that is put in. Texts live for the call. */
typedef struct ts_journal_plan {
  int64_t row;
  const char *parameters;
  ts_outcome_state state;
  ts_figures figures;
} ts_journal_plan;

/* In order, those behind the row of that number; 0: all. */
bool ts_journal_plans_after(ts_journal *j, int64_t row, ts_arena *arena,
                            void (*take)(void *closure, const ts_journal_plan *plan), void *closure,
                            ts_error *error);

/* Writing: between begin and commit, all or nothing. */
bool ts_journal_begin(ts_journal *j, ts_error *error);
bool ts_journal_commit(ts_journal *j, ts_error *error);
void ts_journal_undo(ts_journal *j);
bool ts_journal_set_about(ts_journal *j, const ts_journal_about *about, ts_error *error);
bool ts_journal_put_input(ts_journal *j, const ts_sweep_input *input, ts_error *error);
/* parameters: as people read them */
bool ts_journal_put(ts_journal *j, const uint8_t key[TS_DIGEST_SIZE], const char *parameters,
                    const ts_outcome *outcome, double seconds, ts_arena *arena, ts_error *error);
bool ts_journal_put_sweep(ts_journal *j, int64_t *id, const ts_journal_sweep *sweep,
                          ts_error *error); /* *id 0: a new one, whose number it becomes */
/* Adds all that another journal of the same plan and program has, which is open to be read. */
bool ts_journal_take(ts_journal *j, ts_journal *other, ts_error *error);
bool ts_journal_is_of(const ts_journal *j, const char *path); /* it is that file */

#endif
