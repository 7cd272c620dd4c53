#include "runtime/report/page_lanes.h"

#include <stdlib.h>

#include "runtime/account/run.h"
#include "runtime/account/timeline.h"

enum { MOST_NUMBERS = 150000 /* of spans in patterns: about a megabyte */ };

typedef TS_VEC(int64_t) numbers;

/* A stream, or the host, at the item at hand. */
typedef struct lane {
  numbers spans;        /* of its nodes there: gap, wait, time */
  uint64_t begin, end;  /* of the first, and of the last */
  ts_sequence blocks;
} lane;

typedef struct block { /* of a lane at an item */
  uint32_t nodes;      /* 0: none */
  uint32_t pattern;
  bool coarse;
  int64_t whole[3]; /* of its nodes as one, as `spans` has it */
  uint64_t begin, end;
} block;

typedef struct shown_item { /* for those that were played like it */
  block *blocks;            /* [streams + 1]; NULL: it was played like another one itself */
  const ts_ir_node *const *receives;
  uint32_t receive_count;
} shown_item;

typedef struct page_lanes_reader {
  ts_arena *arena, *scratch;
  const ts_ir *ir;
  const ts_facts *facts;
  ts_page_tables *tables;
  uint32_t player;
  uint32_t item;        /* of the IR; TS_IR_NONE: before the first */
  lane *lanes;          /* [streams + 1] */
  TS_VEC(const ts_ir_node *) receives; /* of the item at hand */
  numbers received;     /* by the item at hand */
  shown_item *shown;    /* [items] */
  ts_sequence peers;
} page_lanes_reader;

/* ---- Blocks ---- */

/* All nodes as one, but for the gap in front of the first. */
static void find_whole(const lane *l, int64_t whole[3])
{
  whole[0] = whole[1] = whole[2] = 0;
  for (size_t i = 0; i < l->spans.count; i += 3) {
    whole[1] += i ? 0 : l->spans.at[i + 1];
    whole[2] += i ? l->spans.at[i] + l->spans.at[i + 1] + l->spans.at[i + 2] : l->spans.at[i + 2];
  }
}

/* A pattern of the nodes' spans but for the gap in front of the first; coarse, when there is much
 * in patterns already: of them as one. That needs no lane. */
static void find_pattern(page_lanes_reader *r, uint32_t fragment, const lane *l, block *b)
{
  ts_page_tables *t = r->tables;
  numbers pattern = {0};
  b->coarse = t->numbers > MOST_NUMBERS;
  TS_PUSH(r->scratch, &pattern, fragment);
  TS_PUSH(r->scratch, &pattern, b->coarse);
  for (size_t i = 0; !b->coarse && i < l->spans.count; i += 3) {
    int64_t span[3] = {i ? l->spans.at[i] : 0, l->spans.at[i + 1], l->spans.at[i + 2]};
    TS_PUSH(r->scratch, &pattern, ts_tuples_number(r->arena, &t->spans, span, 3));
  }
  if (b->coarse)
    TS_PUSH(r->scratch, &pattern, ts_tuples_number(r->arena, &t->spans, b->whole, 3));
  size_t before = t->patterns.all.count;
  b->pattern = ts_tuples_number(r->arena, &t->patterns, pattern.at, pattern.count);
  if (b->pattern == before)
    t->numbers += pattern.count;
}

static void put_block(page_lanes_reader *r, const block *b, lane *l)
{
  int64_t numbers[3] = {b->pattern, (int64_t)(b->begin - l->end), r->ir->items[r->item].chunk};
  TS_PUSH(r->scratch, &l->blocks, ts_tuples_number(r->arena, &r->tables->blocks, numbers, 3));
  r->tables->coarse += b->coarse && b->nodes > 1;
  l->end = b->end;
}

static block end_block(page_lanes_reader *r, uint32_t fragment, lane *l)
{
  block b = {.nodes = (uint32_t)(l->spans.count / 3), .begin = l->begin, .end = l->end};
  if (!b.nodes)
    return b;
  find_whole(l, b.whole);
  find_pattern(r, fragment, l, &b);
  l->end = l->begin - (uint64_t)l->spans.at[0];
  put_block(r, &b, l);
  l->spans.count = 0;
  return b;
}

/* Whose message a node receives. */
static void add_peer(page_lanes_reader *r, const ts_ir_node *node)
{
  const ts_player *w = &r->facts->players[r->player];
  uint32_t item = r->item - r->ir->programs[w->role->program].first_item;
  const ts_route *route = &w->program->routes[w->program->items[item].port_base + node->arg];
  const ts_message *m = &w->program->messages[route->slot];
  int64_t peer[3] = {0, 0, -1};
  if (m->sender != TS_IR_NONE) {
    peer[0] = (int64_t)w->peers[route->peer] - r->player;
    peer[1] = (int64_t)m->send_item - item;
    peer[2] = m->send_node;
  }
  TS_PUSH(r->scratch, &r->received, ts_tuples_number(r->arena, &r->tables->peers, peer, 3));
}

static void put_received(page_lanes_reader *r, const ts_ir_node *const *receives, uint32_t count)
{
  if (!count)
    return;
  r->received.count = 0;
  for (uint32_t i = 0; i < count; i++)
    add_peer(r, receives[i]);
  TS_PUSH(r->scratch, &r->peers,
          ts_tuples_number(r->arena, &r->tables->received, r->received.at, r->received.count));
}

static shown_item *shown_of(page_lanes_reader *r, uint32_t item)
{
  const ts_player *w = &r->facts->players[r->player];
  return &r->shown[item - r->ir->programs[w->role->program].first_item];
}

static void end_item(page_lanes_reader *r)
{
  if (r->item == TS_IR_NONE)
    return;
  uint32_t fragment = r->ir->items[r->item].fragment, streams = r->ir->streams_count;
  shown_item *shown = shown_of(r, r->item);
  shown->blocks = ts_arena_alloc_raw(r->scratch, (streams + 1) * sizeof *shown->blocks);
  for (uint32_t s = 0; s <= streams; s++)
    shown->blocks[s] = end_block(r, fragment, &r->lanes[s]);
  shown->receive_count = (uint32_t)r->receives.count;
  shown->receives =
    ts_arena_copy(r->scratch, r->receives.at, r->receives.count * sizeof *r->receives.at);
  put_received(r, shown->receives, shown->receive_count);
  r->receives.count = 0;
}

static void read_again(void *closure, uint32_t item, uint32_t like, uint64_t by, uint64_t host_by)
{
  page_lanes_reader *r = closure;
  end_item(r);
  const shown_item *shown = shown_of(r, like);
  r->item = item;
  for (uint32_t s = 0; s <= r->ir->streams_count; s++) {
    block *b = &shown->blocks[s], moved = *b;
    if (!b->nodes)
      continue;
    if (b->coarse != (r->tables->numbers > MOST_NUMBERS))
      find_pattern(r, r->ir->items[item].fragment, NULL, b);
    moved = *b;
    moved.begin += s < r->ir->streams_count ? by : host_by;
    moved.end += s < r->ir->streams_count ? by : host_by;
    put_block(r, &moved, &r->lanes[s]);
  }
  put_received(r, shown->receives, shown->receive_count);
  r->item = TS_IR_NONE;
}

static void add_span(page_lanes_reader *r, lane *l, uint64_t ready, uint64_t begun, uint64_t end)
{
  if (!l->spans.count)
    l->begin = ready;
  TS_PUSH(r->scratch, &l->spans, (int64_t)(ready - l->end));
  TS_PUSH(r->scratch, &l->spans, (int64_t)(begun - ready));
  TS_PUSH(r->scratch, &l->spans, (int64_t)(end - begun));
  l->end = end;
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
    TS_PUSH(r->scratch, &r->receives, node);
  add_span(r, &r->lanes[e->stream], e->ready, ts_event_begun(e), e->end);
}

/* ---- What the compute stream waited for ---- */

typedef TS_VEC(uint32_t) idle_list; /* of an item, its numbers */

typedef struct waiting { /* of an item */
  uint32_t like;         /* the item itself, or the earlier one that waited so, ... */
  uint64_t by;           /* ... `by` earlier */
  uint32_t first;        /* of its stretches */
  uint32_t waited;       /* number of its list, or of the last that waited so */
  idle_list list;
} waiting;

typedef struct idler {
  ts_arena *scratch;
  TS_VEC(ts_idle) at;
  waiting *items; /* [items + 1] */
} idler;

static void read_idle(void *closure, const ts_idle *idle)
{
  idler *i = closure;
  TS_PUSH(i->scratch, &i->at, *idle);
}

static void idle_again(void *closure, uint32_t item, uint32_t like, uint64_t by)
{
  idler *i = closure;
  i->items[item].like = like;
  i->items[item].by = by;
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

/* `item`: that it lies before, or the end. */
static uint32_t idle_number(page_lanes_reader *r, const ts_idle *i, uint32_t item, uint64_t gap)
{
  int64_t idle[5] = {(int64_t)gap, i->kind, (int64_t)(i->to - i->from),
                     i->node ? (int64_t)i->item - item : 0, node_number(r, i)};
  return ts_tuples_number(r->arena, &r->tables->idles, idle, 5);
}

static uint32_t waited_number(page_lanes_reader *r, const idle_list *list)
{
  numbers wide = {0};
  for (size_t i = 0; i < list->count; i++)
    TS_PUSH(r->scratch, &wide, list->at[i]);
  return ts_tuples_number(r->arena, &r->tables->waited, wide.at, wide.count);
}

/* Only the gap in front of its first stretch is the item's own. */
static void wait_again(page_lanes_reader *r, const idler *found, const waiting *w, uint64_t *last)
{
  waiting *like = &found->items[w->like];
  size_t count = like->list.count;
  if (!count)
    return;
  const ts_idle *idle = &found->at.at[like->first];
  uint32_t number = idle_number(r, idle, w->like, idle->from + w->by - *last);
  if (number != like->list.at[0]) {
    like->list.at[0] = number;
    like->waited = waited_number(r, &like->list);
  }
  *last = idle[count - 1].to + w->by;
}

/* A number for each item, and one for the end. */
static void find_idle(page_lanes_reader *r, const ts_run *run, ts_sequence *sequence)
{
  uint32_t items = r->ir->programs[r->facts->players[r->player].role->program].item_count;
  idler found = {.scratch = r->scratch,
                 .items = TS_NEW_ARRAY(r->scratch, waiting, (size_t)items + 1)};
  for (uint32_t item = 0; item <= items; item++)
    found.items[item].like = item;
  ts_run_attribute(run, r->player,
                   &(ts_attribution){.closure = &found, .idle = read_idle, .again = idle_again});
  TS_SORT(&found.at, by_time);
  uint64_t last = 0;
  size_t next = 0;
  for (uint32_t item = 0; item <= items; item++) {
    waiting *w = &found.items[item];
    w->first = (uint32_t)next;
    for (; next < found.at.count &&
           (item == items || found.at.at[next].before <= item); next++) {
      const ts_idle *i = &found.at.at[next];
      TS_PUSH(r->scratch, &w->list, idle_number(r, i, item, i->from - last));
      last = i->to;
    }
    if (w->like == item)
      w->waited = waited_number(r, &w->list);
    else
      wait_again(r, &found, w, &last);
    TS_PUSH(r->scratch, sequence, found.items[w->like].waited);
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
  r.shown = TS_NEW_ARRAY(scratch, shown_item,
                         s->ir->programs[s->result->classes[class].program].item_count);
  ts_run_timeline_items(s->run, s->result->classes[class].rank,
                        &(ts_item_reader){&r, read_node, read_again});
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
