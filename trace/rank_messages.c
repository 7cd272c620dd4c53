#include "trace/rank_messages.h"

#include <stdlib.h>
#include <string.h>

typedef struct rank_messages_event {
  ts_message_key key;
  uint32_t event;
} rank_messages_event;

int ts_message_keys_compare(const void *a, const void *b)
{
  const ts_message_key *k = a, *l = b;
  const uint64_t x[] = {k->sender, k->receiver, k->tag}, y[] = {l->sender, l->receiver, l->tag};
  for (size_t i = 0; i < sizeof x / sizeof *x; i++)
    if (x[i] != y[i])
      return x[i] < y[i] ? -1 : 1;
  int order = strcmp(k->group, l->group);
  return order ? order : (k->nth > l->nth) - (k->nth < l->nth);
}

static int by_key_and_event(const void *a, const void *b)
{
  const rank_messages_event *x = a, *y = b;
  int order = ts_message_keys_compare(&x->key, &y->key);
  return order ? order : (x->event > y->event) - (x->event < y->event);
}

bool ts_is_message(const ts_events *e, const ts_event *v)
{
  if (v->kind != TS_KERNEL_COMMUNICATION || v->detail == TS_EVENT_NONE)
    return false;
  uint32_t kind = e->comms.at[v->detail].kind;
  return kind == TS_COMM_SEND || kind == TS_COMM_RECV;
}

static ts_message_key key_of(const ts_events *e, const ts_event_comm *c)
{
  uint64_t own = (uint64_t)e->rank, peer = (uint64_t)c->peer;
  bool send = c->kind == TS_COMM_SEND;
  return (ts_message_key){send ? own : peer, send ? peer : own, (uint64_t)c->tag, 0,
                          c->group ? ts_events_text(e, c->group) : ""};
}

ts_message_key *ts_message_keys(ts_arena *arena, const ts_events *e)
{
  TS_VEC(rank_messages_event) all = {0};
  for (uint32_t i = 0; i < e->count; i++)
    if (ts_is_message(e, ts_event_at(e, i)))
      TS_PUSH(arena, &all,
              ((rank_messages_event){key_of(e, &e->comms.at[ts_event_at(e, i)->detail]), i}));
  if (!all.count)
    return NULL;
  ts_message_key *keys = TS_NEW_ARRAY(arena, ts_message_key, e->count + 1);
  TS_SORT(&all, by_key_and_event);
  uint64_t nth = 0;
  for (size_t i = 0; i < all.count; i++) {
    nth = i && ts_message_keys_compare(&all.at[i].key, &all.at[i - 1].key) == 0 ? nth + 1 : 0;
    keys[all.at[i].event] = all.at[i].key;
    keys[all.at[i].event].nth = nth;
  }
  return keys;
}
