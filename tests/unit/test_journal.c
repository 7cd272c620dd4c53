/* The journal of sweeps: what is put in comes out the same; what is no journal is refused. */
#define _GNU_SOURCE /* mkdtemp */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/sweep/journal.h"

#ifdef TS_HAVE_SQLITE
#include <sqlite3.h>

static ts_arena *arena;
static char folder[] = "/tmp/ts_journal_XXXXXX";
static const char *path;
static ts_error error;

static void start(void)
{
  arena = ts_arena_new("test");
  cr_assert_not_null(mkdtemp(folder));
  path = ts_arena_printf(arena, "%s/j.db", folder);
}

static void end(void)
{
  cr_expect_eq(system(ts_arena_printf(arena, "rm -rf %s", folder)), 0);
  ts_arena_free(arena);
}

TestSuite(journal, .init = start, .fini = end);

static const uint8_t key[TS_DIGEST_SIZE] = {1, 2, 3};

static const ts_ir_validation on = {.below = 1.25, .above = 1.0 / 3};
static const ts_uncertain_part parts[] = {
  {.origin = 1, .basis = 2, .name = "gemm", .assumed = true, .share = 0.1, .spread = 0.7},
  {.origin = 3, .name = "", .between = true, .calibrated = true, .share = 1e-300, .spread = 3}};
static const ts_confidence sure = {.spread = 0.1234567890123456789,
                                   .part_count = 2,
                                   .parts = parts,
                                   .step = {1.1, 0.9, INFINITY, &on},
                                   .memory = {3, 3, 3, NULL},
                                   .own_times = true,
                                   .kind = 0xfedcba9876543210u};
static const ts_outcome_warning warnings[] = {{TS_W0804, "a \"quoted\"\nmessage"}};
static const ts_outcome played = {.state = TS_TOO_LARGE,
                                  .known = true,
                                  .figures = {{1.0 / 3, 8e11, NAN, 0.1, -0.0, 1024}},
                                  .limit = 85e9,
                                  .sure = &sure,
                                  .warning_count = 1,
                                  .warnings = warnings};
static const ts_outcome refused = {.state = TS_REFUSED, .known = true, .why = ""};

static uint64_t plans_of(ts_journal *j)
{
  uint64_t plans;
  cr_assert(ts_journal_plans(j, &plans, &error), "%s", error.message);
  return plans;
}

static ts_journal *opened(ts_journal_how how)
{
  ts_journal *j = ts_journal_open(arena, path, how, &error);
  cr_assert(j, "%s", error.message);
  return j;
}

static void make(const ts_outcome *o)
{
  static const ts_journal_about about = {"1", "b", "plan.ts", "00"};
  ts_journal *j = opened(TS_JOURNAL_GO_ON);
  cr_assert(ts_journal_begin(j, &error) && ts_journal_set_about(j, &about, &error) &&
            ts_journal_put(j, key, "a=1", o, 0.5, arena, &error) && ts_journal_commit(j, &error));
  ts_journal_close(j);
}

static ts_outcome found(void)
{
  ts_journal *j = opened(TS_JOURNAL_READ);
  ts_outcome o = {0};
  bool there;
  cr_assert(ts_journal_find(j, key, arena, &o, &there, &error) && there, "%s", error.message);
  ts_journal_close(j);
  return o;
}

Test(journal, gives_back_what_was_played)
{
  make(&played);
  ts_outcome o = found();
  cr_assert_eq(o.state, TS_TOO_LARGE);
  cr_assert_null(o.why);
  cr_assert_eq(o.limit, played.limit);
  for (int f = 0; f < TS_FIGURES; f++)
    cr_assert(o.figures.of[f] == played.figures.of[f] ||
              (isnan(o.figures.of[f]) && isnan(played.figures.of[f])));
  cr_assert_eq(o.warning_count, 1);
  cr_assert_eq(o.warnings[0].code, TS_W0804);
  cr_assert_str_eq(o.warnings[0].message, warnings[0].message);
  cr_assert(o.sure->spread == sure.spread && o.sure->kind == sure.kind && o.sure->own_times &&
            !o.sure->calibrated && o.sure->part_count == 2);
  cr_assert(o.sure->step.high == INFINITY && o.sure->step.low == 0.9 &&
            o.sure->step.on->above == on.above && !o.sure->memory.on);
  for (int i = 0; i < 2; i++) {
    const ts_uncertain_part *a = &o.sure->parts[i], *b = &parts[i];
    cr_assert(a->origin == b->origin && a->basis == b->basis && a->between == b->between &&
              a->calibrated == b->calibrated && a->assumed == b->assumed && a->share == b->share &&
              a->spread == b->spread && !strcmp(a->name, b->name));
  }
}

Test(journal, gives_back_what_was_refused)
{
  make(&refused);
  ts_outcome o = found();
  cr_assert_eq(o.state, TS_REFUSED);
  cr_assert_str_eq(o.why, "");
  cr_assert_null(o.sure);
}

Test(journal, undoes_what_was_not_committed)
{
  make(&played);
  uint8_t other[TS_DIGEST_SIZE] = {7};
  ts_journal *j = opened(TS_JOURNAL_GO_ON);
  cr_assert(ts_journal_begin(j, &error) &&
            ts_journal_put(j, other, "a=2", &played, 1, arena, &error));
  ts_journal_undo(j);
  cr_assert_eq(plans_of(j), 1);
  ts_journal_close(j);
}

static void change(const char *statement)
{
  sqlite3 *db;
  cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
  cr_assert_eq(sqlite3_exec(db, statement, NULL, NULL, NULL), SQLITE_OK, "%s", statement);
  sqlite3_close(db);
}

Test(journal, refuses_what_it_is_not)
{
  static const struct { const char *change, *message; } cases[] = {
    {"PRAGMA user_version = 999", "a newer TrainSpec wrote it"},
    {"PRAGMA user_version = 0", "an older TrainSpec wrote it"},
    {"PRAGMA application_id = 7", "it is not a journal of sweeps"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    make(&played);
    change(cases[i].change);
    for (int how = TS_JOURNAL_GO_ON; how <= TS_JOURNAL_READ; how++) {
      cr_assert_null(ts_journal_open(arena, path, (ts_journal_how)how, &error));
      cr_assert_str_eq(error.message, cases[i].message);
    }
    cr_assert_eq(unlink(path), 0);
  }
}

Test(journal, refuses_rows_that_are_damaged)
{
  static const char part_without_figures[] = "confidence = '{\"kind\":\"1\",\"spread\":1,\"parts\":[[]],"
                                             "\"step\":[1,1,1],\"memory\":[1,1,1]}'";
  static const char *const cases[] = {"state = 'fine'", "why = 'x'", "warnings = '[[\"W0\",1]]'",
                                      "confidence = '{'", part_without_figures};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    make(&played);
    change(ts_arena_printf(arena, "UPDATE plan SET %s", cases[i]));
    ts_journal *j = opened(TS_JOURNAL_READ);
    ts_outcome o = {0};
    bool there;
    cr_assert(!ts_journal_find(j, key, arena, &o, &there, &error), "%s", cases[i]);
    cr_assert(strstr(error.message, "damaged"));
    ts_journal_close(j);
    cr_assert_eq(unlink(path), 0);
  }
}

static void ignore(void *closure, const ts_journal_sweep *sweep) { (void)closure, (void)sweep; }

Test(journal, refuses_counts_and_times_that_are_none)
{
  static const char *const cases[] = {"-1, 0, 0, 1, 1", "1, -1, 0, 1, 1", "1, 0, -9e18, 1, 1",
                                      "9223372036854775807, 0, 0, 1, 1", "1, 0, 0, 9e999, 1",
                                      "1, 0, 0, 1, -1"};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    make(&played);
    change(ts_arena_printf(arena, "INSERT INTO sweep VALUES (1, '', '', '', %s, 0)", cases[i]));
    ts_journal *j = opened(TS_JOURNAL_READ);
    cr_assert(!ts_journal_sweeps(j, arena, ignore, NULL, &error), "%s", cases[i]);
    cr_assert(strstr(error.message, "damaged"), "%s", error.message);
    error = (ts_error){0};
    ts_journal_close(j);
    cr_assert_eq(unlink(path), 0);
  }
}

/* A WAL would stay in its header. */
Test(journal, leaves_a_file_of_others_as_it_is)
{
  char command[200];
  change("CREATE TABLE x (a)");
  snprintf(command, sizeof command, "cp %s %s.was && cmp %s %s.was", path, path, path, path);
  cr_assert_eq(system(command), 0);
  cr_assert_null(ts_journal_open(arena, path, TS_JOURNAL_GO_ON, &error));
  cr_assert_eq(system(strstr(command, "cmp")), 0);
}

Test(journal, is_not_made_where_there_is_something)
{
  make(&played);
  cr_assert_null(ts_journal_open(arena, path, TS_JOURNAL_NEW, &error));
  cr_assert_str_eq(error.message, "it is there already");
}

Test(journal, has_one_that_writes_and_many_that_read)
{
  ts_journal *writer = opened(TS_JOURNAL_NEW);
  cr_assert_null(ts_journal_open(arena, path, TS_JOURNAL_GO_ON, &error));
  cr_assert_str_eq(error.message, "another sweep writes it");
  ts_journal *one = opened(TS_JOURNAL_READ), *two = opened(TS_JOURNAL_READ);
  cr_assert(ts_journal_begin(writer, &error) &&
            ts_journal_put(writer, key, "a=1", &played, 1, arena, &error));
  cr_assert_eq(plans_of(one), 0);
  cr_assert(ts_journal_commit(writer, &error));
  cr_assert_eq(plans_of(one), 1);
  cr_assert_eq(plans_of(two), 1);
  ts_journal_close(one);
  ts_journal_close(two);
  ts_journal_close(writer);
}
#endif
