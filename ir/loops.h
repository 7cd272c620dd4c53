/* Loops: what the items of a program repeat. Programs are periodic once they are warm: one
 * forward and one backward, or a round of an interleaved, zero-bubble or DualPipe order. Files say
 * a round once (ts_ir_loop); who uses an IR sees the items of all rounds. */
#ifndef TS_IR_LOOPS_H
#define TS_IR_LOOPS_H

#include "base/arena.h"
#include "ir/ir.h"

enum {
  TS_IR_LOOP_DEPTH = 8,           /* a loop in a loop, and so on */
  TS_IR_PLAYS_MOST = 1u << 26,    /* items of all programs, unrolled */
  TS_IR_MESSAGES_MOST = 1u << 25, /* ends of messages */
};

/* The items that are listed once, by their index in the IR, and the loops that repeat them, whose
 * first item counts these. */
typedef struct ts_ir_packed {
  TS_VEC(uint32_t) items;
  TS_VEC(ts_ir_loop) loops;
} ts_ir_packed;

/* The loops of `count` items of an IR: those that save most lines first, as far as they do not
 * overlap, and then the loops of what a round of each holds. In n log n steps. */
ts_ir_packed ts_ir_find_loops(ts_arena *arena, const ts_ir *ir, uint32_t first, uint32_t count);

/* Items with their loops, those around others first. */
typedef struct ts_ir_looped {
  const ts_ir_item *items;
  uint32_t item_count;
  const ts_ir_loop *loops;
  uint32_t loop_count;
} ts_ir_looped;

typedef struct ts_ir_unrolled {
  uint64_t items, ends;
} ts_ir_unrolled; /* how many */

/* What is wrong with loops over items `first` to `end` from loop `*loop` on, or NULL: they can be
 * unrolled. Adds up what they play. `*loop` goes behind those it has looked at. */
const char *ts_ir_loops_wrong(const ts_ir *ir, const ts_ir_looped *in, uint32_t first, uint32_t end,
                              uint32_t *loop, ts_ir_unrolled *sum);

/* Plays `item` of a list, with its micro-batch and the tags that it has with one `moved` on. */
typedef void ts_ir_play_item(void *closure, const ts_ir_item *item, uint32_t moved);
void ts_ir_unroll(const ts_ir_looped *in, ts_ir_play_item *play, void *closure);

#endif
