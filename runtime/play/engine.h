/* The engine: a Kahn network. Every stream of every player, and its host thread, is a process with
 * a cursor over the program. It runs until it needs a time that is not known yet (an event of
 * another stream, a message, the last member of a collective, the host) and leaves its number in
 * the place where that time will be written; who writes it resumes the process. Each time is a
 * maximum of sums of others, so the order in which processes run cannot change a result: several
 * threads may play (thread_pool.h).
 *
 * What is kept of a play are the FACTS: the times that cross streams. From them each stream can be
 * replayed by itself (track.h). */
#ifndef TS_RUNTIME_PLAY_ENGINE_H
#define TS_RUNTIME_PLAY_ENGINE_H

#include "runtime/load/tables.h"
#include "runtime/play/fold.h"
#include "runtime/play/roles.h"

#define TS_AS_USUAL UINT64_MAX

typedef struct ts_player {
  const ts_role *role;
  const ts_program_info *program;
  uint32_t rank;
  const uint32_t *peers;      /* [peer_count] players */
  const uint32_t *rendezvous;   /* [comms] */
  /* [event_count] when it was reached: ts_events_of. Of items that were played alike only those of
   * the first are kept */
  uint64_t *events;
  uint64_t *segments;         /* [segment_count] when the host began it */
  /* [slot_count] messages to this player: when it is there, since when it was on its way */
  uint64_t *arrived, *sent;
  uint64_t *queues; /* [queue_count of the kind] of links (fan_out.h): when each is free */
  /* [lane_count of the kind] under contention: tag of the message that is on its way last, or
   * TS_IR_NONE */
  uint32_t *lanes;
  /* [took_count] what nodes took, waiting left out, by ts_took_place; NULL, or TS_AS_USUAL for one:
   * what the kind says. Of nodes that are neither a send nor a collective only where `kernels_vary`
   */
  uint64_t *took;
  const uint64_t *took_base;  /* [items] into it */
  uint64_t took_count;
  bool kernels_vary;
  /* [stream items of the program] when the stream began it; NULL: not kept */
  uint64_t *entries;
  /* [items] the earlier item that was played alike (repeats.h), or the item itself; and from when
   * on their times are equal. NULL: no item repeats another one */
  uint32_t *alike;
  uint64_t *begun;
  /* [items] of those that repeat no other: the first play that it is like, of any player whose ops
   * are those of this one. Likes have one number, and nobody else has it */
  uint64_t *equal_items;
} ts_player;

/* Rounds that nobody has played (ts_ir_left_out): how many, and ps of each. What comes behind them
 * is as early in the facts as if they took no time. */
typedef struct ts_rounds {
  uint64_t count, time;
} ts_rounds;

typedef struct ts_facts {
  const ts_tables *tables;
  const ts_roles *roles;
  const ts_fold *fold;
  const ts_player *players;   /* [fold->count] */
  /* [fold->call_count] of collectives in which players meet; one alone begins when it is ready */
  const uint64_t *starts;
  /* [fold->call_count] player that was ready last, the first of several */
  const uint32_t *latest;
  uint64_t end;               /* of the step */
  /* [2 * links] what each direction had to do for packets that were played together, of models with
   * these figures; NULL: none were */
  const struct ts_packet_use *packets;
  const ts_ir_net_packets *packets_with;
  ts_rounds rounds;
} ts_facts;

/* What comes behind the rounds that are left out comes so many ps later. */
static inline uint64_t ts_left_out_time(const ts_facts *facts)
{
  return facts->rounds.count * facts->rounds.time;
}

struct ts_contention;

/* `contention`: what says how long calls take beside others, NULL: each takes as long as its kind
 * says. Then the fold may not be folded, and it is one thread that plays. `threads`: 1 or more; the
 * facts do not depend on it. `order`: 0, or any number to run processes in another
 * order (for tests). NULL after filling *stop. */
const ts_facts *ts_engine_play(ts_arena *arena, const ts_tables *tables, const ts_roles *roles,
                               const ts_fold *fold, struct ts_contention *contention,
                               uint32_t threads, uint32_t order, ts_stop *stop);

/* When the host began the stretch in which it issued what belongs to `segment` of the fragment at
 * `item`. */
static inline uint64_t ts_host_base(const ts_player *player, const ts_play_item *item,
                                    uint32_t segment)
{
  return player->segments[item->segment + segment] + (segment ? 0 : item->offset);
}

/* Events of an item: each happened `by` later than it is at `at`. */
typedef struct ts_item_events { const uint64_t *at; uint64_t by; } ts_item_events;

static inline ts_item_events ts_events_of(const ts_player *player, const ts_play_item *item)
{
  uint32_t like = player->alike ? player->alike[item->index] : item->index;
  if (like == item->index)
    return (ts_item_events){player->events + item->event_base, 0};
  return (ts_item_events){player->events + player->program->items[like].event_base,
                          player->begun[item->index] - player->begun[like]};
}

/* Where the player keeps what a node of the program's item took, or NULL. */
static inline uint64_t *ts_took_place(const ts_player *player, const ts_tables *tables,
                                      uint32_t item, uint32_t node)
{
  if (!player->took)
    return NULL;
  if (!player->kernels_vary)
    node = tables->layouts[player->program->items[item].fragment].nodes[node].transfer;
  return node == TS_IR_NONE ? NULL : player->took + player->took_base[item] + node;
}

/* What that is; `usual`: where every play of it takes as long. */
static inline uint64_t ts_took(const ts_player *player, const ts_tables *tables, uint32_t item,
                               uint32_t node, uint64_t usual)
{
  const uint64_t *took = ts_took_place(player, tables, item, node);
  return took && *took != TS_AS_USUAL ? *took : usual;
}

#endif
