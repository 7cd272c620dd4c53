/* The most that a rank holds at a time, item by item, where items repeat earlier ones
 * (runtime/play/repeats.h): their changes are put in order once, and an item that no other reaches
 * into is its sum and its highest prefix. The same as peak.h, which asks for it. */
#ifndef TS_RUNTIME_ACCOUNT_PEAK_ITEMS_H
#define TS_RUNTIME_ACCOUNT_PEAK_ITEMS_H

#include "runtime/account/op_marks.h"
#include "runtime/account/peak.h"

/* What the ops of a kind of players change. */
ts_op_marks ts_peak_ops(ts_peak_memo *memo, const ts_memory_input *input, const ts_role *role);

/* False: it has to be found in another way. */
bool ts_memory_peak_by_items(ts_arena *arena, ts_peak_memo *memo, const ts_memory_input *input,
                             uint32_t class, int64_t held, int64_t room, ts_memory_peak *out);

#endif
