/* The part of packet.h that is ns-3: C++ behind one function of C. */
#ifndef TS_RUNTIME_COLLECTIVE_PACKET_NS3_H
#define TS_RUNTIME_COLLECTIVE_PACKET_NS3_H

#include "runtime/collective/packet.h"

#ifdef __cplusplus
extern "C"
#endif
/* A job with which nothing is wrong. */
ts_packet_status ts_packet_ns3_play(const ts_packet_job *job, uint64_t *end,
                                    ts_packet_use *use);

#ifdef __cplusplus
extern "C" {
#endif
/* As in packet.h, but for whose turn it is. */
ts_packet_net *ts_packet_ns3_new(const ts_packet_job *job);
void ts_packet_ns3_free(ts_packet_net *net);
void ts_packet_ns3_start(ts_packet_net *net, const ts_packet_flow *flows, uint32_t count,
                         uint32_t call);
ts_packet_status ts_packet_ns3_play_on(ts_packet_net *net, uint64_t until);
uint64_t ts_packet_ns3_now(const ts_packet_net *net);
bool ts_packet_ns3_ended(ts_packet_net *net, uint32_t *call);
void ts_packet_ns3_uses(const ts_packet_net *net, ts_packet_use *use);
#ifdef __cplusplus
}
#endif

#endif
