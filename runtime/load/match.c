/* Messages: a send of program a to b with a tag is answered by the receive of b from a with the
 * same tag. Resolved to a slot of the receiver, so that playing a message is one store and one
 * load. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/hash_table.h"
#include "base/intern.h"
#include "runtime/load/tables_internal.h"

static int check_port(const ts_tables *t, const ts_ir_port *port, const ts_ir_binding *binding,
                      ts_stop *stop)
{
  const ts_ir *ir = t->ir;
  uint32_t axis = ir->meta->pipeline_axis;
  if (axis == TS_IR_NONE || ir->groups[port->group].axes != (uint32_t)1 << axis)
    return ts_stop_set(stop, TS_EXIT_REJECTED, NULL, NULL,
                       "a message runs over group `%s`, which is not the pipeline axis",
                       ir->strings + ir->groups[port->group].name);
  if (binding->peer >= t->ranks->pipeline_size)
    return ts_stop_set(stop, TS_EXIT_REJECTED, NULL, NULL,
                       "a message names peer %u of %u on the pipeline axis", binding->peer,
                       t->ranks->pipeline_size);
  return 0;
}

typedef struct end { /* of a message */
  uint32_t tag;
  uint32_t place;  /* slot of a receive, route of a send */
  uint32_t item, node;
} end;

/* Messages from one program to another: their ends in the order in which they are played. */
typedef struct pair {
  uint32_t sender, receiver;
  uint32_t sent, received;  /* how many */
  end *sends, *receives;    /* while they are listed, where the next one goes */
} pair;

/* A port as it was played last: most are bound to the peer that the one before was bound to. */
typedef struct bound {
  uint64_t to;     /* which program played it, and the peer's coordinate */
  uint32_t plays;  /* since then */
  uint32_t pair;
  uint32_t peer;   /* place in the program's peers */
  uint32_t call;   /* of sends */
  end **next;      /* of the pair */
} bound;

typedef struct matcher {
  ts_tables *t;
  ts_arena *scratch;
  ts_message **messages; /* [programs] */
  ts_route **routes;     /* [programs] */
  ts_intern *calls;      /* [programs] port, peer's coordinate */
  bound *bound;          /* [ports] */
  uint32_t *peer_index;  /* [programs * pipeline_size] place in the program's peers, plus 1 */
  uint32_t *pair_of;     /* likewise, plus 1: messages from there to the program */
  TS_VEC(pair) pairs;
  TS_VEC(bool) taken;    /* receives of the pair at hand, where sends come in another order */
  const end *lost;       /* the first send that nobody receives, or NULL; who sends it to whom */
  uint32_t lost_program, lost_to;
} matcher;

static uint32_t *entry_of(const matcher *m, uint32_t *table, uint32_t program, uint32_t coordinate)
{
  return &table[(size_t)program * m->t->ranks->pipeline_size + coordinate];
}

/* ---- Who exchanges messages ---- */

static uint32_t find_pair(matcher *m, uint32_t sender, uint32_t receiver)
{
  uint32_t *number = entry_of(m, m->pair_of, receiver, sender);
  if (!*number) {
    TS_PUSH(m->scratch, &m->pairs, ((pair){.sender = sender, .receiver = receiver}));
    *number = (uint32_t)m->pairs.count;
  }
  return *number - 1;
}

static void count_plays(matcher *m, uint32_t port)
{
  bound *b = &m->bound[port];
  if (b->plays && m->t->ir->ports[port].is_send)
    m->pairs.at[b->pair].sent += b->plays;
  else if (b->plays)
    m->pairs.at[b->pair].received += b->plays;
  b->plays = 0;
}

/* Of all pairs of a port and a peer only those that occur: schedules of many ranks have millions of
 * ports and many peers. */
static int note_peer(matcher *m, uint32_t program, uint32_t number, const ts_ir_binding *binding,
                     ts_stop *stop)
{
  const ts_ir_port *port = &m->t->ir->ports[number];
  if (check_port(m->t, port, binding, stop))
    return -1;
  *entry_of(m, m->peer_index, program, binding->peer) |= port->is_send ? 2 : 1;
  if (port->is_send)
    ts_intern_run(&m->calls[program], (uint32_t[]){number, binding->peer}, 2);
  count_plays(m, number);
  m->bound[number].to = (uint64_t)program << 32 | binding->peer;
  m->bound[number].pair = port->is_send ? find_pair(m, program, binding->peer) :
                                          find_pair(m, binding->peer, program);
  return 0;
}

static int note_peers(matcher *m, uint32_t program, ts_stop *stop)
{
  const ts_ir *ir = m->t->ir;
  const ts_ir_item *item = ir->items + ir->programs[program].first_item;
  for (uint32_t i = 0; i < ir->programs[program].item_count; i++, item++) {
    const ts_ir_fragment *f = &ir->fragments[item->fragment];
    const ts_ir_binding *binding = ir->bindings + item->first_binding;
    bound *b = m->bound + f->first_port;
    for (const bound *all = b + f->port_count; b < all; b++, binding++) {
      if (b->to != ((uint64_t)program << 32 | binding->peer) &&
          note_peer(m, program, (uint32_t)(b - m->bound), binding, stop))
        return -1;
      b->plays++;
    }
  }
  return 0;
}

static void list_peers(matcher *m)
{
  ts_tables *t = m->t;
  for (uint32_t p = 0; p < t->ir->programs_count; p++) {
    TS_VEC(ts_peer) peers = {0};
    for (uint32_t c = 0; c < t->ranks->pipeline_size; c++) {
      uint32_t *flags = entry_of(m, m->peer_index, p, c);
      if (*flags)
        TS_PUSH(t->arena, &peers, (ts_peer){c, *flags & 2});
      *flags = *flags ? (uint32_t)peers.count : 0;
    }
    ts_program_info *info = (ts_program_info *)&t->programs[p];
    info->peers = TS_ITEMS(t->arena, &peers);
    info->peer_count = (uint32_t)peers.count;
  }
}

static int compare_calls(const void *left, const void *right)
{
  const ts_port_call *a = left, *b = right;
  if (a->port != b->port)
    return a->port < b->port ? -1 : 1;
  return a->peer < b->peer ? -1 : a->peer > b->peer;
}

static void list_calls(matcher *m)
{
  ts_tables *t = m->t;
  for (uint32_t p = 0; p < t->ir->programs_count; p++) {
    const ts_intern *found = &m->calls[p];
    TS_VEC(ts_port_call) calls = {0};
    for (size_t i = 0; i < found->all.count; i++) {
      const uint32_t *call = found->all.at[i].at;
      TS_PUSH(t->arena, &calls,
              (ts_port_call){call[0], *entry_of(m, m->peer_index, p, call[1]) - 1});
    }
    TS_SORT(&calls, compare_calls);
    ts_program_info *info = (ts_program_info *)&t->programs[p];
    info->calls = TS_ITEMS(t->arena, &calls);
    info->call_count = (uint32_t)calls.count;
  }
}

/* ---- The ends of messages ---- */

static void match_make_room(matcher *m)
{
  for (uint32_t i = 0; i < m->t->ir->ports_count; i++) {
    count_plays(m, i);
    m->bound[i].to = UINT64_MAX;
  }
  for (size_t i = 0; i < m->pairs.count; i++) {
    pair *p = &m->pairs.at[i];
    p->sends = ts_arena_alloc_raw(m->scratch, p->sent * sizeof *p->sends);
    p->receives = ts_arena_alloc_raw(m->scratch, p->received * sizeof *p->receives);
  }
}

/* Binds the program's port to that peer. */
static void match_bind(matcher *m, uint32_t program, uint32_t port, uint32_t coordinate)
{
  const ts_program_info *info = &m->t->programs[program];
  bool sends = m->t->ir->ports[port].is_send;
  ts_port_call key = {port, *entry_of(m, m->peer_index, program, coordinate) - 1};
  const ts_port_call *call =
    sends ? bsearch(&key, info->calls, info->call_count, sizeof key, compare_calls) : NULL;
  pair *p = &m->pairs.at[sends ? find_pair(m, program, coordinate) :
                                 find_pair(m, coordinate, program)];
  m->bound[port] = (bound){.to = (uint64_t)program << 32 | coordinate,
                           .peer = key.peer,
                           .call = call ? (uint32_t)(call - info->calls) : TS_IR_NONE,
                           .next = sends ? &p->sends : &p->receives};
}

/* All of the routes but the slots of sends. */
static void list_ends(matcher *m, uint32_t program)
{
  const ts_ir *ir = m->t->ir;
  const ts_ir_item *item = ir->items + ir->programs[program].first_item;
  const ts_play_item *v = m->t->programs[program].items;
  ts_route *routes = m->routes[program];
  for (uint32_t i = 0; i < ir->programs[program].item_count; i++, v++, item++) {
    const ts_ir_fragment *f = &ir->fragments[v->fragment];
    const ts_fragment_layout *layout = &m->t->layouts[v->fragment];
    const ts_ir_binding *binding = ir->bindings + item->first_binding;
    for (uint32_t k = 0, port = f->first_port; k < f->port_count; k++, port++, binding++) {
      const bound *b = &m->bound[port];
      if (b->to != ((uint64_t)program << 32 | binding->peer))
        match_bind(m, program, port, binding->peer);
      uint32_t slot = v->slot_base + layout->port_slot[k], route = v->port_base + k;
      routes[route] = (ts_route){b->peer, slot, b->call};
      *(*b->next)++ = (end){binding->tag, b->call == TS_IR_NONE ? slot : route, i,
                            layout->port_node[k]};
    }
  }
}

/* ---- Who receives what is sent ---- */

static void match_end(const matcher *m, const pair *p, const end *send, const end *receive)
{
  m->routes[p->sender][send->place].slot = receive->place;
  m->messages[p->receiver][receive->place] =
    (ts_message){p->sender, send->item, send->node, receive->item, receive->node};
}

typedef struct match_wanted {
  const matcher *m;
  const pair *pair;
  uint32_t tag;
} match_wanted;

static bool same_receive(const void *closure, uint32_t number)
{
  const match_wanted *w = closure;
  return w->pair->receives[number].tag == w->tag && !w->m->taken.at[number];
}

/* A send that nobody receives: of all of them the first is told of. */
static void lose(matcher *m, const pair *p, const end *send)
{
  if (!m->lost || p->sender < m->lost_program ||
      (p->sender == m->lost_program && send->place < m->lost->place)) {
    m->lost = send;
    m->lost_program = p->sender;
    m->lost_to = p->receiver;
  }
}

/* Sends from this one on come in another order than the receives. */
static void match_others(matcher *m, const pair *p, uint32_t first)
{
  ts_hash_table hashed = {0};
  ts_hash_reserve(m->scratch, &hashed, p->received - first);
  m->taken.count = 0;
  for (uint32_t i = 0; i < p->received; i++) {
    TS_PUSH(m->scratch, &m->taken, i < first);
    if (i >= first)
      ts_hash_add(m->scratch, &hashed, ts_hash_number(p->receives[i].tag), i);
  }
  for (uint32_t i = first; i < p->sent; i++) {
    uint32_t tag = p->sends[i].tag, found = ts_hash_find(&hashed, ts_hash_number(tag), same_receive,
                                                         &(match_wanted){m, p, tag});
    if (found == TS_HASH_NONE) {
      lose(m, p, &p->sends[i]);
      continue;
    }
    m->taken.at[found] = true;
    match_end(m, p, &p->sends[i], &p->receives[found]);
  }
}

/* Most are sent in the order in which they are received. */
static void match_pair(matcher *m, pair *p)
{
  uint32_t both = p->sent < p->received ? p->sent : p->received, i = 0;
  p->sends -= p->sent;
  p->receives -= p->received;
  for (; i < both && p->sends[i].tag == p->receives[i].tag; i++)
    match_end(m, p, &p->sends[i], &p->receives[i]);
  if (i < p->sent)
    match_others(m, p, i);
}

static int match(matcher *m, ts_stop *stop)
{
  const ts_ir *ir = m->t->ir;
  uint64_t sent = 0, received = 0;
  for (uint32_t p = 0; p < ir->programs_count; p++)
    if (note_peers(m, p, stop))
      return -1;
  list_peers(m);
  list_calls(m);
  match_make_room(m);
  for (uint32_t p = 0; p < ir->programs_count; p++)
    list_ends(m, p);
  for (size_t i = 0; i < m->pairs.count; i++) {
    match_pair(m, &m->pairs.at[i]);
    sent += m->pairs.at[i].sent;
    received += m->pairs.at[i].received;
  }
  if (m->lost)
    return ts_stop_set(stop, TS_EXIT_REJECTED, NULL, NULL,
                       "message %u of %s to coordinate %u has no receiver", m->lost->tag,
                       ir->strings + ir->programs[m->lost_program].name, m->lost_to);
  if (sent < received)
    return ts_stop_set(stop, TS_EXIT_REJECTED, NULL, NULL,
                       "%" PRIu64 " messages are sent by nobody", received - sent);
  return 0;
}

int ts_match_messages(ts_tables *t, ts_stop *stop)
{
  uint32_t programs = t->ir->programs_count;
  size_t ends = (size_t)programs * t->ranks->pipeline_size;
  matcher m = {.t = t, .scratch = ts_arena_new("message matching")};
  m.messages = TS_NEW_ARRAY(m.scratch, ts_message *, programs);
  m.routes = TS_NEW_ARRAY(m.scratch, ts_route *, programs);
  m.peer_index = TS_NEW_ARRAY(m.scratch, uint32_t, ends);
  m.pair_of = TS_NEW_ARRAY(m.scratch, uint32_t, ends);
  m.calls = TS_NEW_ARRAY(m.scratch, ts_intern, programs);
  m.bound = ts_arena_alloc_raw(m.scratch, t->ir->ports_count * sizeof *m.bound);
  for (uint32_t p = 0; p < t->ir->ports_count; p++)
    m.bound[p] = (bound){.to = UINT64_MAX};
  uint64_t receives = 0;
  for (uint32_t p = 0; p < programs; p++) {
    m.calls[p].arena = m.scratch;
    ts_program_info *info = (ts_program_info *)&t->programs[p];
    info->messages = m.messages[p] =
      ts_arena_alloc_raw(t->arena, info->slot_count * sizeof(ts_message));
    info->routes = m.routes[p] = ts_arena_alloc_raw(t->arena, info->port_count * sizeof(ts_route));
    receives += info->slot_count;
  }
  int status = receives >= TS_IR_NONE ?
                 ts_stop_set(stop, TS_EXIT_REJECTED, NULL, NULL, "there are too many messages") :
                 match(&m, stop);
  ts_arena_free(m.scratch);
  return status;
}
