/* SHA-256 digests, for provenance and for the IR's header. */
#ifndef TS_BASE_DIGEST_H
#define TS_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

enum { TS_DIGEST_SIZE = 32 };

void ts_digest_bytes(const void *bytes, size_t size, uint8_t digest[TS_DIGEST_SIZE]);
int ts_digest_file(const char *path, uint8_t digest[TS_DIGEST_SIZE]); /* 0 or an errno value */
void ts_digest_hex(const uint8_t digest[TS_DIGEST_SIZE], char hex[2 * TS_DIGEST_SIZE + 1]);

#endif
