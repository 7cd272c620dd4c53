/* Messages: a send of program a to b with a tag is answered by the receive of b from a with the same tag. Resolved to a slot of the receiver,
 * so that playing a message is one store and one load. */
#include <stdlib.h>

#include "runtime/tables_internal.h"

typedef struct receive { uint32_t program, peer, tag, slot; } receive;

static int compare(const void *left, const void *right)
{
  const receive *a = left, *b = right;
  if (a->program != b->program)
    return a->program < b->program ? -1 : 1;
  if (a->peer != b->peer)
    return a->peer < b->peer ? -1 : 1;
  return a->tag < b->tag ? -1 : a->tag > b->tag;
}

static int check_port(const ts_tables *t, const ts_ir_port *port, const ts_ir_binding *binding, ts_stop *stop)
{
  const ts_ir *ir = t->ir;
  uint32_t axis = ir->meta->pipeline_axis;
  if (axis == TS_IR_NONE || ir->groups[port->group].axes != (uint32_t)1 << axis)
    return ts_stop_set(stop, TS_EXIT_REJECTED, NULL, NULL, "a message runs over group `%s`, which is not the pipeline axis",
                       ir->strings + ir->groups[port->group].name);
  if (binding->peer >= t->ranks->pipeline_size)
    return ts_stop_set(stop, TS_EXIT_REJECTED, NULL, NULL, "a message names peer %u of %u on the pipeline axis", binding->peer,
                       t->ranks->pipeline_size);
  return 0;
}

typedef int port_fn(ts_tables *t, uint32_t program, uint32_t item, uint32_t port, void *closure, ts_stop *stop);

static int each_port(ts_tables *t, bool sends, port_fn *visit, void *closure, ts_stop *stop)
{
  const ts_ir *ir = t->ir;
  for (uint32_t p = 0; p < ir->programs_count; p++)
    for (uint32_t i = 0; i < ir->programs[p].item_count; i++) {
      const ts_ir_fragment *f = &ir->fragments[t->programs[p].items[i].fragment];
      for (uint32_t k = 0; k < f->port_count; k++)
        if ((ir->ports[f->first_port + k].is_send != 0) == sends && visit(t, p, i, k, closure, stop))
          return -1;
    }
  return 0;
}

typedef struct matcher {
  TS_VEC(receive) receives;
  ts_message **messages; /* [programs] */
  uint32_t *target_slot;
  ts_arena *scratch;
} matcher;

static int note_receive(ts_tables *t, uint32_t program, uint32_t item, uint32_t port, void *closure, ts_stop *stop)
{
  matcher *m = closure;
  const ts_visit *v = &t->programs[program].items[item];
  const ts_layout *layout = &t->layouts[v->fragment];
  const ts_ir_binding *binding = &t->ir->bindings[v->binding + port];
  if (check_port(t, &t->ir->ports[t->ir->fragments[v->fragment].first_port + port], binding, stop))
    return -1;
  uint32_t slot = v->slot_base + layout->port_slot[port];
  TS_PUSH(m->scratch, &m->receives, (receive){program, binding->peer, binding->tag, slot});
  m->messages[program][slot] = (ts_message){.sender = TS_IR_NONE, .item = item, .node = layout->port_node[port]};
  return 0;
}

static int note_send(ts_tables *t, uint32_t program, uint32_t item, uint32_t port, void *closure, ts_stop *stop)
{
  matcher *m = closure;
  const ts_visit *v = &t->programs[program].items[item];
  const ts_ir_binding *binding = &t->ir->bindings[v->binding + port];
  if (check_port(t, &t->ir->ports[t->ir->fragments[v->fragment].first_port + port], binding, stop))
    return -1;
  receive key = {binding->peer, program, binding->tag, 0};
  const receive *found = bsearch(&key, m->receives.at, m->receives.count, sizeof key, compare);
  if (!found) {
    ts_stop_set(stop, TS_EXIT_REJECTED, NULL, NULL, "nobody receives message %u of %s to coordinate %u", binding->tag,
                t->ir->strings + t->ir->programs[program].name, binding->peer);
    return -1;
  }
  ts_message *message = &m->messages[found->program][found->slot];
  message->sender = program;
  message->send_item = item;
  message->send_node = t->layouts[v->fragment].port_node[port];
  m->target_slot[v->binding + port] = found->slot;
  return 0;
}

int ts_match_messages(ts_tables *t, ts_stop *stop)
{
  matcher m = {.messages = TS_NEW_ARRAY(t->arena, ts_message *, t->ir->programs_count), .scratch = ts_arena_new("message matching"),
               .target_slot = TS_NEW_ARRAY(t->arena, uint32_t, t->ir->bindings_count)};
  for (uint32_t p = 0; p < t->ir->programs_count; p++) {
    m.messages[p] = TS_NEW_ARRAY(t->arena, ts_message, t->programs[p].slot_count);
    ((ts_program_info *)t->programs)[p].messages = m.messages[p];
  }
  int status = each_port(t, false, note_receive, &m, stop);
  if (!status && m.receives.count)
    qsort(m.receives.at, m.receives.count, sizeof *m.receives.at, compare);
  if (!status)
    status = each_port(t, true, note_send, &m, stop);
  t->target_slot = m.target_slot;
  ts_arena_free(m.scratch);
  return status;
}
