#include "base/digest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

#include <sha2.h>

#include "base/sha256.h"

_Static_assert(TS_DIGEST_SIZE == SHA256_DIGEST_LENGTH, "a digest holds a SHA-256");

static void digest_fast(const uint8_t *bytes, size_t size, uint8_t digest[TS_DIGEST_SIZE])
{
  uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}; /* FIPS 180-4, 5.3.3 */
  size_t whole = size / TS_SHA256_BLOCK, rest = size % TS_SHA256_BLOCK,
         blocks = rest + 9 > TS_SHA256_BLOCK ? 2 : 1;
  uint8_t end[2 * TS_SHA256_BLOCK] = {0};
  ts_sha256_blocks(state, bytes, whole);
  memcpy(end, bytes + size - rest, rest);
  end[rest] = 0x80;
  for (size_t i = 0; i < 8; i++)
    end[blocks * TS_SHA256_BLOCK - 1 - i] = (uint8_t)((uint64_t)size * 8 >> 8 * i);
  ts_sha256_blocks(state, end, blocks);
  for (size_t i = 0; i < TS_DIGEST_SIZE; i++)
    digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}

void ts_digest_bytes(const void *bytes, size_t size, uint8_t digest[TS_DIGEST_SIZE])
{
  enum { WORTH_ASKING = 1 << 12 };
  if (size >= WORTH_ASKING && ts_sha256_is_fast()) {
    digest_fast(bytes, size, digest);
    return;
  }
  SHA2_CTX state;
  SHA256Init(&state);
  SHA256Update(&state, bytes, size);
  SHA256Final(digest, &state);
}

int ts_digest_file(const char *path, uint8_t digest[TS_DIGEST_SIZE])
{
  FILE *in = fopen(path, "rb");
  if (!in)
    return errno;
  SHA2_CTX state;
  SHA256Init(&state);
  uint8_t buffer[1 << 14];
  size_t got;
  while ((got = fread(buffer, 1, sizeof buffer, in)) > 0)
    SHA256Update(&state, buffer, got);
  int failed = ferror(in) ? (errno ? errno : EIO) : 0;
  fclose(in);
  SHA256Final(digest, &state);
  return failed;
}

void ts_digest_hex(const uint8_t digest[TS_DIGEST_SIZE], char hex[2 * TS_DIGEST_SIZE + 1])
{
  static const char digits[] = "0123456789abcdef";
  for (int i = 0; i < TS_DIGEST_SIZE; i++) {
    hex[2 * i] = digits[digest[i] >> 4];
    hex[2 * i + 1] = digits[digest[i] & 15];
  }
  hex[2 * TS_DIGEST_SIZE] = 0;
}
