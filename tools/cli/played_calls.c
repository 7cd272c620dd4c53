#include "tools/cli/played_calls.h"

#include <stdlib.h>

#include "ir/spelling.h"
#include "runtime/collective/plain_cluster.h"

/* Large messages go through trees and chains in pieces, or each hop would wait for all of them. */
enum { MOST_PIECES = 8 };

typedef struct played_calls_known {
  uint32_t kind;
  uint64_t bytes;
  ts_sends **of;
} played_calls_known; /* [instances] */
typedef struct group {
  const uint32_t *profile;
  TS_VEC(played_calls_known) calls;
} group;

struct ts_played_calls {
  ts_arena *arena;
  const ts_ir *ir;
  const ts_ranks *ranks;
  ts_network *network;  /* NULL: no cluster */
  const ts_ir *cluster;
  ts_link_graph *graph;
  const uint32_t *vertex;
  group *groups;
  bool left[TS_IR_NET_ALGORITHMS];
};

/* The machine of an IR that names none: one island. */
static void stand_in(ts_played_calls *c)
{
  ts_ir *view = TS_NEW(c->arena, ts_ir);
  uint32_t world = c->ranks->world, *vertex = TS_NEW_ARRAY(c->arena, uint32_t, world);
  ts_ir_builder *b = ts_plain_cluster(world, 1, 1, 1);
  ts_ir_builder_view(b, view);
  ts_ir_array *arrays = ts_arena_copy(c->arena, view->arrays, view->arrays_count * sizeof *arrays);
  view->arrays = arrays;
  view->devices =
    ts_arena_copy(c->arena, view->devices, view->devices_count * sizeof *view->devices);
  view->links = ts_arena_copy(c->arena, view->links, view->links_count * sizeof *view->links);
  view->link_classes = ts_arena_copy(c->arena, view->link_classes,
                                     view->link_classes_count * sizeof *view->link_classes);
  ts_ir_builder_free(b);
  for (uint32_t r = 0; r < world; r++) vertex[r] = r;
  c->cluster = view;
  c->vertex = vertex;
}

ts_played_calls *ts_played_calls_new(ts_arena *arena, const ts_ir *ir, ts_stop *stop)
{
  ts_played_calls *c = TS_NEW(arena, ts_played_calls);
  *c = (ts_played_calls){.arena = arena, .ir = ir, .ranks = ts_ranks_new(arena, ir), .cluster = ir};
  c->vertex = c->ranks->vertex;
  c->groups = TS_NEW_ARRAY(arena, group, ir->groups_count + 1);
  if (!c->vertex || !ir->links_count)
    stand_in(c);
  else if (!(c->network = ts_network_new(arena, ir, c->ranks, NULL, stop)))
    return NULL;
  for (uint32_t g = 0; g < ir->groups_count && c->network; g++)
    if (c->ranks->groups[g].used && c->ranks->groups[g].size > 1 &&
        !(c->groups[g].profile = ts_network_group(c->network, g, stop)))
      return NULL;
  c->graph = ts_graph_new(arena, c->cluster);
  return c;
}

ts_call_way ts_played_calls_way(ts_played_calls *c, uint32_t g, uint32_t rank, uint32_t kind,
                                uint64_t bytes)
{
  if (c->network)
    return ts_network_call_way(c->network, c->ir, kind, bytes,
                               c->groups[g].profile[c->ranks->groups[g].instance_of[rank]]);
  return ts_assumed_way(kind, bytes);
}

/* Messages in pieces go one way alone; a ring has pieces of its own. */
static uint32_t pieces_of(const ts_call_way *w)
{
  bool whole = w->algorithm == TS_IR_NET_TREE || w->kind == TS_IR_BROADCAST ||
               w->kind == TS_IR_REDUCE;
  return !whole || w->rounds < 2 ? 1 : w->rounds > MOST_PIECES ? MOST_PIECES : (uint32_t)w->rounds;
}

static ts_sends *sends_of(ts_played_calls *c, uint32_t g, uint32_t rank, uint32_t kind,
                          uint64_t bytes)
{
  const ts_rank_group *ranks = &c->ranks->groups[g];
  group *of = &c->groups[g];
  uint32_t instance = ranks->instance_of[rank];
  size_t k = 0;
  while (k < of->calls.count && (of->calls.at[k].kind != kind || of->calls.at[k].bytes != bytes))
    k++;
  if (k == of->calls.count)
    TS_PUSH(
      c->arena, &of->calls,
      ((played_calls_known){kind, bytes, TS_NEW_ARRAY(c->arena, ts_sends *, ranks->instances)}));
  ts_sends **s = &of->calls.at[k].of[instance];
  if (*s)
    return *s;
  ts_arena *work = ts_arena_new("members");
  uint32_t *vertex = TS_NEW_ARRAY(work, uint32_t, ranks->size);
  for (uint32_t i = 0; i < ranks->size; i++)
    vertex[i] = c->vertex[ts_instance_ranks(ranks, instance)[i]];
  ts_call_way way = ts_played_calls_way(c, g, rank, kind, bytes);
  *s = ts_sends_new(c->arena, c->cluster, c->graph, vertex, ranks->size, &way, true);
  if (!ts_sends_between_ranks(*s)) {
    c->left[way.algorithm] = true;
    way.algorithm = TS_IR_NET_RING;
    *s = ts_sends_new(c->arena, c->cluster, c->graph, vertex, ranks->size, &way, true);
  }
  ts_arena_free(work);
  return *s;
}

/* ---- What a rank does ---- */

typedef struct made { ts_call_message message; uint32_t number; } made;
typedef struct played_calls_listing {
  ts_arena *arena;
  const uint32_t *members;
  TS_VEC(made) messages;
} played_calls_listing;

static void played_calls_add(played_calls_listing *l, uint32_t peer, bool receives, uint32_t step,
                             uint32_t channel, uint64_t bytes, uint32_t after)
{
  uint32_t number = (uint32_t)l->messages.count;
  TS_PUSH(l->arena, &l->messages,
          ((made){{peer, step, channel, bytes, receives, after}, number}));
}

static int by_step(const void *left, const void *right)
{
  const made *a = left, *b = right;
  const ts_call_message *x = &a->message, *y = &b->message;
  const uint32_t keys[][2] = {{x->step, y->step},
                              {x->channel, y->channel},
                              {x->receives + 2 * !!x->after, y->receives + 2 * !!y->after},
                              {a->number, b->number}};
  for (int k = 0; k < 4; k++)
    if (keys[k][0] != keys[k][1])
      return keys[k][0] < keys[k][1] ? -1 : 1;
  return 0;
}

static ts_call_messages sorted(played_calls_listing *l, bool apart)
{
  uint32_t count = (uint32_t)l->messages.count,
           *place = TS_NEW_ARRAY(l->arena, uint32_t, count + 1);
  ts_call_message *at = TS_NEW_ARRAY(l->arena, ts_call_message, count + 1);
  TS_SORT(&l->messages, by_step);
  for (uint32_t i = 0; i < count; i++) place[l->messages.at[i].number] = i;
  for (uint32_t i = 0; i < count; i++) {
    at[i] = l->messages.at[i].message;
    at[i].after = at[i].after ? place[at[i].after - 1] + 1 : 0;
  }
  return (ts_call_messages){at, count, apart};
}

/* Data that a relay hands on goes through its rank, if that is one of the group. */
static void add_pass(played_calls_listing *l, const ts_pass *p, uint32_t self, uint32_t relay,
                     uint32_t channel, uint32_t pieces)
{
  bool once = p->steps == 1;
  for (uint32_t s = 0; s < p->steps; s++)
    for (uint32_t q = 0; q < pieces; q++) {
      uint64_t bytes = ts_pass_bytes(p, s),
               part = ts_parts_before(bytes, pieces, q + 1) - ts_parts_before(bytes, pieces, q);
      uint32_t step = p->first + s + q, lane = channel * pieces + q;
      if (self == p->from)
        played_calls_add(l, l->members[relay == TS_IR_NONE ? p->to : relay], false, step, lane,
                         part, 0);
      else if (self == p->to)
        played_calls_add(l, l->members[relay == TS_IR_NONE ? p->from : relay], true, step, lane,
                         part, 0);
      else if (once) {
        played_calls_add(l, l->members[p->from], true, step, lane, part, 0);
        played_calls_add(l, l->members[p->to], false, step, lane, part,
                         (uint32_t)l->messages.count);
      }
    }
}

static bool messages(void *closure, ts_arena *arena, const ts_events *e, const ts_event_comm *call,
                     ts_call_messages *out)
{
  ts_played_calls *c = closure;
  uint64_t number = strtoull(ts_events_text(e, call->group), NULL, 10);
  uint32_t g = (uint32_t)((number - 1) / c->ranks->world), rank = (uint32_t)e->rank;
  if (!number || g >= c->ir->groups_count || call->bytes < 0)
    return false;
  const ts_rank_group *group = &c->ranks->groups[g];
  uint32_t kind = call->kind == TS_COMM_SEND_RECV ? TS_IR_SHIFT : ts_comm_in_ir(call->kind);
  if (!group->used || group->instance_of[rank] == TS_IR_NONE)
    return false;
  if (group->size < 2)
    return *out = (ts_call_messages){0}, true;
  ts_sends *s = sends_of(c, g, rank, kind, (uint64_t)call->bytes);
  const uint32_t *members = ts_instance_ranks(group, group->instance_of[rank]);
  played_calls_listing l = {.arena = arena, .members = members};
  uint32_t self = 0, pieces = pieces_of(&s->way);
  while (members[self] != rank) self++;
  for (uint32_t k = s->first[self]; k < s->first[self + 1]; k++) {
    const ts_pass *p = &s->passes.at[s->touching[k]];
    add_pass(&l, p, self, p->via, s->way.algorithm == TS_IR_NET_HIERARCHICAL ? 0 : p->channel,
             pieces);
  }
  *out = sorted(&l, s->way.algorithm == TS_IR_NET_PAIRS);
  return true;
}

ts_call_plan ts_played_calls_plan(ts_played_calls *calls)
{
  return (ts_call_plan){messages, calls};
}

const char *ts_played_calls_left(const ts_played_calls *c, ts_arena *arena)
{
  const char *names = "";
  for (int a = 0; a < TS_IR_NET_ALGORITHMS; a++)
    if (c->left[a])
      names = ts_arena_printf(arena, "%s%s%s", names, *names ? ", " : "", ts_ir_algorithm_names[a]);
  return names;
}
