/* Any bytes behind the name of the first plane are read as a profile of JAX without harm, and what
 * was read is summed up and played. */
#include <stdint.h>
#include <string.h>

#include "tests/fuzz/events_use.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* As it is where it says that it is a profile, else as what follows "/device:TPU:0". */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  static const char name[] = {0x12, 13, '/', 'd', 'e', 'v', 'i', 'c', 'e', ':', 'T', 'P', 'U', ':', '0'};
  if (size && bytes[0] == 0x0a) {
    use_trace(bytes, size);
    return 0;
  }
  if (size > 1 << 20)
    return 0;
  uint8_t *whole = malloc(4 + sizeof name + size);
  if (!whole)
    return 0;
  size_t plane = sizeof name + size;
  whole[0] = 0x0a;
  whole[1] = (uint8_t)(0x80 | (plane & 0x7f));
  whole[2] = (uint8_t)(0x80 | (plane >> 7 & 0x7f));
  whole[3] = (uint8_t)(plane >> 14 & 0x7f);
  memcpy(whole + 4, name, sizeof name);
  memcpy(whole + 4 + sizeof name, bytes, size);
  use_trace(whole, 4 + plane);
  free(whole);
  return 0;
}
