/* Links of a cluster: paths over them, cuts, and what was found of groups and pairs of devices.
 * That depends on the links alone, so plans that run on the same cluster one after the other find
 * it once (ts_links_cache), and so do threads (ts_links_shared). Profiles are here without the axes
 * of the mesh, which are the plan's. */
#ifndef TS_RUNTIME_COLLECTIVE_LINKS_H
#define TS_RUNTIME_COLLECTIVE_LINKS_H

#include "runtime/collective/bound.h"
#include "runtime/collective/call.h"
#include "runtime/collective/graph.h"
#include "base/intern.h"

typedef struct ts_link_find { ts_profile profile; ts_bound bound; } ts_link_find;

typedef struct ts_links {
  ts_arena *arena;
  ts_ir ir;              /* devices and links alone */
  ts_link_graph *graph;
  ts_cuts *cuts;
  double *load;          /* [2 * links] 0 between uses */
  ts_path_shares path;   /* being looked at: there are as many paths as ranks */
  ts_intern found;       /* ts_link_find */
  ts_intern questions;   /* of ts_links_ask */
  TS_VEC(const uint32_t *) answers;  /* into `found`; NULL: not known */
  struct ts_links_shared *shared;    /* what other threads found of the same links, or NULL */
  uint32_t cluster;      /* number of these links there */
  ts_intern paths;       /* two devices */
  TS_VEC(uint32_t) path_found; /* of each path, into `found`; TS_IR_NONE: not known */
} ts_links;

/* The arrays of the IR stay. */
ts_links *ts_links_new(ts_arena *arena, const ts_ir *ir);

uint32_t ts_links_note(ts_links *links, const ts_link_find *found); /* its place in `found` */
ts_link_find ts_links_found(const ts_links *links, uint32_t place);
uint32_t *ts_links_path(ts_links *links, uint32_t from, uint32_t to);

/* A question about groups or paths: what is asked, and of which devices. */
enum { TS_LINKS_PATHS = 1u << 30 }; /* beyond all kinds of calls */
typedef struct ts_links_question {
  const uint32_t *words;
  uint32_t word_count, answers;
} ts_links_question;
/* Fills [answers] places in `found`. False: it cannot be answered. */
typedef bool ts_links_find_fn(void *closure, uint32_t *found);
/* The answers that were found before, or `find` gives; NULL: it gives none. */
const uint32_t *ts_links_ask(ts_links *links, const ts_links_question *question,
                             ts_links_find_fn *find, void *closure);

/* Between threads: each question is answered by one of them, while others who ask wait. */
typedef struct ts_links_shared ts_links_shared;
ts_links_shared *ts_links_shared_new(void);
void ts_links_shared_free(ts_links_shared *shared);

/* From plan to plan, for one thread. `shared`: or NULL. */
typedef struct ts_links_cache ts_links_cache;
ts_links_cache *ts_links_cache_new(ts_links_shared *shared);
void ts_links_cache_free(ts_links_cache *cache);
/* Those of this cluster: until the next call. */
ts_links *ts_links_cache_of(ts_links_cache *cache, const ts_ir *ir);

#endif
