/* What a node means in time, said once. All that play nodes take it from here: the engine and the
 * play with overlap, what replays them (track.h, runtime/account/timeline.h), and maps of fragments
 * (fragment_map.h), from which orders of work and lower bounds are made. What the host does with a
 * node, and which of its dependencies a node awaits, is in runtime/load/tables.h.
 *
 * A node is ready when its stream lets it begin (ts_node_from), the host has issued it, and what it
 * depends on has ended. Then it may await others: a receive its message, a collective its last
 * member. Then it takes its time, and holds its stream meanwhile. */
#ifndef TS_RUNTIME_PLAY_NODE_H
#define TS_RUNTIME_PLAY_NODE_H

#include <stdint.h>

#include "runtime/load/tables.h"

/* what a message takes of links that not all messages of its stream take (fan_out.h) */
typedef struct ts_queue_time {
  uint64_t time, queue;
} ts_queue_time;

/* What a message takes. Its sender's stream is held while it is on the links that all messages of
 * the stream take: for what a call costs its sender, and for the bytes. It is there when the last
 * byte has left, and `latency` later: the stream goes on meanwhile (o, G and L of LogGP: Alexandrov
 * et al., SPAA 1995). */
typedef struct ts_transit {
  uint64_t hold;     /* of the stream, `overhead` included */
  uint64_t overhead; /* before the first byte leaves */
  uint64_t latency;
  uint64_t flight; /* from its begin until it is there, alone */
  uint64_t first_queue_time;
  uint32_t queue_time_count;
  /* which peer of the kind's fan-outs; TS_IR_NONE: its stream sends to nobody else */
  uint32_t lane;
} ts_transit;

static inline int64_t ts_later(int64_t a, int64_t b) { return a > b ? a : b; }

/* From when on its stream lets a node begin. `posted`: when the message before a send was posted;
 * others may pass that one (fan_out.h). */
static inline int64_t ts_node_from(bool sends, int64_t free, int64_t posted)
{
  return sends ? posted : free;
}

/* When it is ready. `from`: its stream lets it begin, and what it depends on has ended. */
static inline int64_t ts_node_ready(int64_t from, int64_t issued) { return ts_later(from, issued); }

/* When a node of a stream ends. `awaited`: when its message is there, or its last member is ready;
 * else `ready`. */
static inline int64_t ts_node_end(int64_t ready, int64_t awaited, int64_t time)
{
  return ts_later(ready, awaited) + time;
}

/* Kernels and collectives belong to the step, whose end no other node surely puts off. */
static inline bool ts_node_is_work(const ts_ir_node *node)
{
  return node->op == TS_IR_COMPUTE || node->op == TS_IR_COLLECTIVE;
}

/* How long a send holds its stream. `shared`: the network has the message, beside other calls. */
static inline int64_t ts_send_hold(const ts_transit *m, bool shared)
{
  return (int64_t)(shared ? m->overhead : m->hold);
}

static inline bool ts_send_is_alone(const ts_transit *m) { return m->lane == TS_IR_NONE; }

typedef struct ts_sending {
  int64_t sent;         /* since when the message is on its way */
  int64_t free, posted; /* the stream's clocks afterwards */
} ts_sending;

/* A send that is ready at `ready`, on a stream that is free at `free`. */
static inline ts_sending ts_send(const ts_transit *m, int64_t free, int64_t ready, bool shared)
{
  int64_t start = ts_later(free, ready), left = start + ts_send_hold(m, shared);
  if (shared || ts_send_is_alone(m))
    return (ts_sending){start, left, left};
  return (ts_sending){ready, left, ready + (int64_t)m->overhead};
}

/* When a message leaves a queue of its sender that it came to at `posted`. */
static inline int64_t ts_queue_pass(int64_t *queue, int64_t posted, uint64_t time)
{
  return *queue = ts_later(*queue, posted) + (int64_t)time;
}

/* When a message is there that was posted at `posted` and off its stream's links at `left`. It
 * takes its place in the queues of its sender. */
static inline int64_t ts_send_arrival(const ts_transit *m, const ts_queue_time *queue_times,
                                      int64_t *queues, int64_t posted, int64_t left)
{
  for (uint32_t k = 0; k < m->queue_time_count; k++) {
    const ts_queue_time *queue_time = &queue_times[m->first_queue_time + k];
    left = ts_later(left, ts_queue_pass(&queues[queue_time->queue], posted, queue_time->time));
  }
  return left + (int64_t)m->latency;
}

/* When `enough` of the events have happened: the order statistic of their times, all of which are
 * known. */
static inline uint64_t ts_choice_time(const uint64_t *events, const uint32_t *wait, uint32_t count,
                                      uint32_t enough)
{
  for (uint32_t i = 0; i < count; i++) {
    uint32_t before = 0;
    for (uint32_t k = 0; k < count; k++)
      before += events[wait[k]] < events[wait[i]] || (events[wait[k]] == events[wait[i]] && k < i);
    if (before + 1 == enough)
      return events[wait[i]];
  }
  return 0;
}

/* When what a node depends on has ended, its stream's leave at `from` included: all of the events,
 * or where it chooses `enough` of them. Each happened `by` later than it is at `events`. */
static inline uint64_t ts_deps_end(uint64_t from, const uint64_t *events, uint64_t by,
                                   const uint32_t *wait, uint32_t count, uint32_t enough)
{
  if (enough)
    return (uint64_t)ts_later((int64_t)from,
                              (int64_t)(ts_choice_time(events, wait, count, enough) + by));
  for (uint32_t i = 0; i < count; i++)
    from = (uint64_t)ts_later((int64_t)from, (int64_t)(events[wait[i]] + by));
  return from;
}

#endif
