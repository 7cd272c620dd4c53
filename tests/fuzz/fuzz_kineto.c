/* Any bytes are read as a trace (JSON of the profiler, execution traces, Chakra JSON, gzip of them)
 * without harm, and what was read is summed up, made a table and played. */
#include <stdint.h>

#include "tests/fuzz/events_use.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  use_trace(bytes, size);
  return 0;
}
