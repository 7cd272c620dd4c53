/* Any bytes behind the metadata are read as nodes of a Chakra trace without harm. */
#include <stdint.h>
#include <string.h>

#include "tests/fuzz/events_use.h"

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
  use_trace(whole, sizeof head + size);
  free(whole);
  return 0;
}
