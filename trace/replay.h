/* One rank's trace as an IR: its streams, its kernels with their measured times, what waits for
 * what, and when the host issued each. Played by the engine it gives the step again, from durations
 * and order alone: how close it comes says how much of the step the trace explains.
 *
 * The host is one thread, as the IR has it: launches of all threads in the order of their times,
 * the time between two is work of the host, and calls that wait for the device wait. Two constants
 * come from the trace: the time from a launch to its kernel on an idle stream (median), and the gap
 * between kernels that were launched long before (interquartile mean, by what follows and how it
 * was launched). */
#ifndef TS_TRACE_REPLAY_H
#define TS_TRACE_REPLAY_H

#include "ir/ir.h"
#include "trace/summary.h"

/* kernel, copy, fill; each launched alone, in a graph, or nobody knows how */
enum { TS_GAP_CLASSES = 9 };

typedef struct ts_replay {
  const ts_events *events;
  ts_ir_builder *ir;
  uint32_t node_count;
  const uint32_t *event_of;  /* [node_count] event, or TS_EVENT_NONE */
  const uint32_t *chosen;    /* device work that is played, by start */
  uint32_t chosen_count;
  ts_time_shares measured;
  int64_t latency, gap;      /* ns; gap: of all classes */
  int64_t gaps[TS_GAP_CLASSES];
  const uint8_t *gap_class;  /* [chosen_count] */
  /* kernels whose launch is not known: issued with the work before them if queued, else when they
   * began */
  uint32_t streams, unlaunched;
  /* dependencies between streams: recorded; from calls; from times alone */
  uint32_t waits_exact, waits_guessed, waits_by_time;
  uint32_t syncs;            /* times that the host waits */
  /* streams that were busy with earlier work when the first launch came */
  uint32_t carried;
  /* kernels that began before the one before them on their stream had ended */
  uint32_t overlapping;
  /* ns that kernels waited while other streams kept the device busy: played as measured */
  int64_t crowded;
  /* ns that kernels began later than anything known asks for, with the device idle: they are held
   * until they were measured to start, which no change of the plan moves. How many, and how many of
   * them without a launching call */
  int64_t unexplained;
  uint32_t delayed_kernels, delayed_unlaunched;
} ts_replay;

/* `step`: a mark of e->steps, or NULL: the whole trace. NULL with the error filled. Free ->ir with
 * ts_ir_builder_free. */
ts_replay *ts_replay_new(ts_arena *arena, const ts_events *e, const ts_event *step,
                         ts_error *error);

#endif
