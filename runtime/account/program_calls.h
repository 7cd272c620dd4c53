/* How often a rank of each program makes each call in a step. */
#ifndef TS_RUNTIME_ACCOUNT_PROGRAM_CALLS_H
#define TS_RUNTIME_ACCOUNT_PROGRAM_CALLS_H

#include "runtime/load/tables.h"

typedef struct ts_program_calls {
  uint64_t *collectives; /* [collectives] */
  uint64_t *messages;    /* [calls of the program] */
} ts_program_calls;

/* [programs] */
const ts_program_calls *ts_program_calls_of(const ts_tables *tables, ts_arena *arena);

#endif
