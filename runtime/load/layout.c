/* One fragment: its streams' node lists, host offsets, and the events that cross streams. */
#include <string.h>

#include "runtime/load/tables_internal.h"

typedef struct layout_work {
  const ts_tables *t;
  const ts_ir_fragment *fragment;
  const ts_ir_node *nodes;
  ts_node_info *info;
  ts_arena *arena;
} layout_work;

/* The stream of a node; hosts' work comes after all streams. */
static uint32_t layout_row_of(const layout_work *w, uint32_t i)
{
  return ts_is_host(&w->nodes[i]) ? w->t->streams : w->nodes[i].stream;
}

static void list_streams(const layout_work *w, ts_fragment_layout *out)
{
  uint32_t streams = w->t->streams, n = w->fragment->node_count,
           *last = TS_NEW_ARRAY(w->arena, uint32_t, streams);
  uint32_t *order = TS_NEW_ARRAY(w->arena, uint32_t, n),
           *first = TS_NEW_ARRAY(w->arena, uint32_t, streams + 2);
  for (uint32_t s = 0; s < streams; s++)
    last[s] = TS_IR_NONE;
  for (uint32_t i = 0; i < n; i++) {
    first[layout_row_of(w, i) + 1]++;
    w->info[i].previous = ts_is_host(&w->nodes[i]) ? TS_IR_NONE : last[w->nodes[i].stream];
    if (!ts_is_host(&w->nodes[i]))
      last[w->nodes[i].stream] = i;
  }
  for (uint32_t s = 0; s <= streams; s++)
    first[s + 1] += first[s];
  uint32_t *at = ts_arena_copy(w->arena, first, (streams + 1) * sizeof *at);
  for (uint32_t i = 0; i < n; i++)
    order[at[layout_row_of(w, i)]++] = i;
  out->order = order;
  out->stream_first = first;
}

static int place_host(const layout_work *w, ts_fragment_layout *out, ts_stop *stop)
{
  uint64_t clock = 0;
  TS_VEC(ts_host_wait) waits = {0};
  for (uint32_t i = 0; i < w->fragment->node_count; i++) {
    const ts_ir_node *node = &w->nodes[i];
    clock += ts_host_spends_before(node);
    if (ts_host_waits(node)) {
      TS_PUSH(w->arena, &waits, (ts_host_wait){i, clock});
      clock = 0;
    }
    clock += node->host_ps - ts_host_spends_before(node);
    if (clock >> TS_TIME_BITS)
      return ts_stop_set(stop, TS_EXIT_REJECTED, NULL, NULL,
                         "host times of fragment `%s` exceed the clock",
                         w->t->ir->strings + w->fragment->name);
    w->info[i].issue = clock;
    w->info[i].segment = (uint32_t)waits.count;
  }
  out->waits = TS_ITEMS(w->arena, &waits);
  out->wait_count = (uint32_t)waits.count;
  out->tail = clock;
  return 0;
}

static void need_event(const layout_work *w, ts_wait_list *waits, ts_fragment_layout *out,
                       uint32_t node)
{
  ts_node_info *producer = &w->info[node];
  if (producer->event == TS_IR_NONE)
    producer->event = out->event_count++;
  TS_PUSH(w->t->arena, waits, producer->event);
}

/* Of those that a record chooses among, some may not have ended: later nodes know nothing of them.
 * */
static void find_choice(const layout_work *w, ts_wait_list *waits, ts_fragment_layout *out,
                        uint32_t i)
{
  for (uint32_t d = 0; d < w->nodes[i].dep_count; d++)
    need_event(w, waits, out, w->t->ir->deps[w->nodes[i].first_dep + d]);
  w->info[i].wait_count = w->nodes[i].dep_count;
}

/* Which dependencies need an event: those on another stream, unless an earlier wait of the same
 * stream for the same or a later node of that stream says as much. reached[a * streams + b]: one
 * more than the last node of stream b that row a waited for; row `streams` is the host. */
static void find_waits(const layout_work *w, ts_wait_list *waits, ts_fragment_layout *out)
{
  uint32_t streams = w->t->streams;
  uint32_t *reached = TS_NEW_ARRAY(w->arena, uint32_t, (streams + 1) * streams),
           *latest = TS_NEW_ARRAY(w->arena, uint32_t, streams);
  for (uint32_t i = 0; i < w->fragment->node_count; i++) {
    const ts_ir_node *node = &w->nodes[i];
    uint32_t row = ts_is_host(node) ? streams : node->stream;
    w->info[i].first_wait = (uint32_t)waits->count;
    if (ts_node_chooses(node)) {
      find_choice(w, waits, out, i);
      continue;
    }
    if (!node->dep_count)
      continue;
    memset(latest, 0, streams * sizeof *latest);
    for (uint32_t d = 0; d < node->dep_count; d++) {
      uint32_t dep = w->t->ir->deps[node->first_dep + d];
      const ts_ir_node *before = &w->nodes[dep];
      if (!ts_is_host(before) && before->stream != row && dep + 1 > latest[before->stream])
        latest[before->stream] = dep + 1;
    }
    for (uint32_t s = 0; s < streams; s++) {
      if (latest[s] <= reached[row * streams + s])
        continue;
      reached[row * streams + s] = latest[s];
      need_event(w, waits, out, latest[s] - 1);
    }
    w->info[i].wait_count = (uint32_t)waits->count - w->info[i].first_wait;
  }
}

static void find_idle(const layout_work *w, ts_fragment_layout *out)
{
  bool *chosen = TS_NEW_ARRAY(w->arena, bool, w->fragment->node_count),
       *idle = TS_NEW_ARRAY(w->arena, bool, w->t->streams);
  memset(idle, true, w->t->streams * sizeof *idle);
  for (uint32_t i = 0; i < w->fragment->node_count; i++)
    for (uint32_t d = 0; ts_node_chooses(&w->nodes[i]) && d < w->nodes[i].dep_count; d++)
      chosen[w->t->ir->deps[w->nodes[i].first_dep + d]] = true;
  for (uint32_t i = 0; i < w->fragment->node_count; i++)
    if (!ts_is_host(&w->nodes[i]) && (w->nodes[i].op != TS_IR_RECV || !chosen[i]))
      idle[w->nodes[i].stream] = false;
  out->idle = idle;
}

static int list_ports(const layout_work *w, ts_fragment_layout *out, ts_stop *stop)
{
  const ts_ir_fragment *f = w->fragment;
  uint32_t *slot = TS_NEW_ARRAY(w->arena, uint32_t, f->port_count),
           *player = TS_NEW_ARRAY(w->arena, uint32_t, f->port_count);
  for (uint32_t p = 0; p < f->port_count; p++) {
    slot[p] = out->receive_count;
    out->receive_count += !w->t->ir->ports[f->first_port + p].is_send;
    player[p] = TS_IR_NONE;
  }
  for (uint32_t i = 0; i < f->node_count; i++) {
    if (w->nodes[i].op != TS_IR_SEND && w->nodes[i].op != TS_IR_RECV)
      continue;
    if (player[w->nodes[i].arg] != TS_IR_NONE)
      return ts_stop_set(stop, TS_EXIT_REJECTED, NULL, NULL,
                         "two nodes of fragment `%s` play its port %u", w->t->ir->strings + f->name,
                         w->nodes[i].arg);
    player[w->nodes[i].arg] = i;
  }
  out->port_slot = slot;
  out->port_node = player;
  return 0;
}

static void list_callers(const layout_work *w, ts_fragment_layout *out)
{
  uint32_t *first = TS_NEW_ARRAY(w->arena, uint32_t, w->t->comm_count + 1);
  for (uint32_t c = 0; c < w->t->comm_count; c++)
    first[c + 1] = first[c] + out->calls[c];
  uint32_t *callers = TS_NEW_ARRAY(w->arena, uint32_t, first[w->t->comm_count]);
  for (uint32_t i = 0; i < w->fragment->node_count; i++)
    if (w->nodes[i].op == TS_IR_COLLECTIVE)
      callers[first[ts_comm_of(w->t, &w->nodes[i])] + w->info[i].call] = i;
  out->callers = callers;
  out->caller_first = first;
}

static void count_calls(const layout_work *w, ts_fragment_layout *out)
{
  uint32_t *calls = NULL;
  for (uint32_t i = 0; i < w->fragment->node_count; i++) {
    if (w->nodes[i].op != TS_IR_COLLECTIVE)
      continue;
    if (!calls)
      calls = TS_NEW_ARRAY(w->arena, uint32_t, w->t->comm_count);
    w->info[i].call = calls[ts_comm_of(w->t, &w->nodes[i])]++;
  }
  out->calls = calls;
  if (calls)
    list_callers(w, out);
}

int ts_layout_fragment(const ts_tables *t, ts_wait_list *waits, uint32_t fragment,
                       ts_fragment_layout *out, ts_stop *stop)
{
  const ts_ir_fragment *f = &t->ir->fragments[fragment];
  layout_work w = {t, f, ts_fragment_nodes(t->ir, fragment),
                   TS_NEW_ARRAY(t->arena, ts_node_info, f->node_count), t->arena};
  *out = (ts_fragment_layout){.nodes = w.info};
  for (uint32_t i = 0; i < f->node_count; i++) {
    bool transfers = w.nodes[i].op == TS_IR_SEND || w.nodes[i].op == TS_IR_COLLECTIVE;
    w.info[i].event = TS_IR_NONE;
    w.info[i].transfer = transfers ? out->transfer_count++ : TS_IR_NONE;
  }
  list_streams(&w, out);
  find_waits(&w, waits, out);
  find_idle(&w, out);
  count_calls(&w, out);
  return place_host(&w, out, stop) || list_ports(&w, out, stop) ? -1 : 0;
}
