/* Calls of all groups that share links: collectives and messages of models of flows, played
 * together, and those of models of packets, played together.
 *
 * The engine runs every process as far as it can without knowing when a call under way ends, and
 * hands over the calls that have begun. What begins later follows from the end of one of these, so
 * it begins no sooner than the next of them ends: up to there the network may be played. A play in
 * the order of time (overlap.h) plays it up to its own next moment instead. Calls are known by the
 * tags their callers give them, one call at a time each.
 *
 * Packets are played together if their models agree on all that concerns packets; those of others
 * than the first such model keep to their own time. Flows and packets do not meet. A message has
 * left when its last packet arrives, less its path's latency; what follows on it may begin by that
 * much too late. */
#ifndef TS_RUNTIME_PLAY_CONTENTION_H
#define TS_RUNTIME_PLAY_CONTENTION_H

#include "runtime/collective/flow_model.h"
#include "runtime/collective/flow_traffic.h"
#include "runtime/collective/packet.h"
#include "runtime/play/roles.h"

typedef struct ts_contention ts_contention;

/* `packets`: are played together, too; only where paces never change. */
ts_contention *ts_contention_new(ts_arena *arena, const ts_tables *tables, ts_network *network,
                                 bool packets);
void ts_contention_free(ts_contention *contention); /* its simulator; or NULL */
/* Whether packets could not be played to their end; fills *stop. */
bool ts_contention_failed(const ts_contention *contention, ts_stop *stop);
/* What each directed link had to do for packets, [2 * links], and of which models they were; NULL:
 * none were played together. */
const ts_packet_use *ts_contention_packets(const ts_contention *contention, ts_arena *arena,
                                           const ts_ir_net_packets **with);

/* Whether calls of this kind and profile share links, and how they are played then. */
bool ts_contention_plays(ts_contention *contention, uint32_t kind, uint64_t bytes, uint32_t profile,
                         ts_flow_call *flows);
/* The connections of calls over an instance, and of messages to one of a program's peers. What is
 * written there is played from then on (fold_links.h). */
ts_flow_pattern *ts_contention_pattern(ts_contention *contention, uint32_t group, uint32_t instance,
                                       uint32_t model, ts_flow_shape shape);
ts_flow_pattern *ts_contention_path(ts_contention *contention, uint32_t model, uint32_t from,
                                    uint32_t to, uint32_t peer);

/* A collective of the IR over the instance that `rank` is in, begun at `start`. False: it does not
 * share links and takes as long as ever. */
bool ts_contention_collective(ts_contention *contention, const ts_role *role, uint32_t collective,
                              uint32_t rank, uint64_t start, uint32_t tag);
/* A message of this port of the IR from a rank of the kind to that one of its program's peers:
 * until its last byte has left, latency comes after that. `after`: the tag of a message under way
 * that it may not pass, or TS_IR_NONE. */
bool ts_contention_message(ts_contention *contention, const ts_role *role, uint32_t peer,
                           uint32_t port, uint32_t from, uint32_t to, uint64_t start, uint32_t tag,
                           uint32_t after);

/* From now on the call with this tag, begun by now, gets on by `pace` times what the network lets
 * it (flow_traffic.h). */
void ts_contention_pace(ts_contention *contention, uint32_t tag, double pace);

/* When something happens next, UINT64_MAX: nothing does. */
uint64_t ts_contention_next(ts_contention *contention);
/* Plays on, not beyond `until`, until some call ends at *now. False: none does. */
bool ts_contention_play(ts_contention *contention, uint64_t until, uint64_t *now);
/* Takes out a call that has ended now; TS_IR_NONE when there is no more. */
uint32_t ts_contention_ended(ts_contention *contention);

#endif
