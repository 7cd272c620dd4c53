/* Parameters that are gathered before a phase and dropped after it; and what comes from the host.
 * */
#ifndef TS_COMPILER_LOWER_FRAGMENT_PARAMETERS_H
#define TS_COMPILER_LOWER_FRAGMENT_PARAMETERS_H

#include "compiler/lower/fragment.h"

void ts_gathers_plan(ts_fragment *f, ts_when when, const ts_placed *item);
/* compiler/lower/prefetch.c: a forward and the backward after it, of which the gathers are listed:
 * those with a `prefetch` learn which call gathers them, and where; what the backward finds still
 * gathered is `found`, in both lists. */
void ts_prefetch_plan(const ts_fragment *f, ts_gather_list *forward, ts_gather_list *backward);
/* compiler/lower/gather_index.c: the index of the fragment's gathers, when they are planned; and
 * those of a key, as they are numbered. */
typedef struct ts_gathers_at { const uint32_t *at; uint32_t count; } ts_gathers_at;
void ts_gathers_index(ts_fragment *f);
ts_gathers_at ts_gathers_under(const ts_gathers_by *by, uint32_t key);
/* Items of the stage share what the first of them has gathered. */
bool ts_gathers_shared(const ts_lowering *l, const ts_stage *stage);
/* The first item after an update gathers what was updated. */
bool ts_gathers_updated(const ts_lowering *l, const ts_stage *stage);
/* its group is needed: what has not left leaves, and what is to come ahead */
void ts_gathers_enter(ts_fragment *f, uint32_t op);
void ts_gathers_need(ts_fragment *f, uint32_t op);
/* What comes from the host for any of these ops is there before what the compute stream does next.
 * */
void ts_offloads_need(ts_fragment *f, uint32_t first, uint32_t last);
void ts_gathers_leave(ts_fragment *f, uint32_t op, uint32_t node);
void ts_gathers_end(ts_fragment *f, uint32_t node); /* of the whole backward */
/* Do both ops send their parameters or gradients together, by the `group` of the collective? */
bool ts_same_group(const ts_comm *comm, const ts_op *a, const ts_op *b);
/* What the collective on parameters or gradients of this op carries, as a share of all of them. */
double ts_comm_part(const ts_lowering *l, const ts_class *class, const ts_comm *comm);
/* What its collectives leave of the op's gradients for the step, as a share. */
double ts_gradients_left(const ts_lowering *l, const ts_class *class);
/* Elements on a rank of one parameter of the op, or of all; of those that are trained; and of those
 * that `shard(parameters)` leaves whole. */
double ts_local_elements(const ts_lowering *l, const ts_op *op, const ts_class *class,
                         uint32_t slot);
double ts_whole_elements(const ts_lowering *l, const ts_op *op, const ts_class *class);
double ts_trained_elements(const ts_op *op, const ts_class *class, uint32_t slot);
/* Of the op's weight that the rank holds once, as another op's: its elements, 0 without one; and
 * that op, TS_NO_INDEX where it is not in the fragment's stage. */
double ts_tied_elements(const ts_lowering *l, uint32_t op);
uint32_t ts_tied_with(const ts_fragment *f, uint32_t op);
bool ts_same_comm(const ts_comm *a, const ts_comm *b);

#endif
