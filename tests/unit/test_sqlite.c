/* SQLite files of strangers: schemas that compute, trees without end, and what is left beside a
 * file, for each kind of file that is read. */
#define _GNU_SOURCE /* mkdtemp */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cost/database.h"
#include "tools/sweep/journal.h"
#include "trace/read/events.h"

#ifdef TS_HAVE_SQLITE
#include <sqlite3.h>

#include "tests/fuzz/sqlite_endless.h"

static ts_arena *arena;
static char folder[] = "/tmp/ts_sqlite_XXXXXX";
static const char *path;
static ts_error error;

static void start(void)
{
  arena = ts_arena_new("test");
  cr_assert_not_null(mkdtemp(folder));
  path = ts_arena_printf(arena, "%s/f.db", folder);
}

static void end(void)
{
  cr_expect_eq(system(ts_arena_printf(arena, "rm -rf %s", folder)), 0);
  ts_arena_free(arena);
}

TestSuite(sqlite, .init = start, .fini = end, .timeout = 60);

static void sql(const char *statements)
{
  sqlite3 *db;
  cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
  cr_assert_eq(sqlite3_exec(db, statements, NULL, NULL, NULL), SQLITE_OK, "%s: %s", statements,
               sqlite3_errmsg(db));
  sqlite3_close(db);
}

/* ---- The kinds of files ---- */

static void make_journal(void)
{
  static const ts_journal_about about = {"1", "b", "plan.ts", "00"};
  ts_journal *j = ts_journal_open(arena, path, TS_JOURNAL_NEW, &error);
  cr_assert(j && ts_journal_begin(j, &error) && ts_journal_set_about(j, &about, &error) &&
            ts_journal_commit(j, &error));
  ts_journal_close(j);
  sql("WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 200) INSERT INTO "
      "plan (key, parameters, state, why, warnings, confidence) SELECT "
      "cast(printf('%032d', n) as blob), hex(zeroblob(200)), 'refused', 'x', '[]', '' FROM i");
}

static void ignore_plan(void *closure, const ts_journal_plan *plan) { (void)closure, (void)plan; }
static void ignore_sweep(void *closure, const ts_journal_sweep *s) { (void)closure, (void)s; }
static void ignore_row(void *closure, const ts_db_row *row) { (void)closure, (void)row; }

static bool read_journal(void)
{
  uint64_t plans;
  ts_journal *j = ts_journal_open(arena, path, TS_JOURNAL_READ, &error);
  bool read = j && ts_journal_sweeps(j, arena, ignore_sweep, NULL, &error) &&
              ts_journal_plans_after(j, 0, arena, ignore_plan, NULL, &error) &&
              ts_journal_plans(j, &plans, &error);
  ts_journal_close(j);
  return read;
}

static bool merge_journal(void)
{
  const char *all = ts_arena_printf(arena, "%s/all.db", folder);
  ts_journal *j = ts_journal_open(arena, all, TS_JOURNAL_UNSEEN, &error),
             *part = j ? ts_journal_open(arena, path, TS_JOURNAL_READ, &error) : NULL;
  bool taken = part && ts_journal_begin(j, &error) && ts_journal_take(j, part, &error);
  ts_journal_close(part);
  ts_journal_close(j);
  unlink(all);
  return taken;
}

static void make_database(void)
{
  const ts_db_row row = {"gemm", "bf16", "k=1", "A", "", "s", 1, 0, 0, 0};
  size_t replaced;
  ts_db *db = ts_db_open(arena, path, true, &error);
  cr_assert(db && ts_db_add(db, &row, 1, &replaced, &error), "%s", error.message);
  ts_db_close(db);
  sql("WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 400) INSERT INTO "
      "measurement SELECT 'gemm', 'bf16', printf('k=%d m=%0100d', n, n), 'A', '', 's', n, n, n, 3 "
      "FROM i");
}

static bool read_database(void)
{
  ts_db *db = ts_db_open(arena, path, false, &error);
  bool read = db && ts_db_each(db, NULL, NULL, NULL, ignore_row, NULL, &error);
  if (db)
    ts_db_close(db);
  return read;
}

static void make_export(void)
{
  sql("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
      "INSERT INTO StringIds VALUES (1, 'gemm');"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, "
      "streamId INTEGER, correlationId INTEGER, demangledName INTEGER, more TEXT);"
      "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 400) INSERT INTO "
      "CUPTI_ACTIVITY_KIND_KERNEL SELECT n, n + 1, 0, 7, n, 1, hex(zeroblob(50)) FROM i");
}

static bool read_export(void)
{
  return ts_events_read(arena, path, &(ts_events_options){0}, &error);
}

/* table, column: where most of it is */
static const struct kind {
  void (*make)(void);
  bool (*read)(void);
  const char *table, *column;
} kinds[] = {{make_journal, read_journal, "plan", "state"},
             {make_journal, merge_journal, "plan", "state"},
             {make_database, read_database, "measurement", "low_us"},
             {make_export, read_export, "CUPTI_ACTIVITY_KIND_KERNEL", "start"}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* ---- What is asked of each ---- */

Test(sqlite, whole_files_are_read)
{
  for (int i = 0; i < KINDS; i++) {
    kinds[i].make();
    cr_expect(kinds[i].read(), "%d: %s", i, error.message);
    unlink(path);
  }
}

Test(sqlite, a_column_that_is_computed_is_refused)
{
  for (int i = 0; i < KINDS; i++) {
    const struct kind *k = &kinds[i];
    k->make();
    sql(ts_arena_printf(arena,
                        "ALTER TABLE %s RENAME COLUMN %s TO was; ALTER TABLE %s ADD COLUMN %s TEXT "
                        "GENERATED ALWAYS AS (instr(hex(zeroblob(900000)), 'x')) VIRTUAL",
                        k->table, k->column, k->table, k->column));
    cr_expect(!k->read(), "%d", i);
    cr_expect(strstr(error.message, k->read == read_export ? "computed" : "not those that"), "%d: %s",
              i, error.message);
    unlink(path);
  }
}

Test(sqlite, a_schema_that_is_not_ours_is_refused)
{
  for (int i = 0; i < KINDS - 1; i++) {
    const char *const changes[] = {
      "CREATE TABLE more (x)", "CREATE VIEW more AS SELECT 1",
      ts_arena_printf(arena, "CREATE INDEX more ON %s (%s)", kinds[i].table, kinds[i].column),
      ts_arena_printf(arena, "CREATE TRIGGER more AFTER INSERT ON %s BEGIN SELECT 1; END",
                      kinds[i].table)};
    for (size_t c = 0; c < sizeof changes / sizeof *changes; c++) {
      kinds[i].make();
      sql(changes[c]);
      cr_expect(!kinds[i].read(), "%d, %zu", i, c);
      cr_expect_str_eq(error.message, "its tables are not those that TrainSpec makes");
      unlink(path);
    }
  }
}

Test(sqlite, a_table_of_an_export_that_is_a_view_is_refused)
{
  make_export();
  sql("DROP TABLE StringIds; CREATE VIEW StringIds AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL "
      "SELECT n + 1 FROM c) SELECT n AS id, 'x' AS value FROM c");
  cr_expect(!read_export());
  cr_expect(strstr(error.message, "the database cannot be read"), "%s", error.message);
}

Test(sqlite, a_tree_without_end_is_refused)
{
  for (int i = 0; i < KINDS; i++) {
    kinds[i].make();
    cr_assert(sqlite_make_endless(path, kinds[i].table), "%d", i);
    cr_expect(!kinds[i].read(), "%d", i);
    cr_expect(strstr(error.message, "more rows than its size allows"), "%d: %s", i, error.message);
    unlink(path);
  }
}

static int files_there(void)
{
  DIR *d = opendir(folder);
  int files = 0;
  for (struct dirent *e; (e = readdir(d));)
    files += e->d_name[0] != '.';
  closedir(d);
  return files;
}

/* The file is read-only, or its folder is, too; root would be asked nothing. */
Test(sqlite, reading_leaves_nothing_beside_a_file)
{
  for (int i = 0; i < KINDS; i++)
    for (int part = 0; part < 2; part++) { /* the file, its folder */
      if (kinds[i].read == merge_journal)
        continue;
      kinds[i].make();
      sql("PRAGMA journal_mode = WAL");
      chmod(path, 0444);
      chmod(folder, part ? 0555 : 0777);
      pid_t child = fork();
      if (!child) {
        if (getuid() == 0 && setuid(65534) != 0)
          _exit(0);
        _exit(kinds[i].read() ? 0 : 1);
      }
      int status;
      cr_expect(waitpid(child, &status, 0) == child && status == 0, "%d, %d", i, part);
      chmod(folder, 0755);
      cr_expect_eq(files_there(), 1, "%d, %d", i, part);
      unlink(path);
    }
}

Test(sqlite, a_change_that_waits_beside_an_export_is_not_passed_over)
{
  make_export();
  FILE *f = fopen(ts_arena_printf(arena, "%s-wal", path), "w");
  fputs("x", f);
  fclose(f);
  cr_expect(!read_export());
  cr_expect(strstr(error.message, "waits in a file beside it"), "%s", error.message);
}
#endif
