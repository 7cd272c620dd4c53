/* Links of a cluster: paths over them, cuts, and what was found of groups and pairs of devices.
 * That depends on the links alone, so plans that run on the same cluster one after the other find
 * it once (ts_links_kept). Profiles are here without the axes of the mesh, which are the plan's. */
#ifndef TS_RUNTIME_COLLECTIVE_LINKS_H
#define TS_RUNTIME_COLLECTIVE_LINKS_H

#include "runtime/collective/bound.h"
#include "runtime/collective/call.h"
#include "runtime/collective/graph.h"
#include "runtime/load/intern.h"

typedef struct ts_link_find { ts_profile profile; ts_bound bound; } ts_link_find;

/* two devices; found: into `found`, or TS_IR_NONE: not known */
typedef struct ts_links_pair { uint32_t from, to, found; } ts_links_pair;

typedef struct ts_links {
  ts_arena *arena;
  ts_ir ir;              /* devices and links alone */
  ts_link_graph *graph;
  ts_cuts *cuts;
  double *load;          /* [2 * links] 0 between uses */
  ts_path_shares path;   /* being looked at: there are as many paths as ranks */
  ts_intern found;       /* ts_link_find */
  ts_intern groups;      /* kinds of calls and members' devices */
  TS_VEC(const uint32_t *) of_group; /* [instances] into `found`; NULL: not known */
  TS_VEC(ts_links_pair) paths;
  ts_hash_table path_table; /* of paths */
} ts_links;

/* The arrays of the IR stay. */
ts_links *ts_links_new(ts_arena *arena, const ts_ir *ir);

uint32_t ts_links_note(ts_links *links, const ts_link_find *found); /* its place in `found` */
ts_link_find ts_links_found(const ts_links *links, uint32_t place);
/* Where what is known of it is to be; good until the next one is asked for. `kinds`: of calls, bit
 * k: kind k. */
const uint32_t **ts_links_group(ts_links *links, const ts_ranks *ranks, const ts_rank_group *group,
                                uint32_t kinds);
uint32_t *ts_links_path(ts_links *links, uint32_t from, uint32_t to);

/* From plan to plan, for one thread. */
typedef struct ts_links_kept ts_links_kept;
ts_links_kept *ts_links_kept_new(void);
void ts_links_kept_free(ts_links_kept *kept);
/* Those of this cluster: until the next call. */
ts_links *ts_links_kept_of(ts_links_kept *kept, const ts_ir *ir);

#endif
