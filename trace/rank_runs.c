#include "trace/rank_runs.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "trace/rank_messages.h"
#include "trace/read/rank_graph.h"

static bool computes(const ts_events *e, const ts_event *v)
{
  return v->class == TS_EVENT_DEVICE && v->kind != TS_KERNEL_COMMUNICATION &&
         !strcmp(ts_events_text(e, e->tracks.at[v->track].label), "compute");
}

static ts_run_kind kind_of_phase(const char *phase)
{
  return !strcmp(phase, "forward")                                 ? TS_RUN_FORWARD :
         !strcmp(phase, "backward") || !strcmp(phase, "recompute") ? TS_RUN_BACKWARD :
         !strcmp(phase, "optimizer")                               ? TS_RUN_STEP :
                                                                     TS_RUN_NONE;
}

void ts_rank_runs_find(ts_arena *arena, const ts_events *e, ts_rank_runs *out)
{
  uint8_t *sent_by = TS_NEW_ARRAY(arena, uint8_t, e->count + 1);
  ts_run_kind open = TS_RUN_NONE, last = TS_RUN_NONE;
  *out = (ts_rank_runs){.sent_by = sent_by};
  for (uint32_t i = 0; i < e->count; i++) {
    const ts_event *v = ts_event_at(e, i);
    const ts_graph_facts *f = ts_graph_facts_of(e, i);
    ts_run_kind kind = kind_of_phase(f ? ts_events_text(e, f->phase) : "");
    bool outside = !f || !f->module, message = ts_is_message(e, v);
    bool between = message && outside && kind != TS_RUN_BACKWARD && kind != TS_RUN_STEP;
    sent_by[i] = (uint8_t)(between ? last : TS_RUN_NONE);
    if (between)
      open = TS_RUN_NONE;
    if (!computes(e, v) || kind == TS_RUN_NONE ||
        (kind == TS_RUN_FORWARD && outside && open != TS_RUN_FORWARD))
      continue;
    if (open != kind)
      TS_PUSH(arena, &out->at, ((ts_rank_run){.kind = kind, .first = i}));
    out->at.at[out->at.count - 1].last = i;
    open = last = kind;
  }
}

/* ---- Messages that are dropped ---- */

static bool is_send(const ts_events *e, uint32_t i)
{
  const ts_event *v = ts_event_at(e, i);
  return ts_is_message(e, v) && e->comms.at[v->detail].kind == TS_COMM_SEND;
}

uint32_t ts_rank_messages_drop(const ts_events *const *ranks, uint32_t count,
                               const ts_rank_runs *runs, uint32_t kinds, ts_rank_changes *changes)
{
  ts_arena *work = ts_arena_new("messages that are dropped");
  ts_message_key **keys = TS_NEW_ARRAY(work, ts_message_key *, count);
  TS_VEC(ts_message_key) gone = {0};
  for (uint32_t r = 0; r < count; r++) {
    keys[r] = ts_message_keys(work, ranks[r]);
    for (uint32_t i = 0; keys[r] && i < ranks[r]->count; i++)
      if (is_send(ranks[r], i) && kinds >> runs[r].sent_by[i] & 1) {
        changes[r].dropped[i] = true;
        TS_PUSH(work, &gone, keys[r][i]);
      }
  }
  TS_SORT(&gone, ts_message_keys_compare);
  for (uint32_t r = 0; r < count; r++)
    for (uint32_t i = 0; keys[r] && gone.count && i < ranks[r]->count; i++)
      if (ts_is_message(ranks[r], ts_event_at(ranks[r], i)) &&
          bsearch(&keys[r][i], gone.at, gone.count, sizeof *gone.at, ts_message_keys_compare))
        changes[r].dropped[i] = true;
  ts_arena_free(work);
  return (uint32_t)gone.count;
}

/* ---- Changes ---- */

/* What stands before an event of the old table: sends of the run that ended, then receives. */
typedef struct added {
  uint32_t before, message;
  bool send;
} added;

typedef struct rank_runs_changer {
  const ts_events *e;
  const ts_rank_runs *runs;
  const ts_rank_changes *changes;
  ts_events *to;
  struct ts_rank_graph *graph;
  ts_arena *work;
  uint32_t *number_of; /* by old event, and the end: its number, or that of the next one kept */
  uint32_t *place_of;  /* by message: its number */
} rank_runs_changer;

static const ts_graph_facts nothing_said = {.in = TS_EVENT_NONE, .out = TS_EVENT_NONE, .root = -1};

static int by_place(const void *a, const void *b)
{
  const added *x = a, *y = b;
  return x->before != y->before ? (x->before < y->before ? -1 : 1) :
         x->send != y->send     ? (x->send ? -1 : 1) :
                                  (x->message > y->message) - (x->message < y->message);
}

static uint32_t rank_runs_string(const rank_runs_changer *c, const char *text)
{
  return ts_events_string(c->to, text, strlen(text));
}

/* Messages that carry nothing overtake those that carry something. */
static uint32_t track_of_message(rank_runs_changer *c, const ts_run_message *m)
{
  const char *name = m->send  ? (m->bytes ? "send protocol" : "send signals") :
                     m->bytes ? "receive protocol" :
                                "receive signals";
  uint32_t track = ts_events_track(c->to, 0, rank_runs_string(c, name), true);
  c->to->tracks.at[track].label = rank_runs_string(c, "comm");
  return track;
}

static void put_message(rank_runs_changer *c, uint32_t message)
{
  const ts_run_message *m = &c->changes->messages.at[message];
  uint32_t track = track_of_message(c, m);
  ts_event *v = ts_events_add(c->to, TS_EVENT_DEVICE, TS_KERNEL_COMMUNICATION);
  v->name = rank_runs_string(c, m->label);
  v->track = track;
  v->detail = (uint32_t)c->to->comms.count;
  c->place_of[message] = c->to->count - 1;
  TS_PUSH(c->to->arena, &c->to->comms,
          ((ts_event_comm){.kind = m->send ? TS_COMM_SEND : TS_COMM_RECV,
                           .name = v->name,
                           .group = rank_runs_string(c, "protocols"),
                           .in = -1,
                           .out = -1,
                           .bytes = m->bytes,
                           .size = -1,
                           .sequence = -1,
                           .peer = m->peer,
                           .tag = m->tag}));
  TS_PUSH(c->to->arena, &c->graph->facts, nothing_said);
}

static void keep_event(rank_runs_changer *c, uint32_t i)
{
  const ts_event *v = ts_event_at(c->e, i);
  *ts_events_add(c->to, (ts_event_class)v->class, (ts_event_kind)v->kind) = *v;
  ts_events_put_work(c->to, c->to->count - 1, ts_event_work_of(c->e, i));
  const ts_graph_facts *f = ts_graph_facts_of(c->e, i);
  TS_PUSH(c->to->arena, &c->graph->facts, f ? *f : nothing_said);
}

static void put_events(rank_runs_changer *c)
{
  TS_VEC(added) order = {0};
  size_t next = 0;
  for (uint32_t m = 0; m < c->changes->messages.count; m++) {
    const ts_run_message *of = &c->changes->messages.at[m];
    const ts_rank_run *run = &c->runs->at.at[of->run];
    TS_PUSH(c->work, &order, ((added){of->send ? run->last + 1 : run->first, m, of->send}));
  }
  TS_SORT(&order, by_place);
  for (uint32_t i = 0; i <= c->e->count; i++) {
    while (next < order.count && order.at[next].before == i)
      put_message(c, order.at[next++].message);
    c->number_of[i] = c->to->count;
    if (i < c->e->count && !c->changes->dropped[i])
      keep_event(c, i);
  }
}

/* The first event of the run on each stream that computes waits for what is received, what is sent
 * for the last ones. */
static void tie_message(rank_runs_changer *c, uint32_t message)
{
  const ts_run_message *m = &c->changes->messages.at[message];
  const ts_rank_run *run = &c->runs->at.at[m->run];
  bool *seen = TS_NEW_ARRAY(c->work, bool, c->to->tracks.count);
  uint32_t at = c->place_of[message], count = run->last - run->first + 1;
  for (uint32_t k = 0; k < count; k++) {
    uint32_t i = m->send ? run->last - k : run->first + k;
    const ts_event *v = ts_event_at(c->e, i);
    if (!computes(c->e, v) || seen[v->track])
      continue;
    seen[v->track] = true;
    uint32_t other = c->number_of[i];
    TS_PUSH(c->to->arena, &c->to->edges,
            ((ts_event_edge){m->send ? other : at, m->send ? at : other, false}));
  }
}

static void put_edges(rank_runs_changer *c)
{
  for (size_t i = 0; i < c->e->edges.count; i++) {
    const ts_event_edge *x = &c->e->edges.at[i];
    if (!c->changes->dropped[x->from] && !c->changes->dropped[x->to])
      TS_PUSH(c->to->arena, &c->to->edges,
              ((ts_event_edge){c->number_of[x->from], c->number_of[x->to], x->control}));
  }
  for (uint32_t m = 0; m < c->changes->messages.count; m++)
    tie_message(c, m);
}

/* What a message that is gone allocates or frees, the event behind it does. */
static void put_memory(rank_runs_changer *c)
{
  for (size_t i = 0; i < c->e->graph->memory.count; i++) {
    ts_graph_memory g = c->e->graph->memory.at[i];
    if (g.event != TS_EVENT_NONE) {
      g.event = c->number_of[g.event];
      g.event -= g.event == c->to->count;
    }
    TS_PUSH(c->to->arena, &c->graph->memory, g);
  }
}

static void slow_runs(rank_runs_changer *c)
{
  for (size_t r = 0; r < c->runs->at.count; r++) {
    const ts_rank_run *run = &c->runs->at.at[r];
    for (uint32_t i = run->first; c->changes->slowed[r] > 0 && i <= run->last; i++)
      if (computes(c->e, ts_event_at(c->e, i)))
        c->graph->facts.at[c->number_of[i]].slowed = c->changes->slowed[r];
  }
}

const ts_events *ts_rank_graph_changed(const ts_events *e, const ts_rank_runs *runs,
                                       const ts_rank_changes *changes)
{
  ts_events *to = TS_NEW(e->arena, ts_events);
  rank_runs_changer c = {.e = e,
                         .runs = runs,
                         .changes = changes,
                         .to = to,
                         .graph = TS_NEW(e->arena, struct ts_rank_graph),
                         .work = ts_arena_new("changes of a rank")};
  *to = *e;
  *c.graph = *e->graph;
  to->graph = c.graph;
  to->count = 0;
  to->flow = NULL;
  memset(&to->blocks, 0, sizeof to->blocks);
  memset(&to->edges, 0, sizeof to->edges);
  memset(&to->work, 0, sizeof to->work);
  memset(&to->copies, 0, sizeof to->copies);
  memset(&c.graph->facts, 0, sizeof c.graph->facts);
  memset(&c.graph->memory, 0, sizeof c.graph->memory);
  to->tracks.room = to->tracks.count; /* those of the old table stay its own */
  to->comms.room = to->comms.count;
  c.number_of = TS_NEW_ARRAY(c.work, uint32_t, e->count + 1);
  c.place_of = TS_NEW_ARRAY(c.work, uint32_t, changes->messages.count + 1);
  put_events(&c);
  put_edges(&c);
  put_memory(&c);
  slow_runs(&c);
  ts_arena_free(c.work);
  return to;
}
