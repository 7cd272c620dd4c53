/* Drawings of the cluster graph: text, Graphviz, SVG. Large clusters are drawn by arrays. */
#ifndef TS_RUNTIME_REPORT_TOPOLOGY_H
#define TS_RUNTIME_REPORT_TOPOLOGY_H

#include <stdio.h>

#include "base/arena.h"
#include "ir/ir.h"

/* `most`: vertices up to which each is drawn by itself. */
void ts_topology_text(FILE *out, ts_arena *arena, const ts_ir *ir);
/* The path between each two devices, link by link; of more than `most` devices those from the first
 * one. */
void ts_topology_paths(FILE *out, ts_arena *arena, const ts_ir *ir, uint32_t most);
void ts_topology_dot(FILE *out, ts_arena *arena, const ts_ir *ir, uint32_t most);
void ts_topology_svg(FILE *out, ts_arena *arena, const ts_ir *ir, uint32_t most);

#endif
