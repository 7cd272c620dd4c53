/* The constants of fabrics between nodes, fitted to measured calls of several clusters. */
#ifndef TS_CALIBRATE_FABRIC_FIT_H
#define TS_CALIBRATE_FABRIC_FIT_H

#include "calibrate/network_fit.h"
#include "compiler/machine/network_fabric.h"
#include "runtime/collective/call.h"

typedef struct ts_fabric_row {
  uint32_t fabric;  /* index among those fitted */
  uint32_t set;     /* rows of one cluster and collective, which count as much as any other set */
  uint32_t kind;
  const ts_network_file *hardware; /* methods of the library for the GPUs */
  ts_profile profile;
  uint64_t bytes;
  double seconds;   /* measured */
} ts_fabric_row;

/* Where a search begins: what fabrics are usually like, chosen by hand with the rows of the first
 * fits in view. What rows do not tell stays there. */
extern const ts_fabric ts_fabric_start;

/* Classes of sizes: 16 MiB and more, 1 MiB and more, less. */
enum { TS_FABRIC_CLASSES = 3 };
uint32_t ts_fabric_class(uint64_t bytes);

/* What a white box with this fabric says, seconds; 0: no method. */
double ts_fabric_time(const ts_fabric *fabric, const ts_fabric_row *row);

/* Fits what is a fabric's own, from where `fabrics` stand, and, if `library`, what all of them
 * share. Rows of a set lie together, those of equal profiles in it too. What rows do not tell stays
 * near the start. */
void ts_fabric_fit(ts_fabric *fabrics, uint32_t count, const ts_fabric_row *rows,
                   uint32_t row_count, bool library, const ts_progress *progress);

/* The same for one fabric and the points of a table, sorted, all of several islands: what is the
 * fabric's own is fitted, from where it stands. `progress`: NULL: nobody asks. */
void ts_fabric_fit_points(ts_arena *arena, ts_fabric *fabric, const ts_network_file *hardware,
                          ts_fit_links links, const ts_ir_net_point *points, uint32_t count,
                          const ts_progress *progress);

/* A fabric that was not measured: the geometric means of the others' constants. */
ts_fabric ts_fabric_mean(const ts_fabric *const *others, uint32_t count);

#endif
