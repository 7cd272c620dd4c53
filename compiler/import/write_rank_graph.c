/* Writes an execution graph: doc/graph_json.md. */
#include <inttypes.h>
#include <string.h>

#include "base/output.h"
#include "compiler/import/rank_graph.h"

static void put_groups(const ts_events *e, FILE *out)
{
  bool any = false;
  fputs(" \"groups\": [", out);
  for (size_t i = 0; i < e->groups.count; i++, any = true)
    fprintf(out, "%s\n  {\"id\": %s, \"ranks\": [%s]}", any ? "," : "", ts_events_text(e, e->groups.at[i].name), ts_events_text(e, e->groups.at[i].ranks));
  for (size_t i = 0; i < e->comms.count && !e->groups.count; i++) {
    const ts_event_comm *c = &e->comms.at[i];
    bool known = false;
    for (size_t k = 0; k < i && !known; k++) known = e->comms.at[k].group == c->group && e->comms.at[k].ranks == c->ranks;
    if (known || !c->group)
      continue;
    fprintf(out, "%s\n  {\"id\": %s, \"ranks\": [%s]}", any ? "," : "", ts_events_text(e, c->group), ts_events_text(e, c->ranks));
    any = true;
  }
  fputs(any ? "\n ],\n" : "],\n", out);
}

static void put_streams(const ts_events *e, FILE *out)
{
  ts_arena *work = ts_arena_new("streams");
  bool *comm = TS_NEW_ARRAY(work, bool, e->tracks.count + 1);
  for (uint32_t i = 0; i < e->count; i++) comm[ts_event_at(e, i)->track] |= ts_event_at(e, i)->kind == TS_KERNEL_COMMUNICATION;
  fputs(" \"streams\": [", out);
  for (size_t t = 0; t < e->tracks.count; t++) {
    const char *kind = ts_events_text(e, e->tracks.at[t].label);
    if (!*kind)
      kind = !e->tracks.at[t].device ? "host" : comm[t] ? "comm" : "compute";
    fprintf(out, "%s\n  {\"id\": %s, \"kind\": \"%s\"}", t ? "," : "", ts_events_text(e, e->tracks.at[t].thread_name), kind);
  }
  fputs(e->tracks.count ? "\n ],\n" : "],\n", out);
  ts_arena_free(work);
}

/* "[[4,8],[8]]" and "["float32","float32"]" as pairs. */
static void put_tensors(const ts_events *e, const char *name, uint32_t shapes, FILE *out)
{
  const char *dims = ts_events_text(e, e->shapes.at[shapes].dims) + 1, *types = ts_events_text(e, e->shapes.at[shapes].types) + 1;
  fprintf(out, ", \"%s\": [", name);
  for (bool first = true; *types == '"' || *types == ','; first = false) {
    types += *types == ',';
    dims += *dims == ',';
    const char *type_end = strchr(types + 1, '"'), *dims_end = strchr(dims, ']');
    if (!type_end || !dims_end)
      break;
    fprintf(out, "%s[%.*s, %.*s]", first ? "" : ", ", (int)(type_end + 1 - types), types, (int)(dims_end + 1 - dims), dims);
    types = type_end + 1;
    dims = dims_end + 1;
  }
  fputc(']', out);
}

static void put_comm(const ts_events *e, const ts_event_comm *c, const ts_graph_facts *facts, FILE *out)
{
  fprintf(out, ", \"comm\": \"%s\"", ts_comm_kind_name((ts_comm_kind)c->kind));
  if (c->group)
    fprintf(out, ", \"group\": %s", ts_events_text(e, c->group));
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

static void put_node(const ts_events *e, uint32_t i, const uint32_t *from, uint32_t count, FILE *out)
{
  const ts_event *v = ts_event_at(e, i);
  const ts_graph_facts *facts = e->graph && i < e->graph->facts.count ? &e->graph->facts.at[i] : NULL;
  fprintf(out, "  {\"id\": %u, \"op\": ", i);
  ts_put_json_string(out, ts_events_text(e, v->name));
  fprintf(out, ", \"stream\": %s", ts_events_text(e, e->tracks.at[v->track].thread_name));
  for (uint32_t k = 0; facts && k < 2; k++) {
    const char *text = ts_events_text(e, k ? facts->module : facts->phase);
    if (!*text)
      continue;
    fprintf(out, ", \"%s\": ", k ? "module" : "phase");
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
  for (uint32_t k = 0; k < count; k++) fprintf(out, "%s%u", k ? ", " : ", \"deps\": [", from[k]);
  fputs(count ? "]}" : "}", out);
}

static void put_nodes(const ts_events *e, FILE *out)
{
  ts_arena *work = ts_arena_new("graph");
  uint32_t *first = TS_NEW_ARRAY(work, uint32_t, e->count + 2), *from = TS_NEW_ARRAY(work, uint32_t, e->edges.count + 1), *at;
  for (size_t i = 0; i < e->edges.count; i++) first[e->edges.at[i].to + 1]++;
  for (uint32_t i = 0; i < e->count; i++) first[i + 1] += first[i];
  at = ts_arena_copy(work, first, sizeof *first * (e->count + 1));
  for (size_t i = 0; i < e->edges.count; i++) from[at[e->edges.at[i].to]++] = e->edges.at[i].from;
  fputs(" \"nodes\": [", out);
  for (uint32_t i = 0; i < e->count; i++) {
    fputs(i ? ",\n" : "\n", out);
    put_node(e, i, from + first[i], first[i + 1] - first[i], out);
  }
  fputs(e->count ? "\n ]" : "]", out);
  ts_arena_free(work);
}

static void put_memory(const ts_events *e, bool held, FILE *out)
{
  bool any = false;
  for (size_t i = 0; i < e->graph->memory.count; i++) {
    const ts_graph_memory *m = &e->graph->memory.at[i];
    if ((m->event == TS_EVENT_NONE) != held)
      continue;
    fprintf(out, any ? ",\n  {" : ",\n \"%s\": [\n  {", held ? "held" : "memory");
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

void ts_graph_write(const ts_events *e, FILE *out)
{
  fputs("{\n \"format\": \"trainspec-graph\",\n \"version\": 1,\n \"producer\": ", out);
  ts_put_json_string(out, e->graph && e->graph->producer ? ts_events_text(e, e->graph->producer) : "trainspec");
  fprintf(out, ",\n \"rank\": %" PRId64 ",\n \"world\": %" PRId64 ",\n", e->rank, e->world);
  if (e->graph && e->graph->like >= 0)
    fprintf(out, " \"like\": %" PRId64 ",\n", e->graph->like);
  put_groups(e, out);
  put_streams(e, out);
  put_nodes(e, out);
  for (int held = 1; e->graph && held >= 0; held--) put_memory(e, held, out);
  fputs("\n}\n", out);
}
