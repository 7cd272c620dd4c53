/* The order of two numbers, for functions that qsort calls. */
#ifndef TS_BASE_ORDER_H
#define TS_BASE_ORDER_H

#include <stdint.h>

static inline int ts_by_number(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

#endif
