/* Writes an execution graph: doc/graph_json.md. */
#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "base/json_writer.h"
#include "base/output.h"
#include "trace/read/rank_graph.h"
#include "trace/write/export_form.h"

static ts_json_writer json_to(FILE *out, bool comma)
{
  return (ts_json_writer){.out = out, .spaced = true, .comma = comma};
}

/* A number as a text has it. */
static void rank_graph_put_number(ts_json_writer *w, const char *key, const char *digits)
{
  ts_json_key(w, key);
  ts_put_json(w->out, "%s", digits);
}

static void put_list(ts_json_writer *w, const char *key, const char *begin, size_t length)
{
  ts_json_begin(w, key, '[');
  ts_put_json(w->out, "%.*s", (int)length, begin);
  ts_json_end(w, ']');
}

static void put_groups(const ts_events *e, ts_json_writer *w)
{
  ts_json_line(w, 1);
  ts_json_begin(w, "groups", '[');
  for (size_t i = 0; i < e->groups.count; i++) {
    const char *ranks = ts_events_text(e, e->groups.at[i].ranks);
    ts_json_line(w, 2);
    ts_json_begin(w, NULL, '{');
    rank_graph_put_number(w, "id", ts_events_text(e, e->groups.at[i].name));
    put_list(w, "ranks", ranks, strlen(ranks));
    ts_json_end(w, '}');
  }
  if (e->groups.count)
    ts_json_last_line(w, 1);
  ts_json_end(w, ']');
}

static void rank_graph_put_streams(const ts_events *e, ts_json_writer *w)
{
  ts_arena *work = ts_arena_new("streams");
  bool *comm = TS_NEW_ARRAY(work, bool, e->tracks.count + 1);
  for (uint32_t i = 0; i < e->count; i++)
    comm[ts_event_at(e, i)->track] |= ts_event_at(e, i)->kind == TS_KERNEL_COMMUNICATION;
  bool unshared = ts_events_unshared(e);
  ts_json_line(w, 1);
  ts_json_begin(w, "streams", '[');
  for (size_t t = 0; t < e->tracks.count; t++) {
    const char *kind = ts_events_text(e, e->tracks.at[t].label);
    if (!*kind)
      kind = !e->tracks.at[t].device ? "host" : comm[t] ? "comm" : "compute";
    ts_json_line(w, 2);
    ts_json_begin(w, NULL, '{');
    rank_graph_put_number(w, "id", ts_events_text(e, e->tracks.at[t].thread_name));
    ts_json_put_text(w, "kind", kind);
    if (unshared && strcmp(kind, "compute") == 0)
      ts_json_put_bool(w, "unshared", true);
    if (e->tracks.at[t].priority)
      ts_json_put_count(w, "priority", e->tracks.at[t].priority);
    ts_json_end(w, '}');
  }
  if (e->tracks.count)
    ts_json_last_line(w, 1);
  ts_json_end(w, ']');
  ts_arena_free(work);
}

/* "[[4,8],[8]]" and "["float32","float32"]" as pairs. */
static void put_tensors(const ts_events *e, const char *key, uint32_t shapes, ts_json_writer *w)
{
  const char *dims = ts_events_text(e, e->shapes.at[shapes].dims) + 1,
             *types = ts_events_text(e, e->shapes.at[shapes].types) + 1;
  ts_json_begin(w, key, '[');
  while (*types == '"' || *types == ',') {
    types += *types == ',';
    dims += *dims == ',';
    const char *type_end = strchr(types + 1, '"'), *dims_end = strchr(dims, ']');
    if (!type_end || !dims_end)
      break;
    ts_json_begin(w, NULL, '[');
    ts_json_key(w, NULL);
    ts_put_json(w->out, "\"%.*s\"", (int)(type_end - types - 1), types + 1);
    put_list(w, NULL, dims + 1, (size_t)(dims_end - dims - 1));
    ts_json_end(w, ']');
    types = type_end + 1;
    dims = dims_end + 1;
  }
  ts_json_end(w, ']');
}

/* -1: not known, and left out */
static void put_known(ts_json_writer *w, const char *key, int64_t value)
{
  if (value >= 0)
    ts_json_put_signed(w, key, value);
}

static void put_comm(const ts_events *e, const ts_event_comm *c, const ts_graph_facts *facts,
                     ts_json_writer *w)
{
  ts_json_put_text(w, "comm", ts_comm_kind_name((ts_comm_kind)c->kind));
  if (c->group)
    rank_graph_put_number(w, "group", ts_events_text(e, c->group));
  put_known(w, "peer", c->peer);
  if (c->peer >= 0)
    ts_json_put_signed(w, "tag", c->tag);
  put_known(w, "root", facts ? facts->root : -1);
  if (c->dtype)
    ts_json_put_text(w, "dtype", ts_events_text(e, c->dtype));
  put_known(w, "in_elements", c->in);
  put_known(w, "out_elements", c->out);
  put_known(w, "bytes", c->bytes);
  put_known(w, "seq", c->sequence);
}

static bool rank_graph_put_node(ts_form_writer *form, uint32_t i)
{
  const ts_events *e = form->e;
  const ts_event *v = ts_event_at(e, i);
  const ts_graph_facts *facts = ts_graph_facts_of(e, i);
  ts_json_writer writer = json_to(form->out, i > 0), *w = &writer;
  ts_json_line(w, 2);
  ts_json_begin(w, NULL, '{');
  ts_json_put_count(w, "id", i);
  ts_json_put_text(w, "op", ts_events_text(e, v->name));
  rank_graph_put_number(w, "stream", ts_events_text(e, e->tracks.at[v->track].thread_name));
  for (uint32_t k = 0; facts && k < 2; k++) {
    const char *text = ts_events_text(e, k ? facts->module : facts->phase);
    if (*text)
      ts_json_put_text(w, k ? "module" : "phase", text);
  }
  if (v->kind == TS_KERNEL_COMMUNICATION && v->detail != TS_EVENT_NONE)
    put_comm(e, &e->comms.at[v->detail], facts, w);
  if (facts && facts->in != TS_EVENT_NONE)
    put_tensors(e, "in", facts->in, w);
  if (facts && facts->out != TS_EVENT_NONE)
    put_tensors(e, "out", facts->out, w);
  if (facts && facts->sync)
    ts_json_put_bool(w, "sync", true);
  put_known(w, "ns", v->duration);
  const ts_event_edge *in = form->in.edge + form->in.first[i];
  uint32_t count = form->in.first[i + 1] - form->in.first[i];
  if (count)
    ts_json_begin(w, "deps", '[');
  for (uint32_t k = 0; k < count; k++)
    ts_json_put_count(w, NULL, in[k].from);
  if (count)
    ts_json_end(w, ']');
  ts_json_end(w, '}');
  return true;
}

static void rank_graph_put_memory(const ts_events *e, bool held, ts_json_writer *w)
{
  bool any = false;
  for (size_t i = 0; i < e->graph->memory.count; i++) {
    const ts_graph_memory *m = &e->graph->memory.at[i];
    if ((m->event == TS_EVENT_NONE) != held)
      continue;
    if (!any) {
      ts_json_line(w, 1);
      ts_json_begin(w, held ? "held" : "memory", '[');
    }
    ts_json_line(w, 2);
    ts_json_begin(w, NULL, '{');
    if (!held)
      ts_json_put_count(w, "node", m->event);
    ts_json_put_signed(w, "bytes", m->bytes);
    ts_json_put_text(w, "category", ts_events_text(e, m->category));
    if (*ts_events_text(e, m->module))
      ts_json_put_text(w, "module", ts_events_text(e, m->module));
    ts_json_end(w, '}');
    any = true;
  }
  if (any) {
    ts_json_last_line(w, 1);
    ts_json_end(w, ']');
  }
}

static void rank_graph_put_head(ts_form_writer *form)
{
  const ts_events *e = form->e;
  ts_json_writer writer = json_to(form->out, false), *w = &writer;
  ts_json_begin(w, NULL, '{');
  ts_json_line(w, 1);
  ts_json_put_text(w, "format", "trainspec-graph");
  ts_json_line(w, 1);
  ts_json_put_count(w, "version", 1);
  ts_json_line(w, 1);
  ts_json_put_text(w, "producer",
                   e->graph && e->graph->producer ? ts_events_text(e, e->graph->producer) :
                                                    "trainspec");
  ts_json_line(w, 1);
  ts_json_put_signed(w, "rank", e->rank);
  ts_json_line(w, 1);
  ts_json_put_signed(w, "world", e->world);
  if (e->graph && e->graph->like >= 0) {
    ts_json_line(w, 1);
    ts_json_put_signed(w, "like", e->graph->like);
  }
  put_groups(e, w);
  rank_graph_put_streams(e, w);
  ts_json_line(w, 1);
  ts_json_begin(w, "nodes", '[');
}

static void put_tail(ts_form_writer *form)
{
  const ts_events *e = form->e;
  ts_json_writer writer = json_to(form->out, false), *w = &writer;
  if (e->count)
    ts_json_last_line(w, 1);
  ts_json_end(w, ']');
  for (int held = 1; e->graph && held >= 0; held--)
    rank_graph_put_memory(e, held, w);
  ts_json_last_line(w, 0);
  ts_json_end(w, '}');
  ts_json_end_document(w);
}

const ts_form ts_form_graph = {rank_graph_put_head, rank_graph_put_node, put_tail};
