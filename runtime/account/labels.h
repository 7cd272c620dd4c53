/* Labels of the IR as names of modules: at a depth of 2 "layer[3].attn.qkv" is of the module
 * "layer[3].attn", or of "layer[*].attn" if repeats count as one. */
#ifndef TS_RUNTIME_ACCOUNT_LABELS_H
#define TS_RUNTIME_ACCOUNT_LABELS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "ir/ir.h"

/* depth: parts of a label that count, 0: all. repeats: numbers stay, "layer[3]"; else they are one,
 * "layer[*]". A number is in brackets, or stands behind a point as in "blocks.3.qkv", two parts. Of
 * labels of graphs, "blocks.3.qkv aten::mm", the operator counts only in full (depth 0). Stages that share
 * their fragments count from their own first layer, "layer[+3]". */
typedef struct ts_label_view { uint32_t depth; bool repeats; } ts_label_view;

typedef struct ts_labels ts_labels;

/* Names live in `names`, all else in `arena`. Not for several threads at a time. */
ts_labels *ts_labels_new(ts_arena *arena, ts_arena *names, const ts_ir *ir, ts_label_view view);

/* The number of a label's module: from 0, in the order in which modules are asked for. */
uint32_t ts_labels_number(ts_labels *labels, ts_ir_str label);

/* The number of the module of that name, which is new if nobody has asked for it. */
uint32_t ts_labels_named(ts_labels *labels, const char *name);

uint32_t ts_labels_count(const ts_labels *labels);
const char *ts_labels_name(const ts_labels *labels, uint32_t number);

#endif
