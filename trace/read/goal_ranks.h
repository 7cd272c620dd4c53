/* GOAL schedules rank by rank, as text or in LogGOPSim's binary form: what readers hand on. */
#ifndef TS_TRACE_READ_GOAL_RANKS_H
#define TS_TRACE_READ_GOAL_RANKS_H

#include "base/arena.h"
#include "trace/read/feed.h"

enum { TS_GOAL_MOST_RANKS = 1 << 20 };

typedef enum ts_goal_kind { TS_GOAL_CALC, TS_GOAL_SEND, TS_GOAL_RECV } ts_goal_kind;

typedef struct ts_goal_op {
  int64_t size;      /* ns of a computation, bytes of a message */
  int64_t peer, tag; /* of messages; of receives -1: any */
  uint32_t label;    /* where it begins in the rank's text */
  uint8_t label_length; /* 0: none */
  uint8_t kind;      /* ts_goal_kind */
  uint8_t cpu, nic;
} ts_goal_op;

/* `op` waits for the end of `before`, or for its start. */
typedef struct ts_goal_requirement { uint32_t op, before; bool started; } ts_goal_requirement;

typedef struct ts_goal_rank {
  uint32_t rank;
  TS_VEC(ts_goal_op) ops;
  TS_VEC(ts_goal_requirement) requirements;
  TS_VEC(char) text; /* labels, one behind the other */
} ts_goal_rank;

/* False ends the reading; `rank` fills the error then. Ranks come once each, in the order of the
 * file, and last until the function returns. */
typedef struct ts_goal_sink {
  bool (*head)(void *closure, uint32_t world);
  bool (*rank)(void *closure, const ts_goal_rank *rank, ts_error *error);
  void *closure;
} ts_goal_sink;

bool ts_is_goal(ts_feed *feed);
/* Of either form. False with the error filled; *cut: the file ends early. */
bool ts_goal_read(ts_feed *feed, const ts_goal_sink *sink, bool *cut);

bool ts_is_goal_text(const ts_feed *feed);
bool ts_goal_text(ts_feed *feed, const ts_goal_sink *sink, bool *cut);
bool ts_is_goal_binary(const ts_feed *feed);
bool ts_goal_binary(ts_feed *feed, const ts_goal_sink *sink, bool *cut);

#endif
