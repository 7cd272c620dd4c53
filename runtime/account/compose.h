/* What each class did with its time: see result.h. */
#ifndef TS_RUNTIME_ACCOUNT_COMPOSE_H
#define TS_RUNTIME_ACCOUNT_COMPOSE_H

#include "runtime/account/result.h"
#include "runtime/play/track.h"

/* what the classes of a kind have in common, summed up once */
typedef struct ts_composer ts_composer;

ts_composer *ts_composer_new(ts_arena *arena, const ts_facts *facts);
/* What is found of one player that serves others (ts_player.equal_items), by one thread. In the
 * arena. */
typedef struct ts_compose_memo ts_compose_memo;
ts_compose_memo *ts_compose_memo_new(ts_arena *arena);
/* Fills all but `tail`. What is of no use afterwards goes to `scratch`. `each`: to be told which
 * node each part is put down to, or NULL. */
void ts_compose(const ts_composer *composer, ts_compose_memo *memo, ts_arena *arena,
                ts_arena *scratch, uint32_t player, const ts_attribution *each,
                ts_class_result *out);

typedef struct ts_critical_node { /* of the path to a node */
  uint32_t player, item; /* of its program */
  uint32_t node;         /* of the item's fragment */
  bool host;             /* the host at work, up to having issued the node; else the node itself */
  uint64_t times, time;  /* how often it is passed, and what it takes each time */
} ts_critical_node;
typedef void ts_critical_fn(void *closure, const ts_critical_node *node);
/* Walks the critical path from the end of `player` back; times add up to that end. */
void ts_critical_walk(const ts_facts *facts, uint32_t player, ts_critical_fn *each, void *closure);
/* The same in any order: nodes of items that were played alike stand for each other, and are told
 * of once. */
void ts_critical_passes(const ts_facts *facts, uint32_t player, ts_critical_fn *each,
                        void *closure);

/* The critical path: *parts (in `arena`), largest first. `player`: whose end is the end of the
 * step. Returns the number of parts. */
uint32_t ts_critical_path(ts_arena *arena, const ts_facts *facts, uint32_t player,
                          const ts_critical_part **parts);

#endif
