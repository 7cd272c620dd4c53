/* How many cases a long comparison takes: some of them in `./dev test`, all where TS_TEST_ALL is set, as .ci/run does. */
#ifndef TS_TESTS_UNIT_AMOUNT_H
#define TS_TESTS_UNIT_AMOUNT_H

#include <stdlib.h>

static inline unsigned amount(unsigned some, unsigned all)
{
  return getenv("TS_TEST_ALL") ? all : some;
}

#endif
