/* Packed bytes are the same for any number of threads, and zlib unpacks them to what they were. */
#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "runtime/report/pack.h"

enum { BLOCK = 1 << 20 };

/* Text with repeats near and far, and noise. */
static char *bytes_of(size_t size)
{
  char *bytes = malloc(size + 1);
  uint32_t x = 1;
  for (size_t i = 0; i < size; i++) {
    x = x * 1664525u + 1013904223u;
    bytes[i] = x >> 28 < 12 && i >= 40000 ? bytes[i - 30000] : (char)(x >> 20);
  }
  return bytes;
}

static char *packed(const char *bytes, size_t size, uint32_t threads, size_t *count)
{
  char *at = NULL;
  FILE *memory = open_memstream(&at, count), *out = ts_packing(memory, threads);
  cr_assert(out);
  for (size_t i = 0, some; i < size; i += some) { /* not block by block */
    some = size - i < 70001 ? size - i : 70001;
    cr_assert_eq(fwrite(bytes + i, 1, some, out), some);
  }
  cr_assert_eq(fclose(out), 0);
  fclose(memory);
  return at;
}

static void check_packed(size_t size)
{
  char *bytes = bytes_of(size), *back = malloc(size + 1);
  size_t count, others;
  char *one = packed(bytes, size, 1, &count);
  for (uint32_t threads = 2; threads <= 8; threads += 3) {
    char *several = packed(bytes, size, threads, &others);
    cr_assert(others == count && !memcmp(one, several, count), "%zu by %u threads", size, threads);
    free(several);
  }
  z_stream z = {.next_in = (unsigned char *)one,
                .avail_in = (unsigned)count,
                .next_out = (unsigned char *)back,
                .avail_out = (unsigned)size + 1};
  inflateInit2(&z, MAX_WBITS + 16);
  cr_assert_eq(inflate(&z, Z_FINISH), Z_STREAM_END, "%zu bytes", size);
  cr_assert(!z.avail_in && z.total_out == size && !memcmp(bytes, back, size));
  inflateEnd(&z);
  free(one);
  free(back);
  free(bytes);
}

Test(pack, comes_back_whatever_packed_it)
{
  const size_t sizes[] = {0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 5 * BLOCK + 12345};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    check_packed(sizes[i]);
}

Test(pack, says_that_nothing_can_be_written)
{
  FILE *full = fopen("/dev/full", "w"), *out = ts_packing(full, 1);
  char *bytes = bytes_of(3 * BLOCK);
  bool wrong = !out || fwrite(bytes, 1, 3 * BLOCK, out) != 3 * BLOCK;
  wrong |= out && fclose(out) != 0;
  cr_assert(wrong);
  fclose(full);
  free(bytes);
}
