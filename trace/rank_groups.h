/* The groups and streams of all ranks of a job, as an IR has them. Any list of ranks can be a
 * group: lists of one shape (0 1, 2 3, 4 5) become the instances of one group of the IR. Members of
 * a list agree in their calls, one after the other; streams on which members make the same calls
 * become one stream of the IR. */
#ifndef TS_TRACE_RANK_GROUPS_H
#define TS_TRACE_RANK_GROUPS_H

#include "ir/ir.h"
#include "trace/read/events.h"

/* of a list of ranks, in order */
typedef struct ts_rank_call {
  uint32_t kind;   /* ts_comm_kind */
  uint64_t bytes;  /* the most that a member gives */
} ts_rank_call;

typedef struct ts_rank_list {
  uint32_t size;
  const uint32_t *ranks;
  uint32_t group;  /* of the IR: ts_rank_groups.groups */
  TS_VEC(ts_rank_call) calls;
} ts_rank_list;

typedef struct ts_rank_group_lists { /* apart: between neighbours; 0: it varies */
  uint32_t size, apart;
  TS_VEC(uint32_t) lists;
} ts_rank_group_lists;

typedef struct ts_rank_stream {
  const char *kind;
  uint32_t group, priority;
} ts_rank_stream;

typedef struct ts_rank_groups {
  TS_VEC(ts_rank_list) lists;
  TS_VEC(ts_rank_group_lists) groups;
  TS_VEC(ts_rank_stream) streams;       /* of the IR */
  const uint32_t *const *list_of;       /* [rank][collective of its table]: list or TS_EVENT_NONE */
  const uint8_t *const *stream_of;      /* [rank][track] */
} ts_rank_groups;

/* ranks[i] is rank i. NULL with the error filled: a group that is none, members that do not agree,
 * more streams than an IR has. */
const ts_rank_groups *ts_rank_groups_new(ts_arena *arena, const ts_events *const *ranks,
                                         uint32_t count, ts_error *error);

/* Is it a collective over a list of two ranks and more? */
static inline bool ts_is_group_call(const ts_events *e, const ts_event *v)
{
  uint32_t kind = v->kind == TS_KERNEL_COMMUNICATION && v->class == TS_EVENT_DEVICE &&
                      v->detail != TS_EVENT_NONE ?
                    e->comms.at[v->detail].kind :
                    TS_COMM_SEND;
  return kind != TS_COMM_SEND && kind != TS_COMM_RECV;
}

#endif
