/* Any SQLite file, and any that a script of SQL makes, is read as an export of Nsight Systems
 * without harm: tables and columns that lack, of other types, with values of other types. */
#include <stdint.h>

#include "tests/fuzz/events_use.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#ifdef TS_HAVE_SQLITE
#include "tests/fuzz/sqlite_use.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  sqlite_input in;
  if (!sqlite_make(&in, bytes, size, NULL))
    return 0;
  ts_arena *arena = ts_arena_new("fuzz");
  ts_error error = {0};
  use_events(arena, ts_events_read(arena, in.file, NULL, &error), &error);
  ts_arena_free(arena);
  sqlite_remove(&in);
  return 0;
}
#else
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  use_trace(bytes, size);
  return 0;
}
#endif
