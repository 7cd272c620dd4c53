/* Digests are those of another implementation, whatever the processor has for them. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include <sha2.h>

#include "base/digest.h"
#include "base/sha256.h"

static void check(const uint8_t *bytes, size_t size)
{
  uint8_t got[TS_DIGEST_SIZE], expected[TS_DIGEST_SIZE];
  SHA2_CTX state;
  SHA256Init(&state);
  SHA256Update(&state, bytes, size);
  SHA256Final(expected, &state);
  ts_digest_bytes(bytes, size, got);
  cr_assert(!memcmp(got, expected, sizeof got), "%zu bytes", size);
}

Test(digest, of_any_size)
{
  enum { MOST = 3 << 12 };
  uint8_t *bytes = malloc(MOST + 1);
  uint32_t at = 1;
  for (size_t i = 0; i <= MOST; i++)
    bytes[i] = (uint8_t)((at = at * 1664525 + 1013904223) >> 24);
  for (size_t size = 0; size < 200; size++)
    check(bytes + size % 7, size);
  for (size_t size = 4000; size < 4400; size++)
    check(bytes + size % 7, size);
  check(bytes, MOST);
  check(bytes + 1, MOST);
  free(bytes);
}
