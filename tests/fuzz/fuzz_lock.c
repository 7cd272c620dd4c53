/* Any bytes are read as a lock file without harm. One that was read is written and read back alike,
 * and differs from itself in nothing. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/report/lock.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static char *written(const ts_lock *lock, size_t *size)
{
  char *text = NULL;
  FILE *out = open_memstream(&text, size);
  if (!out)
    abort();
  ts_lock_write(lock, out);
  fclose(out);
  return text;
}

static void check(ts_arena *arena, const ts_lock *lock)
{
  ts_error error;
  size_t first_size, second_size;
  char *first = written(lock, &first_size);
  const ts_lock *again = ts_lock_read(arena, first, first_size, &error);
  if (!again || ts_lock_compare(arena, lock, again).count || !ts_lock_same_options(lock, again) ||
      lock->step != again->step || lock->peak != again->peak)
    abort();
  char *second = written(again, &second_size);
  if (first_size != second_size || memcmp(first, second, first_size))
    abort();
  free(first);
  free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  ts_arena *arena = ts_arena_new("fuzz");
  ts_error error;
  const char *text = ts_arena_string(arena, (const char *)bytes, size);
  const ts_lock *lock = ts_lock_read(arena, text, size, &error);
  if (lock)
    check(arena, lock);
  else if (!error.message[0] || error.begin > error.end || error.end > size)
    abort();
  ts_arena_free(arena);
  return 0;
}
