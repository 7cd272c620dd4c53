/* SQLite files of ours that may come from a stranger: opened with distrust, errors as values. Only
 * where it was built with SQLite (TS_HAVE_SQLITE). */
#ifndef TS_BASE_SQLITE_H
#define TS_BASE_SQLITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

struct sqlite3;

/* Opens with SQLITE_OPEN flags. Its schema calls no functions of effect, runs no triggers and hides
 * no views, and damage is looked for. False with the error filled; *handle is to be closed then,
 * too. Clears the error first. */
bool ts_sqlite_connect(struct sqlite3 **handle, const char *name, int flags, ts_error *error);
/* What SQLite says went wrong; returns false. Ends the program where there is no memory. */
bool ts_sqlite_wrong(struct sqlite3 *handle, ts_error *error);
bool ts_sqlite_do(struct sqlite3 *handle, const char *statements);
int64_t ts_sqlite_number(struct sqlite3 *handle, const char *query); /* -1: there is none */

/* A change of several databases was interrupted, and taking it back would delete a file that it
 * names. `path` as realpath() gives it. */
bool ts_sqlite_deletes_a_file(const char *path, ts_arena *arena);
/* Nothing waits beside the file to be put into it, or to be taken back. */
bool ts_sqlite_at_rest(const char *path, ts_arena *arena);
/* It could not be opened as nothing can be written there. */
bool ts_sqlite_needs_write(struct sqlite3 *handle);
/* The name, for SQLITE_OPEN_URI, of a file at rest that nobody can write: SQLite refuses one in WAL
 * mode, as it cannot note there that it is read. */
const char *ts_sqlite_immutable(ts_arena *arena, const char *path);

#endif
