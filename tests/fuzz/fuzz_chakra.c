/* Any bytes behind the metadata are read as nodes of a Chakra trace, and played as that of the one
 * rank, without harm. */
#include <stdint.h>
#include <string.h>

#include "tests/fuzz/events_use.h"
#include "tests/play_ranks.h"
#include "trace/chakra_ranks.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  static const char head[] = {7, 0x0a, 5, '0', '.', '0', '.', '4'};
  char *whole = malloc(sizeof head + size);
  if (!whole)
    return 0;
  memcpy(whole, head, sizeof head);
  if (size)
    memcpy(whole + sizeof head, bytes, size);
  size += sizeof head;
  use_trace(whole, size);
  ts_arena *arena = ts_arena_new("fuzz");
  ts_error error = {0};
  const ts_events *e = ts_events_parse(arena, "fuzz", whole, size, NULL, &error);
  const ts_events **ranks =
    e && ts_is_chakra(e) ? ts_chakra_ranks(arena, &e, 1, NULL, 0, &error) : NULL;
  if (ranks)
    play_or_refuse_ranks(ranks, 1);
  else if (!error.message[0] && !(e && !ts_is_chakra(e)))
    abort();
  ts_arena_free(arena);
  free(whole);
  return 0;
}
