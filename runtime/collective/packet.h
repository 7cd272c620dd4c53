/* Messages as packets: senders that pace them as an RDMA NIC does, switches with queues that mark
 * (ECN), pause who sends to them (PFC) and run over, receivers that report what packets met, and
 * rates that follow. Played by ns-3 (https://www.nsnam.org) where the library was built with it:
 * ./configure --with-ns3.
 *
 * A sender begins at its line's rate. Flows that begin on one link take turns.
 *
 * DCQCN (Zhu et al., "Congestion control for large-scale RDMA deployments", SIGCOMM 2015): a
 * reported mark cuts the rate by half the sender's estimate of congestion; every `timer` without
 * one the rate goes halfway to its target, and from the sixth time on the target grows by `step`.
 * The target is the rate before the cut, but stays through cuts between which nothing grew, as NICs
 * have it (clamp_tgt_rate off). Its counter of bytes and its larger steps in the end are left out.
 *
 * HPCC (Li et al., "HPCC: high precision congestion control", SIGCOMM 2019, algorithm 1): each
 * packet brings back from every switch when it left, how many bytes had left before, and how many
 * waited. The sender's window follows the busiest link to `eta` of its rate; what is under way is
 * at most the window, sent at a window a round trip.
 *
 * TIMELY (Mittal et al., SIGCOMM 2015, algorithm 1) sets the rate once a round trip by how that
 * time changes; Swift (Kumar et al., SIGCOMM 2020, algorithm 1) a window at each packet by that
 * time beside a target; DCTCP (Alizadeh et al., SIGCOMM 2010) a window by the share of marked
 * packets. The clocks of NICs and hosts add nothing to the time.
 *
 * Rates that keep within `steady` over a window are skipped: what is left of the flows shrinks by
 * what they would send until the first of them ends, and the clock goes on by that time (as in
 * Wormhole, arXiv 2602.10615).
 *
 * PFC (IEEE 802.1Qbb): when more than `pause` bytes from one link wait in a switch, it holds back
 * the sender at that link's other end, and with it all that comes over that link, until two packets
 * fewer wait. The frames travel without queueing. Buffers are of ports: the threshold is fixed, not
 * a share of what is free (as SimAI's switches have it).
 *
 * A packet that finds its queue full is lost. Its sender learns of it a round trip later: it goes
 * back to that packet, as RoCE NICs do; of a flow with several paths it sends that packet again.
 * So are packets that a link loses by chance or that are on it when it goes down; from then on its
 * flows take their other ways, or spare ones.
 * Links inside an island lose nothing, as credits hold their senders back. Reports, credits and
 * acknowledgements travel without queueing. */
#ifndef TS_RUNTIME_COLLECTIVE_PACKET_H
#define TS_RUNTIME_COLLECTIVE_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/ir.h"
#include "base/progress.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ts_packet_link {
  uint32_t from, to;  /* nodes; packets go both ways, each with the whole rate */
  double rate;        /* bytes/s */
  uint64_t latency;   /* ps */
  uint64_t queue;     /* bytes that may wait at either end; UINT64_MAX: nothing is lost */
  double loss;        /* share of packets that get lost on it */
  uint64_t down;      /* ps from which on it carries nothing; 0: never */
} ts_packet_link;

typedef struct ts_packet_flow {
  /* [ways + spares][hops] 2 * link + direction, from the sender to the receiver */
  const uint32_t *path;
  uint32_t hops;        /* >= 1 */
  /* flows of one part go in step: none is ahead of another by more than the buffer */
  uint32_t part;
  uint64_t bytes;       /* of data, >= 1 */
  uint64_t start;       /* ps */
  double line;          /* bytes/s: the most its sender sends at */
  uint32_t ways;        /* packets take them in turns; 0: 1 */
  uint32_t spares;      /* taken when a link of each way is down */
} ts_packet_flow;

/* What a directed link had to do. */
typedef struct ts_packet_use {
  uint64_t packets, bytes; /* sent over it, headers included */
  uint64_t marked, lost;   /* packets */
  uint64_t skipped;        /* packets of `packets` that were not played: at steady rates */
  uint64_t most_waiting;   /* bytes */
  double waiting;          /* bytes * ps: the mean of what waited over a time, by that time */
  uint64_t paused;         /* ps that it was held back */
} ts_packet_use;

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
  TS_PACKET_MANY,    /* more than `limit` had to be played */
  TS_PACKET_DOWN,    /* a link went down, and a flow has no other path */
  TS_PACKET_HELD,    /* switches pause each other in a circle: the flows do not end */
  TS_PACKET_STOPPED  /* as progress asked for */
} ts_packet_status;

bool ts_packet_available(void); /* ns-3 is there */
/* Packets of a job, each counted on every link it crosses. */
double ts_packet_count(const ts_packet_job *job);
/* What is wrong with a job, or NULL. */
const char *ts_packet_wrong(const ts_packet_job *job);
/* When the last byte of each flow has arrived, ps; use: [2 * links], or NULL. Of several threads
 * one plays at a time: ns-3 has one simulator. */
ts_packet_status ts_packet_play(const ts_packet_job *job, uint64_t *end, ts_packet_use *use);

/* Links on which calls come and go. While there is one, nothing else is played in the process. */
typedef struct ts_packet_net ts_packet_net;

/* The nodes and links of a job, without its flows, at time 0; the links must live as long. NULL:
 * the library was built without ns-3. */
ts_packet_net *ts_packet_net_new(const ts_packet_job *job);
void ts_packet_net_free(ts_packet_net *net); /* or NULL */
/* The flows of a call, each from its start on, or from now on if that is over; their paths must
 * live as long as they. Calls under way have different numbers. */
void ts_packet_net_start(ts_packet_net *net, const ts_packet_flow *flows, uint32_t count,
                         uint32_t call);
/* Plays until the last flow of some call has ended, or all have, or up to `until`. */
ts_packet_status ts_packet_net_play(ts_packet_net *net, uint64_t until);
uint64_t ts_packet_net_now(const ts_packet_net *net);
/* Takes out a call that has ended now. */
bool ts_packet_net_ended(ts_packet_net *net, uint32_t *call);
void ts_packet_net_uses(const ts_packet_net *net, ts_packet_use *use); /* [2 * links], so far */

#ifdef __cplusplus
}
#endif
#endif
