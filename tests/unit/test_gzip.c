/* Text packed while it is made: what comes out is what was put in, and what fails is told.
 * `./dev tsan` watches it for data races. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "runtime/report/gzip.h"

enum { LINES = 400000 }; /* several times what waits at once */

static void put_lines(void *closure, FILE *out)
{
  uint32_t seed = 1;
  for (int i = 0; i < *(int *)closure; i++)
    fprintf(out, "line %d: %u\n", i, (unsigned)(seed = seed * 1664525u + 1013904223u));
}

static void comes_back(int lines)
{
  FILE *file = tmpfile(), *wanted = tmpfile();
  char a[64], b[64];
  cr_assert_eq(ts_print_gzip(file, put_lines, &lines), 0);
  put_lines(&lines, wanted);
  rewind(wanted);
  cr_assert_eq(lseek(fileno(file), 0, SEEK_SET), 0);
  gzFile in = gzdopen(dup(fileno(file)), "rb");
  while (fgets(b, sizeof b, wanted)) {
    cr_assert(gzgets(in, a, sizeof a));
    cr_assert_str_eq(a, b);
  }
  cr_assert(!gzgets(in, a, sizeof a));
  cr_assert_eq(gzclose(in), Z_OK);
  fclose(file);
  fclose(wanted);
}

Test(gzip, unpacked_it_is_what_was_printed)
{
  comes_back(LINES);
  comes_back(1);
  comes_back(0);
}

Test(gzip, a_full_disk_is_told)
{
  int lines = LINES;
  FILE *full = fopen("/dev/full", "wb");
  if (full)
    cr_assert_eq(ts_print_gzip(full, put_lines, &lines), ENOSPC);
}
