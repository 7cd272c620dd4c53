/* Messages that are sent at the same time whatever happens: ranks of a program do the same, so all
 * that they send to one peer is on its way together, as the instances of a collective are; and
 * programs that do the same up to a send, without having waited for a message, send together too (a
 * parameter server's workers). Such messages are a SET. */
#ifndef TS_RUNTIME_PLAY_AT_ONCE_H
#define TS_RUNTIME_PLAY_AT_ONCE_H

#include "runtime/load/tables.h"

typedef struct ts_send_sets {
  uint32_t count;
  const uint32_t **of; /* [programs][peers] TS_IR_NONE: the program sends it nothing */
} ts_send_sets;

ts_send_sets ts_send_sets_of(ts_arena *arena, const ts_tables *tables);

#endif
