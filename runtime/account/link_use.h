/* What the links had to do in a step, as far as calls are played as connections: by models of flows
 * and of packets. Each direction of a link counts by itself. */
#ifndef TS_RUNTIME_ACCOUNT_LINK_USE_H
#define TS_RUNTIME_ACCOUNT_LINK_USE_H

#include "runtime/collective/packet.h"
#include "runtime/play/engine.h"
#include "runtime/play/play.h"

enum { TS_BUSIEST_LINKS = 8 };

typedef struct ts_link_use {
  uint32_t link;          /* 2 * link + direction */
  double bytes;           /* of flows their data; of packets what was sent, with headers */
  double share;           /* of what its rate is in the step */
  ts_packet_use packets;
} ts_link_use;

typedef struct ts_tier_use {
  uint32_t tier;
  uint32_t links, used;   /* directions of all its links, and those that carried something */
  double bytes;
  double mean, most;      /* shares: of all its links together, of the busiest one */
  uint64_t packets, skipped; /* skipped: at steady rates, not played */
  uint64_t marked, lost;  /* packets */
  uint64_t most_waiting;  /* bytes, for one link */
  uint64_t paused;        /* ps, of the link that was held back longest */
} ts_tier_use;

typedef struct ts_link_uses {
  uint32_t tier_count;    /* 0: no call was played as connections */
  const ts_tier_use *tiers;  /* by tier */
  uint32_t busiest_count;
  const ts_link_use *busiest; /* by share; TS_BUSIEST_LINKS at most */
  bool packets;           /* some were */
  double steady; /* the most that rates which were skipped might change; 0: all was played */
} ts_link_uses;

/* Of a prepared plan that was played. Where packets were not played together, each call's queues,
 * marks and losses are those that it has by itself. `bytes`: of all, [2 * links], or NULL. */
ts_link_uses ts_link_uses_of(ts_arena *arena, const ts_prepared *prepared, const ts_facts *facts,
                             double *bytes);

/* The use of each direction of each link by all calls: those that no model plays as connections
 * count as rings, pairs and messages over the shortest paths. */
typedef struct ts_link_loads {
  const double *share; /* [2 * links] of what its rate is in the step; NULL: not known */
  double assumed;      /* share of the bytes whose way is such a guess */
} ts_link_loads;
ts_link_loads ts_link_loads_of(ts_arena *arena, const ts_prepared *prepared, const ts_facts *facts);

#endif
