/* Any bytes behind a policy are read as a text workload without harm. */
#include <stdint.h>
#include <string.h>

#include "tests/fuzz/events_use.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  static const char head[] = "MICRO ";
  char *whole = malloc(sizeof head + size);
  if (!whole)
    return 0;
  memcpy(whole, head, sizeof head - 1);
  if (size)
    memcpy(whole + sizeof head - 1, bytes, size);
  use_trace(whole, sizeof head - 1 + size);
  free(whole);
  return 0;
}
