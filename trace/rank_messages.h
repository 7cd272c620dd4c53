/* Messages of execution graphs: which send is which receive. */
#ifndef TS_TRACE_RANK_MESSAGES_H
#define TS_TRACE_RANK_MESSAGES_H

#include "trace/read/events.h"

/* Sender, receiver, tag, communicator, and how many went before: the same on both sides. */
typedef struct ts_message_key {
  uint64_t sender, receiver, tag, nth;
  const char *group; /* its name; "": none */
} ts_message_key;

bool ts_is_message(const ts_events *e, const ts_event *v);
int ts_message_keys_compare(const void *a, const void *b);
/* Of a rank's messages, by event; NULL: it has none. */
ts_message_key *ts_message_keys(ts_arena *arena, const ts_events *e);

#endif
