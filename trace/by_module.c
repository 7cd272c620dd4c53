/* Adds device work up by the modules that its operators run in. */
#include "trace/by_module.h"

#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "base/hash_table.h"
#include "trace/layers.h"
#include "trace/read/rank_graph.h"
#include "trace/summary.h"

typedef struct by_module_adding {
  ts_arena *arena;
  ts_by_module *by;
  ts_hash_table names;
} by_module_adding;
static bool is_digits(const char *part, size_t length)
{
  return length && strspn(part, "0123456789") >= length;
}

/* The first `depth` parts of a path. */
static const char *cut(by_module_adding *a, const char *path)
{
  char *name = ts_arena_string(a->arena, path, strlen(path)), *out = name;
  for (uint32_t depth = 0; *path;) {
    size_t length = strcspn(path, ".");
    bool number = is_digits(path, length);
    if (!number && depth++ == a->by->depth)
      break;
    if (out > name)
      *out++ = '.';
    if (number && !a->by->layers)
      *out++ = '*';
    else
      for (size_t i = 0; i < length; i++) *out++ = path[i];
    path += length;
    path += *path == '.';
  }
  *out = 0;
  return name;
}

static ts_module_sum *by_module_row_of(by_module_adding *a, const char *path)
{
  const char *name = !*path            ? a->by->positions ? "(no operator)" : "(outside modules)" :
                     a->by->positions ? ts_arena_string(a->arena, path, strcspn(path, "#")) :
                                        cut(a, path);
  uint32_t row = ts_hash_find_text(&a->names, name, a->by->rows.at, sizeof *a->by->rows.at);
  if (row == TS_HASH_NONE) {
    row = (uint32_t)a->by->rows.count;
    TS_PUSH(a->arena, &a->by->rows, (ts_module_sum){.name = name});
    ts_hash_add(a->arena, &a->names, ts_hash_text(name), row);
  }
  return &a->by->rows.at[row];
}

/* ---- Profiles ---- */

static bool has_modules(const ts_events *e)
{
  for (uint32_t i = 0; i < e->count; i++)
    if (ts_event_at(e, i)->class == TS_EVENT_MARK && ts_event_at(e, i)->kind == TS_MARK_MODULE)
      return true;
  return false;
}

/* Of each device work the module of its operator, or "". */
static const char **modules_of(by_module_adding *a, const ts_events *e)
{
  const char **modules = TS_NEW_ARRAY(a->arena, const char *, e->device_count + 1),
             **layers = TS_NEW_ARRAY(a->arena, const char *, e->device_count + 1);
  uint32_t *ops = TS_NEW_ARRAY(a->arena, uint32_t, e->device_count + 1), count = 0;
  for (uint32_t i = 0; i < e->device_count; i++)
    if (ts_event_at(e, e->device[i])->op != TS_EVENT_NONE)
      ops[count++] = ts_event_at(e, e->device[i])->op;
  ts_layers_name(a->arena, e, ops, count, true, layers);
  for (uint32_t i = 0, k = 0; i < e->device_count; i++) {
    bool linked = ts_event_at(e, e->device[i])->op != TS_EVENT_NONE;
    const char *layer = linked ? layers[k++] : "";
    /* "linear#3" is a position: the operator ran in no module */
    modules[i] = !a->by->positions && strchr(layer, '#') ? "" : layer;
  }
  return modules;
}

static void take_profile(by_module_adding *a, const ts_events *e)
{
  ts_busy *spans = ts_busy_of_events(a->arena, e, e->device, e->device_count);
  uint32_t count = ts_computing(spans, e->device_count), next = 0;
  int64_t until = INT64_MIN; /* communication before is done with */
  a->by->positions = !has_modules(e);
  a->by->has_exposed = true;
  const char **modules = modules_of(a, e);
  for (uint32_t i = 0; i < e->device_count; i++) {
    const ts_event *v = ts_event_at(e, e->device[i]);
    ts_module_sum *row = by_module_row_of(a, modules[i]);
    int64_t time = ts_event_end(v) - v->start, from = v->start > until ? v->start : until;
    row->count++;
    if (v->kind != TS_KERNEL_COMMUNICATION) {
      row->compute += time;
      continue;
    }
    row->transfer += time;
    if (ts_event_end(v) <= from)
      continue;
    row->exposed += ts_not_computing(spans, count, &next, from, ts_event_end(v));
    until = ts_event_end(v);
  }
}

/* ---- Graphs ---- */

/* What is held at the fullest moment. What a node frees goes at its end. */
static void take_memory(by_module_adding *a, const ts_events *e)
{
  const struct ts_rank_graph *g = e->graph;
  int64_t held = 0, most = 0;
  size_t fullest = 0;
  for (size_t i = 0; i < g->memory.count; i++) {
    held += g->memory.at[i].bytes;
    if (held > most) {
      most = held;
      fullest = i + 1;
    }
  }
  a->by->has_memory = most > 0;
  for (size_t i = 0; i < fullest; i++)
    by_module_row_of(a, ts_events_text(e, g->memory.at[i].module))->memory += g->memory.at[i].bytes;
}

static void take_graph(by_module_adding *a, const ts_events *e)
{
  for (uint32_t i = 0; i < e->count; i++) {
    const ts_event *v = ts_event_at(e, i);
    const ts_graph_facts *f = ts_graph_facts_of(e, i);
    if (v->class != TS_EVENT_DEVICE || !f)
      continue;
    ts_module_sum *row = by_module_row_of(a, ts_events_text(e, f->module));
    int64_t time = v->duration > 0 ? v->duration : 0;
    row->count++;
    *(v->kind == TS_KERNEL_COMMUNICATION ? &row->transfer : &row->compute) += time;
  }
  take_memory(a, e);
}

ts_by_module *ts_by_module_new(ts_arena *arena, const ts_events *e, uint32_t depth, bool layers)
{
  by_module_adding a = {.arena = arena, .by = TS_NEW(arena, ts_by_module)};
  a.by->depth = depth;
  a.by->layers = layers;
  if (e->graph)
    take_graph(&a, e);
  else
    take_profile(&a, e);
  return a.by;
}

/* ---- Reports ---- */

static double by_module_percent(int64_t part, int64_t whole)
{
  return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

void ts_by_module_text(const ts_by_module *m, FILE *out)
{
  ts_module_sum all = {.name = "all"};
  for (size_t i = 0; i < m->rows.count; i++) {
    all.compute += m->rows.at[i].compute;
    all.exposed += m->rows.at[i].exposed;
    all.transfer += m->rows.at[i].transfer;
    all.memory += m->rows.at[i].memory;
    all.count += m->rows.at[i].count;
  }
  ts_put_text(out, "\n  %-32s %12s %7s", m->positions ? "by outermost operator, ms" :
                                         m->layers    ? "by layer, ms" :
                                                        "by module, ms",
              "compute", "of all");
  ts_put_text(out, " %10s", m->has_exposed ? "exposed" : "");
  ts_put_text(out, " %10s %8s%s\n", "transfers", "calls", m->has_memory ? "          MiB" : "");
  for (size_t i = 0; i <= m->rows.count; i++) {
    const ts_module_sum *r = i < m->rows.count ? &m->rows.at[i] : &all;
    size_t length = strlen(r->name);
    ts_put_text(out, "    %-30s", length > 30 ? r->name + length - 30 : r->name);
    ts_put_text(out, " %12.3f %5.1f %%", (double)r->compute / 1e6,
                by_module_percent(r->compute, all.compute));
    if (m->has_exposed)
      ts_put_text(out, " %10.3f", (double)r->exposed / 1e6);
    else
      ts_put_text(out, " %10s", "");
    ts_put_text(out, " %10.3f %8u", (double)r->transfer / 1e6, r->count);
    if (m->has_memory)
      ts_put_text(out, " %12.3f", (double)r->memory / (1 << 20));
    fputc('\n', out);
  }
  if (m->positions)
    ts_put_text(out, "    no modules were recorded: with_stack=True keeps them\n");
}

void ts_by_module_json(const ts_by_module *m, ts_json_writer *w, const char *key)
{
  ts_json_begin(w, key, '{');
  ts_json_put_text(w, "by", m->positions ? "operator" : m->layers ? "layer" : "module");
  ts_json_put_count(w, "depth", m->depth);
  ts_json_begin(w, "modules", '[');
  for (size_t i = 0; i < m->rows.count; i++) {
    const ts_module_sum *r = &m->rows.at[i];
    ts_json_begin(w, NULL, '{');
    ts_json_put_text(w, "module", r->name);
    ts_json_put_count(w, "calls", r->count);
    ts_json_put_signed(w, "compute_ns", r->compute);
    if (m->has_exposed)
      ts_json_put_signed(w, "exposed_ns", r->exposed);
    ts_json_put_signed(w, "transfer_ns", r->transfer);
    if (m->has_memory)
      ts_json_put_signed(w, "memory_bytes", r->memory);
    ts_json_end(w, '}');
  }
  ts_json_end(w, ']');
  ts_json_end(w, '}');
}
