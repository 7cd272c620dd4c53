/* Messages as packets: senders that pace them as an RDMA NIC does, switches with queues that mark
 * (ECN) and run over, receivers that report the marks, and rates that follow these reports as in
 * DCQCN (Zhu et al., "Congestion control for large-scale RDMA deployments", SIGCOMM 2015). Played
 * by ns-3 (https://www.nsnam.org) where the library was built with it: ./configure --with-ns3.
 *
 * A sender begins at its line's rate. A reported mark cuts its rate by half its estimate of
 * congestion; every `timer` without one the rate goes halfway to its target, and from the sixth
 * time on the target grows by `step`. The target is the rate before the cut, but stays through cuts
 * between which nothing grew, as NICs have it (clamp_tgt_rate off). DCQCN's counter of bytes and
 * its larger steps in the end are left out. Flows that begin on one link take turns. A packet that
 * finds its queue full is lost, and its sender goes back to it a round trip later, as RoCE NICs do;
 * links inside an island lose nothing, as credits hold their senders back. Pauses between switches
 * (PFC) are left out; reports and credits travel without queueing. */
#ifndef TS_RUNTIME_COLLECTIVE_PACKET_H
#define TS_RUNTIME_COLLECTIVE_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/ir.h"
#include "runtime/load/progress.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ts_packet_link {
  uint32_t from, to;  /* nodes; packets go both ways, each with the whole rate */
  double rate;        /* bytes/s */
  uint64_t latency;   /* ps */
  uint64_t queue;     /* bytes that may wait at either end; UINT64_MAX: nothing is lost */
} ts_packet_link;

typedef struct ts_packet_flow {
  const uint32_t *path; /* 2 * link + direction, from the sender to the receiver */
  uint32_t hops;        /* >= 1 */
  /* flows of one part go in step: none is ahead of another by more than the buffer */
  uint32_t part;
  uint64_t bytes;       /* of data, >= 1 */
  uint64_t start;       /* ps */
  double line;          /* bytes/s: the most its sender sends at */
} ts_packet_flow;

typedef struct ts_packet_job {
  const ts_packet_link *links;
  const ts_packet_flow *flows;
  uint32_t node_count, link_count, flow_count;
  const ts_ir_net_packets *with;
  const ts_progress *progress; /* or NULL */
} ts_packet_job;

typedef enum ts_packet_status {
  TS_PACKET_DONE,
  TS_PACKET_WRONG,   /* a number of the job is out of range: see ts_packet_wrong */
  TS_PACKET_MISSING, /* the library was built without ns-3 */
  TS_PACKET_LOST,    /* so many packets were lost again and again that the flows do not end */
  TS_PACKET_STOPPED  /* as progress asked for */
} ts_packet_status;

bool ts_packet_available(void); /* ns-3 is there */
/* Packets of a job, each counted on every link it crosses. */
double ts_packet_count(const ts_packet_job *job);
/* What is wrong with a job, or NULL. */
const char *ts_packet_wrong(const ts_packet_job *job);
/* When the last byte of each flow has arrived, ps. Of several threads one plays at a time: ns-3 has
 * one simulator. */
ts_packet_status ts_packet_play(const ts_packet_job *job, uint64_t *end);

#ifdef __cplusplus
}
#endif
#endif
