/* Any SQLite file, and any that a script of SQL makes, is read as a journal of sweeps without harm,
 * merged into another and read again. What is refused says why. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/sweep/journal.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#ifdef TS_HAVE_SQLITE
#include "tests/fuzz/sqlite_use.h"

static void reported(bool good, const ts_error *error)
{
  if (!good && !error->message[0]) {
    fprintf(stderr, "a journal is refused without a reason\n");
    abort();
  }
}

static void ignore(void *closure, const ts_journal_sweep *sweep) { (void)closure, (void)sweep; }

static void ignore_plan(void *closure, const ts_journal_plan *plan) { (void)closure, (void)plan; }

static void make(const char *file)
{
  static const ts_journal_about about = {"1", "b", "plan.ts", "00"};
  ts_arena *arena = ts_arena_new("fuzz");
  ts_error error = {0};
  ts_journal *j = ts_journal_open(arena, file, TS_JOURNAL_NEW, &error);
  reported(j && ts_journal_begin(j, &error) && ts_journal_set_about(j, &about, &error) &&
             ts_journal_commit(j, &error),
           &error);
  ts_journal_close(j);
  ts_arena_free(arena);
}

static void read_all(ts_arena *arena, ts_journal *j)
{
  static const uint8_t key[TS_DIGEST_SIZE] = {0};
  ts_error error = {0};
  ts_journal_about about;
  ts_outcome outcome = {0};
  bool found;
  uint64_t plans;
  reported(ts_journal_about_of(j, arena, &about, &error), &error);
  reported(ts_journal_inputs(j, ts_inputs_new(arena), &error), &error);
  reported(ts_journal_sweeps(j, arena, ignore, NULL, &error), &error);
  reported(ts_journal_plans(j, &plans, &error), &error);
  reported(ts_journal_plans_after(j, 0, arena, ignore_plan, NULL, &error), &error);
  reported(ts_journal_find(j, key, arena, &outcome, &found, &error), &error);
}

/* Merged into one that is new. */
static void take(ts_arena *arena, const char *file, ts_journal *j)
{
  ts_error error = {0};
  ts_journal *all =
    ts_journal_open(arena, ts_arena_printf(arena, "%s.all", file), TS_JOURNAL_UNSEEN, &error);
  reported(all && ts_journal_begin(all, &error), &error);
  if (all) {
    reported(ts_journal_take(all, j, &error), &error);
    ts_journal_undo(all);
  }
  ts_journal_close(all);
  unlink(ts_arena_printf(arena, "%s.all", file));
}

static void use(ts_arena *arena, const char *file, ts_journal_how how)
{
  ts_error error = {0};
  ts_journal *j = ts_journal_open(arena, file, how, &error);
  reported(j, &error);
  if (!j)
    return;
  read_all(arena, j);
  if (how == TS_JOURNAL_READ)
    take(arena, file, j);
  ts_journal_close(j);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  sqlite_input in;
  if (!sqlite_make(&in, bytes, size, make))
    return 0;
  ts_arena *arena = ts_arena_new("fuzz");
  use(arena, in.file, TS_JOURNAL_READ);
  use(arena, in.file, TS_JOURNAL_GO_ON);
  ts_arena_free(arena);
  sqlite_remove(&in);
  return 0;
}
#else
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  (void)bytes, (void)size;
  return 0;
}
#endif
