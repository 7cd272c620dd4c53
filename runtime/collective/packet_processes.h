/* Jobs of packets played at once, each by a process of its own for as long: ns-3 has one simulator
 * in a process. */
#ifndef TS_RUNTIME_COLLECTIVE_PACKET_PROCESSES_H
#define TS_RUNTIME_COLLECTIVE_PACKET_PROCESSES_H

#include "runtime/collective/packet.h"

typedef struct ts_packet_task {
  ts_packet_job job;
  ts_packet_status status; /* TS_PACKET_STOPPED: nobody played it */
  uint64_t *end;           /* as in ts_packet_play */
  ts_packet_use *use;
} ts_packet_task;

/* Plays them by so many processes at most, the longest first. What a process that ended early, or
 * that the system did not give, was to play is stopped; so are all where `progress` (or NULL) says
 * so. For programs with one thread. */
void ts_packet_processes_play(ts_packet_task *tasks, uint32_t count, uint32_t processes,
                              const ts_progress *progress);

#endif
