/* Files of the language, mutated by their trees, are formatted: once keeps tree and comments, and
 * twice gives the same bytes. */
#include <stdint.h>
#include <stdio.h>

#include "tests/fuzz/tree_mutator.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t most, unsigned seed);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  char *text = malloc(size + 1);
  if (!text)
    return 0;
  if (size)
    memcpy(text, bytes, size);
  text[size] = '\0';
  const char *fault = lang_format_fault(text, size);
  if (fault) {
    fprintf(stderr, "%s\n", fault);
    abort();
  }
  free(text);
  return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed)
{
  return tree_mutate(bytes, size, most, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t most, unsigned seed)
{
  return tree_cross(a, a_size, b, b_size, out, most, seed);
}
