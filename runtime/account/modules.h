/* Time and memory by module of the model and by layer, from the labels of nodes and of what they
 * hold. */
#ifndef TS_RUNTIME_ACCOUNT_MODULES_H
#define TS_RUNTIME_ACCOUNT_MODULES_H

#include "runtime/account/labels.h"
#include "runtime/account/memory.h"
#include "runtime/account/result.h"

/* of a class. Summed over modules: the phases of ts_class_result, `exposed` and `transfer` of its
 * groups, and what is held at the peak by category (but for what a category frees in advance). */
typedef struct ts_module_share {
  uint64_t phase[TS_IR_PHASES];      /* ps */
  uint64_t exposed, transfer;            /* ps */
  uint64_t memory[TS_IR_CATEGORIES]; /* bytes */
} ts_module_share;

typedef struct ts_modules {
  ts_label_view view;
  uint32_t count;
  const char *const *names;         /* [count] in the order in which the step comes to them */
  const ts_module_share *const *of; /* [classes of the result][count] */
} ts_modules;

const ts_modules *ts_modules_new(ts_arena *arena, const ts_ir *ir, const ts_run *run,
                                 ts_label_view view);

#endif
