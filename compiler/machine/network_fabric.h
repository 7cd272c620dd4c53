/* What a fabric between islands makes of the methods of a collective library: the constants that a
 * file of a fabric states under `between` (doc/networks.md). */
#ifndef TS_COMPILER_MACHINE_NETWORK_FABRIC_H
#define TS_COMPILER_MACHINE_NETWORK_FABRIC_H

#include "compiler/machine/network_file.h"

typedef struct ts_fabric {
  double share;        /* of the NICs' rate that rings and trees of whole chunks reach */
  double hop;          /* us, a step of flagged words (LL) between islands */
  double chunks;       /* factor on the first chunks that trees pass on whole */
  double pairs_share;  /* of the NICs' rate, all to all, and */
  double pairs_hop;    /* us, for each other island */
  /* where an island is a rack: factors on the steps inside it from rank to rank, on the step of a
   * switch that reduces, and on the share that such a switch reaches */
  double inside_hop, switch_hop, inside_share;
  /* us, a step of flagged lines (LL128), of whole chunks (Simple) in trees, and in rings */
  double line_hop, tree_hop, ring_hop;
  double line_share;   /* of `share`, that flagged lines reach */
  double word_rate;    /* GB/s of flagged words that a rank's processor passes on */
  double deal;         /* bytes of traffic that a channel has before another is used */
  double trees_from;   /* islands that the library has trees for */
  double lanes;        /* channels for each rank of an island: one for each NIC and direction */
  double tree_share;   /* of `share`, that trees of three islands and more reach */
  double switch_share; /* of what a switch reaches alone, that it does when it also feeds NICs */
  double words, lines, switches; /* 1: the protocols LL and LL128, and NVLS, are in use; 0: not */
} ts_fabric;

extern const ts_network_field ts_fabric_fields[]; /* a file states all of them */
/* What is wrong with the figures of a fabric, or NULL. */
const char *ts_fabric_wrong(const ts_fabric *fabric);
/* Makes the methods of `file` those of calls between islands joined by this fabric. Measured
 * anchors go: they hold for other links. */
void ts_fabric_apply(ts_arena *arena, const ts_fabric *fabric, ts_network_file *file);

#endif
