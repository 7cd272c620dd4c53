#include "trace/play_rank_graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/source.h"
#include "ir/spelling.h"
#include "trace/rank_groups.h"
#include "trace/rank_messages.h"
#include "trace/read/rank_graph.h"

enum { RUN_MOST = UINT16_MAX }; /* what a node waits for, and what it allocates */

typedef struct sent {
  ts_message_key key;
  int64_t bytes;
  bool taken;
} sent;

typedef struct digest { uint64_t half[2]; } digest;

/* What ranks that do the same share: those of the first of them. */
typedef struct shared {
  digest work;
  uint32_t rank, ranks; /* the first, and how many */
  uint32_t fragment, first_holding, holding_count;
} shared;

typedef struct play_rank_graph_maker {
  ts_arena *work;
  const ts_events *const *ranks;
  uint32_t world;
  const ts_rank_groups *groups;
  const ts_rank_prices *prices;
  ts_ir_builder *b;
  uint32_t message_group;        /* of the IR */
  uint32_t *ir_groups;           /* of groups->groups */
  TS_VEC(sent) messages;         /* all that is, sorted */
  TS_VEC(shared) shared;
  uint32_t *shared_of;           /* [world] */
  ts_error *error;
} play_rank_graph_maker;

static uint32_t stream_of(const play_rank_graph_maker *m, const ts_events *e, const ts_event *v)
{
  return m->groups->stream_of[e->rank][v->track];
}

/* ---- Messages ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
  for (; *text; text++) hash = mix(hash, (unsigned char)*text);
  return mix(hash, 0);
}

static void collect_messages(play_rank_graph_maker *m)
{
  for (uint32_t r = 0; r < m->world; r++) {
    const ts_events *e = m->ranks[r];
    ts_arena *scratch = ts_arena_new("messages of a rank");
    ts_message_key *keys = ts_message_keys(scratch, e);
    for (uint32_t i = 0; keys && i < e->count; i++)
      if (ts_is_message(e, ts_event_at(e, i)) &&
          e->comms.at[ts_event_at(e, i)->detail].kind == TS_COMM_SEND)
        TS_PUSH(m->work, &m->messages,
                ((sent){keys[i], e->comms.at[ts_event_at(e, i)->detail].bytes, false}));
    ts_arena_free(scratch);
  }
  TS_SORT(&m->messages, ts_message_keys_compare); /* their first member */
}

static size_t play_rank_graph_place_of(const play_rank_graph_maker *m, const ts_message_key *key)
{
  size_t at;
  TS_SEARCH(at, 0, m->messages.count, ts_message_keys_compare(&m->messages.at[at].key, key) < 0);
  return at;
}

/* The place among what the sender sends the receiver: small, and alike for pairs that do alike. */
static uint32_t tag_of(const play_rank_graph_maker *m, const ts_message_key *key)
{
  return (
    uint32_t)(play_rank_graph_place_of(m, key) -
              play_rank_graph_place_of(m, &(ts_message_key){key->sender, key->receiver, 0, 0, ""}));
}

static bool no_counterpart(const play_rank_graph_maker *m, const ts_event_comm *c,
                           const ts_message_key *key, const char *what)
{
  return ts_fail(m->error, "trace all ranks in one run of the same script",
                 "message %" PRIu64 " of rank %" PRIu64 " to rank %" PRIu64 " with tag %" PRId64
                 ": %s",
                 key->nth, key->sender, key->receiver, c ? c->tag : (int64_t)key->tag, what);
}

/* What this rank receives has been sent. */
static bool take_messages(play_rank_graph_maker *m, const ts_events *e, const ts_message_key *keys)
{
  for (uint32_t i = 0; keys && i < e->count; i++) {
    const ts_event *v = ts_event_at(e, i);
    const ts_event_comm *c = ts_is_message(e, v) ? &e->comms.at[v->detail] : NULL;
    if (!c || c->kind != TS_COMM_RECV)
      continue;
    size_t at = play_rank_graph_place_of(m, &keys[i]);
    if (at == m->messages.count || ts_message_keys_compare(&m->messages.at[at].key, &keys[i]) != 0)
      return no_counterpart(m, c, &keys[i], "it is received, and never sent");
    if (m->messages.at[at].bytes != c->bytes)
      return no_counterpart(m, c, &keys[i],
                            ts_arena_printf(m->work, "%" PRId64 " bytes are sent, %" PRId64
                                                     " received",
                                            m->messages.at[at].bytes, c->bytes));
    m->messages.at[at].taken = true;
  }
  return true;
}

static bool all_taken(const play_rank_graph_maker *m)
{
  for (size_t i = 0; i < m->messages.count; i++)
    if (!m->messages.at[i].taken)
      return no_counterpart(m, NULL, &m->messages.at[i].key, "it is sent, and never received");
  return true;
}

/* ---- What ranks do alike ---- */

static void play_rank_graph_add(digest *d, uint64_t value)
{
  d->half[0] = mix(d->half[0], value);
  d->half[1] = mix(d->half[1] + 0x632be59bd9b4e019u, value);
}

/* By string: a hash, so that texts of many tables are compared once each. */
static void add_text(digest *d, const ts_events *e, uint64_t *hashes, uint32_t string)
{
  if (!hashes[string])
    hashes[string] = mix_text(1, ts_events_text(e, string)) | 1;
  play_rank_graph_add(d, hashes[string]);
}

static void add_shapes(digest *d, const ts_events *e, uint64_t *hashes, uint32_t shapes)
{
  if (shapes == TS_EVENT_NONE)
    return;
  add_text(d, e, hashes, e->shapes.at[shapes].dims);
  add_text(d, e, hashes, e->shapes.at[shapes].types);
}

static void play_rank_graph_add_comm(digest *d, const play_rank_graph_maker *m, const ts_events *e,
                                     const ts_event *v)
{
  const ts_event_comm *c = &e->comms.at[v->detail];
  uint32_t list = m->groups->list_of[e->rank][v->detail];
  play_rank_graph_add(d, c->kind);
  play_rank_graph_add(d, (uint64_t)c->bytes);
  play_rank_graph_add(d, list == TS_EVENT_NONE ? list : m->groups->lists.at[list].group);
}

/* All that a program holds, but for the peers of its messages. */
static digest digest_of(const play_rank_graph_maker *m, const ts_events *e)
{
  ts_arena *scratch = ts_arena_new("digest");
  uint64_t *hashes = TS_NEW_ARRAY(scratch, uint64_t, ts_events_strings(e) + 1);
  digest d = {{e->count, e->edges.count}};
  for (uint32_t i = 0; i < e->count; i++) {
    const ts_event *v = ts_event_at(e, i);
    const ts_graph_facts *f = ts_graph_facts_of(e, i);
    play_rank_graph_add(&d, v->class);
    play_rank_graph_add(&d, v->class == TS_EVENT_DEVICE ? stream_of(m, e, v) : 0);
    play_rank_graph_add(&d, (uint64_t)v->duration);
    add_text(&d, e, hashes, v->name);
    if (f) {
      add_text(&d, e, hashes, f->phase);
      add_text(&d, e, hashes, f->module);
      add_shapes(&d, e, hashes, f->in);
      add_shapes(&d, e, hashes, f->out);
      play_rank_graph_add(&d, f->sync);
      play_rank_graph_add(&d, (uint64_t)(f->slowed * 0x1p30));
    }
    if (v->kind == TS_KERNEL_COMMUNICATION && v->detail != TS_EVENT_NONE)
      play_rank_graph_add_comm(&d, m, e, v);
  }
  for (size_t i = 0; i < e->edges.count; i++) {
    play_rank_graph_add(&d, e->edges.at[i].from);
    play_rank_graph_add(&d, e->edges.at[i].to);
  }
  for (size_t i = 0; e->graph && i < e->graph->memory.count; i++) {
    const ts_graph_memory *g = &e->graph->memory.at[i];
    play_rank_graph_add(&d, g->event);
    play_rank_graph_add(&d, (uint64_t)g->bytes);
    add_text(&d, e, hashes, g->category);
    add_text(&d, e, hashes, g->module);
  }
  ts_arena_free(scratch);
  return d;
}

/* ---- The IR ---- */

static uint32_t phase_of(const ts_events *e, uint32_t i)
{
  static const struct {
    const char *name;
    uint32_t phase;
  } phases[] = {{"forward", TS_IR_PHASE_FORWARD},
                {"backward", TS_IR_PHASE_BACKWARD_INPUT},
                {"recompute", TS_IR_PHASE_RECOMPUTE},
                {"optimizer", TS_IR_PHASE_OPTIMIZER}};
  if (ts_event_at(e, i)->kind == TS_KERNEL_COMMUNICATION)
    return TS_IR_PHASE_COMMUNICATION;
  const ts_graph_facts *f = ts_graph_facts_of(e, i);
  const char *name = f ? ts_events_text(e, f->phase) : "";
  for (size_t p = 0; p < sizeof phases / sizeof *phases; p++)
    if (strcmp(name, phases[p].name) == 0)
      return phases[p].phase;
  return TS_IR_PHASE_OTHER;
}

typedef struct play_rank_graph_program {
  const ts_events *e;
  uint32_t *node_of; /* by event: its last */
  ts_in_edges in;
  uint32_t *first_mem;
  const ts_message_key *keys;
  ts_arena *work;
  ts_program_maker make;
} play_rank_graph_program;

/* Its program plays its one fragment. */
static void end_program(const play_rank_graph_maker *m, const play_rank_graph_program *p,
                        const shared *found)
{
  TS_VEC(ts_ir_binding) bindings = {0};
  for (uint32_t i = 0; p->keys && i < p->e->count; i++)
    if (ts_is_message(p->e, ts_event_at(p->e, i)))
      TS_PUSH(p->work, &bindings,
              ((ts_ir_binding){(uint32_t)p->e->comms.at[ts_event_at(p->e, i)->detail].peer,
                               tag_of(m, &p->keys[i])}));
  ts_ir_item item = ts_program_item(m->b, found->fragment, TS_IR_NONE, bindings.at, bindings.count);
  ts_program_end(
    m->b, ts_arena_printf(p->work, "rank %u", (uint32_t)p->e->rank),
    (ts_ir_program){.first_holding = found->first_holding,
                    .holding_count = found->holding_count,
                    .memory_order = p->e->graph ? TS_IR_MEMORY_ISSUED : TS_IR_MEMORY_PLAYED},
    &item, 1);
}

/* The n-th call of a list has the bytes that most is given by any member; `calls` counts them. */
static uint32_t put_collective(play_rank_graph_maker *m, play_rank_graph_program *p, ts_ir_node n,
                               uint32_t i, uint32_t *calls)
{
  uint32_t number = m->groups->list_of[p->e->rank][ts_event_at(p->e, i)->detail];
  if (number == TS_EVENT_NONE)
    return ts_program_call(&p->make, n, TS_IR_NONE, 0, 0);
  const ts_rank_list *list = &m->groups->lists.at[number];
  const ts_rank_call *call = &list->calls.at[calls[number]++];
  return ts_program_call(&p->make, n, m->ir_groups[list->group], ts_comm_in_ir(call->kind),
                         (int64_t)call->bytes);
}

/* TS_IR_CATEGORIES: there is no such category (doc/graph_json.md). One that is not said, and those
 * that only graphs have, are temporaries. */
static uint32_t category_of(const char *name)
{
  static const char *const temporaries[] = {"", "gathered", "recompute", "communication"};
  for (size_t i = 0; i < sizeof temporaries / sizeof *temporaries; i++)
    if (strcmp(temporaries[i], name) == 0)
      return TS_IR_TEMPORARIES;
  uint32_t c = 0;
  while (c < TS_IR_CATEGORIES && strcmp(ts_ir_category_names[c], name) != 0) c++;
  return c;
}

static void take_needs(play_rank_graph_program *p, uint32_t i)
{
  for (uint32_t k = p->in.first[i]; k < p->in.first[i + 1]; k++)
    ts_program_wait(&p->make, p->node_of[p->in.edge[k].from]);
  for (uint32_t k = p->first_mem[i]; k < p->first_mem[i + 1]; k++) {
    const ts_graph_memory *g = &p->e->graph->memory.at[k];
    ts_program_memory(&p->make, g->bytes, category_of(ts_events_text(p->e, g->category)),
                      ts_events_text(p->e, g->module));
  }
}

static uint32_t put_host(play_rank_graph_program *p, ts_ir_node n, const ts_event *v)
{
  n.op = v->duration > 0 ? TS_IR_HOST_WORK : TS_IR_HOST_SYNC;
  n.host_ps = v->duration > 0 ? (uint64_t)v->duration * 1000 : 0;
  return ts_program_node(&p->make, n);
}

static bool put_event(play_rank_graph_maker *m, play_rank_graph_program *p, uint32_t i,
                      uint32_t *calls)
{
  const ts_event *v = ts_event_at(p->e, i);
  const ts_graph_facts *f = ts_graph_facts_of(p->e, i);
  bool device = v->class == TS_EVENT_DEVICE,
       comm = device && v->kind == TS_KERNEL_COMMUNICATION && v->detail != TS_EVENT_NONE;
  const char *module = f ? ts_events_text(p->e, f->module) : "",
             *name = ts_events_text(p->e, v->name);
  ts_ir_node n = {.op = TS_IR_COMPUTE,
                  .stream = device ? (uint8_t)stream_of(m, p->e, v) : 0,
                  .phase = (uint8_t)phase_of(p->e, i),
                  .label = ts_ir_add_string(
                    m->b, *module ? ts_arena_printf(p->work, "%s %s", module, name) : name)};
  take_needs(p, i);
  if (device && !comm) {
    if (!ts_program_kernels(&p->make, n, p->e, i, &p->node_of[i], m->error))
      return false;
  } else if (!device) {
    p->node_of[i] = put_host(p, n, v);
  } else if (ts_is_message(p->e, v)) {
    const ts_event_comm *c = &p->e->comms.at[v->detail];
    p->node_of[i] =
      ts_program_message(&p->make, n, c->kind == TS_COMM_SEND, m->message_group, c->bytes);
  } else {
    p->node_of[i] = put_collective(m, p, n, i, calls);
  }
  if (f && f->sync) {
    ts_program_wait(&p->make, p->node_of[i]);
    ts_program_node(
      &p->make, (ts_ir_node){.op = TS_IR_HOST_SYNC, .phase = TS_IR_PHASE_OTHER, .label = n.label});
  }
  return true;
}

static bool check_edges(play_rank_graph_maker *m, const play_rank_graph_program *p)
{
  const ts_events *e = p->e;
  for (size_t k = 0; k < e->edges.count; k++)
    if (e->edges.at[k].from >= e->edges.at[k].to)
      return ts_fail(m->error, "list nodes after those that they wait for",
                     "rank %" PRId64 ": node %u waits for node %u, which comes after it", e->rank,
                     e->edges.at[k].to, e->edges.at[k].from);
  for (uint32_t i = 0; i < e->count; i++)
    if (p->in.first[i + 1] - p->in.first[i] > RUN_MOST)
      return ts_fail(m->error, "let it wait for the last node of each stream",
                     "rank %" PRId64 ": node %u waits for more than %d others", e->rank, i,
                     RUN_MOST);
  return true;
}

/* Memory events lie in the order of nodes, what is held before at either end. */
static bool sort_memory(play_rank_graph_maker *m, play_rank_graph_program *p)
{
  const ts_events *e = p->e;
  p->first_mem = TS_NEW_ARRAY(p->work, uint32_t, e->count + 2);
  if (!e->graph)
    return true;
  uint32_t k = 0;
  for (uint32_t i = 0; i <= e->count; i++) {
    while (k < e->graph->memory.count &&
           (e->graph->memory.at[k].event == TS_EVENT_NONE || e->graph->memory.at[k].event < i))
      k++;
    p->first_mem[i] = k;
    if (i && k - p->first_mem[i - 1] > RUN_MOST)
      return ts_fail(m->error, "add up what a node allocates by category",
                     "rank %" PRId64 ": node %u has more than %d lines of `memory`", e->rank, i - 1,
                     RUN_MOST);
  }
  for (size_t i = 1; i < e->graph->memory.count; i++)
    if (e->graph->memory.at[i].event != TS_EVENT_NONE &&
        e->graph->memory.at[i - 1].event != TS_EVENT_NONE &&
        e->graph->memory.at[i].event < e->graph->memory.at[i - 1].event)
      return ts_fail(m->error, "sort `memory` by `node`",
                     "rank %" PRId64 ": `memory` is not in the order of nodes", e->rank);
  return true;
}

/* A rank frees what it held before or allocated, by category. */
static bool check_memory(play_rank_graph_maker *m, const ts_events *e)
{
  int64_t held[TS_IR_CATEGORIES] = {0};
  for (size_t i = 0; e->graph && i < e->graph->memory.count; i++) {
    const ts_graph_memory *g = &e->graph->memory.at[i];
    const char *name = ts_events_text(e, g->category);
    uint32_t category = category_of(name);
    if (category == TS_IR_CATEGORIES)
      return ts_fail(m->error, "categories are in doc/graph_json.md; `temporaries` is the rest",
                     "rank %" PRId64 ": memory of a category `%.100s`", e->rank, name);
    held[category] += g->bytes;
    if (held[category] < 0)
      return ts_fail(m->error, "list what is allocated before what frees it",
                     "rank %" PRId64 ": node %u frees %" PRId64 " bytes of %s more than there are",
                     e->rank, g->event, -held[category], ts_ir_category_names[category]);
  }
  return true;
}

static uint32_t put_holdings(play_rank_graph_maker *m, const ts_events *e, uint32_t *count)
{
  TS_VEC(ts_ir_holding) held = {0};
  for (size_t i = 0; e->graph && i < e->graph->memory.count; i++) {
    const ts_graph_memory *g = &e->graph->memory.at[i];
    if (g->event == TS_EVENT_NONE && g->bytes > 0)
      TS_PUSH(m->work, &held,
              ((ts_ir_holding){.bytes = (uint64_t)g->bytes,
                               .category = category_of(ts_events_text(e, g->category)),
                               .label = ts_ir_add_string(m->b, ts_events_text(e, g->module))}));
  }
  *count = (uint32_t)held.count;
  return ts_ir_append_copies(m->b, TS_IR_HOLDINGS, held.at, *count);
}

static bool put_fragment(play_rank_graph_maker *m, play_rank_graph_program *p, uint32_t *fragment)
{
  uint32_t *calls = TS_NEW_ARRAY(p->work, uint32_t, m->groups->lists.count + 1);
  p->node_of = TS_NEW_ARRAY(p->work, uint32_t, p->e->count + 1);
  p->in = ts_events_in_edges(p->work, p->e);
  if (!check_edges(m, p) || !sort_memory(m, p) || !check_memory(m, p->e))
    return false;
  ts_program_step(&p->make);
  for (uint32_t i = 0; i < p->e->count; i++)
    if (!put_event(m, p, i, calls))
      return false;
  *fragment =
    ts_program_fragment(&p->make, ts_arena_printf(p->work, "rank %u", (uint32_t)p->e->rank), "S");
  return true;
}

static void find_shared(play_rank_graph_maker *m)
{
  m->shared_of = TS_NEW_ARRAY(m->work, uint32_t, m->world);
  for (uint32_t r = 0; r < m->world; r++) {
    digest work = digest_of(m, m->ranks[r]);
    uint32_t i = 0;
    while (i < m->shared.count && memcmp(&m->shared.at[i].work, &work, sizeof work) != 0) i++;
    if (i == m->shared.count)
      TS_PUSH(m->work, &m->shared, ((shared){.work = work, .rank = r}));
    m->shared.at[i].ranks++;
    m->shared_of[r] = i;
  }
}

static bool put_program(play_rank_graph_maker *m, uint32_t rank)
{
  ts_arena *work = ts_arena_new("program of a rank");
  play_rank_graph_program p = {.e = m->ranks[rank],
                               .work = work,
                               .keys = ts_message_keys(work, m->ranks[rank]),
                               .make = {.b = m->b, .arena = work, .prices = m->prices}};
  shared *found = &m->shared.at[m->shared_of[rank]];
  bool good = take_messages(m, p.e, p.keys);
  if (good && found->rank == rank) {
    m->prices->alike(m->prices->closure, found->ranks);
    good = put_fragment(m, &p, &found->fragment);
    if (good)
      found->first_holding = put_holdings(m, p.e, &found->holding_count);
  }
  if (good)
    end_program(m, &p, found);
  ts_arena_free(work);
  return good;
}

/* "4 ranks, 2 apart"; those without a pattern by the ranks of the first list. */
static const char *group_name(const play_rank_graph_maker *m, const ts_rank_group_lists *g)
{
  const ts_rank_list *first = &m->groups->lists.at[*g->lists.at];
  if (g->size == m->world)
    return "all ranks";
  if (g->apart)
    return g->apart == 1 ? ts_arena_printf(m->work, "%u neighbours", g->size) :
                           ts_arena_printf(m->work, "%u ranks, %u apart", g->size, g->apart);
  const char *text = "ranks";
  for (uint32_t i = 0; i < first->size && i < 6; i++)
    text = ts_arena_printf(m->work, "%s %u", text, first->ranks[i]);
  return first->size > 6 ? ts_arena_printf(m->work, "%s ...", text) : text;
}

static void put_groups(play_rank_graph_maker *m)
{
  m->ir_groups = TS_NEW_ARRAY(m->work, uint32_t, m->groups->groups.count + 1);
  ts_ir_group messages = {.name = ts_ir_add_string(m->b, "pairs"), .axes = 1};
  m->message_group = ts_ir_append_copies(m->b, TS_IR_GROUPS, &messages, 1);
  for (uint32_t g = 0; g < m->groups->groups.count; g++) {
    const ts_rank_group_lists *lists = &m->groups->groups.at[g];
    const char *name = group_name(m, lists);
    uint32_t before = 0;
    for (uint32_t k = 0; k < g; k++)
      before += strcmp(group_name(m, &m->groups->groups.at[k]), name) == 0;
    if (before)
      name = ts_arena_printf(m->work, "%s (%u)", name, before + 1);
    ts_ir_group group = {.name = ts_ir_add_string(m->b, name),
                         .size = lists->size,
                         .rank_count = lists->size * (uint32_t)lists->lists.count};
    void *at;
    group.first_rank = ts_ir_append(m->b, TS_IR_GROUP_RANKS, group.rank_count, &at);
    for (size_t i = 0; i < lists->lists.count; i++)
      memcpy((uint32_t *)at + i * lists->size, m->groups->lists.at[lists->lists.at[i]].ranks,
             lists->size * sizeof(uint32_t));
    m->ir_groups[g] = ts_ir_append_copies(m->b, TS_IR_GROUPS, &group, 1);
  }
}

static void play_rank_graph_put_streams(play_rank_graph_maker *m)
{
  for (size_t s = 0; s < m->groups->streams.count; s++) {
    const char *kind = m->groups->streams.at[s].kind;
    ts_program_stream(m->b, ts_arena_printf(m->work, "%s %zu", kind, s),
                      strcmp(kind, "comm") == 0 ? TS_IR_STREAM_COMM :
                      strcmp(kind, "copy") == 0 ? TS_IR_STREAM_COPY :
                                                  TS_IR_STREAM_COMPUTE,
                      m->prices->unshared, (uint16_t)m->groups->streams.at[s].priority);
  }
}

bool ts_is_rank_graph(const ts_events *e)
{
  return e->format == TS_TRACE_GRAPH || e->format == TS_TRACE_GOAL;
}

/* Messages go to other ranks, and nothing lasts longer than a node of an IR may. */
static bool check_events(play_rank_graph_maker *m, const ts_events *e)
{
  for (uint32_t i = 0; i < e->count; i++) {
    const ts_event *v = ts_event_at(e, i);
    int64_t peer = ts_is_message(e, v) ? e->comms.at[v->detail].peer : TS_EVENT_NONE;
    if (ts_is_message(e, v) && (peer < 0 || peer >= m->world || peer == e->rank))
      return ts_fail(m->error, "messages go from rank to rank of the job",
                     "rank %" PRId64 ", node %u: a message to or from rank %" PRId64 " of %u",
                     e->rank, i, peer, m->world);
    if (!ts_event_fits(v->duration))
      return ts_fail(m->error, "times of graphs are nanoseconds",
                     "rank %" PRId64 ", node %u: it takes %" PRId64 " ns: longer than the clock",
                     e->rank, i, v->duration);
  }
  return true;
}

static bool check_ranks(play_rank_graph_maker *m)
{
  for (uint32_t r = 0; r < m->world; r++) {
    const ts_events *e = m->ranks[r];
    if (!ts_is_rank_graph(e))
      return ts_fail(m->error, "trainspec-trace writes them", "`%s` is not an execution graph",
                     ts_base_name(e->file));
    if (e->world != m->world || e->rank != r)
      return ts_fail(m->error, "give the graphs of all ranks",
                     "`%s` is rank %" PRId64 " of %" PRId64 "; wanted is rank %u of %u",
                     ts_base_name(e->file),
                     e->rank, e->world, r, m->world);
    if (e->cut)
      return ts_fail(m->error, "copy the file again", "`%s` ends early", ts_base_name(e->file));
    if (!e->count)
      return ts_fail(m->error, "trace the rank again", "`%s` holds no nodes",
                     ts_base_name(e->file));
    if (!check_events(m, e))
      return false;
  }
  return true;
}

static bool play_rank_graph_play(play_rank_graph_maker *m)
{
  if (!check_ranks(m) ||
      !(m->groups = ts_rank_groups_new(m->work, m->ranks, m->world, m->error)))
    return false;
  ts_program_axis(m->b, "rank", m->world, 1);
  put_groups(m);
  play_rank_graph_put_streams(m);
  collect_messages(m);
  find_shared(m);
  for (uint32_t r = 0; r < m->world; r++)
    if (!put_program(m, r))
      return false;
  return all_taken(m);
}

bool ts_rank_graphs_play(ts_ir_builder *b, const ts_events *const *ranks, uint32_t count,
                         const ts_rank_prices *prices, ts_error *error)
{
  play_rank_graph_maker m = {.ranks = ranks,
                             .world = count,
                             .prices = prices,
                             .b = b,
                             .error = error,
                             .work = ts_arena_new("rank graphs")};
  bool good = play_rank_graph_play(&m);
  ts_arena_free(m.work);
  return good;
}
