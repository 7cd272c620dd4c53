#include "runtime/load/tables.h"

#include <string.h>

#include "runtime/load/tables_internal.h"

static void number_comms(ts_tables *t)
{
  const ts_ir *ir = t->ir;
  uint32_t *of = TS_NEW_ARRAY(t->arena, uint32_t, ir->groups_count * t->streams);
  TS_VEC(ts_communicator) comms = {0};
  memset(of, 0xff, sizeof *of * ir->groups_count * t->streams);
  for (uint32_t n = 0; n < ir->nodes_count; n++) {
    if (ir->nodes[n].op != TS_IR_COLLECTIVE)
      continue;
    uint32_t group = ir->collectives[ir->nodes[n].arg].group, stream = ir->nodes[n].stream;
    uint32_t *comm = &of[group * t->streams + stream];
    if (*comm == TS_IR_NONE) {
      *comm = (uint32_t)comms.count;
      TS_PUSH(t->arena, &comms, (ts_communicator){group, stream});
    }
  }
  t->comm_of = of;
  t->comms = TS_ITEMS(t->arena, &comms);
  t->comm_count = (uint32_t)comms.count;
}

static int lay_out(ts_tables *t, ts_stop *stop)
{
  ts_fragment_layout *layouts = TS_NEW_ARRAY(t->arena, ts_fragment_layout, t->ir->fragments_count);
  ts_wait_list waits = {0};
  for (uint32_t f = 0; f < t->ir->fragments_count; f++)
    if (ts_layout_fragment(t, &waits, f, &layouts[f], stop))
      return -1;
  t->layouts = layouts;
  t->waits = TS_ITEMS(t->arena, &waits);
  return 0;
}

typedef struct cursor { /* where an item lies in the rank's arrays */
  uint64_t offset, events, slots, nodes, ports, segment;
} cursor;

static ts_play_item play_item(const ts_ir_item *item, uint32_t index, const cursor *c)
{
  return (ts_play_item){.offset = c->offset,
                        .fragment = item->fragment,
                        .index = index,
                        .event_base = (uint32_t)c->events,
                        .slot_base = (uint32_t)c->slots,
                        .segment = (uint32_t)c->segment,
                        .port_base = (uint32_t)c->ports};
}

static void advance(const ts_tables *t, const ts_fragment_layout *layout, uint32_t fragment,
                    cursor *c)
{
  c->offset = layout->wait_count ? layout->tail : c->offset + layout->tail;
  c->segment += layout->wait_count;
  c->events += layout->event_count;
  c->slots += layout->receive_count;
  c->nodes += t->ir->fragments[fragment].node_count;
  c->ports += t->ir->fragments[fragment].port_count;
}

static int place_items(const ts_tables *t, const ts_ir_program *program, ts_program_info *out,
                       ts_stop *stop)
{
  size_t count = (size_t)program->item_count + 1;
  ts_play_item *items = ts_arena_alloc_raw(t->arena, count * sizeof *items);
  uint32_t *call_base = ts_arena_alloc_raw(t->arena, count * t->comm_count * sizeof *call_base);
  cursor c = {0};
  uint64_t offsets = 0; /* their bits: they begin anew where the host waits */
  const uint32_t comms = t->comm_count;
  memset(call_base, 0, comms * sizeof *call_base);
  for (uint32_t i = 0, *calls = call_base; i < program->item_count; i++, calls += comms) {
    const ts_ir_item *item = &t->ir->items[program->first_item + i];
    const ts_fragment_layout *layout = &t->layouts[item->fragment];
    items[i] = play_item(item, i, &c);
    advance(t, layout, item->fragment, &c);
    for (uint32_t k = 0; k < comms; k++)
      calls[comms + k] = calls[k] + (layout->calls ? layout->calls[k] : 0);
    offsets |= c.offset;
  }
  if (offsets >> TS_TIME_BITS || c.events >= TS_IR_NONE || c.ports >= TS_IR_NONE)
    return ts_stop_set(stop, TS_EXIT_REJECTED, NULL, NULL, "program `%s` is too long",
                       t->ir->strings + program->name);
  items[program->item_count] = play_item(&(ts_ir_item){0}, program->item_count, &c);
  *out = (ts_program_info){.items = items,
                           .call_base = call_base,
                           .node_count = c.nodes,
                           .event_count = (uint32_t)c.events,
                           .slot_count = (uint32_t)c.slots,
                           .port_count = (uint32_t)c.ports,
                           .segment_count = (uint32_t)c.segment + 1,
                           .tail = c.offset,
                           .tail_segment = (uint32_t)c.segment};
  return 0;
}

static bool has_work(const ts_fragment_layout *layout, uint32_t stream, uint32_t streams)
{
  return stream == streams ? layout->wait_count > 0 :
                             layout->stream_first[stream] < layout->stream_first[stream + 1];
}

/* Which streams have work in a fragment, the host as the last; and how often a program plays it. */
typedef struct row_list { const uint32_t *rows; uint32_t count, plays; } row_list;
typedef struct row_lists {
  row_list *of;     /* [fragments] */
  uint32_t *played; /* fragments of the program at hand */
  uint32_t **next;  /* [streams + 1] where the next item of a stream goes */
  uint32_t played_count;
} row_lists;

static row_lists list_rows(ts_arena *scratch, const ts_tables *t)
{
  row_list *lists = TS_NEW_ARRAY(scratch, row_list, t->ir->fragments_count);
  for (uint32_t f = 0; f < t->ir->fragments_count; f++) {
    uint32_t *rows = TS_NEW_ARRAY(scratch, uint32_t, t->streams + 1);
    for (uint32_t s = 0; s <= t->streams; s++)
      if (has_work(&t->layouts[f], s, t->streams))
        rows[lists[f].count++] = s;
    lists[f].rows = rows;
  }
  return (row_lists){lists, TS_NEW_ARRAY(scratch, uint32_t, t->ir->fragments_count),
                     TS_NEW_ARRAY(scratch, uint32_t *, t->streams + 1), 0};
}

static void count_plays(const ts_tables *t, const ts_ir_program *program, row_lists *lists)
{
  for (uint32_t k = 0; k < lists->played_count; k++)
    lists->of[lists->played[k]].plays = 0;
  lists->played_count = 0;
  for (uint32_t i = 0; i < program->item_count; i++) {
    uint32_t f = t->ir->items[program->first_item + i].fragment;
    if (!lists->of[f].plays++)
      lists->played[lists->played_count++] = f;
  }
}

/* Streams that do nothing but receive what records choose from. */
static const bool *find_late(const ts_tables *t, const row_lists *lists, const ts_range *stream)
{
  bool *late = TS_NEW_ARRAY(t->arena, bool, t->streams);
  for (uint32_t s = 0; s < t->streams; s++)
    late[s] = stream[s].count > 0;
  for (uint32_t i = 0; i < lists->played_count; i++) {
    const row_list *list = &lists->of[lists->played[i]];
    for (uint32_t k = 0; k < list->count; k++)
      if (list->rows[k] < t->streams)
        late[list->rows[k]] &= t->layouts[lists->played[i]].idle[list->rows[k]];
  }
  return late;
}

static void list_stream_items(const ts_tables *t, const ts_ir_program *program, row_lists *lists,
                              ts_program_info *out)
{
  ts_range *stream = TS_NEW_ARRAY(t->arena, ts_range, t->streams + 1);
  uint32_t first = 0;
  count_plays(t, program, lists);
  for (uint32_t i = 0; i < lists->played_count; i++) {
    const row_list *list = &lists->of[lists->played[i]];
    for (uint32_t k = 0; k < list->count; k++)
      stream[list->rows[k]].count += list->plays;
  }
  out->late = find_late(t, lists, stream);
  for (uint32_t s = 0; s <= t->streams; first += stream[s++].count)
    stream[s].first = first;
  uint32_t *items = ts_arena_alloc_raw(t->arena, first * sizeof *items);
  uint32_t **next = lists->next;
  for (uint32_t s = 0; s <= t->streams; s++)
    next[s] = items + stream[s].first;
  for (uint32_t i = 0; i < program->item_count; i++) {
    const row_list *list = &lists->of[out->items[i].fragment];
    for (uint32_t k = 0; k < list->count; k++)
      *next[list->rows[k]]++ = i;
  }
  out->stream_items = items;
  out->stream = stream;
}

static int place_programs(ts_tables *t, ts_stop *stop)
{
  ts_program_info *programs = TS_NEW_ARRAY(t->arena, ts_program_info, t->ir->programs_count);
  ts_arena *scratch = ts_arena_new("streams of programs");
  row_lists lists = list_rows(scratch, t);
  int failed = 0;
  t->programs = programs;
  for (uint32_t p = 0; p < t->ir->programs_count && !failed; p++) {
    failed = place_items(t, &t->ir->programs[p], &programs[p], stop);
    if (!failed)
      list_stream_items(t, &t->ir->programs[p], &lists, &programs[p]);
  }
  ts_arena_free(scratch);
  return failed;
}

const ts_tables *ts_tables_new(ts_arena *arena, const ts_ir *ir, const ts_ranks *ranks,
                               ts_stop *stop)
{
  ts_tables *t = TS_NEW(arena, ts_tables);
  *t = (ts_tables){.arena = arena, .ir = ir, .ranks = ranks, .streams = ir->streams_count};
  number_comms(t);
  if (lay_out(t, stop) || place_programs(t, stop) || ts_match_messages(t, stop))
    return NULL;
  return t;
}
