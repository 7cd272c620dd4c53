/* A cluster folded for pictures: what is alike is told once. Its devices and switches are PARTS:
 * those of one array, in each ISLAND (what links of tier 0 join) of a KIND, or in none. Islands of
 * a kind have as many of each array; one of them is shown. Links between two parts are a BUNDLE. */
#ifndef TS_RUNTIME_REPORT_TOPOLOGY_FOLD_H
#define TS_RUNTIME_REPORT_TOPOLOGY_FOLD_H

#include <stdbool.h>

#include "base/arena.h"
#include "ir/ir.h"
#include "runtime/account/link_use.h"
#include "runtime/report/bisection.h"

typedef struct ts_part {
  uint32_t array, device_class; /* class: TS_IR_NONE of switches */
  uint32_t kind;                /* of islands; TS_IR_NONE: in none */
  uint32_t count;               /* in all islands of the kind */
  uint32_t shown_count;
  const uint32_t *shown; /* vertices: of the island that is shown, or all */
  uint32_t level;        /* from the devices up, in its island; or from the islands up */
  uint32_t slower;       /* devices below the part's highest speed */
  double speed;          /* of the slowest */
  bool own_links;        /* between its members */
  double narrowing;      /* of a switch: rate of links down for that of links up; 0: none */
} ts_part;

typedef struct ts_bundle {
  uint32_t from, to; /* parts; `from` is the lower one */
  uint32_t tier, ports, count;
  bool one_way;
  double rate, low, high;   /* of most links; of the slowest and the fastest */
  uint32_t slower, slowest; /* links below `rate`, and the slowest one */
  bool unequal;             /* some are slower, but few: where many are, it is meant so */
  uint64_t latency, latency_high;
  /* members at an end with fewer links than most have, where they are few; and one of them */
  uint32_t fewer, fewer_vertex;
  double use, most_use; /* mean and highest share of a direction's rate in a step */
  uint32_t busiest;     /* 2 * link + direction */
  bool pairing;         /* each of many to one of as many others: one line tells as much */
  bool rises;           /* out of an island, from below its highest parts */
} ts_bundle;

/* shown: the lowest vertex of the island that is shown. top: its highest level. turned: devices
 * alone have links out of it, and stand above its switches, so that these go up behind no box */
typedef struct ts_island_kind {
  uint32_t count, shown, top;
  bool turned;
} ts_island_kind;

typedef struct ts_cluster_fold {
  const ts_ir *ir;
  const double *use; /* [2 * links], or NULL: not known */
  double assumed;    /* as in ts_link_loads */
  ts_bisection bisection;
  uint32_t kind_count, part_count, bundle_count, top; /* top: highest level in no island */
  ts_island_kind *kinds;
  ts_part *parts;
  ts_bundle *bundles;
  uint32_t *part_of;   /* [vertices] */
  uint32_t *bundle_of; /* [links] */
} ts_cluster_fold;

/* `loads`: NULL: of no run. */
const ts_cluster_fold *ts_cluster_fold_new(ts_arena *arena, const ts_ir *ir,
                                           const ts_link_loads *loads);

static inline bool ts_part_is_device(const ts_part *p) { return p->device_class != TS_IR_NONE; }
/* Links of the bundle for each island of one end, where the other is in none or the same. */
uint32_t ts_bundle_each(const ts_cluster_fold *fold, const ts_bundle *bundle);

/* "gpu[4, 8]", "12.8 TB/s", "gpu[0, 3] - leaf[3]" */
const char *ts_array_shape(ts_arena *arena, const ts_ir *ir, const ts_ir_array *array);
const char *ts_rate_text(ts_arena *arena, double rate);
const char *ts_link_text(ts_arena *arena, const ts_ir *ir, uint32_t link);
/* In words, facts behind each other with "; " between them. */
const char *ts_part_text(ts_arena *arena, const ts_cluster_fold *fold, uint32_t part);
const char *ts_bundle_text(ts_arena *arena, const ts_cluster_fold *fold, uint32_t bundle);

#endif
