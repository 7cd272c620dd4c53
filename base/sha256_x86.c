/* SHA-256 by the instructions that x86 processors have for it (Intel, "Intel SHA Extensions", 2013),
 * four times as fast as without. */
#include "base/sha256.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

static const uint32_t rounds[64] __attribute__((aligned(16))) = { /* FIPS 180-4, 4.2.2 */
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

bool ts_sha256_is_fast(void)
{
  enum { SSSE3 = 1 << 9, SSE41 = 1 << 19, SHA = 1 << 29 };
  unsigned a, b, c, d;
  bool wide = __get_cpuid(1, &a, &b, &c, &d) && c & SSSE3 && c & SSE41;
  return wide && __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & SHA;
}

/* The instructions keep the state as (A, B, E, F) and (C, D, G, H). */
__attribute__((target("sha,sse4.1,ssse3"))) void ts_sha256_blocks(uint32_t state[8],
                                                                  const uint8_t *bytes,
                                                                  size_t count)
{
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i *out = (__m128i *)(void *)state;
  __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128(out), 0xb1),
          efgh = _mm_shuffle_epi32(_mm_loadu_si128(out + 1), 0x1b),
          abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
  for (; count; count--, bytes += TS_SHA256_BLOCK) {
    __m128i first = abef, second = cdgh, w[4];
    for (size_t i = 0; i < 4; i++)
      w[i] = _mm_shuffle_epi8(
        _mm_loadu_si128((const __m128i *)(const void *)(bytes + 16 * i)), big_endian);
    for (size_t r = 0; r < 16; r++) {
      __m128i *now = &w[r % 4], before = w[(r + 3) % 4];
      if (r >= 4)
        *now = _mm_sha256msg2_epu32(
          _mm_add_epi32(_mm_sha256msg1_epu32(*now, w[(r + 1) % 4]),
                        _mm_alignr_epi8(before, w[(r + 2) % 4], 4)),
          before);
      __m128i k =
        _mm_add_epi32(*now, _mm_load_si128((const __m128i *)(const void *)(rounds + 4 * r)));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, k);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(k, 0x0e));
    }
    abef = _mm_add_epi32(abef, first);
    cdgh = _mm_add_epi32(cdgh, second);
  }
  __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(out, _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(out + 1, _mm_alignr_epi8(dchg, feba, 8));
}

#else

bool ts_sha256_is_fast(void) { return false; }

void ts_sha256_blocks(uint32_t state[8], const uint8_t *bytes, size_t count)
{
  (void)state;
  (void)bytes;
  (void)count;
}

#endif
