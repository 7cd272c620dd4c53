/* Labels of ops ("layer[3].attn.core") and the patterns that name them. */
#ifndef TS_COMPILER_EVAL_LABEL_H
#define TS_COMPILER_EVAL_LABEL_H

#include "base/arena.h"
#include "compiler/eval/value.h"

/* `*` stands for any text. */
bool ts_glob(const char *pattern, const char *text, size_t length);
/* Does the pattern match the label, or the label of something that encloses it? *length: how much
 * of the label it took. A pattern without `*` also matches at the end of a longer path: `attn.core`
 * is `*.attn.core`. */
bool ts_label_match(const char *pattern, const char *label, size_t *length);
/* `layer[3].attn.core` as `layer[*].attn.core` */
const char *ts_label_pattern(ts_arena *arena, const char *label);
/* How much of `label` is the scope that `group` names (a label, a pattern, or a list of such); 0:
 * none. */
size_t ts_label_group(ts_value group, const char *label);

#endif
