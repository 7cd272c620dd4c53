#include "runtime/account/forecast.h"

#include <stdlib.h>

#include "base/heap.h"
#include "runtime/play/play.h"

/* Prices, measured on one core of one machine (gcc -O2) with examples/large.ts alone: 1 to
 * 8,388,608 ranks, folded and not, 1 to 1,024 stages, 1 to 1,000,000 micro-batches, 2 and 20 layers
 * a stage. Nearly all items of such plans repeat others (repeats.h), so nodes cost nothing.
 * Seconds are those of that machine; bytes are the same on all. */
typedef struct price {
  double seconds, bytes, requested;
} price;

/* a device or link: paths (runtime/collective/graph.c) */
static const price of_cluster = {0.37e-6, 95, 245};
/* groups and roles (ranks.c, roles.c, fold.c) */
static const price of_rank = {0.7e-6, 235, 280};
/* of a program: tables.c, layout.c; summed up by compose.c and memory.c */
static const price of_item = {50e-9, 110, 110};
static const price of_port = {30e-9, 62, 62};       /* of these: match.c */
/* the same of the longest program: critical.c, and the steps of a track */
static const price on_path = {40e-9, 60, 150};
static const price of_player = {1.0e-6, 300, 400};  /* engine.c, representatives.c */
/* when its streams began it, and which item it repeats: repeats.c */
static const price played_item = {60e-9, 45, 60};
/* times of events and messages are kept for compose.c */
static const price played_port = {20e-9, 20, 24};
/* with --contention, which has no repeats and keeps the times of transfers; and where kernels of
 * several streams share a device, or --overlap has them slow each other down: overlap.c
 * (examples/gpt3_175b.ts, 512 to 8,192 ranks) */
static const price contended_node = {28e-9, 0, 0}, contended_transfer = {0, 30, 30},
                   overlapped_node = {220e-9, 16, 16};

static void forecast_add(ts_forecast *e, price each, double count)
{
  e->seconds += each.seconds * count;
  e->bytes += each.bytes * count;
  e->requested += each.requested * count;
}

/* Sends and collectives: their times are kept. */
static uint32_t transfers_of(const ts_ir *ir, const ts_ir_fragment *f)
{
  uint32_t transfers = 0;
  for (uint32_t n = f->first_node; n < f->first_node + f->node_count; n++)
    transfers += ir->nodes[n].op == TS_IR_SEND || ir->nodes[n].op == TS_IR_COLLECTIVE;
  return transfers;
}

/* Folded there is one player for the ranks of a program, or a few where links or devices differ:
 * these are not known before. */
ts_forecast ts_forecast_play(const ts_ir *ir, const ts_run_options *options)
{
  ts_forecast e = {0, 0, 0};
  bool folds = !options->no_fold,
       by_time = ts_run_goes_by_time(ir, options);
  double longest = 0,
         players =
           folds ? 1 : (double)ir->meta->world / (ir->programs_count ? ir->programs_count : 1);
  uint32_t *transfers = ts_heap_new((size_t)ir->fragments_count + 1, sizeof *transfers);
  for (uint32_t f = 0; f < ir->fragments_count; f++)
    transfers[f] = transfers_of(ir, &ir->fragments[f]);
  forecast_add(&e, of_cluster, (double)ir->devices_count + ir->links_count);
  forecast_add(&e, of_rank, ir->meta->world);
  for (uint32_t p = 0; p < ir->programs_count; p++) {
    const ts_ir_program *program = &ir->programs[p];
    double ports = 0, nodes = 0, sent = 0;
    for (uint32_t i = 0; i < program->item_count; i++) {
      uint32_t f = ir->items[program->first_item + i].fragment;
      ports += ir->fragments[f].port_count;
      nodes += ir->fragments[f].node_count;
      sent += transfers[f];
    }
    longest = program->item_count > longest ? program->item_count : longest;
    forecast_add(&e, of_item, program->item_count);
    forecast_add(&e, of_port, ports);
    forecast_add(&e, of_player, players);
    forecast_add(&e, played_item, players * program->item_count);
    forecast_add(&e, played_port, players * ports);
    if (by_time || options->contention)
      forecast_add(&e, by_time ? overlapped_node : contended_node, players * nodes);
    if (options->contention)
      forecast_add(&e, contended_transfer, players * sent);
  }
  free(transfers);
  forecast_add(&e, on_path, longest);
  return e;
}
