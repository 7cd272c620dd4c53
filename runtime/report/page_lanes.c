#include "runtime/report/page_lanes.h"

#include <stdlib.h>

#include "runtime/account/run.h"
#include "runtime/account/timeline.h"

enum { MOST_NUMBERS = 150000 /* of spans in patterns: about a megabyte */ };

typedef TS_VEC(int64_t) numbers;

/* A stream, or the host, at the item at hand. */
typedef struct lane {
  numbers spans;        /* of its nodes there: gap, wait, time */
  uint64_t end;         /* of the last */
  ts_sequence blocks;
} lane;

typedef struct page_lanes_reader {
  ts_arena *arena, *scratch;
  const ts_ir *ir;
  const ts_facts *facts;
  ts_page_tables *tables;
  uint32_t player;
  uint32_t item;        /* of the IR; TS_IR_NONE: before the first */
  lane *lanes;          /* [streams + 1] */
  numbers received;     /* by the item at hand */
  ts_sequence peers;
} page_lanes_reader;

/* ---- Blocks ---- */

/* A pattern of its nodes' spans but for the gap in front of the first. */
static uint32_t pattern_of(page_lanes_reader *r, uint32_t fragment, const lane *l)
{
  ts_page_tables *t = r->tables;
  numbers pattern = {0};
  bool coarse = t->numbers > MOST_NUMBERS;
  TS_PUSH(r->scratch, &pattern, fragment);
  TS_PUSH(r->scratch, &pattern, coarse);
  int64_t total[3] = {0};
  for (size_t i = 0; i < l->spans.count; i += 3) {
    int64_t span[3] = {i ? l->spans.at[i] : 0, l->spans.at[i + 1], l->spans.at[i + 2]};
    if (!coarse)
      TS_PUSH(r->scratch, &pattern, ts_tuples_number(r->arena, &t->spans, span, 3));
    total[1] += i ? 0 : span[1];
    total[2] += i ? span[0] + span[1] + span[2] : span[2];
  }
  if (coarse)
    TS_PUSH(r->scratch, &pattern, ts_tuples_number(r->arena, &t->spans, total, 3));
  size_t before = t->patterns.ends.count;
  uint32_t number = ts_tuples_number(r->arena, &t->patterns, pattern.at, pattern.count);
  if (number == before)
    t->numbers += pattern.count;
  t->coarse += coarse && l->spans.count > 3;
  return number;
}

static void end_block(page_lanes_reader *r, uint32_t fragment, lane *l)
{
  if (!l->spans.count)
    return;
  int64_t block[3] = {pattern_of(r, fragment, l), l->spans.at[0], r->ir->items[r->item].chunk};
  TS_PUSH(r->scratch, &l->blocks, ts_tuples_number(r->arena, &r->tables->blocks, block, 3));
  l->spans.count = 0;
}

static void end_item(page_lanes_reader *r)
{
  if (r->item == TS_IR_NONE)
    return;
  uint32_t fragment = r->ir->items[r->item].fragment;
  for (uint32_t s = 0; s <= r->ir->streams_count; s++)
    end_block(r, fragment, &r->lanes[s]);
  if (r->received.count)
    TS_PUSH(r->scratch, &r->peers,
            ts_tuples_number(r->arena, &r->tables->received, r->received.at, r->received.count));
  r->received.count = 0;
}

static void add_span(page_lanes_reader *r, lane *l, uint64_t ready, uint64_t begun, uint64_t end)
{
  TS_PUSH(r->scratch, &l->spans, (int64_t)(ready - l->end));
  TS_PUSH(r->scratch, &l->spans, (int64_t)(begun - ready));
  TS_PUSH(r->scratch, &l->spans, (int64_t)(end - begun));
  l->end = end;
}

/* Whose message a node receives. */
static void add_peer(page_lanes_reader *r, const ts_span_event *e)
{
  const ts_player *w = &r->facts->players[r->player];
  uint32_t item = r->item - r->ir->programs[w->role->program].first_item;
  const ts_route *route =
    &w->program->routes[w->program->items[item].port_base + e->node->arg];
  const ts_message *m = &w->program->messages[route->slot];
  int64_t peer[3] = {0, 0, -1};
  if (m->sender != TS_IR_NONE) {
    peer[0] = (int64_t)w->peers[route->peer] - r->player;
    peer[1] = (int64_t)m->send_item - item;
    peer[2] = m->send_node;
  }
  TS_PUSH(r->scratch, &r->received, ts_tuples_number(r->arena, &r->tables->peers, peer, 3));
}

static void read_node(void *closure, const ts_span_event *e)
{
  page_lanes_reader *r = closure;
  const ts_ir_node *node = e->node;
  lane *host = &r->lanes[r->ir->streams_count];
  if (r->item != e->item)
    end_item(r);
  r->item = e->item;
  if (e->stream == TS_IR_NONE) {
    add_span(r, host, e->start, e->start, e->end);
    return;
  }
  if (node->host_ps)
    add_span(r, host, e->issued - node->host_ps, e->issued - node->host_ps, e->issued);
  if (node->op == TS_IR_RECV)
    add_peer(r, e);
  add_span(r, &r->lanes[e->stream], e->ready, ts_event_begun(e), e->end);
}

/* ---- What the compute stream waited for ---- */

typedef struct idler {
  ts_arena *scratch;
  TS_VEC(ts_idle) at;
} idler;

static void read_idle(void *closure, const ts_idle *idle)
{
  idler *i = closure;
  TS_PUSH(i->scratch, &i->at, *idle);
}

static int by_time(const void *x, const void *y)
{
  const ts_idle *a = x, *b = y;
  return (a->from > b->from) - (a->from < b->from);
}

static int64_t node_number(const page_lanes_reader *r, const ts_idle *i)
{
  if (!i->node)
    return -1;
  const ts_ir_program *p = &r->ir->programs[r->facts->players[r->player].role->program];
  const ts_ir_item *item = &r->ir->items[p->first_item + i->item];
  return i->node - ts_fragment_nodes(r->ir, item->fragment);
}

/* A number for each item, and one for the end. */
static void find_idle(page_lanes_reader *r, const ts_run *run, ts_sequence *sequence)
{
  idler found = {.scratch = r->scratch};
  uint32_t items = r->ir->programs[r->facts->players[r->player].role->program].item_count;
  ts_run_attribute(run, r->player,
                   &(ts_attribution){.closure = &found, .idle = read_idle});
  TS_SORT(&found.at, by_time);
  uint64_t last = 0;
  size_t next = 0;
  for (uint32_t item = 0; item <= items; item++) {
    numbers list = {0};
    for (; next < found.at.count &&
           (item == items || found.at.at[next].before <= item); next++) {
      const ts_idle *i = &found.at.at[next];
      int64_t idle[5] = {(int64_t)(i->from - last), i->kind, (int64_t)(i->to - i->from),
                         i->node ? (int64_t)i->item - item : 0, node_number(r, i)};
      TS_PUSH(r->scratch, &list, ts_tuples_number(r->arena, &r->tables->idles, idle, 5));
      last = i->to;
    }
    TS_PUSH(r->scratch, sequence,
            ts_tuples_number(r->arena, &r->tables->waited, list.at, list.count));
  }
}

ts_page_lanes ts_page_lanes_of(ts_arena *arena, const ts_summary *s, uint32_t class,
                               ts_page_tables *tables)
{
  ts_arena *scratch = ts_arena_new("lanes");
  uint32_t streams = s->ir->streams_count;
  page_lanes_reader r = {arena,
                         scratch,
                         s->ir,
                         ts_run_facts(s->run),
                         tables,
                         .player = class,
                         .item = TS_IR_NONE,
                         .lanes = TS_NEW_ARRAY(scratch, lane, streams + 1)};
  ts_run_timeline(s->run, s->result->classes[class].rank, read_node, &r);
  end_item(&r);
  ts_run_list *lists = TS_NEW_ARRAY(arena, ts_run_list, streams + 1);
  ts_page_lanes lanes = {.streams = lists};
  for (uint32_t i = 0; i <= streams; i++)
    ts_find_runs(arena, r.lanes[i].blocks.at, r.lanes[i].blocks.count, &lists[i]);
  ts_find_runs(arena, r.peers.at, r.peers.count, &lanes.peers);
  ts_sequence idle = {0};
  find_idle(&r, s->run, &idle);
  ts_find_runs(arena, idle.at, idle.count, &lanes.idle);
  ts_arena_free(scratch);
  return lanes;
}
