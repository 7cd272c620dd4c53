/* The pieces of work as fragments: forward, backward, the end of a step, and messages that tie
 * items. */
#ifndef TS_COMPILER_LOWER_FRAGMENT_PIECES_H
#define TS_COMPILER_LOWER_FRAGMENT_PIECES_H

#include "compiler/lower/fragment.h"

void ts_plan_memory(ts_fragment *f);
void ts_forward(ts_fragment *f, const ts_placed *item);
void ts_forward_op(ts_fragment *f, uint32_t op, bool again);
uint32_t ts_run_casts(ts_fragment *f, uint32_t op, bool again); /* last node, or TS_NO_INDEX */
/* Whether the op's cast copy of an input is dropped with the input, and made again. */
bool ts_casts_again(const ts_fragment *f, uint32_t op, const ts_saved_slot *saved);
int64_t ts_own_saved(const ts_fragment *f, uint32_t op); /* bytes that the op keeps of its own */
void ts_backward(ts_fragment *f, const ts_placed *item, bool inputs, bool weights, bool last);
bool ts_frees(const ts_lowering *l, const ts_stage *stage); /* some gradients, after a step */
/* `apart`: [chunk * copies + n]: the n-th copy farther of that chunk's stage is on another rank. */
void ts_update_step(ts_fragment *f, const ts_placed *item, const uint32_t *stages, uint32_t count,
                    const bool *apart);
/* A collective around the step runs with this one. */
static inline bool ts_takes_part(int64_t every, const ts_placed *step)
{
  return every < 2 || (step->micro_batch + 1) % every == 0;
}
/* Receives and sends of `depend` clauses that tie this item to others. */
void ts_tie_receives(ts_fragment *f, const ts_placed *item);
void ts_tie_sends(ts_fragment *f, const ts_placed *item);

#endif
