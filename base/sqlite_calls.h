/* Functions of SQLite for those who hold an open file (sqlite.h). They go through the table that
 * SQLite hands to its extensions, so that nobody is linked with the library: its symbols took the
 * loader an eighth of a small plan. */
#ifndef TS_BASE_SQLITE_CALLS_H
#define TS_BASE_SQLITE_CALLS_H

#define sqlite3_api ts_sqlite_api
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3

#endif
