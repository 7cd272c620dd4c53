/* One player's step, replayed op by op from the facts of a play, so that one can walk backward
 * through what each start waited for. */
#ifndef TS_RUNTIME_PLAY_TRACK_H
#define TS_RUNTIME_PLAY_TRACK_H

#include "runtime/play/engine.h"

typedef struct ts_played_op { /* an op, played */
  const ts_play_op *op;
  /* its stream and its dependencies allow it, and unless it is a run, the host has issued it */
  uint64_t ready;
  uint64_t end;
  /* what it takes by itself: of a run the sum of its kernels, of a collective from the last member
   * on */
  uint64_t time;
  uint32_t item;  /* of the program */
  uint32_t stream;
} ts_played_op;

typedef enum ts_place_kind { TS_AT_BEGIN, TS_AT_STEP, TS_AT_HOST } ts_place_kind;

typedef struct ts_place { /* a point in time on a track, reached from behind */
  ts_place_kind kind;
  uint32_t step;    /* at its end */
  uint32_t segment; /* the host at work in it (of the program) */
  const ts_play_item *item; /* host: on what, with... */
  uint32_t node;            /* ... the node of the item's fragment that it has just issued */
} ts_place;

typedef struct ts_stream_replay { /* of one stream of a player, its ops in order */
  const ts_facts *facts;
  const ts_player *w;
  uint32_t stream;
  uint32_t *call; /* [comms] so far */
  uint64_t host;  /* base of issue times of the op played last */
  uint64_t time;  /* when the stream is free */
  const uint32_t *item, *item_end; /* the next of its items, and the end of all */
  const ts_play_item *in;          /* the one before that ... */
  const ts_play_op *op, *op_end;   /* ... and what is left of it */
} ts_stream_replay;

ts_stream_replay ts_stream_new(ts_arena *arena, const ts_facts *facts, uint32_t player,
                               uint32_t stream);
/* Begins the next item that has work for the stream. NULL at the end. */
const ts_play_item *ts_stream_item(ts_stream_replay *replay);
/* The same for any of the stream's items (ts_item_on), where the player's entries are known. */
void ts_stream_enter(ts_stream_replay *replay, const uint32_t *item);
/* Stands in the item so many further on as it does in the one at hand, which is played alike. */
void ts_stream_pass(ts_stream_replay *replay, uint32_t items, uint64_t time);
/* Plays the next op of the item. False at its end. */
bool ts_stream_next(ts_stream_replay *replay, ts_played_op *out);

typedef struct ts_track {
  const ts_facts *facts;
  uint32_t player;
  ts_played_op *steps;  /* stream by stream; NULL: they are replayed when they are asked for */
  uint32_t *stream;     /* [streams + 1] into steps */
  uint32_t *item_first; /* [items * streams] first step of the item on the stream */
  /* bits of steps that were replayed, each with steps of its own in `arena` where it has any; and
   * what replays others */
  uint64_t *known;
  ts_played_op **pieces;
  ts_arena *arena;
  ts_stream_replay replay;
} ts_track;

const ts_track *ts_track_new(ts_arena *arena, const ts_facts *facts, uint32_t player);
/* The same, but an item is replayed when one first comes to it, by ts_step_at. */
const ts_track *ts_track_as_requested(ts_arena *arena, const ts_facts *facts, uint32_t player);
void ts_track_replay(const ts_track *track, uint32_t step);

static inline const ts_played_op *ts_step_at(const ts_track *track, uint32_t step)
{
  if (track->steps)
    return &track->steps[step];
  if (!(track->known[step / 64] >> step % 64 & 1))
    ts_track_replay(track, step);
  return &track->pieces[step / 64][step % 64];
}

/* Where an item stands among the stream_items of a stream, or NULL: it has no work for it. */
const uint32_t *ts_item_on(const ts_program_info *program, uint32_t item, uint32_t stream);

/* The step that plays a node of the fragment of a program's item, or the collective of a
 * communicator with that number. */
uint32_t ts_track_node(const ts_track *track, uint32_t item, uint32_t node);
uint32_t ts_track_call(const ts_track *track, uint32_t comm, uint32_t call);
uint32_t ts_call_of(const ts_track *track, uint32_t step);

/* What the step's `ready` waited for: the place where that time was reached. A stream goes before
 * events, events before the host. */
ts_place ts_cause_of_ready(const ts_track *track, uint32_t step);
/* The same for what a send's message waited for before `time`, when it was posted: the stream may
 * have been with others longer. False: it was behind the message that the step before sends. */
bool ts_cause_of_posting(const ts_track *track, uint32_t step, uint64_t time, ts_place *place);
/* What the host's beginning of a segment waited for. */
ts_place ts_cause_of_segment(const ts_track *track, uint32_t segment);
/* What the end of the whole track waited for, and that end. */
ts_place ts_track_end(const ts_track *track, uint64_t *end);
/* A run whose nodes waited for the host: the last one that did (a place in the fragment's order),
 * and when it started. False: none did. */
bool ts_run_host_wait(const ts_track *track, uint32_t step, uint32_t *place, uint64_t *start);
/* The same for the first node: false when it started as soon as the stream and the dependencies
 * allowed. */
bool ts_first_host_wait(const ts_track *track, uint32_t step, uint64_t *start);
ts_place ts_host_at(const ts_track *track, uint32_t step, uint32_t place);

/* A run, kernel by kernel. Made with `end` the run's `ready` and `place` its first. */
typedef struct ts_run_walk {
  uint32_t place, node; /* in the fragment's order, of the fragment; of the next one `place` */
  uint64_t start, end;
  bool hosted; /* it waited for the host */
} ts_run_walk;
static inline ts_run_walk ts_run_walk_of(const ts_played_op *run)
{
  return (ts_run_walk){.place = run->op->first, .end = run->ready};
}
/* False at its end. */
bool ts_run_next(const ts_facts *facts, const ts_player *player, const ts_played_op *run,
                 ts_run_walk *walk);

static inline const ts_player *ts_player_of(const ts_track *t)
{
  return &t->facts->players[t->player];
}
static inline const ts_play_item *ts_item_of(const ts_track *t, const ts_played_op *s)
{
  return &ts_player_of(t)->program->items[s->item];
}
static inline const ts_ir_node *ts_node_of(const ts_track *t, const ts_played_op *s, uint32_t place)
{
  uint32_t fragment = ts_item_of(t, s)->fragment;
  return ts_fragment_nodes(t->facts->tables->ir, fragment) +
         t->facts->tables->layouts[fragment].order[place];
}

#endif
