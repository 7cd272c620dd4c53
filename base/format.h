/* Quantities for people: four significant digits, units that fit, columns whose parts add up to
 * what is printed as their sum. */
#ifndef TS_BASE_FORMAT_H
#define TS_BASE_FORMAT_H

#include <stddef.h>
#include <stdint.h>

typedef struct ts_text { char text[64]; } ts_text; /* returned by value: ts_format_time(t).text */

ts_text ts_format_time(uint64_t ps);          /* "742.1 ms" */
/* "500 ms": of an axis, whose times have few digits: no zeros after the point */
ts_text ts_format_tick(uint64_t ps);
ts_text ts_format_bytes(double bytes);        /* "71.31 GiB", "96 MiB" */
ts_text ts_format_count(uint64_t count);      /* "1,024" */
ts_text ts_format_scaled(double value, const char *unit); /* "138.2 TFLOP/s": decimal prefixes */
ts_text ts_format_significant(double value);  /* "333,800": four digits that mean something */
ts_text ts_format_energy(double joules);      /* "2.523 kWh", "207.1 J" */
ts_text ts_format_dollars(double dollars);    /* "$12.34", "$333,800" */
ts_text ts_format_letters(size_t n);         /* "a" to "z", "aa", "ab", ...: the n-th, from 0 */
ts_text ts_format_share(double share);        /* "8.6 %" of a share 0..1 */

/* Splits `units` over parts in proportion to them by largest remainders, so that what is printed
 * adds up. `total`: sum of the parts. */
void ts_apportion(const double *parts, size_t count, double total, uint64_t units, uint64_t *out);

/* A column of times or sizes in one unit, with decimals such that `largest` has at least four
 * digits. */
/* quantum: of the last decimal, in ps or bytes */
typedef struct ts_column { const char *unit; double quantum; unsigned decimals; } ts_column;
ts_column ts_column_of_times(double largest);
ts_column ts_column_of_sizes(double largest);
uint64_t ts_column_units(const ts_column *column, double value);
/* without the name of the unit */
ts_text ts_format_in_column(const ts_column *column, uint64_t units);

#endif
