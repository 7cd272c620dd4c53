/* What communication takes: the one interface behind which the models of collectives stand.
 *
 * The network knows groups by their PROFILE: how many ranks in how many islands, and what the links
 * between them carry. A profile is worked out once for each instance of a group and stored once for
 * all that are alike; estimates are of a profile. */
#ifndef TS_RUNTIME_COLLECTIVE_NETWORK_H
#define TS_RUNTIME_COLLECTIVE_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "ir/ir.h"
#include "runtime/collective/call.h"
#include "base/progress.h"
#include "runtime/load/ranks.h"
#include "runtime/load/stop.h"

typedef struct ts_network ts_network;

#define TS_NETWORK_LINKS "links" /* the links alone, no model */
/* `only`: ask no model but those of this name; NULL: all, in their order. NULL after filling *stop.
 * */
ts_network *ts_network_new(ts_arena *arena, const ts_ir *ir, const ts_ranks *ranks,
                           const char *only, ts_stop *stop);
/* The same over links that are known, of this cluster, and learn more (links.h); they stay. */
struct ts_links;
ts_network *ts_network_over(ts_arena *arena, const ts_ir *ir, const ts_ranks *ranks,
                            struct ts_links *links, const char *only, ts_stop *stop);
struct ts_cuts *ts_network_cuts(const ts_network *network); /* of its links */
/* What was played as packets may be kept from network to network; long plays say how far they are.
 * `memo`, `progress`: or NULL; the first memo stays. */
struct ts_packet_memo;
void ts_network_watch(ts_network *network, struct ts_packet_memo *memo,
                      const ts_progress *progress);
/* Whether an estimate failed so far, as only those of packets do; fills *stop. */
bool ts_network_failed(const ts_network *network, ts_stop *stop);
/* Profile of each instance of a used group. NULL after filling *stop when members cannot reach each
 * other. */
const uint32_t *ts_network_group(ts_network *network, uint32_t group, ts_stop *stop);
/* Profile of the path of messages between two ranks. TS_IR_NONE after filling *stop. */
uint32_t ts_network_path(ts_network *network, uint32_t from, uint32_t to, ts_stop *stop);
/* A message between two ranks. Those of a set are sent at the same time, so they share links. */
typedef struct ts_network_message { uint32_t from, to, set; } ts_network_message;
/* The same of all messages of some sets, set by set. Not 0 after filling *stop. */
int ts_network_messages(ts_network *network, const ts_network_message *messages, uint32_t count,
                        uint32_t *profile, ts_stop *stop);
/* The links of that path, 2 * link + direction, TS_PATH_MAX at most, and the rate of the whole.
 * Returns how many; 0: none are known. */
uint32_t ts_network_links(ts_network *network, uint32_t from, uint32_t to, uint32_t *link,
                          double *rate);
const ts_profile *ts_network_profile(const ts_network *network, uint32_t profile);
/* Cost of one call. The first one of a kind and a profile finds the model that answers and prepares
 * it; later ones ask it. */
ts_estimate ts_network_estimate(ts_network *network, uint32_t kind, uint64_t bytes,
                                uint32_t profile);
/* Calls of packets are slow to play. Those that will be estimated are said before, and played at
 * once by as many processes as the memo has. */
bool ts_network_plays_packets(const ts_network *network);
void ts_network_ask(ts_network *network, uint32_t kind, uint64_t bytes, uint32_t profile);
void ts_network_play_requested(ts_network *network);
/* How a white box does the call; false: another model answers for it. */
struct ts_white_box;
bool ts_network_way(ts_network *network, uint32_t kind, uint64_t bytes, uint32_t profile,
                    struct ts_white_box *way);
/* The model that answers for calls of a kind; TS_IR_NONE: the links alone. */
uint32_t ts_network_answers(ts_network *network, uint32_t kind, uint32_t profile);
/* The call as flows, or as flows of packets; false: the model that answers for it has none. */
struct ts_flow_call;
bool ts_network_flows(ts_network *network, uint32_t kind, uint64_t bytes, uint32_t profile,
                      struct ts_flow_call *call);
/* none: it plays no connections */
ts_path_use ts_network_paths(const ts_network *network, uint32_t model);
/* Adds what links had to do for a call of packets that the instances of a group made so often each,
 * those that share links all at once, [2 * links]. */
struct ts_flow_pattern;
struct ts_packet_use;
void ts_network_add_packets(ts_network *network, const struct ts_flow_call *call,
                            const struct ts_flow_pattern *patterns, uint32_t instances,
                            const uint64_t *calls, struct ts_packet_use *use);
struct ts_flow_maker *ts_network_maker(const ts_network *network, uint32_t model);
/* Estimates so far that were beyond what their model was measured on: by kind, ranks, islands and
 * model, in this order. */
const ts_extrapolation *ts_network_extrapolations(const ts_network *network, ts_arena *arena,
                                                  uint32_t *count);

#endif
