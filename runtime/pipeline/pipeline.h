/* The order of work of a pipeline as a problem by itself: flat arrays, exact times, bounds, search.
 *
 * A rank works off a WORD. Its LETTERS are kinds of work of its stages: "F of stage 3". The n-th
 * occurrence of a letter is its ITEM n, which works on micro-batch n, so micro-batches of a stage
 * go in order and every word with as many of each letter is an order of work.
 *
 * What an item does to the clocks of its rank (when each stream is free, how far the host has come)
 * is a max-plus linear map of these clocks and of the arrivals that it waits for (Baccelli et al.,
 * "Synchronization and Linearity", 1992), found from the IR once. A step is then a few maxima for
 * each item, and its time that of the engine to the picosecond, where calls do not share links. */
#ifndef TS_RUNTIME_PIPELINE_PIPELINE_H
#define TS_RUNTIME_PIPELINE_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

#define TS_PIPELINE_NEVER (INT64_MIN / 4) /* before all times: no connection */
#define TS_PIPELINE_LATE (INT64_MAX / 4)  /* after all times */

/* rows: of a map */
enum { TS_PIPELINE_LETTERS = 1 << 14, TS_PIPELINE_ITEMS = 1 << 20, TS_PIPELINE_ROWS = 64 };

/* in: a clock of the rank, or from `clocks` of the pipeline on the item's messages */
typedef struct ts_pipeline_term {
  uint32_t in;
  int64_t time;
} ts_pipeline_term;
/* out: likewise, of the messages that the item sends. Its value: the largest of in + time */
typedef struct ts_pipeline_row {
  uint32_t out, first_term, term_count;
} ts_pipeline_row;
/* Row 0 is clock 0, the compute stream. */
typedef struct ts_pipeline_map {
  uint32_t first_row, row_count, ins, outs;
  int64_t busy; /* ps that it holds the compute stream at least */
  /* [outs] at `after`: ps from its end on the compute stream until a message is there, at least;
   * NEVER: none does follow */
  uint32_t after;
} ts_pipeline_map;

typedef struct ts_pipeline_item {
  uint32_t map;
  uint32_t first_in;  /* into `ins` */
  uint32_t first_out; /* messages are numbered by their senders */
  /* bytes: held more when it is done; the most while it runs, and the least; of what it lets go of,
   * how much when a message has left */
  int64_t net, rise, dip, late;
} ts_pipeline_item;

typedef struct ts_pipeline_letter {
  uint32_t rank, stage, chunk;
  char kind; /* 'F', 'I', 'W' or 'B' */
  /* letters of the same rank whose item n must be done before this one's, or TS_PIPELINE_NONE */
  uint32_t needs[2];
} ts_pipeline_letter;
#define TS_PIPELINE_NONE UINT32_MAX

/* How the items of a word are played, which changes their times and not their order: one by one; I
 * that its W follows as one whole backward; and F with the whole backward, or with any, that
 * follows it as a pair, whose communication hides. Items are played so where that is shorter. */
typedef enum ts_pipeline_merging {
  TS_PIPELINE_SPLIT,
  TS_PIPELINE_WHOLE,
  TS_PIPELINE_PAIRS,
  TS_PIPELINE_ALL_PAIRS,
  TS_PIPELINE_MERGINGS
} ts_pipeline_merging;

/* Items next to each other that are played as one. Its messages are theirs, in their order. */
typedef struct ts_pipeline_merge {
  uint32_t of[3]; /* maps of the items; the third NONE of two */
  uint32_t map;
  int64_t net, rise;       /* bytes */
  ts_pipeline_merging threshold; /* from which on they are */
  uint32_t next;             /* merge that begins with the same two; NONE: no more */
} ts_pipeline_merge;

typedef struct ts_pipeline {
  uint32_t ranks, clocks, letter_count, micro_batches, message_count;
  const ts_pipeline_letter *letters;
  const ts_pipeline_item *items; /* [letter * micro_batches + n] */
  const ts_pipeline_map *maps;
  uint32_t map_count;
  const ts_pipeline_row *rows;
  const ts_pipeline_term *terms;
  const int64_t *after;
  const uint32_t *ins;       /* messages */
  const uint32_t *sender;    /* [messages] item */
  const uint32_t *receiver;  /* [messages] item */
  const uint32_t *first;     /* [ranks + 1] of each rank's word */
  const uint32_t *own;       /* [letters] letters rank by rank; */
  const uint32_t *own_first; /* [ranks + 1] into them */
  /* [ranks * clocks] from a clock's time, all work done, to the end of the step; NEVER */
  const int64_t *ends;
  int64_t *room; /* [ranks] bytes that its items may hold */
  uint32_t streams;
  const char *const *stream; /* [streams] names; first clocks are those of streams */
  /* none before ts_pipeline_find_merges */
  const ts_pipeline_merge *merges;
  const uint32_t *joined; /* [merged_maps * merged_maps] of two maps: the first merge, or NONE */
  uint32_t merge_count, merged_maps;
} ts_pipeline;

static inline uint32_t ts_pipeline_size(const ts_pipeline *p) { return p->first[p->ranks]; }

/* ---- Times (pipeline/play.c) ---- */

/* What plays need, to be used again. */
typedef struct ts_pipeline_play {
  const ts_pipeline *of;
  ts_pipeline_merging merging; /* to be set */
  int64_t *clock;       /* [ranks * clocks] */
  int64_t *arrived;     /* [messages] */
  uint32_t *waiting;    /* [messages] rank */
  uint32_t *at, *stack; /* [ranks] */
  uint32_t *count;      /* [letters] done */
  /* of the last trace: [items] begin on the compute stream */
  int64_t *begin;
  int64_t *history; /* [size of all words * clocks] clocks before each place */
} ts_pipeline_play;

ts_pipeline_play *ts_pipeline_play_new(ts_arena *arena, const ts_pipeline *p);
/* The step's time; LATE: ranks wait for each other. */
int64_t ts_pipeline_time(ts_pipeline_play *play, const uint16_t *sequence);
/* The same, keeping when items begin, for the next two. */
int64_t ts_pipeline_trace(ts_pipeline_play *play, const uint16_t *sequence);
/* Places of the words on the critical path, from its end back; after a trace. */
uint32_t ts_pipeline_critical(ts_pipeline_play *play, const uint16_t *sequence, uint32_t *places);

/* What is played at a place of a rank's sequence: so many places, as one; NULL: the item alone.
 * `count`: [letters] items before. */
const ts_pipeline_merge *ts_pipeline_merge_at(const ts_pipeline *p, ts_pipeline_merging merging,
                                              const uint16_t *sequence, uint32_t place,
                                              uint32_t end, const uint32_t *count);

/* Whether the rank's word has each item after those that it needs, and holds no more than `room`.
 * *peak: the most bytes that its items hold. */
bool ts_pipeline_legal(ts_pipeline_play *play, const uint16_t *sequence, uint32_t rank,
                       int64_t room, int64_t *peak);

/* ---- A bound (pipeline/bound.c) ---- */

/* What a bound is by: a rank's work, and what is before, between and after it; the same, where work
 * waits for memory; how much a rank holds, and for how long. */
typedef enum ts_pipeline_reason {
  TS_PIPELINE_WORK,
  TS_PIPELINE_WAITS,
  TS_PIPELINE_HELD
} ts_pipeline_reason;

typedef struct ts_pipeline_bound {
  int64_t step; /* no order is shorter that holds no more than `room` */
  int64_t work; /* of it, the work of the rank that it is by; the rest cannot be hidden */
  uint32_t rank;
  ts_pipeline_reason by;
  bool joined; /* merges are taken to hide all of the work that they can */
} ts_pipeline_bound;

ts_pipeline_bound ts_pipeline_bound_of(const ts_pipeline *p);
/* When each item can begin at the earliest; [items], in the arena. */
int64_t *ts_pipeline_heads(ts_arena *arena, const ts_pipeline *p);

/* ---- List scheduling (pipeline/list.c) ---- */

/* An order is made from another one, or from a timetable: a rank that would wait for the next item
 * of its word takes one from further back, where memory allows it and the next is not kept waiting
 * for more than a share of the time of what is taken. */
typedef struct ts_pipeline_rule {
  double delay[3]; /* share: of F, of I and B, of W */
  uint32_t ahead;  /* places that are looked through */
  bool predict;    /* what has no time yet is there when it was in the order before */
} ts_pipeline_rule;

/* False: nothing comes of it. `out` may be `sequence`. */
bool ts_pipeline_list(ts_pipeline_play *play, const ts_pipeline_rule *rule,
                      const uint16_t *sequence, uint16_t *out);

/* Micro-batches one after the other, a period apart, each a wave through the stages and back:
 * `down` and `up` stretch its way over even and over odd chunks, `turn` waits at the last stage,
 * `late` is from I to W; these two of the period. `apart`: the period, of the work that the busiest
 * rank has for a micro-batch; farther apart, less is held. All in twelfths. */
typedef struct ts_pipeline_wave {
  uint32_t down, up, turn, late, apart;
} ts_pipeline_wave;
void ts_pipeline_wave_word(ts_arena *scratch, const ts_pipeline *p, const int64_t *heads,
                           const ts_pipeline_wave *wave, uint16_t *out);

/* ---- Search (pipeline/search.c) ---- */

/* How far all threads together are. */
typedef struct ts_pipeline_news {
  double share;   /* of the orders, or of the time */
  uint64_t timed; /* orders */
  int64_t best;   /* the shortest step so far, or LATE */
} ts_pipeline_news;

typedef struct ts_pipeline_search {
  uint64_t seed;
  uint64_t orders; /* that are timed at most */
  double seconds;  /* or 0: no limit */
  uint32_t jobs;   /* threads; the answer is the same for any number where there is no time */
  /* called now and then, on any thread but on one at a time; false ends the search. Or NULL */
  bool (*go_on)(void *closure, const ts_pipeline_news *news);
  void *closure;
} ts_pipeline_search;

/* began: number of the beginning that it came from; their count: a wave */
typedef struct ts_pipeline_order {
  int64_t step;
  uint32_t began;
  ts_pipeline_merging merging;
  uint16_t *sequence;
} ts_pipeline_order;

enum { TS_PIPELINE_KEPT = 12 };

typedef struct ts_pipeline_found {
  uint32_t count;                           /* 0: no order keeps the memory */
  ts_pipeline_order best[TS_PIPELINE_KEPT]; /* shortest first, of different times */
  uint64_t timed;                           /* orders */
  /* where there is none: the rank that lacks most, and bytes; the least that any order tried */
  uint32_t rank;
  int64_t lacks;
} ts_pipeline_found;

/* The shortest of the orders met. `begins`: orders to begin with, which may hold too much. */
ts_pipeline_found ts_pipeline_improve(ts_arena *arena, const ts_pipeline *p,
                                      const uint16_t *const *begins, uint32_t begin_count,
                                      const ts_pipeline_bound *bound,
                                      const ts_pipeline_search *search);

#endif
