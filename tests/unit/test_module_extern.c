/* `extern fn`, with functions of the C library's own mathematics as the user's. */
#define _GNU_SOURCE /* dladdr */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/test_eval.h"

/* The file that holds cbrt() and its like. */
static const char *mathematics(void)
{
  Dl_info info;
  double (*function)(double) = cbrt;
  void *address;
  memcpy(&address, &function, sizeof address);
  cr_assert(dladdr(address, &info));
  return info.dli_fname;
}

static void gives(const char *declaration, const char *expression, const char *expected)
{
  ts_desk desk = ts_desk_open();
  const char *text = ts_arena_printf(desk.arena, "extern fn %s from \"%s\"\nlet x = %s", declaration, mathematics(), expression);
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
  gives("log(x: Real) -> Time", "log(-1)", "E0232 `log` returned a value that is not a finite number");
  char lacks[512];
  snprintf(lacks, sizeof lacks, "E0230 `%s` has no function `no_such_function`", mathematics());
  gives("no_such_function(x: Real) -> Time", "no_such_function(1)", lacks);
  gives("cbrt(x: Tensor) -> Real", "cbrt(1)", "E0231 `Tensor` cannot cross to a native function");
  ts_desk desk = ts_desk_open();
  cr_expect_str_eq(ts_desk_print(&desk, "extern fn f(m: Int) -> Time from \"libnone.so\"\nlet x = f(1)"), "E0229 cannot find the library `libnone.so`");
  ts_desk_close(&desk);
}
