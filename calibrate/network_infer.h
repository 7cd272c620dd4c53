/* Times at sizes that a group of calls (collective, ranks, islands) was not measured at, from all
 * groups of a table. */
#ifndef TS_CALIBRATE_NETWORK_INFER_H
#define TS_CALIBRATE_NETWORK_INFER_H

#include "calibrate/network_fit.h"

typedef struct ts_network_inference ts_network_inference;
typedef TS_VEC(ts_ir_net_point) ts_network_points;

/* Of sorted points, which hold a size of a group once. NULL: too many of them, or the hardware has
 * no method for one. All must outlive the inference. */
const ts_network_inference *ts_network_infer(ts_arena *arena, const ts_network_file *hardware,
                                             ts_fit_links links, const ts_ir_net_point *points,
                                             uint32_t count);
/* Mean squared logarithm of inferred over measured for the group of `count` points from the
 * first-th on, each inferred from all points but itself. */
double ts_network_infer_error(const ts_network_inference *inference, uint32_t first,
                              uint32_t count);
/* Adds the group's points, and inferred ones at the other sizes of the table and at powers of two
 * between them. */
void ts_network_infer_group(const ts_network_inference *inference, uint32_t first, uint32_t count,
                            ts_network_points *out);

#endif
