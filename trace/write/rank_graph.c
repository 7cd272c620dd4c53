/* Writes an execution graph: doc/graph_json.md. */
#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "base/output.h"
#include "trace/read/rank_graph.h"
#include "trace/write/export_form.h"

static void put_groups(const ts_events *e, FILE *out)
{
  bool any = false;
  fputs(" \"groups\": [", out);
  for (size_t i = 0; i < e->groups.count; i++, any = true)
    ts_put_json(out, "%s\n  {\"id\": %s, \"ranks\": [%s]}", any ? "," : "",
                ts_events_text(e, e->groups.at[i].name), ts_events_text(e, e->groups.at[i].ranks));
  fputs(any ? "\n ],\n" : "],\n", out);
}

static void put_streams(const ts_events *e, FILE *out)
{
  ts_arena *work = ts_arena_new("streams");
  bool *comm = TS_NEW_ARRAY(work, bool, e->tracks.count + 1);
  for (uint32_t i = 0; i < e->count; i++)
    comm[ts_event_at(e, i)->track] |= ts_event_at(e, i)->kind == TS_KERNEL_COMMUNICATION;
  fputs(" \"streams\": [", out);
  for (size_t t = 0; t < e->tracks.count; t++) {
    const char *kind = ts_events_text(e, e->tracks.at[t].label);
    if (!*kind)
      kind = !e->tracks.at[t].device ? "host" : comm[t] ? "comm" : "compute";
    ts_put_json(out, "%s\n  {\"id\": %s, \"kind\": \"%s\"}", t ? "," : "",
                ts_events_text(e, e->tracks.at[t].thread_name), kind);
  }
  fputs(e->tracks.count ? "\n ],\n" : "],\n", out);
  ts_arena_free(work);
}

/* "[[4,8],[8]]" and "["float32","float32"]" as pairs. */
static void put_tensors(const ts_events *e, const char *name, uint32_t shapes, FILE *out)
{
  const char *dims = ts_events_text(e, e->shapes.at[shapes].dims) + 1,
             *types = ts_events_text(e, e->shapes.at[shapes].types) + 1;
  ts_put_json(out, ", \"%s\": [", name);
  for (bool first = true; *types == '"' || *types == ','; first = false) {
    types += *types == ',';
    dims += *dims == ',';
    const char *type_end = strchr(types + 1, '"'), *dims_end = strchr(dims, ']');
    if (!type_end || !dims_end)
      break;
    ts_put_json(out, "%s[\"%.*s\", [%.*s]]", first ? "" : ", ", (int)(type_end - types - 1),
                types + 1, (int)(dims_end - dims - 1), dims + 1);
    types = type_end + 1;
    dims = dims_end + 1;
  }
  fputc(']', out);
}

static void put_comm(const ts_events *e, const ts_event_comm *c, const ts_graph_facts *facts,
                     FILE *out)
{
  ts_put_json(out, ", \"comm\": \"%s\"", ts_comm_kind_name((ts_comm_kind)c->kind));
  if (c->group)
    ts_put_json(out, ", \"group\": %s", ts_events_text(e, c->group));
  if (c->peer >= 0)
    fprintf(out, ", \"peer\": %" PRId64 ", \"tag\": %" PRId64, c->peer, c->tag);
  if (facts && facts->root >= 0)
    fprintf(out, ", \"root\": %" PRId64, facts->root);
  if (c->dtype) {
    fputs(", \"dtype\": ", out);
    ts_put_json_string(out, ts_events_text(e, c->dtype));
  }
  if (c->in >= 0)
    fprintf(out, ", \"in_elements\": %" PRId64, c->in);
  if (c->out >= 0)
    fprintf(out, ", \"out_elements\": %" PRId64, c->out);
  if (c->bytes >= 0)
    fprintf(out, ", \"bytes\": %" PRId64, c->bytes);
  if (c->sequence >= 0)
    fprintf(out, ", \"seq\": %" PRId64, c->sequence);
}

static bool put_node(ts_form_writer *w, uint32_t i)
{
  const ts_events *e = w->e;
  FILE *out = w->out;
  const ts_event *v = ts_event_at(e, i);
  const ts_graph_facts *facts =
    e->graph && i < e->graph->facts.count ? &e->graph->facts.at[i] : NULL;
  fprintf(out, i ? ",\n  {\"id\": %u, \"op\": " : "\n  {\"id\": %u, \"op\": ", i);
  ts_put_json_string(out, ts_events_text(e, v->name));
  ts_put_json(out, ", \"stream\": %s", ts_events_text(e, e->tracks.at[v->track].thread_name));
  for (uint32_t k = 0; facts && k < 2; k++) {
    const char *text = ts_events_text(e, k ? facts->module : facts->phase);
    if (!*text)
      continue;
    ts_put_json(out, ", \"%s\": ", k ? "module" : "phase");
    ts_put_json_string(out, text);
  }
  if (v->kind == TS_KERNEL_COMMUNICATION && v->detail != TS_EVENT_NONE)
    put_comm(e, &e->comms.at[v->detail], facts, out);
  if (facts && facts->in != TS_EVENT_NONE)
    put_tensors(e, "in", facts->in, out);
  if (facts && facts->out != TS_EVENT_NONE)
    put_tensors(e, "out", facts->out, out);
  if (facts && facts->sync)
    fputs(", \"sync\": true", out);
  if (v->duration >= 0)
    fprintf(out, ", \"ns\": %" PRId64, v->duration);
  const ts_event_edge *in = w->in.edge + w->in.first[i];
  uint32_t count = w->in.first[i + 1] - w->in.first[i];
  for (uint32_t k = 0; k < count; k++) fprintf(out, k ? ", %u" : ", \"deps\": [%u", in[k].from);
  fputs(count ? "]}" : "}", out);
  return true;
}

static void put_memory(const ts_events *e, bool held, FILE *out)
{
  bool any = false;
  for (size_t i = 0; i < e->graph->memory.count; i++) {
    const ts_graph_memory *m = &e->graph->memory.at[i];
    if ((m->event == TS_EVENT_NONE) != held)
      continue;
    ts_put_json(out, any ? ",\n  {" : ",\n \"%s\": [\n  {", held ? "held" : "memory");
    if (!held)
      fprintf(out, "\"node\": %u, ", m->event);
    fprintf(out, "\"bytes\": %" PRId64 ", \"category\": ", m->bytes);
    ts_put_json_string(out, ts_events_text(e, m->category));
    fputc('}', out);
    any = true;
  }
  if (any)
    fputs("\n ]", out);
}

static void put_head(ts_form_writer *w)
{
  const ts_events *e = w->e;
  fputs("{\n \"format\": \"trainspec-graph\",\n \"version\": 1,\n \"producer\": ", w->out);
  ts_put_json_string(
    w->out, e->graph && e->graph->producer ? ts_events_text(e, e->graph->producer) : "trainspec");
  fprintf(w->out, ",\n \"rank\": %" PRId64 ",\n \"world\": %" PRId64 ",\n", e->rank, e->world);
  if (e->graph && e->graph->like >= 0)
    fprintf(w->out, " \"like\": %" PRId64 ",\n", e->graph->like);
  put_groups(e, w->out);
  put_streams(e, w->out);
  fputs(" \"nodes\": [", w->out);
}

static void put_tail(ts_form_writer *w)
{
  fputs(w->e->count ? "\n ]" : "]", w->out);
  for (int held = 1; w->e->graph && held >= 0; held--) put_memory(w->e, held, w->out);
  fputs("\n}\n", w->out);
}

const ts_form ts_form_graph = {put_head, put_node, put_tail};
