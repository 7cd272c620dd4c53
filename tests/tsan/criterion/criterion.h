/* The few macros of Criterion that the tests of threads need, reported as TAP from
 * one process. Criterion starts each test with a piece of memory at an address that ThreadSanitizer
 * keeps for itself, so its programs do not start under it. */
#ifndef TS_TESTS_TSAN_CRITERION_H
#define TS_TESTS_TSAN_CRITERION_H

#include <stdbool.h>
#include <string.h>

typedef struct tap_test {
  const char *name;
  void (*run)(void);
  struct tap_test *next;
} tap_test;

void tap_add(tap_test *test);
/* What does not hold is reported, and the test has failed; `end`: and so has the program. */
void tap_check(bool holds, bool end, const char *file, int line, const char *condition);

#define Test(suite, title)                                                                  \
  static void title(void);                                                                  \
  __attribute__((constructor)) static void add_##title(void)                                \
  {                                                                                         \
    static tap_test test = {.name = #suite "::" #title, .run = title};                      \
    tap_add(&test);                                                                         \
  }                                                                                         \
  static void title(void)

/* What messages tell goes nowhere; they begin with a literal. */
static inline void tap_ignore(const char *text, ...) { (void)text; }

#define TAP_CHECK(condition, end) tap_check(condition, end, __FILE__, __LINE__, #condition)
#define TAP_ASSERT(condition, ...) (tap_ignore("" __VA_ARGS__), TAP_CHECK(condition, true))
#define cr_assert(condition, ...) TAP_ASSERT(condition, __VA_ARGS__)
#define cr_assert_eq(a, b, ...) TAP_ASSERT((a) == (b), __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...) TAP_ASSERT(strcmp(a, b) == 0, __VA_ARGS__)
#define cr_assert_arr_eq(a, b, size) TAP_CHECK(memcmp(a, b, size) == 0, true)
#define cr_expect(condition, ...) TAP_CHECK(condition, false)
#define cr_expect_not(condition, ...) TAP_CHECK(!(condition), false)
#define cr_expect_eq(a, b) TAP_CHECK((a) == (b), false)
#define cr_expect_lt(a, b) TAP_CHECK((a) < (b), false)
#define cr_expect_leq(a, b) TAP_CHECK((a) <= (b), false)
#define cr_expect_geq(a, b) TAP_CHECK((a) >= (b), false)
#define cr_expect_str_eq(a, b) TAP_CHECK(strcmp(a, b) == 0, false)

#endif
