/* The profile database among processes that add, read and are killed. */
#define _GNU_SOURCE /* mkdtemp */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cost/database.h"
#include "tests/unit/amount.h"

#ifdef TS_HAVE_SQLITE
#include <sqlite3.h>

enum { ROWS = 400, READS = 100, ADDERS = 4 };

static ts_arena *arena;
static char folder[] = "/tmp/ts_database_XXXXXX";
static const char *path; /* of the database */

static void start(void)
{
  arena = ts_arena_new("test");
  cr_assert_not_null(mkdtemp(folder));
  path = ts_arena_printf(arena, "%s/d.db", folder);
}

static void end(void)
{
  const char *remove = ts_arena_printf(arena, "rm -rf %s", folder);
  cr_expect_eq(system(remove), 0);
  ts_arena_free(arena);
}

/* ROWS rows of one source, one addition. */
static bool add_rows(const char *source)
{
  ts_arena *work = ts_arena_new("rows");
  ts_db_row *rows = TS_NEW_ARRAY(work, ts_db_row, ROWS);
  ts_error error = {0};
  size_t replaced;
  for (int i = 0; i < ROWS; i++)
    rows[i] = (ts_db_row){
      "gemm", "bf16", ts_arena_printf(work, "k=%d m=1 n=1", i + 1), "x", "", source, 1 + i, 0,
      0,      0};
  ts_db *db = ts_db_open(work, path, true, &error);
  bool good = db && ts_db_add(db, rows, ROWS, &replaced, &error);
  if (!good)
    fprintf(stderr, "%s\n", error.message);
  if (db)
    ts_db_close(db);
  ts_arena_free(work);
  return good;
}

static pid_t adds(const char *source)
{
  pid_t child = fork();
  if (!child)
    _exit(add_rows(source) ? 0 : 1);
  return child;
}

static bool ended_well(pid_t child)
{
  int status;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void count_row(void *closure, const ts_db_row *row)
{
  (void)row;
  ++*(size_t *)closure;
}

/* Rows that a reader sees; SIZE_MAX with the message in *error when it cannot. */
static size_t seen(ts_error *error)
{
  ts_arena *work = ts_arena_new("reader");
  size_t count = 0;
  ts_db *db = ts_db_open(work, path, false, error);
  if (!db || !ts_db_each(db, NULL, NULL, NULL, count_row, &count, error))
    count = SIZE_MAX;
  if (db)
    ts_db_close(db);
  ts_arena_free(work);
  return count;
}

Test(database, additions_at_once_all_come_in, .init = start, .fini = end)
{
  pid_t child[ADDERS];
  ts_error error = {0};
  for (int i = 0; i < ADDERS; i++) child[i] = adds(ts_arena_printf(arena, "s%d", i));
  for (int i = 0; i < ADDERS; i++) cr_expect(ended_well(child[i]), "adder %d of a new file", i);
  cr_expect_eq(seen(&error), (size_t)ADDERS * ROWS, "%s", error.message);
}

Test(database, readers_always_see_whole_additions_while_others_write, .init = start, .fini = end)
{
  cr_assert(add_rows("first"));
  pid_t writer = fork();
  if (!writer)
    for (int i = 0;; i++)
      add_rows(i % 2 ? "odd" : "even");
  size_t least = ROWS;
  for (int i = 0; i < READS; i++) {
    ts_error error = {0};
    size_t count = seen(&error);
    cr_expect(count != SIZE_MAX && count % ROWS == 0 && count >= least, "%zu rows: %s", count,
              error.message);
    least = count;
  }
  kill(writer, SIGKILL);
  waitpid(writer, NULL, 0);
}

/* Every other time a file that is only being made. */
Test(database, killed_additions_leave_a_usable_file_of_whole_additions, .init = start, .fini = end,
     .timeout = 120)
{
  srand(1);
  for (unsigned i = 0, kills = amount(20, 150); i < kills; i++) {
    ts_error error = {0};
    if (i % 2)
      unlink(path), unlink(ts_arena_printf(arena, "%s-wal", path)),
        unlink(ts_arena_printf(arena, "%s-shm", path)),
        unlink(ts_arena_printf(arena, "%s-journal", path));
    pid_t child = adds(ts_arena_printf(arena, "s%d", i));
    nanosleep(&(struct timespec){0, rand() % 12000 * 1000L}, NULL);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    if (access(path, F_OK) == 0)
      cr_expect_eq(seen(&error) % ROWS, 0, "kill %d: %s", i, error.message);
    cr_expect(add_rows("after"), "kill %d", i);
    cr_expect_eq(seen(&error) % ROWS, 0, "kill %d: %s", i, error.message);
  }
}

/* A row that SQLite refuses, in a file that is not there yet and in one that is. */
Test(database, a_failed_addition_leaves_what_was_there, .init = start, .fini = end)
{
  const ts_db_row bad = {"gemm", "bf16", "k=1 m=1 n=1", "x", "", "bad", -1, 0, 0, 0};
  for (int there = 0; there < 2; there++) {
    ts_error error = {0};
    size_t replaced;
    ts_db *db = ts_db_open(arena, path, true, &error);
    cr_assert_not_null(db, "%s", error.message);
    cr_expect(!ts_db_add(db, &bad, 1, &replaced, &error));
    cr_expect(strstr(error.message, "CHECK"), "%s", error.message);
    ts_db_close(db);
    cr_expect_eq(rmdir(folder), there ? -1 : 0, "nothing is left in the folder of a new one");
    cr_expect_eq(there ? seen(&error) : 0, there ? ROWS : 0);
    mkdir(folder, 0755);
    cr_assert(add_rows("first"));
  }
}

Test(database, one_that_another_made_meanwhile_gets_the_rows_too, .init = start, .fini = end)
{
  const ts_db_row row = {"gemm", "bf16", "k=1 m=1 n=1", "x", "", "late", 1, 0, 0, 0};
  ts_error error = {0};
  size_t replaced;
  ts_db *db = ts_db_open(arena, path, true, &error);
  cr_assert_not_null(db, "%s", error.message);
  cr_assert(add_rows("first"));
  cr_expect(ts_db_add(db, &row, 1, &replaced, &error), "%s", error.message);
  ts_db_close(db);
  cr_expect_eq(seen(&error), ROWS + 1, "%s", error.message);
}

/* A file as earlier versions wrote them, with a journal: pages of a transaction that was never
 * committed are in it already. */
static void leave_uncommitted_rows(void)
{
  sqlite3 *handle;
  sqlite3_open(path, &handle);
  sqlite3_exec(handle,
               "PRAGMA journal_mode = DELETE; PRAGMA cache_size = 2; BEGIN IMMEDIATE;"
               "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 20000)"
               " INSERT INTO measurement SELECT 'gemm', 'bf16', 'k=' || n, 'x', '', 'cut', 1, "
               "NULL, NULL, NULL FROM i;",
               NULL, NULL, NULL);
  sqlite3_exec(handle,
               "INSERT INTO measurement SELECT family, dtype, 'n' || features, device, software, "
               "source, 1, NULL, NULL, NULL FROM measurement",
               NULL, NULL, NULL);
  raise(SIGKILL);
}

static void cut_off(void)
{
  pid_t child = fork();
  if (!child)
    leave_uncommitted_rows();
  waitpid(child, NULL, 0);
}

Test(database, what_was_not_committed_is_not_read, .init = start, .fini = end)
{
  struct stat info;
  ts_error error = {0};
  cr_assert(add_rows("first"));
  cut_off();
  const char *journal = ts_arena_printf(arena, "%s-journal", path);
  cr_assert(stat(journal, &info) == 0 && info.st_size > 512, "there is nothing to take back");
  cr_expect_eq(seen(&error), ROWS, "%s", error.message);
  cr_expect(stat(journal, &info) != 0, "it has been taken back");
}

/* SQLite deletes the file that such a journal names. */
Test(database, a_journal_that_names_another_file_is_refused, .init = start, .fini = end)
{
  ts_error error = {0};
  const char *victim = ts_arena_printf(arena, "%s/victim", folder);
  cr_assert(add_rows("first"));
  cut_off();
  FILE *other = fopen(victim, "w");
  fputs("precious\n", other);
  fclose(other);
  FILE *journal = fopen(ts_arena_printf(arena, "%s-journal", path), "a");
  uint32_t length = (uint32_t)strlen(victim), sum = 0;
  for (uint32_t i = 0; i < length; i++) sum += (uint32_t)victim[i];
  unsigned char end_[] = {0,
                          0,
                          0,
                          (unsigned char)length,
                          0,
                          0,
                          (unsigned char)(sum >> 8),
                          (unsigned char)sum,
                          0xd9,
                          0xd5,
                          0x05,
                          0xf9,
                          0x20,
                          0xa1,
                          0x63,
                          0xd7};
  fwrite("\0\0\0\1", 1, 4, journal), fwrite(victim, 1, length, journal),
    fwrite(end_, 1, sizeof end_, journal);
  fclose(journal);
  cr_expect_eq(seen(&error), SIZE_MAX);
  cr_expect(strstr(error.message, "several databases"), "%s", error.message);
  cr_expect_eq(access(victim, F_OK), 0);
}

/* As on a read-only medium: nothing can be made beside the file. */
Test(database, is_read_where_nothing_can_be_written, .init = start, .fini = end)
{
  cr_assert(add_rows("first"));
  chmod(path, 0444);
  chmod(folder, 0555);
  pid_t child = fork();
  if (!child) {
    ts_error error = {0};
    if (getuid() == 0 && setuid(65534) != 0)
      _exit(0);
    size_t count = seen(&error);
    fprintf(stderr, "%s", error.message);
    _exit(count == ROWS ? 0 : 1);
  }
  cr_expect(ended_well(child));
  chmod(folder, 0755);
}

static void digest_of(uint8_t digest[TS_DIGEST_SIZE])
{
  ts_error error = {0};
  ts_db *db = ts_db_open(arena, path, false, &error);
  cr_assert_not_null(db, "%s", error.message);
  cr_expect(ts_db_digest(db, digest, &error), "%s", error.message);
  ts_db_close(db);
}

Test(database, the_digest_is_of_the_rows_not_of_the_file, .init = start, .fini = end)
{
  uint8_t first[TS_DIGEST_SIZE], same[TS_DIGEST_SIZE], other[TS_DIGEST_SIZE];
  cr_assert(add_rows("first"));
  digest_of(first);
  sqlite3 *handle;
  sqlite3_open(path, &handle);
  sqlite3_exec(handle, "PRAGMA journal_mode = DELETE; PRAGMA page_size = 1024; VACUUM", NULL, NULL,
               NULL);
  sqlite3_close(handle);
  digest_of(same);
  cr_assert(add_rows("second"));
  digest_of(other);
  cr_expect_arr_eq(first, same, TS_DIGEST_SIZE);
  cr_expect_neq(memcmp(first, other, TS_DIGEST_SIZE), 0);
}
#endif
