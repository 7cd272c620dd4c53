/* Profiles of groups and paths from the cluster graph; see network.h. */
#ifndef TS_RUNTIME_COLLECTIVE_PROFILE_H
#define TS_RUNTIME_COLLECTIVE_PROFILE_H

#include "runtime/collective/network.h"

const uint32_t *ts_profile_group(ts_network *network, uint32_t group, ts_stop *stop);
uint32_t ts_profile_path(ts_network *network, uint32_t from_vertex, uint32_t to_vertex,
                         uint32_t axes, ts_stop *stop);
/* Of `count` messages between vertices, set by set; NULL after filling *stop. */
const uint32_t *ts_profile_paths(ts_network *network, const ts_network_message *messages,
                                 uint32_t count, uint32_t axes, ts_stop *stop);

#endif
