#include "base/digest.h"

#include <errno.h>
#include <stdio.h>
#include <sys/types.h>

#include <sha2.h>

_Static_assert(TS_DIGEST_SIZE == SHA256_DIGEST_LENGTH, "a digest holds a SHA-256");

void ts_digest_bytes(const void *bytes, size_t size, uint8_t digest[TS_DIGEST_SIZE])
{
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
