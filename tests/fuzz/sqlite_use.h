/* Input of the fuzz targets that read SQLite files: the bytes of a file, or a script of SQL that
 * makes one. Behind a line `-- wal` or `-- journal` come the bytes of that file beside it. A script
 * may not reach other files, and stops after some thousands of steps. One whose first line is
 * `-- ours` changes a file that the program has made; a line `-- endless TABLE` gives that table
 * rows without end. */
#ifndef TS_TESTS_FUZZ_SQLITE_USE_H
#define TS_TESTS_FUZZ_SQLITE_USE_H

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fuzz/sqlite_endless.h"

typedef struct sqlite_input { char file[32], beside[48]; } sqlite_input;

static inline int sqlite_may(void *none, int action, const char *a, const char *b, const char *c,
                             const char *d)
{
  (void)none, (void)b, (void)c, (void)d;
  bool pragma = action == SQLITE_PRAGMA && a && strcmp(a, "application_id") != 0 &&
                strcmp(a, "user_version") != 0;
  return action == SQLITE_ATTACH || pragma || action == SQLITE_CREATE_VTABLE ? SQLITE_DENY :
                                                                               SQLITE_OK;
}

static inline int sqlite_enough(void *none)
{
  (void)none;
  return 1;
}

static inline void sqlite_fill(const char *file, char *script)
{
  static const char mark[] = "-- endless ";
  const char *endless = NULL;
  sqlite3 *db = NULL;
  if (sqlite3_open(file, &db) == SQLITE_OK) {
    sqlite3_exec(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", NULL, NULL, NULL);
    if (strncmp(script, "PRAGMA page_size = ", 19) == 0) /* which stands before all */
      sqlite3_exec(db, "PRAGMA page_size = 512", NULL, NULL, NULL);
    sqlite3_exec(db, "BEGIN", NULL, NULL, NULL);
    sqlite3_set_authorizer(db, sqlite_may, NULL);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 100000);
    sqlite3_progress_handler(db, 20000, sqlite_enough, NULL);
    /* one that fails leaves the others */
    for (char *line = strtok(script, "\n"); line; line = strtok(NULL, "\n")) {
      if (strncmp(line, mark, strlen(mark)) == 0)
        endless = line + strlen(mark);
      sqlite3_exec(db, line, NULL, NULL, NULL);
    }
    sqlite3_progress_handler(db, 0, NULL, NULL);
    sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
  }
  sqlite3_close(db);
  if (endless)
    sqlite_make_endless(file, endless);
}

static inline void sqlite_put(const char *file, const char *bytes, size_t size)
{
  FILE *out = fopen(file, "wb");
  if (out) {
    fwrite(bytes, 1, size, out);
    fclose(out);
  }
}

/* Where a line that is `mark` begins; NULL: nowhere. */
static inline const char *sqlite_border(const char *bytes, size_t size, const char *mark)
{
  size_t length = strlen(mark);
  for (size_t i = 0; i + length <= size; i++)
    if (memcmp(bytes + i, mark, length) == 0)
      return bytes + i;
  return NULL;
}

/* make: a file of ours; NULL: there are none of that kind */
static inline bool sqlite_make(sqlite_input *in, const void *input, size_t size,
                               void (*make)(const char *file))
{
  static const char *const marks[] = {"\n-- wal\n", "\n-- journal\n"}, *const suffixes[] = {
                                                                         "-wal", "-journal"};
  const char *bytes = input;
  snprintf(in->file, sizeof in->file, "/tmp/fuzz_sqlite.XXXXXX");
  in->beside[0] = '\0';
  int made = mkstemp(in->file);
  if (made < 0)
    return false;
  close(made);
  for (int i = 0; i < 2 && !in->beside[0]; i++) {
    const char *border = sqlite_border(bytes, size, marks[i]);
    if (!border)
      continue;
    snprintf(in->beside, sizeof in->beside, "%s%s", in->file, suffixes[i]);
    size_t behind = (size_t)(border - bytes) + strlen(marks[i]);
    sqlite_put(in->beside, bytes + behind, size - behind);
    size = (size_t)(border - bytes);
  }
  if (size >= 16 && memcmp(bytes, "SQLite format 3", 16) == 0) {
    sqlite_put(in->file, bytes, size);
    return true;
  }
  char *script = strndup(bytes, size);
  if (make && strncmp(script, "-- ours\n", 8) == 0)
    make(in->file);
  sqlite_fill(in->file, script);
  free(script);
  return true;
}

static inline void sqlite_remove(const sqlite_input *in)
{
  static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
  char path[48];
  for (int i = 0; i < 4; i++) {
    snprintf(path, sizeof path, "%s%s", in->file, suffixes[i]);
    unlink(path);
  }
}

#endif
