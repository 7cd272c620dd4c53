/* The part of packet.h that is ns-3: C++ behind one function of C. */
#ifndef TS_RUNTIME_COLLECTIVE_PACKET_NS3_H
#define TS_RUNTIME_COLLECTIVE_PACKET_NS3_H

#include "runtime/collective/packet.h"

#ifdef __cplusplus
extern "C"
#endif
/* A job with which nothing is wrong. */
ts_packet_status ts_packet_ns3_play(const ts_packet_job *job, uint64_t *end);

#endif
