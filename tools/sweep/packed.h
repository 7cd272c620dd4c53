/* What became of a plan as bytes for another process of the same build, and back. */
#ifndef TS_TOOLS_SWEEP_PACKED_H
#define TS_TOOLS_SWEEP_PACKED_H

#include "tools/sweep/inputs.h"
#include "tools/sweep/outcome.h"

typedef struct ts_packer { ts_arena *arena; TS_VEC(uint8_t) bytes; } ts_packer;

void ts_pack_bytes(ts_packer *p, const void *bytes, size_t size);
void ts_pack_number(ts_packer *p, uint64_t value);
void ts_pack_real(ts_packer *p, double value);
void ts_pack_text(ts_packer *p, const char *text); /* NULL stays NULL */
void ts_pack_outcome(ts_packer *p, const ts_outcome *o);
void ts_pack_inputs(ts_packer *p, const ts_inputs *inputs, size_t first); /* from that one on */

/* Texts are copied into the arena. What is cut off or no such message makes `bad`, and then all is
 * zero. */
typedef struct ts_unpacker { const uint8_t *at, *end; ts_arena *arena; bool bad; } ts_unpacker;

void ts_unpack_bytes(ts_unpacker *u, void *bytes, size_t size);
uint64_t ts_unpack_number(ts_unpacker *u);
double ts_unpack_real(ts_unpacker *u);
const char *ts_unpack_text(ts_unpacker *u);
void ts_unpack_outcome(ts_unpacker *u, ts_outcome *o);
void ts_unpack_inputs(ts_unpacker *u, ts_inputs *inputs); /* adds them */

#endif
