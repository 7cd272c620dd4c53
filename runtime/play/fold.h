/* Folding: ranks that provably behave alike form a class, and one player plays for all of them.
 *
 * Ranks start together when they are of one kind; a class is split while its members meet members
 * of different classes, in a collective or by a message (partition refinement: Paige and Tarjan,
 * 1987). When nothing splits any more, members of a class have equal times: each start is the same
 * maximum over the same times. A collective then starts when the last of the classes that meet in
 * it is ready, however many ranks these have. Without folding every rank is its own class. */
#ifndef TS_RUNTIME_PLAY_FOLD_H
#define TS_RUNTIME_PLAY_FOLD_H

#include "runtime/play/fold_links.h"
#include "runtime/play/roles.h"

typedef struct ts_rendezvous { /* of a communicator: players whose collectives start together */
  uint32_t comm;
  uint32_t first, count; /* into ts_fold.members */
  uint32_t calls;        /* collectives of the step, if several players meet in them; else 0 */
  uint64_t call_base;    /* calls of the rendezvous before */
} ts_rendezvous;

typedef struct ts_fold {
  uint32_t count;              /* players */
  const uint32_t *rank;        /* [count] the lowest of the class */
  const uint32_t *size;        /* [count] ranks of the class */
  const uint32_t *of;          /* [world] */
  const ts_rendezvous *rendezvous;
  uint32_t rendezvous_count;
  uint64_t call_count;
  const uint32_t *members;     /* players, ascending in each rendezvous */
  ts_splits splits;            /* of kinds by whom they meet; none: not folded */
  const uint32_t *rendezvous_of;  /* [count * comms] or TS_IR_NONE */
} ts_fold;

/* links: what calls share, or NULL */
const ts_fold *ts_fold_new(ts_arena *arena, const ts_tables *tables, const ts_roles *roles,
                           ts_fold_links *links, bool merge);

static inline uint32_t ts_calls_of(const ts_tables *t, uint32_t program, uint32_t comm)
{
  return t->programs[program]
    .call_base[(size_t)t->ir->programs[program].item_count * t->comm_count + comm];
}

#endif
