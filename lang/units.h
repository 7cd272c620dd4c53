/* Units and dimensions. A quantity is a double in base units (second, bit, FLOP, dollar, watt,
 * gram; Hz is 1/s) and its dimension. */
#ifndef TS_LANG_UNITS_H
#define TS_LANG_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* exponents; all 0: a plain number */
typedef struct ts_dimension { int8_t time, bits, work, money, power, mass; } ts_dimension;

#define TS_DIM_NONE ((ts_dimension){0, 0, 0, 0, 0, 0})
#define TS_DIM_TIME ((ts_dimension){1, 0, 0, 0, 0, 0})
#define TS_DIM_SIZE ((ts_dimension){0, 1, 0, 0, 0, 0})
#define TS_DIM_RATE ((ts_dimension){-1, 1, 0, 0, 0, 0})
#define TS_DIM_WORK ((ts_dimension){0, 0, 1, 0, 0, 0})
#define TS_DIM_WORKRATE ((ts_dimension){-1, 0, 1, 0, 0, 0})

typedef enum ts_operator {
  TS_OP_NEGATE,
  TS_OP_NOT,
  TS_OP_OR,
  TS_OP_AND,
  TS_OP_EQ,
  TS_OP_NE,
  TS_OP_LT,
  TS_OP_LE,
  TS_OP_GT,
  TS_OP_GE,
  TS_OP_RANGE,
  TS_OP_ADD,
  TS_OP_SUB,
  TS_OP_MUL,
  TS_OP_DIV,
  TS_OP_MOD
} ts_operator;

bool ts_dimension_equal(ts_dimension a, ts_dimension b);
/* False if an exponent would leave -8..8. */
bool ts_dimension_multiply(ts_dimension a, ts_dimension b, int sign, ts_dimension *result);
/* "Gb/s" -> factor to base units and dimension. False for an unknown unit. */
bool ts_unit_lookup(const char *text, size_t length, double *factor, ts_dimension *dimension);
/* For people: "a size (bytes)", "a rate (bits or bytes per time)", "a number". */
const char *ts_dimension_describe(ts_dimension dimension);
/* Writes value with a well-chosen unit: "51.44 GiB", "1.234 ms", "400 Gb/s". */
void ts_quantity_print(char *buffer, size_t size, double value, ts_dimension dimension);
/* i-th unit name for did-you-mean, NULL at the end. */
const char *ts_unit_name(size_t i);

#endif
