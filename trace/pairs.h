/* Kernels that a recording has both alone and beside communication: how much slower they were. */
#ifndef TS_TRACE_PAIRS_H
#define TS_TRACE_PAIRS_H

#include "trace/read/events.h"

typedef struct ts_event_pair {
  const char *name;        /* of the kernel */
  const char *family;      /* of the kernel, as plans have it */
  double alone, beside;    /* ns: medians of its instances */
  double fill;             /* share of the processors; NAN: not known */
  ts_comm_kind comm;       /* that overlapped it longest */
  double comm_bytes;       /* NAN: not known */
  double comm_time;        /* ns */
} ts_event_pair;

typedef TS_VEC(ts_event_pair) ts_event_pairs;

/* Kernels that had both, before any was left out; instances that computed, and those of them that
 * were not alone; the time of both, ns. */
typedef struct ts_event_overlap {
  uint32_t compared;
  uint64_t instances, beside;
  double time, time_beside;
} ts_event_overlap;

/* Instances are the same work when they have equal names, and so have the two kernels before and
 * after on their stream: layers that repeat. Alone: less than 2 % of it beside communication;
 * beside: more than 90 %. Left out are kernels under 10 us (recordings count in whole
 * microseconds), instances that differ by more than a quarter among themselves, and ratios beyond
 * 3: these are of other sizes. */
void ts_event_pairs_add(ts_arena *arena, const ts_events *e, ts_event_pairs *out,
                        ts_event_overlap *overlap);

#endif
