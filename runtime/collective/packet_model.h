/* Packets as a model of the network: the connections of runtime/collective/flow_pattern.h, each leg
 * of them a flow of packets (runtime/collective/packet.h). A call takes what it takes when all
 * instances of its group make it at the same time and nobody else is there. Instances that share no
 * link are played apart, those that are alike once.
 *
 * To play packets is slow, and times are no line in the bytes: each distinct call is played once,
 * and remembered. */
#ifndef TS_RUNTIME_COLLECTIVE_PACKET_MODEL_H
#define TS_RUNTIME_COLLECTIVE_PACKET_MODEL_H

#include "runtime/collective/flow_model.h"
#include "runtime/collective/call.h"
#include "runtime/collective/packet.h"

/* Calls as one job of packets. The latency of the connections' steps is not in it. */
typedef struct ts_packet_case {
  ts_packet_job job;
  uint32_t *call;        /* [flows] */
  double *share;         /* [flows] of its call's bytes of a connection */
  const uint32_t *directed; /* [links] which one of the cluster it is: 2 * link + direction */
  uint64_t *propagation; /* [flows] ps, of their paths */
} ts_packet_case;

/* `bytes`: of each call's connections. Nodes and links are numbered as they first appear, so that
 * what is alike is equal. */
ts_packet_case ts_packet_case_of(ts_arena *arena, const ts_ir *ir, const ts_ir_net_packets *with,
                                 const ts_flow_pattern *const *patterns, uint32_t count,
                                 const double *bytes);
/* What the packets of each call take beyond its paths' own latency, ps; use: as in ts_packet_play.
 */
ts_packet_status ts_packet_case_play(const ts_packet_case *c, uint64_t *transfer,
                                     ts_packet_use *use);

/* What was played: may be shared by plays of any plans, one at a time. Calls are played by so many
 * processes at once; 0 or 1: by this one, as in programs with other threads. */
typedef struct ts_packet_memo ts_packet_memo;
ts_packet_memo *ts_packet_memo_new(ts_arena *arena, uint32_t processes);

typedef struct ts_packet_figures ts_packet_figures; /* of all models of packets of an IR */

/* `only`: as in ts_network_new; models that are never asked are not prepared. */
ts_packet_figures *ts_packet_figures_new(ts_arena *arena, const ts_ir *ir, const ts_ranks *ranks,
                                         ts_link_graph *graph, const char *only);
/* `progress`: or NULL. `memo`: that of the first time is used, or one of their own. */
void ts_packet_figures_watch(ts_packet_figures *figures, ts_packet_memo *memo,
                             const ts_progress *progress);
bool ts_packet_figures_any(const ts_packet_figures *figures);
/* The number of each instance's figures, equal for those that are alike; NULL after filling *stop.
 * */
const uint32_t *ts_packet_figures_group(ts_packet_figures *figures, ts_arena *arena, uint32_t group,
                                        ts_stop *stop);
/* The same for messages between two devices; TS_IR_NONE after filling *stop. */
uint32_t ts_packet_figures_path(ts_packet_figures *figures, uint32_t from, uint32_t to,
                                ts_stop *stop);

/* 0 from the first call on that could not be played. */
ts_estimate ts_packet_estimate(ts_packet_figures *figures, uint32_t number, uint32_t model,
                               uint32_t kind, uint64_t bytes, uint32_t ranks);
/* A call that will be estimated, and to play all such calls at once, by the memo's processes. */
void ts_packet_ask(ts_packet_figures *figures, uint32_t number, uint32_t model, uint32_t kind,
                   uint64_t bytes, uint32_t ranks);
void ts_packet_play_requested(ts_packet_figures *figures);
/* A call as flows, for those who play it among others (ts_flow_call). */
bool ts_packet_call_of(ts_packet_figures *figures, uint32_t number, uint32_t model, uint32_t kind,
                       uint64_t bytes, uint32_t ranks, ts_flow_call *call);
/* As ts_network_add_packets has it. */
void ts_packet_figures_add(ts_packet_figures *figures, const ts_flow_call *call,
                           const ts_flow_pattern *patterns, uint32_t instances,
                           const uint64_t *calls, ts_packet_use *use);
ts_flow_maker *ts_packet_figures_maker(const ts_packet_figures *figures, uint32_t model);
/* All links of the cluster, by their number, and a flow of packets over them for a leg of a
 * pattern, of part 0 and from time 0 on. */
const ts_packet_link *ts_packet_links_of(ts_arena *arena, const ts_ir *ir,
                                         const ts_ir_net_packets *with);
ts_packet_flow ts_packet_flow_of(const ts_ir *ir, const ts_flow_leg *leg, uint64_t bytes,
                                 uint64_t *propagation);
/* That packets of a model were not played to their end; fills *stop. */
void ts_packet_report(const ts_ir *ir, uint32_t model, ts_packet_status status, ts_stop *stop);
/* Whether there was such a call; fills *stop. */
bool ts_packet_failed(const ts_packet_figures *figures, ts_stop *stop);

#endif
