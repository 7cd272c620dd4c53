/* Private to digest.c: whole blocks of a SHA-256, where the processor has instructions for them. */
#ifndef TS_BASE_SHA256_H
#define TS_BASE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TS_SHA256_BLOCK = 64 };

/* Whether this processor has them; asking may take a microsecond. */
bool ts_sha256_is_fast(void);
/* Only then. `state` as FIPS 180-4 has it: A to H. */
void ts_sha256_blocks(uint32_t state[8], const uint8_t *bytes, size_t count);

#endif
