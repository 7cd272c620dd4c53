/* Messages: a send of program a to b with a tag is answered by the receive of b from a with the
 * same tag. Resolved to a slot of the receiver, so that playing a message is one store and one
 * load. */
#include <stdlib.h>

#include "base/hash_table.h"
#include "runtime/load/intern.h"
#include "runtime/load/tables_internal.h"

typedef struct receive { uint32_t program, peer, tag, slot; } receive;

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

typedef struct matcher {
  TS_VEC(receive) receives;
  ts_hash_table receivers; /* of receives */
  ts_message **messages; /* [programs] */
  ts_route **routes;     /* [programs] */
  ts_intern *calls;      /* [programs] port, peer */
  /* [ports] the last call through each: most items send where the one before did */
  struct last { uint32_t program, peer, call; } *last;
  uint32_t *peer_index;  /* [programs * pipeline_size] place in the program's peers, plus 1 */
  ts_arena *scratch;
} matcher;

typedef struct played { /* a port of a played fragment */
  uint32_t program, port;
  const ts_play_item *item;
  const ts_ir_port *as;
  const ts_ir_binding *binding;
} played;

typedef int port_fn(ts_tables *t, matcher *m, const played *port, ts_stop *stop);

static int each_port(ts_tables *t, matcher *m, port_fn *each, ts_stop *stop)
{
  const ts_ir *ir = t->ir;
  for (uint32_t p = 0; p < ir->programs_count; p++)
    for (uint32_t i = 0; i < ir->programs[p].item_count; i++) {
      const ts_play_item *v = &t->programs[p].items[i];
      const ts_ir_fragment *f = &ir->fragments[v->fragment];
      uint32_t first = ir->items[ir->programs[p].first_item + i].first_binding;
      for (uint32_t k = 0; k < f->port_count; k++)
        if (each(t, m, &(played){p, k, v, &ir->ports[f->first_port + k], &ir->bindings[first + k]},
                 stop))
          return -1;
    }
  return 0;
}

static int note_peer(ts_tables *t, matcher *m, const played *p, ts_stop *stop)
{
  if (check_port(t, p->as, p->binding, stop))
    return -1;
  uint32_t *flags = &m->peer_index[p->program * t->ranks->pipeline_size + p->binding->peer];
  *flags |= p->as->is_send ? 2 : 1;
  return 0;
}

static void list_peers(ts_tables *t, matcher *m)
{
  uint32_t size = t->ranks->pipeline_size;
  for (uint32_t p = 0; p < t->ir->programs_count; p++) {
    TS_VEC(ts_peer) peers = {0};
    for (uint32_t c = 0; c < size; c++) {
      uint32_t *flags = &m->peer_index[p * size + c];
      if (*flags)
        TS_PUSH(t->arena, &peers, (ts_peer){c, *flags & 2});
      *flags = (uint32_t)peers.count;
    }
    ts_program_info *info = (ts_program_info *)&t->programs[p];
    info->peers = TS_ITEMS(t->arena, &peers);
    info->peer_count = (uint32_t)peers.count;
  }
}

static ts_port_call call_of(const ts_tables *t, const matcher *m, const played *p)
{
  return (ts_port_call){(uint32_t)(p->as - t->ir->ports),
                        m->peer_index[p->program * t->ranks->pipeline_size + p->binding->peer] - 1};
}

static int compare_calls(const void *left, const void *right)
{
  const ts_port_call *a = left, *b = right;
  if (a->port != b->port)
    return a->port < b->port ? -1 : 1;
  return a->peer < b->peer ? -1 : a->peer > b->peer;
}

static int note_call(ts_tables *t, matcher *m, const played *p, ts_stop *stop)
{
  (void)stop;
  ts_port_call call = call_of(t, m, p);
  struct last *last = &m->last[call.port];
  if (!p->as->is_send || (last->program == p->program && last->peer == call.peer))
    return 0;
  *last = (struct last){p->program, call.peer, TS_IR_NONE};
  ts_intern_run(&m->calls[p->program], (uint32_t[]){call.port, call.peer}, 2);
  return 0;
}

/* Of all pairs of a port and a peer only those that occur: schedules of many ranks have millions of
 * ports and many peers. */
static void list_calls(ts_tables *t, const matcher *m)
{
  for (uint32_t p = 0; p < t->ir->programs_count; p++) {
    const ts_intern *found = &m->calls[p];
    TS_VEC(ts_port_call) calls = {0};
    for (size_t i = 0; i < found->runs.count; i++)
      TS_PUSH(t->arena, &calls, (ts_port_call){found->words.at[2 * i], found->words.at[2 * i + 1]});
    TS_SORT(&calls, compare_calls);
    ts_program_info *info = (ts_program_info *)&t->programs[p];
    info->calls = TS_ITEMS(t->arena, &calls);
    info->call_count = (uint32_t)calls.count;
  }
}

typedef struct wanted { const matcher *m; receive at; } wanted;

static bool same_receive(const void *closure, uint32_t number)
{
  const wanted *w = closure;
  const receive *r = &w->m->receives.at[number];
  return r->program == w->at.program && r->peer == w->at.peer && r->tag == w->at.tag;
}

static uint32_t hash_of(const receive *r)
{
  return ts_hash_number(((uint64_t)r->program << 32 | r->peer) * 0x100000001b3u + r->tag);
}

/* Its place in the program's calls. */
static uint32_t find_call(const ts_tables *t, matcher *m, uint32_t program, ts_port_call key)
{
  const ts_program_info *info = &t->programs[program];
  struct last *last = &m->last[key.port];
  if (last->program != program || last->peer != key.peer || last->call == TS_IR_NONE) {
    const ts_port_call *call =
      bsearch(&key, info->calls, info->call_count, sizeof key, compare_calls);
    *last = (struct last){program, key.peer, (uint32_t)(call - info->calls)};
  }
  return last->call;
}

static void put_route(const ts_tables *t, matcher *m, const played *p, uint32_t slot)
{
  ts_port_call key = call_of(t, m, p);
  m->routes[p->program][p->item->port_base + p->port] =
    (ts_route){key.peer, slot, p->as->is_send ? find_call(t, m, p->program, key) : TS_IR_NONE};
}

static int note_receive(ts_tables *t, matcher *m, const played *p, ts_stop *stop)
{
  (void)stop;
  if (p->as->is_send)
    return 0;
  const ts_fragment_layout *layout = &t->layouts[p->item->fragment];
  uint32_t slot = p->item->slot_base + layout->port_slot[p->port];
  receive r = {p->program, p->binding->peer, p->binding->tag, slot};
  ts_hash_add(m->scratch, &m->receivers, hash_of(&r), (uint32_t)m->receives.count);
  TS_PUSH(m->scratch, &m->receives, r);
  m->messages[p->program][slot] =
    (ts_message){.sender = TS_IR_NONE, .item = p->item->index, .node = layout->port_node[p->port]};
  put_route(t, m, p, slot);
  return 0;
}

static int note_send(ts_tables *t, matcher *m, const played *p, ts_stop *stop)
{
  if (!p->as->is_send)
    return 0;
  receive key = {p->binding->peer, p->program, p->binding->tag, 0};
  uint32_t number =
    ts_hash_find(&m->receivers, hash_of(&key), same_receive, &(wanted){m, key});
  if (number == TS_HASH_NONE)
    return ts_stop_set(stop, TS_EXIT_REJECTED, NULL, NULL,
                       "message %u of %s to coordinate %u has no receiver", p->binding->tag,
                       t->ir->strings + t->ir->programs[p->program].name, p->binding->peer);
  const receive *found = &m->receives.at[number];
  ts_message *message = &m->messages[found->program][found->slot];
  message->sender = p->program;
  message->send_item = p->item->index;
  message->send_node = t->layouts[p->item->fragment].port_node[p->port];
  put_route(t, m, p, found->slot);
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
    m.last[p] = (struct last){TS_IR_NONE, TS_IR_NONE, TS_IR_NONE};
  for (uint32_t p = 0; p < programs; p++) {
    m.calls[p].arena = m.scratch;
    ts_program_info *info = (ts_program_info *)&t->programs[p];
    info->messages = m.messages[p] = TS_NEW_ARRAY(t->arena, ts_message, info->slot_count);
    info->routes = m.routes[p] = TS_NEW_ARRAY(t->arena, ts_route, info->port_count);
  }
  uint64_t receives = 0;
  for (uint32_t p = 0; p < programs; p++)
    receives += t->programs[p].slot_count;
  ts_hash_reserve(m.scratch, &m.receivers, receives);
  int status = each_port(t, &m, note_peer, stop);
  if (!status) {
    list_peers(t, &m);
    status = each_port(t, &m, note_call, stop);
  }
  if (!status) {
    list_calls(t, &m);
    status = each_port(t, &m, note_receive, stop);
  }
  if (!status)
    status = each_port(t, &m, note_send, stop);
  ts_arena_free(m.scratch);
  return status;
}
