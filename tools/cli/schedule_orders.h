/* Orders of work to be compiled: of every kind of work there is, of a word that a search found, and
 * of items that are played as one. */
#ifndef TS_TOOLS_CLI_SCHEDULE_ORDERS_H
#define TS_TOOLS_CLI_SCHEDULE_ORDERS_H

#include "compiler/schedule/schedule.h"
#include "runtime/pipeline/problem.h"

/* All forwards, then all backwards, from the last stage, in an order that any placement has. */
const ts_given_order *ts_order_plain(ts_arena *arena, const ts_schedule *sc, bool whole);

const ts_given_order *ts_order_of(ts_arena *arena, const ts_pipeline *p, const uint16_t *sequence,
                                  ts_pipeline_merging merging);

/* The words of a schedule's order. Where backwards are split, B is an I and its W; where they are
 * whole, W goes with its I. NULL: it has other work. */
const uint16_t *ts_order_sequence(ts_arena *arena, const ts_pipeline *p, const ts_schedule *sc,
                                  bool whole);

/* An order that has forwards in pairs with backwards, and what these are made of. */
typedef struct ts_order_joined {
  const ts_given_order *given;
  const ts_pipeline_parts *const *parts; /* [ranks] */
} ts_order_joined;

/* How many orders have all pairs of stages of a rank, each beside a middle micro-batch; 0: there
 * are too few micro-batches. */
uint32_t ts_order_joined_count(const ts_schedule *sc);
/* The n-th. `split`: backwards are I and W, and pairs are of F and I; else they are whole. `whole`:
 * so are they in the pipeline. */
ts_order_joined ts_order_joined_of(ts_arena *arena, const ts_schedule *sc, const ts_pipeline *p,
                                   uint32_t n, bool split, bool whole);

#endif
