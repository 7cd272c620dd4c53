/* Drawings of the cluster graph: text, Graphviz, SVG, a page. */
#ifndef TS_RUNTIME_REPORT_TOPOLOGY_H
#define TS_RUNTIME_REPORT_TOPOLOGY_H

#include <stdio.h>

#include "base/arena.h"
#include "ir/ir.h"
#include "runtime/report/topology_fold.h"

/* `most`: vertices up to which each is drawn by itself. `use`: of links in a step, as ts_link_loads
 * has it; NULL: not known. */
void ts_topology_text(FILE *out, ts_arena *arena, const ts_ir *ir, const double *use);
/* The path between each two devices, link by link; of more than `most` devices those from the first
 * one. */
void ts_topology_paths(FILE *out, ts_arena *arena, const ts_ir *ir, uint32_t most);
/* The same cluster again, if it is read by `topology(...)`. */
void ts_topology_json(FILE *out, ts_arena *arena, const ts_ir *ir);
void ts_topology_dot(FILE *out, ts_arena *arena, const ts_ir *ir, uint32_t most);

/* "dgx_h100: 1,024 devices, 2,056 links" */
const char *ts_topology_title(ts_arena *arena, const ts_ir *ir);

/* The folded cluster as an <svg>, by itself or in a page: runtime/report/topology_svg.c. */
void ts_topology_svg(FILE *out, const ts_cluster_fold *fold, const char *title);

/* `step`: of the run whose use `fold` has, ps; 0: of none. */
void ts_topology_page(FILE *out, const ts_cluster_fold *fold, uint64_t step);
/* What a page has of it: the picture, tables, and the links as data for its scripts. */
void ts_topology_section(FILE *out, const ts_cluster_fold *fold);

#endif
