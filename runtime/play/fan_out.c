#include "runtime/play/fan_out.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/collective/graph.h"

/* ---- Which sends are of a fan-out ---- */

static int by_stream(const void *left, const void *right)
{
  const ts_fan_out_peer *a = left, *b = right;
  if (a->stream != b->stream)
    return a->stream < b->stream ? -1 : 1;
  return a->peer < b->peer ? -1 : a->peer > b->peer;
}

static uint32_t *streams_of_ports(ts_arena *scratch, const ts_ir *ir)
{
  uint32_t *stream = TS_NEW_ARRAY(scratch, uint32_t, ir->ports_count);
  for (uint32_t f = 0; f < ir->fragments_count; f++)
    for (uint32_t n = 0; n < ir->fragments[f].node_count; n++) {
      const ts_ir_node *node = &ts_fragment_nodes(ir, f)[n];
      if (node->op == TS_IR_SEND)
        stream[ir->fragments[f].first_port + node->arg] = node->stream;
    }
  return stream;
}

static ts_fan_out_peer fan_out_peer_of(const ts_program_info *program, const uint32_t *stream,
                                       uint32_t call)
{
  return (ts_fan_out_peer){stream[program->calls[call].port], program->calls[call].peer};
}

/* Distinct peers, those of streams that send to a single peer left out. */
static uint32_t keep_fan_outs(ts_fan_out_peer *at, uint32_t count)
{
  uint32_t distinct = 0, remaining = 0;
  for (uint32_t i = 0; i < count; i++)
    if (!i || by_stream(&at[i], &at[i - 1]))
      at[distinct++] = at[i];
  for (uint32_t i = 0, end; i < distinct; i = end) {
    for (end = i + 1; end < distinct && at[end].stream == at[i].stream;)
      end++;
    for (uint32_t k = i; k < end && end - i > 1; k++)
      at[remaining++] = at[k];
  }
  return remaining;
}

const ts_fan_out_list *ts_fan_outs_new(ts_arena *arena, const ts_tables *t)
{
  ts_arena *scratch = ts_arena_new("fan_outs");
  ts_fan_out_list *fan_outs = TS_NEW_ARRAY(arena, ts_fan_out_list, t->ir->programs_count);
  const uint32_t *stream = streams_of_ports(scratch, t->ir);
  for (uint32_t p = 0; p < t->ir->programs_count; p++) {
    const ts_program_info *program = &t->programs[p];
    ts_fan_out_peer *peers = TS_NEW_ARRAY(arena, ts_fan_out_peer, program->call_count);
    uint32_t *of = TS_NEW_ARRAY(arena, uint32_t, program->call_count);
    for (uint32_t c = 0; c < program->call_count; c++)
      peers[c] = fan_out_peer_of(program, stream, c);
    if (program->call_count)
      qsort(peers, program->call_count, sizeof *peers, by_stream);
    uint32_t count = keep_fan_outs(peers, program->call_count);
    for (uint32_t c = 0; c < program->call_count; c++) {
      ts_fan_out_peer key = fan_out_peer_of(program, stream, c);
      const ts_fan_out_peer *found =
        count ? bsearch(&key, peers, count, sizeof key, by_stream) : NULL;
      of[c] = found ? (uint32_t)(found - peers) : TS_IR_NONE;
    }
    fan_outs[p] = (ts_fan_out_list){peers, of, count};
  }
  ts_arena_free(scratch);
  return fan_outs;
}

/* ---- Which links they share ---- */

typedef struct crossing {
  uint32_t link;
  double share;
} crossing; /* of a link by a path */

struct ts_fan_out_finder {
  ts_arena *scratch;
  ts_network *network;
  const ts_tables *tables;
  const ts_fan_out_list *fan_outs;
  /* [2 * links] by how many peers of the fan-out at hand; its queue, or TS_IR_NONE */
  uint32_t *crossed, *queue;
  TS_VEC(crossing) crossings;        /* of the fan-out at hand, peer by peer */
  TS_VEC(ts_link_share) link_shares; /* of the rank at hand */
  uint32_t queues;                   /* of the rank so far */
  ts_intern known;
};

ts_fan_out_finder *ts_fan_out_finder_new(ts_arena *scratch, ts_network *network,
                                         const ts_tables *tables, const ts_fan_out_list *fan_outs)
{
  bool any = false; /* most plans have no fan-outs, and clusters many links */
  for (uint32_t p = 0; p < tables->ir->programs_count; p++)
    any |= fan_outs[p].count > 0;
  size_t links = any ? 2 * (size_t)tables->ir->links_count : 0;
  ts_fan_out_finder *f = TS_NEW(scratch, ts_fan_out_finder);
  *f = (ts_fan_out_finder){.scratch = scratch,
                           .network = network,
                           .tables = tables,
                           .fan_outs = fan_outs,
                           .crossed = TS_NEW_ARRAY(scratch, uint32_t, links),
                           .queue = TS_NEW_ARRAY(scratch, uint32_t, links),
                           .known.arena = scratch};
  return f;
}

static uint32_t cross(ts_fan_out_finder *f, uint32_t from, uint32_t to)
{
  const ts_ir *ir = f->tables->ir;
  uint32_t link[TS_PATH_MAX];
  double rate;
  uint32_t hops = ts_network_links(f->network, from, to, link, &rate);
  for (uint32_t h = 0; h < hops; h++) {
    double own = ts_ir_link_rate(&ir->link_classes[ir->links[link[h] / 2].link_class]);
    TS_PUSH(f->scratch, &f->crossings, (crossing){link[h], own > rate ? rate / own : 1});
    f->crossed[link[h]]++;
    f->queue[link[h]] = TS_IR_NONE;
  }
  return hops;
}

/* Of links that nobody knows nothing says that they are more than one. */
static void price_peer(ts_fan_out_finder *f, const crossing *path, uint32_t hops, uint32_t peers)
{
  double all = hops ? 0 : 1, alone = 0;
  for (uint32_t h = 0; h < hops; h++) {
    const crossing *c = &path[h];
    uint32_t *queue = &f->queue[c->link];
    if (f->crossed[c->link] == peers) {
      all = c->share > all ? c->share : all;
    } else if (f->crossed[c->link] == 1) {
      alone = c->share > alone ? c->share : alone;
    } else {
      *queue = *queue == TS_IR_NONE ? f->queues++ : *queue;
      TS_PUSH(f->scratch, &f->link_shares, (ts_link_share){.share = c->share, .queue = *queue});
    }
  }
  if (alone > 0)
    TS_PUSH(f->scratch, &f->link_shares, (ts_link_share){.share = alone, .queue = f->queues++});
  TS_PUSH(f->scratch, &f->link_shares,
          (ts_link_share){.share = all, .queue = TS_IR_NONE, .last = 1});
}

static void price_fan_out(ts_fan_out_finder *f, const ts_program_info *program,
                          const ts_fan_out_peer *peers, uint32_t count, uint32_t rank)
{
  uint32_t *hops = TS_NEW_ARRAY(f->scratch, uint32_t, count), at = 0;
  f->crossings.count = 0;
  for (uint32_t b = 0; b < count; b++)
    hops[b] = cross(f, rank,
                    ts_peer_rank(f->tables->ranks, rank, program->peers[peers[b].peer].coordinate));
  for (uint32_t b = 0; b < count; at += hops[b++])
    price_peer(f, hops[b] ? f->crossings.at + at : NULL, hops[b], count);
  for (size_t i = 0; i < f->crossings.count; i++)
    f->crossed[f->crossings.at[i].link] = 0;
}

uint32_t ts_fan_out_find(ts_fan_out_finder *f, uint32_t rank)
{
  uint32_t number = f->tables->ranks->program[rank];
  const ts_fan_out_list *list = &f->fan_outs[number];
  if (!list->count)
    return TS_IR_NONE;
  f->link_shares.count = 0;
  f->queues = 0;
  for (uint32_t b = 0, end; b < list->count; b = end) {
    for (end = b + 1; end < list->count && list->peers[end].stream == list->peers[b].stream;)
      end++;
    price_fan_out(f, &f->tables->programs[number], list->peers + b, end - b, rank);
  }
  uint32_t words = (uint32_t)(f->link_shares.count * sizeof(ts_link_share) / sizeof(uint32_t)),
           *run = TS_NEW_ARRAY(f->scratch, uint32_t, words);
  memcpy(run, f->link_shares.at, words * sizeof *run);
  return ts_intern_run(&f->known, run, words);
}

const ts_link_share *ts_fan_out_link_shares(const ts_fan_out_finder *f, ts_arena *arena,
                                            uint32_t number, uint32_t *count)
{
  const ts_interned *run = &f->known.all.at[number];
  ts_link_share *link_shares = TS_NEW_ARRAY(arena, ts_link_share, run->size / sizeof *link_shares);
  memcpy(link_shares, run->at, run->size);
  *count = (uint32_t)(run->size / sizeof *link_shares);
  return link_shares;
}
