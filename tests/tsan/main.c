#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static tap_test *tests;
static bool failed;

void tap_add(tap_test *test)
{
  test->next = tests;
  tests = test;
}

void tap_check(bool holds, bool end, const char *file, int line, const char *condition)
{
  if (holds)
    return;
  failed = true;
  printf("# %s:%d: not so: %s\n", file, line, condition);
  if (end) {
    puts("Bail out!");
    exit(1);
  }
}

int main(void)
{
  int number = 0;
  for (const tap_test *t = tests; t; t = t->next) {
    failed = false;
    t->run();
    printf("%sok %d - %s\n", failed ? "not " : "", ++number, t->name);
  }
  printf("1..%d\n", number);
}
