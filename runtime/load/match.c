/* Messages: a send of program a to b with a tag is answered by the receive of b from a with the
 * same tag. Resolved to a slot of the receiver, so that playing a message is one store and one
 * load. */
#include <stdlib.h>

#include "base/hash_table.h"
#include "runtime/load/intern.h"
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

typedef struct receive {
  uint32_t pair, tag;
  uint32_t slot;
  uint32_t next; /* of the pair's receives, or TS_IR_NONE */
  bool taken;    /* some send is answered */
} receive;

/* Messages from one program to another: the receives that are not known to be taken. Most are sent
 * in the order in which they are received. */
typedef struct pair { uint32_t first, last; } pair;

typedef struct matcher {
  ts_arena *scratch;
  receive *receives;
  uint32_t receive_count, send_count;
  ts_hash_table hashed;  /* all receives, once a send did not find its own among the next */
  ts_message **messages; /* [programs] */
  ts_route **routes;     /* [programs] */
  ts_intern *calls;      /* [programs] port, peer's coordinate */
  /* [ports] the last play of each: most are bound to the peer that the one before was bound to */
  struct last { uint32_t program, coordinate, peer, call; } *last;
  uint32_t *peer_index;  /* [programs * pipeline_size] place in the program's peers, plus 1 */
  uint32_t *first_pair;  /* [programs] of its first peer's messages to it */
  pair *pairs;
} matcher;

typedef struct played { /* ports of a played fragment */
  uint32_t program;
  const ts_play_item *item;
  const ts_ir_fragment *fragment;
  const ts_ir_port *ports;
  const ts_ir_binding *bindings;
} played;

static inline played play_of(const ts_tables *t, uint32_t program, uint32_t item)
{
  const ts_ir *ir = t->ir;
  const ts_play_item *v = &t->programs[program].items[item];
  const ts_ir_fragment *f = &ir->fragments[v->fragment];
  if (!f->port_count)
    return (played){.program = program, .item = v, .fragment = f};
  return (played){
    program, v, f, ir->ports + f->first_port,
    ir->bindings + ir->items[ir->programs[program].first_item + item].first_binding};
}

static struct last *last_of(const matcher *m, const played *p, uint32_t port)
{
  return &m->last[p->fragment->first_port + port];
}

static uint32_t *peer_index(const ts_tables *t, const matcher *m, uint32_t program,
                            uint32_t coordinate)
{
  return &m->peer_index[(size_t)program * t->ranks->pipeline_size + coordinate];
}

/* Of all pairs of a port and a peer only those that occur: schedules of many ranks have millions of
 * ports and many peers. */
static int note_peers(ts_tables *t, matcher *m, const played *p, ts_stop *stop)
{
  for (uint32_t k = 0; k < p->fragment->port_count; k++) {
    struct last *last = last_of(m, p, k);
    uint32_t coordinate = p->bindings[k].peer;
    if (last->program == p->program && last->coordinate == coordinate)
      continue;
    if (check_port(t, &p->ports[k], &p->bindings[k], stop))
      return -1;
    *peer_index(t, m, p->program, coordinate) |= p->ports[k].is_send ? 2 : 1;
    *last = (struct last){p->program, coordinate, TS_IR_NONE, TS_IR_NONE};
    if (p->ports[k].is_send)
      ts_intern_run(&m->calls[p->program],
                    (uint32_t[]){p->fragment->first_port + k, coordinate}, 2);
  }
  return 0;
}

static void list_peers(ts_tables *t, matcher *m)
{
  uint32_t size = t->ranks->pipeline_size, pairs = 0;
  m->first_pair = ts_arena_alloc_raw(m->scratch, t->ir->programs_count * sizeof *m->first_pair);
  for (uint32_t p = 0; p < t->ir->programs_count; p++) {
    TS_VEC(ts_peer) peers = {0};
    for (uint32_t c = 0; c < size; c++) {
      uint32_t *flags = peer_index(t, m, p, c);
      if (*flags)
        TS_PUSH(t->arena, &peers, (ts_peer){c, *flags & 2});
      *flags = *flags ? (uint32_t)peers.count : 0;
    }
    ts_program_info *info = (ts_program_info *)&t->programs[p];
    info->peers = TS_ITEMS(t->arena, &peers);
    info->peer_count = (uint32_t)peers.count;
    m->first_pair[p] = pairs;
    pairs += info->peer_count;
  }
  m->pairs = ts_arena_alloc_raw(m->scratch, pairs * sizeof *m->pairs);
  for (uint32_t i = 0; i < pairs; i++)
    m->pairs[i] = (pair){TS_IR_NONE, TS_IR_NONE};
}

static int compare_calls(const void *left, const void *right)
{
  const ts_port_call *a = left, *b = right;
  if (a->port != b->port)
    return a->port < b->port ? -1 : 1;
  return a->peer < b->peer ? -1 : a->peer > b->peer;
}

static void list_calls(ts_tables *t, const matcher *m)
{
  for (uint32_t p = 0; p < t->ir->programs_count; p++) {
    const ts_intern *found = &m->calls[p];
    TS_VEC(ts_port_call) calls = {0};
    for (size_t i = 0; i < found->runs.count; i++)
      TS_PUSH(t->arena, &calls,
              (ts_port_call){found->words.at[2 * i],
                             *peer_index(t, m, p, found->words.at[2 * i + 1]) - 1});
    TS_SORT(&calls, compare_calls);
    ts_program_info *info = (ts_program_info *)&t->programs[p];
    info->calls = TS_ITEMS(t->arena, &calls);
    info->call_count = (uint32_t)calls.count;
  }
}

/* Finds the peer and the call of a port that is bound to another peer than before. */
static void find_call(const ts_tables *t, const matcher *m, const played *p, uint32_t port,
                      struct last *last)
{
  const ts_program_info *info = &t->programs[p->program];
  ts_port_call key = {p->fragment->first_port + port,
                      *peer_index(t, m, p->program, p->bindings[port].peer) - 1};
  const ts_port_call *call =
    p->ports[port].is_send ?
      bsearch(&key, info->calls, info->call_count, sizeof key, compare_calls) :
      NULL;
  *last = (struct last){p->program, p->bindings[port].peer, key.peer,
                        call ? (uint32_t)(call - info->calls) : TS_IR_NONE};
}

static void add_receive(matcher *m, const played *p, uint32_t port, uint32_t peer, uint32_t slot)
{
  uint32_t number = m->receive_count++, which = m->first_pair[p->program] + peer;
  pair *r = &m->pairs[which];
  m->receives[number] = (receive){.pair = which,
                                  .tag = p->bindings[port].tag,
                                  .slot = slot,
                                  .next = TS_IR_NONE};
  *(r->first == TS_IR_NONE ? &r->first : &m->receives[r->last].next) = number;
  r->last = number;
}

/* All of a route but the slot of a send. */
static void put_routes(ts_tables *t, matcher *m, const played *p)
{
  const ts_fragment_layout *layout = &t->layouts[p->item->fragment];
  ts_route *routes = m->routes[p->program] + p->item->port_base;
  ts_message *messages = m->messages[p->program];
  for (uint32_t k = 0; k < p->fragment->port_count; k++) {
    struct last *last = last_of(m, p, k);
    if (last->program != p->program || last->coordinate != p->bindings[k].peer ||
        last->peer == TS_IR_NONE)
      find_call(t, m, p, k, last);
    uint32_t slot = p->item->slot_base + layout->port_slot[k];
    routes[k] = (ts_route){last->peer, slot, last->call};
    if (p->ports[k].is_send)
      continue;
    messages[slot] =
      (ts_message){.sender = TS_IR_NONE, .item = p->item->index, .node = layout->port_node[k]};
    add_receive(m, p, k, last->peer, slot);
  }
}

/* ---- Who receives what is sent ---- */

typedef struct wanted { const matcher *m; uint32_t pair, tag; } wanted;

static bool same_receive(const void *closure, uint32_t number)
{
  const wanted *w = closure;
  const receive *r = &w->m->receives[number];
  return r->pair == w->pair && r->tag == w->tag && !r->taken;
}

static uint32_t hash_of(uint32_t pair, uint32_t tag)
{
  return ts_hash_number((uint64_t)pair << 32 | tag);
}

static receive *find_hashed(matcher *m, uint32_t number, uint32_t tag)
{
  if (!m->hashed.count) {
    ts_hash_reserve(m->scratch, &m->hashed, m->receive_count);
    for (uint32_t i = 0; i < m->receive_count; i++)
      ts_hash_add(m->scratch, &m->hashed, hash_of(m->receives[i].pair, m->receives[i].tag), i);
  }
  uint32_t found = ts_hash_find(&m->hashed, hash_of(number, tag), same_receive,
                                &(wanted){m, number, tag});
  return found == TS_HASH_NONE ? NULL : &m->receives[found];
}

/* NULL: there is none that is not taken. */
static receive *find_receive(matcher *m, uint32_t number, uint32_t tag)
{
  enum { NEXT = 16 };
  pair *r = &m->pairs[number];
  while (r->first != TS_IR_NONE && m->receives[r->first].taken)
    r->first = m->receives[r->first].next;
  uint32_t i = r->first;
  for (uint32_t left = NEXT; i != TS_IR_NONE && left; left--, i = m->receives[i].next)
    if (m->receives[i].tag == tag && !m->receives[i].taken)
      return &m->receives[i];
  return i == TS_IR_NONE ? NULL : find_hashed(m, number, tag);
}

static int refuse(const ts_tables *t, const played *p, uint32_t port, ts_stop *stop)
{
  return ts_stop_set(stop, TS_EXIT_REJECTED, NULL, NULL,
                     "message %u of %s to coordinate %u has no receiver", p->bindings[port].tag,
                     t->ir->strings + t->ir->programs[p->program].name, p->bindings[port].peer);
}

static int put_sends(ts_tables *t, matcher *m, const played *p, ts_stop *stop)
{
  ts_route *routes = m->routes[p->program] + p->item->port_base;
  for (uint32_t k = 0; k < p->fragment->port_count; k++) {
    if (!p->ports[k].is_send)
      continue;
    uint32_t to = p->bindings[k].peer, from = *peer_index(t, m, to, p->program);
    receive *r =
      from ? find_receive(m, m->first_pair[to] + from - 1, p->bindings[k].tag) : NULL;
    if (!r)
      return refuse(t, p, k, stop);
    r->taken = true;
    ts_message *message = &m->messages[to][r->slot];
    message->sender = p->program;
    message->send_item = p->item->index;
    message->send_node = t->layouts[p->item->fragment].port_node[k];
    routes[k].slot = r->slot;
    m->send_count++;
  }
  return 0;
}

static int match(ts_tables *t, matcher *m, ts_stop *stop)
{
  const ts_ir *ir = t->ir;
  for (uint32_t p = 0; p < ir->programs_count; p++)
    for (uint32_t i = 0; i < ir->programs[p].item_count; i++) {
      played at = play_of(t, p, i);
      if (note_peers(t, m, &at, stop))
        return -1;
    }
  list_peers(t, m);
  list_calls(t, m);
  for (uint32_t p = 0; p < ir->programs_count; p++)
    for (uint32_t i = 0; i < ir->programs[p].item_count; i++) {
      played at = play_of(t, p, i);
      put_routes(t, m, &at);
    }
  for (uint32_t p = 0; p < ir->programs_count; p++)
    for (uint32_t i = 0; i < ir->programs[p].item_count; i++) {
      played at = play_of(t, p, i);
      if (put_sends(t, m, &at, stop))
        return -1;
    }
  if (m->send_count < m->receive_count)
    return ts_stop_set(stop, TS_EXIT_REJECTED, NULL, NULL, "%u messages are sent by nobody",
                       m->receive_count - m->send_count);
  return 0;
}

int ts_match_messages(ts_tables *t, ts_stop *stop)
{
  uint32_t programs = t->ir->programs_count;
  matcher m = {.scratch = ts_arena_new("message matching")};
  m.messages = TS_NEW_ARRAY(m.scratch, ts_message *, programs);
  m.routes = TS_NEW_ARRAY(m.scratch, ts_route *, programs);
  m.peer_index = TS_NEW_ARRAY(m.scratch, uint32_t, (size_t)programs * t->ranks->pipeline_size);
  m.calls = TS_NEW_ARRAY(m.scratch, ts_intern, programs);
  m.last = ts_arena_alloc_raw(m.scratch, t->ir->ports_count * sizeof *m.last);
  for (uint32_t p = 0; p < t->ir->ports_count; p++)
    m.last[p] = (struct last){TS_IR_NONE, TS_IR_NONE, TS_IR_NONE, TS_IR_NONE};
  for (uint32_t p = 0; p < programs; p++) {
    m.calls[p].arena = m.scratch;
    ts_program_info *info = (ts_program_info *)&t->programs[p];
    info->messages = m.messages[p] =
      ts_arena_alloc_raw(t->arena, info->slot_count * sizeof(ts_message));
    info->routes = m.routes[p] = ts_arena_alloc_raw(t->arena, info->port_count * sizeof(ts_route));
  }
  uint64_t receives = 0;
  for (uint32_t p = 0; p < programs; p++)
    receives += t->programs[p].slot_count;
  if (receives >= TS_IR_NONE) {
    ts_arena_free(m.scratch);
    return ts_stop_set(stop, TS_EXIT_REJECTED, NULL, NULL, "there are too many messages");
  }
  m.receives = ts_arena_alloc_raw(m.scratch, receives * sizeof *m.receives);
  int status = match(t, &m, stop);
  ts_arena_free(m.scratch);
  return status;
}
