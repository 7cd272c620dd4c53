/* `extern fn`, with functions of the C library's own mathematics as the user's. */
#define _GNU_SOURCE /* dladdr */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/output.h"
#include "compiler/eval/options.h"
#include "tests/unit/test_eval.h"

/* A copy of the file that holds cbrt() and its like, allowed to be loaded; its path. */
static const char *mathematics(ts_desk *desk)
{
  Dl_info info;
  double (*function)(double) = cbrt;
  void *address;
  memcpy(&address, &function, sizeof address);
  cr_assert(dladdr(address, &info));
  const char **path = TS_NEW(desk->arena, const char *);
  *path = ts_desk_file(desk, "libmine.so", "");
  size_t size;
  int error;
  const char *bytes = ts_read_file(desk->arena, info.dli_fname, &size, &error);
  cr_assert(bytes && ts_write_file(*path, bytes, size) == 0);
  desk->s->options->natives = path;
  desk->s->options->native_count = 1;
  return *path;
}

static void gives(const char *declaration, const char *expression, const char *expected)
{
  ts_desk desk = ts_desk_open();
  mathematics(&desk);
  const char *text = ts_arena_printf(desk.arena, "extern fn %s from \"libmine.so\"\nlet x = %s",
                                     declaration, expression);
  const char *got = ts_desk_print(&desk, text);
  cr_expect_str_eq(got, expected, "%s\n  gives    %s\n  expected %s", text, got, expected);
  ts_desk_close(&desk);
}

Test(native, numbers_and_quantities_cross)
{
  gives("fabs(x: Real) -> Real", "fabs(-27)", "27.0");
  gives("fabs(x: Time) -> Time", "fabs(-3 us)", "3 us");
  gives("fabs(x: Size) -> Real", "fabs(3 B)", "3.0"); /* bytes outside, bits inside */
  gives("fabs(x: Real) -> Rate", "fabs(2e9)", "16 Gb/s");
  gives("llround(x: Real) -> Int", "llround(x: 2.5)", "3");
}

Test(native, mistakes)
{
  gives("log(x: Real) -> Time", "log(-1)",
        "E0232 `log` returned a value that is not a finite number");
  gives("no_such_function(x: Real) -> Time", "no_such_function(1)",
        "E0230 `libmine.so` has no function `no_such_function`");
  gives("cbrt(x: Tensor) -> Real", "cbrt(1)", "E0231 `Tensor` cannot cross to a native function");
  ts_desk desk = ts_desk_open();
  cr_expect_str_eq(
    ts_desk_print(&desk, "extern fn f(m: Int) -> Time from \"libnone.so\"\nlet x = f(1)"),
    "E0229 cannot find the library `libnone.so`");
  ts_desk_close(&desk);
}

/* Whoever compiles a plan names each library: what the plan says loads nothing. */
Test(native, nothing_is_loaded_unasked)
{
  ts_desk desk = ts_desk_open();
  mathematics(&desk);
  desk.s->options->native_count = 0;
  cr_expect_str_eq(
    ts_desk_print(&desk, "extern fn cbrt(x: Real) -> Real from \"libmine.so\"\nlet x = cbrt(8)"),
    "E0235 `libmine.so` is native code, which is not allowed to run");
  ts_desk_close(&desk);
  desk = ts_desk_open();
  char path[4096]; /* allowed, and yet not by a path from the root */
  cr_assert(realpath(mathematics(&desk), path));
  cr_expect_str_eq(
    ts_desk_print(
      &desk, ts_arena_printf(desk.arena,
                             "extern fn cbrt(x: Real) -> Real from \"%s\"\nlet x = cbrt(8)", path)),
    "E0235 a library of native code is beside the plan or in a folder of `-I`");
  ts_desk_close(&desk);
}

Test(native, a_pinned_library_is_that_one)
{
  for (int right = 0; right < 2; right++) {
    ts_desk desk = ts_desk_open();
    uint8_t digest[TS_DIGEST_SIZE];
    char hex[2 * TS_DIGEST_SIZE + 1];
    cr_assert_eq(ts_digest_file(mathematics(&desk), digest), 0);
    digest[0] ^= !right;
    ts_digest_hex(digest, hex);
    const char *text = ts_arena_printf(
      desk.arena,
      "extern fn cbrt(x: Real) -> Real from \"libmine.so\" sha256 \"%s\"\nlet x = cbrt(8)", hex);
    cr_expect_str_eq(ts_desk_print(&desk, text),
                     right ? "2.0" : "E0236 `libmine.so` is not the library that the plan names");
    ts_desk_close(&desk);
  }
}
