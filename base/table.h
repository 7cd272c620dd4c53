/* Tables by enumerations: each value has its row. */
#ifndef TS_BASE_TABLE_H
#define TS_BASE_TABLE_H

/* An array whose size follows from its rows has `count` of them, those that are only terminators
 * included. */
#define TS_TABLE(table, count)                                                                     \
  _Static_assert(sizeof(table) / sizeof *(table) == (size_t)(count), "a row for each value")

#endif
