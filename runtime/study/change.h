/* What if: a copy of a plan with something faster or slower.
 *
 * A change is NAME.FIELD followed by `*` or `/` and a factor, or `=` and what it shall be, with its
 * unit; several are joined by commas:
 *   compute.speed, memory.bandwidth, host.speed, network.latency    of all devices, hosts, links
 *   CLASS.bandwidth, CLASS.latency                                    of the links of a class;
 *   tier0, tier1, ...: of all links of that tier; nic: of network interfaces, by which a device
 *   leaves its island. nic=RATE is that of all ports of a device together; an interface that is
 *   slower than most, as a degraded one is, stays so
 *   GROUP.speed, KIND.speed                                           of all traffic over a group
 *   of the mesh; of all_reduce, ..., message
 *   ARRAY[I,J].speed                                                  of one device
 *   FAMILY.speed                                                      of kernels of one family
 *   CLASS.loss=1%                                                     this share of what the links
 *   of a class carry is sent again
 * A kernel's time is divided by the speed, but for waits as recorded (TS_IR_HELD), which no change
 * moves; of memory.bandwidth only the share bytes / (time x
 * bandwidth) that memory bounds. Of links nothing but their class is changed, so the step is that
 * of a plan with such links; models that do not follow them (runtime/collective/follow.h) are named
 * by ts_not_followed. Latencies of network.latency are the links' and the models' own; what
 * calibrated networks were found to err by stays. */
#ifndef TS_RUNTIME_STUDY_CHANGE_H
#define TS_RUNTIME_STUDY_CHANGE_H

#include "base/arena.h"
#include "ir/ir.h"

typedef struct ts_changed {
  ts_ir ir;               /* tables that are not changed are those of the original */
  const double *transfer; /* [collectives + ports] factor on the time of each call, or NULL */
  const char *stays;      /* classes of links that are slower than those meant, and stay; or NULL */
} ts_changed;

/* NULL, or what is wrong. */
const char *ts_change(ts_arena *arena, const ts_ir *ir, const char *text, ts_changed *out);

#endif
