/* NPKit traces (github.com/microsoft/NPKit): what the kernels and proxies of a collective did, as
 * Chrome trace events. */
#ifndef TS_CALIBRATE_NETWORK_NPKIT_H
#define TS_CALIBRATE_NETWORK_NPKIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "compiler/machine/network_file.h"

typedef struct ts_npkit { /* of one collective; 0: not in the trace */
  uint32_t collective, algorithm, protocol, ranks, channels;
  uint32_t steps, transfers; /* primitives, transfers of the network seen */
  double chunk;              /* bytes, median of the primitives */
  /* us: of a primitive and of a transfer, the least that bytes do not explain */
  double intra_hop, inter_hop;
  /* ps per byte of the call: what a byte takes in a channel, for the bytes that pass a rank, spread
   * over the channels */
  double reduction;
} ts_npkit;

bool ts_npkit_is(const char *text, size_t size);
/* False after an error with its line. */
bool ts_npkit_read(ts_arena *arena, const char *text, size_t size, ts_npkit *out, ts_error *error);
/* Puts what the trace shows into the file's methods of its collective, algorithm and protocol, for
 * any ranks. Returns how many there are. */
uint32_t ts_npkit_apply(const ts_npkit *npkit, ts_network_file *file);

#endif
