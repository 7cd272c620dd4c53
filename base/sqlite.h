/* The one place that opens SQLite files. They may come from a stranger, so each is opened with
 * distrust: its schema calls no functions of effect, runs no triggers, has no virtual tables and
 * hides no views; what it says is bounded. Whoever reads compares the schema (ts_sqlite_has), or
 * asks what the columns are (ts_sqlite_plain). A statement may take as many steps, and give as many
 * bytes, as a file of that size can need: a tree that points to itself has rows without end. So
 * none counts by count(*), sorts, or copies within SQLite, where nobody counts. Only where it was
 * built with SQLite (TS_HAVE_SQLITE). */
#ifndef TS_BASE_SQLITE_H
#define TS_BASE_SQLITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

struct sqlite3;
struct sqlite3_stmt;

/* All 0: none is open. It stays where it is while it is open. */
typedef struct ts_sqlite {
  struct sqlite3 *handle;
  const char *path;      /* of the file; NULL: in memory */
  uint64_t steps, bytes; /* of the statement under way */
  bool spent;            /* more than the file can need */
} ts_sqlite;

typedef enum ts_sqlite_how {
  TS_SQLITE_WRITE, /* made if there is none */
  /* Of ours, to be read: where it can be written, what a kill left is taken back first. Where not,
   * nothing is made beside it. */
  TS_SQLITE_READ,
  TS_SQLITE_FOREIGN /* nothing is made beside it; refused while something waits there */
} ts_sqlite_how;

/* path: as realpath() gives it, as what waits to be put into a file lies beside the one that a link
 * means. False with the error filled; to be closed then, too. Clears the error first. */
bool ts_sqlite_open(ts_sqlite *db, const char *path, ts_sqlite_how how, ts_arena *arena,
                    ts_error *error);
void ts_sqlite_close(ts_sqlite *db);
/* What SQLite says went wrong; returns false. Ends the program where there is no memory. */
bool ts_sqlite_wrong(ts_sqlite *db, ts_error *error);

/* Statements. One at a time, each with all of the budget. */
bool ts_sqlite_do(ts_sqlite *db, const char *statements);
struct sqlite3_stmt *ts_sqlite_query(ts_sqlite *db, const char *query); /* NULL: it went wrong */
/* Instead of sqlite3_step() and sqlite3_reset(): counts. */
int ts_sqlite_step(ts_sqlite *db, struct sqlite3_stmt *s);
bool ts_sqlite_again(ts_sqlite *db, struct sqlite3_stmt *s);
int64_t ts_sqlite_number(ts_sqlite *db, const char *query); /* -1: there is none */

/* Its schema is what these statements make, to the letter. False with the error filled. */
bool ts_sqlite_has(ts_sqlite *db, const char *schema, ts_error *error);
/* Of a table, or of its column unless that is NULL; the name as it stands there. A table that is
 * there has columns that hold values: one that is a view, or computes a column, is an error. */
bool ts_sqlite_plain(ts_sqlite *db, const char *table, const char *column, ts_error *error);

#endif
